"""What /api/chat takes, and its words for what it does not take. Offline.

Source: `ChatHandler` in server/routes.go and the types in api/types.go of ollama/ollama, August 2026. A body is bound
to these types and nothing more is asked of it: any role, any order of messages, results without calls, calls without
results or arguments, empty contents. Unknown keys are passed over, and null is as good as nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.models.wire.shapes import is_kind

Kinds = Mapping[str, tuple[type | tuple[type, ...], str]]
"""Fields, what each must be, and the server's word for that."""

FIELDS: Kinds = {
    "model": (str, "string"),
    "messages": (list, "[]api.Message"),
    "stream": (bool, "bool"),
    "format": ((str, dict), "json.RawMessage"),
    "tools": (list, "api.Tools"),
    "options": (dict, "map[string]interface {}"),
    "truncate": (bool, "bool"),
    "shift": (bool, "bool"),
    "logprobs": (bool, "bool"),
    "top_logprobs": (int, "int"),
}
_MESSAGE: Kinds = {
    "role": (str, "string"),
    "content": (str, "string"),
    "thinking": (str, "string"),
    "images": (list, "[]api.ImageData"),
    "tool_calls": (list, "[]api.ToolCall"),
    "tool_name": (str, "string"),
    "tool_call_id": (str, "string"),
}
_CALL: Kinds = {"id": (str, "string"), "function": (dict, "api.ToolCallFunction")}
_CALLED: Kinds = {"index": (int, "int"), "name": (str, "string")}
_TOOL: Kinds = {"type": (str, "string"), "function": (dict, "api.ToolFunction")}
_OFFERED: Kinds = {
    "name": (str, "string"),
    "description": (str, "string"),
    "parameters": (dict, "api.ToolFunctionParameters"),
}
_THINK = ("high", "medium", "low", "max")
_MOST_LOGPROBS = 20
_NO_OBJECT = "Value looks like object, but can't find closing '}' symbol"
"""What it says of arguments that are no object: whoever is used to another wire sends them as a string."""
_WORDS: dict[type, str] = {dict: "object", list: "array", str: "string", bool: "bool", int: "number", float: "number"}


def problem(body: Mapping[str, Any]) -> str:
    """What the server answers to this body, with status 400; "" when it takes it."""
    found = _wrong(body, FIELDS) or _think(body.get("think")) or _keep_alive(body.get("keep_alive"))
    for message in () if found else body.get("messages") or ():
        found = found or _message(message)
    for tool in () if found else body.get("tools") or ():
        found = found or _nested(tool, "tools", "api.Tool", _TOOL, _OFFERED)
    if found:
        return found
    if not 0 <= (body.get("top_logprobs") or 0) <= _MOST_LOGPROBS:
        return f"top_logprobs must be between 0 and {_MOST_LOGPROBS}"
    return "" if body.get("model") else "model is required"


def _message(message: Any) -> str:
    if message is None:
        return ""
    if not isinstance(message, dict):
        return _type(("messages",), message, "api.Message")
    found = _wrong(message, _MESSAGE, "messages")
    for call in () if found else message.get("tool_calls") or ():
        found = found or _nested(call, "messages.tool_calls", "api.ToolCall", _CALL, _CALLED)
        arguments = None if found or call is None else (call.get("function") or {}).get("arguments")
        if arguments is not None and not isinstance(arguments, dict):
            return _NO_OBJECT
    return found


def _nested(value: Any, at: str, word: str, kinds: Kinds, inner: Kinds) -> str:
    """What is wrong with an object that has a function in it."""
    if value is None:
        return ""
    if not isinstance(value, dict):
        return _type((at,), value, word)
    return _wrong(value, kinds, at) or _wrong(value.get("function") or {}, inner, at, "function")


def _wrong(value: Mapping[str, Any], kinds: Kinds, *at: str) -> str:
    for name, (kind, word) in kinds.items():
        if value.get(name) is not None and not is_kind(value[name], kind):
            return _type((*at, name), value[name], word)
    return ""


def _think(value: Any) -> str:
    if value is None or isinstance(value, bool) or value in _THINK:
        return ""
    words = ", ".join(f'"{word}"' for word in _THINK)
    if isinstance(value, str):
        return f'invalid think value: "{value}" (must be {words}, true, or false)'
    return f"think must be a boolean or string ({words}, true, or false)"


def _keep_alive(value: Any) -> str:
    if value is None or is_kind(value, (str, float)):
        return ""
    kind = {bool: "bool", list: "[]interface {}", dict: "map[string]interface {}"}[type(value)]
    return f"Unsupported type: '{kind}'"


def _type(at: Sequence[str], value: object, word: str) -> str:
    path = ".".join(at)
    return f"json: cannot unmarshal {_WORDS[type(value)]} into Go struct field ChatRequest.{path} of type {word}"
