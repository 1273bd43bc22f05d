"""Lines that entries of a timeline are put together from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.core.events import DoneElsewhere, Forked, Held, HeldReply
from workbench.core.ledger import entry_from
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.values import Call
from workbench.view import words
from workbench.view.arguments import arguments_line
from workbench.view.effects import fate_words, logged_words
from workbench.view.entries import Line, Role, Span, flat, lines_of


def effect_lines(event: Forked | DoneElsewhere) -> Iterator[Line]:
    """What other branches did, a line each."""
    items = tuple(map(entry_from, event.effects))
    logged = sum(item.fate == "logged" for item in items)
    for item in items:
        if item.fate == "logged":
            continue
        sign, fate, role = fate_words(item)
        where = f"   in “{flat(item.branch)}”" if item.branch and isinstance(event, DoneElsewhere) else ""
        yield (
            Span(f"{sign} {fate}: ", role),
            Span(flat(f"{item.tool} {item.arguments}".strip()), "quiet"),
            Span(where, "quiet"),
        )
    if logged:
        yield (Span(f"· {logged_words(logged)}", "quiet"),)


def lines_or_none(text: str, role: Role = "") -> tuple[Line, ...]:
    """The lines of a text; none of an empty one."""
    return lines_of(text, role) if text else ()


def as_drawn(text: str) -> str:
    """Data as it is drawn: the newline that ends a file opens no further line."""
    return text.removesuffix("\n")


def tool_of(record: CallRecord | None, call_id: str) -> str:
    """The tool of a call; where nothing is known of it, its id."""
    return flat(record.call.tool if record is not None else call_id)


def door_lines(event: Held | HeldReply, waits: str) -> list[Line]:
    """The lines of what stands at the door, or stood there, with who had changed it by then."""
    lines: list[Line] = [(Span(waits or "was held at the door", "quiet"),)]
    if event.changed_by:
        lines.append((Span(f"≠ changed by {words.changer_words(event.changed_by)}", "changed"),))
    return lines


def struck_line(faults: Sequence[str]) -> Line:
    """Which faults struck, by name."""
    return (Span(f"≠ struck by {' and '.join(f'fault {flat(name)}' for name in faults)}", "changed"),)


def call_lines(state: State, call: Call, asked: frozenset[str]) -> Iterator[Line]:
    """A call, and what stands under it."""
    yield (Span("→ ", "quiet"), Span(flat(call.tool), bold=True), Span(f" {arguments_line(call)}"))
    yield from ((Span(text, role),) for text, role in lines_under(state, call, asked))


def lines_under(state: State, call: Call, asked: frozenset[str]) -> list[tuple[str, Role]]:
    """The lines under a call: what was put right in it, and who decided."""
    lines: list[tuple[str, Role]] = [(f"  {flat(call.note)}", "quiet")] if call.note else []
    record = state.record(call.id)
    if record is None:
        return lines
    decided = words.decision_words(record)
    if decided is not None:
        lines.append((f"  {flat(decided[0])}", decided[1]))
    elif call.id in asked and len(asked) == 1:
        lines.append(("  ▲ waiting for you", "wait"))
    return lines
