"""The bar: the one place for what wants the person now. Approval, hold, an interrupted call, a stop, the past."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from workbench.core.events import (
    NO_ERROR,
    Decided,
    Event,
    Held,
    ModelFailed,
    ModelReply,
    Notice,
    SettingsChanged,
    Stopped,
    StopRequested,
    ToolResult,
    ToolStarted,
    UserMessage,
)
from workbench.core.gate import matches
from workbench.core.loop import AskPerson, Move
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.statuses import SUCCESSES, Status
from workbench.view import words
from workbench.view.entries import Line, Role, Span
from workbench.view.panes import cut, json_lines, json_spans
from workbench.view.visible import visible, visible_blanks

BarKind = Literal["approval", "batch", "hold", "interrupted", "stop", "answered", "past"]
Preview = Callable[[str, str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What the bar shows: a title, a quiet word beside it, and lines. `whole` is False where something was cut."""

    kind: BarKind
    role: Role
    title: Line
    body: tuple[Line, ...] = ()
    calls: tuple[str, ...] = ()
    """The calls it is about; the first is decided now."""
    whole: bool = True


def bar_for(
    state: State,
    move: Move,
    *,
    width: int,
    rows: int,
    preview: Preview,
    chosen: str = "",
    saved_as: str = "",
    last_error: str = "",
) -> Bar | None:
    """The bar for a run that stands at `move`; None when nothing wants the person."""
    if isinstance(move, AskPerson):
        question = move.question
        if question.on == "approval":
            return _approval(state, question.calls, width, rows, preview, chosen)
        if question.on == "hold":
            return _hold(question.calls[0], width, rows)
        if question.on == "interrupted":
            return _interrupted(question.calls[0], width)
        return None
    if state.stopped is not None:
        return _stop(state, width, saved_as, last_error)
    return None


# ---------------------------------------------------------------- approval


def _approval(state: State, calls: tuple[CallRecord, ...], width: int, rows: int, preview: Preview, chosen: str) -> Bar:
    ids = [record.call.id for record in calls]
    at = ids.index(chosen) if chosen in ids else 0
    record = calls[at]
    order = (ids[at], *ids[:at], *ids[at + 1 :])
    if len(calls) > 1:
        return _batch(state, calls, at, order, width, preview)
    name = visible(record.call.tool)
    where = f"   call {record.call.id.removeprefix('c')} · {_step_words(state)}"
    title = (Span("▲ The model wants to run ", "wait"), Span(name, "wait", bold=True), Span(where, "quiet"))
    shown, whole = argument_lines(record, width - 2, rows)
    body = [*shown, *consequences(state, record, preview, width - 2)]
    return Bar(kind="approval", role="wait", title=title, body=tuple(body), calls=order, whole=whole)


def _batch(
    state: State, calls: tuple[CallRecord, ...], at: int, order: tuple[str, ...], width: int, preview: Preview
) -> Bar:
    title = (
        Span(f"▲ The model wants to run {len(calls)} tools: one decision each", "wait"),
        Span(f"   {_step_words(state)}", "quiet"),
    )
    longest = min(24, max(len(record.call.tool) for record in calls))
    body: list[Line] = []
    whole = True
    for index, record in enumerate(calls):
        picked = index == at
        room = width - 6 - longest
        arguments = one_line_arguments(record)
        if picked and len(arguments) > room:
            whole = False
        body.append(
            (
                Span("▸ " if picked else "  ", "primary"),
                Span(f"{record.call.id.removeprefix('c'):<2}", "quiet" if not picked else "primary"),
                Span(f"{cut(visible(record.call.tool), longest):<{longest}}  ", bold=True),
                *json_spans(cut(arguments, room)),
            )
        )
        if picked:
            body.extend((Span("    "), *line) for line in consequences(state, record, preview, width - 4, brief=True))
    return Bar(kind="batch", role="wait", title=title, body=tuple(body), calls=order, whole=whole)


def one_line_arguments(record: CallRecord) -> str:
    """The arguments as the model wrote them, on one line, with control characters and runs of blanks visible."""
    return visible_blanks(visible(record.call.arguments.strip().replace("\n", "↵")))


def argument_lines(record: CallRecord, width: int, rows: int) -> tuple[list[Line], bool]:
    """All arguments where they fit, else as many lines as fit and how much is left out."""
    one = one_line_arguments(record)
    if len(one) <= width:
        return [json_spans(one)], True
    wrapped: list[Line] = []
    for line in json_lines(record.call.arguments):
        wrapped.extend(wrap(line, width))
    if len(wrapped) <= rows:
        return wrapped, True
    kept = max(1, rows - 1)
    hidden = len(wrapped) - kept
    more = f"… {hidden:,} more line{'s' if hidden != 1 else ''}, v shows all"
    return [*wrapped[:kept], (Span(more, "quiet"),)], False


