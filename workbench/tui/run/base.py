"""What every part of the Run screen builds on: the run, how it is driven, and how the screen follows it."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import Worker, WorkerState

from workbench.core.events import Decided, Event, Held, ModelFailed, ModelReply, ToolResult, ToolStarted
from workbench.core.ports import Signal
from workbench.runner import CommandError, JournalBroken
from workbench.tui.actions import bindings, reason_not
from workbench.tui.guard import KeyGuard
from workbench.tui.keyline import KeyLine
from workbench.tui.paint import content
from workbench.tui.run.bar import BarPane
from workbench.tui.run.frame import Shown, SideColumn, ThirdColumn, TopLine, put
from workbench.tui.run.standing import situation_of, top_facts, top_state, where_words
from workbench.tui.screens import keymap_of
from workbench.tui.situation import Situation
from workbench.tui.transcript import Transcript
from workbench.view import panes
from workbench.view.bars import Bar, bar_for, past_bar
from workbench.view.desk import Desk
from workbench.view.entries import Span

if TYPE_CHECKING:
    from workbench.opening import Opened

ABOUT_A_CALL = (Decided, ToolStarted, ToolResult, Held)
FRAME = 1 / 60
SAID_FOR = 5.0
"""Seconds a one-line message stays."""


class RunBase(Screen[None]):
    """The widgets, the worker that drives the run, and drawing. What keys do is in the parts built on it."""

    ALLOW_MAXIMIZE = False
    AUTO_FOCUS = "Transcript"
    BINDINGS: ClassVar[list[BindingType]] = bindings("screen", "run")

    def __init__(self, opened: Opened, *, play: bool = False) -> None:
        super().__init__()
        self.opened = opened
        self.run_ = opened.run
        self.desk = Desk(opened.run)
        self.guard = KeyGuard()
        self.shown: Shown = "transcript"
        self.chosen = ""
        """The call of a batch that the bar is about."""
        self.keep_going = play
        """Whether the run goes on by itself after a question has been answered."""
        self._dirty = False
        self._touched: set[str] = set()
        self.stale_entries: set[int] = set()
        """Entries that were drawn as they looked at a moment of the past."""
        self._driver: Worker[None] | None = None
        self._bar_key: object = None
        self._said_until = 0.0
        self._said = ""
        self._unsubscribe: list[Callable[[], None]] = []

    # ------------------------------------------------------------ building

    def compose(self) -> ComposeResult:
        yield TopLine("", id="top")
        yield Static("", id="strip")
        with Horizontal(id="body"):
            yield Transcript(self.desk.timeline, id="transcript")
            yield SideColumn()
            yield ThirdColumn()
        yield Static("", id="notice")
        yield BarPane(id="bar")
        yield KeyLine(keymap_of(self.app), id="keys")

    def on_mount(self) -> None:
        self._unsubscribe = [self.run_.subscribe(self._recorded), self.run_.subscribe_signals(self._passing)]
        self.transcript.focus()
        self.draw()
        if self.opened.torn:
            self.notify(self.opened.torn, title="Set aside", severity="warning", markup=False)
        self.run_worker(self._begin(), group="run", exit_on_error=False)

    def on_unmount(self) -> None:
        for stop in self._unsubscribe:
            stop()

    def on_resize(self) -> None:
        self.call_after_refresh(self.draw)

    # ------------------------------------------------------------ pieces

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    @property
    def bar(self) -> BarPane:
        return self.query_one(BarPane)

    @property
    def narrow(self) -> bool:
        return self.size.width < 100

    @property
    def situation(self) -> Situation:
        """What the keys depend on now."""
        return situation_of(self.desk, self.bar.mode, self.transcript.cursor)

    @property
    def going(self) -> bool:
        return self.run_.in_flight is not None or self.run_.playing

    @property
    def run_title(self) -> str:
        return self.run_.state.title or self.run_.header.goal

    # ------------------------------------------------------------ what the parts do for each other

    def look(self, n: int) -> None:
        """Look at the run as it was after event n."""
        raise NotImplementedError

    def look_now(self) -> None:
        """Leave the past."""
        raise NotImplementedError

    def play_past(self) -> None:
        """Play the past, or pause it."""
        raise NotImplementedError

    def pass_on(self) -> None:
        """Let a held result through as it is."""
        raise NotImplementedError

    def decide(self, decision: str, **given: str) -> None:
        """Decide about the call in front."""
        raise NotImplementedError

    def show_whole(self) -> None:
        """Show all arguments of the call that waits."""
        raise NotImplementedError

    def show(self, what: Shown) -> None:
        """On a narrow screen, what stands in the place of the transcript."""
        raise NotImplementedError

    def deny_plainly(self) -> None:
        """Deny the call in front without a reason."""
        raise NotImplementedError

    def field_entered(self, text: str) -> None:
        """A line was entered in a field that is not about a decision."""
        raise NotImplementedError

    # ------------------------------------------------------------ driving

    def drive(self, *, play: bool) -> None:
        """Make the next move, or all of them up to a question or the end."""
        if self.going:
            return
        if self.opened.read_only:
            self.say(f"This session is read only: {self.opened.read_only}.")
            return
        self._driver = self.run_worker(self._drive(play), group="run", exit_on_error=False)
        self.redraw()

    async def _begin(self) -> None:
        """Give the goal, so that there is something to see; then run, when that was asked for."""
        if not self.run_.state.started and not self.opened.read_only:
            await self.run_.advance()
        self.redraw()
        if self.keep_going:
            self.drive(play=True)

    async def _drive(self, play: bool) -> None:
        try:
            if play:
                await self.run_.play()
            else:
                await self.run_.step()
        except CommandError as error:
            self.say(str(error))
        except JournalBroken as error:
            self.notify(str(error), title="Nothing more is recorded", severity="error", markup=False, timeout=20)
        finally:
            self.redraw()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.worker.group == "run" and event.state is WorkerState.ERROR:
            self.notify(f"{event.worker.error!r}", title="The workbench failed", severity="error", markup=False)
            self.redraw()

    def command(self, act: Callable[[], None], *, then_drive: bool = False) -> bool:
        """Give the run a command; what it cannot do is said in one line. Returns whether it was done."""
        if self.opened.read_only:
            self.say(f"This session is read only: {self.opened.read_only}.")
            return False
        try:
            act()
        except (CommandError, JournalBroken) as error:
            self.say(str(error))
            return False
        if then_drive:
            self.drive(play=self.keep_going)
        self.redraw()
        return True

    def can(self, action: str) -> bool:
        """Whether an action applies now; if not, why is said in one line."""
        reason = reason_not(action, self.situation)
        if reason:
            self.say(reason)
        return not reason

    def interrupt(self) -> bool:
        """Stop the run if it is going. Returns whether it was."""
        if not self.going:
            return False
        self.keep_going = False
        return self.command(self.run_.stop)

    async def close_run(self) -> None:
        """Let the move in progress end in order, then close the session. What waits for a person goes on waiting."""
        if self.going:
            self.run_.pause()
            if self.run_.in_flight is not None:
                self.command(self.run_.stop)
        if self._driver is not None and not self._driver.is_finished:
            await self._driver.wait()
        self.opened.close()

    # ------------------------------------------------------------ following the run

    def _recorded(self, event: Event) -> None:
        if isinstance(event, ModelReply | ModelFailed):
            self.desk.streaming = ""
        if isinstance(event, ABOUT_A_CALL):
            self._touched.add(event.call)
        self.redraw()

    def _passing(self, signal: Signal) -> None:
        if signal.kind == "delta":
            self.desk.streaming += signal.text
        elif signal.kind == "retry":
            self.desk.streaming = ""
            self.say(f"{signal.text or 'the request failed'}; again in {signal.seconds:.0f} s")
        self.redraw()

    def redraw(self) -> None:
        """Draw soon; many events in one frame are drawn once."""
        if not self._dirty and self.is_attached:
            self._dirty = True
            self.set_timer(FRAME, self.draw)

    def draw(self) -> None:
        """Everything, as the desk says it is."""
        self._dirty = False
        if not self.is_attached:
            return
        before = len(self.desk.timeline)
        self.desk.refresh()
        transcript = self.transcript
        transcript.spaced = not self.narrow
        if not self.desk.looking_back:
            if len(self.desk.timeline) > before or len(self.desk.timeline) > transcript.flow.count:
                transcript.appended()
            for call in self._touched:
                self._call_changed(call)
            self._touched.clear()
        transcript.show_tail(self.desk.tail())
        self._draw_frame()
        self._draw_bar()
        self.draw_keys()

    def _call_changed(self, call_id: str) -> None:
        """What stands under a call in the reply that asked for it is something else now."""
        record = self.run_.state.record(call_id)
        if record is not None:
            self.transcript.changed(self.desk.timeline.index_of(record.n))

    def _draw_frame(self) -> None:
        desk, state = self.desk, self.desk.state
        narrow = self.narrow
        top_line = self.query_one(TopLine)
        top_line.show(self.run_title, top_facts(desk, self.opened, narrow=narrow), where_words(desk), *top_state(desk))
        strip = self.query_one("#strip", Static)
        strip.display = 60 <= self.size.width < 100
        if strip.display:
            strip.update(content(panes.strip(state, self.size.width - 2)), layout=False)
        side = self.query_one(SideColumn)
        if side.display:
            selected = desk.selected_call(self.transcript.cursor)
            side.show(state, selected, running=self.going, shown=self.shown)
        third = self.query_one(ThirdColumn)
        if third.display:
            event = self.run_.events[state.n - 1] if state.n else None
            third.show(state, event, past=desk.looking_back, running=self.going)

    def draw_selection(self) -> None:
        """What follows the picked entry."""
        self._draw_frame()
        self.draw_keys()

    def draw_keys(self) -> None:
        self.query_one(KeyLine).situation = self.situation

    # ------------------------------------------------------------ the bar

    def _draw_bar(self) -> None:
        """The bar for how things stand, unless a field is open in it."""
        bar = self.bar
        if bar.mode not in ("", "question"):
            return
        wanted = self.wanted_bar()
        key = (wanted, self.size)
        if key == self._bar_key:
            return
        asked_before = self._bar_key
        self._bar_key = key
        if wanted is None:
            bar.close_bar()
        else:
            bar.show_question(wanted)
            if wanted.kind in ("approval", "batch", "interrupted", "hold"):
                self.arm_guard()
        covered = wanted is not None and wanted.kind not in ("past", "stop", "answered")
        self.query_one("#body").set_class(covered, "covered")
        bar.set_class(covered, "asks")
        if asked_before is not None and self.focused is None:
            self.transcript.focus()

    def wanted_bar(self) -> Bar | None:
        """The bar for how things stand."""
        desk = self.desk
        width = max(20, self.size.width - 4)
        if desk.looking_back:
            return past_bar(self.run_.events, desk.state, width)
        if self.going:
            return None
        path = self.opened.session_path
        return bar_for(
            self.run_.state,
            self.run_.next,
            width=width,
            rows=max(3, self.size.height // 3),
            preview=self.run_.tools.preview,
            chosen=self.chosen,
            saved_as=path.stem if path is not None else "",
        )

    def arm_guard(self) -> None:
        """A question is drawn anew: keys pressed before it can be seen do not decide."""
        self.guard.arm()
        self.call_after_refresh(lambda: self.guard.drawn(monotonic()))

    def reset_bar(self) -> None:
        """Draw the bar anew, also where it would say the same."""
        self._bar_key = None

    def reopen_bar(self) -> None:
        """Close whatever field is open in the bar, and show how things stand."""
        self.bar.close_bar()
        self._bar_key = None
        self.transcript.focus()
        self.draw()

    # ------------------------------------------------------------ saying something

    def say(self, text: str) -> None:
        """One line above the bar, for a few seconds."""
        self._said, self._said_until = text, monotonic() + SAID_FOR
        self.draw_notice()
        self.set_timer(SAID_FOR, self.draw_notice)

    def draw_notice(self) -> None:
        """The one-line message, else how much is below what can be seen."""
        notice = self.query_one("#notice", Static)
        if self._said and monotonic() < self._said_until:
            put(notice, [(Span(f" {self._said}", "primary"),)])
            notice.display = True
            return
        below = self.transcript.below if not self.transcript.follows else 0
        notice.display = below > 0
        if below > 0:
            put(notice, [(Span(f" ▼ {below:,} more · end follows", "quiet"),)])
