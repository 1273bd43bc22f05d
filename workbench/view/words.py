"""The words of the screen for moves, calls and stops. No please, no successfully."""

from __future__ import annotations

import math

from workbench.core.events import Stopped
from workbench.core.loop import AskModel, AskPerson, Finished, Move, Record, RunTools
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.statuses import SENTENCES, Status
from workbench.view.entries import Role

KNOBS: dict[str, str] = {
    "limits.steps": "step cap",
    "limits.model_calls": "cap on model calls",
    "limits.tool_calls": "cap on tool calls",
    "limits.input_tokens": "cap on input tokens",
    "limits.output_tokens": "cap on output tokens",
    "limits.total_tokens": "cap on tokens",
    "limits.context_tokens": "cap on the context",
    "limits.cost": "cost cap",
    "limits.seconds": "time cap",
    "limits.failures": "cap on failures in a row",
    "limits.protocol_errors": "cap on unreadable replies in a row",
    "limits.denials": "cap on denials in a row",
    "limits.repeats.stop": "repeat guard",
    "model.context_window": "context window of the model",
    "goal_check": "goal check",
    "authority.split": "authority split",
}

UNITS: dict[str, str] = {
    "limits.steps": "steps",
    "limits.model_calls": "model calls",
    "limits.tool_calls": "tool calls",
    "limits.input_tokens": "tokens",
    "limits.output_tokens": "tokens",
    "limits.total_tokens": "tokens",
    "limits.context_tokens": "tokens",
    "limits.failures": "failures in a row",
    "limits.protocol_errors": "unreadable replies in a row",
    "limits.denials": "denials in a row",
    "limits.repeats.stop": "times the same call",
}


def amount(value: float, knob: str = "") -> str:
    """A figure as people write it: 1,420 · $0.0125 · 60 s."""
    if math.isnan(value):
        return "unknown"
    if knob == "limits.cost":
        return money(value)
    if knob == "limits.seconds":
        return f"{value:g} s"
    return f"{int(value):,}" if float(value).is_integer() else f"{value:g}"


def money(value: float | None) -> str:
    """USD; small amounts keep the digits that matter."""
    if value is None:
        return "unknown"
    return f"${value:.2f}" if value == 0 or value >= 0.1 else f"${value:.4f}"


def move_words(move: Move, state: State) -> str:
    """The next move in plain words, the same on the NEXT row and on the key that makes it."""
    match move:
        case AskModel():
            return "ask the model, with all of the above"
        case RunTools(records):
            names = [record.call.tool for record in records]
            return f"run {names[0]}" if len(names) == 1 else f"run {', '.join(names)} side by side"
        case AskPerson(question):
            return {"approval": "wait for you", "hold": "pass it on", "interrupted": "ask you what happened"}.get(
                question.on, "wait for you"
            )
        case Record():
            return "record what is known" if state.started else "give the goal to the model"
        case Finished():
            return ""


def short_move(move: Move) -> str:
    """The label of the key that makes the move."""
    match move:
        case AskModel():
            return "ask the model"
        case RunTools(records):
            return f"run {records[0].call.tool}" if len(records) == 1 else f"run {len(records)} tools"
        case AskPerson(question):
            return "pass it on" if question.on == "hold" else "waiting for you"
        case Record():
            return "go on"
        case Finished():
            return "stopped"


def call_word(record: CallRecord, *, waiting: bool = False, running: bool = False) -> tuple[str, str, Role]:
    """Sign, word and colour role of a call's state."""
    if running and record.result is None:
        return "→", "running", "primary"
    match record.phase:
        case "closed":
            return _closed_word(record)
        case "held":
            return "◆", "held", "held"
        case "started":
            return "?", "interrupted", "wait"
        case "decided":
            return _decided_word(record)
        case _:
            return ("▲", "waiting", "wait") if waiting else ("·", "proposed", "quiet")


