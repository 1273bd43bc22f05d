"""Finding text in a transcript: where the next place is, and how to get there without keeping a key waiting."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from time import perf_counter
from typing import NamedTuple

from workbench.tui.transcript.layout import Layout, draw_line
from workbench.view.entries import Entry, EntrySource, all_lines
from workbench.view.visible import visible

SLICE = 0.004
"""Seconds of searching in one go."""


class Place(NamedTuple):
    """A stretch of a drawn line of an entry; places sort by where they stand."""

    entry: int
    line: int
    start: int
    end: int


class Needle:
    """A text to look for, in any case. It is found in what is drawn, folded lines included."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._pattern = re.compile(re.escape(text), re.IGNORECASE)
        self._lower = text.lower() if text.isascii() else None

    def is_in(self, text: str) -> bool:
        """Whether a text, as drawn, holds it. Fast, for there may be many."""
        text = visible(text)
        if self._lower is not None and text.isascii():
            return self._lower in text.lower()
        return self._pattern.search(text) is not None

    def spans(self, text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
        """Where it stands in that part of a drawn line."""
        for match in self._pattern.finditer(text, max(0, start), len(text) if end is None else end):
            yield match.span()

    def places(self, index: int, entry: Entry) -> list[Place]:
        """Where it stands in an entry."""
        return [
            Place(index, number, start, end)
            for number, line in enumerate(all_lines(entry))
            for start, end in self.spans(draw_line(line).text)
        ]


class Finder:
    """A search that goes on from the place it found last."""

    def __init__(self, needle: Needle) -> None:
        self.needle = needle
        self.found: Place | None = None
        self.wrapped = False
        """Whether the last search went round the end, or the start."""

    async def find(self, source: EntrySource, count: int, start: Place, *, forward: bool) -> Place | None:
        """The next place after `start`, or before it, going round once. Lets others run every few milliseconds."""
        pause = perf_counter() + SLICE
        step = 1 if forward else -1
        self.found = None
        for turn in range(count + 1):
            index = (start.entry + step * turn) % count
            if perf_counter() > pause:
                await asyncio.sleep(0)
                pause = perf_counter() + SLICE
            if not self.needle.is_in(source.text(index)):
                continue
            places = self.needle.places(index, source.entry(index))
            if turn == 0:
                places = [place for place in places if (place > start if forward else place < start)]
            if places:
                self.found = places[0 if forward else -1]
                self.wrapped = self.found < start if forward else self.found > start
                break
        return self.found

    def in_row(self, index: int, layout: Layout, row: int) -> list[tuple[int, int, bool]]:
        """What to mark in a row: (start, end, whether it is the place found) in characters from its first one."""
        if row >= len(layout.rows):
            return []
        place = layout.rows[row]
        room = len(self.needle.text) - 1  # a place may begin in the row before, or end in the next
        out = []
        for start, end in self.needle.spans(layout.lines[place.line].text, place.start - room, place.end + room):
            first, last = max(start, place.start) - place.start, min(end, place.end) - place.start
            if first < last:
                out.append((first, last, self.found == (index, place.line, start, end)))
        return out
