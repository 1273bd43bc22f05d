"""What stands at the door, and how it goes on from there: passed as it is, changed, or put back as it came. Pure.

What a tool or a model really gave back stays with whatever is made of it.
"""

from __future__ import annotations

from dataclasses import fields, replace

from workbench.core.events import Held, HeldReply, Outcome, ToolResult
from workbench.core.holding import Passing
from workbench.core.ports import Reply, Usage
from workbench.core.records import CallRecord
from workbench.core.state import State

_HELD = tuple(item.name for item in fields(Held))
NEVER_RAN = "not_run"
"""The original outcome of a call that a fault kept from running."""


# ---------------------------------------------------------------- results


def passing(record: CallRecord, result: ToolResult) -> Passing:
    """A result as filters see it."""
    return Passing(
        kind="result",
        step=record.step,
        text=result.content,
        calls=((record.call.tool, record.arguments),),
        is_error=result.is_error,
    )


def held(result: ToolResult) -> Held:
    """A result that is to wait at the door."""
    return Held(**{name: getattr(result, name) for name in _HELD})


def passed(held: Held) -> ToolResult:
    """The result that stands at the door, as it is."""
    return ToolResult(**{name: getattr(held, name) for name in _HELD})


def altered(held: Held, by: str, *, content: str | None = None, outcome: Outcome | None = None) -> ToolResult:
    """A result as somebody changed it."""
    outcome = held.outcome if outcome is None else outcome
    return replace(
        passed(held),
        outcome=outcome,
        content=held.content if content is None else content,
        original=held.original if held.changed_by else held.content,
        original_outcome=held.original_outcome or (held.outcome if outcome != held.outcome else ""),
        changed_by=f"{held.changed_by}, {by}" if held.changed_by else by,
    )


def reverted(held: Held) -> Held:
    """The result as the tool gave it. Where nothing was changed, or the tool never ran, it is what stands there."""
    if not held.changed_by or held.original_outcome == NEVER_RAN:
        return held
    outcome = held.original_outcome or held.outcome
    return replace(
        held,
        content=held.original,
        outcome=outcome,  # type: ignore[arg-type]
        original="",
        original_outcome="",
        changed_by="",
    )


# ---------------------------------------------------------------- replies


def passing_reply(state: State, reply: Reply) -> Passing:
    """The reply to the request that `state` makes, as filters see it; its calls are those that would be made."""
    reading = state.protocol.read(reply.text, reply.calls, state.header.options)
    calls = reading.calls or reply.calls
    return Passing(
        kind="reply",
        step=state.total_steps + 1,
        text="\n".join([reply.text, *(f"{call.tool} {call.arguments}" for call in reply.calls)]),
        calls=tuple((call.tool, call.arguments) for call in calls),
    )


def held_reply(reply: Reply, *, took: float, asked: int) -> HeldReply:
    """A reply that is to wait at the door; `asked` is how many events there were when it was asked for."""
    return HeldReply(
        text=reply.text,
        thinking=reply.thinking,
        calls=reply.calls,
        finish=reply.finish,
        model=reply.model,
        took=took,
        attempts=reply.attempts,
        input_tokens=reply.usage.input,
        output_tokens=reply.usage.output,
        cache_read=reply.usage.cache_read,
        cache_write=reply.usage.cache_write,
        line=reply.line,
        served=reply.served,
        captures=reply.captures,
        opaque=reply.opaque,
        notes=reply.notes,
        original=reply.original,
        changed_by=reply.changed_by,
        faults=reply.faults,
        asked=asked,
    )


def reply_at(held: HeldReply) -> Reply:
    """The reply that stands at the door, as it is."""
    return Reply(
        text=held.text,
        calls=held.calls,
        thinking=held.thinking,
        finish=held.finish,
        usage=Usage(
            input=held.input_tokens,
            output=held.output_tokens,
            cache_read=held.cache_read,
            cache_write=held.cache_write,
        ),
        model=held.model,
        attempts=held.attempts,
        opaque=held.opaque,
        notes=held.notes,
        line=held.line,
        served=held.served,
        captures=held.captures,
        original=held.original,
        changed_by=held.changed_by,
        faults=held.faults,
    )
