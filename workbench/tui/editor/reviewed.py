"""The text of a script that is looked through while it is typed."""

from __future__ import annotations

import asyncio

from textual import on
from textual.message import Message
from textual.timer import Timer
from textual.widgets import TextArea

from workbench.scenarios.review import Known, review
from workbench.tui.editor.area import ScriptArea
from workbench.view.editing import Reading

PAUSE = 0.12
"""Seconds after a key until the text is read: somebody who types fast is not interrupted."""


class ReviewedArea(ScriptArea):
    """Marks what is wrong, and tells the screen of each reading."""

    class Read(Message):
        """The text has been read."""

    def __init__(self, text: str, name: str, known: Known) -> None:
        """`name` stands for the file in what is said of problems."""
        super().__init__(text, id="text")
        self.known = known
        """What the script can name. Whoever changes it reads again."""
        self.reading = Reading()
        self._file_name = name
        self._waiting: Timer | None = None

    def on_mount(self) -> None:
        self.read_soon()

    @on(TextArea.Changed)
    def _typed(self) -> None:
        if self._waiting is not None:
            self._waiting.stop()
        self._waiting = self.set_timer(PAUSE, self.read_soon)

    def read_soon(self) -> None:
        """Look through the text as it is now, in a thread."""
        self.run_worker(self.read_now(), group="review", exclusive=True)

    async def read_now(self) -> Reading:
        """Look through the text as it is now."""
        text = self.text
        self.reading = self.reading.then(text, await asyncio.to_thread(review, text, self._file_name, self.known))
        found = self.reading.review
        self.mark({each.line - 1: "≈" for each in found.remarks} | {each.line - 1: "✗" for each in found.problems})
        self.post_message(self.Read())
        return self.reading
