"""Somebody at a run: what they look at, now or a moment of the past, and what that moment shows. No screen in here."""

from __future__ import annotations

from bisect import bisect_left
from typing import Literal

from workbench.core.door import reply_at
from workbench.core.events import Event, Held, HeldReply, ModelReply, Planned, ToolResult
from workbench.core.items import counts_as_step
from workbench.core.ledger import Executed, executed
from workbench.core.loop import AskModel, AskPerson, Finished, Move
from workbench.core.records import CallRecord, RequestMark
from workbench.core.state import State
from workbench.core.statuses import SUCCESSES
from workbench.faults.replies import written_out
from workbench.models.human import HumanModel
from workbench.models.rewriting import what_it_is
from workbench.runner import Run
from workbench.view import words
from workbench.view.entries import Entry, Line, Role, Span
from workbench.view.figures import clock
from workbench.view.incoming import Incoming
from workbench.view.timeline import Timeline
from workbench.view.whole_entry import whole_entry

Stand = Literal[
    "idle", "running", "paused", "approval", "interrupted", "hold", "reply", "stopped", "answered", "past", "elsewhere"
]  # fmt: skip

ASKED: dict[str, Stand] = {"approval": "approval", "hold": "hold", "interrupted": "interrupted"}
"""How a run stands that asks about this."""


