"""The parts of Home that only draw or take text: a list with its heading, the filter, and what is said below them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, Static

from workbench.tui.home.lists import ItemList
from workbench.tui.home.rows import heading
from workbench.tui.paint import content, contents
from workbench.view.entries import Line, Span
from workbench.view.query import Query
from workbench.view.shelf import Item
from workbench.view.visible import visible

PLACEHOLDER = "words, tool:add, status:answered, cost>0.1; enter opens, tab goes to the list"
NOTE_ROWS = 6
"""Rows of sentences shown at once; how many more there are is said."""


class TopRow(Widget):
    """Title at the left and a quiet fact at the right, like the top of a run."""

    DEFAULT_CSS = "TopRow { height: 1; padding: 0 1; background: $surface; color: $foreground; }"
    fact: reactive[str] = reactive("")

    def __init__(self, title: str, fact: str = "") -> None:
        super().__init__()
        self._title = title
        self.set_reactive(TopRow.fact, fact)

    def render(self) -> Content:
        """For the width there is; the fact gives way, its end stays."""
        room = max(0, self.content_size.width - len(self._title) - 3)
        fact = visible(self.fact)
        if cell_len(fact) > room:
            fact = f"…{fact[len(fact) - room + 1 :]}" if room > 1 else ""
        gap = " " * (room + 3 - cell_len(fact))
        return content((Span(self._title, bold=True), Span(gap), Span(fact, "quiet")))


class Heading(Widget):
    """What stands over a list: its title, a rule, and a quiet word at the right."""

    DEFAULT_CSS = "Heading { height: 1; margin-right: 1; }"
    right: reactive[str] = reactive("")

    def __init__(self, title: str, right: str = "") -> None:
        super().__init__()
        self._title = title
        self.set_reactive(Heading.right, right)

    def render(self) -> Content:
        return content(heading(self._title, self.content_size.width, self.right))


class Column(Vertical):
    """A list under its heading, filtered."""

    DEFAULT_CSS = "Column { width: 1fr; padding: 1 0 0 1; }"

    def __init__(self, title: str, *, id: str) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._title = title
        self.items: Sequence[Item] = ()
        """All there are, whatever the filter leaves of them."""
        self.list = ItemList("reading…")
        self._heading = Heading(title)

    def compose(self) -> ComposeResult:
        yield self._heading
        yield self.list

    def fill(self, items: Sequence[Item], found: Sequence[Item], query: Query) -> None:
        """These are all items there are, and those that the query finds."""
        self.items = items
        self._show(found, query, stay_at_top=query.is_empty)

    def with_forks(self, item: Item) -> Sequence[Item]:
        """The item and all that was forked from it, also where a filter hides some of them."""
        at = next((at for at, each in enumerate(self.items) if each.key == item.key), len(self.items))
        return self.items[at : at + 1 + item.forks]

    def narrow(self, found: Sequence[Item], query: Query) -> None:
        """These are the items that the query finds."""
        self._show(found, query, stay_at_top=False)

    def _show(self, found: Sequence[Item], query: Query, *, stay_at_top: bool) -> None:
        nothing = f"no {self._title.lower()} yet" if query.is_empty else f"nothing holds {visible(query.text)}"
        self.list.show(found, nothing, stay_at_top=stay_at_top)
        shown, total = len(found), len(self.items)
        self._heading.right = f"{shown:,} of {total:,}" if shown != total else f"{total:,}"


class FilterRow(Horizontal):
    """One row with a text field, which is there only while it is open: nothing pays for it before."""

    DEFAULT_CSS = """
    FilterRow { display: none; height: 1; padding: 0 1; background: $surface; }
    FilterRow.open { display: block; }
    FilterRow Input { width: 1fr; background: $surface; }
    FilterRow Static { width: auto; color: $wb-quiet; }
    FilterRow .problem { max-width: 60%; padding-left: 1; color: $wb-error; }
    """

    @property
    def is_open(self) -> bool:
        return self.has_class("open")

    async def open(self) -> None:
        """Give the field focus, and make it first if need be."""
        if not self.is_open:
            self.add_class("open")
            field = Input(placeholder=PLACEHOLDER, compact=True)
            await self.mount(Static("/ "), field, Static("", classes="problem"))
        self.query_one(Input).focus()

    def say(self, problem: str) -> None:
        """What is wrong with what is typed, or nothing."""
        self.query_one(".problem", Static).update(Content(visible(problem)))

    def close(self) -> None:
        self.remove_class("open")
        self.remove_children()


class Note(Static):
    """What stands above the key line: nothing, a hint, or what went wrong. It stays until something else is said."""

    DEFAULT_CSS = """
    Note { display: none; height: auto; padding: 1; }
    Note.says { display: block; }
    """

    is_problem = False
    """Whether it says what went wrong."""

    def say(self, *lines: Line) -> None:
        """These lines, or nothing."""
        more = len(lines) - NOTE_ROWS
        shown = [*lines[:NOTE_ROWS], (Span(f"… {more:,} more", "quiet"),)] if more > 0 else lines
        self.is_problem = False
        self.set_class(bool(lines), "says")
        self.update(contents(shown) if shown else Content(""))

    def say_problems(self, sentences: Sequence[str]) -> None:
        """Sentences about what went wrong, from whoever they are."""
        lines = [line for sentence in sentences for line in visible(sentence).split("\n")]
        self.say(*((Span("✗ ", "error"), Span(line)) for line in lines))
        self.is_problem = bool(lines)

    @property
    def is_empty(self) -> bool:
        return not self.has_class("says")
