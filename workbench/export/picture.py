"""A run as an SVG picture of its transcript: rows of text on a grid of cells, long entries folded as in the app."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from workbench.export.forms import CannotExport, Recorded, Written
from workbench.export.palette import Palette
from workbench.export.transcript import Part, ending, facts, parts
from workbench.view.entries import Entry, Line, Span, all_lines
from workbench.view.figures import amount
from workbench.view.lines import cut_line, wrap
from workbench.view.visible import cells, visible

COLUMNS = 110
CELL, ROW = 8.4, 19.0
"""Width and height of a cell, in the picture's own units."""
MARGIN = 20.0
LEFT = 12
"""Columns before the text of an entry: step and word."""
_STYLE = """
text {
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  font-size: 14px; white-space: pre;
}
.b { font-weight: bold; }
.i { font-style: italic; }
"""


def write(run: Recorded) -> Written:
    """The picture, in the colours of the first palette. Raises CannotExport without any."""
    if not run.palettes:
        raise CannotExport("a picture needs the colours of a theme")
    palette = run.palettes[0]
    rows = list(_rows(run))
    width, height = COLUMNS * CELL + 2 * MARGIN, len(rows) * ROW + 2 * MARGIN
    title, size = visible(run.title), f'width="{width:.0f}" height="{height:.0f}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" {size} role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect width="100%" height="100%" fill="{palette.colours["background"]}"/>',
        *(line for number, row in enumerate(rows) for line in _drawn(number, row, palette)),
        "</svg>",
    ]
    return Written("\n".join(lines) + "\n")


def _rows(run: Recorded) -> Iterator[Line]:
    yield (Span(cut_line(run.title, COLUMNS), "primary", bold=True),)
    yield (Span("─" * COLUMNS, "rule"),)
    for part in parts(run):
        yield from _entry(part)
    yield (Span("─" * COLUMNS, "rule"),)
    yield ending(run)
    figures = " · ".join(value for name, value in facts(run) if name in ("model", "calls", "tokens"))
    yield (Span(cut_line(figures, COLUMNS), "quiet"),)


def _entry(part: Part) -> Iterator[Line]:
    entry = part.entry
    step = f"{entry.step:>3} " if entry.step is not None else "    "
    margin: Line = (Span(step, "quiet"), Span(f"{entry.word:<8}", entry.role, bold=True))
    bar: Line = (Span("│ ", entry.role),) if entry.data else ()
    for row in _folded(entry, COLUMNS - LEFT - 2 * len(bar)):
        yield (*margin, *bar, *row)
        margin = (Span(" " * LEFT),)


def _folded(entry: Entry, width: int) -> list[Line]:
    seen = [tuple(Span(visible(span.text), span.role, span.bold, span.italic) for span in line) for line in _all(entry)]
    rows = [row for line in seen for row in wrap(line, width)]
    at = entry.fold_at
    if at is None or len(rows) <= at + 1:
        return rows
    return [*rows[:at], (Span(f"… {amount(len(rows) - at)} more rows", "quiet"),)]


def _all(entry: Entry) -> tuple[Line, ...]:
    return all_lines(entry) or ((),)


def _drawn(number: int, row: Line, palette: Palette) -> Iterator[str]:
    """Each span where its cells are, and as wide as they are, whatever the font."""
    y = MARGIN + number * ROW + ROW * 0.75
    column = 0
    for span in row:
        text = span.text.strip(" ")
        if text:
            # Blanks at the edges are room, not text: not every reader keeps them.
            x = MARGIN + (column + len(span.text) - len(span.text.lstrip(" "))) * CELL
            width = cells(text)
            look = " ".join(name for name, on in (("b", span.bold), ("i", span.italic)) if on)
            yield (
                f'<text x="{x:.1f}" y="{y:.1f}" textLength="{width * CELL:.1f}" lengthAdjust="spacingAndGlyphs"'
                f' xml:space="preserve" fill="{_colour(span, palette)}"{f" class={quoteattr(look)}" if look else ""}>'
                f"{escape(text)}</text>"
            )
        column += cells(span.text)


def _colour(span: Span, palette: Palette) -> str:
    return palette.colours.get(span.role or "foreground", palette.colours["foreground"])
