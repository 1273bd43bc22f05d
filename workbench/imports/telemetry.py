"""Spans as exporters of OpenTelemetry write them: OTLP in JSON, or as the Python SDK prints each of them. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from workbench.imports.conversation import items_of
from workbench.models.wire.body import as_text

_VALUES = ("stringValue", "boolValue", "intValue", "doubleValue", "arrayValue", "kvlistValue", "bytesValue")


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """An event of a span."""

    name: str
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A span with plain values."""

    name: str
    trace: str = ""
    begin: int = 0
    """Nanoseconds since 1970."""
    end: int = 0
    attributes: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[Happening, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        return max(0, self.end - self.begin) / 1e9

    def text(self, name: str) -> str:
        """An attribute that is text; "" for any other."""
        return as_text(self.attributes.get(name))


def spans_in(values: Iterable[Any]) -> list[Span]:
    """The spans of a file, in the order in which they began; each value is a line of it, or an item of its list."""
    found = [span for value in values for span in _spans(value)]
    return sorted(found, key=lambda span: span.begin)


def is_telemetry(value: Any) -> bool:
    """Whether this is a span, or holds some."""
    return isinstance(value, Mapping) and (
        isinstance(value.get("resourceSpans") or value.get("resource_spans"), list) or _is_span(value)
    )


def _is_span(value: Mapping[str, Any]) -> bool:
    return (
        "attributes" in value and "name" in value and any(name in value for name in ("context", "traceId", "trace_id"))
    )


def _spans(value: Any) -> Iterator[Span]:
    if not isinstance(value, Mapping):
        return
    resources = value.get("resourceSpans") or value.get("resource_spans")
    if isinstance(resources, list):
        for resource in filter(_is_object, resources):
            for scope in filter(_is_object, items_of(resource.get("scopeSpans") or resource.get("scope_spans"))):
                for span in filter(_is_object, items_of(scope.get("spans"))):
                    yield _span(span)
    elif _is_span(value):
        yield _span(value)


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _span(value: Mapping[str, Any]) -> Span:
    context = value.get("context")
    context = context if isinstance(context, Mapping) else value
    return Span(
        name=as_text(value.get("name")),
        trace=as_text(context.get("traceId")) or as_text(context.get("trace_id")),
        begin=_moment(value.get("startTimeUnixNano", value.get("start_time"))),
        end=_moment(value.get("endTimeUnixNano", value.get("end_time"))),
        attributes=_attributes(value.get("attributes")),
        events=tuple(_happening(event) for event in items_of(value.get("events")) if isinstance(event, Mapping)),
        raw=value,
    )


def _happening(value: Mapping[str, Any]) -> Happening:
    return Happening(name=as_text(value.get("name")), attributes=_attributes(value.get("attributes")))


def _attributes(value: Any) -> dict[str, Any]:
    """A mapping as it is; a list of keys and typed values as the mapping that it stands for."""
    if isinstance(value, Mapping):
        return dict(value)
    pairs = (pair for pair in items_of(value) if isinstance(pair, Mapping))
    return {as_text(pair.get("key")): _value(pair.get("value")) for pair in pairs}


def _value(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    name = next((name for name in _VALUES if name in value), "")
    inner = value.get(name)
    if name == "intValue":
        return int(inner) if isinstance(inner, int | str) and str(inner).lstrip("-").isdigit() else inner
    if name == "arrayValue":
        return [_value(item) for item in items_of(_inside(inner))]
    if name == "kvlistValue":
        return _attributes(_inside(inner))
    return inner


def _inside(value: Any) -> Any:
    return value.get("values") if isinstance(value, Mapping) else None


def _moment(value: Any) -> int:
    if isinstance(value, str) and not value.isdigit():
        try:
            return int(datetime.fromisoformat(value).timestamp() * 1_000_000) * 1000
        except ValueError:
            return 0
    return int(value) if isinstance(value, int | str) else 0


def structured(value: Any) -> Any:
    """An attribute that holds JSON: as it is, or read where it came as text; None where that is not JSON."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None
