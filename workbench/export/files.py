"""Where what was exported goes, and what it needs to run there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from workbench.export.forms import CannotExport
from workbench.export.records import Record, Steps, as_line
from workbench.runner import Run
from workbench.scenarios.files import write_whole
from workbench.toolkit.loader import LoadedFolder


def save(path: Path, text: str, *, force: bool = False) -> None:
    """Write the text whole or not at all. Raises CannotExport, also where there is a file already, without `force`."""
    if path.is_dir():
        raise CannotExport(f"{path} is a folder; name a file in it")
    if path.exists() and not force:
        raise CannotExport(f"{path} is there already; --force overwrites it")
    try:
        write_whole(path, text)
    except OSError as error:
        raise CannotExport(f"{path} cannot be written: {error.strerror or error}") from None


def folders_of(tools: LoadedFolder, packaged: Path) -> Mapping[str, str]:
    """For each tool that can run here the folder it needs; "" where it comes with the package."""
    files = {name: tool.file for name, tool in tools.tools.items()}
    own = packaged / "tools"
    return {name: "" if file is None or file.parent == own else str(file.parent) for name, file in files.items()}


class RecordFile:
    """Appends the records of a run to a file, each as its step ends. Steps that were over before are not told again."""

    def __init__(self, path: Path) -> None:
        """Raises OSError when the file cannot be written."""
        self._file: TextIO = path.open("a", encoding="utf-8")
        self._steps = Steps("")
        self._problem = ""

    def follow(self, run: Run) -> None:
        """Write what happens in that run from now on."""
        self._steps = Steps(run.header.id)
        for event in run.events:
            self._steps.take(event)
        run.subscribe(lambda event: self._append(self._steps.take(event)))

    def close(self) -> str:
        """Write the step that is not over, and end; returns why something could not be written, "" if all was."""
        self._append(self._steps.rest())
        self._file.close()
        return self._problem

    def _append(self, records: list[Record]) -> None:
        """A file that cannot be written is no reason to stop the run."""
        if self._problem or not records:
            return
        try:
            self._file.write("".join(map(as_line, records)))
            self._file.flush()
        except OSError as error:
            self._problem = f"the records cannot be written any more: {error.strerror or error}"
