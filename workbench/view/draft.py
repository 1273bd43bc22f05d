"""A script that is being edited: its text, where it goes, and whether what is on disk is still what was read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath

from workbench.home import Home
from workbench.scenarios.faults import load_catalogue
from workbench.scenarios.files import Stamp, free_path, read_script, save_script, stamp_of
from workbench.scenarios.review import Known
from workbench.scenarios.templates import file_name
from workbench.toolkit.loader import load_tools


@dataclass(slots=True)
class Draft:
    """`text` is what the editor begins with; `saved` what the file holds, None while there is none."""

    text: str
    path: Path
    """Where it is saved."""
    saved: str | None = None
    stamp: Stamp | None = None
    example: Path | None = None
    """The packaged file that it is a copy of, until it is saved."""

    @property
    def source(self) -> Path:
        """The file that holds the text as it was saved last: the example, where nothing was saved yet."""
        return self.example or self.path

    def differs(self, text: str) -> bool:
        """Whether the text would be lost if the editor were left now."""
        return text != (self.saved if self.saved is not None else "")

    def overwritten(self) -> bool:
        """Whether somebody else has written the file, or made one there, since it was read."""
        return self.example is None and stamp_of(self.path) != self.stamp

    def save(self, text: str) -> None:
        """Write the file. Raises ScriptFileError."""
        self.stamp = save_script(self.path, text)
        self.saved, self.example = text, None


def draft_of(path: Path, home: Home) -> Draft:
    """The script in that file; one of the packaged examples becomes a copy among one's own. Raises ScriptFileError."""
    text, stamp = read_script(path)
    if home.is_shipped(path):
        return Draft(text, free_path(home.own_scripts, path.name), saved=text, example=path)
    return Draft(text, path, saved=text, stamp=stamp)


def new_draft(title: str, text: Callable[[str], str], home: Home) -> Draft:
    """A script that is in no file yet; `text` makes it for a title. Where its file has a number, the title has, too."""
    name = file_name(title)
    path = free_path(home.own_scripts, name)
    number = path.stem[len(PurePath(name).stem) + 1 :]
    return Draft(text(f"{title} {number}" if number else title), path)


def known_to(home: Home) -> Known:
    """What a script of that home can name. Loads its tools, as far as the person has said that they may be."""
    folder = home.root / "tools"
    all_loaded = home.tools_trusted or not folder.is_dir()
    loaded = load_tools(home.tools).tools
    return Known(
        tools=tuple(tool.info for tool in loaded.values()),
        takes={name: tool.arguments for name, tool in loaded.items()},
        unloaded="" if all_loaded else f"The tools in {folder} are loaded when you run it and trust them.",
        faults=load_catalogue(home.faults).entries,
        models=home.models,
        models_trusted=home.tools_trusted,
    )
