"""A request that something goes wrong with: at the provider, or in the reply.

A failing attempt is tried again in here, as models do inside a call, so the run sees one reply or one failure.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from workbench.core.faults import changer, label
from workbench.core.ports import Clock, FailureKind, Model, ModelFailure, OnSignal, Reply, Request, Signal
from workbench.core.state import State
from workbench.core.striking import at_attempt, at_reply
from workbench.core.values import Fault
from workbench.faults.replies import rewritten, written_out

RETRIES = 2
"""Attempts after the first, where the scenario says no other number."""

TIMEOUT = 60.0
"""Seconds until a request counts as timed out, where the fault says no other number."""

RETRIED: frozenset[str] = frozenset({"timeout", "unavailable", "rate_limited", "malformed_body", "cut_stream"})


async def reply_struck(model: Model, request: Request, clock: Clock, on_signal: OnSignal) -> Reply:
    """The reply of the model to a request of a run that has faults. Raises ModelFailure and NobodyThere as models do.

    What strikes follows from `request.state` alone, and `core.striking.after_request` counts it in the same way.
    """
    state = request.state
    armed, names, failed = state.faults, list[str](), 0
    while True:
        armed, struck = at_attempt(armed, state, failed + 1)
        names += map(label, struck)
        await _delay(struck, clock)
        failing = next((fault for fault in struck if fault.do != "delay"), None)
        if failing is None:
            break
        failed += 1
        failure = await _failure(failing, model, request, clock, on_signal)
        failure.attempts += failed - 1
        failure.faults = tuple(names)
        if failure.kind not in RETRIED or failed > _retries(state):
            raise failure
        pause = _pause(failing)
        on_signal(Signal("retry", f"{failure.kind}: trying again", pause))
        if pause:
            await clock.sleep(pause)
    _, struck = at_reply(armed, state)
    await _delay(struck, clock)
    muted = any(fault.do != "delay" for fault in struck)
    try:
        reply = await model.reply(request, _muted(on_signal) if muted else on_signal)
    except ModelFailure as failure:
        failure.attempts += failed
        failure.faults = tuple(names)
        raise
    if muted:
        reply = _changed(reply, struck, state)
        on_signal(Signal("delta", reply.text))
    return replace(reply, attempts=reply.attempts + failed, faults=(*names, *map(label, struck)))


async def _delay(struck: tuple[Fault, ...], clock: Clock) -> None:
    seconds = sum(fault.seconds or 0.0 for fault in struck if fault.do == "delay")
    if seconds:
        await clock.sleep(seconds)


async def _failure(fault: Fault, model: Model, request: Request, clock: Clock, on_signal: OnSignal) -> ModelFailure:
    """The failure of an attempt. A stream that is cut has been begun, so there is a reply, and half of it was seen."""
    kind, detail = cast("FailureKind", fault.do), f"made by {changer(fault)}"
    if fault.do == "timeout":
        await clock.sleep(TIMEOUT if fault.seconds is None else fault.seconds)
    if fault.do != "cut_stream":
        return ModelFailure(kind, detail, after=_pause(fault))
    try:
        original = written_out(await model.reply(request, _muted(on_signal)))
    except ModelFailure as failure:
        return failure
    partial = original[: len(original) // 2]
    on_signal(Signal("delta", partial))
    return ModelFailure(kind, detail, partial=partial, original=original)


def _pause(fault: Fault) -> float:
    """Seconds until another attempt; those of a request that times out are over by then."""
    return 0.0 if fault.do == "timeout" else fault.seconds or 0.0


def _changed(reply: Reply, struck: tuple[Fault, ...], state: State) -> Reply:
    after, by = reply, []
    for fault in struck:
        before, after = after, rewritten(after, fault, state)
        if after is not before:
            by.append(changer(fault))
    return replace(after, original=written_out(reply), changed_by=", ".join(by)) if by else reply


def _muted(on_signal: OnSignal) -> OnSignal:
    """What is streamed would not be what is read in the end."""

    def passing(signal: Signal) -> None:
        if signal.kind not in ("delta", "thinking"):
            on_signal(signal)

    return passing


def _retries(state: State) -> int:
    table = state.header.scenario.get("model", {})
    retries = table.get("retries") if isinstance(table, dict) else None
    return retries if isinstance(retries, int) else RETRIES
