"""From the bytes of a file to the conversations in it: what it is, is told by its shape."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.core.json_words import why_not_json
from workbench.imports import genai, trajectory
from workbench.imports.bodies import (
    are_messages,
    in_order,
    is_message,
    messages_in,
    of_messages,
    pair_in,
    reply_wire,
)
from workbench.imports.conversation import Conversation, Kept, NotUnderstood, joined
from workbench.imports.telemetry import is_telemetry, spans_in
from workbench.view.lines import cut_line

MOST_TOLD = 3
"""Pieces that are told of where none of them is a message."""
LOOKED_FOR = (
    "looked for a list of messages, an object with messages (a request of OpenAI, Anthropic or Ollama, or a "
    "mini-swe-agent trajectory), lines or pairs of requests and replies, and OpenTelemetry spans with gen_ai attributes"
)


def read_file(path: Path) -> list[Conversation]:
    """The conversations in a file. Raises NotUnderstood, also for a file that cannot be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NotUnderstood(f"{path} cannot be read: {error.strerror or error}") from None
    try:
        return conversations(data)
    except NotUnderstood as error:
        raise NotUnderstood(f"{path}: {error}") from None


def conversations(data: bytes) -> list[Conversation]:
    """The conversations in a file with that content. Raises NotUnderstood."""
    found = _conversations(_values(data))
    if not any(conversation.messages for conversation in found):
        raise NotUnderstood(_nothing_read(found))
    return [conversation for conversation in found if conversation.messages]


def _nothing_read(found: Sequence[Conversation]) -> str:
    """That it holds no message, and of the first pieces that might have been one why they are none."""
    pieces = [item.text for conversation in found for item in conversation.items if isinstance(item, Kept)]
    return "; ".join(["it holds no message", *pieces[:MOST_TOLD]])


def _values(data: bytes) -> list[Any]:
    """The JSON values in it: one, or one a line."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        bad = data.count(b"\n", 0, error.start) + 1
        raise NotUnderstood(f"line {bad} is not UTF-8, so it is no JSON; {LOOKED_FOR}") from None
    if not text.strip():
        raise NotUnderstood("it is empty")
    try:
        return [json.loads(text)]
    except RecursionError:
        raise NotUnderstood("it is nested too deeply") from None
    except ValueError as error:
        whole = error
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    values = []
    for number, line in lines:
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            if not values or len(lines) == 1:
                raise NotUnderstood(_no_json(text, whole)) from None
            raise NotUnderstood(f"line {number} is not JSON: {_in_line(line) or error}") from None
    return values


def _in_line(line: str) -> str:
    """What is wrong with the JSON of one line of many."""
    return why_not_json(line).removeprefix("line 1, ")


def _no_json(text: str, error: ValueError) -> str:
    if "[session]" in text[:400] and text.lstrip().startswith("format"):
        return "it is a session of the workbench already; open it: workbench FILE"
    return f"it is not JSON ({why_not_json(text) or error}); {LOOKED_FOR}"


def _conversations(values: Sequence[Any]) -> list[Conversation]:
    first = values[0]
    if len(values) == 1:
        if trajectory.is_trajectory(first):
            return joined([trajectory.read(first)])
        if are_messages(first):
            return joined([of_messages(first)])
        if isinstance(first, list) and first:
            return _listed(first)
    return _listed(values)


def _listed(values: Sequence[Any]) -> list[Conversation]:
    """Lines of a file, or items of a list."""
    if any(map(is_telemetry, values)):
        return genai.read(spans_in(values))
    if all(map(is_message, values)):
        return joined([of_messages(values)])
    if not any(messages_in(value) or reply_wire(value) or pair_in(value) or are_messages(value) for value in values):
        raise NotUnderstood(f"{_kind(values[0])} is none of what can be read; {LOOKED_FOR}")
    return joined(in_order(values))


def _kind(value: Any) -> str:
    """What was found, in words: an object by its first fields."""
    if isinstance(value, Mapping):
        names = ", ".join(cut_line(name, 30) for name in list(value)[:6])
        return f"an object with {names}" if names else "an empty object"
    return "a list" if isinstance(value, list) else "a plain value"
