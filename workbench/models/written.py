"""A whole reply as one text: how a person writes one, and how a scripted one is shown to be changed.

In the text and json protocols the text is the reply. In the native protocol calls stand beside the text, so a reply
that has some, or whose text begins with a brace, is written as a JSON object:

    {"text": "Looking.", "calls": [{"tool": "stock_level", "arguments": {"warehouse": "north"}}]}

Both keys may be left out. Arguments given as a string are sent as they are, also when they are no JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from workbench.core.json_words import why_not_json
from workbench.core.ports import Reply
from workbench.core.values import RawCall

KEYS = ("text", "calls")
CALL_KEYS = ("tool", "arguments")


@dataclass(frozen=True, slots=True)
class Written:
    """What a model would have said."""

    text: str = ""
    calls: tuple[RawCall, ...] = ()


def read_written(text: str, *, native: bool) -> Written:
    """The reply that was written. Never raises: what was meant as an object and is none is a reply of that text."""
    if not _is_object(text, native=native) or written_problem(text, native=native):
        return Written(text)
    value = json.loads(text)
    calls = [RawCall(call["tool"], _raw(call.get("arguments", {}))) for call in value.get("calls", ())]
    return Written(value.get("text", ""), tuple(calls))


def written_problem(text: str, *, native: bool) -> str:
    """Why the text cannot be sent as a reply, as one sentence for people; "" when it can."""
    if not _is_object(text, native=native):
        return ""
    return why_not_json(text) or next(_problems(json.loads(text)), "")


def rewritten(reply: Reply, text: str, by: str, *, native: bool) -> Reply:
    """The reply as somebody wrote it; the same one where that makes no difference.

    It ends as a whole reply does, whatever cut the other one off. A provider's opaque blocks are what its model said,
    which this is no more.
    """
    written = read_written(text, native=native)
    if (written.text, written.calls) == (reply.text, reply.calls):
        return reply
    return replace(
        reply,
        text=written.text,
        calls=written.calls,
        finish="tool_calls" if written.calls else "stop",
        opaque="",
        original=reply.original if reply.changed_by else write(reply.text, reply.calls, native=native),
        changed_by=f"{reply.changed_by}, {by}" if reply.changed_by else by,
    )


def write(text: str, calls: Sequence[RawCall] = (), *, native: bool) -> str:
    """The reply as a person would write it; `read_written` gives the same reply again."""
    if not calls and not _is_object(text, native=native):
        return text
    lines = [f'  "text": {_dumped(text)}'] if text or not calls else []
    if calls:
        items = [f'    {{"tool": {_dumped(call.tool)}, "arguments": {_shown(call.arguments)}}}' for call in calls]
        lines.append("\n".join(['  "calls": [', ",\n".join(items), "  ]"]))
    return "\n".join(["{", ",\n".join(lines), "}"])


def _is_object(text: str, *, native: bool) -> bool:
    return native and text.lstrip().startswith("{")


def _problems(value: Mapping[str, Any]) -> Iterator[str]:
    yield from _strangers(value, KEYS, "")
    if not isinstance(value.get("text", ""), str):
        yield "text must be text in quotes"
    calls = value.get("calls", [])
    if not isinstance(calls, list):
        yield "calls must be a list of objects, each with tool and arguments"
        return
    for index, call in enumerate(calls):
        place = f"calls[{index}]"
        if not isinstance(call, dict):
            yield f"{place} must be an object with tool and arguments"
            continue
        yield from _strangers(call, CALL_KEYS, f"{place}: ")
        if not isinstance(call.get("tool"), str) or not call["tool"]:
            yield f"{place} needs tool, the name of a tool in quotes"
        if not isinstance(call.get("arguments", {}), dict | str):
            yield f"{place}: arguments must be an object, or text in quotes that is sent as it is"


def _strangers(value: Mapping[str, Any], known: Sequence[str], place: str) -> Iterator[str]:
    for key in value:
        if key not in known:
            near = get_close_matches(key, known, 1)
            hint = f'did you mean "{near[0]}"?' if near else f"known here: {', '.join(known)}"
            yield f"{place}unknown key {_dumped(key)}; {hint}"


def _raw(arguments: Mapping[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else _dumped(arguments)


def _shown(arguments: str) -> str:
    """Arguments as an object where that gives the same text again, else as a string."""
    try:
        value = json.loads(arguments)
        if isinstance(value, dict) and _dumped(value) == arguments:
            return arguments
    except (ValueError, RecursionError):
        pass
    return _dumped(arguments)


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
