"""Messages in the shape of the Anthropic Messages API. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.core.ports import Usage
from workbench.imports.conversation import Instructed, Item, Returned, Said, Told, kept, raw_json, strange_role
from workbench.imports.conversation import strange_fields as strange
from workbench.models.wire.anthropic import decode
from workbench.models.wire.anthropic.encode import THINKING
from workbench.models.wire.body import as_arguments, as_text
from workbench.models.wire.errors import Malformed

SHAPE = "Anthropic messages"
BLOCKS = frozenset({"tool_use", "tool_result", *THINKING})
"""Blocks that no other shape has."""
_READ_OF_A_REPLY = ("text", "tool_use", *THINKING)
_FIELDS = frozenset({"role", "content"})


def read(messages: Sequence[Any], system: Any = None) -> tuple[str, list[Item]]:
    """The system prompt, and everything else in order."""
    items: list[Item] = []
    instructions, others = _text("the system prompt", system)
    items += others
    for number, message in enumerate(messages, 1):
        where = f"message {number}"
        if not isinstance(message, Mapping):
            items.append(kept(f"{where} is no object, so it is not read", message))
            continue
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not isinstance(blocks, list) or not all(isinstance(block, Mapping) for block in blocks):
            items.append(kept(f"{where} has a content that is not read", message))
            continue
        role = message.get("role")
        if role == "assistant":
            items += _reply(where, blocks)
        elif role == "user":
            items += _told(where, blocks)
        elif role == "system":
            text, others = _text(where, content)
            items += [Instructed(text), *others]
        else:
            items.append(strange_role(where, role, message, ("user", "assistant", "system")))
        items += strange(where, message, _FIELDS)
    return instructions, items


def _reply(where: str, blocks: Sequence[dict[str, Any]]) -> Iterator[Item]:
    calls = any(as_text(block.get("type")) == "tool_use" for block in blocks)
    arguments = [as_arguments(block.get("input")) for block in blocks]
    try:
        reply = decode.build(blocks, arguments, {"stop_reason": "tool_use" if calls else "end_turn"}, Usage())
    except Malformed as error:
        yield kept(f"{where}: {error}", blocks)
        return
    yield Said(reply)
    for block in blocks:
        if block.get("type") not in _READ_OF_A_REPLY:
            yield kept(f"{where}: a block of kind {block.get('type')}", block)


def _told(where: str, blocks: Sequence[Mapping[str, Any]]) -> Iterator[Item]:
    """Results one by one; texts that stand together are one message."""
    texts: list[str] = []
    for block in blocks:
        kind = as_text(block.get("type"))
        if kind == "text":
            texts.append(as_text(block.get("text")))
            continue
        if texts:
            yield Told("\n".join(texts))
            texts = []
        if kind == "tool_result":
            text, others = _text(where, block.get("content"))
            yield Returned(as_text(block.get("tool_use_id")), "", text, bool(block.get("is_error")))
            yield from others
        else:
            yield kept(f"{where}: a block of kind {kind} is not read", block)
    if texts:
        yield Told("\n".join(texts))


def _text(where: str, content: Any) -> tuple[str, list[Item]]:
    if isinstance(content, str) or content is None:
        return as_text(content), []
    if not isinstance(content, list):
        return raw_json(content), []
    texts: list[str] = []
    others: list[Item] = []
    for block in content:
        if isinstance(block, Mapping) and block.get("type") == "text":
            texts.append(as_text(block.get("text")))
        else:
            kind = block.get("type") if isinstance(block, Mapping) else "no kind"
            others.append(kept(f"{where}: a block of kind {kind} is not read", block))
    return "\n".join(texts), others
