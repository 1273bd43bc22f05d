"""A run as spans of OpenTelemetry, after its conventions for generative AI: OTLP in its JSON form.

It is written without the SDK. The SDK measures what happens while it happens; here everything has happened, and ids
and times come from the journal, so that the same run gives the same bytes. Any collector takes the file: by its
`otlpjsonfile` receiver, or as the body of a POST to /v1/traces.

A run is a span `invoke_agent`, each request one below it, each call that ran one more, whoever made it. Times are
those of work, laid end to end from when the session was created; waiting for a person is not in them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from workbench import __version__
from workbench.core.canonical import digest
from workbench.core.events import ContextChanged, ModelFailed, ModelReply, SettingsChanged, ToolResult
from workbench.core.model_info import model_from
from workbench.core.records import CallRecord, Message, RequestMark
from workbench.core.statuses import SUCCESSES, SUSPENDED, Status
from workbench.core.values import Call, ModelInfo
from workbench.export.forms import Recorded, Written
from workbench.export.json_text import json_text
from workbench.models.wire.body import clean
from workbench.models.wire.endpoint import WireName
from workbench.models.wire.wires import WIRES

LATEST = 2**64 - 1
"""The last moment that OTLP can name, in nanoseconds since 1970."""
INTERNAL, CLIENT, FAILED = 1, 3, 2
"""Kinds of a span, and the status of one that failed, as OTLP numbers them."""
FINISH = {"tool_calls": "tool_call", "blocked": "content_filter", "refused": "content_filter"}
"""Our finish reasons in the words of the conventions, where those differ."""
Attributes = Mapping[str, Any]


def write(run: Recorded) -> Written:
    """One object with all spans, as JSON."""
    scope = {"name": "workbench", "version": __version__}
    resource = {"attributes": _encoded({"service.name": "agent-workbench", "service.version": __version__})}
    spans = [{"scope": scope, "spans": list(_Trace(run).spans())}]
    return Written(json_text({"resourceSpans": [{"resource": resource, "scopeSpans": spans}]}) + "\n")


def _asked(run: Recorded) -> list[tuple[int, ModelInfo]]:
    chosen = [(n, event.changes) for n, event in enumerate(run.events, 1) if isinstance(event, SettingsChanged)]
    return [(0, run.header.asks), *((n, model_from(changes["model"])) for n, changes in chosen if "model" in changes)]


def _provider(model: ModelInfo) -> str:
    wires: Mapping[WireName, Any] = WIRES
    return model.use if model.use in wires else "workbench"


@dataclass(slots=True)
class _Trace:
    """Makes the spans of one run, one after the other."""

    run: Recorded
    now: int = 0
    """Nanoseconds since 1970: where the next span begins."""
    made: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[int, ModelInfo]] = field(default_factory=list)
    """The models that were asked, each with the number of the event from which on, the first first."""

    def spans(self) -> Iterator[dict[str, Any]]:
        run = self.run
        self.now = begin = _moment(run.header.created)
        self.asked = _asked(run)
        calls: dict[int, list[CallRecord]] = {}
        for record in run.state.every_call():
            calls.setdefault(record.n, []).append(record)
        marks = {mark.n: mark for mark in run.state.requests}
        for n in sorted(marks.keys() | calls.keys()):
            if n in marks:
                self._request(marks[n])
            for record in calls.get(n, ()):
                if record.started is not None and record.result is not None:
                    self._call(record, record.result)
        yield self._root(begin)
        yield from self.made

    def _root(self, begin: int) -> dict[str, Any]:
        state, header = self.run.state, self.run.header
        status = state.stopped.status if state.stopped is not None else Status.RUNNING
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": _provider(self.asked[0][1]),
            "gen_ai.agent.name": self.run.title,
            "gen_ai.conversation.id": header.id,
            "gen_ai.request.model": self.asked[0][1].shown,
            "workbench.status": status.value,
        }
        failed = "" if status in SUCCESSES | SUSPENDED | {Status.RUNNING} else status.value
        return self._span("root", f"invoke_agent {self.run.title}", INTERNAL, begin, self.now, attributes, failed)

    def _request(self, mark: RequestMark) -> None:
        state, header = self.run.state, self.run.header
        event = self.run.events[mark.n - 1]
        assert isinstance(event, ModelReply | ModelFailed | ContextChanged)
        model = next(info for n, info in reversed(self.asked) if n < mark.n)
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": _provider(model),
            "gen_ai.conversation.id": header.id,
            "gen_ai.request.model": model.shown,
            "gen_ai.input.messages": _json([_input(message, state.protocol.native_tools) for message in mark.sent]),
        }
        if state.system:
            attributes["gen_ai.system_instructions"] = _json([_text(state.system)])
        if state.protocol.native_tools and header.tools:
            attributes["gen_ai.tool.definitions"] = _json(WIRES["openai"].encode_tools(header.tools))
        if mark.purpose == "summary":
            attributes["workbench.purpose"] = mark.purpose
        if isinstance(event, ModelReply):
            attributes |= _reply(event, state.protocol.native_tools)
        elif isinstance(event, ContextChanged):
            attributes |= _said([_text(event.replacement)], "stop") | _figures(event)
        failed = event.failure if isinstance(event, ModelFailed) else ""
        self._add(f"request {mark.n}", f"chat {model.shown}", CLIENT, event.took, attributes, failed)

    def _call(self, record: CallRecord, result: ToolResult) -> None:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": record.call.tool,
            "gen_ai.tool.call.id": record.call.id,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.arguments": record.arguments or record.call.arguments,
            "gen_ai.tool.call.result": result.content,
            "workbench.outcome": result.outcome,
        }
        tool = self.run.state.tool(record.call.tool)
        if tool is not None and tool.description:
            attributes["gen_ai.tool.description"] = tool.description
        name = f"execute_tool {record.call.tool}"
        failed = result.outcome if result.is_error else ""
        self._add(f"call {record.call.id}", name, INTERNAL, result.took, attributes, failed)

    def _add(self, key: str, name: str, kind: int, took: float, attributes: Attributes, failed: str) -> None:
        begin = self.now
        self.now = min(self.now + round(min(max(0.0, took) * 1e9, LATEST)), LATEST)
        self.made.append(self._span(key, name, kind, begin, self.now, attributes, failed))

    def _span(
        self, key: str, name: str, kind: int, begin: int, end: int, attributes: Attributes, failed: str
    ) -> dict[str, Any]:
        run_id = self.run.header.id
        span = {
            "traceId": digest("trace", run_id) + digest("trace again", run_id),
            "spanId": digest("span", run_id, key),
            "parentSpanId": "" if key == "root" else digest("span", run_id, "root"),
            "name": name,
            "kind": kind,
            "startTimeUnixNano": str(begin),
            "endTimeUnixNano": str(end),
            "attributes": _encoded({**attributes, **({"error.type": failed} if failed else {})}),
        }
        return {**span, "status": {"code": FAILED}} if failed else span


def _reply(event: ModelReply, native: bool) -> dict[str, Any]:
    """What a reply says on its span. Figures of our own are no figures of the provider, and stand apart."""
    parts = [{"type": "reasoning", "content": event.thinking}] if event.thinking else []
    parts += [_text(event.text)] if event.text else []
    parts += [_call(call) for call in event.calls] if native else []
    finish = FINISH.get(event.finish, event.finish)
    return {
        "gen_ai.response.finish_reasons": [event.finish],
        **_said(parts, finish),
        **_figures(event),
    }


def _said(parts: list[dict[str, Any]], finish: str) -> dict[str, Any]:
    return {"gen_ai.output.messages": _json([{"role": "assistant", "parts": parts, "finish_reason": finish}])}


def _figures(event: ModelReply | ContextChanged) -> dict[str, Any]:
    figures = {
        "gen_ai.usage.input_tokens": event.input_tokens,
        "gen_ai.usage.output_tokens": event.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": event.cache_read,
        "gen_ai.usage.cache_creation.input_tokens": event.cache_write,
        "gen_ai.response.model": event.model or None,
        "workbench.estimate.input_tokens": event.input_estimate if event.input_tokens is None else None,
        "workbench.estimate.output_tokens": event.output_estimate if event.output_tokens is None else None,
    }
    return {name: value for name, value in figures.items() if value is not None}


def _input(message: Message, native: bool) -> dict[str, Any]:
    """A message of the transcript with its parts. Outside the native protocol calls and results are in the texts."""
    if message.role == "assistant":
        calls = [_call(call) for call in message.calls] if native else []
        return {"role": "assistant", "parts": [*([_text(message.text)] if message.text else []), *calls]}
    if message.role == "tool" and native:
        part = {"type": "tool_call_response", "id": message.call_id, "response": message.text}
        return {"role": "tool", "parts": [part]}
    return {"role": "user", "parts": [_text(message.text)]}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "content": text}


def _call(call: Call) -> dict[str, Any]:
    """A call under the id that is unique in the session, as its result and its span have it, too."""
    try:
        value = json.loads(call.arguments)
    except (ValueError, RecursionError):
        value = call.arguments
    return {"type": "tool_call", "id": call.id, "name": call.tool, "arguments": value}


def _json(value: Any) -> str:
    return json_text(value, indent=None)


def _moment(created: str) -> int:
    """The time of a header in nanoseconds; the beginning of 1970 where there is none that OTLP can name."""
    try:
        seconds = int(datetime.fromisoformat(created).astimezone(UTC).timestamp())
        return min(max(0, seconds) * 1_000_000_000, LATEST)
    except (ValueError, OverflowError):
        return 0


def _encoded(attributes: Attributes) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in attributes.items()]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)} if -(2**63) <= value < 2**63 else {"stringValue": hex(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": list(map(_value, value))}}
    return {"stringValue": clean(str(value))}
