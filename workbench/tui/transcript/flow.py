"""Where everything in a transcript stands: which entry is at which row, at this width, folded as it is.

No screen in here. An entry costs its height, 16 bytes; layouts are kept only for those drawn lately.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from textual.cache import LRUCache

from workbench.tui.transcript.heights import Heights
from workbench.tui.transcript.layout import Layout, lay_out
from workbench.tui.transcript.wrap import count_rows
from workbench.view.entries import Entry, EntrySource

GUTTER = 12
"""Cells before the text: cursor and step 4, role word 8."""
BAR = 2
"""Cells of the bar before data, and the blank after it."""
WIDEST = 100
"""Text is never wider, whatever the room."""
BATCH = 32


class Flow:
    """The geometry of a transcript. Rows and indices count from 0; the tail stands at index `count`."""

    def __init__(self, gutter: int = GUTTER) -> None:
        self.gutter = gutter
        """Cells before the text."""
        self.source: EntrySource | None = None
        self.count = 0
        """Entries shown, from the first."""
        self.width = 0
        """Cells for an entry, gutter included; 0 before it is known."""
        self.tail_entry: Entry | None = None
        """What stands after the last entry and is none itself."""
        self.tail: Layout | None = None
        self._heights = Heights()
        self._opened: set[int] = set()
        self._layouts: LRUCache[int, Layout] = LRUCache(256)
        self._todo: int | None = None
        """The first entry whose height may still be one of another width."""

    # ------------------------------------------------------------ content

    def load(self, source: EntrySource) -> None:
        """Show another source, all of it. Heights are guesses until `measure_some` has been through."""
        self.source, self.count = source, len(source)
        self._opened.clear()
        self._heights = Heights([1] * self.count, self.gap)
        self.rewrap(self.width)

    def appended(self) -> None:
        """The source grew. What is shown grows too, unless it was cut with `cut`."""
        if self.source is None:
            return
        whole = self.count == len(self._heights)
        for index in range(len(self._heights), len(self.source)):
            self._heights.append(self._rows(index))
        if whole:
            self.count = len(self._heights)

    def changed(self, index: int) -> None:
        """An entry says something else now."""
        self._layouts.discard(index)
        self._heights.change(index, self._rows(index))

    def cut(self, count: int | None) -> None:
        """Show only the first `count` entries; None shows all."""
        whole = len(self._heights)
        self.count = whole if count is None else max(0, min(count, whole))

    def set_tail(self, entry: Entry | None) -> None:
        """What stands after the last entry. Of a tail that grows only the lines that differ are wrapped again."""
        self.tail_entry = entry
        self.tail = None if entry is None else lay_out(entry, self.text_width(data=entry.data), before=self.tail)

    def toggle(self, index: int) -> bool:
        """Fold or unfold; returns False where there is nothing to fold."""
        before = self._heights[index]
        self._opened ^= {index}
        self.changed(index)
        if self._heights[index] == before:
            self._opened ^= {index}
            return False
        return True

    # ------------------------------------------------------------ width

    @property
    def gap(self) -> int:
        """Blank rows after each entry."""
        return self._heights.gap

    @gap.setter
    def gap(self, rows: int) -> None:
        self._heights.gap = rows

    def text_width(self, *, data: bool) -> int:
        """Cells for text."""
        return max(1, min(WIDEST, self.width - self.gutter - BAR * data))

    def rewrap(self, width: int) -> None:
        """Take another width. Old heights stand in as guesses until they are measured."""
        self.width = width
        self._layouts.clear()
        self._todo = 0 if self.count or len(self._heights) else None
        self.set_tail(self.tail_entry)

    def measure(self, first: int, last: int) -> None:
        """Measure the entries from `first` to `last`, both included, where that has still to be done."""
        if self._todo is not None and self.width:
            for index in range(max(first, self._todo), min(last + 1, len(self._heights))):
                self._heights.change(index, self._rows(index))

    def measure_some(self, seconds: float) -> bool:
        """Go on measuring for about that long. Returns True when no guesses are left."""
        until = perf_counter() + seconds
        while self._todo is not None and self.width:
            last = self._todo + BATCH - 1
            self.measure(self._todo, last)
            self._todo = last + 1 if last + 1 < len(self._heights) else None
            if perf_counter() >= until:
                break
        return self._todo is None

    @property
    def has_guesses(self) -> bool:
        return self._todo is not None

    def _rows(self, index: int) -> int:
        source = self.source
        if source is None or not self.width:
            return 1
        fold_at = None if index in self._opened else source.fold_at(index)
        return count_rows(source.text(index), self.text_width(data=source.data(index)), fold_at)

    # ------------------------------------------------------------ questions

    @property
    def total(self) -> int:
        """Rows of everything shown."""
        rows = self.top(self.count)
        return rows if self.tail is None else rows + self.tail.height + self.gap

    def top(self, index: int) -> int:
        """The row at which an entry starts."""
        return self._heights.top(index)

    def height(self, index: int) -> int:
        """Rows of an entry, the blank one after it not among them."""
        return self._heights[index]

    def locate(self, row: int) -> tuple[int, int]:
        """(index, row in it) of what stands at a row, the blank after an entry included; the tail is at `count`."""
        start = self.top(self.count)
        return (self.count, row - start) if row >= start else self._heights.find(max(0, row))

    def rows(self, first: int, count: int) -> Iterator[tuple[int, int]]:
        """As `locate`, for `count` rows from the first one on."""
        index, row = self.locate(first)
        for _ in range(count):
            yield index, row
            row += 1
            if index < self.count and row == self.height(index) + self.gap:
                index, row = index + 1, 0

    def row_of(self, index: int, row: int) -> int:
        """Where a row of an entry stands, or the last one, if the entry has fewer by now."""
        if index >= self.count:
            return self.top(self.count) + row
        return self.top(index) + min(row, self.height(index) + self.gap - 1)

    def layout(self, index: int) -> Layout | None:
        """How an entry, or the tail, is laid out."""
        if index >= self.count:
            return self.tail if index == self.count else None
        found = self._layouts.get(index)
        if found is None and self.source is not None:
            entry = self.source.entry(index)
            fold_at = None if index in self._opened else self.source.fold_at(index)
            found = self._layouts[index] = lay_out(entry, self.text_width(data=self.source.data(index)), fold_at)
        return found
