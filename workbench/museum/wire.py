"""The rules of an OpenAI-style chat endpoint for a list of messages, and its words for whoever breaks them. Offline."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

ROLES = ("system", "developer", "user", "assistant", "tool")
_SHOWN = 500
_KINDS: dict[type, str] = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a decimal",
    type(None): "null",
}


def problem(messages: Sequence[Mapping[str, Any]]) -> str:
    """What such an endpoint answers to a request with these messages, with status 400; "" when it takes them."""
    open_calls: list[str] = []
    answering = False
    for index, message in enumerate(messages):
        found = _shape(index, message)
        if found:
            return found
        if message["role"] == "tool":
            if not answering:
                return (
                    "Invalid parameter: messages with role 'tool' must be a response to a preceding message "
                    "with 'tool_calls'."
                )
            if message["tool_call_id"] not in open_calls:
                return f"'tool_call_id' of '{message['tool_call_id']}' not found in 'tool_calls' of previous message."
            open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            return _unanswered(open_calls)
        open_calls = [call["id"] for call in message.get("tool_calls") or ()]
        answering = bool(open_calls)
    return _unanswered(open_calls) if open_calls else ""


def _unanswered(calls: Sequence[str]) -> str:
    return (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        f"The following tool_call_ids did not have response messages: {', '.join(calls)}"
    )


def _shape(index: int, message: Mapping[str, Any]) -> str:
    """What is wrong with one message by itself."""
    at = f"messages[{index}]"
    role = message.get("role")
    if role not in ROLES:
        known = ", ".join(f"'{name}'" for name in ROLES)
        return f"Invalid value: '{role}'. Supported values are: {known}."
    calls = message.get("tool_calls")
    if role == "assistant" and calls is not None:
        return _calls(f"{at}.tool_calls", calls)
    if role == "tool" and "tool_call_id" not in message:
        return f"Missing required parameter: '{at}.tool_call_id'."
    return _string(f"{at}.content", message.get("content"))


def _calls(at: str, calls: Sequence[Mapping[str, Any]]) -> str:
    if not calls:
        return f"Invalid '{at}': empty array. Expected an array with minimum length 1, but got an empty array instead."
    for index, call in enumerate(calls):
        function = call.get("function", {})
        found = (
            _string(f"{at}[{index}].id", call.get("id"))
            or _string(f"{at}[{index}].function.name", function.get("name"))
            or _string(f"{at}[{index}].function.arguments", function.get("arguments"))
        )
        if found:
            return found
    return ""


def _string(at: str, value: object) -> str:
    if isinstance(value, str):
        return ""
    return f"Invalid type for '{at}': expected a string, but got {_KINDS.get(type(value), 'something else')} instead."


def listing(messages: Sequence[Mapping[str, Any]]) -> str:
    """The messages of a request as lines, for whoever wants to see what was sent."""
    lines = []
    for index, message in enumerate(messages):
        text = json.dumps(dict(message), ensure_ascii=False, default=str)
        lines.append(f"messages[{index}] {text if len(text) <= _SHOWN else f'{text[:_SHOWN]}…'}")
    return "\n".join(lines)
