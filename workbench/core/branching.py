"""What a fork takes along from the run it comes from, and what it leaves there; what one branch is told of others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from workbench.core import following
from workbench.core.carried import goes_on
from workbench.core.events import DoneElsewhere, Forked
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
    _tell(state, event.effects)
    goes_on(state)
    if state.status not in SUCCESSES:
        state.status, state.stopped, state.failure = Status.RUNNING, None, ""
    if state.stop is not None and state.stop.status not in SUCCESSES:
        state.stop = None
    if state.stop is None and state.stopped is None:
        following.go_on(state)
    for record in state.open_calls():
        if record.held is None:
            _void(state, record)


def done_elsewhere(state: State, event: DoneElsewhere) -> None:
    """Who allowed such a call, or what rule, did not know of that: it is decided about anew."""
    keys = _tell(state, event.effects)
    for record in state.open_calls():
        decision = record.decision
        if decision is None or decision.decision not in ("allow", "edit") or record.held is not None:
            continue
        if (record.started is None or record.again) and state.effect_key(record.call.tool, record.arguments) in keys:
            state.script_decisions -= decision.by == "script"
            record.decision, record.again = None, False


def _tell(state: State, effects: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Note what cannot simply be done again; returns the keys of that."""
    told = [entry for entry in map(entry_from, effects) if entry.outcome == "unknown" or entry.fate != "undone"]
    state.unsure_keys |= {entry.key for entry in told if entry.outcome == "unknown"}
    state.elsewhere = {**state.elsewhere, **{entry.key: entry for entry in told if entry.outcome == "ran"}}
    return frozenset(entry.key for entry in told)


def _void(state: State, record: CallRecord) -> None:
    """The call stands as the model proposed it. What came of its start in the other branch is in the ledger."""
    if record.decision is not None and record.decision.by == "script":
        state.script_decisions -= 1
    if record.started is not None:
        state.tool_calls -= 1
    record.decision = record.started = None
    record.again = False
