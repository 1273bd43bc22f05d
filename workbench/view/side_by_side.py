"""Two runs as lines for a width: beside each other where both fit, else under each other where they differ."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from workbench.core.divergence import Row
from workbench.core.items import Item
from workbench.view.comparing import NAMES, Pair, cause_words
from workbench.view.entries import Line, Role, Span, line_text
from workbench.view.figures import amount
from workbench.view.item_lines import ItemLine, height, item_lines, line_of
from workbench.view.lines import clip, cut, heading, line_cells, pad

BESIDE = 100
"""Columns from which both runs stand beside each other."""
CURSOR, WORD = 2, 8
"""Cells of the cursor, and of a word with the blank behind it."""
INDENT = 6
"""Cells before what is said in place of rows that are left out."""
SIGN = 3
"""Cells of the sign between two runs, with blanks around it."""
CONTEXT = 2
"""Rows that are the same, shown around those that are not, where not every row is."""

SIGNS: dict[str, Role] = {"=": "quiet", "≈": "quiet", "≠": "changed", "<": "changed", ">": "changed"}
"""The same, the same in other words, different, only in A, only in B."""


class Place(NamedTuple):
    """What a line on the screen shows."""

    row: int
    """Index of the row it belongs to."""
    line: int
    """Which line of that row; -1 for the heading over it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """All rows of a comparison for a width. A line is made when it is asked for."""

    pair: Pair
    width: int
    ends: tuple[int, ...]
    """Behind the last line of each row, headings included."""

    @property
    def lines(self) -> int:
        return self.ends[-1] if self.ends else 0

    def top(self, row: int) -> int:
        """The first line of a row, its heading included."""
        return self.ends[row - 1] if row else 0

    def place(self, line: int) -> Place:
        """What stands in that line."""
        row = bisect_right(self.ends, line)
        return Place(row, line - self.top(row) - _headed(self.pair, row))

    def draw(self, line: int, *, picked: bool = False) -> Line:
        """A line, at most as wide as the layout."""
        row, index = self.place(line)
        if index < 0:
            return _heading(self.pair, row, self.width)
        lines = (beside if self.width >= BESIDE else below)(self.pair, row, self.width)
        return _marked(lines[index]) if picked else lines[index]


def layout(pair: Pair, width: int) -> Layout:
    """The rows of a pair for that width."""
    rows = pair.found.rows
    tall = _tall_beside if width >= BESIDE else _tall_below
    ends = accumulate(_headed(pair, index) + tall(row) for index, row in enumerate(rows))
    return Layout(pair, width, tuple(ends))


def _tall_beside(row: Row) -> int:
    return max(height(row.a), height(row.b))


def _tall_below(row: Row) -> int:
    return height(row.a) if _once(row) else height(row.a) + height(row.b)


def _once(row: Row) -> bool:
    """Whether both say the same, so that one of them is enough."""
    return row.a is not None and row.b is not None and row.aspect is None and not row.reworded


def _headed(pair: Pair, index: int) -> bool:
    """Whether a heading stands over a row: where they part, and where downstream of that begins."""
    divergence = pair.found.divergence
    return divergence is not None and index in (divergence.row, divergence.row + 1)


def _heading(pair: Pair, index: int, width: int) -> Line:
    divergence = pair.found.divergence
    assert divergence is not None
    if index == divergence.row:
        title = f"They part here. {cause_words(pair)}"
        rule = "─" * max(0, width - len(title) - 1)
        return clip((Span(f"{title} ", "changed", bold=True), Span(rule, "changed")), width)
    return heading("Downstream of that", width)


def _marked(line: Line) -> Line:
    """With the cursor before it."""
    return (Span("▸ ", "primary"), *line[1:])


# ---------------------------------------------------------------- one row


def sign_of(row: Row) -> str:
    if row.a is None or row.b is None:
        return ">" if row.a is None else "<"
    return "≠" if row.aspect is not None else "≈" if row.reworded else "="


