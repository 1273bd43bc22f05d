"""The two lists of Home: reading the folders without keeping the screen waiting, moving about, filtering."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Input
from textual.worker import Worker, WorkerCancelled, WorkerFailed, WorkType

from workbench.home import Home, written
from workbench.tui.actions import bindings, keyed, reason_not
from workbench.tui.home.lists import ItemList
from workbench.tui.home.parts import Column, FilterRow, Note, TopRow
from workbench.tui.keyline import KeyLine
from workbench.tui.screens import keymap_of
from workbench.tui.situation import Situation
from workbench.view.entries import Line, Span
from workbench.view.folders import Shelf
from workbench.view.query import EVERYTHING, Query, matching, read_query
from workbench.view.shelf import Item, first_script, next_lesson

TITLE = "Agent workbench"
GLANCE = 0.02
"""Seconds of processor time for a glance at the scripts before the first frame; the rest comes when all are read."""
FIRST_CHUNK = 64
"""Sessions read before the list is drawn for the first time; each chunk after it is twice as long."""


class Shelves(Screen[None]):
    """Scripts and sessions side by side, or one at a time where there is no room for both."""

    ALLOW_MAXIMIZE = False
    AUTO_FOCUS = "#scripts ItemList"
    BINDINGS: ClassVar[list[BindingType]] = bindings("screen", "home")
    DEFAULT_CSS = """
    Shelves {
        background: $background;
        color: $foreground;
        & #body { height: 1fr; }
        & #scripts { width: 5fr; }
        & #sessions { width: 6fr; border-left: solid $wb-rule; }
        & .on-scripts #scripts ItemList > .list--picked { background: $panel; }
        & .on-sessions #sessions ItemList > .list--picked { background: $panel; }
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
        self.scripts = Column("Scripts", id="scripts")
        self.sessions = Column("Sessions", id="sessions")
        self.sessions.list.set_reactive(ItemList.resting, True)
        self.active = self.scripts
        """The column that keys are about."""
        self.note = Note("")
        self._filter = FilterRow()
        self._shelf = Shelf(home)
        self._started = False
        self._wanted = ""
        """The key of a session that is to be picked as soon as it is read."""
        self._hinted = ""
        """The key of the script that the hint is about, while it stands there."""
        self._query = EVERYTHING
        self._searching: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        yield TopRow(TITLE, written(self.home.root, here=False))
        with Horizontal(id="body", classes="on-scripts"):
            yield self.scripts
            yield self.sessions
        yield self.note
        yield self._filter
        yield KeyLine(keymap_of(self.app), id="keys")

    def on_mount(self) -> None:
        if self._at_once:
            self._shelf.glance_at_scripts(GLANCE)
            items = self._shelf.scripts()
            self.scripts.fill(items, items, self._query)

    def on_screen_resume(self) -> None:
        # After the first frame: reading imports what parses files, and that must not keep the screen waiting.
        self.call_after_refresh(self._read_if_seen)

    def _read_if_seen(self) -> None:
        """What stands above is being opened, and reading would keep it waiting."""
        if self.app.screen is self:
            self.read_again()

    @property
    def situation(self) -> Situation:
        typing = isinstance(self.focused, Input)
        picked = self.active.list.item is not None
        opens = "compare with A" if self.sessions.list.noted else ""
        return Situation(screen="home", phase="typing" if typing else "idle", has_entry=picked, opens=opens)

    def can(self, action: str) -> bool:
        """Whether an action applies now; if not, why is said in one line."""
        reason = reason_not(action, self.situation, keymap_of(self.app))
        if reason:
            self.note.say((Span(reason, "primary"),))
        return not reason

    # ------------------------------------------------------------ reading the folders

    def read_again(self) -> None:
        """List what there is now. What was read before and has not changed is not read again."""
        work: WorkType[None] = self._read  # not begun: one that is replaced before it began is never made
        self.run_worker(work, group="shelf", exclusive=True)

    def show_session(self, path: Path) -> None:
        """Read again, and pick that session among the others."""
        self._wanted = str(path)
        self._activate(self.sessions)
        self.read_again()

    async def _read(self) -> None:
        shelf = self._shelf
        fresh = await asyncio.to_thread(shelf.list_sessions)
        self._say_unread(len(fresh))
        await self._fill_sessions(unread=len(fresh))  # all that is known from before, at once
        await asyncio.to_thread(shelf.read_scripts)
        await self._fill_scripts()
        unread = len(fresh)
        for chunk in _chunks(fresh):
            self._say_unread(unread)
            await asyncio.to_thread(shelf.read_sessions, chunk)
            unread -= len(chunk)
            await self._fill_sessions(unread=unread)
        self._say_unread(0)
        await self._fill_scripts()
        if self._wanted:
            self.sessions.list.pick_key(self._wanted)
            self._wanted = ""
        if not self._started:
            self._started = True
            if all(item.example for item in self.sessions.items):
                self._show_where_to_begin()
            gc.freeze()  # What is there now stays: without it, a full collection stands in the way of a key.

    async def _fill_scripts(self) -> None:
        items = await asyncio.to_thread(self._shelf.scripts)
        self.scripts.fill(items, self._scripts_found(items), self._query)

    async def _fill_sessions(self, *, unread: int) -> None:
        items = await asyncio.to_thread(self._shelf.sessions, time.time())
        if unread and not items:
            return  # that there are none is not known yet
        query = self._query
        found = await asyncio.to_thread(self._shelf.found, items, query)
        self.sessions.fill(items, found, query)
        if query is not self._query:
            await self._search()

    def next_lesson(self, path: str) -> Item | None:
        """The lesson after the one in that file, as far as the scripts have been read."""
        return next_lesson(self.scripts.items, path)

    def _say_unread(self, count: int) -> None:
        folder = written(self.home.root, here=False)
        self.query_one(TopRow).fact = f"{count:,} more sessions to read   {folder}" if count > FIRST_CHUNK else folder

    def _show_where_to_begin(self) -> None:
        key, is_tour = first_script(self.scripts.list.items)
        if key:
            self.scripts.list.pick_key(key)
            if self.note.is_empty:
                self._hinted = key
                self.note.say(*keyed([_hint("the tour" if is_tour else "a script")], keymap_of(self.app)))

    def _draw_keys(self) -> None:
        self.query_one(KeyLine).situation = self.situation

    @on(ItemList.Picked)
    def _picked(self) -> None:
        item = self.active.list.item
        if self._hinted and self._started and (item is None or item.key != self._hinted):
            self._hinted = ""
            self.note.say()
        self._draw_keys()

    # ------------------------------------------------------------ moving about

    def _activate(self, column: Column, *, focus: bool = True) -> None:
        """Let the keys be about that column; without `focus` they go on to type."""
        self.active = column
        self.query_one("#body").set_classes(f"on-{column.id}")
        for each in (self.scripts, self.sessions):
            each.list.resting = each is not column
        if focus:
            column.list.focus()
        self._picked()

    def on_descendant_focus(self) -> None:
        for column in (self.scripts, self.sessions):
            if column.list is self.focused and column is not self.active:
                self._activate(column)
        self._draw_keys()

    def action_show_scripts(self) -> None:
        self._activate(self.scripts)

    def action_show_sessions(self) -> None:
        self._activate(self.sessions)

    def action_next_pane(self) -> None:
        """From the filter to the list; from one list to the other."""
        other = self.sessions if self.active is self.scripts else self.scripts
        self._activate(other if self.focused is self.active.list else self.active)

    def action_previous_pane(self) -> None:
        self.action_next_pane()

    def action_previous_item(self) -> None:
        self.active.list.move(-1)

    def action_next_item(self) -> None:
        self.active.list.move(1)

    # ------------------------------------------------------------ the filter

    async def action_filter(self) -> None:
        await self._filter.open()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if not self._filter.is_open:
            return  # esc has overtaken what was typed before it
        self._look_for(read_query(event.value))
        self._filter.say(self._query.problem)

    def _look_for(self, query: Query) -> None:
        self.note.say()
        self._query = query
        if query.tests:  # only sessions called or cost anything, so they are what is looked for
            self._activate(self.sessions, focus=False)
        self.scripts.narrow(self._scripts_found(self.scripts.items), query)
        work: WorkType[None] = self._search
        self._searching = self.run_worker(work, group="search", exclusive=True)

    def _scripts_found(self, items: Sequence[Item]) -> Sequence[Item]:
        """By words alone: a script has called nothing, and cost nothing."""
        return matching(items, replace(self._query, tests=()))

    async def _search(self) -> None:
        query, items = self._query, self.sessions.items
        found = await asyncio.to_thread(self._shelf.found, items, query)
        if query is self._query and items is self.sessions.items:  # else another search or reading has shown more
            self.sessions.narrow(found, query)
            self._turn_to_what_is_found()

    def _turn_to_what_is_found(self) -> None:
        """Where the column that keys are about has nothing, they are about the other."""
        other = self.sessions if self.active is self.scripts else self.scripts
        if other.list.items and not self.active.list.items:
            self._activate(other, focus=False)

    async def found(self) -> None:
        """Wait until the lists are what the filter leaves."""
        if self._searching is not None:
            with suppress(WorkerCancelled, WorkerFailed):
                await self._searching.wait()

    def action_close(self) -> None:
        """The filter first, then what was said."""
        if self._filter.is_open:
            self.active.list.focus()
            self._filter.close()
            self._look_for(EVERYTHING)
        else:
            self.note.say()

    def on_unmount(self) -> None:
        self._shelf.close()


def _chunks(paths: Sequence[Path]) -> Iterator[Sequence[Path]]:
    start, size = 0, FIRST_CHUNK
    while start < len(paths):
        yield paths[start : start + size]
        start, size = start + size, size * 2


def _hint(what: str) -> Line:
    return (
        Span("enter", "primary", bold=True, key="open"),
        Span(f" opens {what}; ", "quiet"),
        Span("space", "primary", bold=True, key="move"),
        Span(" makes each move", "quiet"),
    )
