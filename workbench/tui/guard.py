"""Keys pressed ahead never decide: neither one pressed before the question was drawn, nor one that is held down."""

from __future__ import annotations

from textual.message import Message

DRAWN = 0.3
"""Seconds a question must have stood on the screen."""
APART = 0.75
"""Seconds since the same key was pressed before; longer than a keyboard waits before it repeats a held key."""


def time_now() -> float:
    """Seconds on the clock that stamps keys."""
    return Message().time


class KeyGuard:
    """Knows when keys were pressed and when the question was drawn. Times are those of the events, in seconds."""

    def __init__(self) -> None:
        self._drawn: float | None = None
        self._last: dict[str, float] = {}
        self._before: dict[str, float] = {}

    def pressed(self, key: str, at: float) -> None:
        """A key was pressed, whatever it does."""
        if key in self._last:
            self._before[key] = self._last[key]
        self._last[key] = at

    def arm(self) -> None:
        """Something else is about to be asked, or may be: nothing decides before `drawn` is called."""
        self._drawn = None

    @property
    def armed(self) -> bool:
        """Whether what is asked has still to be drawn."""
        return self._drawn is None

    def drawn(self, at: float) -> None:
        """What is asked now stands on the screen."""
        self._drawn = at

    def allows(self, *keys: str) -> bool:
        """Whether the latest press of one of these keys may decide."""
        pressed = [(self._last[key], key) for key in keys if key in self._last]
        if not pressed or self._drawn is None:
            return False
        at, key = max(pressed)
        before = self._before.get(key)
        return at - self._drawn >= DRAWN and (before is None or at - before >= APART)
