"""The agent loop: given where a run is, what happens next. Pure: no I/O, no clock, no await.

    while the run goes on:
        for each call of the latest reply that has no result:
            refuse it, ask a person about it, or run it           (check, act)
        ask a person about a reply that is held                   (believe)
        stop, if there is a reason to                             (a reason, never a guess)
        give the goal, if it has not been given                   (start)
        make what is sent shorter, where it is too long           (carry)
        ask the model, with everything recorded so far            (ask)
        or, where a plan says what comes next, take that step

Every move is computed from the state alone, immediately before it is made, so limits, gate and locks always see the
latest fact. The runner makes the move, records what came of it as an event, and asks again.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core import limits
from workbench.core.carried import NO_POLICY, OVERFLOW, Older, change_due
from workbench.core.door import passed
from workbench.core.events import Decided, Event, Stopped, StopRequested, ToolResult, UserMessage
from workbench.core.gate import FREE, Verdict, judge
from workbench.core.ports import Question
from workbench.core.reading import unbelieved
from workbench.core.records import CallRecord, call_signature
from workbench.core.restating import restatement_due
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.core.swift import swift

# ---------------------------------------------------------------- moves


@swift
@dataclass(frozen=True, slots=True)
class AskModel:
    """Send the transcript to the model; `within` seconds, None for no limit."""

    within: float | None = None
    older: Older | None = None
    """The part of the transcript that a summary is asked for; None for the next reply."""


@dataclass(frozen=True, slots=True)
class TakeStep:
    """Take the step of the plan that is due: no model is asked what comes next."""


@swift
@dataclass(frozen=True, slots=True)
class RunTools:
    """Run these calls, in order or side by side; each within so many seconds of the run's own time."""

    records: tuple[CallRecord, ...]
    within: float | None = None


@dataclass(frozen=True, slots=True)
class AskPerson:
    """Nothing goes on before a person, or who stands in for one, has answered."""

    question: Question


@dataclass(frozen=True, slots=True)
class Record:
    """Everything about this move is known already: only write it down."""

    event: Event


@dataclass(frozen=True, slots=True)
class Finished:
    """The run has stopped."""

    status: Status


Move = AskModel | TakeStep | RunTools | AskPerson | Record | Finished


# ---------------------------------------------------------------- the loop


def next_move(state: State) -> Move:
    """What happens next."""
    if state.status is not Status.RUNNING:
        return Finished(state.status)
    waiting = state.open_calls()
    if waiting:
        if state.stop is not None:
            return Record(_close(state, waiting[0], state.stop.status))
        return _settle(state, waiting) or _act(state, waiting)

    if state.held_reply is not None:
        if state.stop is not None:
            return Record(unbelieved(state, state.held_reply))
        return AskPerson(Question(on="hold", reply=state.held_reply))
    if state.stop is not None:
        return Record(state.stop)
    if not state.started:
        return Record(UserMessage(text=state.header.goal))
    if state.due:
        return Record(state.due[0])
    breach = limits.before_next(state)
    carries = state.asks_model and state.policy is not NO_POLICY
    if carries and (breach is None or breach.status in limits.BY_SIZE):
        change = _carry(state, breach)
        if change is not None:
            return change
    if breach is not None:
        return Record(Stopped(status=breach.status, knob=breach.knob, limit=breach.limit))
    return AskModel(limits.time_left(state)) if state.asks_model else TakeStep()


def _carry(state: State, breach: limits.Breach | None) -> Move | None:
    """What the context policy does before a request, so that it fits and the task is not lost in it."""
    too_long = breach is not None and breach.status is Status.CONTEXT_WINDOW_EXCEEDED
    cause = OVERFLOW if state.carried.overflow == "met" else breach.knob if breach is not None and too_long else ""
    change = change_due(state, cause)
    if isinstance(change, Older):
        # A summary costs, too: what is used up is not spent on one.
        return AskModel(limits.time_left(state), change) if breach is None or too_long else None
    note = restatement_due(state) if change is None and breach is None else change
    return Record(note) if note is not None else None


def standing(move: Move, status: Status) -> Status:
    """The status people see of a run that stands at `move`: a question that nobody has answered is one, too.

    A model that is a person, and has not replied yet, is not seen here: only who asks it knows.
    """
    if isinstance(move, AskPerson):
        return Status.AWAITING_APPROVAL if move.question.on == "approval" else Status.AWAITING_PERSON
    return status


def _settle(state: State, waiting: list[CallRecord]) -> Move | None:
    """What can be said of calls without running them: refused, stored, decided by rule, or a question to a person.

    Every question is put before the first call of the batch runs.
    """
    undecided = []
    for record in waiting:
        if record.interrupted:
            return AskPerson(Question(on="interrupted", calls=(record,)))
        refusal = _refusal(state, record)
        if refusal is not None:
            return Record(refusal)
        if record.decision is None and record.started is None:
            verdict = _verdict(state, record)
            if verdict.decide == "ask":
                undecided.append(record)
            elif verdict.decide != "free":
                return Record(Decided(call=record.call.id, decision=verdict.decide, by="rule", rule=verdict.why))
    return AskPerson(Question(on="approval", calls=tuple(undecided))) if undecided else None