def _closed_word(record: CallRecord) -> tuple[str, str, Role]:
    result = record.result
    assert result is not None
    if result.changed:
        return "≠", "changed", "changed"
    if result.outcome == "ran":
        edited = record.decision is not None and record.decision.decision == "edit"
        return ("≠", "edited", "changed") if edited else ("✓", "ok", "go")
    closed: dict[str, tuple[str, str, Role]] = {
        "failed": ("✗", "error", "error"),
        "invalid": ("✗", "invalid", "error"),
        "defect": ("✗", "defect", "error"),
        "denied": ("⊘", "denied", "error"),
        "not_run": ("·", "not run", "quiet"),
        "cancelled": ("⊘", "cancelled", "error"),
        "unknown": ("?", "unknown", "wait"),
        "answered": ("≠", "answered", "changed"),
        "stored": ("✓", "stored", "go"),
    }
    return closed[result.outcome]


def _decided_word(record: CallRecord) -> tuple[str, str, Role]:
    decision = record.decision
    assert decision is not None
    decided: dict[str, tuple[str, str, Role]] = {
        "allow": ("✓", "allowed", "go"),
        "deny": ("⊘", "denied", "error"),
        "edit": ("≠", "edited", "changed"),
        "answer": ("≠", "answered", "changed"),
    }
    return decided[decision.decision]


def decision_words(record: CallRecord) -> tuple[str, Role] | None:
    """What stands under a call about who decided, with its colour role; None when nobody had to."""
    decision = record.decision
    if decision is None:
        return None
    who = {
        "person": "by you",
        "rule": f"by a rule: {decision.rule}" if decision.rule else "by a rule",
        "script": "by the scenario's person",
        "lock": "by a lock",
        "engine": "by the workbench",
    }[decision.by]
    match decision.decision:
        case "allow":
            once = ", once" if decision.by == "person" else ""
            return f"✓ allowed {who}{once}", "go"
        case "deny":
            return f"⊘ denied {who}", "error"
        case "edit":
            return f"≠ arguments changed {who}", "changed"
        case _:
            return f"≠ answered {who}, not run", "changed"


def stop_title(state: State) -> str:
    """The first line of a stop card: "Stopped by the step cap: 4 of 4 steps used, no answer"."""
    stop = state.stopped
    if stop is None:
        return ""
    plural = "step" if state.steps == 1 else "steps"
    if stop.status is Status.ANSWERED:
        return f"Answered in {state.steps} {plural}"
    if stop.status is Status.GOAL_REACHED:
        return f"Goal reached in {state.steps} {plural}"
    if stop.limit is not None and stop.knob in KNOBS:
        return f"Stopped by the {KNOBS[stop.knob]}: {_used(state, stop)}, no answer"
    return SENTENCES[stop.status].rstrip(".")


def _used(state: State, stop: Stopped) -> str:
    limit = amount(stop.limit or 0, stop.knob)
    used = used_of(state, stop.knob)
    unit = UNITS.get(stop.knob, "")
    if stop.knob == "limits.repeats.stop":
        return f"the same call {amount(used)} times"
    return f"{amount(used, stop.knob)} of {limit}{f' {unit}' if unit else ''} used"


def used_of(state: State, knob: str) -> float:
    """How much of a cap is used up; NaN when nobody knows."""
    match knob:
        case "limits.context_tokens" | "model.context_window":
            return state.context_tokens
        case "limits.total_tokens":
            return state.input_tokens + state.output_tokens
        case "limits.cost":
            return math.nan if state.cost is None else state.cost
        case "limits.failures":
            return state.failures_in_a_row
        case "limits.denials":
            return state.denials_in_a_row
        case "limits.protocol_errors":
            return state.protocol_errors_in_a_row
        case "limits.repeats.stop":
            return state.repeat
        case _:
            return float(getattr(state, knob.removeprefix("limits.")))


def raised(knob: str, limit: float) -> float:
    """The value that "raise and go on" offers for a cap: doubled, and for steps at most 4 more."""
    if knob == "limits.steps":
        return limit + max(1, min(4, int(limit)))
    return limit * 2


def doing(move: Move) -> str:
    """What is being done while a move is made."""
    match move:
        case AskModel():
            return "asking the model"
        case RunTools(records):
            return f"running {', '.join(record.call.tool for record in records)}"
        case _:
            return "working"
