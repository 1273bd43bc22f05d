"""The side column as lines of spans: tool calls, the picked call, and the request that comes next."""

from __future__ import annotations

from workbench.core.loop import AskPerson, Move, next_move
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.view import words
from workbench.view.arguments import argument_rows, arguments_shown, brief
from workbench.view.entries import Line, Role, Span
from workbench.view.figures import amount, duration, tokens
from workbench.view.lines import clip, cut, cut_line, heading, one_line, pad, within, wrap
from workbench.view.visible import cells

LABELS = 10
"""Cells of the labels."""
NAMES = 15
"""Cells of a tool's name in the list of calls."""
DETAIL_ROWS = 12
"""Rows of arguments under a picked call."""


# ---------------------------------------------------------------- calls


def calls(
    state: State,
    width: int,
    *,
    selected: str = "",
    running: bool = False,
    rows: int | None = None,
    move: Move | None = None,
) -> tuple[list[Line], list[str]]:
    """The tool calls, newest last, and the ids of those on the lines after the heading.

    When there are more than `rows`, those around the picked one. `move` is the next one, where it is known already.
    """
    count = call_count(state)
    lines = [heading("Tool calls", width, amount(count))]
    if not count:
        return [*lines, (Span("none yet", "quiet"),)], []
    first, last = _around(count, _position(state, selected), rows)
    records = [call_at(state, index) for index in range(first, last)]
    waiting = waiting_ids(next_move(state) if move is None else move)
    numbers = max(cells(number_of(record)) for record in records) + 1
    for record in records:
        word = words.call_word(record, waiting=record.call.id in waiting, running=running)
        lines.append(_call_line(record, width, word, max(2, numbers), picked=record.call.id == selected))
    if count > last - first:
        lines.append((Span(cut(f"  {amount(count - (last - first))} more", width), "quiet"),))
    return lines, [record.call.id for record in records]


def call_count(state: State) -> int:
    """How many calls there were so far."""
    return len(state.calls) + len(state.batch)


def call_at(state: State, index: int) -> CallRecord:
    """The call at that place, from 0."""
    closed = len(state.calls)
    return state.calls[index] if index < closed else state.batch[index - closed]


def number_of(record: CallRecord) -> str:
    """The number of a call, as it stands in lists and titles."""
    return record.call.id.removeprefix("c")


def waiting_ids(move: Move) -> frozenset[str]:
    """The calls that a person is being asked about."""
    return frozenset(r.call.id for r in move.question.calls) if isinstance(move, AskPerson) else frozenset()


def _position(state: State, call_id: str) -> int:
    """Where the call of that id stands; the last place when it is nowhere."""
    for index, record in enumerate(state.batch):
        if record.call.id == call_id:
            return len(state.calls) + index
    number = int(call_id[1:]) if call_id[1:].isdecimal() and len(call_id) < 20 else 0
    return number - 1 if 0 < number <= call_count(state) else call_count(state) - 1


def _around(count: int, at: int, rows: int | None) -> tuple[int, int]:
    if rows is None or count <= rows:
        return 0, count
    first = max(0, min(at - rows // 2, count - rows))
    return first, first + rows


def _call_line(record: CallRecord, width: int, word: tuple[str, str, Role], numbers: int, *, picked: bool) -> Line:
    sign, name, role = word
    state = f"{sign} {name}"
    room = width - 2 - numbers - NAMES - max(11, cells(state))
    line = (
        Span("▸ " if picked else "  ", "primary"),
        Span(pad(number_of(record), numbers), "quiet"),
        Span(pad(cut_line(record.call.tool, NAMES - 1), NAMES), bold=True),
        Span(pad(brief(record, room - 1), room) if room > 1 else " ", "quiet"),
        Span(pad(state, 11, right=True) if cells(state) < 11 else state, role),
    )
    return clip(line, width)


def call_detail(state: State, record: CallRecord, width: int, rows: int = DETAIL_ROWS) -> list[Line]:
    """One call in full: arguments in at most `rows` rows, what kind of tool it is, what came of it."""
    name = record.call.tool
    lines = [heading(f"Call {number_of(record)}", width, cut_line(name, width))]
    lines += argument_rows(arguments_shown(record), width, rows)[0]
    lines.append(())
    lines += within([_nature(state, record)], width, 3)[0]
    decided = words.decision_words(record)
    if decided is not None:
        lines += within([(Span(*decided),)], width, 3)[0]
    if record.edited:
        wrote = one_line(record.call.arguments.strip())
        who = "the model" if state.plan is None else "the plan"
        lines += within([(Span(f"{who} wrote {wrote}", "quiet"),)], width, 3)[0]
    lines += wrap((Span(_outcome(record), "quiet"),), width)
    return lines


def _nature(state: State, record: CallRecord) -> Line:
    tool = state.tool(record.call.tool)
    if tool is None:
        return (Span("there is no such tool", "error"),)
    if record.decision is not None:
        gate = "asked first" if record.decision.by in ("person", "script") else "did not ask"
    else:
        gate = "asks first" if tool.gated and state.approval == "ask" else "does not ask"
    risk = tool.risk if tool.risk != "undeclared" else "risk not declared"
    trust = "not trusted" if tool.trust == "untrusted" else tool.trust
    return (Span(" · ".join(part for part in (risk, one_line(tool.source), trust, gate) if part), "quiet"),)


def _outcome(record: CallRecord) -> str:
    result = record.result
    if result is None:
        return "held at the door" if record.held is not None else "started" if record.started is not None else "not run"
    word = {"ran": "ok"}.get(result.outcome, result.outcome.replace("_", " "))
    text = f"{word} in {duration(result.took)}" if result.took and result.outcome in ("ran", "failed") else word
    text += f" · {amount(len(result.content))} characters"
    if result.full_chars > len(result.content):
        text += f" of {amount(result.full_chars)}"
    if record.repeat > 1:
        text += f" · same call {record.repeat} times"
    return text


# ---------------------------------------------------------------- the next request


def request_lines(state: State, width: int, title: str, *, rows: int) -> list[Line]:
    """What the next request carries, a message a line, the latest last."""
    lines = [heading(title, width, "all", "w")]
    offered = len(state.header.tools) if state.protocol.native_tools else 0
    if state.context.system:
        size = f"{tokens(state.context.system, estimated=True)} tokens"
        what = f"{offered} in {size}" if offered else size
        lines.append((Span(pad("tools" if offered else "system", LABELS), "quiet"), Span(cut(what, width - LABELS))))
    lines.append(())
    count = len(state.sent)
    first = max(0, count - max(1, rows - len(lines) - 1))
    if first:
        lines.append((Span(cut(f"{amount(first)} earlier messages", width), "quiet"),))
    for message in state.sent[first:]:
        text = message.text or ", ".join(f"→ {call.tool}" for call in message.calls)
        shown = cut_line(text, width - LABELS)
        lines.append((Span(pad(message.role, LABELS), "quiet"), Span(shown)))
    return lines
