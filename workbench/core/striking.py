"""Which of the armed faults strike, and when: pure, what strikes is a function of the history.

A fault is armed from the beginning or by a change of settings, and counts what comes by of its kind from then on. The
counts are part of the state, so a run that is resumed, forked or looked back at goes wrong in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from workbench.core.canonical import digest
from workbench.core.events import ModelFailed, ModelReply
from workbench.core.faults import ABOUT_CALLS, FaultError, describe, fault_from, shown
from workbench.core.gate import matches as rule_matches
from workbench.core.values import Fault, Rule

if TYPE_CHECKING:
    from workbench.core.records import CallRecord
    from workbench.core.state import State


@dataclass(frozen=True, slots=True)
class Armed:
    """A fault of a run, how often its target has come by since it was armed, and how often it has struck."""

    fault: Fault
    seen: int = 0
    fired: int = 0
    since: int = 0
    """How many events there were when it was armed."""

    def spent(self, steps: int) -> bool:
        """Whether it cannot strike any more, in a run that has made so many steps."""
        fault = self.fault
        if fault.times is not None and self.fired >= fault.times:
            return True
        if fault.step is not None:
            return steps > fault.step
        last = fault.burst.start + fault.burst.length - 1 if fault.burst is not None else fault.nth
        return last is not None and self.seen >= last


def matches(fault: Fault, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether the fault is about calls of this tool with these arguments."""
    if fault.tool and fault.tool != tool:
        return False
    return not fault.where or rule_matches(Rule(tool=tool, where=fault.where), tool, arguments)


def due(fault: Fault, seen: int, step: int, seed: int, key: str) -> bool:
    """Whether its schedule lets the fault strike what is the `seen`th to come by (from 1), in this step.

    `key` tells one occurrence from every other: chance is a hash of seed, fault and key, so nothing has to be
    remembered for it. How often it may strike (`times`) is not looked at here.
    """
    if fault.nth is not None:
        return seen == fault.nth
    if fault.step is not None:
        return step == fault.step
    if fault.every is not None:
        return seen % fault.every == 0
    if fault.after is not None:
        return seen > fault.after
    if fault.burst is not None:
        return fault.burst.start <= seen < fault.burst.start + fault.burst.length
    if fault.chance is not None:
        return int(seal(fault, seed, key), 16) < fault.chance * 2**64
    return True


def seal(fault: Fault, seed: int, key: str) -> str:
    """16 hex digits that depend on the seed, the fault and the occurrence: the one source of chance."""
    return digest(str(seed), fault.name, fault.on, fault.do, fault.tool, repr(fault.where), key)


def at_call(state: State, record: CallRecord) -> tuple[tuple[Armed, ...], tuple[Fault, ...]]:
    """The faults after this call has started, and those that strike it, in order.

    Where it starts once more, it comes by those alone that were armed since; of what struck it before, what is still
    armed strikes it again.
    """
    call, first = record.call, record.counted
    new = tuple(item for item in state.faults if not first or item.since > first)
    after, struck = _strike(new, ABOUT_CALLS, state, record.step, call.id, call.tool, record.arguments)
    if not first:
        return after, struck
    counted, again, left = iter(after), [], [item.fault for item in state.faults if item.since <= first]
    for fault in record.faults:
        if fault in left:
            left.remove(fault)
            again.append(fault)
    return tuple(next(counted) if item.since > first else item for item in state.faults), (*again, *struck)


def at_attempt(armed: tuple[Armed, ...], state: State, attempt: int) -> tuple[tuple[Armed, ...], tuple[Fault, ...]]:
    """The faults after an attempt (from 1) to send the request that `state` makes, and those that strike it."""
    key = f"request {state.model_calls + 1}.{attempt}"
    return _strike(armed, ("provider",), state, state.total_steps + 1, key)


def at_reply(armed: tuple[Armed, ...], state: State) -> tuple[tuple[Armed, ...], tuple[Fault, ...]]:
    """The faults after the reply to the request that `state` makes, and those that strike it, in order."""
    step = state.total_steps + 1
    return _strike(armed, ("reply",), state, step, f"reply {step}")


def after_request(state: State, event: ModelReply | ModelFailed) -> tuple[Armed, ...]:
    """The faults after the request that `state` makes has brought this reply or failure.

    Counts again what struck it. A fault that was armed while it was under way begins with the next one.
    """
    since = event.asked or state.n
    armed = tuple(item for item in state.faults if item.since <= since)
    for attempt in range(1, event.attempts + 1):
        armed, struck = at_attempt(armed, state, attempt)
        if all(fault.do == "delay" for fault in struck):
            # It reached the provider; what was tried again from there was out of our reach.
            later = event.attempts - attempt
            armed = tuple(replace(a, seen=a.seen + later) if a.fault.on == "provider" else a for a in armed)
            break
    if isinstance(event, ModelReply):
        armed, _ = at_reply(armed, state)
    counted = iter(armed)
    return tuple(next(counted) if item.since <= since else item for item in state.faults)


def _strike(
    armed: tuple[Armed, ...],
    targets: tuple[str, ...],
    state: State,
    step: int,
    key: str,
    tool: str = "",
    arguments: str = "",
) -> tuple[tuple[Armed, ...], tuple[Fault, ...]]:
    after, struck = [], []
    for item in armed:
        fault, seen, fired = item.fault, item.seen + 1, item.fired
        if fault.on not in targets or (
            fault.on in ABOUT_CALLS and not matches(fault, tool, json.loads(arguments) if fault.where else {})
        ):
            after.append(item)
            continue
        if (fault.times is None or fired < fault.times) and due(fault, seen, step, state.header.seed, key):
            struck.append(fault)
            fired += 1
        after.append(replace(item, seen=seen, fired=fired))
    return tuple(after), tuple(struck)


def armed_anew(before: tuple[Armed, ...], faults: tuple[Fault, ...], n: int) -> tuple[Armed, ...]:
    """The faults that are armed from event `n` on. One that was armed already goes on counting; a new one begins."""
    left = list(before)
    after = []
    for fault in faults:
        item = next((item for item in left if item.fault == fault), None)
        if item is None:
            item = Armed(fault, since=n)
        else:
            left.remove(item)
        after.append(item)
    return tuple(after)


def armed_too(before: tuple[Armed, ...], fault: Fault, n: int) -> tuple[Armed, ...]:
    """The armed faults with one more, which begins to count with event `n`."""
    return (*before, Armed(fault, since=n))


def disarmed(before: tuple[Armed, ...], given: Any) -> tuple[Armed, ...]:
    """The armed faults without one: `at` is its place, from 0, and `fault` says which it is. Raises ValueError."""
    if not isinstance(given, Mapping) or set(given) != {"at", "fault"}:
        raise FaultError("", f"what is disarmed is a table with at and fault, not {shown(given)}")
    at, fault = given["at"], fault_from(given["fault"])
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < len(before):
        raise FaultError("", f"there is no armed fault number {shown(at)}; there are {len(before)}, counted from 0")
    if before[at].fault != fault:
        raise FaultError("", f"the armed fault number {at} is another one: {describe(before[at].fault)}")
    return before[:at] + before[at + 1 :]
