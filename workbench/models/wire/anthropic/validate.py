"""The rules of the Messages API for a request, and its words for whoever breaks them. Offline."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.models.wire.anthropic.encode import API_VERSION, THINKING
from workbench.models.wire.shapes import is_kind, strangers

FIELDS: dict[str, type | tuple[type, ...]] = {
    "cache_control": dict, "container": (str, dict), "diagnostics": dict, "inference_geo": str, "max_tokens": int,
    "messages": list, "metadata": dict, "model": str, "output_config": dict, "service_tier": str, "speed": str,
    "stop_sequences": list, "stream": bool, "system": (str, list), "temperature": float, "thinking": dict,
    "tool_choice": dict, "tools": list, "top_k": int, "top_p": float,
}  # fmt: skip
"""Every field of a request, and what it must be."""

REQUIRED = ("model", "max_tokens", "messages")
SAMPLING = ("temperature", "top_p", "top_k")
_WORDS = {int: "integer", float: "number", str: "string", bool: "boolean", dict: "dictionary", list: "list"}
_ID = re.compile(r"[a-zA-Z0-9_-]+")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_BLOCKS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "text": {"text": str},
    "image": {"source": dict},
    "document": {"source": dict},
    "tool_use": {"id": str, "name": str, "input": dict},
    "tool_result": {"tool_use_id": str},
    "thinking": {"thinking": str, "signature": str},
    "redacted_thinking": {"data": str},
}
"""The kinds of blocks, and what each must have."""
_PLACES: dict[str, tuple[str, ...]] = {
    "user": ("text", "image", "document", "tool_result"),
    "assistant": ("text", "tool_use", *THINKING),
    "system": ("text",),
    "tool_result": ("text", "image", "document"),
}
"""Whose content may hold which of them."""


def problem(body: Mapping[str, Any], api_version: str = API_VERSION) -> str:
    """What the API answers to this body, with status 400; "" when it takes it."""
    for name in REQUIRED:
        if body.get(name) is None:
            return f"{name}: Field required"
    for name in strangers(body, frozenset(FIELDS)):
        return f"{name}: Extra inputs are not permitted"
    for name, value in body.items():
        if not is_kind(value, FIELDS[name]):
            return _type(name, FIELDS[name])
        if name in SAMPLING and api_version >= API_VERSION:
            return f"{name}: sampling parameters are not supported by this version of the API"
    if body["max_tokens"] < 1:
        return "max_tokens: Input should be greater than or equal to 1"
    return _tools(body) or messages_problem(body["messages"])


def messages_problem(messages: Sequence[Any]) -> str:
    """What is wrong with the messages; "" when nothing is."""
    if not messages:
        return "messages: at least one message is required"
    waiting: list[str] = []
    used: set[str] = set()
    for index, message in enumerate(messages):
        at = f"messages.{index}"
        found = _message(at, message)
        if found:
            return found
        content = message["content"]
        blocks = content if isinstance(content, list) else []
        found = _results(at, blocks, waiting, index)
        if found:
            return found
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if len(set(waiting)) < len(waiting) or used & set(waiting):
            return f"{at}: `tool_use` ids must be unique"
        used |= set(waiting)
    if messages[0]["role"] != "user":
        return 'messages: first message must use the "user" role'
    if waiting:
        return _unanswered(len(messages) - 1, waiting)
    if messages[-1]["role"] == "assistant":
        return "This model does not support assistant message prefill. The conversation must end with a user message."
    return ""


def _results(at: str, blocks: Sequence[Mapping[str, Any]], waiting: Sequence[str], index: int) -> str:
    """Whether a message answers all calls of the one before it, first of all, and nothing else."""
    answered: list[str] = []
    others = False
    for position, block in enumerate(blocks):
        if block["type"] != "tool_result":
            others = True
            continue
        call = block["tool_use_id"]
        if call not in waiting:
            return (
                f"{at}.content.{position}: unexpected `tool_use_id` found in `tool_result` blocks: {call}. "
                "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            )
        if call in answered:
            return f"{at}.content.{position}: each tool_use must have a single result. Found multiple for id: {call}"
        if others:
            return f"{at}.content.{position}: `tool_result` blocks must come first in the content of a message"
        answered.append(call)
    missing = [call for call in waiting if call not in answered]
    return _unanswered(index - 1, missing) if missing else ""


def _unanswered(index: int, calls: Sequence[str]) -> str:
    return (
        f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: "
        f"{', '.join(calls)}. Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    )


def _message(at: str, message: Any) -> str:
    if not isinstance(message, dict):
        return _type(at, dict)
    role, content = message.get("role"), message.get("content")
    if role not in ("user", "assistant", "system"):
        return f"{at}.role: Input should be 'user', 'assistant' or 'system'"
    if not isinstance(content, str | list):
        return f"{at}.content: Field required" if content is None else _type(f"{at}.content", list)
    if not content:
        return f"{at}: {role} messages must have non-empty content"
    if isinstance(content, str):
        return "" if content.strip() else "messages: text content blocks must contain non-whitespace text"
    for position, block in enumerate(content):
        found = _block(f"{at}.content.{position}", block, role)
        if found:
            return found
    if role == "assistant" and content[-1]["type"] in THINKING:
        return f"{at}: The final block in an assistant message cannot be `thinking`."
    return ""


def _block(at: str, block: Any, place: str) -> str:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(kind, str) or kind not in _BLOCKS:
        return f"{at}: Input tag {kind!r} found using 'type' does not match any of the expected tags"
    for name, type_ in _BLOCKS[kind].items():
        if name not in block:
            return f"{at}.{kind}.{name}: Field required"
        if not is_kind(block[name], type_):
            return _type(f"{at}.{kind}.{name}", type_)
    if kind == "text" and not block["text"].strip():
        return "messages: text content blocks must contain non-whitespace text"
    if kind not in _PLACES[place]:
        return f"{at}: `{kind}` blocks are not allowed in {place} {'content' if place == 'tool_result' else 'messages'}"
    if kind == "tool_use" and not (_ID.fullmatch(block["id"]) and _NAME.fullmatch(block["name"])):
        return f"{at}.tool_use: id and name should match pattern '^[a-zA-Z0-9_-]+$'"
    return _content(f"{at}.tool_result.content", block.get("content", "")) if kind == "tool_result" else ""


def _content(at: str, content: Any) -> str:
    if isinstance(content, str):
        return ""
    if not isinstance(content, list):
        return _type(at, list)
    return next(
        (found for index, part in enumerate(content) if (found := _block(f"{at}.{index}", part, "tool_result"))), ""
    )


def _tools(body: Mapping[str, Any]) -> str:
    tools = body.get("tools", [])
    names = []
    for index, tool in enumerate(tools):
        if not isinstance(tool, dict) or not _NAME.fullmatch(str(tool.get("name", ""))):
            return f"tools.{index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
        schema = tool.get("input_schema")
        if not isinstance(schema, dict) or schema.get("type") != "object":
            return f"tools.{index}.custom.input_schema.type: Field required"
        names.append(tool["name"])
    if len(set(names)) < len(names):
        return "tools: Tool names must be unique."
    choice = body.get("tool_choice")
    if choice is None:
        return ""
    if not names:
        return "tool_choice: may only be specified while providing tools."
    if choice.get("type") not in ("auto", "any", "tool", "none"):
        return f"tool_choice: Input tag {choice.get('type')!r} does not match any of the expected tags"
    if choice["type"] == "tool" and choice.get("name") not in names:
        return f"Tool '{choice.get('name')}' not found in provided tools"
    if choice["type"] == "none" and "disable_parallel_tool_use" in choice:
        return "tool_choice.none.disable_parallel_tool_use: Extra inputs are not permitted"
    return ""


def _type(at: str, kind: type | tuple[type, ...]) -> str:
    first = kind[-1] if isinstance(kind, tuple) else kind
    return f"{at}: Input should be a valid {_WORDS[first]}"
