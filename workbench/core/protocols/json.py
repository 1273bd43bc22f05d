"""The json protocol: a reply is one JSON object, a tool call or an answer.

Prose and code fences around the object are passed over. Objects that are neither are passed over too, whole, so that an
object inside one of them is never taken for a call.
"""

from __future__ import annotations

import json
import re
from typing import Any

from workbench.core.canonical import LENIENT, TOO_DEEP, parse_object, plain_json
from workbench.core.protocols import thinking
from workbench.core.protocols.choice import INVENTED, MAX_FOUND, UNREAD, Found, Wording, choose
from workbench.core.protocols.listing import list_tools
from workbench.core.values import ProtocolName, ProtocolOptions, RawCall, Reading, ToolInfo

_MARK = re.compile(rf'{thinking.OPENING}|(?P<object>\{{)(?=\s*+["}}])', re.MULTILINE)
_MEANT = re.compile(r'\{\s*+"(?:type|tool|input|text)"\s*+:')
_WORD = re.compile(r"\w+")
_BY_THE_RUNTIME = frozenset({"result", "error", "notice"})

_TOOL = '{"type": "tool", "tool": "NAME", "input": {"ARGUMENT": "VALUE"}}'
_ANSWER = '{"type": "answer", "text": "ANSWER"}'
_FORMS = f"{_TOOL} or {_ANSWER}"
_SUBMIT = '{"type": "tool", "tool": "submit_answer", "input": {"answer": "ANSWER"}}'
_WORDING = Wording(
    nothing=f"no tool or answer object found; reply with one: {_FORMS}",
    nothing_to_call=f"no tool object found; reply with one: {_TOOL} To finish, call submit_answer.",
    both="found both a tool object and an answer object; reply with one of them.",
    several="found {n} tool objects; reply with one.",
    to_finish=f"an answer object does not end this run; to finish, reply with {_SUBMIT}",
)


class JsonProtocol:
    """Calls and answers as JSON objects."""

    name: ProtocolName = "json"
    native_tools = False

    def read(self, text: str, calls: tuple[RawCall, ...], options: ProtocolOptions) -> Reading:  # noqa: ARG002
        """What the reply says; native calls have no place in this protocol and are not looked at. Never raises."""
        return choose(_scan(text, options), options, _WORDING)

    def user(self, text: str) -> str:
        return text

    def observation(self, tool: str, content: str, *, is_error: bool) -> str:
        return plain_json({"type": "error" if is_error else "result", "tool": tool, "content": content})

    def notice(self, text: str, *, is_error: bool) -> str:
        return plain_json({"type": "error" if is_error else "notice", "text": text})

    def instructions(self, tools: tuple[ToolInfo, ...], options: ProtocolOptions) -> str:
        if not options.instructions:
            return ""
        lines = [
            f"You work step by step with tools. Reply with {_HOW_MANY[options.several]}"
            + (" on one line" if not options.multiline else "")
            + " and nothing else. To use a tool:",
            _TOOL,
            'Its result comes as {"type": "result", …} or {"type": "error", …}. Never write such an object yourself.',
        ]
        if options.finish == "tool":
            lines.append("When you know the answer, call submit_answer; nothing else ends the run.")
        else:
            lines.append(f"When you know the answer:\n{_ANSWER}")
        return "\n".join([*lines, "", "Tools:", list_tools(tools)])


_HOW_MANY = {"first": "one JSON object", "refuse": "exactly one JSON object", "all": "one or more JSON objects"}


def _scan(text: str, options: ProtocolOptions) -> list[Found]:
    found: list[Found] = []
    ends = thinking.closings(text, 0, len(text))
    failures = 0
    position = thinking.start(text)
    while match := _MARK.search(text, position):
        start, position = match.span()
        if match["object"] is None:
            end = thinking.end_of_block(ends, position)
            if end is None:
                break
            position = end
            continue
        if len(found) >= MAX_FOUND or failures >= MAX_FOUND:
            found.append(UNREAD)
            break
        try:
            value, position = LENIENT.raw_decode(text, start)
        except json.JSONDecodeError as error:
            if _MEANT.match(text, start):
                # What follows an action that cannot be read was written on the belief that it ran.
                found.append(
                    Found(
                        "broken", text=f"could not parse your reply as JSON: {error}; reply with one object: {_FORMS}"
                    )
                )
                break
            # All before the error is the head of this broken object, no place to look for others.
            position = max(position, error.pos)
            failures += 1
        except (ValueError, RecursionError):
            found.append(Found("broken", text="could not parse your reply as JSON: too many digits or levels in it"))
            break
        else:
            item = _item(value, options)
            if item is not None:
                spread = not options.multiline and "\n" in text[start:position]
                found.append(UNREAD if spread else item)
    return found


def _item(value: dict[str, Any], options: ProtocolOptions) -> Found | None:
    match value.get("type"):
        case "answer":
            return _answer(value)
        case "tool":
            return _action(value, options)
        case str() as kind if kind in _BY_THE_RUNTIME:
            return INVENTED
        case _:
            return None


def _answer(value: dict[str, Any]) -> Found:
    given = value.get("text")
    answer = "" if given is None else plain_json(given).strip()
    if not answer:
        return Found("broken", text=f"the answer object has no text; reply with {_ANSWER}")
    return Found("answer", text=answer)


def _action(value: dict[str, Any], options: ProtocolOptions) -> Found:
    tool = value.get("tool")
    if not isinstance(tool, str) or not tool.strip():
        return Found("broken", text=f"the tool object names no tool; reply with {_TOOL}")
    if options.names == "word" and not _WORD.fullmatch(tool):
        return UNREAD
    others = [key for key in value if key not in ("type", "tool")]
    if "input" not in value:
        if others:
            return Found("broken", text=f'the tool object has no "input" but {json.dumps(others)}; reply with {_TOOL}')
        return Found("action", RawCall(tool, ""))
    try:
        arguments = json.dumps(value["input"], ensure_ascii=False)
    except RecursionError:
        return Found("broken", text=TOO_DEEP)
    return Found("action", RawCall(tool, arguments, problem=parse_object(arguments).problem))
