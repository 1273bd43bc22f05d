"""An entry laid out at a width: its lines as drawn, where each row begins and ends, and what folding leaves out."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import takewhile
from operator import eq
from typing import NamedTuple

from workbench.tui.transcript.wrap import cuts, shown
from workbench.view.entries import Entry, Line, Span, all_lines, line_text


@dataclass(frozen=True, slots=True)
class Drawn:
    """One line as drawn: its text and the offset at which each of its spans ends."""

    text: str
    spans: Line
    ends: tuple[int, ...]


Look = tuple[Hashable, ...] | None
"""Everything that a row is drawn from, at one width; None of a blank one. Rows with equal ones look the same."""


class Row(NamedTuple):
    """One row: a piece of a line."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything needed to draw any row of an entry. With `note`, one row more says what is folded away."""

    entry: Entry
    width: int
    source: tuple[Line, ...]
    """All lines, the folded ones too."""
    lines: tuple[Drawn, ...]
    rows: tuple[Row, ...]
    note: str = ""

    @property
    def height(self) -> int:
        return len(self.rows) + bool(self.note)

    def row_text(self, row: int) -> str:
        """The text of one row; "" for the note and for rows that are not there."""
        if not 0 <= row < len(self.rows):
            return ""
        place = self.rows[row]
        return self.lines[place.line].text[place.start : place.end].rstrip(" ")

    def look(self, row: int, *, picked: bool) -> Look:
        """What one row is drawn from."""
        if row >= self.height:
            return None
        entry = self.entry
        head = (entry.step, entry.word) if row == 0 else ()
        if row == len(self.rows):
            return (picked, entry.data, entry.role, self.note, *head)
        place = self.rows[row]
        return (picked, entry.data, entry.role, self.lines[place.line], place.start, place.end, *head)

    def row_of(self, line: int, offset: int) -> int | None:
        """The row that shows that place of a drawn line; None when it is folded away."""
        for index, row in enumerate(self.rows):
            if row.line == line and row.start <= offset < row.end:
                return index
        return None


def draw_line(line: Line) -> Drawn:
    """The line as drawn, with the ends of its spans carried over."""
    raw = line_text(line)
    text = shown(raw)
    ends: list[int] = []
    at = 0
    for span in line:
        at += len(span.text)
        ends.append(at if text is raw else len(shown(raw[:at])))
    return Drawn(text, line, tuple(ends))


def lay_out(entry: Entry, width: int, fold_at: int | None = None, before: Layout | None = None) -> Layout:
    """Lay an entry out, as many rows as `count_rows` counts for its text.

    `before` is an earlier layout of the same entry: when lines were only added to it, or its last one grew, nothing but
    the lines that differ is wrapped.
    """
    source = all_lines(entry)
    lines: list[Drawn] = []
    rows: list[Row] = []
    if before is not None and before.width == width and not before.note and fold_at is None:
        same = sum(1 for _ in takewhile(bool, map(eq, before.source, source)))
        lines = list(before.lines[:same])
        rows = list(before.rows)
        while rows and rows[-1].line >= same:
            rows.pop()
    most = None if fold_at is None else fold_at + 1
    for number in range(len(lines), len(source)):
        if most is not None and len(rows) > most:
            break
        drawn = draw_line(source[number])
        lines.append(drawn)
        start = 0
        for cut in cuts(drawn.text, width, None if most is None else most + 1 - len(rows)):
            rows.append(Row(number, start, cut))
            start = cut
        rows.append(Row(number, start, len(drawn.text)))
    if not rows:
        lines.append(Drawn("", (Span(""),), (0,)))
        rows.append(Row(0, 0, 0))
    note = ""
    if fold_at is not None and len(rows) > fold_at + 1:
        del rows[fold_at:]
        note = _folded(source, lines, rows)
    return Layout(entry, width, source, tuple(lines), tuple(rows), note)


def _folded(source: tuple[Line, ...], lines: list[Drawn], rows: list[Row]) -> str:
    """Sentence for what the rows do not show. Whole lines are counted where there are any, and characters always."""
    last = rows[-1] if rows else Row(-1, 0, 0)
    rest = len(lines[last.line].text) - last.end if rows else 0
    hidden = source[last.line + 1 :]
    characters = rest + sum(len(span.text) for line in hidden for span in line)
    parts = []
    if hidden:
        parts.append(_count(len(hidden), "more line"))
    parts.append(_count(characters, "character" if hidden else "more character"))
    return f"▸ {', '.join(parts)}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
