"""From a reply as it came to the event that records it: read by the protocol, its calls numbered and validated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from workbench.core.door import reply_at
from workbench.core.events import ContextChanged, HeldReply, ModelReply
from workbench.core.ports import Checked, ModelFailure, Reply
from workbench.core.state import State
from workbench.core.tokens import estimate
from workbench.core.values import Call, Prices, RawCall, Reading

Check = Callable[[str, str], Checked]

ONE_CALL_A_TURN = "Only one call a turn is allowed here, so this one was not run. Make it again if it is still needed."
NO_CALL = "your reply was to call a tool, but there was no call in it; make the call, or answer without one."
NOT_LET_IN = "The run was stopped while this reply was held at the door, so nothing in it was run or believed."
BELIEVED = frozenset({"stop", "tool_calls"})

Doubt = tuple[Literal["cut_off", "blocked"], str]
"""Why a reply is not to be believed: how it is read then, and a sentence."""


def read_reply(state: State, reply: Reply, check: Check, took: float) -> ModelReply:
    """The event for a reply to the request that `state` makes."""
    return _read(state, reply, check, took, doubt_of(reply))


def let_in(state: State, reply: Reply, check: Check, by: Literal["person", "script"]) -> ModelReply:
    """The event for a reply that takes the place of the one at the door, or is it. It is read only now."""
    held = state.held_reply
    assert held is not None, "no reply is held"
    return replace(read_reply(state, reply, check, held.took), asked=held.asked, passed_by=by)


def unbelieved(state: State, held: HeldReply) -> ModelReply:
    """The event for a reply that is still held when the run stops: it came, it cost, and nothing of it counts."""

    def check(_: str, __: str) -> Checked:
        return Checked(problem=NOT_LET_IN, problem_kind="not_run")

    return replace(_read(state, reply_at(held), check, held.took, ("blocked", NOT_LET_IN)), asked=held.asked)


def _read(state: State, reply: Reply, check: Check, took: float, doubt: Doubt | None) -> ModelReply:
    native = state.protocol.native_tools
    reading: Reading | None = None
    if doubt is None:
        reading = state.protocol.read(reply.text, reply.calls, state.header.options)
        if native and reply.finish == "tool_calls" and reading.kind == "answer":
            reading = Reading(kind="malformed", problem=NO_CALL)
    raw = reading.calls if reading is not None else reply.calls if native else ()
    calls = tuple([call_of(state, index, item, check) for index, item in enumerate(raw)])
    written = reply.text + "".join([call.tool + call.arguments for call in calls]) if native else reply.text
    usage, context = reply.usage, state.context_tokens
    output_estimate = estimate(written)
    return ModelReply(
        text=reply.text,
        thinking=reply.thinking,
        calls=calls,
        reading=doubt[0] if doubt is not None else reading.kind if reading is not None else "malformed",
        answer=reading.answer if reading is not None else "",
        problem=doubt[1] if doubt is not None else reading.problem if reading is not None else "",
        dropped=reading.dropped if reading is not None else "",
        finish=reply.finish,
        model=reply.model,
        took=took,
        attempts=reply.attempts,
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read=usage.cache_read,
        cache_write=usage.cache_write,
        input_estimate=context,
        output_estimate=output_estimate,
        cost=_cost(state, reply, context, output_estimate),
        line=reply.line,
        served=reply.served,
        captures=reply.captures,
        opaque=reply.opaque,
        notes=reply.notes,
        original=reply.original,
        changed_by=reply.changed_by,
        faults=reply.faults,
    )


def read_summary(state: State, reply: Reply, read: int, took: float) -> ContextChanged:
    """What a summary says and what it took, for a request of `read` estimated tokens. It is not yet about anything.

    Raises ModelFailure for a reply that is no summary. One that was cut off is one, and says so to people.
    """
    doubt = doubt_of(reply)
    reading = state.protocol.read(reply.text, (), replace(state.header.options, finish="text"))
    text = reading.answer if reading.kind == "answer" else reply.text.strip()
    if not text or (doubt is not None and doubt[0] == "blocked"):
        raise ModelFailure("no_summary", doubt[1] if doubt is not None else "the model wrote no summary")
    usage, written = reply.usage, estimate(reply.text)
    return ContextChanged(
        policy="summarise",
        first=0,
        last=0,
        replacement=text,
        model=reply.model,
        took=took,
        attempts=reply.attempts,
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read=usage.cache_read,
        cache_write=usage.cache_write,
        input_estimate=read,
        output_estimate=written,
        cost=_cost(state, reply, read, written),
        line=reply.line,
        notes=(*reply.notes, *(["the summary was cut off by its length limit"] if doubt is not None else [])),
    )


def doubt_of(reply: Reply) -> Doubt | None:
    """Why a reply is not to be believed, by its finish reason; None for one that ended by itself."""
    finish = reply.finish
    if finish in BELIEVED:
        return None
    if finish == "length":
        return "cut_off", "The reply was cut off by its length limit, so nothing in it was run or believed."
    if finish == "blocked":
        return "blocked", "The provider blocked the reply."
    if finish == "refused":
        return "blocked", "The model refused to reply."
    return "blocked", f"The provider ended the reply for a reason that is not known here: {finish!r}."


def call_of(state: State, index: int, raw: RawCall, check: Check) -> Call:
    """The call as it is recorded: the one at that index, from 0, of those that come together."""
    call_id = f"c{state.call_count + index + 1}"
    if index and state.protocol.native_tools and not state.header.options.parallel:
        return Call(
            id=call_id,
            tool=raw.tool,
            arguments=raw.arguments,
            problem=ONE_CALL_A_TURN,
            problem_kind="not_run",
            provider_id=raw.provider_id,
        )
    checked = check(raw.tool, raw.arguments)
    problem, kind = checked.problem, checked.problem_kind
    if raw.problem and kind != "unknown_tool":
        problem, kind = raw.problem, "malformed"
    return Call(
        id=call_id,
        tool=raw.tool,
        arguments=raw.arguments,
        canonical="" if problem else checked.canonical,
        problem=problem,
        problem_kind=kind,
        note=checked.note,
        provider_id=raw.provider_id,
    )


def _cost(state: State, reply: Reply, context: int, output_estimate: int) -> float | None:
    prices = state.model.prices
    if prices is None:
        return 0.0 if state.model.free else None
    usage = reply.usage
    read = usage.input if usage.input is not None else context
    if prices.upto is not None and read > prices.upto:
        return None
    return cost(
        prices,
        read=read,
        written=usage.output if usage.output is not None else output_estimate,
        cache_read=usage.cache_read or 0,
        cache_write=usage.cache_write or 0,
    )


def cost(prices: Prices, *, read: int, written: int, cache_read: int = 0, cache_write: int = 0) -> float:
    """USD for one call. Cached tokens are part of `read`; a cache price that is not given is the input price."""
    fresh = read - cache_read - cache_write
    reads = prices.input if prices.cache_read is None else prices.cache_read
    writes = prices.input if prices.cache_write is None else prices.cache_write
    return (fresh * prices.input + cache_read * reads + cache_write * writes + written * prices.output) / 1_000_000
