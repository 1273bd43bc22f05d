"""Two clocks: the one on the wall, and one that moves when somebody sleeps on it, or when code of a person's runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from workbench.core.ports import Checked, OnLate, ToolOutcome, Tools


class SystemClock:
    """Real, monotonic seconds."""

    def now(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class VirtualClock:
    """Seconds that pass in `sleep`, at once, and not otherwise: the same run has the same times every time.

    While something runs `in_real_time`, they pass by themselves too.
    """

    def __init__(self) -> None:
        self._now = 0.0
        self._began = 0.0
        """When the first of what runs in real time began, by the clock on the wall."""
        self._running = 0

    def now(self) -> float:
        return self._now + (time.monotonic() - self._began if self._running else 0.0)

    async def sleep(self, seconds: float) -> None:
        self._now += max(0.0, seconds)
        await asyncio.sleep(0)

    @contextmanager
    def in_real_time(self) -> Iterator[None]:
        """The time that the block takes passes here as well; what several take side by side passes once."""
        if not self._running:
            self._began = time.monotonic()
        self._running += 1
        try:
            yield
        finally:
            if self._running == 1:
                self._now += time.monotonic() - self._began
            self._running -= 1


class TimedTools:
    """Other tools beside a virtual clock, which counts what those named `real` take. Implements `ports.Tools`.

    The packaged tools are instant and give the same run every time; how long anybody else's take, nobody can say
    beforehand, and a cap on seconds is there for them.
    """

    def __init__(self, tools: Tools, clock: VirtualClock, real: Collection[str]) -> None:
        self._tools = tools
        self._clock = clock
        self._real = real

    def check(self, tool: str, arguments: str) -> Checked:
        return self._tools.check(tool, arguments)

    def preview(self, tool: str, canonical: str) -> str:
        return self._tools.preview(tool, canonical)

    def file_text(self, path: str) -> str | None:
        return self._tools.file_text(path)

    async def run(self, tool: str, canonical: str, *, within: float | None, key: str, on_late: OnLate) -> ToolOutcome:
        if tool not in self._real:
            return await self._tools.run(tool, canonical, within=within, key=key, on_late=on_late)
        with self._clock.in_real_time():
            return await self._tools.run(tool, canonical, within=within, key=key, on_late=on_late)
