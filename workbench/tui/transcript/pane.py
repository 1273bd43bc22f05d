"""A transcript on the screen: drawing, scrolling and keeping the reader's place. What the keys do is in `widget`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from typing import Any, get_args

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from workbench.tui.looks import Looks
from workbench.tui.transcript.flow import BAR, GUTTER, Flow
from workbench.tui.transcript.layout import Layout, Look
from workbench.tui.transcript.paint import Mark, paint
from workbench.tui.transcript.search import Finder
from workbench.tui.transcript.selection import selected_text
from workbench.view.entries import Entry, EntrySource, Role

SLICE = 0.004
"""Seconds of measuring in one go, so that a key never waits longer for it."""


class Pane(ScrollView, can_focus=True, inherit_bindings=False):
    """Draws a source of entries, however many; what is drawn or changed costs the same at any length."""

    ALLOW_MAXIMIZE = False
    COMPONENT_CLASSES = {
        f"transcript--{name}" for name in (*(role for role in get_args(Role) if role), "picked", "match", "found")
    }
    DEFAULT_CSS = """
    Pane {
        height: 1fr;
        padding: 0 1;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
        & > .transcript--quiet { color: $wb-quiet; }
        & > .transcript--primary { color: $primary; }
        & > .transcript--user { color: $wb-user; }
        & > .transcript--model { color: $wb-model; }
        & > .transcript--result { color: $wb-result; }
        & > .transcript--notice { color: $wb-notice; }
        & > .transcript--error { color: $wb-error; }
        & > .transcript--changed { color: $wb-changed; }
        & > .transcript--go { color: $wb-go; }
        & > .transcript--wait { color: $wb-wait; }
        & > .transcript--held { color: $wb-held; }
        & > .transcript--past { color: $wb-past; }
        & > .transcript--rule { color: $wb-rule; }
        & > .transcript--here { color: $wb-past; text-style: reverse; }
        & > .transcript--picked { background: $surface; }
        & > .transcript--match { text-style: underline; background: $panel; }
        & > .transcript--found { color: $background; background: $primary; }
    }
    """

    cursor: reactive[int] = reactive(-1, repaint=False)
    """The picked entry; -1 when there is none."""
    spaced: reactive[bool] = reactive(False, repaint=False)
    """One blank row between entries."""

    def __init__(self, source: EntrySource | None = None, *, gutter: int = GUTTER, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.flow = Flow(gutter)
        self.follows = True
        """Whether the view keeps to the end as entries come."""
        self.finder: Finder | None = None
        """The search that is on."""
        self._strips: LRUCache[tuple[int, int, bool], tuple[Layout, int, Strip]] = LRUCache(1024)
        """Rows that were drawn, each with what it was drawn from and its line of the flow."""
        self._drawn: tuple[Size, int, list[Look]] = (Size(), 0, [])
        """The room, the row of the flow at its top, and how each row in it looks that is drawn, or about to be."""
        self._thumb: Sequence[Segment] = ()
        """The scrollbar as it is drawn, in no colours of ours."""
        self.looks = Looks(self, "transcript--")
        self._slices: Timer | None = None
        self._moving = False
        if source is not None:
            self.flow.load(source)
            self.set_reactive(Pane.cursor, self.flow.count - 1)

    # ------------------------------------------------------------ content

    def load(self, source: EntrySource) -> None:
        """Show all of another source, from its end. What cannot be seen is measured in slices, afterwards."""
        self.follows = True
        with self.steady():
            self.flow.load(source)
            self._measure_from(self.flow.count)

    def appended(self) -> None:
        """The source has more entries at its end. O(log n), and no layout; call it once for many."""
        with self.steady():
            self.flow.appended()

    def changed(self, index: int) -> None:
        """The entry at `index` says something else now. O(log n)."""
        with self.steady():
            self.flow.changed(index)

    def truncate(self, count: int | None) -> None:
        """Show only the first `count` entries, from their end; None shows all again. O(log n)."""
        self.follows = True
        with self.steady():
            self.flow.cut(count)
            self._measure_from(self.flow.count)

    def show_tail(self, entry: Entry | None) -> None:
        """What stands after the last entry and is none itself: the next move, or a reply while it streams in.

        For a reply give the entry as it is so far: lines that are equal to those before are neither wrapped nor, unless
        they move, drawn again.
        """
        if entry != self.flow.tail_entry:
            with self.steady():
                self.flow.set_tail(entry)

    # ------------------------------------------------------------ the reader's place

    @contextmanager
    def steady(self, *, moved: bool = True) -> Iterator[None]:
        """Around a change: the reader's place stays, be it the end or the row that is at the top.

        With `moved` False rows are not drawn for that alone that they stand elsewhere in the flow.
        """
        index, row = self.flow.locate(round(self.scroll_y))
        yield
        self._put(inf if self.follows else self.flow.row_of(index, row), moved=moved)
        self.settled()

    def _put(self, place: float, *, moved: bool = True) -> None:
        """Take in how much there is, scroll there, as far as there is something to scroll, and draw what differs."""
        size = Size(self.flow.width, self.flow.total)
        # Set past the reactives: they would lay out the screen, and draw what looks as before.
        self.set_reactive(Widget.virtual_size, size)
        if (size.height > self.container_size.height) != self.show_vertical_scrollbar:
            self._moving = True
            try:
                self._scroll_update(size)
            finally:
                self._moving = False
        place = float(max(0, min(place, self.max_scroll_y)))
        self.set_reactive(Widget.scroll_y, place)
        self.set_reactive(Widget.scroll_target_y, place)
        if self.show_vertical_scrollbar:
            self._move_thumb()
        self._draw(moved=moved)

    def _move_thumb(self) -> None:
        """Tell the scrollbar where we are, and draw it if that can be seen: it is drawn in one piece."""
        bar, size, place = self.vertical_scrollbar, self.virtual_size.height, self.scroll_y
        bar.set_reactive(ScrollBar.window_virtual_size, size)
        bar.set_reactive(ScrollBar.position, place)
        drawn = bar.renderer.render_bar(bar.size.height, size, bar.window_size, place)
        if drawn.segments != self._thumb:
            self._thumb = drawn.segments
            bar.refresh()

    @property
    def room(self) -> int:
        """Rows that there is room for."""
        return self.scrollable_content_region.height

    @property
    def foot(self) -> str:
        """What stands in the last row instead of what would be there; "" where nothing does."""
        return ""

    def _looks(self) -> list[Look]:
        """How each row looks that can be seen."""
        flow, cursor, foot = self.flow, self.cursor, self.foot
        out: list[Look] = []
        for index, row in flow.rows(round(self.scroll_y), self.room - bool(foot)):
            layout = flow.layout(index)
            out.append(None if layout is None else layout.look(row, picked=index == cursor))
        return [*out, (foot,)] if foot else out

    def _draw(self, *, moved: bool = True) -> None:
        """Draw the rows that look otherwise than they are drawn; all, where they know by now wrong where they stand."""
        if not self.flow.width:
            return
        size, (old_size, old_top, before) = self.scrollable_content_region.size, self._drawn
        top, now = round(self.scroll_y), self._looks()
        self._drawn = size, top, now
        if size != old_size or (moved and top != old_top):
            self.refresh()
            return
        rows = [Region(0, y, size.width, 1) for y, look in enumerate(now) if look != before[y]]
        if rows:
            self.refresh(*rows)

    def watch_cursor(self) -> None:
        self._draw()

    def bring(self, row: float) -> None:
        """Scroll so that this row is at the top. Whether the end is followed does not change."""
        self._put(row)
        if self.flow.has_guesses:
            index, within = self.flow.locate(round(self.scroll_y))
            self._measure_from(index)
            self._put(self.flow.row_of(index, within))

    def move_to(self, row: float) -> None:
        """Scroll as a person does: at the end, and only there, the end is followed from now on."""
        self.bring(row)
        self.follows = self.at_end
        self.settled()

    @property
    def at_end(self) -> bool:
        return round(self.scroll_y) >= self.max_scroll_y

    def settled(self) -> None:
        """Called after every change of content or place."""

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if not self._moving and round(old_value) != round(new_value):
            self.move_to(new_value)

    def scroll_to(self, x: float | None = None, y: float | None = None, **options: Any) -> None:
        """As everywhere, but never animated: a page is one frame."""
        super().scroll_to(x, y, **{**options, "animate": False})

    # ------------------------------------------------------------ width

    def watch_spaced(self) -> None:
        with self.steady():
            self.flow.gap = int(self.spaced)

    def on_resize(self) -> None:
        width = self.scrollable_content_region.width
        top = self.flow.locate(round(self.scroll_y))[0]
        with self.steady():
            if width != self.flow.width:
                if self.text_selection is not None:
                    self.screen.clear_selection()  # it says rows, and these become others
                self.flow.rewrap(width)
            self._measure_from(self.flow.count if self.follows else top)

    def _measure_from(self, index: int) -> None:
        """Measure what can be seen when that entry is at the top, or the last ones; see to it that the rest follows."""
        most = max(1, self.size.height)
        self.flow.measure(max(0, min(index, self.flow.count - most)), index + most)
        if self._slices is None and self.flow.width and not self.flow.measure_some(SLICE):
            self._slices = self.set_interval(1 / 100, self._measure_slice)

    def _measure_slice(self) -> None:
        # What can be seen is measured already: while the rest is, nothing is drawn but the scrollbar.
        with self.steady(moved=False):
            done = self.flow.measure_some(SLICE)
        if done and self._slices is not None:
            self._slices.stop()
            self._slices = None
            self.refresh()

    # ------------------------------------------------------------ drawing

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.looks.clear()
        self._strips.clear()

    def _marks(self, index: int, layout: Layout, row: int) -> list[Mark]:
        """What is laid over a row, from below: places found, then what is selected by mouse."""
        marks: list[Mark] = []
        if self.finder is not None:
            for start, end, here in self.finder.in_row(index, layout, row):
                marks.append((start, end, self.looks("found" if here else "match")))
        selection = self.text_selection
        span = None if selection is None else selection.get_span(self.flow.top(index) + row)
        if span is not None:
            size = len(layout.row_text(row))
            end = size if span[1] < 0 else min(size, span[1])
            marks.append((max(0, span[0]), end, self.screen.get_component_rich_style("screen--selection")))
        return marks

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows that can be seen, and the padding around them.

        Textual keeps what it makes of a row by its place on the screen, and makes all anew when they scroll. Here a row
        is kept with its padding, and is the same one wherever it is scrolled to.
        """
        width, height = self.region.size
        room, filters, background = (
            self.scrollable_content_region.size,
            self.get_line_filters(),
            self.background_colors[1],
        )
        blank = Strip.blank(width, Style(bgcolor=self.looks("ground").bgcolor))
        top, first, foot = self.gutter.top, round(self.scroll_y), self.foot
        rows = [
            self._padded(index, row, line, room.width, width)
            for line, (index, row) in enumerate(self.flow.rows(first, room.height - bool(foot)), first)
        ]
        if foot:
            rows.append(self._widened(self._foot(foot, room.width), width))
        out = []
        for strip in [*[blank] * top, *rows, *[blank] * (height - top - len(rows))][crop.y : crop.bottom]:
            for each in filters:
                strip = strip.apply_filter(each, background)  # noqa: PLW2901 - one after the other
            out.append(strip if crop.width == width else strip.crop(crop.x, crop.right))
        return out

    def render_line(self, y: int) -> Strip:
        """One row without the padding."""
        width, line = self.scrollable_content_region.width, y + round(self.scroll_y)
        foot, left = self.foot, self.gutter.left
        if foot and y == self.room - 1:
            return self._foot(foot, width)
        return self._padded(*self.flow.locate(line), line, width, self.region.width).crop(left, left + width)

    def _padded(self, index: int, row: int, line: int, width: int, whole: int) -> Strip:
        """A row of an entry, that line of the flow, in `width` cells, and padding that makes it `whole`."""
        layout = self.flow.layout(index)
        lasting = index < self.flow.count and self.text_selection is None
        key = (index, row, index == self.cursor)
        kept = self._strips.get(key) if lasting else None
        if kept is not None and kept[0] is layout and kept[1] == line:
            return kept[2]
        ground = self.looks("ground")
        if layout is None or row >= layout.height:
            strip = Strip.blank(width, ground)
        else:
            marks, gutter = self._marks(index, layout, row), self.flow.gutter
            strip = paint(layout, row, width, self.looks, marks, gutter=gutter, picked=key[2])
            strip = strip.apply_offsets(-gutter - BAR * layout.entry.data, line)
        strip = self._widened(strip, whole)
        if lasting and layout is not None:
            self._strips.discard(key)  # what is kept under a key is not replaced by setting it
            self._strips[key] = layout, line, strip
        return strip

    def _foot(self, text: str, width: int) -> Strip:
        """The last row where it says something. For who selects by mouse it is the end of the row above."""
        ground = self.looks("ground")
        strip = Strip([Segment(text, ground + self.looks("quiet"))]).adjust_cell_length(width, ground)
        return strip.apply_offsets(width, round(self.scroll_y) + self.room - 2)

    def _widened(self, strip: Strip, whole: int) -> Strip:
        """With the padding that makes it `whole` cells wide."""
        style, left = Style(bgcolor=self.looks("ground").bgcolor), self.gutter.left
        pads = (Segment(" " * cells, style) for cells in (left, whole - left - strip.cell_length))
        return Strip((segment for segment in (next(pads), *strip, next(pads)) if segment.text), whole)

    # ------------------------------------------------------------ selection by mouse

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002 - named by Textual
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selected_text(self.flow, selection), "\n"
