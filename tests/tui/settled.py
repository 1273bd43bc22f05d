"""Waiting in tests: until a screen has nothing more to do, or until it shows what is wanted. Never for a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot
from textual.worker import WorkerCancelled

LONGEST = 60.0
"""Seconds after which a test gives up: something waits for what never comes."""


async def settled(pilot: Pilot[Any], until: Callable[[], bool] = lambda: True) -> None:
    """Go on until no key and no message waits, no worker works, nothing is left to be laid out, and `until` holds.

    A worker that failed fails the test.
    """
    async with asyncio.timeout(LONGEST):
        while True:
            try:
                await pilot.app.workers.wait_for_complete()
            except WorkerCancelled:  # another one took its place, unless the time is up
                if (task := asyncio.current_task()) is None or task.cancelling():
                    raise
            await pilot.pause()
            if pilot.app._exception is not None:
                raise pilot.app._exception
            if _idle(pilot) and until():
                return


def _idle(pilot: Pilot[Any]) -> bool:
    app = pilot.app
    if any(not worker.is_finished for worker in app.workers) or getattr(app, "keys_wait", False):
        return False
    if not app.screen_stack:
        return True
    pumps = [app, *app.screen_stack, *app.screen.walk_children()]
    return not any(pump.message_queue_size for pump in pumps)
