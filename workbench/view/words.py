"""The words of the screen for moves, calls and stops. No please, no successfully."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from workbench.core.carried import Older
from workbench.core.events import ContextChanged, Stopped, ToolResult
from workbench.core.loop import AskModel, AskPerson, Finished, Move, Record, RunTools, TakeStep
from workbench.core.ports import FAILURE_STATUS
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.statuses import SENTENCES, Status
from workbench.core.values import LIMIT_NAMES
from workbench.view import context_words
from workbench.view.entries import Role
from workbench.view.figures import amount, is_unknown
from workbench.view.lines import NAME_ROOM, cut_line, one_line
from workbench.view.steps import step_words

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

CRASHED = "loop"
"""The knob of a stop where the loop itself let an exception through, as loops of the museum do."""

UNITS: dict[str, str] = {
    "limits.steps": "steps",
    "limits.model_calls": "model calls",
    "limits.tool_calls": "tool calls",
    "limits.input_tokens": "tokens",
    "limits.output_tokens": "tokens",
    "limits.total_tokens": "tokens",
    "limits.context_tokens": "tokens",
    "model.context_window": "tokens",
    "limits.failures": "failures in a row",
    "limits.protocol_errors": "unreadable replies in a row",
    "limits.denials": "denials in a row",
    "limits.repeats.stop": "times the same call",
}


FAILURES: dict[str, str] = {
    "timeout": "The model did not reply in time",
    "unavailable": "The model is not available",
    "rate_limited": "The model's service is limiting the rate",
    "malformed_body": "The model's service sent a body that cannot be read",
    "cut_stream": "The reply broke off",
    "auth": "The model's service does not accept the key",
    "quota": "The account of the model's service has no credit left",
    "bad_request": "The model's service rejected the request",
    "context_overflow": "The request does not fit the model's context",
    "script_exhausted": "The script ran out",
    "script_error": "The script cannot go on",
    "not_recorded": "The recording has no reply to this request",
    "no_summary": "The model gave no summary",
    "deadline": "The time of the run was used up",
}

ADVICE: dict[str, str] = {
    "timeout": "model.timeout and model.idle_timeout say how long it may take, model.retries how often it is tried.",
    "unavailable": "model.base_url says where it is asked, model.retries how often it is tried.",
    "rate_limited": "model.retries says how often it is tried.",
    "malformed_body": "model.retries says how often it is tried; model.base_url may lead to something else.",
    "cut_stream": "model.retries says how often it is tried.",
    "bad_request": "What was sent is shown as what it sees.",
    "context_overflow": "context.policy says what is taken out when a request grows so long.",
}
"""What can be done about the failure of a model over a network, where what the server said does not tell."""

NUMBERS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

SCRIPTED_PERSON = "the scenario's person"


def name_of(tool: str) -> str:
    """The name of a tool inside a sentence; a long one is cut."""
    return cut_line(tool, NAME_ROOM)


def names_of(tools: Sequence[str], most: int = 3) -> str:
    """Names of tools in a list: a, b, c and 4 more."""
    shown = ", ".join(map(name_of, tools[:most]))
    return f"{shown} and {len(tools) - most} more" if len(tools) > most else shown


# ---------------------------------------------------------------- moves


def move_words(move: Move, state: State) -> str:
    """The next move in plain words, the same on the NEXT row and on the key that makes it."""
    match move:
        case AskModel() if state.next_reply is not None:
            return "ask the model: it says what you put in place"
        case AskModel(older=Older()):
            who = "you sum" if state.model.use == "human" else "ask the model to sum"
            return f"{who} up the older part, which is then left out"
        case AskModel() if state.model.use == "human":
            return "you reply, to all of the above"
        case AskModel():
            if state.plan is not None:
                return "ask the model, with what it was told"
            whole = state.sent is state.messages
            return f"ask the model, with {'all' if whole else 'what is left'} of the above"
        case TakeStep():
            return step_words(state)
        case RunTools(records):
            names = names_of([record.call.tool for record in records])
            return f"run {names}" if len(records) == 1 else f"run {names} side by side"
        case AskPerson(question):
            names = names_of([record.call.tool for record in question.calls])
            return {
                "approval": f"ask you about {names}",
                "hold": "pass it on" if question.calls else "let the reply in",
                "interrupted": "ask you what happened",
            }.get(question.on, "wait for you")
        case Record(ContextChanged(policy=policy)):
            return context_words.WILL[policy]
        case Record():
            return "record what is known" if state.started else "give the goal to the model"
        case Finished():
            return ""


def short_move(move: Move) -> str:
    """The label of the key that makes the move."""
    match move:
        case AskModel(older=Older()):
            return "ask for a summary"
        case AskModel():
            return "ask the model"
        case TakeStep():
            return "take the step"
        case RunTools(records):
            return f"run {name_of(records[0].call.tool)}" if len(records) == 1 else f"run {len(records)} tools"
        case AskPerson(question):
            if question.on != "hold":
                return "waiting for you"
            return "pass it on" if question.calls else "let it in"
        case Record():
            return "go on"
        case Finished():
            return "stopped"


def doing(move: Move) -> str:
    """What is being done while a move is made."""
    match move:
        case AskModel(older=Older()):
            return "asking for a summary"
        case AskModel():
            return "asking the model"
        case RunTools(records):
            return f"running {names_of([record.call.tool for record in records])}"
        case _:
            return "working"


# ---------------------------------------------------------------- calls


def call_word(record: CallRecord, *, waiting: bool = False, running: bool = False) -> tuple[str, str, Role]:
    """Sign, word and colour role of a call's state."""
    match record.phase:
        case "closed":
            return _closed_word(record)
        case "held":
            return "◆", "held", "held"
        case "started":
            return ("→", "running", "primary") if running else ("?", "interrupted", "wait")
        case "decided":
            return _decided_word(record)
        case _:
            return ("▲", "waiting", "wait") if waiting else ("·", "proposed", "quiet")


