"""Where a request is not the recorded one, in a sentence: which part, which place in it, and both values around it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from workbench.core.alignment import parting
from workbench.core.records import Message
from workbench.core.values import Call, ToolInfo

BEFORE, AFTER = 20, 40
"""Characters shown around the first one that differs."""

_WORDS = {"user": "the user", "assistant": "the model", "tool": "a tool result", "notice": "a notice"}


def text_difference(recorded: str, now: str, names: tuple[str, str] = ("recorded", "now")) -> str:
    """Where two texts part, and how each goes on from a little before that; `names` says which is which."""
    at = parting(recorded, now)
    place = f"they part at character {at + 1:,}: " if at else ""
    return f"{place}{names[0]} {_around(recorded, at)}, {names[1]} {_around(now, at)}"


def tools_difference(recorded: Sequence[ToolInfo], now: Sequence[ToolInfo]) -> str:
    """The first difference between the tools that are offered, "" where there is none."""
    names = [[tool.name for tool in tools] for tools in (recorded, now)]
    if names[0] != names[1]:
        then, here = (", ".join(each) or "none" for each in names)
        return f"tools: recorded {then}, now {here}"
    for index, (before, after) in enumerate(zip(recorded, now, strict=True)):
        for field, old, new in (
            ("description", before.description, after.description),
            ("parameters", before.schema, after.schema),
        ):
            if old != new:
                return f"tools[{index}] {before.name}, {field}: {text_difference(old, new)}"
    return ""


def message_difference(index: int, recorded: Message | None, now: Message | None) -> str:
    """How message `index` (from 0) differs, "" where it does not; None stands for a message that is not there."""
    if recorded is None or now is None:
        there, then = (now, "recorded") if recorded is None else (recorded, "now")
        assert there is not None
        other = "now" if then == "recorded" else "recorded"
        return f"message {index + 1}: {then} none, {other} {_who(there)} with {_around(there.text, 0)}"
    if recorded.role != now.role:
        return f"message {index + 1}, role: recorded {_who(recorded)}, now {_who(now)}"
    for field, old, new in _fields(recorded, now):
        if old != new:
            return f"message {index + 1}, {_who(recorded)}, {field}: {text_difference(old, new)}"
    return ""


def _fields(recorded: Message, now: Message) -> Iterator[tuple[str, str, str]]:
    """What is compared, as texts, what says most first."""
    yield "call", f"{recorded.call_id} {recorded.tool}".strip(), f"{now.call_id} {now.tool}".strip()
    yield "text", recorded.text, now.text
    yield "error", str(recorded.is_error).lower(), str(now.is_error).lower()
    if recorded.role == "assistant":
        yield "calls", _names(recorded.calls), _names(now.calls)
        for number, (before, after) in enumerate(zip(recorded.calls, now.calls, strict=False), 1):
            yield f"arguments of call {number}", before.arguments, after.arguments
        yield "opaque", recorded.opaque, now.opaque


def _names(calls: Sequence[Call]) -> str:
    return ", ".join(call.tool for call in calls) or "none"


def _who(message: Message) -> str:
    word = _WORDS[message.role]
    return f"{word} ({message.tool} {message.call_id})" if message.tool else word


def _around(text: str, at: int) -> str:
    """The text around that place, in quotes; what is left out is marked."""
    if at >= len(text):
        tail = text[max(0, at - BEFORE) :]
        return f"the end, after {_quoted(tail)}" if tail else "an empty text"
    start, end = max(0, at - BEFORE), at + AFTER
    return f"{'…' if start else ''}{_quoted(text[start:end])}{'…' if end < len(text) else ''}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
