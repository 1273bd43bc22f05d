"""What a run did, item by item, without what differs between any two runs: ids, times, durations, counts of tokens.

A call is one item with its decision and its result, whatever stands between them in the journal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from workbench.core.canonical import canonical
from workbench.core.events import (
    ContextChanged,
    Decided,
    Event,
    Forked,
    ModelFailed,
    ModelReply,
    Notice,
    Planned,
    Resumed,
    SettingsChanged,
    Stopped,
    StopRequested,
    ToolResult,
    ToolStarted,
    UserMessage,
)
from workbench.core.values import Call

Kind = Literal["message", "reply", "failure", "step", "call", "notice", "stop", "setting", "fork"]
QUIET: frozenset[str] = frozenset({"setting", "fork"})
"""What may be the reason that two runs part, and is no parting by itself."""


class Aspect(StrEnum):
    """In what two items can differ."""

    WHAT = "what"
    """What is said, asked for, or told."""
    DECISION = "decision"
    """What was decided about a call."""
    RESULT = "result"
    """What came of a call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that happened, with the events that tell of it."""

    kind: Kind
    n: int
    """Number of the event it begins with, from 1."""
    step: int
    """How many replies of the model, and calls of a plan, there were by then, its own one included."""
    event: Event
    """For a call the reply that makes it, or the step of a plan."""
    call: Call | None = None
    decision: Decided | None = None
    started: ToolStarted | None = None
    result: ToolResult | None = None
    result_n: int = 0
    """Number of the event with the result; 0 while there is none."""
    stop: StopRequested | None = None
    """For a call that has no result of its own, and for a stop: who asked for the end of the run."""
    passed: bool = False
    """For a stop: the run has gone on after it."""

    @property
    def quiet(self) -> bool:
        """Whether it is no parting that only one of the runs has it."""
        return self.kind in QUIET or self.passed

    @property
    def pending(self) -> bool:
        """Whether it is a call that nothing has come of yet."""
        return self.call is not None and self.result is None


def items(events: Sequence[Event]) -> list[Item]:
    """The items of a run, calls in the order in which the model makes them."""
    made: list[Item] = []
    ends = _Ends(events)
    step = 0
    for n, event in enumerate(events, 1):
        step += counts_as_step(event)
        kind = _KINDS.get(type(event))
        if kind is None:
            continue
        passed = kind == "stop" and n < ends.latest_start
        made.append(Item(kind=kind, n=n, step=step, event=event, passed=passed, stop=ends.stop_before(n, kind)))
        if isinstance(event, ModelReply | Planned):
            made += [ends.call(event, call, n, step) for call in event.calls]
    return made


def counts_as_step(event: Event) -> bool:
    """Whether a step begins with it: a reply of the model, or a call that a plan makes."""
    return isinstance(event, ModelReply) or (isinstance(event, Planned) and bool(event.calls))


class _Ends:
    """What became of each call, and of the run."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._decisions: dict[str, Decided] = {}
        self._starts: dict[str, ToolStarted] = {}
        self._results: dict[str, tuple[int, ToolResult]] = {}
        self._requests: list[tuple[int, StopRequested]] = []
        self.latest_start = 0
        """Number of the latest event with which a run begins or goes on."""
        for n, event in enumerate(events, 1):
            match event:
                case Decided():
                    self._decisions[event.call] = event
                case ToolStarted():
                    self._starts[event.call] = event
                case ToolResult():
                    self._results[event.call] = n, event
                case StopRequested():
                    self._requests.append((n, event))
                case UserMessage() | Resumed() | Forked():
                    self.latest_start = n

    def stop_before(self, n: int, kind: Kind) -> StopRequested | None:
        """Who asked for a stop that is written down at `n`."""
        return next((each for at, each in reversed(self._requests) if at < n), None) if kind == "stop" else None

    def call(self, reply: ModelReply | Planned, call: Call, n: int, step: int) -> Item:
        result_n, result = self._results.get(call.id, (0, None))
        ended = result is not None and result.outcome in ("cancelled", "not_run")
        return Item(
            kind="call",
            n=n,
            step=step,
            event=reply,
            call=call,
            decision=self._decisions.get(call.id),
            started=self._starts.get(call.id),
            result=result,
            result_n=result_n,
            stop=self.stop_before(result_n, "stop") if ended else None,
        )


_KINDS: dict[type[Event], Kind] = {
    UserMessage: "message",
    ModelReply: "reply",
    ModelFailed: "failure",
    Planned: "step",
    Notice: "notice",
    ContextChanged: "notice",
    Stopped: "stop",
    SettingsChanged: "setting",
    Forked: "fork",
}


# ---------------------------------------------------------------- what they say


def says(item: Item) -> tuple[tuple[Aspect, str], ...]:
    """Everything in which two items have to be alike to be the same, what comes first in time first."""
    if item.call is None:
        return ((Aspect.WHAT, _told(item.event)),)
    return (
        (Aspect.WHAT, f"{item.call.tool} {item.call.canonical or item.call.arguments}"),
        (Aspect.DECISION, _decided(item.decision)),
        (Aspect.RESULT, _came_of(item.result)),
    )


def wording(item: Item) -> str:
    """How a reply puts it: where only that differs, the model does the same thing in other words."""
    reply = item.event
    return f"{reply.text}\n{reply.thinking}" if isinstance(reply, ModelReply) and item.call is None else ""


def _told(event: Event) -> str:
    match event:
        case UserMessage(text=text):
            return text
        case ModelReply(reading="answer"):
            return f"answer {event.answer}"
        case ModelReply():
            # The calls are items of their own.
            return event.reading if event.reading == "calls" else f"{event.reading} {event.problem}"
        case ModelFailed(failure=failure):
            return failure
        case Planned():
            # The call is an item of its own.
            return f"{event.does} {event.problem or event.text}"
        case Notice(topic=topic, text=text):
            return f"{topic} {text}"
        case ContextChanged():
            return f"{event.policy} {event.messages} {event.replacement} {_plain(list(event.folded.values()))}"
        case Stopped():
            return f"{event.status} {event.knob} {event.limit}"
        case SettingsChanged(changes=changes):
            return _plain(changes)
        case _:
            return event.kind


def _decided(decision: Decided | None) -> str:
    """What the call comes to by it; allowed by whomever is the same as not asked about."""
    if decision is None or decision.decision == "allow":
        return "allow"
    return " ".join((decision.decision, decision.arguments, decision.reason, decision.answer))


def _came_of(result: ToolResult | None) -> str:
    if result is None:
        return ""
    effects = _plain([dict(effect) for effect in result.effects]) if result.effects else ""
    return "\n".join((result.outcome, result.trust, effects, result.content))


def _plain(value: object) -> str:
    try:
        return canonical(value)
    except (TypeError, ValueError, RecursionError):
        return repr(value)  # a value that is no JSON has still one way to be written


# ---------------------------------------------------------------- how they are laid side by side


def keys(made: Sequence[Item]) -> tuple[list[str], ...]:
    """Keys for `alignment.align`, by level: the same call, the same in every word, the same, the same sort of thing."""
    levels: tuple[list[str], ...] = ([], [], [], [], [])
    for item in made:
        what = says(item)[0][1]
        whole = f"{item.kind} {what}"
        sort = item.call.tool if item.call is not None else what.split(" ", 1)[0]
        found = (
            whole if item.kind == "call" else "",
            f"{whole} {wording(item)}",
            whole,
            f"{item.kind} {sort}",
            item.kind,
        )
        for level, key in zip(levels, found, strict=True):
            level.append(key)
    return levels
