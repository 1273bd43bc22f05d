"""One line above the bar: what is said to the person."""

from __future__ import annotations

from collections.abc import Callable

from workbench.tui.actions import reason_not, with_keys
from workbench.tui.blocks import Block
from workbench.tui.guard import time_now
from workbench.tui.screens import keymap_of
from workbench.tui.situation import Situation
from workbench.view.entries import Span
from workbench.view.visible import visible

FRAME = 1 / 60
SAID_FOR = 5.0
"""Seconds a one-line message stays, at most."""


class Notice(Block):
    """Says things in one line, until the next key and for a few seconds at most."""

    def __init__(self, situation: Callable[[], Situation]) -> None:
        super().__init__(id="notice")
        self._situation = situation
        self._said = ""
        self._said_until = 0.0

    def can(self, action: str) -> bool:
        """Whether an action applies now; if not, why is said in one line."""
        reason = reason_not(action, self._situation(), keymap_of(self.app))
        if reason:
            self.say(reason)
        return not reason

    def worded(self, words: str, *, typing: bool = False) -> str:
        """Words of ours in which actions in braces stand for their keys."""
        return with_keys(words, keymap_of(self.app), typing=typing)

    def say(self, text: str) -> None:
        """One line, in place of the one before."""
        self._said, self._said_until = visible(text), time_now() + SAID_FOR
        self.draw()
        self.set_timer(SAID_FOR, self.draw)

    def unsay(self) -> None:
        """Another key was pressed: what was said is about the one before."""
        if self._said:
            self._said = ""
            self.set_timer(FRAME, self.draw)  # what the key says itself comes first

    def draw(self) -> None:
        """What was said, for as long as it stays."""
        self.display = bool(self._said) and time_now() < self._said_until
        if self.display:
            self.put([(Span(f" {self._said}", "primary"),)])
