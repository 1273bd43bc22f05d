"""What a person did in a run, as `[[person]]` entries that do the same where nobody is there.

Entries are used strictly in order, so they are collected in the order of the questions that a run of them will ask:
before a request, about the calls of its reply in call order, then about their results. What nobody would be asked
again is told apart by judging each call anew, without the grants of the run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.core.door import reverted
from workbench.core.events import (
    Decided,
    DoneElsewhere,
    Event,
    Forked,
    Held,
    ModelFailed,
    ModelReply,
    Planned,
    Resumed,
    SettingsChanged,
    Stopped,
    StopRequested,
    ToolResult,
    UserMessage,
)
from workbench.core.gate import judge
from workbench.core.items import counts_as_step
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.statuses import SUCCESSES, Status
from workbench.core.values import Header
from workbench.scenarios.loops import ENGINE, MUSEUM

Entry = dict[str, Any]
"""A `[[person]]` table."""

PEOPLE = ("person", "script")
NOT_SET = frozenset({"arm", "disarm", "faults", "grants", "hold", "model", "next_reply", "title"})
"""Settings that no entry repeats: what came of them is in the replies, the decisions and the results."""


@dataclass(slots=True)
class _Turn:
    """What is asked around one request, made in `step`."""

    step: int
    before: list[Entry] = field(default_factory=list)
    calls: dict[int, Entry] = field(default_factory=dict)
    """By the place of the call in its reply."""
    results: dict[int, Entry] = field(default_factory=dict)
    """As `calls`: what a person does about each result, where the door is shut."""
    shut: bool = False
    """Whether results must be held at the door, so that something can be done about one."""
    reply: Entry | None = None
    """What a person does about the reply, where that is held: nothing else is asked then. Empty: it goes on waiting."""

    @property
    def hold(self) -> bool | str | None:
        """What has to be held in it; None where that makes no difference."""
        if self.reply is not None:
            return "reply"
        return self.shut if self.results or self.shut else None


class Answers:
    """Follows a run event by event, and says in the end what its person did."""

    def __init__(self, header: Header) -> None:
        self.state = State(header)
        self.notes: list[str] = []
        """What will not be the same, a sentence each."""
        self._own_loop = loop_of(header) in MUSEUM
        self._turns = [_Turn(1)]
        self._settings: dict[str, Any] = {}
        """Changed while the run stands still after a stop."""
        self._resumed = False
        """Whether a stopped run goes on, and no entry says so yet."""
        self._stand_ins: dict[str, Entry] = {}
        """Entries that answer in the place of a call, by its id."""
        self._came: dict[str, Held] = {}
        """Results as they came to the door, by call."""

    def take(self, event: Event) -> None:
        """The next event of the run."""
        handler = _HANDLERS.get(type(event))
        if handler is not None:
            handler(self, event)
        self.state.apply(event)
        if isinstance(event, ModelFailed) or counts_as_step(event):
            self._turns.append(_Turn(self.state.total_steps + 1))

    def entries(self) -> list[Entry]:
        """Everything the person did so far, in the order in which it will be asked for."""
        self._go_on()
        waiting = [self._place(record.call.id) for record in self.state.open_calls() if self._waits(record)]
        if waiting:
            # Nobody is asked about a call before those ahead of it are decided.
            self._turn.calls = {place: entry for place, entry in self._turn.calls.items() if place < waiting[0]}
        if self.state.held_reply is not None:
            self._turns[-1].reply = {}
        entries: list[Entry] = []
        holding: bool | str = False
        for turn in self._turns:
            entries += turn.before
            hold = turn.hold
            if hold is None and holding == "reply" and turn is not self._turns[-1]:
                hold = False
            if hold is not None and hold != holding:
                holding = hold
                entries.append(_step(turn.step, "set", set={"hold": holding}))
            if turn.reply:
                entries.append(turn.reply)
                continue
            calls = [turn.calls[place] for place in sorted(turn.calls)]
            results = [turn.results[place] for place in sorted(turn.results)] if turn.shut else []
            entries += _up_to_cancel([*calls, *results])
        return entries

    @property
    def stand_ins(self) -> Sequence[str]:
        """The calls that somebody answers for this time, though they ran."""
        return tuple(self._stand_ins)

    # ------------------------------------------------------------ where we are

    @property
    def _turn(self) -> _Turn:
        """The turn whose calls are open, or were last."""
        return self._turns[-2] if len(self._turns) > 1 else self._turns[-1]

    def _place(self, call_id: str) -> int:
        return next(index for index, record in enumerate(self.state.batch) if record.call.id == call_id)

    def _add(self, entry: Entry) -> None:
        """An entry that comes before the next request."""
        self._turns[-1].before.append(entry)

    def _go_on(self) -> None:
        """A stopped run has gone on: say so, with what was changed meanwhile."""
        if self._resumed:
            self._add({"on": "stop", "do": "set", "set": self._settings})
            self._settings, self._resumed = {}, False

    def _asks(self, record: CallRecord) -> bool:
        """Whether a run without the grants of this one asks a person about the call."""
        tool = self.state.tool(record.call.tool)
        if tool is None or record.call.problem:
            return False
        rules = self.state.header.rules
        canonical = record.call.canonical
        return judge(tool, canonical, rules=rules, grants=(), default=self.state.approval).decide == "ask"

    def _waits(self, record: CallRecord) -> bool:
        return record.decision is None and self._asks(record)

    # ------------------------------------------------------------ events

    def _moved(self, _: ModelReply | ModelFailed | Planned | Stopped) -> None:
        self._go_on()

    def _said(self, event: UserMessage) -> None:
        if not self.state.started:
            return
        if self._own_loop and self.state.status is Status.RUNNING:
            return  # Such a loop speaks by itself, and will again.
        if self.state.status is not Status.RUNNING:
            self._resumed = True
        if self._resumed and not self._settings:
            self._resumed = False
            self._add({"on": "stop", "do": "message", "text": event.text})
            return
        self._go_on()
        self._add(_step(self.state.total_steps + 1, "message", text=event.text))

    def _changed(self, event: SettingsChanged) -> None:
        changes = {
            name: False if value is None else value for name, value in event.changes.items() if name not in NOT_SET
        }
        if self.state.status is not Status.RUNNING:
            self._settings |= changes
            return
        self._go_on()
        if not changes:
            return
        if self.state.open_calls() and len(self._turns) > 1:
            # It must hold before these calls are decided about, and nothing is asked between them.
            self._turn.before.append(_step(self._turn.step, "set", set=changes))
        else:
            self._add(_step(self.state.total_steps + 1, "set", set=changes))

    def _went_on(self, _: Resumed) -> None:
        self._resumed = self._resumed or self.state.status is not Status.RUNNING

    def _branched(self, _: Forked) -> None:
        self._resumed = self._resumed or self.state.status not in (Status.RUNNING, *SUCCESSES)
        for place, record in enumerate(self.state.batch):
            if record.result is None and record.held is None:
                self._turn.calls.pop(place, None)

    def _told(self, event: DoneElsewhere) -> None:
        """What had been allowed without that being known is decided about anew."""
        keys = {entry.get("key") for entry in event.effects}
        for place, record in enumerate(self.state.batch):
            if record.phase == "decided" and self.state.effect_key(record.call.tool, record.arguments) in keys:
                self._turn.calls.pop(place, None)

    def _decided(self, event: Decided) -> None:
        self._go_on()
        record = self.state.record(event.call)
        if record is None or event.by == "lock":
            return
        name = record.call.tool
        if record.started is not None:
            if event.decision in ("allow", "edit"):
                self.notes.append(f"{name} was interrupted and ran again; here it runs once")
            return
        if not self._asks(record):
            if event.by in PEOPLE:
                self.notes.append(f"a person decided about {name} in a fork; here nobody is asked")
            return
        entry = {"on": "approval", "do": event.decision, "tool": name}
        if event.decision == "edit":
            entry["arguments"] = json.loads(event.arguments)
            if _holds_null(entry["arguments"]):
                # No TOML can say null: the result that the model read stands in for the call.
                entry = {"on": "approval", "do": "answer", "tool": name, "text": ""}
                self._stand_ins[event.call] = entry
                self.notes.append(f"{name} ran with a null among its arguments; here its result is given instead")
        elif event.decision == "answer" or event.reason:
            entry["text"] = event.answer if event.decision == "answer" else event.reason
        self._turn.calls[self._place(event.call)] = entry

    def _given(self, event: ToolResult) -> None:
        if event.call in self._stand_ins:
            self._stand_ins[event.call]["text"] = event.content
            return
        record = self.state.record(event.call)
        place = self._place(event.call)
        if record is None or record.started is None or place in self._turn.results:
            return
        if event.outcome not in ("ran", "failed", "unknown"):
            return
        done = self._done_to(event)
        self._turn.results[place] = {"on": "hold", "tool": record.call.tool, **(done or {"do": "pass"})}
        self._turn.shut = self._turn.shut or bool(done)
        if done.get("do") == "error" and event.outcome == "ran":
            self.notes.append(f"a failure of {record.call.tool} was turned into a result; here it stays a failure")

    def _stood(self, event: Held) -> None:
        self._turn.shut = True
        self._came.setdefault(event.call, event)

    def _done_to(self, event: ToolResult) -> Entry:
        """What a person has to do about a result so that it comes out like this; nothing where it does by itself.

        Faults strike again, so what they made of it comes to the door by itself.
        """
        came = self._came.get(event.call)
        first = came or event
        if first.outcome == "unknown" and not first.original_outcome:
            return {"do": "error", "text": event.content}  # it was really given up, and comes to an end this time
        if came is None:
            if "you" not in event.changed_by.split(", "):
                return {}
            before = event.original_outcome or event.outcome  # changed in a fork
        elif (event.content, event.outcome) == (came.content, came.outcome):
            later = event.took - came.took
            return {"do": "delay", "seconds": later} if later > 0 else {}
        elif (event.content, event.outcome) == ((back := reverted(came)).content, back.outcome):
            return {"do": "revert"}
        else:
            before = came.outcome
        return {"do": "replace" if event.outcome == before else "error", "text": event.content}

    def _stopped_by_hand(self, event: StopRequested) -> None:
        if event.by not in PEOPLE:
            return
        self._go_on()
        if self.state.held_reply is not None:
            step = self.state.total_steps + 1
            self._turns[-1].reply = {"on": "hold", "do": "cancel", "nth": step}
            return
        waiting = self.state.open_calls()
        if not waiting:
            self._add(_step(self.state.total_steps + 1, "cancel"))
            return
        first = waiting[0]
        asked = next(filter(self._waits, waiting), None)
        if first.held is None and first.started is None and asked is not None:
            place = self._place(asked.call.id)
            if any(other > place for other in self._turn.calls):
                self.notes.append(f"calls after {asked.call.tool} were decided before it; here they never are")
            self._turn.calls[place] = _cancel("approval", asked)
            return
        ran = [place for place in self._turn.results if place < self._place(first.call.id)]
        if first.held is None and first.started is None and ran:
            place, record = max(ran), self.state.batch[max(ran)]
        else:
            place, record = self._place(first.call.id), first
            if first.held is not None and first.held != self._came.get(first.call.id):
                self.notes.append(f"the result of {first.call.tool} had been changed before the stop; here it is not")
            if first.started is None:
                self.notes.append(f"the run was stopped before {first.call.tool} started; here it starts first")
        self._turn.results[place] = _cancel("hold", record)
        self._turn.shut = True


_HANDLERS: Mapping[type[Event], Callable[[Answers, Any], None]] = {
    UserMessage: Answers._said,
    ModelReply: Answers._moved,
    ModelFailed: Answers._moved,
    Planned: Answers._moved,
    Stopped: Answers._moved,
    Decided: Answers._decided,
    Held: Answers._stood,
    ToolResult: Answers._given,
    SettingsChanged: Answers._changed,
    StopRequested: Answers._stopped_by_hand,
    Resumed: Answers._went_on,
    Forked: Answers._branched,
    DoneElsewhere: Answers._told,
}


def loop_of(header: Header) -> str:
    """The loop of the run, by name."""
    return str(header.scenario.get("loop", ENGINE))


def _step(step: int, do: str, **what: Any) -> Entry:
    return {"on": "step", "do": do, "nth": step, **what}


def _cancel(on: str, record: CallRecord) -> Entry:
    return {"on": on, "do": "cancel", "tool": record.call.tool}


def _up_to_cancel(entries: list[Entry]) -> list[Entry]:
    """The entries that are asked for: after a cancel nothing is."""
    end = next((index for index, entry in enumerate(entries, 1) if entry["do"] == "cancel"), len(entries))
    return entries[:end]


def _holds_null(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_null, value.values()))
    return any(map(_holds_null, value)) if isinstance(value, list) else value is None
