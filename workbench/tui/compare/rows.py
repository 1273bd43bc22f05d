"""The aligned rows, on the Line API: only those that can be seen are ever drawn, and one of them is picked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from workbench.tui.picking import PickView, look_classes, look_rules
from workbench.view.comparing import Pair
from workbench.view.side_by_side import Layout, layout

ROLES = ("quiet", "rule", "user", "model", "result", "notice", "error", "changed", "go", "wait", "held", "past")
ABOVE = 3
"""Lines that stay above the row in which two runs part, when it is gone to."""


class RowsView(PickView):
    """Draws the rows of a pair for its width. It says in a message which one is picked, and which was clicked twice."""

    LOOKS = "compare--"
    COMPONENT_CLASSES = look_classes(LOOKS, *ROLES, "primary", "picked")
    DEFAULT_CSS = (
        """
    RowsView {
        & > .compare--picked { background: $surface; }
    """
        + look_rules(LOOKS, ROLES)
        + "}"
    )

    @dataclass
    class Picked(Message):
        """Another row is picked."""

    @dataclass
    class Chosen(Message):
        """A row was clicked twice."""

    def __init__(self, pair: Pair, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.pair = pair
        self.row = 0
        """Index of the picked row."""
        self._layout: Layout | None = None

    @property
    def count(self) -> int:
        return len(self.pair.found.rows)

    # ------------------------------------------------------------ moving

    def pick(self, row: int, *, above: int = 0) -> None:
        """Pick a row, the nearest there is, and bring it into view, with so many lines above it."""
        self.row = min(max(0, row), max(0, self.count - 1))
        self._reveal(above)
        self.refresh()
        self.post_message(self.Picked())

    def move(self, rows: int) -> None:
        """So many rows down."""
        self.pick(self.row + rows)

    def to_parting(self) -> bool:
        """To the row in which they part first. Returns whether they do."""
        divergence = self.pair.found.divergence
        if divergence is not None:
            self.pick(divergence.row, above=ABOVE)
        return divergence is not None

    def next_difference(self) -> bool:
        """To the next row in which they differ, beginning again at the top. Returns whether there is one."""
        rows = self.pair.found.rows
        order = [*range(self.row + 1, len(rows)), *range(self.row + 1)]
        at = next((index for index in order if rows[index].parts), None) if rows else None
        if at is not None:
            self.pick(at)
        return at is not None

    def action_page(self, direction: int) -> None:
        made = self._layout
        if made is not None and self.count:
            line = made.top(self.row) + direction * max(1, self._page - 1)
            self.pick(made.place(min(max(0, line), made.lines - 1)).row)

    def action_pick_at(self, index: int) -> None:
        self.pick(index if index >= 0 else self.count - 1)

    def _reveal(self, above: int = 0) -> None:
        made = self._layout
        if made is None or not self.count:
            return
        first, end, top = made.top(self.row), made.ends[self.row], round(self.scroll_y)
        if first - above < top:
            self._scroll(first - above)
        elif end > top + self._page:
            self._scroll(min(first - above, end - self._page) if not above else first - above)

    def on_resize(self) -> None:
        width = self.scrollable_content_region.width
        if width and (self._layout is None or self._layout.width != width):
            first = self._layout is None
            self._layout = layout(self.pair, width)
            self.virtual_size = Size(0, self._layout.lines)
            if not first or not self.to_parting():
                self._reveal()
        else:
            self._reveal()

    def on_click(self, event: events.Click) -> None:
        offset, made = event.get_content_offset(self), self._layout
        if offset is None or made is None:
            return
        line = round(self.scroll_y) + offset.y
        if line < made.lines:
            self.pick(made.place(line).row)
            if event.chain == 2:
                self.post_message(self.Chosen())

    # ------------------------------------------------------------ drawing

    def render_line(self, y: int) -> Strip:
        made, line = self._layout, round(self.scroll_y) + y
        if made is None or line >= made.lines:
            return self._strip(())
        row, index = made.place(line)
        picked = row == self.row and index >= 0
        return self._strip(made.draw(line, picked=picked and index == 0), picked=picked)
