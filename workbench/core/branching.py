"""What a fork takes along from the run it comes from, and what it leaves there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.events import Forked
from workbench.core.ledger import entry_from
from workbench.core.records import CallRecord
from workbench.core.statuses import SUCCESSES, Status

if TYPE_CHECKING:
    from workbench.core.state import State


def forked(state: State, event: Forked) -> None:
    """Facts come along; what was decided and has not happened yet does not.

    Grants are gone, open calls are decided about anew, and a run that was to stop, or had stopped, goes on: whatever
    stopped it is judged again. Only one that had come to its end stays there.
    """
    state.grants = ()
    for entry in map(entry_from, event.effects):
        if entry.outcome == "unknown":
            state.unsure_keys |= {entry.key}
        elif entry.fate != "undone":
            state.forked_keys = {**state.forked_keys, entry.key: entry.result}
    if state.status not in SUCCESSES:
        state.status, state.stopped, state.failure = Status.RUNNING, None, ""
    if state.stop is not None and state.stop.status not in SUCCESSES:
        state.stop = None
    for record in state.open_calls():
        if record.held is None:
            _void(state, record)


def _void(state: State, record: CallRecord) -> None:
    """The call stands as the model proposed it. What came of its start in the other branch is in the ledger."""
    if record.decision is not None and record.decision.by == "script":
        state.script_decisions -= 1
    if record.started is not None:
        state.tool_calls -= 1
    record.decision = record.started = None
    record.again = False
