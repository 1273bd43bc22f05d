"""The rules of a responses endpoint for a request, and its words for whoever breaks them. Offline.

It remembers nothing: an input is the whole history, and what refers to an earlier response refers to nothing. An output
stands anywhere after its call; the items of one response stay together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.models.wire.openai.words import bad_name, missing, wrong_type
from workbench.models.wire.shapes import is_kind, strangers

FIELDS: dict[str, type | tuple[type, ...]] = {
    "access_programs": dict, "background": bool, "background_options": dict, "context_management": list,
    "conversation": (str, dict), "include": list, "input": (str, list), "instructions": str, "max_output_tokens": int,
    "max_tool_calls": int, "metadata": dict, "model": str, "moderation": dict, "parallel_tool_calls": bool,
    "previous_response_id": str, "prompt": dict, "prompt_cache_key": str, "prompt_cache_options": dict,
    "prompt_cache_retention": str, "reasoning": dict, "safety_identifier": str, "service_tier": str, "store": bool,
    "stream": bool, "stream_options": dict, "temperature": float, "text": dict, "tool_choice": (str, dict),
    "tools": list, "top_logprobs": int, "top_p": float, "truncation": str, "user": str,
}  # fmt: skip
"""Every field of a request, and what it must be."""

ROLES = ("assistant", "system", "developer", "user")
_PARTS = {"assistant": ("output_text", "refusal"), "": ("input_text", "input_image", "input_file")}
_TEXTS = {"output_text": "text", "input_text": "text", "refusal": "refusal"}
_ITEMS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "message": {"role": str, "content": (str, list)},
    "function_call": {"call_id": str, "name": str, "arguments": str},
    "function_call_output": {"call_id": str, "output": (str, list)},
    "reasoning": {"summary": list},
    "item_reference": {"id": str},
}
"""The kinds of items that a model without tools of its own takes, and what each must have."""
_SPOKEN = ("message", "function_call", "reasoning")
_CHOICES = ("none", "auto", "required")


def problem(body: Mapping[str, Any]) -> str:
    """What the endpoint answers to this body, with status 400; "" when it takes it."""
    if body.get("model") is None:
        return missing("model")
    for name in strangers(body, frozenset(FIELDS)):
        return f"Unknown parameter: '{name}'."
    for name, value in body.items():
        if value is not None and not is_kind(value, FIELDS[name]):
            return wrong_type(name, FIELDS[name], value)
    if body.get("previous_response_id") is not None:
        return f"Previous response with id '{body['previous_response_id']}' not found."
    if body.get("conversation") is not None or body.get("prompt") is not None:
        return "Conversations and prompts are stored nowhere here; the input has to be the whole history."
    if body.get("background"):
        return "background: nothing is stored here, so a response cannot be asked for later."
    if not body.get("input"):
        return 'One of "input" or "previous_response_id" or "prompt" or "conversation_id" must be provided.'
    return _tools(body) or ("" if isinstance(body["input"], str) else input_problem(body["input"]))


def kind_of_item(item: Mapping[str, Any]) -> str:
    """The type of an item; a message need not say it."""
    kind = item.get("type") or ("message" if "role" in item else "")
    return kind if isinstance(kind, str) else ""


def input_problem(items: Sequence[Any]) -> str:
    """What is wrong with the items; "" when nothing is."""
    waiting: list[str] = []
    known: set[str] = set()
    for index, item in enumerate(items):
        found = _item(f"input[{index}]", item)
        if found:
            return found
        kind, item_id = kind_of_item(item), item.get("id")
        if isinstance(item_id, str) and item_id in known:
            return f"Duplicate item found with id {item_id}. Remove duplicate items from your input and try again."
        known.add(item_id if isinstance(item_id, str) else "")
        known.discard("")
        if kind == "reasoning" and not _goes_on(items[index + 1 :]):
            return f"Item '{item_id}' of type 'reasoning' was provided without its required following item."
        if kind == "function_call":
            if item["call_id"] in waiting:
                return f"Duplicate function call with call_id {item['call_id']} in the input."
            waiting.append(item["call_id"])
        if kind == "function_call_output":
            if item["call_id"] not in waiting:
                return f"No tool call found for function call output with call_id {item['call_id']}."
            waiting.remove(item["call_id"])
    return f"No tool output found for function call {waiting[0]}." if waiting else ""


def _goes_on(items: Sequence[Any]) -> bool:
    """Whether what comes after a thought belongs to the same response."""
    item = items[0] if items and isinstance(items[0], dict) else {}
    kind = kind_of_item(item)
    return kind in _SPOKEN and (kind != "message" or item.get("role") == "assistant")


def _item(at: str, item: Any) -> str:
    if not isinstance(item, dict):
        return wrong_type(at, dict, item)
    kind = kind_of_item(item)
    if not kind:
        return missing(f"{at}.type")
    if kind not in _ITEMS:
        return _invalid(kind, tuple(_ITEMS))
    for name, type_ in _ITEMS[kind].items():
        if item.get(name) is None:
            return missing(f"{at}.{name}")
        if not is_kind(item[name], type_):
            return wrong_type(f"{at}.{name}", type_, item[name])
    if kind == "item_reference":
        return f"Item with id '{item['id']}' not found. Items are not persisted when `store` is set to false."
    if kind == "function_call":
        return bad_name(f"{at}.name", item["name"])
    if kind == "function_call_output":
        return _parts(f"{at}.output", item["output"], _PARTS[""])
    if kind == "message":
        if item["role"] not in ROLES:
            return _invalid(item["role"], ROLES)
        allowed = _PARTS.get(item["role"], _PARTS[""])
        return _parts(f"{at}.content", item["content"], allowed)
    return ""


def _parts(at: str, parts: Any, allowed: tuple[str, ...]) -> str:
    for index, part in enumerate(() if isinstance(parts, str) else parts):
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            return missing(f"{at}[{index}].type")
        if part["type"] not in allowed:
            return _invalid(part["type"], allowed)
        name = _TEXTS.get(part["type"])
        if name and not isinstance(part.get(name), str):
            return missing(f"{at}[{index}].{name}")
    return ""


def _tools(body: Mapping[str, Any]) -> str:
    names = []
    for index, tool in enumerate(body.get("tools") or ()):
        if not isinstance(tool, dict) or not isinstance(tool.get("type"), str):
            return missing(f"tools[{index}].type")
        if tool["type"] != "function":
            continue
        if tool.get("name") is None:
            return missing(f"tools[{index}].name")
        found = bad_name(f"tools[{index}].name", tool["name"])
        if found:
            return found
        if not isinstance(tool.get("parameters") or {}, dict):
            return wrong_type(f"tools[{index}].parameters", dict, tool["parameters"])
        names.append(tool["name"])
    choice = body.get("tool_choice")
    if choice is None or choice in _CHOICES:
        return ""
    if not isinstance(choice, dict):
        return _invalid(choice, _CHOICES)
    if choice.get("type") == "function" and choice.get("name") not in names:
        return f"Tool choice '{choice.get('name')}' not found in 'tools' parameter."
    return ""


def _invalid(value: object, allowed: tuple[str, ...]) -> str:
    *others, last = (f"'{name}'" for name in allowed)
    return f"Invalid value: {value!r}. Supported values are: {', '.join(others)}, and {last}."
