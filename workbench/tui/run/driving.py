"""How the screen drives a run and follows it: commands go in, a worker makes the moves; others' are taken in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker, WorkerState

from workbench.core.events import Event
from workbench.core.loop import Record
from workbench.runner import CommandError, JournalBroken, Run
from workbench.sessions.errors import SessionError
from workbench.tui.run.drawing import Drawing
from workbench.tui.run.notice import FRAME, Notice
from workbench.tui.run.script import reached
from workbench.view.desk import Desk
from workbench.view.visible import visible

if TYPE_CHECKING:
    from workbench.opening import Opened

TICK = 0.25
"""Seconds between two drawings of how long something takes."""
FOLLOWED = 0.2
"""Seconds between two looks at what somebody else has added to the session."""


@dataclass(eq=False)
class Driver:
    """Gives the run commands. One worker of the screen at a time makes the moves."""

    opened: Opened
    drawing: Drawing
    notice: Notice
    screen: Screen[None]
    keep_going: bool
    """Whether the run goes on by itself after a question has been answered."""
    until: int | None
    """The reply of the script (from 0) before which the run pauses; None once it has, or when it is not to."""
    _driver: Worker[None] | None = None
    _ticking: Timer | None = None
    """Goes while moves are made."""

    @property
    def run(self) -> Run:
        return self.opened.run

    # ------------------------------------------------------------ moves

    def begin(self) -> None:
        """Give the goal, so that there is something to see; then run, when that was asked for."""
        if self.keep_going:
            self.drive(play=True)
        elif not self.run.state.started:
            self._carry_out(self.run.advance)

    def drive(self, *, play: bool) -> None:
        """Make the next move, or all of them up to a question or the end."""
        self._carry_out(self.run.play if play else self.run.step)

    def go_on(self, *, move: bool) -> None:
        """After a decision: run on, if the run ran. Else make the move, or only record what follows by itself."""
        if self.keep_going or move:
            self.drive(play=self.keep_going)
        else:
            self._carry_out(self._record_due)

    def _carry_out(self, work: Callable[[], Awaitable[object]]) -> None:
        if self._driver is not None and not self._driver.is_finished:
            return
        if self.opened.read_only:
            self.notice.say(f"this session is read only: {self.opened.read_only}")
        elif self.run.broken:
            self.notice.say(f"nothing more can be recorded: {self.run.broken}")
        else:
            self._driver = self.screen.run_worker(self._guarded(work), group="run", exit_on_error=False)
            # A move that takes no longer is drawn once, when it is made.
            self.screen.set_timer(FRAME, self.drawing.redraw)
            if self._ticking is None:
                self._ticking = self.screen.set_interval(TICK, self.tick)

    async def _record_due(self) -> None:
        while isinstance(self.run.next, Record) and await self.run.advance():
            pass

    async def _guarded(self, work: Callable[[], Awaitable[object]]) -> None:
        try:
            await work()
        except CommandError as error:
            self.notice.say(str(error))
        except JournalBroken as error:
            self._say_broken(error)
        finally:
            self.drawing.redraw()

    def _say_broken(self, error: JournalBroken) -> None:
        self._say_failed("Nothing more is recorded", str(error))

    def _say_failed(self, title: str, error: str) -> None:
        self.screen.notify(visible(error), title=title, severity="error", markup=False, timeout=20)

    def worker_changed(self, event: Worker.StateChanged) -> None:
        """Say so where the worker that makes the moves has failed."""
        if event.worker.group == "run" and event.state is WorkerState.ERROR:
            self._say_failed("The workbench failed", repr(event.worker.error))
            self.drawing.redraw()

    def recorded(self, _: Event) -> None:
        """Pause where the run has come to the reply that it was to come to."""
        if self.until is not None and reached(self.run, self.until):
            self.until, self.keep_going = None, False
            self.run.pause()

    def tick(self) -> None:
        """Draw how long it takes already, or a pause still takes: the last row, and nothing that could be in the way of
        a token that comes next.
        """
        if self._driver is not None and not self._driver.is_finished:
            self.drawing.draw_tail()
            return
        if self._ticking is not None:
            self._ticking.stop()
            self._ticking = None
        self.drawing.redraw()

    # ------------------------------------------------------------ commands

    def command(self, act: Callable[[], None]) -> bool:
        """Give the run a command; what it cannot do is said in one line. Returns whether it was done."""
        if self.opened.read_only:
            self.notice.say(f"this session is read only: {self.opened.read_only}")
            return False
        try:
            act()
        except CommandError as error:
            self.notice.say(str(error))
            return False
        except JournalBroken as error:
            self._say_broken(error)
            return False
        finally:
            self.drawing.redraw()
        return True

    def interrupt(self) -> bool:
        """Stop the run if it is going. Returns whether it was."""
        if not self.run.going:
            return False
        self.keep_going = False
        self.command(self.run.stop)
        return True

    async def close(self) -> None:
        """Let the move in progress end in order, then close the session. What waits for a person goes on waiting."""
        self.keep_going = False
        if self.run.in_flight is not None:
            self.command(self.run.stop)
        else:
            self.run.pause()
        with suppress(Exception):  # whatever went wrong has been shown
            if self._driver is not None and not self._driver.is_finished:
                await self._driver.wait()
            if self.run.state.stop is not None and not self.opened.read_only:
                await self._record_due()
        self.opened.close()


@dataclass(eq=False)
class Following:
    """Takes in what somebody else adds to a session that is opened for reading, as long as it can be read."""

    opened: Opened
    desk: Desk
    drawing: Drawing
    screen: Screen[None]
    _looking: Timer | None = None

    def begin(self) -> None:
        """Look, now and every while; nothing where nobody can add anything."""
        if self.opened.tail is not None:
            self._looking = self.screen.set_interval(FOLLOWED, self._look)
            self._look()

    def _look(self) -> None:
        tail = self.opened.tail
        assert tail is not None
        try:
            events = tail.read()
            for event in events:
                self.opened.run.follow(event)
        except (SessionError, ValueError) as error:
            if self._looking is not None:
                self._looking.stop()
            self.desk.elsewhere = False
            self.screen.notify(
                visible(str(error)), title="Not followed any more", severity="error", markup=False, timeout=20
            )
            return
        growing = tail.is_growing()
        if events or growing != self.desk.elsewhere:
            self.desk.elsewhere = growing
            self.drawing.redraw()
