"""A request as the body of POST …/api/chat."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from workbench.core.ports import Request
from workbench.models.wire.endpoint import Endpoint
from workbench.models.wire.openai.encode import encode_tools
from workbench.models.wire.transcript import Turn

__all__ = ["encode_body", "encode_tools", "encode_turn", "may_be_id"]


def encode_turn(turn: Turn) -> list[dict[str, Any]]:
    """The assistant's message, one tool message for each result in call order, and the user's."""
    messages: list[dict[str, Any]] = []
    if turn.said is not None:
        message: dict[str, Any] = {"role": "assistant", "content": turn.said}
        if turn.calls:
            message["tool_calls"] = [
                {"function": {"name": call.name, "arguments": json.loads(call.arguments)}} for call in turn.calls
            ]
            if turn.echo.get("thinking"):
                message["thinking"] = turn.echo["thinking"]
        messages.append(message)
    messages += [{"role": "tool", "tool_name": result.call.name, "content": result.marked} for result in turn.results]
    if turn.told:
        messages.append({"role": "user", "content": turn.told})
    return messages


def encode_body(
    endpoint: Endpoint, request: Request, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """The whole body, of messages and tools that are encoded already."""
    system = [{"role": "system", "content": request.system}] if request.system.strip() else []
    body: dict[str, Any] = {
        "model": endpoint.model,
        "messages": [*system, *messages],
        "stream": endpoint.stream,  # said always: there, not to say it is to ask for a stream
    }
    if tools and endpoint.tool_choice != "none":
        body["tools"] = list(tools)
    options = {
        "num_ctx": endpoint.context_window,
        "num_predict": endpoint.max_tokens,
        "temperature": endpoint.temperature,
    }
    given = {name: value for name, value in options.items() if value is not None} | endpoint.extra.get("options", {})
    if given:
        body["options"] = given
    return body | {name: value for name, value in endpoint.extra.items() if name != "options"}


def may_be_id(given: str) -> bool:  # noqa: ARG001 - this wire sends no ids
    """Whether that id of a call can be sent back."""
    return False
