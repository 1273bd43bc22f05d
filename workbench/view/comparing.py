"""Two runs beside each other, in words: what each came to, where they part first and why, what is set differently."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from workbench.core.alignment import parting
from workbench.core.divergence import Cause, Comparison, Divergence, Side, compare
from workbench.core.events import Forked
from workbench.core.items import Aspect, Item, says, wording
from workbench.core.setup import Setting
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.core.values import ProtocolName
from workbench.models.differences import text_difference
from workbench.models.human import seen_status
from workbench.sessions.journal import Session, fold_session
from workbench.view import words
from workbench.view.entries import Line, Span, line_text
from workbench.view.figures import amount, counted, duration, money, tokens
from workbench.view.item_lines import item_lines, line_of
from workbench.view.lines import cut_line, one_line, pad
from workbench.view.shelf import OUTCOMES
from workbench.view.visible import cells

NAMES = ("A", "B")
SHOWN = 60
"""Characters of a value that are shown inside a sentence."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One of the two runs, with what it came to."""

    side: Side
    state: State
    name: str
    """Its file, without folder and ending."""
    path: Path | None = None
    """The session it is kept in; None for a run that is not kept."""

    @property
    def title(self) -> str:
        return one_line(self.state.title or self.side.header.goal) or self.name

    @property
    def status(self) -> Status:
        return seen_status(self.state)


def compared(session: Session) -> Compared:
    """A session as it was read. Raises SessionError for events that make no run."""
    return Compared(Side(session.header, session.events), fold_session(session), session.path.stem, session.path)


@dataclass(frozen=True)
class Pair:
    """Both runs, compared."""

    a: Compared
    b: Compared

    @cached_property
    def found(self) -> Comparison:
        return compare(self.a.side, self.b.side)

    @property
    def both(self) -> tuple[Compared, Compared]:
        return self.a, self.b


# ---------------------------------------------------------------- counters


@dataclass(frozen=True, slots=True)
class Figure:
    """One counter of a run."""

    label: str
    width: int
    text: Callable[[State], str]


FIGURES = (
    Figure("steps", 6, lambda state: amount(state.total_steps)),
    Figure("calls", 6, lambda state: amount(state.model_calls)),
    Figure("tools", 6, lambda state: amount(state.tool_calls)),
    Figure("errors", 7, lambda state: amount(state.errors)),
    Figure("read", 11, lambda state: tokens(state.input_tokens, estimated=state.estimated)),
    Figure("written", 9, lambda state: tokens(state.output_tokens, estimated=state.estimated)),
    Figure("cost", 8, lambda state: money(state.cost)),
    Figure("time", 8, lambda state: duration(state.total_seconds)),
)
"""Model calls and tool calls are counted apart; tokens that no provider gave wear a "~"."""
LABEL = 30
"""Cells of the name of a setting, at most."""
OUTCOME = 14
"""Cells of the sign and the word of an outcome."""


def counter_lines(pair: Pair) -> list[Line]:
    """The counters of both under each other, 80 cells at most; what differs is marked by its colour."""
    head = f"   {'':<{OUTCOME}}" + "".join(pad(figure.label, figure.width, right=True) for figure in FIGURES)
    lines: list[Line] = [(Span(head, "quiet"),)]
    texts = [[figure.text(run.state) for figure in FIGURES] for run in pair.both]
    for name, run, own, other in zip(NAMES, pair.both, texts, texts[::-1], strict=True):
        sign, word, role = OUTCOMES[run.status]
        line = [Span(f"{name}  ", bold=True), Span(pad(f"{sign} {word}", OUTCOME), role)]
        for figure, mine, theirs in zip(FIGURES, own, other, strict=True):
            line.append(Span(pad(mine, figure.width, right=True), "" if mine == theirs else "changed"))
        lines.append(tuple(line))
    return lines


