"""The meters of a run as lines of spans: the budget in the side column, and the strip of narrow screens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.health import Health, health
from workbench.core.state import State
from workbench.core.values import LIMIT_NAMES
from workbench.view import words
from workbench.view.breaking import armed_lines
from workbench.view.entries import Line, Role, Span
from workbench.view.figures import UNKNOWN, amount, clock, money, short_number, tokens
from workbench.view.lines import clip, cut, cut_line, heading, line_cells, pad
from workbench.view.visible import cells

SPARKS = "▁▂▃▄▅▆▇█"
SPARKED = 12
"""Requests whose sizes are drawn."""
LABELS = 10
"""Cells of the labels."""
ARMED = 3
"""Armed faults that are shown."""
FIGURES = 13
"""Cells of the right-aligned figures beside a meter, at least."""


@dataclass(frozen=True, slots=True)
class Gauge:
    """One meter: how much of a cap is used."""

    name: str
    label: str
    used: float
    """NaN when nobody knows."""
    cap: float | None

    @property
    def share(self) -> float:
        """From 0 to 1; 0 where there is no cap, or nobody knows."""
        return share_of(self.used, self.cap)

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
ALWAYS = ("steps", "input_tokens", "context_tokens", "cost", "seconds")
"""Limits that are part of a line that is always there; any other has a line of its own while it is on."""


def gauges(state: State) -> list[Gauge]:
    """A gauge for every limit of a run, on or off, in the order of the format."""
    found = []
    for name in LIMIT_NAMES:
        cap = getattr(state.limits, name)
        value = cap.stop if name == "repeats" and cap is not None else cap
        found.append(Gauge(name, GAUGE_LABELS[name], words.used_of(state, f"limits.{name}"), value))
    return found


def share_of(used: float, cap: float | None) -> float:
    """How much of a cap is used, from 0 to 1."""
    if cap is None or not used > 0:
        return 0.0
    if used >= cap:
        return 1.0
    try:
        return used / cap
    except OverflowError:  # a whole number that no float comes near
        return 0.0


# ---------------------------------------------------------------- pieces


def meter(share: float, cells: int, role: Role = "primary") -> list[Span]:
    """A bar of that many cells; anything above 0 fills at least one of them."""
    full = max(1, min(cells, round(share * cells))) if share and cells > 0 else 0
    return [Span("━" * full, role), Span("─" * (cells - full), "rule")]


def _labelled(label: str, right: str, width: int, middle: Sequence[Span] = (), role: Role = "") -> Line:
    """A label, something drawn, and what stands at the right edge."""
    room = width - LABELS - line_cells(tuple(middle))
    return (Span(pad(label, LABELS), "quiet"), *middle, Span(pad(right, room, right=True), role))


def _metered(label: str, share: float, figure: str, width: int) -> Line:
    role: Role = "error" if share >= 1 else "primary"
    room = _meter_room(figure, width)
    return _labelled(label, figure, width, meter(share, room, role) if room else ())


def _meter_room(figure: str, width: int) -> int:
    """Cells for a meter beside that figure; 0 where there is hardly any."""
    room = width - LABELS - max(FIGURES, cells(figure) + 1)
    return room if room >= 4 else 0


# ---------------------------------------------------------------- budget


def budget(state: State, width: int) -> list[Line]:
    """Every meter that is on, the context by category, and what a run has read, cost and taken."""
    lines = [heading("Budget", width, "limits", "l"), _steps(state, width)]
    lines += _context(state, width)
    lines += _input(state, width)
    for gauge in gauges(state):
        if gauge.cap is not None and gauge.name not in ALWAYS:
            figure = f"{amount(gauge.used)} of {amount(gauge.cap)}"
            lines.append(_metered(gauge.label, gauge.share, figure, width))
    lines.append(_labelled("calls", f"{amount(state.model_calls)} model, {amount(state.tool_calls)} tool", width))
    lines.append(_capped(state, "cost", money(state.cost), width))
    lines.append(_capped(state, "seconds", clock(state.seconds), width))
    lines.append(health_line(state, width))
    return lines + _broken_on_purpose(state, width)


def _broken_on_purpose(state: State, width: int) -> list[Line]:
    """What is armed and what is held, where anything is."""
    lines = [
        (Span(pad("" if row else "armed", LABELS), "quiet"), *line)
        for row, line in enumerate(armed_lines(state, width - LABELS, ARMED))
    ]
    if state.hold is not None:
        held = cut_line(state.hold.text, width - LABELS - 2)
        lines.append((Span(pad("holding", LABELS), "quiet"), Span(f"◆ {held}", "held")))
    return lines


def _steps(state: State, width: int) -> Line:
    cap = state.limits.steps
    if cap is None:
        return _labelled("steps", f"{amount(state.steps)}, no cap", width)
    return _metered("steps", share_of(state.steps, cap), f"{amount(state.steps)} of {amount(cap)}", width)


def _window(state: State) -> int | None:
    return state.limits.context_tokens or state.model.context_window


def _context_figure(state: State, unit: str = "") -> str:
    """Our own estimate, always: what the next request is going to carry."""
    window = _window(state)
    figure = tokens(state.context_tokens, estimated=True)
    return f"{figure}{unit}" if window is None else f"{figure} of {short_number(window)}"


def _context(state: State, width: int) -> list[Line]:
    context = state.context
    parts: tuple[tuple[str, int, Role], ...] = (
        ("tools" if state.protocol.native_tools else "system", context.system, "quiet"),
        ("user", context.user, "user"),
        ("model", context.model, "model"),
        ("results", context.results, "result"),
        ("notes", context.notices, "notice"),
    )
    figure = _context_figure(state, " tokens")
    window = _window(state)
    if window is None:  # nothing that it could fill
        return [_labelled("context", figure, width), *_categories(parts, width)]
    room = _meter_room(figure, width)
    scale = max(window, context.total, 1)
    drawn: list[Span] = []
    so_far = filled = 0
    for _, size, role in parts:
        so_far += size
        upto = min(room, max(round(so_far / scale * room), filled + 1)) if size else filled
        drawn.append(Span("━" * (upto - filled), role))
        filled = upto
    drawn.append(Span("─" * (room - filled), "rule"))
    return [_labelled("context", figure, width, drawn), *_categories(parts, width)]


def _categories(parts: Sequence[tuple[str, int, Role]], width: int) -> list[Line]:
    """What the context is spent on, under it, in as many rows as it takes."""
    rows: list[list[Span]] = []
    for name, size, role in parts:
        if not size:
            continue
        label = f"{name} {amount(size)}"
        if rows and line_cells(tuple(rows[-1])) + 2 + cells(label) <= width:
            rows[-1].append(Span(f"  {label}", role))
        else:
            rows.append([Span(label, role)])
    widest = max((line_cells(tuple(row)) for row in rows), default=0)
    indent = Span(" " * max(0, min(LABELS, width - widest)))
    return [clip((indent, *row), width) for row in rows]


def _input(state: State, width: int) -> list[Line]:
    requests = state.requests
    latest = [requests[i].tokens for i in range(max(0, len(requests) - SPARKED), len(requests))]
    cap = state.limits.input_tokens
    figure = f"{tokens(state.input_tokens, estimated=state.estimated)} {f'of {amount(cap)}' if cap else 'so far'}"
    room = width - LABELS - cells(figure) - 1
    spark = sparkline(latest[-room:]) if room > 0 else ""
    role: Role = "error" if cap is not None and state.input_tokens >= cap else ""
    lines: list[Line] = [_labelled("input", figure, width, (Span(spark, "primary"),), role)]
    if latest and state.stopped is None and state.asks_model:
        again = f"the next call reads {tokens(state.context_tokens, estimated=True)} again"
        lines.append((Span(cut(f"{'':<{LABELS}}{again}", width), "quiet"),))
    return lines


def _capped(state: State, name: str, figure: str, width: int) -> Line:
    cap = getattr(state.limits, name)
    if cap is None:
        return _labelled(GAUGE_LABELS[name], figure, width, role="wait" if figure == UNKNOWN else "")
    share = share_of(words.used_of(state, f"limits.{name}"), cap)
    return _metered(GAUGE_LABELS[name], share, f"{figure} of {amount(cap, f'limits.{name}')}", width)


def sparkline(values: Sequence[int]) -> str:
    """One sign a value, against the largest of them."""
    top = max(values, default=0)
    return "".join(SPARKS[max(0, min(7, value * 8 // (top + 1)))] for value in values) if top > 0 else ""


# ---------------------------------------------------------------- health and strip


def health_line(state: State, width: int) -> Line:
    """Steady or circling, and the counters behind the word."""
    now = health(state)
    because = _because(now)
    line: Line = (Span(f"{'health':<{LABELS}}", "quiet"), _health_sign(now))
    return clip((*line, Span(f"  {because}")) if because else line, width)


def _health_sign(now: Health) -> Span:
    return Span(f"◐ {now.word}", "wait") if now.circling else Span(f"● {now.word}", "go")


def _because(now: Health) -> str:
    """The counter behind the word, and the other one where it tells of circling, too."""
    if now.same_call >= 2 and now.since_success:
        return f"{now.because}, {now.since_success} in a row without success"
    return now.because


def strip(state: State, width: int) -> Line:
    """The meters on one line, for narrow screens; when not all fits, the cost goes first and the health never."""
    now = health(state)
    armed = sum(not item.spent(state.total_steps) for item in state.faults)
    cap = state.limits.steps
    steps = f"{amount(state.steps)} of {amount(cap)}" if cap is not None else amount(state.steps)
    parts: dict[str, list[Span]] = {
        "steps": [Span("steps ", "quiet")],
        "meter": [*meter(share_of(state.steps, cap), 8), Span(" ")] if cap is not None else [],
        "figure": [Span(steps)],
        "context": [Span("   context ", "quiet"), Span(_context_figure(state))],
        "read": [Span("   read ", "quiet"), Span(tokens(state.input_tokens, estimated=state.estimated))],
        "cost": [Span("   cost ", "quiet"), Span(money(state.cost), "" if state.cost is not None else "wait")],
        "health": [Span("   "), _health_sign(now)],
        "because": [Span(f"  {now.because}")] if now.circling else [],
        "armed": [Span(f"   ≠ {amount(armed)} armed", "changed")] if armed else [],
        "hold": [Span("   ◆ holding", "held")] if state.hold is not None else [],
    }
    line: Line = ()
    for dropped in ("", "cost", "meter", "read", "context", "steps"):
        parts.pop(dropped, None)
        line = tuple(span for spans in parts.values() for span in spans)
        if line_cells(line) <= width:
            break
    return clip(line, width)
