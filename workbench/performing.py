"""The two moves that reach outside: ask the model, run a tool. Each ends in the event that says what came of it."""

from __future__ import annotations

from dataclasses import replace

from workbench.core.carried import Older, recalls, summary_request, summed_up, tokens_of
from workbench.core.door import held_reply, passing_reply
from workbench.core.events import (
    ContextChanged,
    Held,
    HeldReply,
    ModelFailed,
    ModelReply,
    ToolResult,
    ToolStarted,
)
from workbench.core.patterns import search
from workbench.core.persistent import Log
from workbench.core.ports import Clock, Model, ModelFailure, OnLate, OnSignal, Reply, Request, ToolOutcome, Tools
from workbench.core.reading import Check, read_reply, read_summary
from workbench.core.recalling import Recalling, kept_under
from workbench.core.records import CallRecord, Message
from workbench.core.state import State
from workbench.core.values import GoalCheck, ToolInfo
from workbench.faults.model import reply_struck
from workbench.faults.tools import run_struck
from workbench.models.scripted import no_signal
from workbench.models.written import rewritten
from workbench.toolkit.results import cut


async def ask_model(
    model: Model, check: Check, state: State, clock: Clock, *, within: float | None, on_signal: OnSignal
) -> ModelReply | ModelFailed | HeldReply:
    """Send everything recorded so far. A reply that took more than `within` seconds of the clock comes too late.

    `check` validates the calls in it. Whether the reply is held is decided when it is there: `state` may have been
    changed meanwhile.
    """
    request = _request(state, state.sent.copy())
    if state.next_reply is not None:
        on_signal = no_signal  # What is streamed would not be what is read in the end.
    began, asked = clock.now(), state.n
    event: ModelReply | ModelFailed | HeldReply
    try:
        if state.faults:
            reply = await reply_struck(model, request, clock, on_signal)
        else:
            reply = await model.reply(request, on_signal)
    except ModelFailure as failure:
        event = _failed(failure, clock.now() - began)
    else:
        took = clock.now() - began
        if within is not None and took > within:
            event = out_of_time(within, took)
        else:
            reply = put_in_place(reply, state)
            if _is_held(reply, state):
                return held_reply(reply, took=took, asked=asked)
            event = read_reply(state, reply, check, took)
    return event if state.n == asked else replace(event, asked=asked)


async def ask_summary(
    model: Model, state: State, older: Older, clock: Clock, *, within: float | None, on_signal: OnSignal
) -> ContextChanged | ModelFailed:
    """Ask the same model, over the same port, for a summary of the older part. It is asked as for a reply, with the
    same instructions and tools, so that a provider finds all that it has cached.
    """
    messages = summary_request(state, older)
    request = replace(_request(state, messages), purpose="summary")
    began = clock.now()
    try:
        reply = await model.reply(request, on_signal)
        took = clock.now() - began
        if within is not None and took > within:
            return replace(out_of_time(within, took), purpose="summary")
        return summed_up(state, older, read_summary(state, reply, tokens_of(state, messages), took))
    except ModelFailure as failure:
        return replace(_failed(failure, clock.now() - began), purpose="summary")


def _request(state: State, messages: Log[Message]) -> Request:
    return Request(
        system=state.system,
        messages=messages,
        tools=state.header.tools if state.protocol.native_tools else (),
        options=state.header.options,
        state=state,
    )


def _is_held(reply: Reply, state: State) -> bool:
    hold = state.hold
    return hold is not None and hold.looks_at("reply") and hold.holds(passing_reply(state, reply))


def put_in_place(reply: Reply, state: State) -> Reply:
    """The reply as a person has written it beforehand; the same one where nobody has."""
    if state.next_reply is None:
        return reply
    return rewritten(reply, state.next_reply, "you", native=state.protocol.native_tools)


def out_of_time(within: float, took: float | None = None) -> ModelFailed:
    """What is recorded of a request that took longer than it might; as a rule it was cut off just then."""
    failure = ModelFailure("deadline", f"no reply within the {within:g} seconds that were left")
    return _failed(failure, within if took is None else took)


