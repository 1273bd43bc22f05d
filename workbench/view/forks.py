"""What is said before a fork is made: from where, with what, and what going back does not undo."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.events import Event
from workbench.core.ledger import Executed, elsewhere, executed, since
from workbench.core.state import State
from workbench.core.values import Header
from workbench.models.rewriting import what_it_is
from workbench.view.effects import effect_lines, effects_title, elsewhere_title, to_be_heeded
from workbench.view.entries import Line, Role, Span
from workbench.view.figures import amount
from workbench.view.lines import wrap
from workbench.view.past import event_words


def fork_title(events: Sequence[Event], at: int, state: State, *, changed: bool) -> Line:
    """Where a fork begins. `state` knows the calls."""
    what = event_words(events[at - 1], state) if at else "before the first event"
    with_ = f", with another {what_it_is(events[at - 1])}" if changed else ""
    return (
        Span(f"◀ Fork at event {amount(at)} of {amount(len(events))}{with_}", "past", bold=True),
        Span(f"   {what}", "quiet"),
    )


def undone_lines(
    header: Header, events: Sequence[Event], at: int, width: int, others: Sequence[Executed] = ()
) -> list[Line]:
    """What the run really did after event `at`, what cannot be undone first; then what only other branches did.

    `others` is all that these have done, as far as their sessions tell.
    """
    known = executed(header, events)
    items = [item for item in since(known, at) if not item.branch]
    role: Role = "wait" if to_be_heeded(items) else "quiet"
    lines = [*wrap((Span(effects_title(items, at), role),), width), *_under(header, items, width)]
    if more := [*(item for item in known if item.branch), *elsewhere(known, others)]:
        lines += [*wrap((Span(elsewhere_title(more), "wait"),), width), *_under(header, more, width)]
    return lines


def _under(header: Header, items: Sequence[Executed], width: int) -> list[Line]:
    return [(Span("  "), *line) for line in effect_lines(header, items, width - 2)]


def acted(header: Header, events: Sequence[Event], at: int) -> bool:
    """Whether the run did something after event `at` that is more than reading."""
    return any(item.fate != "logged" for item in executed(header, events, at))
