"""Models that do what a test says, when it says so."""

from __future__ import annotations

import asyncio

from workbench.core.ports import Model, OnSignal, Reply, Request, Signal


class Paced:
    """Another model that replies only when it is told to; what it says before streams in at once."""

    def __init__(self, model: Model, *deltas: str) -> None:
        self.name = model.name
        self._model = model
        self._deltas = deltas
        self._turn = asyncio.Event()

    def go(self) -> None:
        """Let the request that waits have its reply."""
        self._turn.set()

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
        for text in self._deltas:
            on_signal(Signal("delta", text))
        await self._turn.wait()
        self._turn.clear()
        return await self._model.reply(request, on_signal)


class Failing:
    """A model that raises what nobody expects."""

    name = "failing"

    def __init__(self, error: BaseException) -> None:
        self._error = error

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
        raise self._error
