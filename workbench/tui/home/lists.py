"""A list of any length, on the Line API: only the rows that can be seen are ever drawn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textual import events
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from workbench.tui.home.rows import Columns, columns_of, group_row, note_row, title_row
from workbench.tui.picking import PickView, look_classes, look_rules
from workbench.view.entries import Line, Span
from workbench.view.shelf import Item

MARK, RESTING_MARK = "▸", "▹"
"""Before the picked item: where the keys are about it, and where they are about another list."""
NOTED_MARK = "A"
"""Before the item that another one is to be compared with."""
ROLES = ("quiet", "rule", "go", "wait", "error")


class ItemList(PickView):
    """Items under group headings, one of them picked. It says what happened in messages."""

    LOOKS = "list--"
    COMPONENT_CLASSES = look_classes(LOOKS, *ROLES, "primary", "picked")
    DEFAULT_CSS = (
        """
    ItemList {
        & > .list--picked { background: $surface; }
        &:focus > .list--picked { background: $panel; }
    """
        + look_rules(LOOKS, ROLES)
        + "}"
    )

    cursor: reactive[int] = reactive(-1)
    """The picked item; -1 when there is none."""
    noted: reactive[str] = reactive("")
    """The key of an item that is to be compared with another one."""
    resting: reactive[bool] = reactive(False)
    """Whether the keys are about another list."""

    @dataclass
    class Picked(Message):
        """Another item is picked, or the picked one says something else now."""

        list: ItemList

        @property
        def control(self) -> ItemList:
            return self.list

    class Moved(Message):
        """A person has gone to another item."""

    @dataclass
    class Chosen(Message):
        """An item was clicked twice."""

        list: ItemList

        @property
        def control(self) -> ItemList:
            return self.list

    def __init__(self, empty: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.items: Sequence[Item] = ()
        self._empty = empty
        self._tops: list[int] = []
        """The row of each item's title."""
        self._rows = 0
        self._columns = Columns()
        self._strips: LRUCache[tuple[int, bool], Strip] = LRUCache(512)

    # ------------------------------------------------------------ content

    def show(self, items: Sequence[Item], empty: str = "", *, stay_at_top: bool = False) -> None:
        """Show these items. What was picked stays picked, and in its place, as far as it is still there.

        With `stay_at_top`, where the first one was picked, whatever is first now is picked.
        """
        before = self.item
        above = self._tops[self.cursor] - round(self.scroll_y) if before is not None else 0
        self.items, self._empty = items, empty
        self._columns = columns_of(items)
        self._lay_out()
        nearest = min(max(0, self.cursor), len(items) - 1)
        index = nearest
        if before is not None and not (stay_at_top and self.cursor == 0):
            index = next((at for at, item in enumerate(items) if item.key == before.key), nearest)
        self.virtual_size = Size(0, self._rows)
        self.set_reactive(ItemList.cursor, index)
        if before is not None and index >= 0:
            self._scroll(self._tops[index] - above)
        self._reveal()
        self._strips.clear()
        self.refresh()
        self.post_message(self.Picked(self))

    def _lay_out(self) -> None:
        self._tops, row, group = [], 0, ""
        for item in self.items:
            if item.group != group:
                group = item.group
                row += 2 if row else 1
            self._tops.append(row)
            row += 2 if item.note else 1
        self._rows = row

    @property
    def item(self) -> Item | None:
        """The picked item."""
        return self.items[self.cursor] if 0 <= self.cursor < len(self.items) else None

    # ------------------------------------------------------------ moving

    def pick(self, index: int) -> None:
        """Pick an item, the nearest there is, and bring it into view."""
        self.cursor = min(max(0, index), len(self.items) - 1)
        self._reveal()

    def pick_key(self, key: str) -> None:
        """Pick the item with that key, if it is there."""
        self.pick_wanted(key)

    def pick_wanted(self, key: str) -> str:
        """As `pick_key`; returns the key that is still wanted, "" where the item was there."""
        index = next((at for at, item in enumerate(self.items) if item.key == key), None) if key else None
        if index is None:
            return key
        self.pick(index)
        return ""

    def move(self, step: int) -> None:
        """So many items down, or up."""
        self._go(self.cursor + step)

    def _go(self, index: int) -> None:
        self.pick(index)
        self.post_message(self.Moved())

    def action_page(self, direction: int) -> None:
        if self.items:
            row = self._tops[self.cursor] + direction * max(1, self._page - 1)
            self._go(max(0, bisect_right(self._tops, max(0, row)) - 1))

    def action_pick_at(self, index: int) -> None:
        self._go(index if index >= 0 else len(self.items) - 1)

    def watch_resting(self) -> None:
        self._strips.clear()

    def watch_noted(self) -> None:
        self._strips.clear()

    def watch_cursor(self) -> None:
        self.refresh()
        self.post_message(self.Picked(self))

    def _reveal(self) -> None:
        """Bring the picked item into view, and what stands over it when it is the first of its group."""
        if self.item is None or not self.size.height:
            return
        first, last = self._span(self.cursor)
        top = round(self.scroll_y)
        if first < top:
            self._scroll(first)
        elif last >= top + self._page:
            self._scroll(last + 1 - self._page)

    def _span(self, index: int) -> tuple[int, int]:
        """First and last row of an item, its heading included."""
        last = self._tops[index] + bool(self.items[index].note)
        heads = index == 0 or self.items[index - 1].group != self.items[index].group
        return (self._tops[index] - bool(heads and self.items[index].group), last)

    def on_resize(self) -> None:
        self._strips.clear()
        self._reveal()

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index, part = self._at(round(self.scroll_y) + offset.y)
        if part in ("title", "note"):
            self.cursor = index
            self.post_message(self.Moved())
            if event.chain == 2:
                self.post_message(self.Chosen(self))

    def _at(self, row: int) -> tuple[int, str]:
        """The item at a row, and which part of it is there: title, note, heading of its group, or blank."""
        index = bisect_right(self._tops, row) - 1
        if index >= 0 and row <= self._tops[index] + bool(self.items[index].note):
            return index, "title" if row == self._tops[index] else "note"
        if index + 1 < len(self.items) and row == self._tops[index + 1] - 1:
            return index + 1, "heading"
        return index, ""

    # ------------------------------------------------------------ drawing

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        row = round(self.scroll_y) + y
        index, _ = self._at(row)
        key = (row, index == self.cursor)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self._draw(row, width)
        return strip

    def _draw(self, row: int, width: int) -> Strip:
        index, part = self._at(row)
        line: Line = ()
        picked = index == self.cursor and part in ("title", "note")
        if part == "title":
            noted = NOTED_MARK if self.items[index].key == self.noted else ""
            mark = (RESTING_MARK if self.resting else MARK) if picked else noted
            line = title_row(self.items[index], width, self._columns, mark=mark)
        elif part == "note":
            line = note_row(self.items[index], width)
        elif part == "heading":
            line = group_row(self.items[index].group, width)
        elif not self.items and row == 0:
            line = (Span(self._empty, "quiet"),)
        return self._strip(line, picked=picked)
