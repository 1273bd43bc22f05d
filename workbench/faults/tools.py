"""A tool call that something goes wrong with: the tool does not run, or what it gave back is not what is read.

Whatever goes wrong, there is one outcome. What was really returned, and whether the tool really ran, stays beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain

from workbench.core.faults import NO_RESULT, changer, label
from workbench.core.outcomes import given_up
from workbench.core.ports import Clock, OnLate, ToolOutcome, Tools
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.striking import seal
from workbench.core.values import Fault, FaultKind
from workbench.faults import texts

TIME_LIMIT = 30.0
"""Seconds after which a call is given up that has no limit of its own, where the fault says none."""

_NOT_RUN = ToolOutcome(outcome="failed", original_outcome="not_run")
_WAITS = ("delay", "timeout")


async def run_struck(
    tools: Tools,
    state: State,
    record: CallRecord,
    clock: Clock,
    *,
    within: float | None,
    key: str,
    on_late: OnLate,
) -> ToolOutcome:
    """Run a call that has been recorded as started, with everything that strikes it (`record.faults`).

    All waiting comes before the tool acts: who loses patience then must not make the run forget what was done.
    """
    wait, too_late = _waiting(record.faults, within)
    if wait:
        await clock.sleep(wait)
    call = _Call(state, record, wait)
    outcome = _instead(call, too_late)
    if outcome is None:
        left = within if within is None or too_late is not None else within - wait
        outcome = await tools.run(record.call.tool, record.arguments, within=left, key=key, on_late=on_late)
    for fault in record.faults:
        strikes = fault.on == "result" and (fault.do not in _WAITS or fault is too_late)
        if strikes and outcome.outcome != "defect":
            outcome = _struck(fault, outcome, call)
    return replace(outcome, faults=tuple(map(label, record.faults)))


def strike(fault: Fault, before: ToolOutcome, state: State, record: CallRecord, *, wait: float = 0.0) -> ToolOutcome:
    """What the fault makes of the outcome of a call that took `wait` seconds; equal where there is nothing to change.

    A delay is one that makes it come too late.
    """
    return _struck(fault, before, _Call(state, record, wait))


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that is struck, and how many seconds it has waited."""

    state: State
    record: CallRecord
    wait: float

    @property
    def tool(self) -> str:
        return self.record.call.tool

    def previous(self, *, other_arguments: bool = False) -> str | None:
        """What this tool really returned the last time; None when it has not returned anything yet."""
        for record in self._earlier():
            result = record.result
            if result is None or record.call.tool != self.tool:
                continue
            if other_arguments and record.arguments == self.record.arguments:
                continue
            if (result.original_outcome or result.outcome) in ("ran", "stored"):
                return result.original if result.changed_by else result.content
        return None

    def _earlier(self) -> Iterable[CallRecord]:
        """Calls before this one, the latest first. Of calls that run side by side nobody knows which comes first."""
        batch = self.state.batch
        same_reply: list[CallRecord] = []
        if self.state.header.options.execute == "sequential":
            same_reply = batch[: next(at for at, record in enumerate(batch) if record.call.id == self.record.call.id)]
        return chain(reversed(same_reply), reversed(self.state.calls))


def _waiting(faults: tuple[Fault, ...], within: float | None) -> tuple[float, Fault | None]:
    """Seconds to wait before anything happens, and the fault that makes the call come too late, if one does."""
    wait = 0.0
    for fault in faults:
        if fault.do not in _WAITS:
            continue
        limit = within
        if fault.do == "timeout":
            given = fault.seconds if fault.seconds is not None else TIME_LIMIT if within is None else within
            limit = given if within is None else min(given, within)
            wait = limit
        else:
            wait += fault.seconds or 0.0
        if limit is not None and wait >= limit:
            return limit, fault
    return wait, None


def _instead(call: _Call, too_late: Fault | None) -> ToolOutcome | None:
    """What comes of a call whose tool does not run; None when it runs."""
    for fault in call.record.faults:
        if fault.on != "tool" or (fault.do in _WAITS and fault is not too_late):
            continue
        if fault.do != "stale" or call.previous() is not None:
            return _struck(fault, _NOT_RUN, call)
    return None


