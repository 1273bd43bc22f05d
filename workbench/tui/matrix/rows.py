"""What the matrix screen draws, as lines for a width: the heads of the columns, a row of cells, the legend, a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.lab.matrix import SIGNS, WORDS, Cell, Grid, Verdict, started
from workbench.lab.report import cell_sign, cell_words, step_words
from workbench.view.entries import Line, Role, Span
from workbench.view.lines import clip, cut_line, line_cells, pad, wrapped

ROLES: dict[Verdict, Role] = {
    Verdict.RECOVERED: "go",
    Verdict.WRONG: "error",
    Verdict.STOPPED: "wait",
    Verdict.ENDLESS: "error",
    Verdict.DEFECT: "error",
    Verdict.NOT_STRUCK: "quiet",
}
WITH_WORDS = 15
"""Cells of a column that has room for a sign and a word."""
NARROWEST, WIDEST = 3, 18
MARGIN = 2
"""Cells before the names of the faults, where the cursor stands."""
MOST_NAME = 24


@dataclass(frozen=True, slots=True)
class Columns:
    """Which steps are shown, and how wide."""

    name: int
    """Cells of the name of a fault."""
    size: int
    """Cells of a step."""
    first: int
    """The first step that is shown."""
    count: int
    total: int

    @property
    def shown(self) -> range:
        return range(self.first, self.first + self.count)

    @property
    def words(self) -> bool:
        return self.size >= WITH_WORDS

    def step_at(self, x: int) -> int | None:
        """The step at a column of the screen; None beside them."""
        step = self.first + (x - MARGIN - self.name) // self.size
        return step if x >= MARGIN + self.name and step in self.shown else None


def columns(names: Sequence[str], steps: int, width: int, picked: int, first: int = 1) -> Columns:
    """The columns for a width: words where all steps have room for them, else signs; as many steps as fit.

    Starts with step `first`, or as near to it as the `picked` one allows.
    """
    name = min(max(map(len, names), default=0), MOST_NAME, max(8, width // 2 - MARGIN)) + 1
    room = max(1, width - MARGIN - name)
    if steps * WITH_WORDS <= room:
        size = min(WIDEST, room // max(1, steps))
    else:
        size = min(max(NARROWEST, len(str(steps)) + 1, room // steps), WITH_WORDS - 1, room)
    count = max(1, min(steps, room // size))
    first = min(max(first, picked - count + 1), picked)
    return Columns(name=name, size=size, first=max(1, min(first, steps - count + 1)), count=count, total=steps)


def head_lines(grid: Grid, at: Columns, picked: int) -> list[Line]:
    """Two rows over the grid: the numbers of the steps, and what each does where there is room for it."""
    label = "step" if at.first == 1 else "← step"
    numbers = [Span(pad(f"  {label}", MARGIN + at.name), "quiet")]
    tools = [Span(" " * (MARGIN + at.name))]
    for step in at.shown:
        role: Role = "primary" if step == picked else "quiet"
        numbers.append(Span(pad(str(step), at.size), role, bold=step == picked))
        if at.words:
            tools.append(Span(pad(f"{cut_line(step_words(grid, step), at.size - 1)} ", at.size), "quiet"))
    if at.first + at.count <= at.total:
        numbers.append(Span("→", "quiet"))
    return [tuple(numbers), tuple(tools)]


def cell_row(grid: Grid, fault: str, at: Columns, *, picked: int | None) -> Line:
    """The cells of a fault; `picked` is the step under the cursor, if the cursor is in this row."""
    line = [
        Span("▸ " if picked is not None else "  ", "primary"),
        Span(pad(cut_line(fault, at.name - 1), at.name), bold=picked is not None),
    ]
    for step in at.shown:
        cell = grid.cells.get((fault, step))
        text = cell_words(cell) if at.words else cell_sign(cell)
        role: Role = ROLES[cell.verdict] if cell is not None else "quiet"
        here = step == picked
        line.append(Span(pad(text, at.size - 1), "here" if here else role, bold=here))
        line.append(Span(" "))
    return tuple(line)


def legend_lines(grid: Grid, width: int) -> list[Line]:
    """Every verdict with its sign, its word and how often it stands in the grid."""
    rows: list[list[Span]] = [[]]
    for verdict, count in grid.counts().items():
        item = [Span(f"{SIGNS[verdict]} ", ROLES[verdict]), Span(f"{WORDS[verdict]} {count:,}   ")]
        if rows[-1] and line_cells((*rows[-1], *item)) > width + len("   "):
            rows.append([])
        rows[-1] += item
    return [tuple(row) for row in rows]


def cell_lines(grid: Grid, fault: str, step: int, width: int) -> list[Line]:
    """What is to be said of a cell: which it is, what happened, and what the fault teaches."""
    cell = grid.cells.get((fault, step))
    teaches = next(entry.teaches for entry in grid.faults if entry.name == fault)
    tools = cut_line(", ".join(dict.fromkeys(started(grid.unbroken, step))) or step_words(grid, step), 40)
    head = (*_verdict(cell), Span(f"   {fault}", bold=True), Span(f" in step {step} ({tools})", "quiet"))
    said: list[Line] = [(Span(cut_line(_sentence(cell.sentence), 3 * width)),)] if cell is not None else []
    said += [(Span(cut_line(teaches, 3 * width), "quiet"),)] if teaches else []
    return [clip(head, width), *wrapped(said, width)]


def _verdict(cell: Cell | None) -> tuple[Span, ...]:
    if cell is None:
        return (Span("… not run yet", "quiet"),)
    sign, word = SIGNS[cell.verdict], WORDS[cell.verdict]
    shown = cell_words(cell) if cell.verdict is Verdict.STOPPED else f"{sign} {word}"
    return (Span(shown, ROLES[cell.verdict], bold=True),)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
