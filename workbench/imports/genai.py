"""The semantic conventions of OpenTelemetry for generative AI: requests, replies and tool calls in spans. Pure.

Messages are read from `gen_ai.input.messages` and `gen_ai.output.messages`; from events `gen_ai.*.message` and
`gen_ai.choice`; and from numbered attributes `gen_ai.prompt.0.role`, which came before both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.core.canonical import plain_json
from workbench.core.ports import Reply, Usage
from workbench.core.values import RawCall, ToolInfo
from workbench.imports import openai
from workbench.imports.conversation import (
    Conversation,
    Exchange,
    Instructed,
    Item,
    Kept,
    NotUnderstood,
    Returned,
    Said,
    Told,
    items_of,
    joined,
    kept,
    raw_json,
)
from workbench.imports.telemetry import Span, structured
from workbench.models.wire.body import as_arguments, as_count, as_text

SHAPE = "OpenTelemetry GenAI spans"
RUNS_A_TOOL = "execute_tool"
AGENT = ("invoke_agent", "create_agent", "invoke_workflow")
FINISH = {"tool_call": "tool_calls", "content_filter": "blocked"}
"""Their finish reasons in our words, where those differ."""
_NUMBERED = re.compile(r"gen_ai\.(prompt|completion)\.(\d+)\.(.+)")
_NUMBERED_CALL = re.compile(r"tool_calls\.(\d+)\.(\w+)")
_EVENT_ROLES = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}
_CHOICE = "gen_ai.choice"


def read(spans: Sequence[Span]) -> list[Conversation]:
    """The conversations in those spans. Raises NotUnderstood when they hold no message."""
    ours = [span for span in spans if any(name.startswith("gen_ai.") for name in span.attributes)]
    asked = [(span, exchange) for span in ours if not _is(span, RUNS_A_TOOL) and (exchange := _exchange(span))]
    inner = [pair for pair in asked if not _is(pair[0], *AGENT)]
    conversations = joined(exchange for _, exchange in inner or asked)
    if not conversations:
        raise NotUnderstood(
            "it holds spans, but no messages in them: gen_ai.input.messages, gen_ai.output.messages or events "
            "gen_ai.*.message; content is only recorded where that was switched on"
        )
    tools = {call: span for span in ours if _is(span, RUNS_A_TOOL) and (call := span.text("gen_ai.tool.call.id"))}
    found = [_with_tool_spans(conversation, tools) for conversation in conversations]
    others = [span.raw for span in spans if span not in ours]
    if others:
        names = ", ".join(dict.fromkeys(as_text(span.get("name")) for span in others))
        they, are = ("1 span", "is") if len(others) == 1 else (f"{len(others):,} spans", "are")
        note = kept(f"{they} without gen_ai attributes {are} not read: {names}", others)
        found[-1] = replace(found[-1], items=(*found[-1].items, note))
    return found


def _is(span: Span, *operations: str) -> bool:
    operation = span.text("gen_ai.operation.name") or span.name.partition(" ")[0]
    return operation in operations


def _exchange(span: Span) -> Exchange | None:
    """What was asked and replied in a span; None where it holds no messages."""
    system, items, replies = _structured(span)
    if not items and not replies:
        system, items, replies = _as_messages(span)
    if not items and not replies:
        return None
    return Exchange(
        shape=SHAPE,
        system=system,
        tools=_tools(span),
        model=span.text("gen_ai.response.model") or span.text("gen_ai.request.model"),
        items=tuple(items),
        replies=tuple(_reported(span, item) for item in replies),
    )


def _reported(span: Span, item: Item) -> Item:
    """A reply with the figures that stand on its span."""
    if not isinstance(item, Said):
        return item
    figures = {name: as_count(span.attributes.get(f"gen_ai.usage.{name}")) for name in _USAGE}
    reasons = span.attributes.get("gen_ai.response.finish_reasons")
    reason = as_text(reasons[0]) if isinstance(reasons, list) and reasons else ""
    finish = FINISH.get(reason, reason) if reason and item.reply.finish in ("stop", "tool_calls") else item.reply.finish
    reply = replace(
        item.reply,
        finish="tool_calls" if item.reply.calls and finish == "stop" else finish,
        model=span.text("gen_ai.response.model") or span.text("gen_ai.request.model"),
        usage=Usage(
            input=_first(figures, "input_tokens", "prompt_tokens"),
            output=_first(figures, "output_tokens", "completion_tokens"),
            cache_read=_first(figures, "cache_read.input_tokens"),
            cache_write=_first(figures, "cache_creation.input_tokens"),
        ),
    )
    return replace(item, reply=reply, took=span.seconds)


_USAGE = (
    "input_tokens",
    "output_tokens",
    "prompt_tokens",
    "completion_tokens",
    "cache_read.input_tokens",
    "cache_creation.input_tokens",
)


def _first(figures: Mapping[str, int | None], *names: str) -> int | None:
    return next((figures[name] for name in names if figures[name] is not None), None)


def _with_tool_spans(conversation: Conversation, tools: Mapping[str, Span]) -> Conversation:
    """How long each call took and whether it failed; and its result where no later request tells it."""
    items = [_timed(item, tools) for item in conversation.items]
    answered = {item.call for item in items if isinstance(item, Returned)}
    last = next((item for item in reversed(items) if isinstance(item, Said)), None)
    for call in last.reply.calls if last is not None else ():
        span = tools.get(call.provider_id)
        if span is not None and call.provider_id not in answered and "gen_ai.tool.call.result" in span.attributes:
            text = _written(span.attributes["gen_ai.tool.call.result"])
            failed = "error.type" in span.attributes
            items.append(Returned(call.provider_id, call.tool, text, is_error=failed, took=span.seconds))
    return replace(conversation, items=tuple(items))


def _timed(item: Item, tools: Mapping[str, Span]) -> Item:
    if not isinstance(item, Returned) or item.call not in tools:
        return item
    span = tools[item.call]
    return replace(item, took=span.seconds, is_error=item.is_error or "error.type" in span.attributes)


def _tools(span: Span) -> tuple[ToolInfo, ...]:
    definitions = structured(span.attributes.get("gen_ai.tool.definitions"))
    if definitions:
        return openai.tools(definitions)
    numbered: dict[int, dict[str, Any]] = {}
    for name, value in span.attributes.items():
        if found := re.fullmatch(r"llm\.request\.functions\.(\d+)\.(name|description|parameters)", name):
            numbered.setdefault(int(found[1]), {})[found[2]] = structured(value) if found[2] == "parameters" else value
    return openai.tools([{"function": numbered[number]} for number in sorted(numbered)])


# ---------------------------------------------------------------- messages with parts


def _structured(span: Span) -> tuple[str, list[Item], list[Item]]:
    """From the attributes that hold messages with parts: system prompt, what was asked, what was replied."""
    system, items = _part_messages(structured(span.attributes.get("gen_ai.input.messages")))
    instructions = structured(span.attributes.get("gen_ai.system_instructions"))
    if isinstance(instructions, list):
        texts = [as_text(part.get("content")) for part in instructions if isinstance(part, Mapping)]
        system = "\n\n".join(filter(None, [*texts, system]))
    _, replies = _part_messages(structured(span.attributes.get("gen_ai.output.messages")))
    return system, items, replies


def _part_messages(messages: Any) -> tuple[str, list[Item]]:
    system: list[str] = []
    items: list[Item] = []
    for number, message in enumerate(items_of(messages), 1):
        if not isinstance(message, Mapping):
            items.append(kept(f"message {number} is no object, so it is not read", message))
            continue
        parts = message.get("parts")
        if not isinstance(parts, list):
            parts = [{"type": "text", "content": message.get("content")}]
        role = message.get("role")
        if role == "assistant":
            items += _said(number, message, parts)
        elif role == "system" and all(isinstance(item, Kept) for item in items):
            system += [as_text(part.get("content")) for part in parts if isinstance(part, Mapping)]
        else:
            items += _told(number, as_text(role), parts)
    return "\n\n".join(filter(None, system)), items


def _said(number: int, message: Mapping[str, Any], parts: Sequence[Any]) -> Iterator[Item]:
    texts, thoughts, calls, others = [], [], [], []
    for part in parts:
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind == "text":
            texts.append(as_text(part.get("content")))
        elif kind in ("reasoning", "thinking"):
            thoughts.append(as_text(part.get("content")))
        elif kind == "tool_call" and as_text(part.get("name")):
            calls.append(RawCall(as_text(part["name"]), as_arguments(part.get("arguments")), as_text(part.get("id"))))
        else:
            others.append(kept(f"message {number}: a part of kind {kind} is not read", part))
    reason = as_text(message.get("finish_reason"))
    finish = FINISH.get(reason, reason) or ("tool_calls" if calls else "stop")
    yield Said(Reply(text="".join(texts), thinking="\n\n".join(thoughts), calls=tuple(calls), finish=finish))
    yield from others


def _told(number: int, role: str, parts: Sequence[Any]) -> Iterator[Item]:
    for part in parts:
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind == "text":
            text = as_text(part.get("content"))
            yield Instructed(text) if role == "system" else Returned("", "", text) if role == "tool" else Told(text)
        elif kind == "tool_call_response":
            value = next((part[name] for name in ("response", "result") if name in part), "")
            yield Returned(as_text(part.get("id")), "", _written(value))
        else:
            yield kept(f"message {number}: a part of kind {kind} is not read", part)


def _written(value: Any) -> str:
    return as_text(value) if isinstance(value, str) else plain_json(value)


# ---------------------------------------------------------------- messages as events or numbered attributes


def _as_messages(span: Span) -> tuple[str, list[Item], list[Item]]:
    """From events, or from numbered attributes: as messages of the shape that both of them follow."""
    asked, replied = _from_events(span)
    if not asked and not replied:
        asked, replied = _from_numbers(span)
    reasons = [as_text(message.pop("finish_reason", None)) for message in replied]
    system, items = openai.read(asked)
    _, replies = openai.read(replied)
    if replies and isinstance(replies[0], Said) and reasons[0]:
        finish = FINISH.get(reasons[0], reasons[0])
        replies[0] = replace(replies[0], reply=replace(replies[0].reply, finish=finish))
    return system, items, replies


def _from_events(span: Span) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    asked, replied = [], []
    for event in span.events:
        body = dict(event.attributes)
        inner = structured(body.get("gen_ai.event.content"))
        body = inner if isinstance(inner, dict) else body
        if event.name == _CHOICE:
            message = structured(body.get("message"))
            message = dict(message) if isinstance(message, Mapping) else {"content": body.get("content")}
            calls = structured(message.get("tool_calls") or body.get("tool_calls"))
            replied.append(
                {"role": "assistant", "content": message.get("content"), "finish_reason": body.get("finish_reason")}
                | ({"tool_calls": _calls(calls)} if calls else {})
            )
        elif event.name in _EVENT_ROLES:
            role = as_text(body.get("role")) or _EVENT_ROLES[event.name]
            message = {"role": role, "content": body.get("content")}
            if calls := structured(body.get("tool_calls")):
                message["tool_calls"] = _calls(calls)
            if role == "tool":
                message["tool_call_id"] = body.get("id") or body.get("tool_call_id")
            asked.append(message)
    return asked, replied


def _calls(calls: Any) -> list[Any]:
    """Calls whose arguments may be an object, as this shape never has them."""
    return list(map(_call, items_of(calls)))


def _call(call: Any) -> Any:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or isinstance(function.get("arguments"), str):
        return call
    return {**call, "function": {**function, "arguments": raw_json(function.get("arguments") or {})}}


def _from_numbers(span: Span) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    messages: dict[str, dict[int, dict[str, Any]]] = {"prompt": {}, "completion": {}}
    calls: dict[tuple[str, int], dict[int, dict[str, Any]]] = {}
    for name, value in span.attributes.items():
        found = _NUMBERED.fullmatch(name)
        if found is None:
            continue
        kind, number, rest = found[1], int(found[2]), found[3]
        message = messages[kind].setdefault(number, {"role": "assistant"} if kind == "completion" else {})
        if call := _NUMBERED_CALL.fullmatch(rest):
            calls.setdefault((kind, number), {}).setdefault(int(call[1]), {})[call[2]] = value
        else:
            message[rest] = value
    for (kind, number), by_number in calls.items():
        messages[kind][number]["tool_calls"] = [
            {
                "id": call.get("id", ""),
                "type": "function",
                "function": {"name": call.get("name"), "arguments": call.get("arguments") or "{}"},
            }
            for _, call in sorted(by_number.items())
        ]
    return ([messages["prompt"][at] for at in sorted(messages["prompt"])],
            [messages["completion"][at] for at in sorted(messages["completion"])])  # fmt: skip