def consequences(state: State, record: CallRecord, preview: Preview, width: int, *, brief: bool = False) -> list[Line]:
    tool = state.tool(record.call.tool)
    lines: list[Line] = []
    sentence = visible(preview(record.call.tool, record.arguments))
    if sentence:
        lines.extend(wrap((Span(sentence, "quiet" if brief else ""),), width))
    if tool is not None and tool.consequence:
        lines.extend(wrap((Span(tool.consequence, "quiet"),), width))
    if not brief:
        lines.extend(wrap((Span(_why_asked(state, record), "quiet"),), width))
    return lines


def _why_asked(state: State, record: CallRecord) -> str:
    name, tool = visible(record.call.tool), state.tool(record.call.tool)
    if tool is None:
        return ""
    if state.effect_key(tool.name, record.arguments) in state.forked_keys:
        return "Asked because the run this one was forked from has already done this."
    arguments = _arguments(record)
    for rule in state.header.rules:
        if rule.decide == "ask" and matches(rule, tool.name, arguments):
            return f"Asked because of a rule of this run about {name}."
    return {
        "write": f"Asked because {name} writes.",
        "outward": f"Asked because {name} reaches outside.",
        "undeclared": f"Asked because {name} does not say what it does.",
    }.get(tool.risk, "")


def _arguments(record: CallRecord) -> dict[str, object]:
    value = json.loads(record.arguments) if record.arguments else {}
    return value if isinstance(value, dict) else {}


def _step_words(state: State) -> str:
    cap = state.limits.steps
    return f"step {state.steps} of {cap}" if cap is not None else f"step {state.steps}"


# ---------------------------------------------------------------- the others


def _hold(record: CallRecord, width: int, rows: int) -> Bar:
    held = record.held
    assert held is not None
    title = (
        Span("◆ Held at the door: the model has not read this result", "held"),
        Span(f"   {visible(record.call.tool)} · call {record.call.id.removeprefix('c')}", "quiet"),
    )
    lines: list[Line] = []
    for text in visible(held.content).split("\n"):
        lines.extend(wrap((Span(text),), width - 2))
    whole = len(lines) <= rows
    if not whole:
        lines = [*lines[: rows - 1], (Span(f"… {len(lines) - rows + 1:,} more lines, v shows all", "quiet"),)]
    return Bar(kind="hold", role="held", title=title, body=tuple(lines), calls=(record.call.id,), whole=whole)


def _interrupted(record: CallRecord, width: int) -> Bar:
    name = visible(record.call.tool)
    title = (
        Span(f"▲ {name} had started when the run was interrupted", "wait"),
        Span(f"   call {record.call.id.removeprefix('c')}", "quiet"),
    )
    body = [
        json_spans(cut(one_line_arguments(record), width - 2)),
        (Span("Nobody knows whether it took effect. Nothing runs again by itself."),),
        (Span("Tell the model that it is unknown, answer for the tool, or run it again.", "quiet"),),
    ]
    return Bar(kind="interrupted", role="wait", title=title, body=tuple(body), calls=(record.call.id,))


def _stop(state: State, width: int, saved_as: str, last_error: str) -> Bar:
    stop = state.stopped
    assert stop is not None
    good = stop.status in SUCCESSES
    cancelled = stop.status is Status.CANCELLED
    sign = "✓" if good else "■"
    role: Role = "go" if good else "error"
    counts = (
        f"{state.model_calls} model call{_s(state.model_calls)}, {state.tool_calls} tool call{_s(state.tool_calls)}"
    )
    if state.errors:
        counts += f", {state.errors} error{_s(state.errors)}"
    title = (Span(f"{sign} {words.stop_title(state)}", role), Span(f"   {stop.status.value} · {counts}", "quiet"))
    body: list[Line] = []
    if state.answer:
        for text in visible(state.answer).split("\n")[:6]:
            body.extend(wrap((Span(text),), width - 2))
    detail = (stop.detail or last_error) if not good else ""
    if detail:
        body.extend(wrap((Span(visible(detail.strip().split("\n")[-1])),), width - 2))
    saved = f"Saved as {saved_as}." if saved_as else ""
    going = "" if good or cancelled else " Going on keeps everything above."
    if saved or going:
        body.append((Span(f"{saved}{going}".strip(), "quiet"),))
    return Bar(kind="answered" if good else "stop", role=role, title=title, body=tuple(body[-8:]))


