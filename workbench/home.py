"""Where files live: the workbench folder of the user, and the packaged examples that are always there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

KINDS = ("scripts", "tools", "themes", "sessions")
HOME_VARIABLE = "WORKBENCH_HOME"
Found = Literal["--home", "$WORKBENCH_HOME", "current folder", "user data folder"]


class HomeError(Exception):
    """A workbench folder that cannot be used; the message is a sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """A workbench folder, how it was found, and the folders that come with the package."""

    root: Path
    found: Found
    packaged: Path
    extra_tools: tuple[Path, ...] = ()
    """Given with --tools: trusted by being named."""
    tools_trusted: bool = True
    """Whether `root/tools` may be loaded; loading runs code."""
    index: Path | None = None
    """Where what is read of sessions is kept from one start to the next; None for nowhere. It may be thrown away."""

    @property
    def scripts(self) -> tuple[Path, ...]:
        return self._both("scripts")

    @property
    def themes(self) -> tuple[Path, ...]:
        return self._both("themes")

    @property
    def tools(self) -> tuple[Path, ...]:
        """Folders to load tools from; the earlier wins where two define a tool of one name."""
        own = (self.own / "tools", self.root / "tools") if self.tools_trusted else ()
        folders = (*self.extra_tools, *own, self.packaged / "tools")
        return tuple(dict.fromkeys(folder for folder in folders if folder.is_dir()))

    @property
    def own(self) -> Path:
        """The folder in which what a person makes is kept: never among what is packaged, also in a checkout."""
        return user_folder() if self.root == self.packaged else self.root

    @property
    def own_scripts(self) -> Path:
        """Where new scripts are written. It may not exist yet."""
        return self.own / "scripts"

    @property
    def sessions(self) -> Path:
        """Where new sessions are written. It may not exist yet."""
        return self.own / "sessions"

    @property
    def session_folders(self) -> tuple[Path, ...]:
        folders = (self.sessions, self.packaged / "sessions")
        return tuple(folder for folder in folders if folder.is_dir())

    def is_shipped(self, file: Path) -> bool:
        """Whether that file comes with the workbench: such a one is read, and a copy of it edited or gone on with."""
        file = file.resolve()
        return any(file.is_relative_to((self.packaged / kind).resolve()) for kind in KINDS)

    @property
    def settings(self) -> Path:
        """The person's settings: those of the folder one happens to be in, where it has some, and else one's own."""
        here = self.root / "workbench.toml"
        return here if self.found != "current folder" or here.is_file() else user_folder() / "workbench.toml"

    @property
    def models(self) -> Path:
        """The user's live models; it may not be there."""
        return self.root / "models.toml"

    @property
    def faults(self) -> Path:
        """The user's additions to the fault catalogue; it may not be there."""
        return self.root / "faults.toml"

    def _both(self, kind: str) -> tuple[Path, ...]:
        folders = (self.own / kind, self.root / kind, self.packaged / kind)
        return tuple(dict.fromkeys(folder for folder in folders if folder.is_dir()))


def find_home(
    given: str | None = None,
    *,
    tools: tuple[str, ...] = (),
    environment: Mapping[str, str] | None = None,
    current: Path | None = None,
) -> Home:
    """The workbench folder to use: `given`, else $WORKBENCH_HOME, else the current folder if it has one of the four
    folders, else the user data folder. Raises HomeError when a folder that was named does not exist."""
    environment = os.environ if environment is None else environment
    current = Path.cwd() if current is None else current
    here = Home(
        root=current,
        found="current folder",
        packaged=packaged_folder(),
        extra_tools=tuple(_existing(folder, "--tools") for folder in tools),
        index=cache_folder() / "sessions.sqlite3",
    )
    if given is not None:
        return replace(here, root=_existing(given, "--home"), found="--home")
    named = environment.get(HOME_VARIABLE)
    if named:
        return replace(here, root=_existing(named, f"${HOME_VARIABLE}"), found="$WORKBENCH_HOME")
    if any((current / kind).is_dir() for kind in KINDS):
        return replace(here, tools_trusted=current == here.packaged or current in trusted_folders())
    return replace(here, root=user_folder(), found="user data folder")


def packaged_folder() -> Path:
    """Where the shipped scripts, tools, themes and sessions are: inside the package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent
    shipped = package / "shipped"
    return shipped if shipped.is_dir() else package.parent


def user_folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_data_dir("workbench", appauthor=False))


def cache_folder() -> Path:
    """For what can be made again."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("workbench", appauthor=False))


def trusted_folders() -> frozenset[Path]:
    """Folders whose tools a person has said may be loaded, and in which scenarios may work."""
    try:
        lines = (user_folder() / "trusted").read_bytes().split(b"\n")
    except OSError:
        return frozenset()
    return frozenset(Path(os.fsdecode(line)) for line in lines if line)


def trust(folder: Path) -> None:
    """Remember that the tools of `folder` may be loaded, and that scenarios may work in it. Raises HomeError."""
    if "\n" in str(folder):
        raise HomeError("a folder with a line break in its name cannot be trusted")
    if folder in trusted_folders():
        return
    path = user_folder() / "trusted"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(os.fsencode(f"{folder}\n"))


def written(path: Path, *, here: bool = True) -> str:
    """The path as people write it: below their own folder, and below the current one if `here`, from there on."""
    with suppress(ValueError, OSError):
        if here:
            return str(path.relative_to(Path.cwd()))
    with suppress(ValueError, RuntimeError):
        return str(Path("~") / path.relative_to(Path.home()))
    return str(path)


def make_home(folder: Path) -> list[Path]:
    """Make the four folders in `folder`; returns those that were not there."""
    made = []
    for kind in KINDS:
        path = folder / kind
        if not path.is_dir():
            path.mkdir(parents=True)
            made.append(path)
    return made


def _existing(folder: str, said_by: str) -> Path:
    path = Path(folder).expanduser().resolve()
    if not path.is_dir():
        made = "" if said_by == "--tools" else f"; workbench init {folder} makes it"
        raise HomeError(f"{said_by}: there is no folder {folder}{made}")
    return path
