"""Thinking that a model writes into its reply as `<think>…</think>`: not read for actions, no part of an answer."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

OPENING = r"(?P<head>^[ \t]*+)?<think(?:ing)?>"
"""An opening tag, to be compiled with MULTILINE; `head` is there when the tag begins its line."""

_OPENING = re.compile(OPENING, re.MULTILINE)
_CLOSING = re.compile(r"</think(?:ing)?>")
_CLOSING_LINE = re.compile(r"^[ \t]*+</think(?:ing)?>", re.MULTILINE)


def start(text: str) -> int:
    """Where the reply proper begins: behind a block whose opening tag stands in the prompt instead of the reply."""
    closing = _CLOSING_LINE.search(text) if "</think" in text else None
    if closing is None or _OPENING.search(text, 0, closing.start()):
        return 0
    return closing.end()


def closings(text: str, start: int, stop: int) -> list[int]:
    """Where each closing tag between the two positions ends, ascending."""
    return [tag.end() for tag in _CLOSING.finditer(text, start, stop)]


def end_of_block(ends: Sequence[int], opened: int) -> int | None:
    """Where the block ends whose opening tag ends at `opened`; None when it is never closed. `ends` from `closings`."""
    index = bisect_left(ends, opened)
    return ends[index] if index < len(ends) else None


def visible(text: str, start: int, stop: int) -> str:
    """What stands between the two positions, without its thinking.

    A block that is never closed hides the rest if its tag begins a line; elsewhere the tag is a word like any other.
    """
    ends = closings(text, start, stop)
    shown = []
    for tag in _OPENING.finditer(text, start, stop):
        if tag.start() < start:
            continue
        end = end_of_block(ends, tag.end())
        if end is not None:
            shown.append(text[start : tag.start()])
            start = end
        elif tag["head"] is not None:
            stop = tag.start()
            break
    return "".join(shown) + text[start:stop]
