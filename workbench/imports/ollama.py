"""Messages in the shape of Ollama's /api/chat: arguments are objects, and results name the tool. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.imports.conversation import Instructed, Item, Kept, Returned, Said, Told, kept, strange_role
from workbench.imports.conversation import strange_fields as strange
from workbench.models.wire.body import as_text
from workbench.models.wire.errors import Malformed
from workbench.models.wire.ollama import decode

SHAPE = "Ollama messages"
_FIELDS = frozenset({"role", "content", "thinking", "tool_calls", "tool_name", "tool_call_id", "name"})


def read(messages: Sequence[Any]) -> tuple[str, list[Item]]:
    """The system prompt, and everything else in order."""
    system: list[str] = []
    items: list[Item] = []
    for number, message in enumerate(messages, 1):
        where = f"message {number}"
        if not isinstance(message, Mapping):
            items.append(kept(f"{where} is no object, so it is not read", message))
            continue
        if message.get("role") == "system" and all(isinstance(item, Kept) for item in items):
            system.append(as_text(message.get("content")))
        else:
            items += _message(where, message)
        items += strange(where, message, _FIELDS)
    return "\n\n".join(filter(None, system)), items


def _message(where: str, message: Mapping[str, Any]) -> Iterator[Item]:
    text, role = as_text(message.get("content")), message.get("role")
    if not isinstance(message.get("content", ""), str | None):
        yield kept(f"{where} has a content that is not read", message)
        return
    if role == "assistant":
        last = {"done": True, "done_reason": "stop"}
        try:
            yield Said(decode.build(text, as_text(message.get("thinking")), decode.calls_of(message), last))
        except Malformed as error:
            yield kept(f"{where}: {error}", message)
    elif role == "user":
        yield Told(text)
    elif role == "system":
        yield Instructed(text)
    elif role == "tool":
        name = as_text(message.get("tool_name")) or as_text(message.get("name"))
        yield Returned(as_text(message.get("tool_call_id")), name, text)
    else:
        yield strange_role(where, role, message, ("system", "user", "assistant", "tool"))