CLOSED: dict[str, tuple[str, str, Role]] = {
    "ran": ("✓", "ok", "go"),
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

DECIDED: dict[str, tuple[str, str, Role]] = {
    "allow": ("✓", "allowed", "go"),
    "deny": ("⊘", "denied", "error"),
    "edit": ("≠", "edited", "changed"),
    "answer": ("≠", "answered", "changed"),
}


def _closed_word(record: CallRecord) -> tuple[str, str, Role]:
    result = record.result
    assert result is not None
    if result.changed:
        return "≠", "faulted" if result.changed_by.startswith("fault ") else "changed", "changed"
    return DECIDED["edit"] if record.edited and result.outcome == "ran" else CLOSED[result.outcome]


def _decided_word(record: CallRecord) -> tuple[str, str, Role]:
    decision = record.decision
    assert decision is not None
    return DECIDED[decision.decision]


def decision_words(record: CallRecord) -> tuple[str, Role] | None:
    """What stands under a call about who decided, with its colour role; None when nobody had to."""
    decision = record.decision
    if decision is None:
        return None
    rule = f": {one_line(decision.rule)}" if decision.rule else ""
    who = {"person": "you", "rule": f"a rule{rule}", "script": SCRIPTED_PERSON, "lock": "a lock"}.get(
        decision.by, "the workbench"
    )
    match decision.decision:
        case "allow" if record.edited:
            return f"≠ {who} {_edited(record)}, and let it run again", "changed"
        case "allow":
            return f"✓ allowed by {who}{', once' if decision.by == 'person' else ''}", "go"
        case "deny" if record.started is not None:
            return f"? left unknown by {who}", "wait"
        case "deny":
            return f"⊘ denied by {who}", "error"
        case "edit":
            return f"≠ {who} {_edited(record)}", "changed"
        case _:
            return f"≠ answered by {who}{', not run' if record.started is None else ''}", "changed"


def _edited(record: CallRecord) -> str:
    """What was changed in the arguments: changed amount to 6.25, took note out."""
    try:
        old, new = json.loads(record.call.canonical), json.loads(record.arguments)
        changed = [name for name in new if name not in old or new[name] != old[name]]
        parts = [f"{name} to {json.dumps(new[name], ensure_ascii=False)}" for name in changed]
        gone = ", ".join(name for name in old if name not in new)
    except (ValueError, TypeError, RecursionError):
        return "changed the arguments"
    words = [f"changed {', '.join(parts)}"] if parts else []
    words += [f"took {gone} out"] if gone else []
    return one_line(" and ".join(words)) or "changed nothing"


def waiting_words(count: int) -> list[str]:
    """What stands under several calls that wait at the same time."""
    return [f"  ▲ {NUMBERS[count] if count < len(NUMBERS) else count} calls wait for you"] if count > 1 else []


def instead_words(event: ToolResult, record: CallRecord | None) -> str:
    """What a result is that no run of the tool gave."""
    started = record is not None and record.started is not None
    match event.outcome:
        case "stored":
            return "stored, not run again"
        case "answered":
            scripted = record is not None and record.decision is not None and record.decision.by == "script"
            return f"answered by {SCRIPTED_PERSON if scripted else 'you'}{'' if started else ', not run'}"
        case "unknown":
            return "nobody knows whether it took effect"
        case "cancelled" if started:
            return "cancelled while it ran"
        case _:
            return "not run"


def changer_words(by: str) -> str:
    """Who changed a result or a reply: you, the scenario's person, fault wrong-number."""
    names = {"person": "you", "script": SCRIPTED_PERSON}
    return " and ".join(one_line(names.get(part, part)) for part in by.split(", "))


# ---------------------------------------------------------------- stops


def stop_title(state: State) -> str:
    """The first line of a stop card: "Stopped by the step cap: 4 of 4 steps used, no answer"."""
    stop = state.stopped
    if stop is None:
        return ""
    steps = f"{amount(state.steps)} step{'' if state.steps == 1 else 's'}"
    if stop.status is Status.ANSWERED:
        return f"Answered in {steps}"
    if stop.status is Status.GOAL_REACHED:
        return f"Goal reached in {steps}"
    if stop.knob == CRASHED:
        return "The loop crashed, no answer"
    if state.failure in FAILURES and stop.status is FAILURE_STATUS.get(state.failure) and stop.limit is None:
        return f"{FAILURES[state.failure]}, no answer"
    if stop.limit is not None and stop.knob in KNOBS:
        return f"Stopped by the {KNOBS[stop.knob]}: {_used(state, stop)}, no answer"
    return SENTENCES[stop.status].rstrip(".")


def _used(state: State, stop: Stopped) -> str:
    limit = amount(stop.limit or 0, stop.knob)
    used = used_of(state, stop.knob)
    if is_unknown(used):
        return f"nobody knows how much of {limit} is used"
    if stop.knob == "limits.repeats.stop":
        return f"the same call {amount(used)} times"
    unit = UNITS.get(stop.knob, "")
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
        case "limits.repeats" | "limits.repeats.stop":
            return state.repeat
    name = knob.removeprefix("limits.")
    used: float = getattr(state, name) if name in LIMIT_NAMES else math.nan
    return used


def raised(knob: str, limit: float) -> float:
    """The value that "raise and go on" offers for a cap: doubled, and for steps at most 4 more."""
    if knob == "limits.steps":
        return limit + max(1, min(4, int(limit)))
    return limit * 2