class Desk:
    """A run and the place in it that is looked at. Commands go to the run; everything shown comes from here."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.elsewhere = False
        """Whether somebody else is making the moves, in another process."""
        self.timeline = Timeline(run.events, run.state, move_from=self._move_from)
        self._past: State | None = None
        self.incoming = Incoming()
        """The reply that is coming in."""
        self._doing: tuple[Move | None, float] = (None, 0.0)
        """The move that was being made when last looked at, and since when."""
        self._done = len(run.events), executed(run.header, run.events)
        """All that was really done, after so many events. A long run is gone through here, not when a key asks."""

    # ------------------------------------------------------------ where we look

    @property
    def state(self) -> State:
        """The run as it is looked at."""
        return self._past if self._past is not None else self.run.state

    @property
    def looking_back(self) -> bool:
        return self._past is not None

    @property
    def done(self) -> tuple[Executed, ...]:
        """All that the run has really done, whatever is looked at."""
        count = len(self.run.events)
        if self._done[0] != count:
            self._done = (count, executed(self.run.header, self.run.events))
        return self._done[1]

    @property
    def move(self) -> Move:
        """What happened, or happens, next from there."""
        return self.run.move_from(self.state)

    def _move_from(self, state: State) -> Move:
        """What happens next, as far as it is ours: nobody here is asked about what happens elsewhere."""
        return AskModel() if self.elsewhere else self.run.move_from(state)

    @property
    def stand(self) -> Stand:
        """How things stand, in one word that decides which keys work."""
        if self.looking_back:
            return "past"
        if self.run.going:
            return "running"
        move = self.run.next
        if self.elsewhere and not isinstance(move, Finished):
            return "elsewhere"
        if isinstance(move, AskPerson):
            return ASKED.get(move.question.on, "paused")
        if isinstance(move, Finished):
            return "answered" if move.status in SUCCESSES else "stopped"
        if isinstance(move, AskModel) and isinstance(self.run.model, HumanModel):
            return "reply" if self.run.model.waits(self.run.state) else "paused"
        return "paused" if self.run.state.started else "idle"

    def look_at(self, n: int) -> None:
        """Look at the run as it was after event n; at the latest event and beyond that is now."""
        n = max(1, n)
        self._past = self.run.at(n) if n < len(self.run.events) else None
        self.timeline.show(self.state)

    def look_now(self) -> None:
        self._past = None
        self.timeline.show(self.run.state)

    def look_by(self, events: int) -> None:
        self.look_at(self.state.n + events)

    def look_by_step(self, direction: int) -> None:
        """To the next step in that direction; beyond the last one is now, before the first the start."""
        events, n = self.run.events, self.state.n + direction
        while 0 < n <= len(events) and not counts_as_step(events[n - 1]):
            n += direction
        self.look_at(n)

    def refresh(self) -> None:
        """After new events: the timeline grows; who looks at the past goes on looking at it."""
        self.timeline.refresh()
        self.timeline.show(self.state)

    # ------------------------------------------------------------ what is shown

    def tail(self, now: float = 0.0) -> Entry | None:
        """What stands after the last entry: the reply that is coming in, or the next move in words.

        `now` is in seconds, by the clock that signals were taken in with.
        """
        n = self.state.n + 1
        if not self.looking_back and self.run.in_flight is not None:
            if lines := self.incoming.lines(now):
                role: Role = "wait" if self.incoming.pausing else "model"
                return Entry(n, self.run.state.total_steps + 1, role.upper(), role, lines)
            doing = f"{words.doing(self.run.in_flight)} …{self._for_long(now)}"
            return Entry(n, None, "NOW", "quiet", ((Span(doing, "quiet", italic=True),),))
        if self.stand == "elsewhere":
            return Entry(n, None, "NOW", "quiet", ((Span(self._elsewhere_words(), "quiet", italic=True),),))
        move = self.move
        # What is asked now stands in the bar; that it was asked then stands nowhere else.
        if isinstance(move, Finished) or (isinstance(move, AskPerson) and not self.looking_back):
            return None
        word = "THEN" if self.looking_back else "NEXT"
        text = words.move_words(move, self.state)
        if isinstance(move, AskPerson) and move.question.on == "interrupted":
            # At that moment it was at work; only what follows can say that it was interrupted.
            text = f"wait for {words.names_of([record.call.tool for record in move.question.calls])}"
        return Entry(n, None, word, "quiet", ((Span(text, "quiet", italic=True),),))

    def _for_long(self, now: float) -> str:
        """How long the move that is being made takes already, from a second on."""
        if self._doing[0] is not self.run.in_flight:
            self._doing = self.run.in_flight, now
        seconds = now - self._doing[1]
        return f" {clock(seconds)}" if seconds >= 1 else ""

    def _elsewhere_words(self) -> str:
        """What somebody else is at, as far as it can be told from here."""
        at_work = [record.call.tool for record in self.run.state.open_calls() if record.phase == "started"]
        return f"{words.names_of(at_work)} at work elsewhere …" if at_work else "the next move is made elsewhere …"

    def call_of_entry(self, index: int) -> str:
        """The call that an entry is about; "" when it is about none."""
        event = self.timeline.event(index)
        if isinstance(event, ModelReply | Planned):
            return event.calls[0].id if event.calls else ""
        return str(getattr(event, "call", ""))

    def entry_of_call(self, call_id: str) -> int:
        """The entry that shows a call: its result where there is one, else the reply that asks for it."""
        record = self.state.record(call_id)
        if record is None:
            return -1
        return self.timeline.index_of(record.result_n or record.n)

    def selected_call(self, index: int) -> CallRecord | None:
        """The call to show beside the transcript: that of the entry, else the latest one."""
        call_id = self.call_of_entry(index)
        if call_id:
            return self.state.record(call_id)
        state = self.state
        if state.batch:
            return next(iter(state.open_calls()), state.batch[-1])
        return state.calls[-1] if len(state.calls) else None

    def request_of_entry(self, index: int) -> int:
        """Which request (from 0) belongs to an entry: that of its step. For the last entry of a run that goes on it is
        the next one, which may never come; so it is for what stands before the first.
        """
        requests = self.state.requests
        goes_on = self.state.stopped is None
        if self.timeline.event(index) is None or (goes_on and index == len(self.timeline) - 1):
            return len(requests)
        after = bisect_left(requests, self.timeline.number(index) + 1, key=_number)
        return max(0, after - 1)

    def original(self, index: int) -> str | None:
        """What a changed entry was; None when it was not changed."""
        event: Event | None = self.timeline.event(index)
        return event.original if isinstance(event, ModelReply | ToolResult) and event.changed else None

    def changeable(self, index: int) -> bool:
        """Whether an entry can be given another text, in a fork."""
        return bool(what_it_is(self.timeline.event(index)))

    def place(self, index: int) -> int:
        """The event that is looked at: of the past the one that is shown, else that of the entry; of the last entry,
        the latest one.
        """
        if self.looking_back:
            return self.state.n
        last = not 0 <= index < len(self.timeline) - 1
        return len(self.run.events) if last else self.timeline.number(index)

    def held_text(self, index: int) -> str | None:
        """What stands at the door, for an entry that says so; None for any other."""
        match self.timeline.event(index):
            case Held() as event:
                return event.content
            case HeldReply() as event:
                return written_out(reply_at(event))
        return None

    def whole(self, index: int) -> list[Line]:
        """An entry with all there is to it: data in its colours, and what only people see."""
        return whole_entry(self.timeline.entry(index), self.timeline.event(index), self.state)


def _number(mark: RequestMark) -> int:
    return mark.n
