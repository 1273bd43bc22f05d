"""How each event changes a state: one function an event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from workbench.core import following
from workbench.core.branching import done_elsewhere, forked
from workbench.core.carried import context_changed, goes_on, overflowed, summary_failed
from workbench.core.counting import count_outcome, count_repeat, remember_effect
from workbench.core.ending import answered, end
from workbench.core.events import (
    ContextChanged,
    Decided,
    DoneElsewhere,
    Event,
    Forked,
    Held,
    HeldReply,
    LateResult,
    ModelFailed,
    ModelReply,
    Notice,
    Planned,
    Remark,
    Resumed,
    SettingsChanged,
    Stopped,
    StopRequested,
    ToolResult,
    ToolStarted,
    UserMessage,
)
from workbench.core.notices import edited
from workbench.core.persistent import Table
from workbench.core.ports import FAILURE_STATUS
from workbench.core.records import CallRecord, Message, RequestMark, Role
from workbench.core.settings import settings_changed
from workbench.core.statuses import Status
from workbench.core.striking import after_request, at_call
from workbench.core.tokens import estimate

if TYPE_CHECKING:
    from workbench.core.state import State

FINISH_TOOL = "submit_answer"
FROM_LINES = ("scripted", "recorded")
"""Models whose replies stand in the scenario. One of theirs that is none of its lines came from outside, as the
history of a conversation that began elsewhere does, and takes the place of no line.
"""


def _user_message(state: State, event: UserMessage) -> None:
    following.begin(state, event.text)
    goes_on(state)
    _say(state, "user", state.protocol.user(event.text), "user")
    state.status, state.stop, state.stopped, state.answer = Status.RUNNING, None, None, None
    state.failure = ""
    state.due, state.carried = (), replace(state.carried, said=event.text)
    state.steps = 0
    state.seconds = 0.0
    state.failures_in_a_row = state.denials_in_a_row = state.protocol_errors_in_a_row = 0
    state.steps_since_success = state.repeat = 0
    state.seen = Table()


def _model_reply(state: State, event: ModelReply) -> None:
    if state.faults:
        state.faults = after_request(state, event)
    state.calls.extend(state.batch)
    state.steps += 1
    state.total_steps += 1
    _count_request(state, event)
    if state.carried.overflow:
        state.carried = replace(state.carried, overflow="")
    if event.line >= 0:
        state.script_line, state.script_served, state.replies_elsewhere = event.line, event.served, 0
    elif state.model.use not in FROM_LINES:
        state.replies_elsewhere += 1
    state.next_reply, state.held_replies, state.failure = None, (), ""
    if event.passed_by == "script":
        state.script_decisions += 1
    if event.captures:
        state.captures = {**state.captures, **event.captures}
    state.planned, state.batch = None, [CallRecord(call, state.total_steps, state.n) for call in event.calls]
    state.delivered = 0
    state.call_count += len(event.calls)
    state.last_observation = ""
    chars, malformed = len(event.text), event.reading == "malformed"
    for call in event.calls:
        malformed = malformed or call.problem_kind == "malformed"
        if state.protocol.native_tools:
            chars += len(call.arguments)
    message = Message("assistant", event.text, state.n, event.output_estimate, event.calls, opaque=event.opaque)
    _append(state, message, chars)
    state.context.model += event.output_estimate
    state.protocol_errors_in_a_row = state.protocol_errors_in_a_row + 1 if malformed else 0
    state.due = (Notice(topic="dropped", text=event.dropped),) if event.dropped else ()
    _take_reading(state, event)


def _take_reading(state: State, event: ModelReply) -> None:
    if event.reading == "malformed":
        state.errors += 1
        state.steps_since_success += 1
        state.due = (Notice(topic="correction", text=event.problem), *state.due)
    elif event.reading == "answer":
        (answered if state.plan is None else following.told)(state, event.answer)
    elif event.reading == "cut_off":
        end(state, Stopped(status=Status.REPLY_CUT_OFF, detail=event.problem))
    elif event.reading == "blocked":
        end(state, Stopped(status=Status.REPLY_BLOCKED, detail=event.problem))


def _count_request(state: State, event: ModelReply) -> None:
    state.model_calls += 1
    state.seconds += event.took
    state.total_seconds += event.took
    read = event.input_tokens if event.input_tokens is not None else event.input_estimate
    written = event.output_tokens if event.output_tokens is not None else event.output_estimate
    guessed = event.input_tokens is None or event.output_tokens is None
    state.estimated = state.estimated or guessed
    state.input_tokens += read
    state.output_tokens += written
    state.cache_read += event.cache_read or 0
    state.cache_write += event.cache_write or 0
    if state.cost is not None:
        state.cost = None if event.cost is None and not state.model.free else state.cost + (event.cost or 0.0)
    state.requests.append(
        RequestMark(state.n, state.sent.copy(), state.chars, read, guessed, written, state.total_steps)
    )


def _model_failed(state: State, event: ModelFailed) -> None:
    state.failure = event.failure
    state.model_calls += 1
    state.seconds += event.took
    state.total_seconds += event.took
    state.errors += 1
    if event.purpose == "summary":
        summary_failed(state, event)
    else:
        _step_failed(state, event)
    if overflowed(state, event):
        return
    status = FAILURE_STATUS.get(event.failure, Status.MODEL_UNAVAILABLE)
    if event.failure == "deadline":
        end(state, Stopped(status=status, knob="limits.seconds", limit=state.limits.seconds, detail=event.detail))
    else:
        end(state, Stopped(status=status, detail=event.detail))


def _step_failed(state: State, event: ModelFailed) -> None:
    if state.faults:
        state.faults = after_request(state, event)
    if event.line >= 0:
        state.script_line, state.script_served = event.line, event.served
    sent, tokens = state.sent.copy(), state.context_tokens
    state.requests.append(RequestMark(state.n, sent, state.chars, tokens, True, 0, state.total_steps + 1))


def _decided(state: State, event: Decided) -> None:
    record = _open_record(state, event.call)
    record.decision = event
    if event.by == "script":
        state.script_decisions += 1
    # Allowing a call whose outcome is unknown means running it again.
    record.again = record.started is not None and event.decision in ("allow", "edit")
    if event.by == "lock":
        end(state, Stopped(status=Status.POLICY_DENIED, knob=event.rule, detail=event.reason))


def _tool_started(state: State, event: ToolStarted) -> None:
    record = _open_record(state, event.call)
    record.started, record.again = event, False
    state.tool_calls += 1
    if state.faults or record.faults:
        state.faults, record.faults = at_call(state, record)
    record.counted = record.counted or state.n


def _held(state: State, event: Held) -> None:
    _open_record(state, event.call).held = event


def _held_reply(state: State, event: HeldReply) -> None:
    if state.open_calls():
        raise ValueError(f"event {state.n} is a reply, and there are calls that have no result")
    state.held_replies = (*state.held_replies, event)


def _tool_result(state: State, event: ToolResult) -> None:
    record = _open_record(state, event.call)
    record.result, record.result_n = event, state.n
    state.seconds += event.took
    state.total_seconds += event.took
    if event.changed_by and event.changed_by.rpartition(", ")[2] == "script":
        state.script_decisions += 1
    tool = state.tool(record.call.tool)
    count_outcome(state, event)
    remember_effect(state, record, event, tool)
    count_repeat(state, record, event, tool)
    if event.trust == "untrusted" and event.outcome in ("ran", "failed"):
        state.tainted = True
    _stop_after(state, record, event)
    if state.planned is not None:
        following.came(state, record, event)
        return
    if record.arguments != record.call.canonical and event.outcome in ("ran", "failed", "stored"):
        state.due = (*state.due, edited(record))
    _deliver(state)


def _stop_after(state: State, record: CallRecord, event: ToolResult) -> None:
    if event.outcome == "defect":
        end(state, Stopped(status=Status.TOOL_DEFECT, detail=f"{record.call.tool} is broken: see its call"))
    elif event.goal_met:
        end(state, Stopped(status=Status.GOAL_REACHED, knob="goal_check"))
    elif record.call.tool == FINISH_TOOL and event.outcome == "ran":
        answered(state, event.content)


def _deliver(state: State) -> None:
    """Results reach the transcript in call order, whatever the order in which they came."""
    batch = state.batch
    while state.delivered < len(batch):
        record = batch[state.delivered]
        call, result = record.call, record.result
        if result is None:
            return
        state.delivered += 1
        is_error = result.is_error
        text = state.protocol.observation(call.tool, result.content, is_error=is_error)
        tokens = estimate(text)
        state.context.results += tokens
        _append(state, Message("tool", text, record.result_n, tokens, (), call.id, call.tool, is_error), len(text))
        state.results.append(result.content)
        _observe(state, result.content)


def _planned(state: State, event: Planned) -> None:
    following.take(state, event)
    if event.does == "ask" and not event.problem:
        _say(state, "notice", state.protocol.notice(event.text, is_error=False), "notices")
        state.last_observation = event.text


def _for_people(state: State, event: LateResult | Remark) -> None:
    pass


def _notice(state: State, event: Notice) -> None:
    _say(state, "notice", state.protocol.notice(event.text, is_error=event.topic == "correction"), "notices")
    state.due = state.due[1:]
    if event.topic == "restated":  # nothing that was observed
        state.carried = replace(state.carried, restated=state.total_steps)
    else:
        _observe(state, event.text)


def _stop_requested(state: State, event: StopRequested) -> None:
    if event.by == "script":
        state.script_decisions += 1
    end(state, Stopped(status=event.status, knob=event.knob, limit=event.limit, detail=event.detail))


def _stopped(state: State, event: Stopped) -> None:
    state.status, state.stopped, state.stop = event.status, event, None


def _resumed(state: State, event: Resumed) -> None:
    if event.by == "script":
        state.script_decisions += 1
    goes_on(state)
    state.status, state.stopped, state.stop, state.failure = Status.RUNNING, None, None, ""
    following.go_on(state)


def _open_record(state: State, call_id: str) -> CallRecord:
    for record in state.batch:
        if record.call.id == call_id and record.result is None:
            return record
    raise ValueError(f"event {state.n} is about call {call_id!r}, which is not open")


def _say(state: State, role: Role, text: str, category: Literal["user", "notices"]) -> None:
    tokens = estimate(text)
    setattr(state.context, category, getattr(state.context, category) + tokens)
    _append(state, Message(role, text, state.n, tokens), len(text))


def _append(state: State, message: Message, chars: int) -> None:
    state.chars += chars + (1 if len(state.sent) else 0)
    if state.sent is not state.messages:
        state.sent.append(message)
    state.messages.append(message)


def _observe(state: State, text: str) -> None:
    state.last_observation = f"{state.last_observation}\n{text}" if state.last_observation else text


HANDLERS: dict[type[Event], Callable[[State, Any], None]] = {
    UserMessage: _user_message,
    ModelReply: _model_reply,
    ModelFailed: _model_failed,
    Decided: _decided,
    Planned: _planned,
    ToolStarted: _tool_started,
    ToolResult: _tool_result,
    Held: _held,
    HeldReply: _held_reply,
    LateResult: _for_people,
    Notice: _notice,
    Remark: _for_people,
    SettingsChanged: settings_changed,
    ContextChanged: context_changed,
    StopRequested: _stop_requested,
    Stopped: _stopped,
    Resumed: _resumed,
    Forked: forked,
    DoneElsewhere: done_elsewhere,
}
