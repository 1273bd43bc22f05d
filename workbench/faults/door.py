"""A fault that a person lets strike what stands at the door: a result after its tool has acted, or a reply.

Nobody waits for a delay here. It counts as time of the run, as if the tool or the model had taken so much longer.
"""

from __future__ import annotations

from dataclasses import replace

from workbench.core.door import held_reply, reply_at
from workbench.core.events import Held, HeldReply
from workbench.core.faults import FaultError, changer, label
from workbench.core.ports import ToolOutcome
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.values import Fault
from workbench.faults.replies import rewritten, written_out
from workbench.faults.tools import TIME_LIMIT, strike

_WAITS = ("delay", "timeout")


def strikes_at_door(fault: Fault, *, reply: bool) -> bool:
    """Whether the fault can strike what is held: what happens before there is a result or a reply cannot any more."""
    return fault.on == "reply" if reply else fault.on == "result" and fault.do != "crash"


def strike_held(fault: Fault, held: Held, state: State, record: CallRecord) -> Held:
    """The held result of that call as the fault leaves it; equal to it where there is nothing to change.

    Raises FaultError for a fault that cannot strike a result.
    """
    if not strikes_at_door(fault, reply=False):
        raise FaultError("", f"{label(fault)} cannot strike a result that is there already")
    before = ToolOutcome(
        outcome=held.outcome,  # type: ignore[arg-type]
        content=held.content,
        value=held.value,
        full_chars=held.full_chars,
        cursor=held.cursor,
        retry=held.retry,
        original=held.original,
        original_outcome=held.original_outcome,
        changed_by=held.changed_by,
    )
    took, after = held.took, before
    if fault.do in _WAITS:
        limit = _limit(fault, state, record)
        took = held.took + (fault.seconds or 0.0) if fault.do == "delay" else max(held.took, limit or TIME_LIMIT)
        if fault.do == "timeout" or (limit is not None and took >= limit):
            took = max(held.took, limit or TIME_LIMIT)
            after = strike(fault, before, state, record, wait=took)
    else:
        after = strike(fault, before, state, record)
    if after == before and took == held.took:
        return held
    return replace(
        held,
        outcome=after.outcome,
        content=after.content,
        value=after.value,
        full_chars=after.full_chars,
        cursor=after.cursor,
        retry=after.retry,
        original=after.original,
        original_outcome=after.original_outcome,
        changed_by=after.changed_by,
        took=took,
        faults=(*held.faults, label(fault)),
    )


def _limit(fault: Fault, state: State, record: CallRecord) -> float | None:
    """Seconds after which the call is given up."""
    tool = state.tool(record.call.tool)
    own = tool.timeout if tool is not None else None
    if fault.do == "delay" or fault.seconds is None:
        return own
    return fault.seconds if own is None else min(fault.seconds, own)


def strike_reply(fault: Fault, held: HeldReply, state: State) -> HeldReply:
    """The held reply as the fault leaves it; equal to it where there is nothing to change.

    Raises FaultError for a fault that cannot strike a reply.
    """
    if not strikes_at_door(fault, reply=True):
        raise FaultError("", f"{label(fault)} cannot strike a reply that is there already")
    reply = reply_at(held)
    if fault.do == "delay":
        seconds = fault.seconds or 0.0
        return replace(held, took=held.took + seconds, faults=(*held.faults, label(fault))) if seconds else held
    after = rewritten(reply, fault, state)
    if after is reply:
        return held
    first = not reply.changed_by
    after = replace(
        after,
        original=written_out(reply) if first else reply.original,
        changed_by=changer(fault) if first else f"{reply.changed_by}, {changer(fault)}",
        faults=(*reply.faults, label(fault)),
    )
    return held_reply(after, took=held.took, asked=held.asked)
