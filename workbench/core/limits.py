"""The caps of a run, read immediately before the step they would forbid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from workbench.core.records import CallRecord, call_signature
from workbench.core.statuses import Status
from workbench.core.values import LIMIT_NAMES, Limits, RepeatLimit

if TYPE_CHECKING:
    from workbench.core.state import State


@dataclass(frozen=True, slots=True)
class Breach:
    """A cap that forbids the next step: which knob, at which value, and how far the run is."""

    status: Status
    knob: str
    limit: float
    used: float


BY_SIZE = frozenset({Status.CONTEXT_WINDOW_EXCEEDED, Status.TOKEN_BUDGET_EXHAUSTED, Status.COST_BUDGET_EXHAUSTED})
"""How a run ends at a cap that a shorter request may still pass below."""


def before_next(state: State) -> Breach | None:
    """The first cap that forbids what comes next, a request or a step of the plan, or None.

    A step that only puts a question or gives the answer is free: the request after it is not.
    """
    if state.asks_model:
        return before_request(state)
    step = state.plan.due(state.place) if state.plan is not None else None
    if step is None or step.does != "call":
        return None
    return _steps(state, state.limits) or _in_a_row(state, state.limits) or _deadline(state, state.limits)


def before_request(state: State) -> Breach | None:
    """The first cap that forbids asking the model now, or None."""
    caps = state.limits
    if breach := _steps(state, caps):
        return breach
    if caps.model_calls is not None and state.model_calls >= caps.model_calls:
        return Breach(Status.CALL_BUDGET_EXHAUSTED, "limits.model_calls", caps.model_calls, state.model_calls)
    return _in_a_row(state, caps) or _deadline(state, caps) or _tokens(state, caps) or _cost(state, caps)


def before_tool(state: State, record: CallRecord) -> Breach | None:
    """The first cap that forbids starting this tool call now, or None."""
    caps = state.limits
    if caps.tool_calls is not None and state.tool_calls >= caps.tool_calls:
        return Breach(Status.CALL_BUDGET_EXHAUSTED, "limits.tool_calls", caps.tool_calls, state.tool_calls)
    guard = caps.repeats
    if guard is not None and guard.match == "call" and guard.stop is not None:
        times = state.times_seen(call_signature(record)) + 1
        if times >= guard.stop:
            return Breach(Status.REPEATED_ACTION, "limits.repeats.stop", guard.stop, times)
    return _deadline(state, caps)


def _steps(state: State, caps: Limits) -> Breach | None:
    if caps.steps is not None and state.steps >= caps.steps:
        return Breach(Status.STEP_BUDGET_EXHAUSTED, "limits.steps", caps.steps, state.steps)
    return None


def _in_a_row(state: State, caps: Limits) -> Breach | None:
    if caps.failures is not None and state.failures_in_a_row >= caps.failures:
        return Breach(Status.TOO_MANY_FAILURES, "limits.failures", caps.failures, state.failures_in_a_row)
    if caps.denials is not None and state.denials_in_a_row >= caps.denials:
        return Breach(Status.TOO_MANY_FAILURES, "limits.denials", caps.denials, state.denials_in_a_row)
    if caps.protocol_errors is not None and state.protocol_errors_in_a_row >= caps.protocol_errors:
        return Breach(
            Status.PROTOCOL_ERRORS, "limits.protocol_errors", caps.protocol_errors, state.protocol_errors_in_a_row
        )
    guard = caps.repeats
    if guard is not None and guard.stop is not None and state.repeat >= guard.stop:
        return Breach(Status.REPEATED_ACTION, "limits.repeats.stop", guard.stop, state.repeat)
    return None


def _deadline(state: State, caps: Limits) -> Breach | None:
    if caps.seconds is not None and state.seconds >= caps.seconds:
        return Breach(Status.DEADLINE_EXCEEDED, "limits.seconds", caps.seconds, state.seconds)
    return None


def _tokens(state: State, caps: Limits) -> Breach | None:
    """Token caps count what the next request is going to read: it is never sent if it would overrun them."""
    coming = state.context_tokens
    exhausted = Status.TOKEN_BUDGET_EXHAUSTED
    if caps.input_tokens is not None and state.input_tokens + coming > caps.input_tokens:
        return Breach(exhausted, "limits.input_tokens", caps.input_tokens, state.input_tokens)
    if caps.output_tokens is not None and state.output_tokens >= caps.output_tokens:
        return Breach(exhausted, "limits.output_tokens", caps.output_tokens, state.output_tokens)
    total = state.input_tokens + state.output_tokens
    if caps.total_tokens is not None and total + coming > caps.total_tokens:
        return Breach(exhausted, "limits.total_tokens", caps.total_tokens, total)
    if caps.context_tokens is not None and coming > caps.context_tokens:
        return Breach(Status.CONTEXT_WINDOW_EXCEEDED, "limits.context_tokens", caps.context_tokens, coming)
    window = state.model.context_window
    if window is not None and coming > window:
        return Breach(Status.CONTEXT_WINDOW_EXCEEDED, "model.context_window", window, coming)
    return None


def _cost(state: State, caps: Limits) -> Breach | None:
    """An unknown cost is not 0: with a cap on money and no price, no request may be sent."""
    if caps.cost is None:
        return None
    if state.cost is None:
        return Breach(Status.COST_BUDGET_EXHAUSTED, "limits.cost", caps.cost, float("nan"))
    prices = state.model.prices
    coming = state.context_tokens * prices.input / 1_000_000 if prices is not None else 0.0
    if state.cost >= caps.cost or state.cost + coming > caps.cost:
        return Breach(Status.COST_BUDGET_EXHAUSTED, "limits.cost", caps.cost, state.cost)
    return None


def time_left(state: State) -> float | None:
    """Seconds of work the run may still use, more than 0 where no cap forbids the move; None when there is no cap."""
    cap = state.limits.seconds
    return None if cap is None else cap - state.seconds


def changed(limits: Limits, name: str, value: Any) -> Limits:
    """`limits` with the cap `name` ("steps") set to `value` (None lifts it). ValueError says what is wrong."""
    if name not in LIMIT_NAMES:
        raise ValueError(f"there is no limit {name!r}; there are {', '.join(LIMIT_NAMES)}")
    if value is None:
        return replace(limits, **{name: None})
    if name == "repeats":
        return replace(limits, repeats=_guard(value))
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise ValueError(f"limits.{name} must be a number above 0, not {value!r}")
    cap: Any = value if name in ("cost", "seconds") else _whole(f"limits.{name}", value)
    return replace(limits, **{name: cap})


def _guard(values: Any) -> RepeatLimit:
    known = [item.name for item in fields(RepeatLimit)]
    if not isinstance(values, Mapping) or not set(values) <= set(known):
        raise ValueError(f"limits.repeats is a table of {', '.join(known)}, not {values!r}")
    given = dict(values)
    for name in ("nudge", "stop"):
        if given.get(name) is not None:
            given[name] = _whole(f"limits.repeats.{name}", given[name])
    if given.get("match", "call") not in ("call", "call+result"):
        raise ValueError(f'limits.repeats.match is "call" or "call+result", not {given["match"]!r}')
    return RepeatLimit(**given)


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 1 or value % 1:
        raise ValueError(f"{name} must be a whole number above 0, not {value!r}")
    return int(value)
