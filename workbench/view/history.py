"""The states of the past, cheaply: keyframes along the way, and a fold from the nearest one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from workbench.core.events import Event
from workbench.core.state import State
from workbench.core.values import Header

KEYFRAME_EVERY = 1000
NEARBY_EVERY = 50


class History:
    """`at(n)` is the state after the first n events. The list of events may grow; what is in it never changes."""

    def __init__(self, header: Header, events: Sequence[Event]) -> None:
        self._events = events
        self._keyframes: list[State] = [State(header)]
        self._nearby: dict[int, State] = {}
        """Copies made on the way through the stretch that was looked at last, so that a walk back is short."""

    def at(self, n: int) -> State:
        """A state of its own after n events; n is clamped to what there is."""
        n = max(0, min(n, len(self._events)))
        state = self._nearest(n).copy()
        fresh: dict[int, State] = {}
        for event in self._events[state.n : n]:
            state.apply(event)
            if state.n % KEYFRAME_EVERY == 0 and state.n > self._keyframes[-1].n:
                self._keyframes.append(state.copy())
            elif state.n % NEARBY_EVERY == 0 and n - state.n < KEYFRAME_EVERY:
                fresh[state.n] = state.copy()
        if fresh:
            self._nearby = {k: v for k, v in self._nearby.items() if abs(k - n) <= KEYFRAME_EVERY} | fresh
        return state

    def _nearest(self, n: int) -> State:
        marks = [state.n for state in self._keyframes]
        best = self._keyframes[bisect_right(marks, n) - 1]
        for mark, state in self._nearby.items():
            if best.n < mark <= n:
                best = state
        return best
