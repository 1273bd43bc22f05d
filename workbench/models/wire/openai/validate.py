"""The rules of a chat completions endpoint for a request, and its words for whoever breaks them. Offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.models.wire.openai.encode import LONGEST_ID
from workbench.models.wire.openai.words import bad_name, missing, too_long, wrong_type
from workbench.models.wire.shapes import is_kind, strangers

FIELDS: dict[str, type | tuple[type, ...]] = {
    "audio": dict, "frequency_penalty": float, "function_call": (str, dict), "functions": list, "logit_bias": dict,
    "logprobs": bool, "max_completion_tokens": int, "max_tokens": int, "messages": list, "metadata": dict,
    "modalities": list, "model": str, "moderation": dict, "n": int, "parallel_tool_calls": bool, "prediction": dict,
    "presence_penalty": float, "prompt_cache_key": str, "prompt_cache_options": dict, "prompt_cache_retention": str,
    "reasoning_effort": str, "response_format": dict, "safety_identifier": str, "seed": int, "service_tier": str,
    "stop": (str, list), "store": bool, "stream": bool, "stream_options": dict, "temperature": float,
    "tool_choice": (str, dict), "tools": list, "top_logprobs": int, "top_p": float, "user": str, "verbosity": str,
    "web_search_options": dict,
}  # fmt: skip
"""Every field of a request, and what it must be."""

ROLES = ("system", "developer", "user", "assistant", "tool")
_CHOICES = ("none", "auto", "required")
_ONLY_WITH_TOOLS = ("tool_choice", "parallel_tool_calls")


def problem(body: Mapping[str, Any]) -> str:
    """What the endpoint answers to this body, with status 400; "" when it takes it."""
    for name in ("model", "messages"):
        if body.get(name) is None:
            return f"you must provide a {name} parameter" if name == "model" else missing("messages")
    for name in strangers(body, frozenset(FIELDS)):
        return f"Unrecognized request argument supplied: {name}"
    for name, value in body.items():
        if value is not None and not is_kind(value, FIELDS[name]):
            return wrong_type(name, FIELDS[name], value)
    if body.get("stream_options") is not None and not body.get("stream"):
        return "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    return _tools(body) or messages_problem(body["messages"])


def messages_problem(messages: Sequence[Any]) -> str:
    """What is wrong with the messages; "" when nothing is."""
    if not messages:
        return "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array."
    open_calls: list[str] = []
    answering = False
    for index, message in enumerate(messages):
        found = _message(f"messages[{index}]", message)
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
        if len(set(open_calls)) < len(open_calls):
            return f"Duplicate value for 'tool_call_id' of '{max(open_calls, key=open_calls.count)}'."
        answering = bool(open_calls)
    return _unanswered(open_calls) if open_calls else ""


def _unanswered(calls: Sequence[str]) -> str:
    return (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        f"The following tool_call_ids did not have response messages: {', '.join(calls)}"
    )


def _message(at: str, message: Any) -> str:
    if not isinstance(message, dict):
        return wrong_type(at, dict, message)
    role, content, calls = message.get("role"), message.get("content"), message.get("tool_calls")
    if role not in ROLES:
        known = ", ".join(f"'{name}'" for name in ROLES)
        return f"Invalid value: {role!r}. Supported values are: {known}."
    if role == "tool":
        if not is_kind(message.get("tool_call_id"), str):
            return missing(f"{at}.tool_call_id")
        if len(message["tool_call_id"]) > LONGEST_ID:
            return too_long(f"{at}.tool_call_id", message["tool_call_id"], LONGEST_ID)
    if calls is not None:
        if role != "assistant":
            return f"Unrecognized key(s) in '{at}': 'tool_calls'"
        return _calls(f"{at}.tool_calls", calls) or _content(f"{at}.content", content, or_null=True)
    spoken = role == "assistant" and message.get("refusal") is not None
    return _content(f"{at}.content", content, or_null=spoken)


def _content(at: str, content: Any, *, or_null: bool) -> str:
    if isinstance(content, str) or (content is None and or_null):
        return ""
    if not isinstance(content, list):
        return wrong_type(at, (str, list), content)
    for index, part in enumerate(content):
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            return missing(f"{at}[{index}].type")
    return ""


def _calls(at: str, calls: Any) -> str:
    if not isinstance(calls, list):
        return wrong_type(at, list, calls)
    if not calls:
        return f"Invalid '{at}': empty array. Expected an array with minimum length 1, but got an empty array instead."
    for index, call in enumerate(calls):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            return missing(f"{at}[{index}].function")
        for path, value in (
            (f"{at}[{index}].id", call.get("id")),
            (f"{at}[{index}].function.name", function.get("name")),
            (f"{at}[{index}].function.arguments", function.get("arguments")),
        ):
            if not isinstance(value, str):
                return wrong_type(path, str, value)
        if len(call["id"]) > LONGEST_ID:
            return too_long(f"{at}[{index}].id", call["id"], LONGEST_ID)
        if call.get("type") != "function":
            return f"Invalid value: {call.get('type')!r}. Supported values are: 'function' and 'custom'."
    return ""


def _tools(body: Mapping[str, Any]) -> str:
    tools = body.get("tools")
    if tools is None:
        return next((f"'{name}' is only allowed when 'tools' are specified." for name in _ONLY_WITH_TOOLS
                     if body.get(name) is not None), "")  # fmt: skip
    if not tools:
        return "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead."
    names = []
    for index, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict) or tool.get("type") != "function":
            return missing(f"tools[{index}].function")
        found = bad_name(f"tools[{index}].function.name", function.get("name"))
        if found:
            return found
        if not isinstance(function.get("parameters", {}), dict):
            return wrong_type(f"tools[{index}].function.parameters", dict, function["parameters"])
        names.append(function["name"])
    return _choice(body.get("tool_choice"), names)


def _choice(choice: Any, names: Sequence[str]) -> str:
    if choice is None or choice in _CHOICES:
        return ""
    if not isinstance(choice, dict):
        return f"Invalid value: {choice!r}. Supported values are: 'none', 'auto', and 'required'."
    allowed = choice.get("allowed_tools") if choice.get("type") == "allowed_tools" else {"tools": [choice]}
    tools = allowed.get("tools") if isinstance(allowed, dict) else None
    if not isinstance(tools, list):
        return missing("tool_choice.allowed_tools.tools")
    for tool in tools:
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict):
            return missing("tool_choice.function")
        if function.get("name") not in names:
            return f"Tool choice 'function': {function.get('name')!r} not found in 'tools' parameter."
    return ""