def _struck(fault: Fault, before: ToolOutcome, call: _Call) -> ToolOutcome:
    """What the fault makes of an outcome; the outcome itself where there is nothing to change."""
    after = _OUTCOMES.get(fault.do, _other_text)(fault, before, call)
    if after == before:
        return before
    first = not before.changed_by
    really = before.original_outcome or (before.outcome if after.outcome != before.outcome else "")
    return replace(
        after,
        original=before.content if first else before.original,
        original_outcome=really,
        changed_by=changer(fault) if first else f"{before.changed_by}, {changer(fault)}",
    )


# ---------------------------------------------------------------- kinds


def _failed(before: ToolOutcome, content: str, *, retry: bool = True) -> ToolOutcome:
    return replace(before, outcome="failed", content=content, value="", full_chars=0, cursor="", retry=retry)


def _returned(before: ToolOutcome, content: str) -> ToolOutcome:
    """Another content; it has a structured value where it is JSON, and one was there before."""
    if content == before.content:
        return before
    value = content if before.value and texts.parsed(content)[0] else ""
    return replace(before, content=content, value=value)


def _crash(fault: Fault, before: ToolOutcome, call: _Call) -> ToolOutcome:
    content = f"{call.tool} is broken and did not finish; no other arguments would help."
    when = "after it had acted" if fault.on == "result" else "before it did anything"
    detail = f"RuntimeError: {call.tool} crashed {when} (made by {changer(fault)})"
    return replace(_failed(before, content, retry=False), outcome="defect", detail=detail)


def _error(fault: Fault, before: ToolOutcome, call: _Call) -> ToolOutcome:
    return _failed(before, fault.text or f"{call.tool} failed: the service reported an internal error.")


def _too_late(_: Fault, before: ToolOutcome, call: _Call) -> ToolOutcome:
    info = call.state.tool(call.tool)
    given = given_up(call.tool, info, call.wait)
    return replace(_failed(before, given.content, retry=given.retry), outcome=given.outcome)


def _drop(_: Fault, before: ToolOutcome, __: _Call) -> ToolOutcome:
    return _failed(before, NO_RESULT)


def _empty(_: Fault, before: ToolOutcome, __: _Call) -> ToolOutcome:
    content = texts.emptied(before.content)
    return replace(_returned(before, content), outcome="ran", full_chars=0, cursor="")


def _replace(fault: Fault, before: ToolOutcome, call: _Call) -> ToolOutcome:
    after = _other_text(fault, before, call)
    value = after.content if fault.value is not None else after.value
    return replace(after, outcome="ran", value=value, full_chars=0, cursor="")


def _stale(_: Fault, before: ToolOutcome, call: _Call) -> ToolOutcome:
    content = call.previous()
    return before if content is None else replace(_returned(before, content), outcome="ran")


def _wrong_record(fault: Fault, before: ToolOutcome, call: _Call) -> ToolOutcome:
    """Another item of the same list; or what the same tool returned for other arguments."""
    content = texts.another_record(before.content, _key(fault, call))
    if content == before.content:
        content = call.previous(other_arguments=True) or content
    return _returned(before, content)


def _other_text(fault: Fault, before: ToolOutcome, call: _Call) -> ToolOutcome:
    return _returned(before, texts.altered(fault, before.content, _key(fault, call)))


def _key(fault: Fault, call: _Call) -> str:
    return seal(fault, call.state.header.seed, call.record.call.id)


_OUTCOMES: dict[FaultKind, Callable[[Fault, ToolOutcome, _Call], ToolOutcome]] = {
    "crash": _crash,
    "error": _error,
    "timeout": _too_late,
    "delay": _too_late,
    "drop": _drop,
    "empty": _empty,
    "replace": _replace,
    "stale": _stale,
    "wrong_record": _wrong_record,
}
