"""Saving a script, and opening runs of it: what is asked before, and what is said after."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from workbench.home import written
from workbench.scenarios.files import ScriptFileError
from workbench.tui.dialogs import Confirm
from workbench.tui.editor.reviewed import ReviewedArea
from workbench.tui.screens import shell_of
from workbench.view.draft import Draft
from workbench.view.entries import Line, Span
from workbench.view.figures import counted

Say = Callable[[Line], None]


class Saving:
    """One at a time: to save while a question about saving is open asks anew."""

    def __init__(self, area: ReviewedArea, draft: Draft, say: Say) -> None:
        self._area = area
        self._draft = draft
        self._say = say

    def save(self) -> None:
        """Save the text, also with problems."""
        self._area.run_worker(self._save(), group="save", exclusive=True)

    def run(self, line: int | None = None) -> None:
        """Save it and open a run: before its first move, or up to the reply in that line, from 1."""
        self._area.run_worker(self._run(line), group="save", exclusive=True)

    async def _save(self) -> bool:
        """Write the file, after asking where somebody else has written it meanwhile. Returns whether it was written."""
        area, draft, text = self._area, self._draft, self._area.text
        if draft.overwritten():
            why = "It was changed, or removed, since it was opened here. What is in it now is lost."
            question = Confirm(f"Overwrite {draft.path.name}?", why, yes="overwrite")
            if not await area.app.push_screen_wait(question):
                return False
        try:
            await asyncio.to_thread(draft.save, text)
        except ScriptFileError as error:
            self._refuse(str(error))
            return False
        found = area.reading if area.reading.text == text else await area.read_now()
        count = len(found.problems)
        wrong = f", with {counted(count, 'problem')}," if count else ""
        self._say((Span(f"saved{wrong} as {written(draft.path, here=False)}", "primary"),))
        return True

    async def _run(self, line: int | None) -> None:
        area, draft = self._area, self._draft
        found = await area.read_now()
        wrong = found.in_the_way(area.known)
        if wrong is not None:
            area.go_to(wrong.line - 1)
            area.focus()
            self._refuse(f"it cannot run yet: line {wrong.line}")
            return
        scenario = found.review.scenario
        assert scenario is not None, "what cannot be read has a problem"
        until = None if line is None else found.review.reply_at(line)
        if until is not None and not scenario.model.reply:
            self._refuse("there is no script to run up to: its replies do not come from this file")
        elif not draft.differs(area.text) or await self._save():
            shell_of(area.app).opener.scenario(draft.source, until=until)

    def _refuse(self, why: str) -> None:
        self._say((Span("✗ ", "error"), Span(why)))