def setting_lines(settings: Sequence[Setting], most: int, width: int) -> list[Line]:
    """What is set differently, a line each; how many more there are is said."""
    shown = settings if len(settings) <= most else settings[: most - 1]
    left = len(settings) - len(shown)
    names = [cut_line(setting.name, LABEL) for setting in shown]
    label = max(map(cells, names), default=0)
    lines: list[Line] = []
    for setting, name in zip(shown, names, strict=True):
        room = max(8, (width - label - 10) // 2)
        values = f"A {_near(setting.a, setting.b, room)}   B {_near(setting.b, setting.a, room)}"
        lines.append((Span(f"{pad(name, label)}   ", "quiet"), Span(values)))
    return [*lines, (Span(f"… {left:,} more are set differently", "quiet"),)] if left > 0 else lines


def _near(text: str, other: str, room: int) -> str:
    """The text in so many cells, in such a way that the place at which it parts from the other is in them."""
    at = parting(text, other)
    start = max(0, min(at - room // 4, len(text) - room + 1))
    return cut_line(text if at < room // 2 else f"…{text[start:]}", room)


# ---------------------------------------------------------------- where they part


def headline(pair: Pair) -> str:
    """Where they part first and why, as a sentence; or that they go the same way."""
    found = pair.found
    if found.divergence is None:
        return _same_words(pair)
    return f"They part {_place(found.divergence)}. {cause_words(pair)}"


def _same_words(pair: Pair) -> str:
    found, state = pair.found, pair.a.state
    if not found.rows:
        return "Neither has done anything yet"
    way = ", ".join((counted(state.total_steps, "step"), counted(len(state.every_call()), "call")))
    if found.reworded:
        replies = "reply is" if found.reworded == 1 else "replies are"
        way += f"; {amount(found.reworded)} {replies} in other words"
    set_apart = "; what is set differently made no difference" if found.settings else ""
    return f"They go the same way: {way}{set_apart}"


def _place(divergence: Divergence) -> str:
    """ "in step 3", "in step 3 of A and step 5 of B"."""
    there = [item for item in (divergence.a, divergence.b) if item is not None]
    if {item.kind for item in there} == {"stop"}:
        return "at the end"
    if max(item.step for item in there) == 0 and {item.kind for item in there} == {"message"}:
        return "at the beginning"
    # What comes after a step, a stop or a notice, say, stands where the next one would.
    steps = [item.step + (item.kind not in ("reply", "call")) for item in there]
    if len(set(steps)) == 1:
        return f"in step {steps[0]:,}"
    return f"in step {steps[0]:,} of A and step {steps[1]:,} of B"


def cause_words(pair: Pair) -> str:
    """Why they part, beginning with the word for it: "Fault wrong-number, in the result of lookup_population"."""
    divergence = pair.found.divergence
    assert divergence is not None
    call = next((item.call for item in (divergence.a, divergence.b) if item is not None and item.call), None)
    tool = words.name_of(call.tool) if call is not None else ""
    because = ", ".join(map(one_line, divergence.because))
    match divergence.cause:
        case Cause.MESSAGE:
            return "Message: the user says something else"
        case Cause.REPLY:
            return "Reply: the model says something else"
        case Cause.RESULT:
            return f"Result: the same call of {tool} comes to something else"
        case Cause.FAULT:
            return f"Fault {because}, in {_place_of_fault(divergence, tool)}"
        case Cause.SETTING:
            return f"Setting {_with_values(pair, divergence.because)}"
        case Cause.NOTICE:
            return "Notice: the workbench tells the model something else"
        case Cause.DECISION:
            return f"Decision: {_decision_words(divergence, tool)}"
        case Cause.END:
            return f"End: {_end_words(divergence)}"


def _place_of_fault(divergence: Divergence, tool: str) -> str:
    return f"the result of {tool}" if divergence.aspect is Aspect.RESULT else "what the model says"


def _with_values(pair: Pair, names: Sequence[str]) -> str:
    """The settings with both values, where they were set from the beginning: "limits.steps: A 10, B 2"."""
    values = {each.name: each for each in pair.found.settings}
    if len(names) == 1 and (setting := values.get(names[0])):
        return f"{one_line(setting.name)}: A {cut_line(setting.a, SHOWN)}, B {cut_line(setting.b, SHOWN)}"
    return words.names_of([one_line(name) for name in names])


def _decision_words(divergence: Divergence, tool: str) -> str:
    there = [item for item in (divergence.a, divergence.b) if item is not None]
    if divergence.aspect is Aspect.DECISION:
        return f"{tool} was decided about differently"
    if any(item.stop is not None for item in there):
        return "one of them was stopped"
    if divergence.aspect is Aspect.RESULT:
        return f"the result of {tool} was changed"
    return "what the model said was changed"


def _end_words(divergence: Divergence) -> str:
    a, b = divergence.a, divergence.b
    for name, item, other in (("A", a, b), ("B", b, a)):
        if item is None or (item.pending and not (other is not None and other.pending)):
            return f"{name} has gone no further"
    return "they stop differently"


def parting_lines(pair: Pair) -> list[Line]:
    """What each of them does where they part, and where two texts part in them."""
    divergence = pair.found.divergence
    if divergence is None:
        return []
    lines: list[Line] = []
    for name, run, item in zip(NAMES, pair.both, (divergence.a, divergence.b), strict=True):
        does = brief(item, divergence.aspect, run.side.header.protocol)
        lines.append((Span(f"{name}  ", bold=True), Span(does, "" if item is not None else "quiet")))
    one, other = (aspect_text(item, divergence.aspect) for item in (divergence.a, divergence.b))
    if min(len(one), len(other)) > SHOWN and _same_sort(divergence):
        lines.append((Span(f"   {one_line(text_difference(one, other, NAMES))}", "quiet"),))
    return lines


def _same_sort(divergence: Divergence) -> bool:
    return divergence.a is not None and divergence.b is not None and divergence.a.kind == divergence.b.kind


def aspect_text(item: Item | None, aspect: Aspect) -> str:
    """The text in which two items differ."""
    if item is None:
        return ""
    if aspect is Aspect.RESULT:
        return item.result.content if item.result is not None else ""
    return dict(says(item)).get(aspect, "")


def brief(item: Item | None, aspect: Aspect, protocol: ProtocolName) -> str:
    """What an item does in that respect, in one line."""
    if item is None:
        return "nothing more"
    lines = item_lines(item, protocol)
    wanted = lines[: 1 if item.call is not None else None] if aspect is Aspect.WHAT else [lines[line_of(item, aspect)]]
    return f"{lines[0].word}  {'  '.join(line_text(each.line).strip() for each in wanted)}".strip()


# ---------------------------------------------------------------- as plain values


def plain(pair: Pair) -> dict[str, Any]:
    """The comparison for programs."""
    found = pair.found
    divergence = found.divergence
    at = divergence.row if divergence is not None else len(found.rows)
    return {
        "same": divergence is None,
        "summary": headline(pair),
        "a": _run(pair.a),
        "b": _run(pair.b),
        "settings": [{"name": each.name, "a": each.a, "b": each.b} for each in found.settings],
        "reworded": found.reworded,
        "divergence": _plain_divergence(divergence),
        "rows": [
            {
                "a": _plain_item(row.a),
                "b": _plain_item(row.b),
                "differs": row.aspect.value if row.aspect is not None else "only" if row.parts else None,
                "reworded": row.reworded,
                "downstream": index > at,
            }
            for index, row in enumerate(found.rows)
        ],
    }


def _run(run: Compared) -> dict[str, Any]:
    state, header = run.state, run.side.header
    fork = next((event for event in reversed(run.side.events) if isinstance(event, Forked)), None)
    return {
        "name": run.name,
        "session": str(run.path) if run.path is not None else None,
        "title": state.title or header.title,
        "parent": fork.parent if fork is not None else header.parent or None,
        "forked_at": fork.at if fork is not None else header.parent_at or None,
        "events": len(run.side.events),
        "status": run.status.value,
        "answer": state.answer,
        "steps": state.total_steps,
        "model_calls": state.model_calls,
        "tool_calls": state.tool_calls,
        "errors": state.errors,
        "input_tokens": state.input_tokens,
        "output_tokens": state.output_tokens,
        "estimated": state.estimated,
        "cost": _finite(state.cost),
        "seconds": _finite(state.total_seconds),
    }


def _finite(value: float | None) -> float | None:
    """The figure as JSON can have it: what nobody knows is null."""
    return round(value, 9) if value is not None and math.isfinite(value) else None


def _plain_divergence(divergence: Divergence | None) -> dict[str, Any] | None:
    if divergence is None:
        return None
    return {
        "row": divergence.row,
        "cause": divergence.cause.value,
        "because": list(divergence.because),
        "differs": divergence.aspect.value,
        "a": _plain_item(divergence.a),
        "b": _plain_item(divergence.b),
    }


def _plain_item(item: Item | None) -> dict[str, Any] | None:
    if item is None:
        return None
    result = item.result
    call = item.call
    return {
        "kind": item.kind,
        "event": item.n,
        "step": item.step,
        **(
            {"text": dict(says(item))[Aspect.WHAT], "words": wording(item).strip() or None}
            if call is None
            else {
                "tool": call.tool,
                "arguments": call.canonical or call.arguments,
                "decision": item.decision.decision if item.decision is not None else None,
                "outcome": result.outcome if result is not None else None,
                "result": result.content if result is not None else None,
                "result_event": item.result_n or None,
            }
        ),
    }
