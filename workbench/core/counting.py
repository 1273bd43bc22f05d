"""What a result counts as: for the caps on failures, denials and repeats, and for effects that are done once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.events import ToolResult
from workbench.core.ledger import NOTHING_DONE
from workbench.core.notices import nudge
from workbench.core.records import CallRecord, call_signature
from workbench.core.values import ToolInfo

if TYPE_CHECKING:
    from workbench.core.state import State


def count_outcome(state: State, event: ToolResult) -> None:
    """Failures, denials and steps without a success, in a row."""
    if not event.is_error:
        state.failures_in_a_row = state.denials_in_a_row = state.steps_since_success = 0
        return
    if event.outcome in ("failed", "invalid", "defect", "unknown"):
        state.errors += 1
        state.failures_in_a_row += 1
    elif event.outcome == "denied":
        state.denials_in_a_row += 1
    state.steps_since_success += 1


def remember_effect(state: State, record: CallRecord, event: ToolResult, tool: ToolInfo | None) -> None:
    """A held result tells what the tool did, whatever a person then made of it."""
    started, told = record.started, record.held or event
    if tool is None or started is None or not started.key or tool.idempotent:
        return
    outcome = told.original_outcome or told.outcome
    if outcome == "ran" and tool.deduplicates:
        state.effects.add(started.key, told.original if told.changed_by else told.content)
    elif outcome not in ("ran", *NOTHING_DONE) or told.outcome == "unknown":
        # A fault that looks like a call given up is taken for one: what really came of it nobody would know.
        state.unsure_keys |= {started.key}


def count_repeat(state: State, record: CallRecord, event: ToolResult, tool: ToolInfo | None) -> None:
    """Polling tools are exempt; so are calls that never ran for reasons outside the model."""
    if (tool is not None and tool.polling) or event.outcome in ("cancelled", "not_run", "denied"):
        state.repeat = 0
        return
    guard = state.limits.repeats
    signature = call_signature(record)
    result = event.content if guard is None or guard.match == "call+result" else None
    times, most = 1, state.most_repeats
    while not state.seen.add((signature, result, times), None) and times <= most:
        times += 1
    record.repeat = state.repeat = times
    if guard is not None and guard.nudge is not None and times == guard.nudge and state.planned is None:
        state.due = (*state.due, nudge(record.call.tool, times))
