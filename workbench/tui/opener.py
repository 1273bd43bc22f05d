"""From a file to a Run screen. Reading and importing happen in a thread; what a person has to decide is asked."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from workbench.home import Home, HomeError, trust
from workbench.tui.dialogs import Confirm
from workbench.tui.glimpse import GlimpseScreen
from workbench.tui.screens import RunView, SessionView
from workbench.view.folders import Glimpse, glimpse

if TYPE_CHECKING:
    from workbench.forking import Branch
    from workbench.opening import Opened
    from workbench.tui.app import WorkbenchApp


@dataclass(frozen=True, slots=True)
class Wanted:
    """A run to open: how, whether it starts running, and the screen it takes the place of."""

    make: Callable[[Home, bool], Opened | Screen[None]]
    """From a home, and whether only to read: the run, or the whole screen where it is not the Run screen."""
    play: bool = False
    until: int | None = None
    """The reply of the script up to which it runs, from 0."""
    in_place_of: RunView | None = None
    at: int | None = None
    """The event after which it is looked at; None for now."""
    seen: Glimpse | None = None
    """What stands there while it is read, where that takes a while."""


LONG = 2_000_000
"""Bytes of a session from which on something has to be seen while it is read."""


class Opener:
    """Opens runs for the app, one at a time."""

    def __init__(self, app: WorkbenchApp) -> None:
        self._app = app
        self._glimpse: GlimpseScreen | None = None
        """What stands where the run will."""
        self._closed_some = False
        """Whether a run was closed since the last one was opened; much of it refers to itself, and has to be sought."""

    def file(self, path: Path) -> Callable[[], None] | None:
        """Show at once what can be told of whatever is in that file. Returns what opens it, to be called after that.

        Where the file cannot be read, that is said, and there is nothing to call.
        """
        try:
            seen = glimpse(path)
        except OSError as error:
            self._app.report(f"{path} cannot be read: {error.strerror or error}")
            return None
        self._show(seen)
        return partial(self.session if seen.session else self.scenario, path)

    def scenario(self, path: Path, *, play: bool = False, until: int | None = None) -> None:
        """A new run of the scenario in that file: paused at its start, running, or run up to reply `until` (from 0)."""
        self._open(Wanted(_new_run(path), play, until))

    def instead(self, path: Path) -> None:
        """A new run of the scenario in that file, in place of the screen of the one on top."""
        self._open(Wanted(_new_run(path), in_place_of=next(self._app.runs(), None)))

    def session(self, path: Path, *, play: bool = False, at: int | None = None) -> None:
        """The run in that file as it stands, going on, or looked at as it was after event `at`."""
        if self._is_open(path, at):
            return

        def make(home: Home, read_only: bool) -> Opened:
            from workbench.opening import reopen

            return reopen(path, home, read_only=read_only)

        self._open(Wanted(make, play, at=at, seen=_seen_of_long(path)))

    def _is_open(self, path: Path, at: int | None) -> bool:
        """Whether that session is on a screen below this one; if so, that is what is looked at."""
        for above, screen in enumerate(reversed(self._app.screen_stack)):
            if isinstance(screen, SessionView) and screen.session_path == path:
                for _ in range(above):
                    self._app.pop_screen()
                if at is not None:
                    screen.look(at)
                return True
            if isinstance(screen, RunView):
                return False  # a run that has to be closed in order stands before it
        return False

    def again(self, opened: Opened) -> None:
        """The same scenario from the start, in a new session, in place of the screen of this one."""

        def make(home: Home, _: bool) -> Opened:
            from workbench.opening import new_run

            return new_run(opened.scenario, home, scenario_path=opened.run.header.scenario_path)

        self._open(Wanted(make, in_place_of=next(self._app.runs(), None)))

    def fork(self, opened: Opened, branch: Branch, *, play: bool = False) -> None:
        """A fork of the run, in place of its screen; the run stays as it is."""
        header, events = opened.run.header, tuple(opened.run.events)

        def make(home: Home, _: bool) -> Opened:
            from workbench.forking import fork

            return fork(header, events, branch, home)

        self._open(Wanted(make, play, in_place_of=next(self._app.runs(), None)))

    def made(self, make: Callable[[], Opened], *, play: bool = False) -> None:
        """A run that `make` opens; it may take a while, and is called in a thread."""
        self._open(Wanted(lambda _, __: make(), play))

    def matrix(self, of: Path | Opened) -> None:
        """The fault matrix of a scenario file, or of the scenario of a run."""

        def make(home: Home, _: bool) -> Screen[None]:
            from workbench.tui.matrix.opener import matrix_of

            return matrix_of(of, home)

        self._open(Wanted(make))

    def compare(self, a: Path, b: Path) -> None:
        """Two sessions, aligned by their calls."""

        def make(_: Home, __: bool) -> Screen[None]:
            from workbench.tui.compare.opener import compare_files

            return compare_files(a, b)

        self._open(Wanted(make))

    def compare_with_parent(self, opened: Opened) -> None:
        """A fork and the run that it comes from."""

        def make(home: Home, _: bool) -> Screen[None]:
            from workbench.tui.compare.opener import compare_with_parent

            return compare_with_parent(opened, home)

        self._open(Wanted(make))

    def leave(self, screen: RunView) -> None:
        """Close the run in order, then go back to what was below it."""
        self._app.run_worker(self._close(screen), group="open")

    async def _close(self, screen: RunView) -> None:
        await screen.close_run()
        gc.unfreeze()
        self._closed_some = True
        self._app.left(screen)
        if next(self._app.runs(), None) is screen:
            self._app.pop_screen()

    # ------------------------------------------------------------ opening

    def _open(self, wanted: Wanted, *, read_only: bool = False) -> None:
        if not any(worker.group == "open" and not worker.is_finished for worker in self._app.workers):
            if wanted.seen is not None and self._glimpse is None:
                self._show(wanted.seen)
            self._app.run_worker(self._make(wanted, read_only), group="open")

    async def _make(self, wanted: Wanted, read_only: bool) -> None:
        if self._closed_some:
            self._closed_some = False
            gc.unfreeze()
            gc.collect()  # what is frozen again below is not looked at
        gc.disable()  # nothing of a session or its screen is garbage: each look for some would be in the way of keys
        try:
            await self._put_up(wanted, read_only)
        finally:
            gc.freeze()
            gc.enable()

    async def _put_up(self, wanted: Wanted, read_only: bool) -> None:
        try:
            screen = await asyncio.to_thread(_made, wanted, self._app.home, read_only)
        except Exception as error:
            self._end_glimpse()
            if not self._explained(error, wanted):
                raise
            return
        if wanted.in_place_of is not None:
            await self._close(wanted.in_place_of)
        with self._app.batch_update():  # what is below is not seen in between
            self._end_glimpse()
            await self._app.push_screen(screen)
        if wanted.at is not None and isinstance(screen, SessionView):
            screen.look(wanted.at)

    def _show(self, seen: Glimpse) -> None:
        self._glimpse = GlimpseScreen(seen)
        self._app.push_screen(self._glimpse)

    def _end_glimpse(self) -> None:
        """Take it away, with any dialog that was opened above it meanwhile."""
        while self._glimpse is not None:
            if self._app.screen is self._glimpse:
                self._glimpse = None
            self._app.pop_screen()

    def _explained(self, error: Exception, wanted: Wanted) -> bool:
        """Ask about what a person can allow, say what else is wrong. Returns whether it was one of the known errors."""
        from workbench.lab.trials import NoMatrix
        from workbench.runner import CommandError
        from workbench.sandbox import TrustNeeded
        from workbench.scenarios.errors import ScenarioError
        from workbench.sessions.errors import SessionError, SessionLocked

        match error:
            case TrustNeeded():
                self._ask_to_trust(error.folder, f"Trust {error.folder}?", error.why, wanted)
            case SessionLocked():
                self._app.push_screen(
                    Confirm("Follow it, for reading only?", str(error), yes="follow"),
                    lambda yes: self._open(wanted, read_only=True) if yes else None,
                )
            case ScenarioError() if self._lacks_tools(error):
                self._ask_about_tools(error, wanted)
            case ScenarioError():
                self._app.report(*map(str, error.problems))
            case SessionError() | HomeError() | CommandError() | NoMatrix():
                self._app.report(str(error))
            case OSError():
                self._app.report(f"it cannot be opened: {error}")
            case _:
                return False
        return True

    # ------------------------------------------------------------ trust

    def _lacks_tools(self, error: Any) -> bool:
        """Whether tools are missing that may be in a folder nobody has trusted yet."""
        from workbench.tooling import lacks_tools

        home = self._app.home
        return lacks_tools(error) and not home.tools_trusted and (home.root / "tools").is_dir()

    def _ask_about_tools(self, error: Any, wanted: Wanted) -> None:
        root = self._app.home.root
        why = "The scenario names tools that are not loaded. Loading runs the code in that folder."
        refused = "\n".join(map(str, error.problems))
        self._ask_to_trust(root, f"Load the tools in {root / 'tools'}?", why, wanted, refused)

    def _ask_to_trust(self, folder: Path, question: str, why: str, wanted: Wanted, refused: str = "") -> None:
        def answered(yes: bool | None) -> None:
            if yes:
                self._trust(folder, wanted)
            elif refused:
                self._app.report(refused)

        self._app.push_screen(Confirm(question, why, yes="trust it"), answered)

    def _trust(self, folder: Path, wanted: Wanted) -> None:
        try:
            trust(folder)
        except (HomeError, OSError) as error:
            self._app.report(f"{folder} cannot be trusted: {error}")
            return
        if folder == self._app.home.root:
            self._app.home = replace(self._app.home, tools_trusted=True)
        self._open(wanted)


def _new_run(path: Path) -> Callable[[Home, bool], Opened]:
    def make(home: Home, _: bool) -> Opened:
        from workbench.opening import new_run
        from workbench.scenarios.loader import load_scenario

        return new_run(load_scenario(path), home, scenario_path=str(path))

    return make


def _seen_of_long(path: Path) -> Glimpse | None:
    """What can be told of a session that takes long to be read; None for a short one, or one that cannot be read."""
    try:
        return glimpse(path) if path.stat().st_size > LONG else None
    except OSError:
        return None


def _made(wanted: Wanted, home: Home, read_only: bool) -> Screen[None]:
    """The screen of what is wanted, whose imports take a while, too."""
    made = wanted.make(home, read_only)
    if isinstance(made, Screen):
        return made
    from workbench.tui.run.screen import RunScreen

    return RunScreen(made, play=wanted.play, until=wanted.until)
