"""A request as the body of POST …/chat/completions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from workbench.core.ports import Request
from workbench.core.values import ToolInfo
from workbench.models.wire.endpoint import Endpoint
from workbench.models.wire.transcript import Turn, wire_name

OFFICIAL_HOST = "api.openai.com"
LONGEST_ID = 40
"""Characters of the id of a call, at most."""


def encode_turn(turn: Turn) -> list[dict[str, Any]]:
    """The assistant's message, one tool message for each result, and the user's."""
    messages: list[dict[str, Any]] = []
    if turn.said is not None:
        messages.append(_assistant(turn))
    messages += [{"role": "tool", "tool_call_id": result.call.id, "content": result.marked} for result in turn.results]
    if turn.told:
        messages.append({"role": "user", "content": turn.told})
    return messages


def encode_tools(tools: Sequence[ToolInfo]) -> list[dict[str, Any]]:
    """The tools as they are offered."""
    return [
        {
            "type": "function",
            "function": {
                "name": wire_name(tool.name),
                "description": tool.description,
                "parameters": json.loads(tool.schema),
            },
        }
        for tool in tools
    ]


def encode_body(
    endpoint: Endpoint, request: Request, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """The whole body, of messages and tools that are encoded already."""
    system = [{"role": "system", "content": request.system}] if request.system.strip() else []
    body: dict[str, Any] = {"model": endpoint.model, "messages": [*system, *messages]}
    if tools:
        body["tools"] = list(tools)
        if endpoint.tool_choice:
            body["tool_choice"] = _choice(endpoint.tool_choice)
        if not request.options.parallel:
            body["parallel_tool_calls"] = False
    if endpoint.max_tokens is not None:
        # The old name is the one that all compatible servers know.
        official = f"//{OFFICIAL_HOST}/" in f"{endpoint.base_url}/"
        body["max_completion_tokens" if official else "max_tokens"] = endpoint.max_tokens
    if endpoint.temperature is not None:
        body["temperature"] = endpoint.temperature
    if endpoint.stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    return body | dict(endpoint.extra)


def may_be_id(given: str) -> bool:
    """Whether that id of a call can be sent back."""
    return 0 < len(given) <= LONGEST_ID and given.isprintable() and not given.isspace()


def _assistant(turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.said}
    if not turn.calls:
        return message
    extras = turn.echo.get("calls", [])
    message["tool_calls"] = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        | (extras[index] if index < len(extras) else {})
        for index, call in enumerate(turn.calls)
    ]
    if not (turn.said or "").strip():
        message["content"] = None
    return {**message, **turn.echo.get("message", {})}


def _choice(choice: str) -> str | dict[str, Any]:
    if choice in ("auto", "required", "none"):
        return choice
    return {"type": "function", "function": {"name": wire_name(choice)}}
