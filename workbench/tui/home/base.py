"""Home: the two lists, moving about in them, the filter, and what is said below."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import Input

from workbench.home import Home, written
from workbench.tui.actions import bindings, keyed, reason_not
from workbench.tui.home.lists import ItemList
from workbench.tui.home.parts import FilterRow, Note, TopRow
from workbench.tui.home.shelves import FIRST_CHUNK, Shelves
from workbench.tui.keyline import KeyLine
from workbench.tui.screens import keymap_of
from workbench.tui.situation import Situation
from workbench.view.entries import Line, Span
from workbench.view.query import EVERYTHING, read_query
from workbench.view.shelf import Item, first_script, next_lesson

TITLE = "Agent workbench"


class HomeBase(Screen[None]):
    """What is done with the item that is picked is in the screen built on it."""

    ALLOW_MAXIMIZE = False
    AUTO_FOCUS = "#scripts ItemList"
    BINDINGS: ClassVar[list[BindingType]] = bindings("screen", "home")
    DEFAULT_CSS = """
    HomeBase {
        background: $background;
        color: $foreground;
        &.-narrow Column, &.-tiny Column { padding: 0 0 0 1; }
        &.-narrow #sessions, &.-tiny #sessions { border-left: none; }
        &.-narrow .on-scripts #sessions, &.-tiny .on-scripts #sessions { display: none; }
        &.-narrow .on-sessions #scripts, &.-tiny .on-sessions #scripts { display: none; }
        &.-narrow Note, &.-tiny Note, &.-low Note { padding: 0 1; }
    }
    """

    def __init__(self, home: Home, *, at_once: bool = True) -> None:
        """`at_once`: whether the scripts are in its first frame, because nothing else will stand above it."""
        super().__init__()
        self._at_once = at_once
        self.home = home
        self.shelves = Shelves(home)
        self.note = Note("")
        self._filter = FilterRow()
        self._started = False
        """Whether everything has been read once."""
        self._hinted = ""
        """The key of the script that the hint is about, while it stands there."""

    def compose(self) -> ComposeResult:
        yield TopRow(TITLE, written(self.home.root, here=False))
        yield self.shelves
        yield self.note
        yield self._filter
        yield KeyLine(keymap_of(self.app), id="keys")

    def on_mount(self) -> None:
        if self._at_once:
            self.shelves.glance()

    def on_screen_resume(self) -> None:
        # After the first frame: reading imports what parses files, and that must not keep the screen waiting.
        self.call_after_refresh(self._read_if_seen)

    def _read_if_seen(self) -> None:
        """What stands above is being opened, and reading would keep it waiting."""
        if self.app.screen is self:
            self.shelves.read_again()

    @property
    def situation(self) -> Situation:
        typing = isinstance(self.focused, Input)
        opens = "compare with A" if self.shelves.sessions.list.noted else ""
        has_entry = self.shelves.item is not None
        return Situation(screen="home", phase="typing" if typing else "idle", has_entry=has_entry, opens=opens)

    def can(self, action: str) -> bool:
        """Whether an action applies now; if not, why is said in one line."""
        reason = reason_not(action, self.situation, keymap_of(self.app))
        if reason:
            self.note.say((Span(reason, "primary"),))
        return not reason

    def tell(self, sentences: Sequence[str]) -> None:
        """Say what went wrong, until the person moves on in the lists."""
        self._hinted = ""
        self.note.say_problems(sentences)

    @on(ItemList.Moved)
    def _moved_on(self) -> None:
        if self.note.is_problem:
            self.note.say()

    def next_lesson(self, path: str) -> Item | None:
        """The lesson after the one in that file, as far as the scripts have been read."""
        return next_lesson(self.shelves.scripts.items, path)

    # ------------------------------------------------------------ what is read and picked

    @on(Shelves.Reading)
    def _reading(self, event: Shelves.Reading) -> None:
        folder, count = written(self.home.root, here=False), event.unread
        self.query_one(TopRow).fact = f"{count:,} more sessions to read   {folder}" if count > FIRST_CHUNK else folder

    @on(Shelves.Read)
    def _read(self) -> None:
        if self._started:
            return
        self._started = True
        if all(item.example for item in self.shelves.sessions.items):
            self._show_where_to_begin()
        gc.freeze()  # What is there now stays: without it, a full collection stands in the way of a key.

    def _show_where_to_begin(self) -> None:
        scripts = self.shelves.scripts.list
        key, is_tour = first_script(scripts.items)
        if key:
            scripts.pick_key(key)
            if self.note.is_empty:
                self._hinted = key
                self.note.say(*keyed([_hint("the tour" if is_tour else "a script")], keymap_of(self.app)))

    def draw_keys(self) -> None:
        self.query_one(KeyLine).situation = self.situation

    @on(ItemList.Picked)
    @on(Shelves.Turned)
    def _picked(self) -> None:
        item = self.shelves.item
        if self._hinted and self._started and (item is None or item.key != self._hinted):
            self._hinted = ""
            self.note.say()
        self.draw_keys()

    def on_descendant_focus(self) -> None:
        self.draw_keys()

    # ------------------------------------------------------------ moving about

    def action_show_scripts(self) -> None:
        self.shelves.activate(self.shelves.scripts)

    def action_show_sessions(self) -> None:
        self.shelves.activate(self.shelves.sessions)

    def action_next_pane(self) -> None:
        """From the filter to the list; from one list to the other."""
        shelves = self.shelves
        shelves.activate(shelves.other if shelves.active.list.has_focus else shelves.active)

    def action_previous_pane(self) -> None:
        self.action_next_pane()

    def action_previous_item(self) -> None:
        self.shelves.active.list.move(-1)

    def action_next_item(self) -> None:
        self.shelves.active.list.move(1)

    # ------------------------------------------------------------ the filter

    async def action_filter(self) -> None:
        await self._filter.open()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if not self._filter.is_open:
            return  # esc has overtaken what was typed before it
        query = read_query(event.value)
        self.note.say()
        self.shelves.look_for(query)
        self._filter.say(query.problem)

    def action_close(self) -> None:
        """The filter first, then what was said."""
        if self._filter.is_open:
            self.shelves.active.list.focus()
            self._filter.close()
            self.shelves.look_for(EVERYTHING)
        self.note.say()


def _hint(what: str) -> Line:
    return (
        Span("enter", "primary", bold=True, key="open"),
        Span(f" opens {what}; ", "quiet"),
        Span("space", "primary", bold=True, key="move"),
        Span(" makes each move", "quiet"),
    )
