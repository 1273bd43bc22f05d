"""How the screen drives a run and follows it: commands go in, events and signals come out, a worker makes the moves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

from textual.timer import Timer
from textual.worker import Worker, WorkerState

from workbench.core.events import (
    ContextChanged,
    Decided,
    Event,
    Held,
    HeldReply,
    ModelFailed,
    ModelReply,
    StopRequested,
    ToolResult,
    ToolStarted,
)
from workbench.core.loop import Record
from workbench.core.ports import Signal
from workbench.runner import CommandError, JournalBroken
from workbench.sessions.errors import SessionError
from workbench.tui.actions import BY_NAME, shown_key
from workbench.tui.run.base import FRAME, RunBase
from workbench.tui.run.script import reached
from workbench.tui.screens import keymap_of
from workbench.tui.transcript.widget import Transcript
from workbench.view.visible import visible

if TYPE_CHECKING:
    from workbench.opening import Opened

ABOUT_A_CALL = (Decided, ToolStarted, ToolResult, Held)
TICK = 0.25
"""Seconds between two drawings of how long something takes."""
FOLLOWED = 0.2
"""Seconds between two looks at what somebody else has added to the session."""


class Driving(RunBase):
    """One worker at a time makes the moves. Many events in one frame are drawn once."""

    def __init__(self, opened: Opened, *, play: bool = False, until: int | None = None) -> None:
        super().__init__(opened, play=play, until=until)
        self.touched: set[str] = set()
        """Calls about which something was recorded since they were drawn."""
        self.replies_moved: set[int] = set()
        """Replies about which something happened at the door: how many events there were when each was asked."""
        self._dirty = False
        self._drawn_at = 0.0
        self._driver: Worker[None] | None = None
        self._unsubscribe: list[Callable[[], None]] = []
        self._ticking: Timer | None = None
        """Goes while moves are made."""
        self._following: Timer | None = None

    def on_mount(self) -> None:
        named = self.desk.timeline.named_keys
        self.desk.timeline.named_keys = {name: shown_key(BY_NAME[name], keymap_of(self.app)) for name in named}
        self._unsubscribe = [self.run_.subscribe(self._recorded), self.run_.subscribe_signals(self._passing)]
        self.transcript.focus()
        opened = self.opened
        if opened.tail is not None:
            self._following = self.set_interval(FOLLOWED, self._follow)
            self._follow()
        self.draw()
        if opened.torn:
            self.notify(visible(opened.torn), title="Set aside", severity="warning", markup=False)
        for note in opened.notes:
            title = "Before it runs" if opened.path is None else "Not as it was"
            self.notify(visible(note), title=title, severity="warning", markup=False)
        if not opened.read_only:
            self._begin()

    def on_unmount(self) -> None:
        for stop in self._unsubscribe:
            stop()

    def _follow(self) -> None:
        """Take in what somebody else has added to a session that is opened for reading."""
        tail = self.opened.tail
        assert tail is not None
        try:
            events = tail.read()
            for event in events:
                self.run_.follow(event)
        except (SessionError, ValueError) as error:
            if self._following is not None:
                self._following.stop()
            self.desk.elsewhere = False
            self.notify(visible(str(error)), title="Not followed any more", severity="error", markup=False, timeout=20)
            return
        growing = tail.is_growing()
        if events or growing != self.desk.elsewhere:
            self.desk.elsewhere = growing
            self.redraw()

    # ------------------------------------------------------------ driving

    def _begin(self) -> None:
        """Give the goal, so that there is something to see; then run, when that was asked for."""
        if self.keep_going:
            self.drive(play=True)
        elif not self.run_.state.started:
            self._carry_out(self.run_.advance)

    def drive(self, *, play: bool) -> None:
        """Make the next move, or all of them up to a question or the end."""
        self._carry_out(self.run_.play if play else self.run_.step)

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
            self.say(f"this session is read only: {self.opened.read_only}")
        elif self.run_.broken:
            self.say(f"nothing more can be recorded: {self.run_.broken}")
        else:
            self._driver = self.run_worker(self._guarded(work), group="run", exit_on_error=False)
            self.set_timer(FRAME, self.redraw)  # a move that takes no longer is drawn once, when it is made
            if self._ticking is None:
                self._ticking = self.set_interval(TICK, self._tick)

    async def _record_due(self) -> None:
        while isinstance(self.run_.next, Record) and await self.run_.advance():
            pass

    async def _guarded(self, work: Callable[[], Awaitable[object]]) -> None:
        try:
            await work()
        except CommandError as error:
            self.say(str(error))
        except JournalBroken as error:
            self._say_broken(error)
        finally:
            self.redraw()

    def _say_broken(self, error: JournalBroken) -> None:
        title = "Nothing more is recorded"
        self.notify(visible(str(error)), title=title, severity="error", markup=False, timeout=20)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.worker.group == "run" and event.state is WorkerState.ERROR:
            error = visible(repr(event.worker.error))
            self.notify(error, title="The workbench failed", severity="error", markup=False, timeout=20)
            self.redraw()

    # ------------------------------------------------------------ commands

    def command(self, act: Callable[[], None]) -> bool:
        """Give the run a command; what it cannot do is said in one line. Returns whether it was done."""
        if self.opened.read_only:
            self.say(f"this session is read only: {self.opened.read_only}")
            return False
        try:
            act()
        except CommandError as error:
            self.say(str(error))
            return False
        except JournalBroken as error:
            self._say_broken(error)
            return False
        finally:
            self.redraw()
        return True

    def interrupt(self) -> bool:
        """Stop the run if it is going. Returns whether it was."""
        if not self.going:
            return False
        self.keep_going = False
        self.command(self.run_.stop)
        return True

    async def close_run(self) -> None:
        """Let the move in progress end in order, then close the session. What waits for a person goes on waiting."""
        self.keep_going = False
        if self.run_.in_flight is not None:
            self.command(self.run_.stop)
        else:
            self.run_.pause()
        with suppress(Exception):  # whatever went wrong has been shown
            if self._driver is not None and not self._driver.is_finished:
                await self._driver.wait()
            if self.run_.state.stop is not None and not self.opened.read_only:
                await self._record_due()
        self.opened.close()

    # ------------------------------------------------------------ following

    def _recorded(self, event: Event) -> None:
        self.guard.arm()
        if self.until is not None and reached(self.run_, self.until):
            self.until, self.keep_going = None, False
            self.run_.pause()
        if isinstance(event, ModelReply | ModelFailed | HeldReply | ContextChanged | StopRequested):
            self.desk.incoming.clear()
        if isinstance(event, ModelReply | HeldReply) and event.asked:
            self.replies_moved.add(event.asked)
        if isinstance(event, ABOUT_A_CALL):
            self.touched.add(event.call)
        self.redraw()

    def _passing(self, signal: Signal) -> None:
        self.desk.incoming.take(signal, monotonic())
        self.redraw()

    def _tick(self) -> None:
        """Draw how long it takes already, or a pause still takes: the last row, and nothing that could be in the way of
        a token that comes next.
        """
        if self._driver is not None and not self._driver.is_finished:
            self.draw_tail()
            return
        if self._ticking is not None:
            self._ticking.stop()
            self._ticking = None
        self.redraw()

    def redraw(self) -> None:
        """Draw soon: at once, or a frame after the last time."""
        if self._dirty or not self.is_attached:
            return
        self._dirty = True
        wait = self._drawn_at + FRAME - monotonic()
        if wait > 0:
            self.set_timer(wait, self.draw)
        else:
            self.call_later(self.draw)

    def draw_tail(self) -> None:
        """Draw what comes next, or is coming in."""
        if self.is_attached and self.query(Transcript):  # a screen that is being taken down loses its parts one by one
            self.transcript.show_tail(self.desk.tail(monotonic()))

    def draw(self) -> None:
        """Draw what has happened. The parts built on this one say how."""
        self._dirty = False
        self._drawn_at = monotonic()
