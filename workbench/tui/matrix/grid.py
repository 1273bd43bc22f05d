"""The grid, on the Line API: faults below each other under their groups, steps side by side, one cell picked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from workbench.lab.matrix import Grid, Place, Verdict
from workbench.tui.matrix.rows import Columns, cell_row, columns, head_lines
from workbench.tui.picking import PickView, look_classes, look_rules
from workbench.view.entries import Span
from workbench.view.lines import pad

ROLES = ("quiet", "go", "wait", "error")
FINDINGS = (Verdict.WRONG, Verdict.ENDLESS, Verdict.DEFECT)
"""Verdicts that somebody who looks for trouble goes to."""


class GridView(PickView):
    """Draws a grid as far as it is filled. It says in a message which cell is picked, and which was clicked twice."""

    LOOKS = "matrix--"
    HEAD = 2
    COMPONENT_CLASSES = look_classes(LOOKS, *ROLES, "primary", "picked", "here")
    DEFAULT_CSS = (
        """
    GridView {
        & > .matrix--picked { background: $surface; }
        & > .matrix--here { background: $primary; color: $background; }
    """
        + look_rules(LOOKS, ROLES)
        + "}"
    )

    @dataclass
    class Picked(Message):
        """Another cell is picked."""

    @dataclass
    class Chosen(Message):
        """A cell was clicked twice."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.grid: Grid | None = None
        self._rows: list[tuple[str, str]] = []
        """Group and fault of each row; a heading has no fault, and a blank neither."""
        self._tops: list[int] = []
        """The row of each fault."""
        self._names: list[str] = []
        self.fault = 0
        self.step = 1
        self._first = 1

    # ------------------------------------------------------------ content

    def show(self, grid: Grid) -> None:
        """Draw this grid; what is picked stays picked."""
        if self.grid is not grid:
            self.grid = grid
            self._lay_out(grid)
        self.refresh()

    def _lay_out(self, grid: Grid) -> None:
        self._rows, self._tops = [], []
        group = None
        for entry in grid.faults:
            if entry.group != group:
                group = entry.group
                self._rows += [("", "")] if self._rows else []
                self._rows.append((group or "others", ""))
            self._tops.append(len(self._rows))
            self._rows.append(("", entry.name))
        self._names = [entry.name for entry in grid.faults]
        self.virtual_size = Size(0, len(self._rows) + self.HEAD)

    @property
    def place(self) -> Place | None:
        """The picked cell."""
        return (self._names[self.fault], self.step) if self._names else None

    # ------------------------------------------------------------ moving

    def pick(self, fault: int, step: int) -> None:
        """Pick a cell, the nearest there is, and bring it into view."""
        if self.grid is None:
            return
        self.fault = min(max(0, fault), len(self._names) - 1)
        self.step = min(max(1, step), len(self.grid.steps))
        self._reveal()
        self.refresh()
        self.post_message(self.Picked())

    def move(self, faults: int, steps: int) -> None:
        """So many cells down and to the right."""
        self.pick(self.fault + faults, self.step + steps)

    def next_finding(self) -> bool:
        """To the next cell that is wrong, endless or a defect, beginning again at the top. Returns whether one is."""
        if self.grid is None:
            return False
        places = [(row, step) for row in range(len(self._names)) for step in self.grid.steps]
        at = places.index((self.fault, self.step)) + 1
        for row, step in [*places[at:], *places[:at]]:
            cell = self.grid.cells.get((self._names[row], step))
            if cell is not None and cell.verdict in FINDINGS:
                self.pick(row, step)
                return True
        return False

    def action_page(self, direction: int) -> None:
        self.move(direction * max(1, self._page - 1), 0)

    def action_pick_at(self, index: int) -> None:
        self.pick(index if index >= 0 else len(self._names) - 1, self.step)

    def _reveal(self) -> None:
        """Bring the picked row into view, with the heading over it where it is the first of its group."""
        row = self._tops[self.fault]
        above = row - 1 if row and not self._rows[row - 1][1] else row
        top = round(self.scroll_y)
        if above < top:
            self._scroll(above)
        elif row >= top + self._page:
            self._scroll(row + 1 - self._page)

    def on_resize(self) -> None:
        if self.grid is not None:
            self._reveal()

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or self.grid is None or offset.y < self.HEAD:
            return
        row = round(self.scroll_y) + offset.y - self.HEAD
        if row in self._tops:
            step = self._columns(self.grid).step_at(offset.x)
            self.pick(self._tops.index(row), self.step if step is None else step)
            if event.chain == 2 and step is not None:
                self.post_message(self.Chosen())

    # ------------------------------------------------------------ drawing

    def _columns(self, grid: Grid) -> Columns:
        width = self.scrollable_content_region.width
        at = columns(self._names, len(grid.steps), width, self.step, self._first)
        self._first = at.first
        return at

    def render_line(self, y: int) -> Strip:
        if self.grid is None:
            return self._strip(())
        at, row = self._columns(self.grid), round(self.scroll_y) + y - self.HEAD
        if y < self.HEAD:
            return self._strip(head_lines(self.grid, at, self.step)[y])
        if row >= len(self._rows):
            return self._strip(())
        heading, name = self._rows[row]
        here = row == self._tops[self.fault]
        if name:
            return self._strip(cell_row(self.grid, name, at, picked=self.step if here else None), picked=here)
        title = pad(heading, self.scrollable_content_region.width)
        return self._strip((Span(title, "quiet", bold=True),) if heading else (), picked=here)
