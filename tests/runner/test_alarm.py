"""One timer for many limits."""

from __future__ import annotations

import asyncio

import pytest

from workbench.alarm import Alarm
from workbench.clocks import SystemClock, VirtualClock


async def passed(seconds: float) -> None:
    """Wait for another timer of the same event loop."""
    over = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, over.set)
    await over.wait()


async def test_it_rings_once_when_the_time_is_up() -> None:
    rung = asyncio.Event()
    count = 0

    def ring() -> None:
        nonlocal count
        count += 1
        rung.set()

    alarm = Alarm(ring)
    alarm.set(0.01)
    async with asyncio.timeout(60):
        await rung.wait()
    await passed(0.02)
    assert count == 1


async def test_it_rings_at_the_latest_limit_whichever_timer_is_running() -> None:
    loop, rang = asyncio.get_running_loop(), asyncio.Event()
    alarm = Alarm(rang.set)
    began = loop.time()
    for seconds in (60.0, 0.01, 0.05):  # a shorter limit, and then a longer one than the timer that runs
        alarm.set(seconds)
    async with asyncio.timeout(60):
        await rang.wait()
    assert 0.05 <= loop.time() - began < 1


async def test_it_is_silent_after_it_was_cleared() -> None:
    alarm = Alarm(lambda: pytest.fail("it was cleared"))
    alarm.set(0.005)
    alarm.clear()
    await passed(0.01)


def test_it_works_in_one_event_loop_after_another() -> None:
    events: list[asyncio.Event] = []

    def ring() -> None:
        events[-1].set()

    alarm = Alarm(ring)

    async def leave_it_set() -> None:
        alarm.set(0.01)

    async def wait_for_it() -> None:
        events.append(asyncio.Event())
        alarm.set(0.01)
        async with asyncio.timeout(60):
            await events[-1].wait()

    asyncio.run(leave_it_set())
    asyncio.run(wait_for_it())


async def test_virtual_time_passes_only_in_sleep_and_real_time_by_itself() -> None:
    virtual, real = VirtualClock(), SystemClock()
    await virtual.sleep(3600)
    await virtual.sleep(-5)
    assert virtual.now() == 3600.0
    before = real.now()
    await real.sleep(0.001)
    assert real.now() > before
