"""Exporting a run and importing a log: what is asked, and what is said afterwards. The work is done in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from workbench.export.forms import FORMS, CannotExport, Form
from workbench.tui.choose import Choose
from workbench.tui.dialogs import Confirm, Prompt
from workbench.tui.screens import shell_of
from workbench.view.visible import visible

if TYPE_CHECKING:
    from workbench.core.events import Event
    from workbench.core.values import Header
    from workbench.home import Home
    from workbench.imports.keeping import Imported

Run = Callable[[], "tuple[Header, Sequence[Event]]"]
"""Reads a run. May raise SessionError."""


class Exporting:
    """Asks which form and where, then writes."""

    def __init__(self, app: App[Any], run: Run, name: str) -> None:
        """`name` is what the file is called, without its suffix, unless a person says otherwise."""
        self._app = app
        self._run = run
        self._name = name

    def ask(self) -> None:
        """Begin with the first question."""

        def chosen(index: int | None) -> None:
            if index is not None:
                self._ask_where(FORMS[index])

        choices = [(form.name, form.about) for form in FORMS]
        self._app.push_screen(Choose("Export this run. In which form?", choices), chosen)

    def _ask_where(self, form: Form) -> None:
        def named(answer: str | None) -> None:
            if answer is None or not answer.strip():
                return
            path = Path(answer.strip()).expanduser()
            if path.is_file():
                self._app.push_screen(
                    Confirm("Overwrite it?", f"{path} is there already.", yes="overwrite"),
                    lambda yes: self._begin(form, path) if yes else None,
                )
            else:
                self._begin(form, path)

        hint = f"{form.about}; a name without a folder is in {Path.cwd()}"
        self._app.push_screen(Prompt(f"Write {form.name} to", f"{self._name}{form.suffix}", hint, send="write"), named)

    def _begin(self, form: Form, path: Path) -> None:
        self._app.run_worker(self._write(form, path), group="export")

    async def _write(self, form: Form, path: Path) -> None:
        from workbench.export.palette import NoPalette
        from workbench.sessions.errors import SessionError

        shell = shell_of(self._app)
        try:
            said = await asyncio.to_thread(_written, form, path, self._run, shell.home)
        except (CannotExport, NoPalette, SessionError) as error:
            shell.report(str(error))
        else:
            self._app.notify(visible("\n".join(said)), markup=False, timeout=8)


def _written(form: Form, path: Path, run: Run, home: Home) -> list[str]:
    """Write the run; returns where it is now, and what is not as it was, a sentence each."""
    from workbench.export.files import folders_of, save
    from workbench.export.forms import recorded
    from workbench.export.palette import palettes
    from workbench.sessions.errors import SessionError
    from workbench.toolkit.loader import load_tools

    header, events = run()
    try:
        whole = recorded(
            header,
            events,
            palettes=palettes(home.themes) if form.coloured else (),
            tools_here=folders_of(load_tools(home.tools), home.packaged) if form.runs else None,
        )
    except ValueError as error:
        raise SessionError(f"the events make no run: {error}") from None
    written = form.write(whole)
    save(path, written.text, force=True)
    return [f"written to {path.resolve()}", *(f"note: {note}" for note in written.notes)]


class Importing:
    """Asks for a file, makes sessions of what is in it, and says which."""

    def __init__(self, app: App[Any], done: Callable[[list[Imported]], None]) -> None:
        """`done` is called with the new sessions."""
        self._app = app
        self._done = done

    def ask(self, path: str = "", problem: str = "") -> None:
        """Begin with the question; once more where that path could not be imported, with why."""
        hint = "messages, requests and replies, spans or a trajectory, as JSON; it becomes a session"
        question = Prompt("Import the log of another agent from", path, hint, send="import", problem=problem)
        self._app.push_screen(question, self._named)

    def _named(self, answer: str | None) -> None:
        if answer is not None and answer.strip():
            self._app.run_worker(self._read(answer.strip()), group="import", exclusive=True)

    async def _read(self, path: str) -> None:
        from workbench.imports.conversation import NotUnderstood
        from workbench.sessions.errors import SessionError

        try:
            made = await asyncio.to_thread(_imported, path, shell_of(self._app).home)
        except (NotUnderstood, SessionError) as error:
            self.ask(path, str(error))
        else:
            self._done(made)


def _imported(path: str, home: Home) -> list[Imported]:
    """What is made of the file. Raises NotUnderstood and SessionError."""
    from workbench.imports.conversation import NotUnderstood
    from workbench.imports.keeping import import_file

    try:
        return import_file(Path(path).expanduser(), home)
    except RuntimeError as error:  # a ~ of nobody
        raise NotUnderstood(f"{path}: {error}") from None
