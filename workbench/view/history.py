"""The states of the past, cheaply: copies along the way, and a fold from the nearest one."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from time import perf_counter

from workbench.core.events import Event
from workbench.core.state import State
from workbench.core.values import Header

KEYFRAME_EVERY = 1000
NEARBY_EVERY = 50
"""Events between marks on the way to a place, and those before it of which every state is kept."""


class History:
    """`at(n)` is the state after the first n events. The list of events may grow; what is in it never changes.

    To copy a state costs nothing, but the first event that is folded into a copy takes what it shares apart. So a walk
    keeps every state of the stretch it is in, and marks on the way there: most steps are a copy and no fold.
    """

    def __init__(self, header: Header, events: Sequence[Event]) -> None:
        self._events = events
        self._old = len(events)
        """How many events there were before anybody could `note` the states between them."""
        self._front = State(header)
        """How far those have been folded."""
        self._keyframes: list[State] = [State(header)]
        """Ascending."""
        self._marks: dict[int, State] = {}
        self._stretch: dict[int, State] = {}

    def note(self, state: State) -> None:
        """Remember the run as it is now, when it has come some way since the last time."""
        if state.n >= self._keyframes[-1].n + KEYFRAME_EVERY:
            self._keyframes.append(state.copy())

    def prepare(self, seconds: float) -> bool:
        """Fold what was there from the start, for about that long. Returns True when that is done."""
        until = perf_counter() + seconds
        while self._front.n < self._old:
            self._fold_to(min(self._front.n + NEARBY_EVERY, self._old))
            if perf_counter() >= until:
                break
        return self._front.n >= self._old

    def at(self, n: int) -> State:
        """A state of its own after n events; n is clamped to what there is."""
        n = max(0, min(n, len(self._events)))
        found = self._stretch.get(n)
        if found is not None:
            return found.copy()
        self._fold_to(min(n, self._old))
        state = self._nearest(n).copy()
        stretch, marks = {state.n: state.copy()}, {}
        for event in self._events[state.n : n]:
            state.apply(event)
            if n - state.n < NEARBY_EVERY:
                stretch[state.n] = state.copy()
            elif state.n % NEARBY_EVERY == 0:
                marks[state.n] = state.copy()
        self._stretch = stretch
        if marks:
            self._marks = {at: mark for at, mark in self._marks.items() if abs(at - n) <= KEYFRAME_EVERY} | marks
        return state

    def _fold_to(self, n: int) -> None:
        front = self._front
        for event in self._events[front.n : n]:
            front.apply(event)
            if front.n % KEYFRAME_EVERY == 0:
                insort(self._keyframes, front.copy(), key=_reached)

    def _nearest(self, n: int) -> State:
        best = self._keyframes[bisect_right(self._keyframes, n, key=_reached) - 1]
        for mark, state in self._marks.items():
            if best.n < mark <= n:
                best = state
        return best


def _reached(state: State) -> int:
    return state.n
