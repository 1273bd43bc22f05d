"""The text protocol: a line `ACTION: name {json}` or `ANSWER: …` in a transcript of lines.

A mark counts at the beginning of a line, blanks before it allowed, in capitals. An action's JSON is read first, so that
a line inside one of its strings is no mark. An answer runs to the next mark or the end.
"""

from __future__ import annotations

import re

from workbench.core.canonical import LENIENT, parse_object
from workbench.core.protocols import thinking
from workbench.core.protocols.choice import INVENTED, MAX_FOUND, UNREAD, Found, Wording, choose
from workbench.core.protocols.listing import list_tools
from workbench.core.values import ProtocolName, ProtocolOptions, RawCall, Reading, ToolInfo

# Every repeat is possessive: a reply of a megabyte of blanks or brackets is still read in one pass.
_MARK = re.compile(
    r"(?:^|(?<=</think>)|(?<=</thinking>))[ \t]*+(?P<mark>ACTION|ANSWER|OBSERVATION|QUESTION):"
    rf"|{thinking.OPENING}",
    re.MULTILINE,
)
_NAME = re.compile(r"\s*+(?P<name>[^\s{]++)\s*+(?:```\w*+\s*+)?")
_WORD = re.compile(r"\w+")

_WORDING = Wording(
    nothing="no ACTION or ANSWER found; reply with one.",
    nothing_to_call="no ACTION found; reply with one. To finish, call submit_answer.",
    both="found both an ACTION and an ANSWER; reply with one of them.",
    several="found {n} ACTIONs; reply with one.",
    to_finish='ANSWER does not end this run; to finish, reply with ACTION: submit_answer {"answer": "…"}.',
)
_EMPTY_ANSWER = Found("broken", text="the ANSWER is empty; write it after ANSWER: in the same reply.")


class TextProtocol:
    """Actions and answers as marked lines."""

    name: ProtocolName = "text"
    native_tools = False

    def read(self, text: str, calls: tuple[RawCall, ...], options: ProtocolOptions) -> Reading:  # noqa: ARG002
        """What the reply says; native calls have no place in this protocol and are not looked at. Never raises."""
        return choose(_scan(text, options), options, _WORDING)

    def user(self, text: str) -> str:
        return f"QUESTION: {text}"

    def observation(self, tool: str, content: str, *, is_error: bool) -> str:  # noqa: ARG002
        return f"OBSERVATION: error: {content}" if is_error else f"OBSERVATION: {content}"

    def notice(self, text: str, *, is_error: bool) -> str:  # noqa: ARG002 - here the words say it
        return f"OBSERVATION: {text}"

    def instructions(self, tools: tuple[ToolInfo, ...], options: ProtocolOptions) -> str:
        if not options.instructions:
            return ""
        lines = [
            "You work step by step with tools. You may think first, in lines that begin with THOUGHT:.",
            f"To use a tool, write {_HOW_MANY[options.several]}, then stop:",
            'ACTION: tool_name {"argument": "value"}',
            "The arguments are one JSON object" + (", all on that line." if not options.multiline else "."),
            "The result comes in a line that begins with OBSERVATION:. Never write such a line yourself.",
        ]
        if options.finish == "tool":
            lines.append("When you know the answer, call submit_answer; nothing else ends the run.")
        else:
            lines.append("When you know the answer, write it instead of an action:\nANSWER: the answer")
        return "\n".join([*lines, "", "Tools:", list_tools(tools)])


_HOW_MANY = {"first": "one line", "refuse": "exactly one line", "all": "one or more lines"}


def _scan(text: str, options: ProtocolOptions) -> list[Found]:
    found: list[Found] = []
    stop = len(text)
    ends = thinking.closings(text, 0, stop)
    answer_from: int | None = None
    position = thinking.start(text)
    while match := _MARK.search(text, position):
        position = match.end()
        if match["mark"] is None:
            end = thinking.end_of_block(ends, position)
            if end is not None:
                position = end
            elif answer_from is None or match["head"] is not None:
                stop = match.start()
                break
            continue
        if answer_from is not None:
            found.append(_answer(text, answer_from, match.start()))
            answer_from = None
        if len(found) >= MAX_FOUND:
            found.append(UNREAD)
            break
        if match["mark"] == "ANSWER":
            answer_from = position
        elif match["mark"] == "ACTION":
            item, position = _action(text, position, options)
            found.append(item)
        elif found or match["mark"] == "OBSERVATION":  # a QUESTION at the head only repeats the task
            found.append(INVENTED)
    if answer_from is not None:
        found.append(_answer(text, answer_from, stop))
    return found


def _answer(text: str, start: int, stop: int) -> Found:
    answer = thinking.visible(text, start, stop).strip()
    return Found("answer", text=answer) if answer else _EMPTY_ANSWER


def _action(text: str, position: int, options: ProtocolOptions) -> tuple[Found, int]:
    """The action whose mark ends at `position`, and where to read on."""
    following = _MARK.search(text, position)
    limit = following.start() if following else len(text)
    if not options.multiline:
        end_of_line = text.find("\n", position, limit)
        limit = limit if end_of_line < 0 else end_of_line
    head = _NAME.match(text, position, limit)
    if head is None or (options.names == "word" and not _WORD.fullmatch(head["name"])):
        return UNREAD, limit
    if options.multiline:
        raw, end = _arguments(text, position, head, limit)
    else:
        raw, end = text[head.end() : limit].strip(), limit
        if raw and not (raw.startswith("{") and raw.endswith("}")):
            return UNREAD, limit
    if raw is None:
        return UNREAD, limit
    return Found("action", RawCall(head["name"], raw, problem=parse_object(raw).problem)), end


def _arguments(text: str, position: int, head: re.Match[str], limit: int) -> tuple[str | None, int]:
    """The arguments as they were written and where they end; None when the "name" is prose on a later line."""
    start = head.end()
    opening = text[start] if start < limit else ""
    later_line = "\n" in text[position:start]
    if opening == "{" or (opening and opening in '["' and not later_line):
        try:
            _, end = LENIENT.raw_decode(text, start)
        except (ValueError, RecursionError):
            return text[start:limit].rstrip(), limit
        return text[start:end], end
    if later_line:
        return (None if "\n" in text[position : head.start("name")] else ""), start
    end = text.find("\n", start, limit)
    end = limit if end < 0 else end
    return text[start:end].rstrip(), end
