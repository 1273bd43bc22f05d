"""The real app with one run on its screen, the keys pressed at times of the test's own choosing."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from textual import events
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, Static

from tests.tui.settled import LONGEST, settled
from workbench.clocks import VirtualClock
from workbench.core.events import Event
from workbench.home import Home, packaged_folder
from workbench.opening import Opened, new_run, reopen
from workbench.runner import Run
from workbench.scenarios.loader import load_scenario
from workbench.sessions.late import MemoryJournal
from workbench.tui.app import WorkbenchApp
from workbench.tui.guard import APART, DRAWN
from workbench.tui.run.fields.field import Field
from workbench.tui.run.screen import RunScreen
from workbench.tui.transcript.widget import Transcript

SCRIPTS = packaged_folder() / "scripts"
CREATED = datetime(2026, 1, 31, 10, tzinfo=UTC)
SESSION = "20260131-100000-7f3a"
Kind = type[Field]
PATIENT = 1.0 + APART + DRAWN
"""Seconds between two keys of somebody who looks before pressing the next."""


def a_home(folder: Path, *, examples: bool = False) -> Home:
    """A workbench folder of the test's own, beside the packaged themes and tools; beside all examples if need be."""
    root, packaged = folder / "root", packaged_folder()
    root.mkdir(parents=True)
    if not examples:
        packaged = folder / "packaged"
        packaged.mkdir()
        for kind in ("tools", "themes"):
            (packaged / kind).symlink_to(packaged_folder() / kind)
    return Home(root=root, found="--home", packaged=packaged)


class TickingClock(VirtualClock):
    """A clock by which everything takes a little, and the same every time."""

    def now(self) -> float:
        self._now += 0.0004
        return self._now


def opened_scenario(home: Home, scenario: str | Path, *, keep: bool = True, ticking: bool = False) -> Opened:
    """A shipped scenario by name, or one by path, whose durations are the same every time."""
    path = SCRIPTS / f"{scenario}.toml" if isinstance(scenario, str) else scenario
    return new_run(
        load_scenario(path),
        home,
        scenario_path=str(path),
        clock=TickingClock() if ticking else VirtualClock(),
        keep=keep,
        session_id=SESSION,
        created=CREATED,
    )


def opened_session(home: Home, path: Path, *, read_only: bool = False) -> Opened:
    """A session file, as it is opened from Home."""
    return reopen(path, home, clock=VirtualClock(), read_only=read_only)


def with_run(opened: Opened, **parts: Any) -> Opened:
    """The same, with another model, journal, … in its run."""
    run = opened.run
    given: dict[str, Any] = {
        "model": run.model,
        "tools": run.tools,
        "journal": opened.journal or MemoryJournal(),
        "clock": run.clock,
        "events": run.events,
    }
    opened.run = Run(run.header, **{**given, **parts})
    return opened


