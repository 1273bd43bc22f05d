"""Messages in the shape of OpenAI chat completions. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.core.values import ToolInfo
from workbench.imports.conversation import (
    NO_SCHEMA,
    Instructed,
    Item,
    Kept,
    Returned,
    Said,
    Told,
    items_of,
    kept,
    raw_json,
    strange_role,
)
from workbench.imports.conversation import strange_fields as strange
from workbench.models.wire.body import as_text
from workbench.models.wire.errors import Malformed
from workbench.models.wire.openai import decode

SHAPE = "OpenAI chat messages"
SYSTEM_ROLES = ("system", "developer")
ROLES = (*SYSTEM_ROLES, "user", "assistant", "tool")
_TEXT_PARTS = ("text", "input_text", "output_text")
_FIELDS: dict[str, frozenset[str]] = {
    **dict.fromkeys((*SYSTEM_ROLES, "user"), frozenset({"role", "content", "name"})),
    "assistant": frozenset(
        {"role", "content", "name", "tool_calls", "function_call", "refusal", *decode.REASONING, *decode.ECHOED}
    ),
    **dict.fromkeys(("tool", "function"), frozenset({"role", "content", "name", "tool_call_id"})),
}


def read(messages: Sequence[Any]) -> tuple[str, list[Item]]:
    """The system prompt, and everything else in order."""
    system: list[str] = []
    items: list[Item] = []
    for number, message in enumerate(messages, 1):
        where = f"message {number}"
        if not isinstance(message, Mapping):
            items.append(kept(f"{where} is no object, so it is not read", message))
            continue
        role = as_text(message.get("role"))
        if role in SYSTEM_ROLES and all(isinstance(item, Kept) for item in items):
            text, notes = text_of(where, message.get("content"))
            system.append(text)
            items += notes
        else:
            items += _message(where, role, message)
        items += strange(where, message, _FIELDS.get(role, frozenset(message)))
    return "\n\n".join(filter(None, system)), items


def text_of(where: str, content: Any) -> tuple[str, list[Item]]:
    """The text of a content, and what in it is no text."""
    if isinstance(content, str) or content is None:
        return as_text(content), []
    if not isinstance(content, list):
        return raw_json(content), []
    texts: list[str] = []
    others: list[Item] = []
    for part in content:
        kind = as_text(part.get("type")) if isinstance(part, Mapping) else ""
        if isinstance(part, str):
            texts.append(as_text(part))
        elif kind in _TEXT_PARTS:
            texts.append(as_text(part.get("text")))
        else:
            others.append(kept(f"{where}: a part {f'of kind {kind}' if kind else 'without a kind'} is not read", part))
    return "\n".join(texts), others


def tools(given: Any) -> tuple[ToolInfo, ...]:
    """The tools that were offered, as far as they can be read; the first one of a name."""
    found: dict[str, ToolInfo] = {}
    for tool in items_of(given):
        function = tool.get("function", tool) if isinstance(tool, Mapping) else None
        if isinstance(function, Mapping) and (name := as_text(function.get("name"))):
            schema = next((function[key] for key in ("parameters", "input_schema") if key in function), None)
            found.setdefault(name, tool_info(name, as_text(function.get("description")), schema))
    return tuple(found.values())


def tool_info(name: str, description: str, schema: Any) -> ToolInfo:
    """A tool as a log knows it: nothing is said of what it may touch."""
    return ToolInfo(
        name=name, description=description, schema=raw_json(schema) if isinstance(schema, Mapping) else NO_SCHEMA
    )


def _message(where: str, role: str, message: Mapping[str, Any]) -> Iterator[Item]:
    content = message.get("content")
    if role == "assistant":
        yield from _reply(where, message)
        return
    text, others = text_of(where, content)
    if role in SYSTEM_ROLES:
        yield Instructed(text)
    elif role == "user":
        yield Told(text)
    elif role in ("tool", "function"):
        yield Returned(as_text(message.get("tool_call_id")), as_text(message.get("name")), text)
    else:
        yield strange_role(where, role, message, ROLES)
        return
    yield from others


def _reply(where: str, message: Mapping[str, Any]) -> Iterator[Item]:
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        yield kept(f"{where}: its tool_calls are no list", message)
        return
    if message.get("function_call"):
        calls = [*calls, {"type": "function", "id": "", "function": message["function_call"]}]
    whole = {**message, "tool_calls": calls}
    try:
        reply = decode.decode({"choices": [{"message": whole, "finish_reason": "tool_calls" if calls else "stop"}]})
    except Malformed as error:
        yield kept(f"{where}: {error}", message)
        return
    yield Said(reply)
    for part in items_of(message.get("content")):
        if part.get("type") not in (*_TEXT_PARTS, "refusal"):
            yield kept(f"{where}: a part that is no text", part)
