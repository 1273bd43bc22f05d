"""The one way in which facts come into a run: journal first, then state, then everybody who watches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workbench.core.events import Decided, Event, Held, HeldReply, ToolResult, ToolStarted
from workbench.core.ports import Journal, OnSignal, Signal
from workbench.core.state import State, apply_read
from workbench.core.values import Header

Listener = Callable[[Event], None]
KEYFRAME_EVERY = 25
"""Events between two states that are kept, 1 kB each: so many, at most, are folded to see a moment of the past."""
SYNCED = frozenset({Decided, ToolStarted, ToolResult, Held, HeldReply})
"""Events that must survive a power cut before anything else happens."""


class JournalBroken(Exception):
    """Nothing more can be recorded, so nothing more may happen. The file holds everything up to here."""


class Recording:
    """A journal and its fold. `state` is the fold of `events`; both only ever grow.

    Raises ValueError when `events` are not those of a run with that header.
    """

    def __init__(self, header: Header, journal: Journal, events: Sequence[Event] = ()) -> None:
        self.header = header
        self.events: list[Event] = []
        self.state = State(header)
        self.broken: str = ""
        """Why nothing more can be recorded; empty while all is well."""
        self._journal = journal
        self._listeners: list[Listener] = []
        self._signal_listeners: list[OnSignal] = []
        self._failure: Exception | None = None
        """What a listener raised. The fact it was told is recorded all the same."""
        self._keyframes = [self.state.copy()]
        """The states after 0, KEYFRAME_EVERY, … events."""
        for event in events:
            apply_read(self.state, event)
            self._keep(event)

    def at(self, n: int) -> State:
        """The state after the first n events, the caller's own; n is clamped to what there is. O(1)."""
        n = max(0, min(n, len(self.events)))
        state = self._keyframes[n // KEYFRAME_EVERY].copy()
        for event in self.events[state.n : n]:
            state.apply(event)
        return state

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after each event; returns how to stop that. One that raises is not called again."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def subscribe_signals(self, listener: OnSignal) -> Callable[[], None]:
        """Call `listener` for each passing signal; returns how to stop that."""
        self._signal_listeners.append(listener)
        return lambda: self._signal_listeners.remove(listener)

    def _signal(self, signal: Signal) -> None:
        for listener in tuple(self._signal_listeners):
            listener(signal)

    def _record(self, event: Event) -> None:
        """Take one event in. Raises JournalBroken, with the state as it was, when it cannot be written."""
        if self.broken:
            raise JournalBroken(self.broken)
        try:
            self._journal.append(event, sync=type(event) in SYNCED)
        except BaseException as error:
            self.broken = f"the session cannot be written: {error}"
            if not isinstance(error, Exception):
                raise
            raise JournalBroken(self.broken) from error
        self.follow(event)

    def follow(self, event: Event) -> None:
        """Take in an event that is in the journal already, as somebody else writes it.

        Raises ValueError for one that cannot follow.
        """
        self.state.apply(event)
        self._keep(event)
        if self._listeners:
            self._tell(event)

    def _keep(self, event: Event) -> None:
        """Note an event that the state has taken in, and now and then the state itself."""
        self.events.append(event)
        if not self.state.n % KEYFRAME_EVERY:
            self._keyframes.append(self.state.copy())

    def _tell(self, event: Event) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception as error:  # noqa: BLE001 - a defect in a screen must not undo what has happened
                self._listeners.remove(listener)
                self._failure = error
