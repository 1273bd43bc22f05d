"""The two lists of Home: reading the folders without keeping the screen waiting, and what a filter leaves of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.worker import Worker, WorkerCancelled, WorkerFailed, WorkType

from workbench.home import Home
from workbench.tui.home.lists import ItemList
from workbench.tui.home.parts import Column
from workbench.view.folders import Shelf
from workbench.view.query import EVERYTHING, Query, matching
from workbench.view.shelf import Item

GLANCE = 0.02
"""Seconds of processor time for a glance at the scripts before the first frame; the rest comes when all are read."""
FIRST_CHUNK = 64
"""Sessions read before the list is drawn for the first time; each chunk after it is twice as long."""


class Shelves(Horizontal):
    """Scripts and sessions side by side. Where there is no room for both, the screen shows the active one."""

    DEFAULT_CSS = """
    Shelves {
        height: 1fr;
        & #scripts { width: 5fr; }
        & #sessions { width: 6fr; border-left: solid $wb-rule; }
        &.on-scripts #scripts ItemList > .list--picked { background: $panel; }
        &.on-sessions #sessions ItemList > .list--picked { background: $panel; }
    }
    """

    class Turned(Message):
        """The keys are about the other list now."""

    @dataclass
    class Reading(Message):
        """So many sessions have still to be read."""

        unread: int

    class Read(Message):
        """Everything has been read."""

    def __init__(self, home: Home) -> None:
        super().__init__(id="body", classes="on-scripts")
        self.scripts = Column("Scripts", id="scripts")
        self.sessions = Column("Sessions", id="sessions")
        self.sessions.list.set_reactive(ItemList.resting, True)
        self.active = self.scripts
        """The column that keys are about."""
        self._shelf = Shelf(home)
        self._wanted = ""
        """The key of a session that is to be picked as soon as it is read."""
        self._wanted_script = ""
        """As `_wanted`, of a script."""
        self._query = EVERYTHING
        self._searching: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        yield self.scripts
        yield self.sessions

    def on_unmount(self) -> None:
        self._shelf.close()

    # ------------------------------------------------------------ which one

    @property
    def item(self) -> Item | None:
        """What is picked, in the column that keys are about."""
        return self.active.list.item

    @property
    def other(self) -> Column:
        """The column that keys are not about."""
        return self.sessions if self.active is self.scripts else self.scripts

    def activate(self, column: Column, *, focus: bool = True) -> None:
        """Let the keys be about that column; without `focus` they go on to type."""
        self.active = column
        self.set_classes(f"on-{column.id}")
        for each in (self.scripts, self.sessions):
            each.list.resting = each is not column
        if focus:
            column.list.focus()
        self.post_message(self.Turned())

    def on_descendant_focus(self) -> None:
        if self.other.list.has_focus:
            self.activate(self.other)

    # ------------------------------------------------------------ reading the folders

    def glance(self) -> None:
        """Show what scripts can be told of in a moment."""
        self._shelf.glance_at_scripts(GLANCE)
        items = self._shelf.scripts()
        self.scripts.fill(items, items, self._query)

    def read_again(self) -> None:
        """List what there is now. What was read before and has not changed is not read again."""
        work: WorkType[None] = self._read  # not begun: one that is replaced before it began is never made
        self.run_worker(work, group="shelf", exclusive=True)

    def show_session(self, path: Path) -> None:
        """Read again, and pick that session among the others."""
        self._wanted = str(path)
        self.activate(self.sessions)
        self.read_again()

    def come_back(self, script: Path | None, session: Path | None) -> None:
        """Pick that script and that session as soon as they are read; the keys stay about what they are about."""
        self._wanted_script, self._wanted = str(script or ""), str(session or "")

    async def _read(self) -> None:
        shelf = self._shelf
        fresh = await asyncio.to_thread(shelf.list_sessions)
        self.post_message(self.Reading(len(fresh)))
        await self._fill_sessions(unread=len(fresh))  # all that is known from before, at once
        await asyncio.to_thread(shelf.read_scripts)
        await self._fill_scripts()
        unread = len(fresh)
        for chunk in _chunks(fresh):
            self.post_message(self.Reading(unread))
            await asyncio.to_thread(shelf.read_sessions, chunk)
            unread -= len(chunk)
            await self._fill_sessions(unread=unread)
        self.post_message(self.Reading(0))
        await self._fill_scripts()
        self._wanted = self._wanted_script = ""
        self.post_message(self.Read())

    async def _fill_scripts(self) -> None:
        items = await asyncio.to_thread(self._shelf.scripts)
        self.scripts.fill(items, self._scripts_found(items), self._query)
        self._wanted_script = self.scripts.list.pick_wanted(self._wanted_script)

    async def _fill_sessions(self, *, unread: int) -> None:
        items = await asyncio.to_thread(self._shelf.sessions, time.time())
        if unread and not items:
            return  # that there are none is not known yet
        query = self._query
        found = await asyncio.to_thread(self._shelf.found, items, query)
        self.sessions.fill(items, found, query)
        self._wanted = self.sessions.list.pick_wanted(self._wanted)
        if query is not self._query:
            await self._search()

    # ------------------------------------------------------------ what a filter leaves

    def look_for(self, query: Query) -> None:
        """Leave what the query finds: scripts at once, sessions when they have been looked through."""
        self._query = query
        if query.tests:  # only sessions called or cost anything, so they are what is looked for
            self.activate(self.sessions, focus=False)
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
            if self.other.list.items and not self.active.list.items:
                self.activate(self.other, focus=False)

    async def found(self) -> None:
        """Wait until the lists are what the filter leaves."""
        if self._searching is not None:
            with suppress(WorkerCancelled, WorkerFailed):
                await self._searching.wait()


def _chunks(paths: Sequence[Path]) -> Iterator[Sequence[Path]]:
    start, size = 0, FIRST_CHUNK
    while start < len(paths):
        yield paths[start : start + size]
        start, size = start + size, size * 2
