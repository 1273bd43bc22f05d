"""The parts of Home that only draw or take text: a list with its heading, the filter, and what is said below them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from workbench.tui.home.lists import ItemList
from workbench.tui.home.rows import heading
from workbench.tui.paint import content, contents
from workbench.view.entries import Line, Span
from workbench.view.shelf import Item, matching
from workbench.view.visible import visible

NOTE_ROWS = 6
"""Rows of sentences shown at once; how many more there are is said."""


class TopRow(Static):
    """Title at the left and a quiet fact at the right, like the top of a run."""

    DEFAULT_CSS = "TopRow { height: 1; padding: 0 1; background: $surface; }"

    def show(self, title: str, fact: str) -> None:
        """Draw it for the width there is; the fact gives way, its end stays."""
        room = max(0, self.size.width - 2 - len(title) - 3)
        fact = visible(fact)
        if cell_len(fact) > room:
            fact = f"…{fact[-room + 1 :]}" if room > 1 else ""
        gap = " " * (room + 3 - cell_len(fact))
        self.update(content((Span(title, bold=True), Span(gap), Span(fact, "quiet"))), layout=False)


class Column(Vertical):
    """A list under its heading, filtered."""

    DEFAULT_CSS = """
    Column { width: 1fr; padding: 1 0 0 1; }
    Column .heading { height: 1; margin-right: 1; }
    """

    def __init__(self, title: str, *, id: str) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._title = title
        self._all: Sequence[Item] = ()
        self._filter = ""
        self.list = ItemList("reading…")

    def compose(self) -> ComposeResult:
        yield Static(self._title, classes="heading")
        yield self.list

    def fill(self, items: Sequence[Item]) -> None:
        """These are all items there are."""
        self._all = items
        self._show()

    def filter(self, text: str) -> None:
        """Show only the items that hold the text."""
        self._filter = text
        self._show()

    def _show(self) -> None:
        nothing = f"nothing holds {visible(self._filter)}" if self._filter else f"no {self._title.lower()} yet"
        self.list.show(matching(self._all, self._filter), nothing)
        self.draw_heading()

    def draw_heading(self) -> None:
        """The title and how many there are, for the width there is."""
        shown, total = len(self.list.items), len(self._all)
        count = f"{shown:,} of {total:,}" if shown != total else f"{total:,}"
        static = self.query_one(".heading", Static)
        static.update(content(heading(self._title, max(20, static.size.width), count)), layout=False)


class FilterRow(Horizontal):
    """One row with a text field, which is there only while it is open: nothing pays for it before."""

    DEFAULT_CSS = """
    FilterRow { display: none; height: 1; padding: 0 1; background: $surface; }
    FilterRow.open { display: block; }
    FilterRow Input { width: 1fr; background: $surface; }
    FilterRow Static { width: auto; color: $wb-quiet; }
    """

    @property
    def is_open(self) -> bool:
        return self.has_class("open")

    async def open(self) -> None:
        """Give the field focus, and make it first if need be."""
        if not self.is_open:
            self.add_class("open")
            await self.mount(Static("/ "), Input(placeholder="type; enter opens, tab goes to the list", compact=True))
        self.query_one(Input).focus()

    def close(self) -> None:
        self.remove_class("open")
        self.remove_children()


class Note(Static):
    """What stands above the key line: nothing, a hint, or what went wrong. It stays until something else is said."""

    DEFAULT_CSS = """
    Note { display: none; height: auto; padding: 1; }
    Note.says { display: block; }
    """

    def say(self, *lines: Line) -> None:
        """These lines, or nothing."""
        more = len(lines) - NOTE_ROWS
        shown = [*lines[:NOTE_ROWS], (Span(f"… {more:,} more", "quiet"),)] if more > 0 else lines
        self.set_class(bool(lines), "says")
        self.update(contents(shown) if shown else Content(""))

    def say_problems(self, sentences: Sequence[str]) -> None:
        """Sentences about what went wrong, from whoever they are."""
        lines = [line for sentence in sentences for line in visible(sentence).split("\n")]
        self.say(*((Span("✗ ", "error"), Span(line)) for line in lines))

    @property
    def is_empty(self) -> bool:
        return not self.has_class("says")