def _act(state: State, waiting: list[CallRecord]) -> Move:
    """Run what may run. Caps and locks are read once more: results before this one may have changed them."""
    record = waiting[0]
    if record.held is not None:
        return AskPerson(Question(on="hold", calls=(record,)))
    if _locked(state, record):
        reason = f"{record.call.tool} is locked: this run has read untrusted text, so it may not act outward."
        return Record(
            Decided(call=record.call.id, decision="deny", by="lock", rule="authority.split", reason=reason),
        )
    breach = limits.before_tool(state, record)
    if breach is not None:
        return Record(
            StopRequested(by="engine", status=breach.status, knob=breach.knob, limit=breach.limit),
        )
    within = limits.time_left(state)
    if state.header.options.execute == "sequential":
        return RunTools((record,), within)
    return RunTools(_together(state, waiting), within)


def _together(state: State, waiting: list[CallRecord]) -> tuple[CallRecord, ...]:
    """The calls that may run side by side. One that the result of another may forbid or answer waits for it."""
    room = None if state.limits.tool_calls is None else state.limits.tool_calls - state.tool_calls
    together: list[CallRecord] = []
    signatures: set[str] = set()
    for record in waiting[:room]:
        signature = call_signature(record)
        if together and (_lockable(state, record) or limits.before_tool(state, record) is not None):
            break
        if signature in signatures or record.held is not None:
            break
        together.append(record)
        signatures.add(signature)
    return tuple(together)


def _verdict(state: State, record: CallRecord) -> Verdict:
    tool = state.tool(record.call.tool)
    if tool is None or not (tool.gated or state.header.rules or state.grants):
        return FREE
    canonical = record.call.canonical
    return judge(
        tool,
        canonical,
        rules=state.header.rules,
        grants=state.grants,
        default=state.approval,
        asked_anew=done_elsewhere(state, tool.name, canonical),
    )


def done_elsewhere(state: State, tool: str, canonical: str) -> str:
    """Why this call may have taken effect already, in words; "" when nothing is known of that."""
    if not state.elsewhere and not state.unsure_keys:
        return ""
    key = state.effect_key(tool, canonical)
    if key in state.elsewhere:
        return "another branch of this run has already done this"
    if key in state.unsure_keys:
        return "nobody knows whether the same call took effect before"
    return ""


def _lockable(state: State, record: CallRecord) -> bool:
    """Whether untrusted text locks this call."""
    if not state.header.split:
        return False
    tool = state.tool(record.call.tool)
    return tool is not None and tool.risk in ("outward", "undeclared")


def _locked(state: State, record: CallRecord) -> bool:
    return state.tainted and _lockable(state, record)


def _refusal(state: State, record: CallRecord) -> ToolResult | None:
    """The result of a call that is not going to run, or None."""
    call, decision = record.call, record.decision
    if call.problem:
        return ToolResult(
            call=call.id, outcome="not_run" if call.problem_kind == "not_run" else "invalid", content=call.problem
        )
    if decision is not None and decision.decision == "deny":
        if record.started is not None:
            return _unknown(record)
        return ToolResult(call=call.id, outcome="denied", content=_denial(decision), retry=False)
    if decision is not None and decision.decision == "answer":
        return ToolResult(call=call.id, outcome="answered", content=decision.answer, source="a person")
    tool = state.tool(call.tool)
    if tool is not None and tool.deduplicates and (record.started is None or record.again):
        stored = state.effects.get(state.effect_key(call.tool, record.arguments))
        if stored is not None:
            return ToolResult(call=call.id, outcome="stored", content=stored, source=tool.source)
    return None


def _denial(decision: Decided) -> str:
    if decision.by == "lock":
        return f"Denied: {decision.reason}"
    who = "a rule of this run" if decision.by == "rule" else "a person"
    why = decision.reason or (decision.rule if decision.by == "rule" else "")
    return f"Denied by {who}: {why}" if why else f"Denied by {who}."


def _unknown(record: CallRecord) -> ToolResult:
    content = (
        f"{record.call.tool} was interrupted after it had started; whether it took effect is unknown. "
        "Check before trying again."
    )
    return ToolResult(call=record.call.id, outcome="unknown", content=content, retry=False)


def _close(state: State, record: CallRecord, status: Status) -> ToolResult:
    """The result of a call that is open while the run stops: a known effect stays known."""
    if record.held is not None:
        return passed(record.held)
    refusal = _refusal(state, record)
    if refusal is not None:
        return refusal
    if record.started is not None:
        return _unknown(record)
    if status is Status.CANCELLED:
        return ToolResult(
            call=record.call.id, outcome="cancelled", content="Not run: a person stopped the run.", retry=False
        )
    return ToolResult(call=record.call.id, outcome="not_run", content=f"Not run: the run stopped first ({status}).")