def started(state: State, record: CallRecord) -> ToolStarted:
    """What is written before a tool runs."""
    call, arguments = record.call, record.arguments
    tool = state.tool(call.tool)
    return ToolStarted(
        call=call.id,
        arguments=arguments if arguments != call.canonical else "",
        key=state.effect_key(call.tool, arguments) if tool is not None and tool.gated else "",
    )


async def run_tool(
    tools: Tools, state: State, record: CallRecord, clock: Clock, *, within: float | None, on_late: OnLate
) -> ToolResult:
    """Run a call that has been recorded as started; at most its own time limit, and `within` seconds."""
    name, began = record.call.tool, clock.now()
    tool = state.tool(name)
    if recalls(state, name):
        tools = Recalling(tools, state)
    limit = tool.timeout if tool is not None else None
    if within is not None:
        limit = within if limit is None else min(limit, within)
    key = record.started.key if record.started is not None else ""
    if record.faults:
        outcome = await run_struck(tools, state, record, clock, within=limit, key=key, on_late=on_late)
        content, full_chars = within_size(outcome, tool)
        outcome = replace(outcome, content=content, full_chars=full_chars)
    else:
        outcome = await tools.run(name, record.arguments, within=limit, key=key, on_late=on_late)
    result = _result(record.call.id, outcome, tool, clock.now() - began)
    if recalls(state, name) and (kept := kept_under(state, record.arguments)) is not None:
        result = replace(result, trust=kept.trust)  # as little as when it was read first
    check = state.header.goal_check
    if check is not None and (outcome.original_outcome or outcome.outcome) == "ran":
        return replace(result, goal_met=goal_met(check, tools, name, result.content))
    return result


def cancelled(record: CallRecord) -> ToolResult:
    """The result of a call that a person cancelled while it ran."""
    content = f"{record.call.tool} was cancelled by a person while it ran; whether it took effect is unknown."
    return ToolResult(call=record.call.id, outcome="cancelled", content=content, retry=False)


def within_size(outcome: ToolOutcome | Held, tool: ToolInfo | None) -> tuple[str, int]:
    """Content, and characters before it was cut: what a fault has made longer is cut like any result."""
    if tool is None or len(outcome.content) <= len(outcome.original):
        return outcome.content, outcome.full_chars
    content, full_chars = cut(outcome.content, tool, outcome.cursor)
    return content, full_chars or outcome.full_chars


def _failed(failure: ModelFailure, took: float) -> ModelFailed:
    return ModelFailed(
        failure=failure.kind,
        detail=failure.detail,
        attempts=failure.attempts,
        partial=failure.partial,
        took=took,
        retry_after=failure.after,
        line=failure.line,
        served=failure.served,
        original=failure.original,
        faults=failure.faults,
    )


def _result(call_id: str, outcome: ToolOutcome, tool: ToolInfo | None, took: float) -> ToolResult:
    return ToolResult(
        call=call_id,
        outcome=outcome.outcome,
        content=outcome.content,
        value=outcome.value,
        source=tool.source if tool is not None else "",
        trust=tool.trust if tool is not None else "trusted",
        full_chars=outcome.full_chars,
        cursor=outcome.cursor,
        took=took,
        effects=outcome.effects,
        retry=outcome.retry,
        detail=outcome.detail,
        original=outcome.original,
        original_outcome=outcome.original_outcome,
        changed_by=outcome.changed_by,
        faults=outcome.faults,
    )


def goal_met(check: GoalCheck, tools: Tools, tool: str, content: str) -> bool:
    """Whether the goal check of a run holds after that result."""
    if check.file:
        text = tools.file_text(check.file)
    elif check.result_of == tool:
        text = content
    else:
        return False
    if text is None:
        return False
    if check.contains is not None and check.contains not in text:
        return False
    return check.matches is None or search(check.matches, text) is not None
