"""What a reply says besides its calls and its answer, and what the model thought."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from workbench.core.canonical import LENIENT
from workbench.core.events import ModelReply
from workbench.core.protocols import thinking
from workbench.core.values import ProtocolName

_OPENING = re.compile(thinking.OPENING, re.MULTILINE)
_TAG = re.compile(r"</?think(?:ing)?>")
_MARK = re.compile(
    r"(?:^|(?<=</think>)|(?<=</thinking>))[ \t]*+(?P<mark>ACTION|ANSWER|OBSERVATION|QUESTION):\s*+", re.MULTILINE
)
_OBJECT = re.compile(r"\{(?=\s*+[\"}])")
_FENCE_BEFORE = re.compile(r"```\w*\s*\Z")
_FENCE_AFTER = re.compile(r"\A\s*```")
_TRIES = 200
"""Objects looked at in one reply: as many as a protocol looks at."""


class Said(NamedTuple):
    """The words of a reply: before its calls or answer (and between them), and after."""

    before: str
    after: str = ""


def said(event: ModelReply, protocol: ProtocolName) -> Said:
    """What the model said besides its calls or its answer, which are shown in their own way, and its thinking.

    A reply that could not be read is given to the letter.
    """
    text = event.text
    if event.reading == "malformed":
        return Said(text.strip())
    reply = _Text(text)
    if protocol == "native" and event.reading == "answer":
        # As a rule the words are the answer; an imported run may have given one beside them.
        words = reply.words(0, len(text)).strip()
        return Said("" if event.answer and (words in event.answer or event.answer in words) else words)
    if event.reading in ("calls", "answer"):
        if protocol == "text":
            return _around(reply, _marked(reply, event))
        if protocol == "json":
            return _around(reply, _objects(reply, event))
    return Said(reply.words(0, len(text)).strip())


def thoughts(event: ModelReply) -> str:
    """What the model thought, beside its reply and in blocks inside it; those of an unreadable reply stay there."""
    parts = [event.thinking.strip()]
    if event.reading != "malformed":
        parts += [_TAG.sub("", event.text[start:end]).strip() for start, end in _Text(event.text).blocks]
    return "\n".join(part for part in parts if part)


class _Text:
    """The text of a reply, and where in it there is thinking."""

    __slots__ = ("_starts", "blocks", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks = _blocks(text) if "think" in text else []
        self._starts = [start for start, _ in self.blocks]

    def outside(self, pattern: re.Pattern[str], at: int) -> Iterator[re.Match[str]]:
        """Matches from `at` on that do not begin inside thinking."""
        return self._spoken(pattern, at) if self.blocks else pattern.finditer(self.text, at)

    def _spoken(self, pattern: re.Pattern[str], at: int) -> Iterator[re.Match[str]]:
        for match in pattern.finditer(self.text, at):
            block = bisect_right(self._starts, match.start()) - 1
            if block < 0 or match.start() >= self.blocks[block][1]:
                yield match

    def words(self, start: int, stop: int) -> str:
        """What stands between the two positions, without thinking."""
        if not self.blocks:
            return self.text[start:stop]
        pieces = []
        for begin, end in self.blocks:
            if end > start and begin < stop:
                pieces.append(self.text[start:begin])
                start = end
        return "".join([*pieces, self.text[start:stop]])


def _blocks(text: str) -> list[tuple[int, int]]:
    """Where thinking begins and ends, tags included."""
    at = thinking.start(text)
    blocks = [(0, at)] if at else []
    ends = thinking.closings(text, at, len(text))
    for tag in _OPENING.finditer(text, at):
        if tag.start() < at:
            continue
        end = thinking.end_of_block(ends, tag.end())
        if end is not None:
            blocks.append((tag.start(), end))
            at = end
        elif tag["head"] is not None:
            return [*blocks, (tag.start(), len(text))]
    return blocks


Places = list[tuple[int, int]]
"""Where the calls of a reply, or its answer, begin and end; empty where they cannot be told from the rest."""


def _around(reply: _Text, places: Places) -> Said:
    fenced = "```" in reply.text
    before, at = [], 0
    for start, end in places:
        words = reply.words(at, start)
        words = (_FENCE_BEFORE.sub("", words) if fenced else words).strip()
        if words:
            before.append(words)
        at = end
    rest = reply.words(at, len(reply.text))
    after = (_FENCE_AFTER.sub("", rest) if fenced and places else rest).strip()
    return Said("\n".join(before), after) if places else Said(after)


def _marked(reply: _Text, event: ModelReply) -> Places:
    text = reply.text
    if event.reading == "answer":
        marks = reply.outside(_MARK, 0)
        start = next((mark.start() for mark in marks if mark["mark"] == "ANSWER"), None)
        return [] if start is None else [(start, next((mark.start() for mark in marks), len(text)))]
    places: Places = []
    at = 0
    for call in event.calls:
        for mark in reply.outside(_MARK, at):
            if mark["mark"] == "ACTION" and text.startswith(call.tool, mark.end()):
                break
        else:
            return []
        at = mark.end() + len(call.tool)
        at = max(at, text.find(call.arguments, at) + len(call.arguments))
        places.append((mark.start(), at))
    return places


def _objects(reply: _Text, event: ModelReply) -> Places:
    kind, count = ("tool", len(event.calls)) if event.reading == "calls" else ("answer", 1)
    places: Places = []
    at = 0
    for _ in range(_TRIES):
        match = next(reply.outside(_OBJECT, at), None)
        if match is None:
            break
        start = match.start()
        try:
            value, at = LENIENT.raw_decode(reply.text, start)
        except RecursionError:
            break
        except ValueError as error:
            at = max(match.end(), getattr(error, "pos", 0))
            continue
        if value.get("type") == kind:
            places.append((start, at))
            if len(places) == count:
                return places
    return []
