"""The transcript: a cursor that goes from entry to entry, following the end, folding, and finding text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from textual import events
from textual.message import Message
from textual.worker import Worker

from workbench.tui.actions import bindings, with_keys
from workbench.tui.screens import keymap_of
from workbench.tui.transcript.pane import Pane
from workbench.tui.transcript.search import Finder, Needle, Place
from workbench.view.entries import EntrySource, content


class Transcript(Pane):
    """Entries to read, with one of them picked. It says what happened in messages, and never acts on a run."""

    BINDINGS = bindings("transcript")

    @dataclass
    class Latest(Message):
        """A person asked for the end, also where the transcript is there already: what is shown may be the past."""

        transcript: Transcript

        @property
        def control(self) -> Transcript:
            return self.transcript

    @dataclass
    class Found(Message):
        """What came of a search: the place that is shown now, or None."""

        transcript: Transcript
        needle: str
        place: Place | None
        wrapped: bool
        """Whether the search went round the end, or the start."""

        @property
        def control(self) -> Transcript:
            return self.transcript

    # ------------------------------------------------------------ following and the cursor

    @property
    def below(self) -> int:
        """Entries that end below what can be seen."""
        flow = self.flow
        index, row = flow.locate(round(self.scroll_y) + self._page - 1)
        if index >= flow.count:
            return 0
        return flow.count - index - (row >= flow.height(index) - 1)

    @property
    def foot(self) -> str:
        if not self._has_foot:
            return ""
        return f"▼ {self.below:,} more · {with_keys('{latest} follows', keymap_of(self.app))}"

    @property
    def _has_foot(self) -> bool:
        """Whether an entry would end below what can be seen, had the entries all the room; a single row they keep."""
        return not self.follows and self.room > 1 and self._last_row >= round(self.scroll_y) + self.room

    @property
    def _last_row(self) -> int:
        """The row at which the last entry ends."""
        return self.flow.top(self.flow.count) - self.flow.gap - 1

    @property
    def _page(self) -> int:
        """Rows in which entries can be seen."""
        return max(1, self.room - self._has_foot)

    def load(self, source: EntrySource) -> None:
        self.set_reactive(Transcript.cursor, -1)
        super().load(source)

    def settled(self) -> None:
        last = self.flow.count - 1
        if self.follows or self.cursor > last:
            self.cursor = last
        elif last >= 0:
            top, bottom = self._seen()
            self.cursor = max(top, min(self.cursor, bottom))
        self._draw()  # whether the end is followed may show

    def _seen(self) -> tuple[int, int]:
        """The first and the last entry of which something can be seen."""
        flow, top = self.flow, round(self.scroll_y)
        first, row = flow.locate(top)
        last = flow.locate(top + self._page - 1)[0]
        if first < last and row >= flow.height(first):
            first += 1
        return min(first, flow.count - 1), min(last, flow.count - 1)

    def select(self, index: int, row: int | None = None) -> None:
        """Pick an entry and bring it, or one row of it, into view. Stops following, unless it is the last one."""
        flow = self.flow
        if not 0 <= index < flow.count:
            return
        flow.measure(index, index)
        first = flow.top(index) + (row or 0)
        rows = flow.height(index) if row is None else 1
        page = max(1, self.room - (first + rows <= self._last_row))
        top = round(self.scroll_y)
        if first < top or rows > page:
            top = first
        elif first + rows > top + page:
            top = first + rows - page
        self.bring(top)
        self.cursor = index
        self.follows = index == flow.count - 1 and self.at_end
        self.settled()

    def content_of(self, index: int) -> str:
        """The text of an entry as it came, without its quiet first line: what is copied."""
        return content(self.flow.source.entry(index)) if self.flow.source and 0 <= index < self.flow.count else ""

    # ------------------------------------------------------------ keys and mouse

    def action_previous_entry(self) -> None:
        self._step(-1)

    def action_next_entry(self) -> None:
        self._step(1)

    def _step(self, step: int) -> None:
        """To the next entry; while this one goes on outside of the view, half a page on."""
        flow = self.flow
        if not 0 <= self.cursor < flow.count:
            return
        top = flow.top(self.cursor) - round(self.scroll_y)
        outside = -top if step < 0 else top + flow.height(self.cursor) - self._page
        if outside > 0:
            self.move_to(round(self.scroll_y) + step * min(outside, max(1, self._page // 2)))
        elif self.cursor + step == flow.count:
            self.move_to(self.max_scroll_y)
        elif self.cursor + step >= 0:
            self.select(self.cursor + step)
            if step < 0 and flow.height(self.cursor) > self._page:
                self.move_to(flow.top(self.cursor) + flow.height(self.cursor) - self._page)

    def action_page_up(self) -> None:
        self.move_to(round(self.scroll_y) - max(1, self._page - 1))

    def action_page_down(self) -> None:
        self.move_to(round(self.scroll_y) + max(1, self._page - 1))

    def action_first_entry(self) -> None:
        self.bring(0)
        self.select(0)

    def action_latest(self) -> None:
        self.follows = True
        with self.steady():
            self._measure_from(self.flow.count)
        self.post_message(self.Latest(self))

    def action_fold(self) -> None:
        self._fold(self.cursor)

    def _fold(self, index: int) -> None:
        """Fold or unfold an entry; its first row comes into view."""
        if 0 <= index < self.flow.count and self.flow.toggle(index):
            self._strips.clear()
            self.select(index, 0)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or self.text_selection is not None:
            return
        if offset.y >= self._page:
            self.action_latest()
            return
        index, row = self.flow.locate(round(self.scroll_y) + offset.y)
        layout = self.flow.layout(index)
        if index >= self.flow.count or layout is None or row >= layout.height:
            return
        if layout.note and row == layout.height - 1:
            self._fold(index)
        else:
            self.follows = self.follows and index == self.flow.count - 1
            self.cursor = index
            self.settled()

    # ------------------------------------------------------------ finding text

    def search(self, text: str) -> None:
        """Look for a text from the picked entry on, in any case, and mark it where it is drawn; "" ends the search."""
        before = self.finder.found if self.finder else None
        self.finder = Finder(Needle(text)) if text else None
        self._strips.clear()
        self.refresh()
        if before is None or before.entry != self.cursor:
            before = Place(self.cursor, 0, 0, 0)
        self._find(before._replace(end=-1), forward=True)

    def find(self, *, forward: bool) -> None:
        """Go to the next place of the text that is looked for, or to the one before."""
        if self.finder is not None:
            found = self.finder.found
            self._find(found or Place(self.cursor, 0, 0, -1), forward=forward)

    def _find(self, start: Place, *, forward: bool) -> None:
        if self.finder is not None and self.flow.source is not None and self.flow.count:
            start = start._replace(entry=max(0, start.entry))
            # No coroutine is made for a search that another one takes the place of before it begins.
            search = partial(self._go_to, self.finder, self.flow.source, start, forward)
            self._search: Worker[None] = self.run_worker(search, group="search", exclusive=True)

    async def _go_to(self, finder: Finder, source: EntrySource, start: Place, forward: bool) -> None:
        place = await finder.find(source, self.flow.count, start, forward=forward)
        if source is not self.flow.source or finder is not self.finder:
            return
        if place is not None:
            self.show_place(place)
        self._strips.clear()
        self.refresh()
        self.post_message(self.Found(self, finder.needle.text, place, finder.wrapped))

    def show_place(self, place: Place) -> None:
        """Pick the entry and bring that place of it into view, unfolded if need be."""
        layout = self.flow.layout(place.entry)
        row = layout.row_of(place.line, place.start) if layout is not None else None
        if layout is not None and row is None:
            self._fold(place.entry)
            layout = self.flow.layout(place.entry)
            row = layout.row_of(place.line, place.start) if layout is not None else None
        self.select(place.entry, row or 0)
