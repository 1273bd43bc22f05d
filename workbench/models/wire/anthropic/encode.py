"""A request as the body of POST …/v1/messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from workbench.core.ports import Request
from workbench.core.values import ToolInfo
from workbench.models.wire.endpoint import Endpoint
from workbench.models.wire.transcript import Turn, wire_name

API_VERSION = "2026-10-21"
MAX_TOKENS = 4096
"""The longest reply where nothing else is said; the API wants a figure."""

THINKING = ("thinking", "redacted_thinking")
_CHOICES = {"auto": "auto", "required": "any", "none": "none"}


def encode_turn(turn: Turn) -> list[dict[str, Any]]:
    """The assistant's message, and one of the user: results first, every one of them, then what else was said."""
    messages = []
    said = list(_blocks(turn))
    if said:
        messages.append({"role": "assistant", "content": said})
    told: list[dict[str, Any]] = [
        {"type": "tool_result", "tool_use_id": result.call.id}
        | ({"content": result.text} if result.text.strip() else {})
        | ({"is_error": True} if result.is_error else {})
        for result in turn.results
    ]
    if turn.told:
        told.append({"type": "text", "text": turn.told})
    return [*messages, {"role": "user", "content": told}]


def encode_tools(tools: Sequence[ToolInfo]) -> list[dict[str, Any]]:
    """The tools as they are offered."""
    return [
        {"name": wire_name(tool.name), "description": tool.description, "input_schema": json.loads(tool.schema)}
        for tool in tools
    ]


def encode_body(
    endpoint: Endpoint, request: Request, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """The whole body, of messages and tools that are encoded already."""
    body: dict[str, Any] = {"model": endpoint.model, "max_tokens": endpoint.max_tokens or MAX_TOKENS}
    if request.system.strip():
        body["system"] = request.system
    body["messages"] = list(messages)
    if tools:
        body["tools"] = list(tools)
        choice = _choice(endpoint.tool_choice, parallel=request.options.parallel)
        if choice:
            body["tool_choice"] = choice
    if endpoint.temperature is not None:
        body["temperature"] = endpoint.temperature
    if endpoint.stream:
        body["stream"] = True
    return body | dict(endpoint.extra)


def may_be_id(given: str) -> bool:
    """Whether that id of a call can be sent back."""
    return given != "" and wire_name(given) == given


def _blocks(turn: Turn) -> Iterator[dict[str, Any]]:
    """What the model said: verbatim where it was kept, without what the API itself would not take back."""
    kept = turn.echo.get("content")
    if not isinstance(kept, list):
        if turn.said is not None and turn.said.strip():
            yield {"type": "text", "text": turn.said}
        for call in turn.calls:
            yield {"type": "tool_use", "id": call.id, "name": call.name, "input": json.loads(call.arguments)}
        return
    calls = iter(turn.calls)
    for block in _without_the_end(kept):
        if block.get("type") != "tool_use":
            yield block
            continue
        for call in islice(calls, 1):
            yield {**block, "id": call.id, "name": call.name, "input": json.loads(call.arguments)}


def _without_the_end(blocks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The blocks without blank texts, and without thinking at the end, where no call or text follows it."""
    kept = [dict(block) for block in blocks if block.get("type") != "text" or str(block.get("text", "")).strip()]
    while kept and kept[-1].get("type") in THINKING:
        kept.pop()
    return kept


def _choice(choice: str, *, parallel: bool) -> dict[str, Any]:
    kind = _CHOICES.get(choice, "tool" if choice else "auto")
    if kind == "auto" and not choice and parallel:
        return {}
    out: dict[str, Any] = {"type": kind}
    if kind == "tool":
        out["name"] = wire_name(choice)
    if not parallel and kind != "none":
        out["disable_parallel_tool_use"] = True
    return out
