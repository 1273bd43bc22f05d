"""Somebody at a run: what they look at, now or a moment of the past, and what that moment shows. No screen in here."""

from __future__ import annotations

from typing import Literal

from workbench.core.events import Event, ModelReply, ToolResult
from workbench.core.loop import AskPerson, Finished, Move
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.statuses import SUCCESSES
from workbench.runner import Run
from workbench.view import words
from workbench.view.entries import Entry, Line, Span, lines_of
from workbench.view.history import History
from workbench.view.timeline import Timeline

Stand = Literal["idle", "running", "paused", "approval", "interrupted", "hold", "stopped", "answered", "past"]


class Desk:
    """A run and the place in it that is looked at. Commands go to the run; everything shown comes from here."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.history = History(run.header, run.events)
        self.timeline = Timeline(run.events, run.state)
        self._past: State | None = None
        self.streaming: str = ""
        """What the model has said so far in the reply that is coming in."""

    # ------------------------------------------------------------ where we look

    @property
    def state(self) -> State:
        """The run as it is looked at."""
        return self._past if self._past is not None else self.run.state

    @property
    def looking_back(self) -> bool:
        return self._past is not None

    @property
    def move(self) -> Move:
        """What happened, or happens, next from there."""
        return self.run.move_from(self.state)

    @property
    def stand(self) -> Stand:
        """How things stand, in one word that decides which keys work."""
        if self.looking_back:
            return "past"
        if self.run.in_flight is not None or self.run.playing:
            return "running"
        move = self.run.next
        if isinstance(move, AskPerson):
            return {"approval": "approval", "hold": "hold", "interrupted": "interrupted"}.get(  # type: ignore[return-value]
                move.question.on, "paused"
            )
        if isinstance(move, Finished):
            return "answered" if move.status in SUCCESSES else "stopped"
        return "paused" if self.run.state.started else "idle"

    def look_at(self, n: int) -> None:
        """Look at the run as it was after event n; at the latest event and beyond that is now."""
        n = max(1, n)
        self._past = self.history.at(n) if n < len(self.run.events) else None
        self.timeline.show(self.state)

    def look_now(self) -> None:
        self._past = None
        self.timeline.show(self.run.state)

    def look_by(self, events: int) -> None:
        self.look_at(self.state.n + events)

    def look_by_step(self, direction: int) -> None:
        """To the next model reply in that direction; beyond the last one is now, before the first the start."""
        events, n = self.run.events, self.state.n + direction
        while 0 < n <= len(events) and not isinstance(events[n - 1], ModelReply):
            n += direction
        self.look_at(n)

    def refresh(self) -> None:
        """After new events: the timeline grows; who looks at the past goes on looking at it."""
        self.timeline.refresh()
        self.timeline.show(self.state)

    # ------------------------------------------------------------ what is shown

    def tail(self) -> Entry | None:
        """What stands after the last entry: the reply that is coming in, or the next move in words."""
        n = self.state.n + 1
        if not self.looking_back and self.run.in_flight is not None:
            if self.streaming:
                lines = tuple((Span(line),) for line in self.streaming.split("\n"))
                return Entry(n, self.run.state.total_steps + 1, "MODEL", "model", lines)
            doing = words.doing(self.run.in_flight)
            return Entry(n, None, "NOW", "quiet", ((Span(f"{doing} …", "quiet", italic=True),),))
        move = self.move
        if isinstance(move, AskPerson | Finished):
            return None
        word = "THEN" if self.looking_back else "NEXT"
        return Entry(n, None, word, "quiet", ((Span(words.move_words(move, self.state), "quiet", italic=True),),))

    def call_of_entry(self, index: int) -> str:
        """The call that an entry is about; "" when it is about none."""
        event = self.timeline.event(index)
        if isinstance(event, ModelReply):
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
        """Which request (from 0) belongs to an entry: the one that led to its reply; past the last one is the next."""
        event = self.timeline.event(index)
        requests = self.state.requests
        if event is None or index == len(self.timeline) - 1:
            return len(requests)
        n = self.timeline.number(index)
        if not isinstance(event, ModelReply):
            return min(len(requests), sum(1 for mark in requests if mark.n < n))
        return next((i for i, mark in enumerate(requests) if mark.n == n), len(requests))

    def original(self, index: int) -> str | None:
        """What a changed entry was; None when it was not changed."""
        event: Event | None = self.timeline.event(index)
        return event.original if isinstance(event, ModelReply | ToolResult) and event.changed else None

    def hidden_lines(self, index: int) -> list[Line]:
        """What an entry has besides what it shows, for people only: a traceback, thinking, the full original."""
        event = self.timeline.event(index)
        lines: list[Line] = []
        if isinstance(event, ToolResult) and event.detail:
            lines += [(), (Span("for you only; the model did not see it", "quiet"),), *lines_of(event.detail, "quiet")]
        if isinstance(event, ModelReply) and event.thinking:
            lines += [(), (Span("thinking", "quiet", bold=True),), *lines_of(event.thinking, "quiet")]
        if isinstance(event, ModelReply) and self.run.header.protocol != "native":
            lines += [(), (Span("to the letter", "quiet", bold=True),), *lines_of(event.text)]
        original = self.original(index)
        if original is not None:
            lines += [(), (Span("before it was changed", "changed"),), *lines_of(original)]
        return lines
