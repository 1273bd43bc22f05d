"""The side column and the strip as lines of spans: budget, tool calls, the selected call."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.health import health
from workbench.core.loop import AskPerson, next_move
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.values import LIMIT_NAMES
from workbench.view import figures, words
from workbench.view.entries import Line, Role, Span
from workbench.view.timeline import duration
from workbench.view.visible import visible, visible_blanks

SPARKS = "▁▂▃▄▅▆▇█"
FIGURES = 13
"""Cells of the right-aligned figures."""
LABELS = 10


@dataclass(frozen=True, slots=True)
class Gauge:
    """One meter: how much of a cap is used."""

    name: str
    label: str
    used: float
    cap: float | None

    @property
    def share(self) -> float:
        return min(1.0, self.used / self.cap) if self.cap else 0.0

    @property
    def full(self) -> bool:
        return self.cap is not None and self.used >= self.cap


GAUGE_LABELS = {
    "steps": "steps",
    "model_calls": "calls",
    "tool_calls": "tool runs",
    "input_tokens": "input",
    "output_tokens": "output",
    "total_tokens": "tokens",
    "context_tokens": "context",
    "cost": "cost",
    "seconds": "time",
    "failures": "failures",
    "protocol_errors": "unread",
    "denials": "denials",
    "repeats": "repeats",
}


def gauges(state: State) -> list[Gauge]:
    """A gauge for every limit of a run, on or off, in the order of the format."""
    found = []
    for name in LIMIT_NAMES:
        cap = getattr(state.limits, name)
        knob = "limits.repeats.stop" if name == "repeats" else f"limits.{name}"
        value = cap.stop if name == "repeats" and cap is not None else cap
        found.append(Gauge(name, GAUGE_LABELS[name], words.used_of(state, knob), value))
    return found


def heading(title: str, width: int, right: str = "", key: str = "") -> Line:
    """A title with a rule to its right, and a quiet word or a key at the end of it."""
    tail = len(right) + 1 + (len(key) + 1 if key else 0) if right else 0
    rule = "─" * max(0, width - len(title) - 1 - tail)
    line = [Span(f"{title} ", "quiet", bold=True), Span(rule, "rule")]
    if key:
        line.append(Span(f" {key}", "primary", bold=True))
    if right:
        line.append(Span(f" {right}", "quiet"))
    return tuple(line)


def meter(share: float, cells: int, role: Role = "primary") -> list[Span]:
    full = max(1, min(cells, round(share * cells))) if share else 0
    return [Span("━" * full, role), Span("─" * (cells - full), "rule")]


def tokens(value: int, *, estimated: bool) -> str:
    return f"{'~' if estimated else ''}{value:,}"


def budget(state: State, width: int) -> list[Line]:
    """Every meter that is on, the context by category, and what a run has read, cost and taken."""
    cells = width - LABELS - FIGURES
    lines = [heading("Budget", width, "limits", "l")]
    lines.append(_steps(state, cells))
    lines.extend(_context(state, cells, width))
    lines.extend(_input(state, width))
    others = ("model_calls", "tool_calls", "output_tokens", "total_tokens")
    lines.extend(_gauge(gauge, cells) for gauge in gauges(state) if gauge.cap is not None and gauge.name in others)
    lines.append(_calls(state, width))
    lines.append(_figure(state, "cost", figures.money(state.cost), width))
    lines.append(_figure(state, "seconds", clock(state.seconds), width))
    lines.append(health_line(state, width))
    return lines


def _steps(state: State, cells: int) -> Line:
    cap = state.limits.steps
    if cap is None:
        return (Span(f"{'steps':<{LABELS}}", "quiet"), Span(f"{f'{state.steps}, no cap':>{cells + FIGURES}}"))
    role: Role = "error" if state.steps >= cap else "primary"
    figure = f"{state.steps} of {cap}"
    return (Span(f"{'steps':<{LABELS}}", "quiet"), *meter(state.steps / cap, cells, role), Span(f"{figure:>{FIGURES}}"))


def _gauge(gauge: Gauge, cells: int) -> Line:
    figure = f"{figures.amount(gauge.used)} of {figures.amount(gauge.cap or 0)}"
    role: Role = "error" if gauge.full else "primary"
    return (
        Span(f"{gauge.label:<{LABELS}}", "quiet"),
        *meter(gauge.share, cells, role),
        Span(f"{figure:>{FIGURES}}"),
    )


def _context(state: State, cells: int, width: int) -> list[Line]:
    context = state.context
    parts: tuple[tuple[int, Role], ...] = (
        (context.system, "quiet"),
        (context.user, "user"),
        (context.model, "model"),
        (context.results, "result"),
        (context.notices, "notice"),
    )
    window = state.limits.context_tokens or state.header.context_window
    figure = f"~{context.total:,}" if window is None else f"~{context.total:,} of {short_number(window)}"
    scale = window or max(context.total, 1)
    drawn: list[Span] = []
    used = 0
    for amount, role in parts:
        size = min(cells - used, max(1, round(amount / scale * cells))) if amount else 0
        drawn.append(Span("━" * size, role))
        used += size
    drawn.append(Span("─" * (cells - used), "rule"))
    first = (Span(f"{'context':<{LABELS}}", "quiet"), *drawn, Span(f"{figure:>{FIGURES}}"))
    names = ("tools" if state.protocol.native_tools else "system", "user", "model", "results", "notes")
    shown = [(f"{name} {amount:,}", role) for (amount, role), name in zip(parts, names, strict=True) if amount]
    text = sum(len(label) for label, _ in shown) + 2 * (len(shown) - 1)
    second = [Span(" " * max(0, min(LABELS, width - text)))]
    for index, (label, role) in enumerate(shown):
        second.append(Span(f"{'  ' if index else ''}{label}", role))
    return [first, tuple(second)]


def _input(state: State, width: int) -> list[Line]:
    requests = state.requests
    latest = [requests[i].tokens for i in range(max(0, len(requests) - 12), len(requests))]
    cap = state.limits.input_tokens
    figure = f"{tokens(state.input_tokens, estimated=state.estimated)} " + (f"of {cap:,}" if cap else "so far")
    spark = sparkline(latest)
    room = width - LABELS - len(spark)
    lines: list[Line] = [(Span(f"{'input':<{LABELS}}", "quiet"), Span(spark, "primary"), Span(f"{figure:>{room}}"))]
    if latest and state.stopped is None:
        again = f"the next call reads ~{state.context_tokens:,} again"
        lines.append((Span(f"{'':<{LABELS}}{again}"[:width], "quiet"),))
    return lines


def _calls(state: State, width: int) -> Line:
    figure = f"{state.model_calls} model, {state.tool_calls} tool"
    return (Span(f"{'calls':<{LABELS}}", "quiet"), Span(f"{figure:>{width - LABELS}}"))


def _figure(state: State, name: str, figure: str, width: int) -> Line:
    cap = getattr(state.limits, name)
    shown = figure if cap is None else f"{figure} of {figures.amount(cap, f'limits.{name}')}"
    role: Role = "error" if cap is not None and words.used_of(state, f"limits.{name}") >= cap else ""
    return (Span(f"{GAUGE_LABELS[name]:<{LABELS}}", "quiet"), Span(f"{shown:>{width - LABELS}}", role))


def health_line(state: State, width: int) -> Line:
    now = health(state)
    sign = Span(f"◐ {now.word}", "wait") if now.circling else Span(f"● {now.word}", "go")
    because = cut(f"  {now.because}", width - LABELS - len(sign.text)) if now.because else ""
    return (Span(f"{'health':<{LABELS}}", "quiet"), sign, Span(because))


def strip(state: State, width: int) -> Line:
    """The meters on one line, for narrow screens; the cost goes first when it does not fit."""
    cap = state.limits.steps
    figure = f" {state.steps} of {cap}" if cap is not None else f" {state.steps}"
    bar = meter(state.steps / cap, 8) if cap is not None else []
    window = state.limits.context_tokens or state.header.context_window
    context = f"~{state.context_tokens:,}" + (f" of {short_number(window)}" if window else "")
    now = health(state)
    sign = Span(f"◐ {now.word}", "wait") if now.circling else Span(f"● {now.word}", "go")
    read = tokens(state.input_tokens, estimated=state.estimated)
    head = [Span("steps ", "quiet"), *bar, Span(figure), Span("   context ", "quiet"), Span(context)]
    head += [Span("   read ", "quiet"), Span(read)]
    cost = [Span("   cost ", "quiet"), Span(figures.money(state.cost))]
    used = sum(len(span.text) for span in head) + 3 + len(sign.text)
    if used + sum(len(span.text) for span in cost) <= width:
        head += cost
    return (*head, Span("   "), sign)


def calls(
    state: State, width: int, *, selected: str = "", running: bool = False, rows: int | None = None
) -> tuple[list[Line], list[str]]:
    """The tool calls, newest last, and the ids of those on the lines after the heading.

    When there are more than `rows`, those around the selected one.
    """
    records = state.every_call()
    lines = [heading("Tool calls", width, str(len(records)))]
    if not records:
        return [*lines, (Span("none yet", "quiet"),)], []
    first, last = _window(records, selected, rows)
    waiting = waiting_ids(state)
    for record in records[first:last]:
        word = words.call_word(
            record, waiting=record.call.id in waiting, running=running and record.started is not None
        )
        lines.append(_call_line(record, width, word, picked=record.call.id == selected))
    hidden = len(records) - (last - first)
    if hidden:
        lines.append((Span(f"  {hidden:,} more", "quiet"),))
    return lines, [record.call.id for record in records[first:last]]


def _window(records: Sequence[CallRecord], selected: str, rows: int | None) -> tuple[int, int]:
    if rows is None or len(records) <= rows:
        return 0, len(records)
    at = next((i for i, record in enumerate(records) if record.call.id == selected), len(records) - 1)
    first = max(0, min(at - rows // 2, len(records) - rows))
    return first, first + rows


def _call_line(record: CallRecord, width: int, word: tuple[str, str, Role], *, picked: bool) -> Line:
    sign, name, role = word
    state = f"{sign} {name}"
    number = record.call.id.removeprefix("c")
    room = width - 4 - 16 - 11
    return (
        Span("▸ " if picked else "  ", "primary"),
        Span(f"{number:<2}", "quiet"),
        Span(f"{cut(visible(record.call.tool), 15):<16}", bold=True),
        Span(f"{cut(brief(record), room - 1):<{room}}", "quiet"),
        Span(f"{state:>11}", role),
    )


def waiting_ids(state: State) -> frozenset[str]:
    """The calls that a person is being asked about."""
    move = next_move(state)
    return frozenset(r.call.id for r in move.question.calls) if isinstance(move, AskPerson) else frozenset()


def brief(record: CallRecord) -> str:
    """The argument values of a call, without their names: "A-1042, 6.25"."""
    text = arguments_shown(record)
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return visible(text.replace("\n", " "))
    if not isinstance(values, dict):
        return visible(text)
    parts = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values.values()]
    return visible(", ".join(parts).replace("\n", "↵"))


def call_detail(state: State, record: CallRecord, width: int) -> list[Line]:
    """One call in full: arguments, what kind of tool it is, what came of it."""
    lines = [heading(f"Call {record.call.id.removeprefix('c')}", width, cut(visible(record.call.tool), width - 12))]
    lines.extend(json_lines(arguments_shown(record), width))
    lines.append(())
    tool = state.tool(record.call.tool)
    if tool is None:
        lines.append((Span("there is no such tool", "error"),))
    else:
        gate = "asks first" if tool.gated and state.approval == "ask" else "does not ask"
        parts = [tool.risk if tool.risk != "undeclared" else "risk not declared", tool.source, tool.trust, gate]
        lines.append((Span(" · ".join(part for part in parts if part), "quiet"),))
    decided = words.decision_words(record)
    if decided is not None:
        lines.append((Span(decided[0], decided[1]),))
    if record.decision is not None and record.decision.decision == "edit":
        lines.append((Span(f"the model wrote {visible(record.call.arguments.strip())}", "quiet"),))
    lines.append((Span(_outcome(record), "quiet"),))
    return lines


def _outcome(record: CallRecord) -> str:
    result = record.result
    if result is None:
        return "held at the door" if record.held is not None else "started" if record.started is not None else "not run"
    size = result.full_chars or len(result.content)
    word = {"ran": "ok", "failed": "failed"}.get(result.outcome, result.outcome.replace("_", " "))
    text = f"{word} in {duration(result.took)}" if result.outcome in ("ran", "failed") else word
    text += f" · {size:,} characters"
    if record.repeat > 1:
        text += f" · same call {record.repeat} times"
    return text


_JSON_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"(?=\s*:)|"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[^"\d-]+|.')


def json_spans(text: str) -> Line:
    """JSON on one line with strings and numbers in their roles; runs of blanks are made visible."""
    line = []
    for piece in _JSON_PIECE.findall(text):
        first = piece[0]
        role: Role = "result" if first == '"' else "changed" if first.isdigit() or first == "-" else ""
        line.append(Span(visible_blanks(piece) if role == "result" else piece, role))
    return tuple(line)


def arguments_shown(record: CallRecord) -> str:
    """The arguments of a call as the model wrote them, or as they were edited."""
    edited = record.decision is not None and record.decision.decision == "edit"
    return record.arguments if edited else record.call.arguments.strip()


def json_lines(text: str, width: int = 0) -> list[Line]:
    """Arguments on one line where they fit in `width`, else a key a line; text that is no JSON is shown as it is."""
    try:
        value = json.loads(text) if text.strip() else {}
        shown = json.dumps(value, ensure_ascii=False)
        if len(shown) > width:
            shown = json.dumps(value, indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        shown = text
    return [json_spans(visible(line)) for line in shown.split("\n")]


def sparkline(values: Sequence[int]) -> str:
    top = max(values, default=0)
    return "".join(SPARKS[min(7, value * 8 // (top + 1))] for value in values) if top else ""


def short_number(value: int) -> str:
    """8k · 128k · 1M · 950."""
    if value >= 1_000_000:
        return f"{value / 1_000_000:.0f}M"
    return f"{value / 1000:.0f}k" if value >= 1000 else str(value)


def clock(seconds: float) -> str:
    """0:04 · 1:02:03, whole seconds."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


def cut(text: str, room: int) -> str:
    """At most `room` characters; what is cut ends in an ellipsis."""
    return text if len(text) <= room else text[: max(0, room - 1)] + "…"


def request_lines(state: State, width: int, title: str, *, rows: int) -> list[Line]:
    """What the next request carries, a message a line, the latest last."""
    lines = [heading(title, width, "all", "w")]
    offered = len(state.header.tools) if state.protocol.native_tools else 0
    if state.context.system:
        what = f"{offered} in ~{state.context.system:,} tokens" if offered else f"~{state.context.system:,} tokens"
        lines.append((Span(f"{'tools' if offered else 'system':<{LABELS}}", "quiet"), Span(what)))
    lines.append(())
    count = len(state.messages)
    first = max(0, count - max(1, rows - len(lines) - 1))
    if first:
        lines.append((Span(f"{first:,} earlier messages", "quiet"),))
    for message in state.messages[first:]:
        text = message.text or ", ".join(f"→ {call.tool}" for call in message.calls)
        shown = cut(visible(text).replace("\n", "↵"), width - LABELS)
        lines.append((Span(f"{message.role:<{LABELS}}", "quiet"), Span(shown)))
    return lines
