"""One row of a transcript, drawn: gutter, bar, and a piece of text in the colours of its spans."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import pairwise

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from workbench.tui.looks import Looks
from workbench.tui.transcript.layout import Layout
from workbench.view.entries import Entry

Mark = tuple[int, int, Style]
"""A stretch of a row, in characters from its first one, and what is laid over it."""

BOLD = Style(bold=True)
ITALIC = Style(italic=True)


def paint(
    layout: Layout, row: int, width: int, looks: Looks, marks: Iterable[Mark] = (), *, gutter: int, picked: bool
) -> Strip:
    """One row of an entry as a strip of `width` cells, `gutter` of them before its bar and text."""
    entry = layout.entry
    ground = looks("ground") + looks("picked") if picked else looks("ground")
    segments = _gutter(entry, looks, ground, gutter, picked=picked) if row == 0 else [Segment(" " * gutter, ground)]
    if entry.data:
        segments += [Segment("▎", ground + looks(entry.role)), Segment(" ", ground)]
    if row < len(layout.rows):
        segments += _text(layout, row, looks, ground, marks)
    elif layout.note:
        segments.append(Segment(layout.note, ground + looks("quiet")))
    used = sum(cell_len(segment.text) for segment in segments)
    return Strip(segments, used).adjust_cell_length(width, ground)


def _gutter(entry: Entry, looks: Looks, ground: Style, cells: int, *, picked: bool) -> list[Segment]:
    sign = Segment("▸" if picked else " ", ground + looks("primary"))
    step = "" if entry.step is None else str(entry.step) if entry.step < 10_000 else f"…{entry.step % 1000:03}"
    number = f"{step:>2} "[: cells - 1]
    word = entry.word.ljust(cells - 1 - len(number))[: cells - 1 - len(number)]
    return [sign, Segment(number, ground + looks("quiet")), Segment(word, ground + looks(entry.role) + BOLD)]


def _text(layout: Layout, row: int, looks: Looks, ground: Style, marks: Iterable[Mark]) -> list[Segment]:
    place = layout.rows[row]
    line = layout.lines[place.line]
    start, end = place.start, place.start + len(layout.row_text(row))
    laid = [(start + first, start + last, style) for first, last, style in marks]
    bounds = {start, end, *line.ends}
    for first, last, _ in laid:
        bounds |= {first, last}
    segments = []
    for first, last in pairwise(sorted(bound for bound in bounds if start <= bound <= end)):
        span = line.spans[bisect_right(line.ends, first)]
        style = ground + looks(span.role)
        if span.bold:
            style += BOLD
        if span.italic:
            style += ITALIC
        for from_, to, over in laid:
            if from_ <= first < to:
                style += over
        segments.append(Segment(line.text[first:last], style))
    return segments
