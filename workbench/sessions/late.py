"""Journals without a file: one that never has one, and one whose file is made only when there is something to keep."""

from __future__ import annotations

from collections.abc import Callable

from workbench.core.events import Event
from workbench.sessions.journal import JournalWriter


class MemoryJournal:
    """A journal that keeps nothing: the events of the run are in the run."""

    def append(self, event: Event, *, sync: bool) -> None:
        """Nothing to do."""


class LateJournal:
    """A journal whose file is made by `make` with the event after the first `held_back` ones.

    To open a scenario is not yet to run it, and to look at a packaged session is not yet to go on with it.
    """

    def __init__(self, make: Callable[[], JournalWriter], *, held_back: int) -> None:
        self._make = make
        self._held_back = held_back
        self._waiting: list[Event] = []
        self.writer: JournalWriter | None = None

    def append(self, event: Event, *, sync: bool) -> None:
        if self.writer is None:
            if len(self._waiting) < self._held_back:
                self._waiting.append(event)
                return
            self.writer = self._make()
            for earlier in self._waiting:
                self.writer.append(earlier, sync=False)
        self.writer.append(event, sync=sync)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
