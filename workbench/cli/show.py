"""`workbench show`: a saved run as it stands, or stood at some event, in one of several forms."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from workbench.cli.errors import BadInput
from workbench.cli.output import out
from workbench.cli.places import home_of, session_file
from workbench.core.events import Event
from workbench.core.ledger import Executed
from workbench.core.records import RequestMark
from workbench.core.state import State
from workbench.core.values import Header
from workbench.export.records import as_line, records
from workbench.headless import event_line
from workbench.lineage import branches_of
from workbench.sessions.journal import fold_session, read_session
from workbench.view import words
from workbench.view.entries import entry_lines, line_text
from workbench.view.figures import money
from workbench.view.forks import undone_lines
from workbench.view.timeline import Timeline
from workbench.view.visible import visible

LEDGER_WIDTH = 1000
"""Cells of a line of the effect ledger: what stands further right than that nobody reads."""


def show(options: argparse.Namespace) -> int:
    """`workbench show SESSION`."""
    home = home_of(options)
    session = read_session(session_file(options.session, home))
    total = len(session.events)
    at = total if options.at is None else options.at
    if not 0 <= at <= total:
        raise BadInput(f"--at {at}: the session has {total} events")
    if session.torn:
        print(visible(session.torn), file=sys.stderr)
    if options.form == "effects":
        fold_session(session)  # of events that make no run nothing can be told
        others = branches_of(session.header, home, session.path).done()
        for line in ledger(session.header, session.events, 0 if options.at is None else at, others):
            print(line)
        return 0
    events = session.events[:at]
    state = fold_session(replace(session, events=events))
    for line in _FORMS[options.form](state, events):
        out(line)
    return 0


def ledger(header: Header, events: Sequence[Event], after: int, others: Sequence[Executed] = ()) -> list[str]:
    """What a run really did after that event, and what only others of its lineage did, a line each."""
    rows = undone_lines(header, events, after, LEDGER_WIDTH, others)
    return [visible(line_text(row)).rstrip() for row in rows]


def _text(state: State, events: Sequence[Event]) -> list[str]:
    timeline = Timeline(events, state, keys=False)
    lines = [line for index in range(len(timeline)) for line in entry_lines(timeline.entry(index))]
    return [*lines, "", words.stop_title(state) or "The run has not stopped."]


def _json(state: State, events: Sequence[Event]) -> list[str]:  # noqa: ARG001 - every form gets both
    return [event_line(n, event) for n, event in enumerate(events, 1)]


def _requests(state: State, events: Sequence[Event]) -> list[str]:  # noqa: ARG001
    """Every request as it was sent: instructions, then the messages."""
    lines = ["system", visible(state.system), ""] if state.system else []
    for number, mark in enumerate(state.requests, 1):
        what = "request" if mark.purpose == "step" else "request for a summary"
        lines.append(f"{what} {number}: {len(mark.sent)} messages, {mark.chars:,} characters, {_tokens(mark)} tokens")
        for message in mark.sent:
            lines.append(f"  {message.role:<10}{visible(message.text)}".replace("\n", f"\n{' ' * 12}"))
            lines += [f"{' ' * 12}→ {visible(call.tool)} {visible(call.arguments)}" for call in message.calls]
        lines.append("")
    return lines


def _cost(state: State, events: Sequence[Event]) -> list[str]:  # noqa: ARG001
    lines = [f"{'request':<9}{'input':>10}{'output':>10}{'input so far':>15}"]
    total = 0
    for number, mark in enumerate(state.requests, 1):
        total += mark.tokens
        lines.append(f"{number:<9}{_tokens(mark):>10}{mark.output:>10,}{total:>15,}")
    return [*lines, f"cost {money(state.cost)}, {state.total_seconds:.2f} s of work"]


def _tokens(mark: RequestMark) -> str:
    return f"{'~' if mark.estimated else ''}{mark.tokens:,}"


def _records(state: State, events: Sequence[Event]) -> list[str]:
    """One line a step, as `run --records` writes them."""
    return [as_line(record).removesuffix("\n") for record in records(state.header.id, events)]


_FORMS = {"text": _text, "json": _json, "requests": _requests, "cost": _cost, "records": _records}