def beside(pair: Pair, index: int, width: int) -> list[Line]:
    """A row with both runs beside each other."""
    row = pair.found.rows[index]
    margin = _step_cells(pair) + WORD
    room = (width - CURSOR - SIGN - 2 * margin) // 2
    sides = [_side(pair, which, index) for which in (0, 1)]
    at = line_of(row.a or row.b, row.aspect) if row.aspect is not None else 0  # type: ignore[arg-type]
    out = []
    for number in range(_tall_beside(row)):
        left, right = (side[number] if number < len(side) else (Span(" " * margin),) for side in sides)
        sign = sign_of(row) if number == at else " "
        middle = Span(f" {sign} ", SIGNS.get(sign, ""), bold=sign == "≠")
        out.append((Span("  "), *_filled(left, margin + room), middle, *clip(right, margin + room)))
    return out


def below(pair: Pair, index: int, width: int) -> list[Line]:
    """A row with one run under the other, or only once where both say the same."""
    row = pair.found.rows[index]
    if _once(row):
        return [(Span("    "), *clip(line, width - 4)) for line in _side(pair, 0, index)]
    out: list[Line] = []
    for which, name in enumerate(NAMES):
        for number, line in enumerate(_side(pair, which, index)):
            mark = Span(f"{name if number == 0 else ' '} ", "changed" if row.parts else "quiet", bold=True)
            out.append((Span("  "), mark, *clip(line, width - 4)))
    return out


def _side(pair: Pair, which: int, index: int) -> list[Line]:
    """One run's part of a row: step, word, text. Downstream of the parting it stands back."""
    row, divergence = pair.found.rows[index], pair.found.divergence
    item = row.b if which else row.a
    if item is None:
        return []
    protocol = pair.both[which].side.header.protocol
    lines = [_with_margin(item, line, _step_cells(pair)) for line in item_lines(item, protocol)]
    downstream = divergence is not None and index > divergence.row
    return [tuple(replace(span, role="quiet", bold=False) for span in line) for line in lines] if downstream else lines


def _step_cells(pair: Pair) -> int:
    """Cells of the number of a step, with a blank behind it."""
    return len(str(max(run.state.total_steps for run in pair.both))) + 2


def _with_margin(item: Item, line: ItemLine, cells: int) -> Line:
    step = str(item.step) if item.kind == "reply" else ""
    return (
        Span(f"{step:>{cells - 1}} ", "quiet"),
        Span(pad(cut(line.word, WORD - 1), WORD), line.role),
        *line.line,
    )


def _filled(line: Line, width: int) -> Line:
    line = clip(line, width)
    return (*line, Span(" " * (width - line_cells(line))))


# ---------------------------------------------------------------- as text


def text_lines(pair: Pair, width: int) -> list[str]:
    """The rows as text: those that differ with a few around them, and where they part; what is left out is counted."""
    made = layout(pair, width)
    shown = _shown(pair.found.rows)
    lines: list[str] = []
    skipped = 0
    for index in range(len(pair.found.rows)):
        headed = _headed(pair, index)
        if index not in shown and not headed:
            skipped += 1
            continue
        lines += _left_out(skipped)
        skipped = 0
        first = made.top(index)
        lines += [line_text(made.draw(line)).rstrip() for line in range(first, made.ends[index])]
    return [*lines, *_left_out(skipped)]


def _left_out(count: int) -> list[str]:
    return [f"{' ' * INDENT}… {amount(count)} the same"] if count else []


def _shown(rows: Sequence[Row]) -> set[int]:
    """Rows that are shown: what differs, what is around it, and the end."""
    telling = [index for index, row in enumerate(rows) if not _once(row)]
    shown = {near for index in telling for near in range(index - CONTEXT, index + CONTEXT + 1)}
    shown |= {len(rows) - 1}
    # One row that is left out takes as much room as the line that says so.
    return shown | {index for index in range(len(rows)) if {index - 1, index + 1} <= shown}
