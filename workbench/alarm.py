"""A time limit for something that hardly ever takes as long.

A timer of the event loop for each request of a model would cost as much as the engine's whole step. So one timer serves
many limits: when it goes off it looks whether the limit that holds now is over, and else goes to sleep again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Alarm:
    """Calls `ring` when the seconds it was last set to have passed, unless it was cleared before."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._at: float | None = None

    def set(self, seconds: float) -> None:
        """From now on, in place of an earlier limit."""
        loop = asyncio.get_running_loop()
        at = self._at = loop.time() + seconds
        if self._timer is None or self._loop is not loop or self._timer.when() > at:
            if self._timer is not None:
                self._timer.cancel()
            self._loop, self._timer = loop, loop.call_at(at, self._look)

    def clear(self) -> None:
        self._at = None

    def _look(self) -> None:
        assert self._loop is not None
        self._timer = None
        if self._at is None:
            return
        if self._loop.time() < self._at:
            self._timer = self._loop.call_at(self._at, self._look)
        else:
            self._at = None
            self._ring()
