from __future__ import annotations

import time

import pytest

from workbench.clocks import VirtualClock


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock on the wall; the test moves its one hand."""
    hand = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: hand[0])
    return hand


async def test_virtual_seconds_pass_in_sleep_and_not_otherwise(wall: list[float]) -> None:
    clock = VirtualClock()
    wall[0] += 5
    await clock.sleep(2.5)
    await clock.sleep(-1)
    assert clock.now() == 2.5


async def test_what_runs_in_real_time_is_counted_while_it_runs_and_slept_seconds_are_added(wall: list[float]) -> None:
    clock = VirtualClock()
    with clock.in_real_time():
        wall[0] += 3
        assert clock.now() == 3
        await clock.sleep(1)
        assert clock.now() == 4
    wall[0] += 9
    assert clock.now() == 4


def test_what_runs_side_by_side_is_counted_once(wall: list[float]) -> None:
    clock = VirtualClock()
    one, other = clock.in_real_time(), clock.in_real_time()
    one.__enter__()
    wall[0] += 1
    other.__enter__()
    wall[0] += 1
    one.__exit__(None, None, None)
    wall[0] += 1
    other.__exit__(None, None, None)
    assert clock.now() == 3
