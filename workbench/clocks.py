"""Two clocks: the one on the wall, and one that moves only when somebody sleeps on it."""

from __future__ import annotations

import asyncio
import time


class SystemClock:
    """Real, monotonic seconds."""

    def now(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class VirtualClock:
    """Seconds that pass only in `sleep`, at once: the same run has the same times every time."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        self._now += max(0.0, seconds)
        await asyncio.sleep(0)
