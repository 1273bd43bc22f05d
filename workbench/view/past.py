"""Looking back, in words and signs: what each event was, and a strip with one sign an event."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.events import (
    NO_ERROR,
    ContextChanged,
    Decided,
    DoneElsewhere,
    Event,
    Forked,
    Held,
    HeldReply,
    LateResult,
    ModelFailed,
    ModelReply,
    Notice,
    Planned,
    Remark,
    Resumed,
    SettingsChanged,
    Stopped,
    StopRequested,
    ToolResult,
    ToolStarted,
    UserMessage,
)
from workbench.core.items import counts_as_step
from workbench.core.ledger import Executed, since
from workbench.core.state import State
from workbench.view import words
from workbench.view.bars import Bar
from workbench.view.effects import effects_title, to_be_heeded
from workbench.view.entries import Line, Role, Span
from workbench.view.figures import amount
from workbench.view.lines import NAME_ROOM, cut_line, wrap

TICKED = 20
"""Events a cell up to which a strip has ticks: beyond, there would be one in every cell."""


def past_bar(events: Sequence[Event], state: State, width: int, done: Sequence[Executed] = ()) -> Bar:
    """The bar of somebody who looks at `state`, a moment of a run with these events; `done` is all it really did."""
    total, at = len(events), state.n
    what = event_words(events[at - 1], state) if at else "before the first event"
    title = (
        Span(f"◀ You are looking at event {at} of {total}: {what}", "past"),
        Span(f"   the run {_goes_on(events[-1] if events else None)} at event {total}", "quiet"),
    )
    body = [event_strip(events, at, width - 2)]
    if later := [item for item in since(done, at) if not item.branch]:
        role: Role = "wait" if to_be_heeded(later) else "quiet"
        body += [(), *wrap((Span(effects_title(later, at), role),), width - 2)]
    return Bar(kind="past", role="past", title=title, body=tuple(body))


def _goes_on(latest: Event | None) -> str:
    return "ended" if isinstance(latest, Stopped) else "waits"


def event_strip(events: Sequence[Event], at: int, width: int) -> Line:
    """One sign an event, event `at` marked; where there are more events than cells, ticks at the steps only."""
    total = len(events)
    if total == 0 or width < 1:
        return ()
    gap = min(4, width // total)
    if gap < 1:
        return _long_strip(events, at, width)
    line: list[Span] = []
    step = 0
    for number, event in enumerate(events, 1):
        step += counts_as_step(event)
        sign = event_sign(event, step)[-gap:]
        role: Role = "past" if number <= at else "quiet"
        line.append(Span(sign, "here" if number == at else role, bold=number == at))
        if number < total and gap > len(sign):
            line.append(Span("─" * (gap - len(sign)), "past" if number < at else "rule"))
    return tuple(line)


def _long_strip(events: Sequence[Event], at: int, width: int) -> Line:
    """Where we are on a line as long as the run, with a tick where a step begins, if those can be told apart."""
    total = len(events)
    here = (max(at, 1) - 1) * width // total
    cells = ["─"] * width
    if total <= width * TICKED:
        for index, event in enumerate(events):
            if counts_as_step(event):
                cells[index * width // total] = "┴"
    return (
        Span("".join(cells[:here]), "past"),
        Span("◆", "here", bold=True),
        Span("".join(cells[here + 1 :]), "rule"),
    )


def event_sign(event: Event, step: int) -> str:
    """U user, a number for a step, → started, = result, ✗ error, ▲ decided, ⊘ denied, ◆ held, · the rest."""
    match event:
        case UserMessage():
            return "U"
        case ModelReply():
            return str(step)
        case Planned(calls=calls) if calls:
            return str(step)
        case ToolStarted():
            return "→"
        case ToolResult(outcome="denied") | Decided(decision="deny"):
            return "⊘"
        case ToolResult(outcome=outcome):
            return "=" if outcome in NO_ERROR else "✗"
        case ModelFailed():
            return "✗"
        case Decided():
            return "▲"
        case Held() | HeldReply():
            return "◆"
        case Stopped():
            return "■"
        case _:
            return "·"


_DECIDED = {"allow": "was allowed", "deny": "was denied", "edit": "was changed", "answer": "was answered for"}
_ENDED = {
    "ran": "returned",
    "failed": "failed",
    "denied": "was denied",
    "invalid": "was not valid",
    "not_run": "was not run",
    "cancelled": "was cancelled",
    "unknown": "was left unknown",
    "answered": "was answered for",
    "stored": "was not run again",
    "defect": "is broken",
}


_WORDS: dict[type[Event], str] = {
    UserMessage: "the user spoke",
    ModelFailed: "the request failed",
    Notice: "a note to the model",
    ContextChanged: "what is sent was made shorter",
    HeldReply: "a reply was held",
    Remark: "a remark for people",
    SettingsChanged: "a setting changed",
    DoneElsewhere: "what another branch did was found",
    StopRequested: "a stop was asked for",
    Resumed: "the run went on",
}


def event_words(event: Event, state: State) -> str:
    """What happened, in a few words. `state` knows the calls."""
    match event:
        case ModelReply(reading="answer"):
            return "the model answered"
        case ModelReply(calls=calls):
            names = words.names_of([call.tool for call in calls])
            return f"the model asked for {names}" if calls else "the model replied"
        case Planned(step=step):
            return f"step {step} of the plan was taken"
        case Decided(call=call, decision=decision):
            return f"{_tool_of(state, call)} {_DECIDED[decision]}"
        case ToolStarted(call=call):
            return f"{_tool_of(state, call)} started"
        case ToolResult(call=call, outcome=outcome):
            return f"{_tool_of(state, call)} {_ENDED[outcome]}"
        case Held(call=call):
            return f"the result of {_tool_of(state, call)} was held"
        case LateResult(call=call):
            return f"a result of {_tool_of(state, call)} came too late"
        case Stopped(status=status):
            return f"the run stopped: {status.value.replace('_', ' ')}"
        case Forked(parent=parent, at=at, title=title):
            return f"forked from {cut_line(title or parent, NAME_ROOM)} at event {amount(at)}"
        case _:
            return _WORDS.get(type(event)) or event.kind.replace("_", " ")


def _tool_of(state: State, call_id: str) -> str:
    record = state.record(call_id)
    return words.name_of(record.call.tool if record is not None else call_id)