def past_bar(events: Sequence[Event], state: State, width: int) -> Bar:
    """The bar of somebody who looks back: which event, and a strip with one sign an event."""
    total, at = len(events), state.n
    what = event_words(events[at - 1], state) if at else "before the first event"
    title = (
        Span(f"◀ You are looking at event {at} of {total}: {what}", "past"),
        Span(f"   the run waits at event {total}", "quiet"),
    )
    return Bar(kind="past", role="past", title=title, body=(event_strip(events, at, width - 2),))


def event_strip(events: Sequence[Event], at: int, width: int) -> Line:
    """One sign an event, the one looked at reversed; ticks at the steps only when there are more events than cells."""
    total = len(events)
    if total == 0:
        return ()
    gap = min(4, width // total)
    if gap < 1:
        here = min(width - 1, (at - 1) * width // total) if at else 0
        return (Span("━" * here, "past"), Span("◆", "past", bold=True), Span("─" * (width - here - 1), "rule"))
    line: list[Span] = []
    step = 0
    for number, event in enumerate(events, 1):
        if isinstance(event, ModelReply):
            step += 1
        sign = event_sign(event, step)[:gap] if gap > 1 else event_sign(event, step)[-1]
        role: Role = "past" if number <= at else "quiet"
        line.append(Span(sign, "here" if number == at else role, bold=number == at))
        if number < total and gap > len(sign):
            line.append(Span("─" * (gap - len(sign)), "past" if number < at else "rule"))
    return tuple(line)


def event_sign(event: Event, step: int) -> str:
    """U user, a number for a model turn, → started, = result, ✗ error, ▲ decided, ⊘ denied, ◆ held, · the rest."""
    match event:
        case UserMessage():
            return "U"
        case ModelReply():
            return str(step)
        case ModelFailed():
            return "✗"
        case ToolStarted():
            return "→"
        case ToolResult(outcome="denied"):
            return "⊘"
        case ToolResult(outcome=outcome):
            return "=" if outcome in NO_ERROR else "✗"
        case Decided():
            return "▲"
        case Held():
            return "◆"
        case Stopped():
            return "■"
        case _:
            return "·"


def event_words(event: Event, state: State) -> str:
    """What happened, in a few words."""
    match event:
        case UserMessage():
            return "the user spoke"
        case ModelReply(reading="answer"):
            return "the model answered"
        case ModelReply(calls=calls) if calls:
            return f"the model asked for {', '.join(visible(call.tool) for call in calls[:3])}"
        case ModelReply():
            return "the model replied"
        case ModelFailed():
            return "the request failed"
        case Decided(call=call, decision=decision):
            done = {"allow": "was allowed", "deny": "was denied", "edit": "was changed", "answer": "was answered for"}
            return f"{_tool_of(state, call)} {done[decision]}"
        case ToolStarted(call=call):
            return f"{_tool_of(state, call)} started"
        case ToolResult(call=call, outcome=outcome):
            done = {"ran": "returned", "failed": "failed", "denied": "was denied", "invalid": "was not valid"}
            return f"{_tool_of(state, call)} {done.get(outcome, outcome.replace('_', ' '))}"
        case Held(call=call):
            return f"the result of {_tool_of(state, call)} was held"
        case Notice():
            return "a note to the model"
        case SettingsChanged():
            return "a setting changed"
        case StopRequested():
            return "a stop was asked for"
        case Stopped(status=status):
            return f"the run stopped: {status.value.replace('_', ' ')}"
        case _:
            return event.kind.replace("_", " ")


def _tool_of(state: State, call_id: str) -> str:
    record = state.record(call_id)
    return visible(record.call.tool) if record is not None else call_id


def wrap(line: Line, width: int) -> list[Line]:
    """A line of spans cut into rows of at most `width` characters, at blanks where there are any."""
    width = max(4, width)
    text = "".join(span.text for span in line)
    if len(text) <= width:
        return [line]
    cuts, at = [0], 0
    while len(text) - at > width:
        blank = text.rfind(" ", at + 1, at + width + 1)
        at = blank + 1 if blank > at else at + width
        cuts.append(at)
    cuts.append(len(text))
    return [_slice(line, first, last) for first, last in pairwise(cuts)]


def fitted(line: Line, width: int) -> Line:
    """A title without its quiet end where both do not fit."""
    while len(line) > 1 and line[-1].role == "quiet" and sum(len(span.text) for span in line) > width:
        line = line[:-1]
    return line


def _slice(line: Line, first: int, last: int) -> Line:
    out, at = [], 0
    for span in line:
        begin, end = max(first - at, 0), min(last - at, len(span.text))
        if begin < end:
            out.append(Span(span.text[begin:end], span.role, span.bold))
        at += len(span.text)
    return tuple(out)


def _s(count: int) -> str:
    return "" if count == 1 else "s"
