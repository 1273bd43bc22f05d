"""How the messages of a wrong loop are written on the wire that it speaks, and what a strict endpoint says of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from workbench.core.canonical import parse_object
from workbench.core.events import ModelReply
from workbench.models.wire.anthropic import validate as anthropic
from workbench.models.wire.openai import validate as openai

Said = tuple[str, str]
"""A text, and the call that it is the result of; "" where it is none."""


class Dialect(Protocol):
    """One way of writing messages. Stateless."""

    def heard(self, reply: ModelReply) -> dict[str, Any]:
        """The assistant's message, as a loop gets it."""
        ...

    def said(self, message: Mapping[str, Any]) -> Said:
        """What a message says."""
        ...

    def calls(self, message: Mapping[str, Any]) -> list[str]:
        """The ids of the calls in an assistant's message."""
        ...

    def problem(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """What the endpoint answers to these messages, with status 400; "" where it takes them."""
        ...


class ChatCompletions:
    """Calls beside the text, each result a message of its own."""

    def heard(self, reply: ModelReply) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": reply.text}
        if reply.calls:
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": call.arguments}}
                for call in reply.calls
            ]
        return message

    def said(self, message: Mapping[str, Any]) -> Said:
        return message.get("content") or "", message.get("tool_call_id", "")

    def calls(self, message: Mapping[str, Any]) -> list[str]:
        return [call["id"] for call in message.get("tool_calls") or ()]

    def problem(self, messages: Sequence[Mapping[str, Any]]) -> str:
        return openai.messages_problem(messages)


class Messages:
    """Everything in blocks of content: calls are blocks of the assistant, results are blocks of the user."""

    def heard(self, reply: ModelReply) -> dict[str, Any]:
        blocks: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text.strip() else []
        for call in reply.calls:
            given = parse_object(call.arguments).value or {}
            blocks.append({"type": "tool_use", "id": call.id, "name": call.tool, "input": given})
        return {"role": "assistant", "content": blocks}

    def said(self, message: Mapping[str, Any]) -> Said:
        content = message["content"]
        if isinstance(content, str):
            return content, ""
        texts = [block.get("text", block.get("content", "")) for block in content]
        return "\n".join(filter(None, texts)), next((block.get("tool_use_id", "") for block in content), "")

    def calls(self, message: Mapping[str, Any]) -> list[str]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        return [block["id"] for block in blocks if block["type"] == "tool_use"]

    def problem(self, messages: Sequence[Mapping[str, Any]]) -> str:
        return anthropic.messages_problem(messages)


CHAT_COMPLETIONS, MESSAGES = ChatCompletions(), Messages()
_SHOWN = 500
"""Characters of a message in a listing."""


def listing(messages: Sequence[Mapping[str, Any]]) -> str:
    """The messages of a request as lines, for whoever wants to see what was sent."""
    lines = []
    for index, message in enumerate(messages):
        text = json.dumps(dict(message), ensure_ascii=False, default=str)
        lines.append(f"messages[{index}] {text if len(text) <= _SHOWN else f'{text[:_SHOWN]}…'}")
    return "\n".join(lines)
