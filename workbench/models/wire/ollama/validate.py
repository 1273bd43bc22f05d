"""The rules of /api/chat for a request, and its words for whoever breaks them. Offline.

It asks for kinds of values only: nothing about the order of messages, and no ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.models.wire.shapes import is_kind, kind_of

FIELDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "model": (str, "string"),
    "messages": (list, "[]api.Message"),
    "tools": (list, "api.Tools"),
    "stream": (bool, "bool"),
    "format": ((str, dict), "json.RawMessage"),
    "keep_alive": ((str, float), "api.Duration"),
    "options": (dict, "map[string]interface {}"),
    "think": ((bool, str), "api.ThinkValue"),
}
"""Fields of a request, what each must be, and the server's word for that. Others are passed over."""

ROLES = ("system", "user", "assistant", "tool")
_MESSAGE: dict[str, tuple[type | tuple[type, ...], str]] = {
    "content": (str, "string"),
    "thinking": (str, "string"),
    "tool_name": (str, "string"),
    "images": (list, "[]api.ImageData"),
    "tool_calls": (list, "[]api.ToolCall"),
}


def problem(body: Mapping[str, Any]) -> str:
    """What the server answers to this body, with status 400; "" when it takes it."""
    if not body.get("model"):
        return "model is required"
    for name, (kind, word) in FIELDS.items():
        if body.get(name) is not None and not is_kind(body[name], kind):
            return _type(name, body[name], word)
    for message in body.get("messages") or ():
        found = _message(message)
        if found:
            return found
    for tool in body.get("tools") or ():
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("parameters", {}), dict):
            return _type("tools.function", function, "api.ToolFunction")
    return ""


def _message(message: Any) -> str:
    if not isinstance(message, dict):
        return _type("messages", message, "api.Message")
    if message.get("role") not in ROLES:
        return f"invalid role: {message.get('role')!r}, must be one of {', '.join(ROLES)}"
    for name, (kind, word) in _MESSAGE.items():
        if message.get(name) is not None and not is_kind(message[name], kind):
            return _type(f"messages.{name}", message[name], word)
    for call in message.get("tool_calls") or ():
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            return _type("messages.tool_calls.function", function, "api.ToolCallFunction")
        if not isinstance(function.get("name"), str):
            return _type("messages.tool_calls.function.name", function.get("name"), "string")
        if not isinstance(function.get("arguments"), dict):
            arguments = function.get("arguments")
            return _type("messages.tool_calls.function.arguments", arguments, "api.ToolCallFunctionArguments")
    return ""


def _type(at: str, value: object, word: str) -> str:
    kind = kind_of(value).split(" ")[-1]
    return f"json: cannot unmarshal {kind} into Go struct field ChatRequest.{at} of type {word}"
