"""Events as plain values, and back. A field that has its default is left out, so a file holds what there is to say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

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
from workbench.core.fields import wrong_field
from workbench.core.statuses import Status
from workbench.core.values import Call, RawCall

AnyCall = TypeVar("AnyCall", Call, RawCall)

EVENT_TYPES: dict[str, type[Event]] = {
    cls.kind: cls
    for cls in (
        UserMessage,
        ModelReply,
        ModelFailed,
        HeldReply,
        Decided,
        Planned,
        ToolStarted,
        ToolResult,
        Held,
        LateResult,
        Notice,
        Remark,
        SettingsChanged,
        ContextChanged,
        StopRequested,
        Stopped,
        Resumed,
        Forked,
        DoneElsewhere,
    )
}


def _plan(cls: type[Any]) -> tuple[tuple[str, Any], ...]:
    plan = []
    for item in fields(cls):
        default = item.default
        if default is MISSING:
            default = item.default_factory() if item.default_factory is not MISSING else MISSING
        plan.append((item.name, default))
    return tuple(plan)


_PLANS: dict[type[Any], tuple[tuple[str, Any], ...]] = {
    cls: _plan(cls) for cls in (*EVENT_TYPES.values(), Call, RawCall)
}


def _fields(item: Any) -> dict[str, Any]:
    out = {}
    for name, default in _PLANS[type(item)]:
        value = getattr(item, name)
        if value is not default and value != default:
            out[name] = value
    return out


def to_fields(event: Event) -> dict[str, Any]:
    """The event's fields that differ from their defaults, as plain values; `kind` is not among them."""
    out = _fields(event)
    calls = out.get("calls")
    if calls:
        out["calls"] = [_call_fields(call) for call in calls]
    for name, value in out.items():
        if isinstance(value, tuple):
            out[name] = list(value)
        elif isinstance(value, Status):
            out[name] = value.value
    return out


def _call_fields(call: Call | RawCall) -> dict[str, Any]:
    out = _fields(call)
    if out.get("canonical") == call.arguments:
        out["canonical"] = True
    return out


def _call_from(values: Mapping[str, Any]) -> Call:
    given = dict(values)
    if given.get("canonical") is True:
        given["canonical"] = given["arguments"]
    return _made(Call, given)


def _raw_call_from(values: Mapping[str, Any]) -> RawCall:
    return _made(RawCall, values)


def _made(cls: type[AnyCall], values: Mapping[str, Any]) -> AnyCall:
    unknown = values.keys() - {name for name, _ in _PLANS[cls]}
    if problem := f"there is no {min(unknown)}" if unknown else wrong_field(cls, values):
        raise ValueError(f"a call of it: {problem}")
    return cls(**values)


def from_fields(kind: str, values: Mapping[str, Any]) -> Event:
    """The event of that kind with those fields. Raises ValueError that names the kind, or the field, at fault."""
    cls = EVENT_TYPES.get(kind)
    if cls is None:
        raise ValueError(f"unknown event kind {kind!r}")
    known = {name for name, _ in _PLANS[cls]}
    for name in values:
        if name not in known:
            raise ValueError(f"event {kind!r} has no field {name!r}")
    given = dict(values)
    if problem := wrong_field(cls, given):
        raise ValueError(f"event {kind!r}: {problem}")
    try:
        if "calls" in given:
            call_from = _raw_call_from if cls is HeldReply else _call_from
            given["calls"] = tuple(call_from(item) for item in given["calls"])
        for name in ("effects", "faults", "notes"):
            if name in given:
                given[name] = tuple(given[name])
        if "status" in given:
            given["status"] = Status(given["status"])
        return cls(**given)
    except (TypeError, KeyError) as error:
        raise ValueError(f"event {kind!r}: {error}") from None
