"""From a file, a template or a run to the script editor. Reading and importing happen in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.home import Home
from workbench.tui.choose import Choose
from workbench.tui.dialogs import Prompt

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.editor.screen import EditorScreen
    from workbench.view.draft import Draft


class EditorOpener:
    """Opens scripts for the app, one at a time."""

    def __init__(self, app: WorkbenchApp) -> None:
        self._app = app

    def file(self, path: Path) -> None:
        """Edit the script in that file."""

        def make(home: Home) -> Draft:
            from workbench.view.draft import draft_of

            return draft_of(path, home)

        self._open(make)

    def text(self, title: str, text: Callable[[str], str]) -> None:
        """Edit a text that is in no file yet, made for a title that no other script has; that may take a while."""

        def make(home: Home) -> Draft:
            from workbench.view.draft import new_draft

            return new_draft(title, text, home)

        self._open(make)

    def new(self) -> None:
        """Ask what to begin with and what to call it, then edit that."""
        from workbench.scenarios.templates import templates

        offered = templates()

        def chosen(index: int | None) -> None:
            if index is not None:
                self._app.push_screen(Prompt("Name of the script", send="begin"), named(index))

        def named(index: int) -> Callable[[str | None], None]:
            def begin(name: str | None) -> None:
                if name is not None and name.strip():
                    self.text(name.strip(), offered[index].text)

            return begin

        choices = [(template.title, template.about) for template in offered]
        self._app.push_screen(Choose("A new script. What does it begin with?", choices), chosen)

    def _open(self, make: Callable[[Home], Draft]) -> None:
        if not any(worker.group == "edit" and not worker.is_finished for worker in self._app.workers):
            self._app.run_worker(self._make(make), group="edit")

    async def _make(self, make: Callable[[Home], Draft]) -> None:
        from workbench.scenarios.files import ScriptFileError

        try:
            screen = await asyncio.to_thread(_made, make, self._app.home)
        except ScriptFileError as error:
            self._app.report(str(error))
        else:
            self._app.push_screen(screen)


def _made(make: Callable[[Home], Draft], home: Home) -> EditorScreen:
    from workbench.tui.editor.screen import EditorScreen
    from workbench.view.draft import known_to

    return EditorScreen(make(home), known_to(home), home)
