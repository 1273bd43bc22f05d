"""How tests judge time: by the processor time of the best of several tries, so that a busy machine fails none.

The bounds tell linear from quadratic. How fast something is, is measured in `tests/bench`.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import thread_time

_TRIES = 8


def seconds_of(work: Callable[[], object]) -> float:
    """Processor seconds of one try, without those of collecting what earlier tests left behind."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        began = thread_time()
        work()
        return thread_time() - began
    finally:
        if collecting:
            gc.enable()


def assert_within(seconds: float, work: Callable[[], object]) -> None:
    """One of the tries takes no longer than that."""
    taken: list[float] = []
    while not taken or taken[-1] > seconds:
        assert len(taken) < _TRIES, f"never within {seconds} s: {taken}"
        taken.append(seconds_of(work))


def assert_linear(work: Callable[[int], Callable[[], object]], size: int) -> None:
    """Eight times as much takes at most twenty-four times as long; if quadratic, it would take sixty-four.

    Args:
        work: makes, for a size, what is timed; making it is not timed.
        size: the larger of the two sizes.
    """
    tried: list[tuple[float, float]] = []
    small, large = work(size // 8), work(size)
    while not tried or tried[-1][1] > 24 * max(tried[-1][0], 0.0002):
        assert len(tried) < _TRIES, f"not linear: {tried}"
        tried.append((seconds_of(small), seconds_of(large)))