@dataclass
class Stage:
    """What a test does at the screen, and what it sees there."""

    app: WorkbenchApp
    pilot: Pilot[None]
    now: float = 0.0
    """The time of the latest key; real time, or ahead of it."""
    home: Home = field(init=False)

    def __post_init__(self) -> None:
        self.home = self.app.home

    # ------------------------------------------------------------ pieces

    @property
    def screen(self) -> RunScreen:
        """The Run screen, whatever stands above it."""
        found = next(screen for screen in reversed(self.app.screen_stack) if isinstance(screen, RunScreen))
        assert isinstance(found, RunScreen)
        return found

    @property
    def run(self) -> Run:
        return self.screen.run_

    @property
    def transcript(self) -> Transcript:
        return self.screen.transcript

    @property
    def kinds(self) -> list[str]:
        """What has been recorded, by kind."""
        return [event.kind for event in self.run.events]

    def events(self, kind: str) -> list[Event]:
        return [event for event in self.run.events if event.kind == kind]

    # ------------------------------------------------------------ acting

    async def press(self, *keys: str, apart: float = PATIENT) -> None:
        """Press keys one after the other, each seen through before the next."""
        for key in keys:
            self.now = max(self.now, _real_time()) + apart
            self.post(key, self.now)
            await self.settle()

    async def send(self, key: str) -> None:
        """Press a key while a worker of the run goes on, and see what it does."""
        self.now = max(self.now, _real_time()) + PATIENT
        self.post(key, self.now)
        await self.pilot.pause()
        await self.reach(lambda: self.drawn)

    def post(self, key: str, at: float) -> None:
        """A key that was pressed at that moment, which may be long ago by the time it is read."""
        event = _key(key)
        event.time = at
        event.set_sender(self.app)
        self.app.post_message(event)

    async def type(self, text: str) -> None:
        """Type a text as fast as the terminal sends it."""
        for character in text:
            self.post("enter" if character == "\n" else character, max(self.now, _real_time()))
        await self.settle()

    async def settle(self, until: Callable[[], bool] = lambda: True) -> None:
        """Until nothing is left to be done or drawn, and `until` holds."""
        await settled(self.pilot, lambda: self.drawn and until())

    async def reach(self, condition: Callable[[], bool]) -> None:
        """Until the condition holds, also while a worker of the run goes on."""
        async with asyncio.timeout(LONGEST):
            while not condition():
                await self.pilot.pause()

    @property
    def drawn(self) -> bool:
        """Whether the Run screen shows what there is to be shown."""
        return all(not screen.drawing.dirty for screen in self.app.screen_stack if isinstance(screen, RunScreen))

    # ------------------------------------------------------------ seeing

    @property
    def rows(self) -> list[str]:
        """The whole terminal as text, blanks at the ends of rows dropped."""
        return [row.rstrip() for row in drawn_rows(self.app)]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    def sees(self, text: str) -> bool:
        """Whether that text is on the terminal, on one row."""
        return text in self.text

    def row_of(self, text: str) -> int:
        """The first row that shows the text."""
        return next(y for y, row in enumerate(self.rows) if text in row)

    def focus_is(self, widget: Widget) -> bool:
        """Whether keys go there."""
        return self.screen.focused is widget and self.app.screen is self.screen

    @property
    def field(self) -> Input:
        """The line of text that is open in the bar."""
        inside = self.screen.bar.inside
        assert isinstance(inside, Input)
        return inside

    def opens(self, kind: Kind) -> bool:
        """Whether that is open in the bar."""
        return isinstance(self.screen.bar.opened, kind)

    @property
    def is_shut(self) -> bool:
        """Whether nothing is open in the bar, and nothing is asked there."""
        return self.screen.bar.opened is None and self.screen.bar.question is None

    @property
    def key_row(self) -> str:
        """The key line."""
        return "\n".join(self.rows[-2:] if self.app.size.width < 60 else self.rows[-1:])

    @property
    def bar_title(self) -> str:
        return str(self.screen.bar.query_one("#bar-title", Static).visual)

    @property
    def notice(self) -> str:
        """The one-line message, "" where there is none."""
        notice = self.screen.query_one("#notice", Static)
        return str(notice.visual).strip() if notice.display else ""


@asynccontextmanager
async def staged(
    opened: Opened, home: Home, *, size: tuple[int, int] = (120, 40), play: bool = False, theme: str = ""
) -> AsyncIterator[Stage]:
    """The app with that run on its screen, before its first move or running."""
    try:
        async with at_home(home, size=size) as stage:
            if theme:
                stage.app.theme = theme
            await stage.app.push_screen(RunScreen(opened, play=play))
            if play:
                await stage.reach(lambda: isinstance(stage.app.screen, RunScreen) and stage.drawn)
            else:
                await stage.settle(lambda: stage.run.state.started or bool(opened.read_only))
            try:
                yield stage
            finally:
                if any(isinstance(screen, RunScreen) for screen in stage.app.screen_stack):
                    stage.screen.opened.close()  # another run may have taken the place of the first
    finally:
        opened.close()


@asynccontextmanager
async def at_home(home: Home, *, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Stage]:
    """The app as it starts."""
    app = WorkbenchApp(home)
    async with app.run_test(size=size, notifications=True) as pilot:
        stage = Stage(app, pilot)
        await stage.settle()
        yield stage


def drawn_rows(app: Any) -> list[str]:
    """What the terminal shows, row by row."""
    width, height = app.size
    rows = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip) for strip in rows][:height] if width else []


def _real_time() -> float:
    return events.Event().time


def _key(key: str) -> events.Key:
    name = _character_to_key(key) if len(key) == 1 and not key.isalnum() else key
    try:
        character = unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(name, name)))
    except KeyError:
        character = key if len(key) == 1 else None  # type: ignore[assignment]
    return events.Key(name, character)


def write_scenario(home: Home, text: str, name: str = "own") -> Path:
    """A scenario of the test's own."""
    folder = home.root / "scripts"
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path
