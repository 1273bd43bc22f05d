"""One row of a transcript, drawn: gutter, bar, and a piece of text in the colours of its spans."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import pairwise

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from workbench.tui.transcript.flow import BAR, GUTTER
from workbench.tui.transcript.layout import Layout
from workbench.view.entries import Entry

Mark = tuple[int, int, Style]
"""A stretch of a row, in characters from its first one, and what is laid over it."""
Styles = Callable[[str], Style]
"""The style of a role, or of "ground" and "picked", the styles below everything."""

BOLD = Style(bold=True)
ITALIC = Style(italic=True)


def gutter_cells(entry: Entry) -> int:
    """Cells before the text of an entry."""
    return GUTTER + BAR * entry.data


def paint(layout: Layout, row: int, width: int, styles: Styles, marks: Iterable[Mark] = (), *, picked: bool) -> Strip:
    """One row of an entry as a strip of that many cells."""
    entry = layout.entry
    ground = styles("ground") + styles("picked") if picked else styles("ground")
    segments = _gutter(entry, styles, ground, picked=picked) if row == 0 else [Segment(" " * GUTTER, ground)]
    if entry.data:
        segments += [Segment("▎", ground + styles(entry.role)), Segment(" ", ground)]
    if row < len(layout.rows):
        segments += _text(layout, row, styles, ground, marks)
    elif layout.note:
        segments.append(Segment(layout.note, ground + styles("quiet")))
    used = sum(cell_len(segment.text) for segment in segments)
    return Strip(segments, used).adjust_cell_length(width, ground)


def _gutter(entry: Entry, styles: Styles, ground: Style, *, picked: bool) -> list[Segment]:
    sign = Segment("▸" if picked else " ", ground + styles("primary"))
    step = "" if entry.step is None else str(entry.step) if entry.step < 10_000 else f"…{entry.step % 1000:03}"
    number = f"{step:>2} "
    word = entry.word.ljust(GUTTER - 1 - len(number))[: GUTTER - 1 - len(number)]
    return [sign, Segment(number, ground + styles("quiet")), Segment(word, ground + styles(entry.role) + BOLD)]


def _text(layout: Layout, row: int, styles: Styles, ground: Style, marks: Iterable[Mark]) -> list[Segment]:
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
        style = ground + styles(span.role)
        if span.bold:
            style += BOLD
        if span.italic:
            style += ITALIC
        for from_, to, over in laid:
            if from_ <= first < to:
                style += over
        segments.append(Segment(line.text[first:last], style))
    return segments
