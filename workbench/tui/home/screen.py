"""Home: scripts and sessions side by side, or one at a time where there is no room for both."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from workbench.home import Home
from workbench.tui.actions import bindings, reason_not
from workbench.tui.home.lists import ItemList
from workbench.tui.home.rows import heading
from workbench.tui.keyline import KeyLine
from workbench.tui.paint import content, contents
from workbench.tui.run.frame import TopLine
from workbench.tui.screens import Shell, keymap_of
from workbench.tui.situation import Situation
from workbench.view.entries import Line, Span
from workbench.view.shelf import Item, Shelf, first_script, matching
from workbench.view.visible import visible

TITLE = "Agent workbench"
FIRST_CHUNK = 64
"""Sessions read before the list is drawn for the first time; each chunk after it is twice as long."""
NOTE_ROWS = 6
"""Rows of sentences shown at once; how many more there are is said."""


class HomeScreen(Screen[None]):
    """Pick a script or a session."""

    ALLOW_MAXIMIZE = False
    AUTO_FOCUS = "#scripts"
    BINDINGS: ClassVar[list[BindingType]] = bindings("screen", "home")
    DEFAULT_CSS = """
    HomeScreen {
        background: $background;
        color: $foreground;
        & #body { height: 1fr; }
        & #left, & #right { width: 1fr; padding: 1 1 0 1; }
        & #right { border-left: solid $wb-rule; }
        & .heading { height: 1; }
        & #note { display: none; height: auto; padding: 0 1 1 1; }
        & #note.shown { display: block; }
        & #filter { display: none; height: 1; padding: 0 1; background: $surface; }
        & #filter.shown { display: block; }
        & #filter Input { width: 1fr; background: $surface; }
        & #filter Static { width: auto; color: $wb-quiet; }
        &.-narrow #left, &.-narrow #right, &.-tiny #left, &.-tiny #right { padding: 0 1; border-left: none; }
        &.-narrow .scripts #right, &.-tiny .scripts #right { display: none; }
        &.-narrow .sessions #left, &.-tiny .sessions #left { display: none; }
        &.-narrow #note, &.-tiny #note, &.-low #note { padding: 0 1; }
    }
    """

    def __init__(self, home: Home) -> None:
        super().__init__()
        self.home = home
        self._shelf = Shelf(home)
        self._scripts: Sequence[Item] = ()
        self._sessions: Sequence[Item] = ()
        self._waiting = 0
        """Sessions that have still to be read."""
        self._said: Sequence[Line] = ()
        self._started = False

    def compose(self) -> ComposeResult:
        yield TopLine(TITLE, id="top")
        with Horizontal(id="body", classes="scripts"):
            with Vertical(id="left"):
                yield Static("Scripts", id="scripts-heading", classes="heading")
                yield ItemList("reading…", id="scripts")
            with Vertical(id="right"):
                yield Static("Sessions", id="sessions-heading", classes="heading")
                yield ItemList("reading…", id="sessions")
        yield Static("", id="note")
        yield Horizontal(id="filter")
        yield KeyLine(keymap_of(self.app), id="keys")

    def on_mount(self) -> None:
        self._refresh_frame()

    def on_screen_resume(self) -> None:
        # After the first frame: reading imports what parses files, and that must not keep the screen waiting.
        self.call_after_refresh(self.read_again)

    def on_resize(self) -> None:
        self.call_after_refresh(self._refresh_frame)

    # ------------------------------------------------------------ pieces

    @property
    def scripts(self) -> ItemList:
        return self.query_one("#scripts", ItemList)

    @property
    def sessions(self) -> ItemList:
        return self.query_one("#sessions", ItemList)

    @property
    def active(self) -> ItemList:
        """The list that keys are about."""
        return self.sessions if self.query_one("#body").has_class("sessions") else self.scripts

    @property
    def field(self) -> Input | None:
        """The filter, while it is open."""
        return next(iter(self.query("#filter Input").results(Input)), None)

    @property
    def situation(self) -> Situation:
        typing = isinstance(self.focused, Input)
        return Situation(
            screen="home", phase="typing" if typing else "idle", has_entry=self.active.item is not None
        )  # fmt: skip

    # ------------------------------------------------------------ reading the folders

    def read_again(self) -> None:
        """List what there is now. What was read before and has not changed is not read again."""
        self.run_worker(self._read(), group="shelf", exclusive=True)

    async def _read(self) -> None:
        shelf = self._shelf
        await asyncio.to_thread(shelf.read_scripts)
        fresh = await asyncio.to_thread(shelf.list_sessions)
        self._waiting = len(fresh)
        if fresh:
            self._show_scripts()
        for chunk in _chunks(fresh):
            await asyncio.to_thread(shelf.read_sessions, chunk)
            self._waiting -= len(chunk)
            self._show_sessions()
        self._waiting = 0
        self._show_scripts()
        self._show_sessions()
        if not self._started:
            self._started = True
            self._first_time()
            gc.freeze()  # What is there now stays: without it, a full collection stands in the way of a key.

    def _show_scripts(self) -> None:
        self._scripts = self._shelf.scripts()
        self._filter()

    def _show_sessions(self) -> None:
        self._sessions = self._shelf.sessions(time.time())
        self._filter()

    def _first_time(self) -> None:
        """Nobody has run anything yet: show where to begin."""
        if any(not item.example for item in self._sessions) or self._said:
            return
        key, is_tour = first_script(self._scripts)
        if key:
            self.scripts.pick_key(key)
            what = "the tour" if is_tour else "a script"
            self.say((Span(f"enter opens {what}; space makes each move", "quiet"),))

    # ------------------------------------------------------------ drawing

    def _filter(self) -> None:
        text = self.field.value if self.field is not None else ""
        nothing = f"nothing holds {visible(text)}"
        self.scripts.show(matching(self._scripts, text), nothing if text else "no scripts yet")
        self.sessions.show(matching(self._sessions, text), nothing if text else "no sessions yet")
        self._refresh_frame()

    def _refresh_frame(self) -> None:
        if not self.is_attached:
            return
        reading = f"reading {self._waiting:,} more sessions" if self._waiting else ""
        folder = Span(_short(self.home.root), "quiet")
        self.query_one(TopLine).show(TITLE, "", reading, folder, "")
        for name, items, all_items in (
            ("scripts", self.scripts, self._scripts),
            ("sessions", self.sessions, self._sessions),
        ):
            found, total = len(items.items), len(all_items)
            count = f"{found:,} of {total:,}" if found != total else f"{total:,}"
            static = self.query_one(f"#{name}-heading", Static)
            width = max(20, static.size.width)
            static.update(content(heading(name.capitalize(), width, count)), layout=False)
        self._refresh_keys()

    def _refresh_keys(self) -> None:
        self.query_one(KeyLine).situation = self.situation

    def say(self, *lines: Line) -> None:
        """What stands above the key line, until something else is said; nothing takes it away."""
        self._said = lines
        note = self.query_one("#note", Static)
        note.set_class(bool(lines), "shown")
        more = len(lines) - NOTE_ROWS
        shown = [*lines[:NOTE_ROWS], (Span(f"… {more:,} more", "quiet"),)] if more > 0 else lines
        note.update(contents(shown) if shown else Content(""))

    def say_problems(self, sentences: Sequence[str]) -> None:
        """Sentences about what went wrong."""
        lines = [line for sentence in sentences for line in visible(sentence).split("\n")]
        self.say(*((Span("✗ ", "error"), Span(line)) for line in lines))

    def _can(self, action: str) -> bool:
        reason = reason_not(action, self.situation, keymap_of(self.app))
        if reason:
            self.say((Span(reason, "primary"),))
        return not reason

    # ------------------------------------------------------------ lists and focus

    def _activate(self, name: str) -> None:
        body = self.query_one("#body")
        body.set_class(name == "scripts", "scripts")
        body.set_class(name == "sessions", "sessions")
        self.active.focus()
        self.call_after_refresh(self._refresh_frame)

    def on_descendant_focus(self) -> None:
        if isinstance(self.focused, ItemList) and self.focused is not self.active:
            self._activate(self.focused.id or "scripts")
        self._refresh_keys()

    @on(ItemList.Picked)
    def _picked(self) -> None:
        self._refresh_keys()

    def action_show_scripts(self) -> None:
        self._activate("scripts")

    def action_show_sessions(self) -> None:
        self._activate("sessions")

    def action_next_pane(self) -> None:
        """From the filter to the list; from one list to the other."""
        other = "scripts" if self.active is self.sessions else "sessions"
        self._activate(other if isinstance(self.focused, ItemList) else self.active.id or "scripts")

    def action_previous_pane(self) -> None:
        self.action_next_pane()

    def action_previous_item(self) -> None:
        self.active.move(-1)

    def action_next_item(self) -> None:
        self.active.move(1)

    # ------------------------------------------------------------ the filter

    async def action_filter(self) -> None:
        box = self.query_one("#filter")
        if self.field is None:
            field = Input(placeholder="type to filter; enter opens, tab goes to the list", compact=True)
            await box.mount(Static("/ "), field)
        box.add_class("shown")
        if self.field is not None:
            self.field.focus()

    @on(Input.Changed)
    def _typed(self) -> None:
        self._filter()

    @on(Input.Submitted)
    def _entered(self) -> None:
        self.action_open()

    def action_close(self) -> None:
        """The filter, then what was said."""
        box = self.query_one("#filter")
        if self.field is not None:
            self.active.focus()
            box.remove_class("shown")
            box.remove_children()
            self.call_after_refresh(self._filter)
        else:
            self.say()

    # ------------------------------------------------------------ what is done with an item

    def action_open(self) -> None:
        self._open(play=False)

    def action_open_and_run(self) -> None:
        self._open(play=True)

    @on(ItemList.Chosen)
    def _chosen(self) -> None:
        self.action_open()

    def _open(self, *, play: bool) -> None:
        item = self.active.item
        if item is None or not self._can("open"):
            return
        if item.kind == "bad":
            self.say_problems(item.why)
            return
        shell = self.app
        assert isinstance(shell, Shell)
        self.say()
        if item.kind == "script":
            shell.open_scenario(item.path, play=play)
        else:
            shell.open_session(item.path, play=play)

    def action_delete(self) -> None:
        """A session of one's own; asks first."""
        from workbench.tui.dialogs import Confirm

        item = self.active.item
        if item is None or not self._can("delete"):
            return
        if self.active is self.scripts:
            self.say((Span("a script is a file of its own: only sessions are deleted here", "primary"),))
            return
        if item.path.parent != self.home.sessions:
            self.say((Span("this session comes with the package: it stays", "primary"),))
            return
        detail = f"{item.path.name}{f', {item.steps}' if item.steps else ''}. It cannot be brought back."
        self.app.push_screen(
            Confirm(f"Delete {item.title}?", detail, yes="delete"), lambda yes: self._delete(item) if yes else None
        )

    def _delete(self, item: Item) -> None:
        from workbench.sessions.errors import SessionError
        from workbench.sessions.store import SessionStore

        try:
            SessionStore(self.home.sessions).delete(item.path)
        except SessionError as error:
            self.say_problems([str(error)])
        else:
            self.say((Span(f"deleted {visible(item.title)}", "quiet"),))
        self.read_again()

    def action_settings(self) -> None:
        shell = self.app
        assert isinstance(shell, Shell)
        shell.open_settings()

    async def action_back(self) -> None:
        await self.run_action("app.quit")


def _chunks(paths: Sequence[Path]) -> Iterator[Sequence[Path]]:
    start, size = 0, FIRST_CHUNK
    while start < len(paths):
        yield paths[start : start + size]
        start, size = start + size, size * 2


def _short(folder: Path) -> str:
    """The folder as people write it."""
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return str(folder)
