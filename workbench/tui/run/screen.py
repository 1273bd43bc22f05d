"""The Run screen, put together from its parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.worker import Worker

from workbench.tui.actions import ACTIONS, BY_NAME, bindings, shown_key
from workbench.tui.blocks import Block, TopLine
from workbench.tui.guard import KeyGuard
from workbench.tui.keyline import KeyLine
from workbench.tui.run.asking import Asking
from workbench.tui.run.bar import BarPane, BarScroll
from workbench.tui.run.branching import Branching
from workbench.tui.run.breaking import Breaking
from workbench.tui.run.deciding import Deciding
from workbench.tui.run.drawing import Drawing, run_title
from workbench.tui.run.driving import Driver, Following
from workbench.tui.run.fields.limits import Limits
from workbench.tui.run.fields.replies import RewriteNext, WriteReply
from workbench.tui.run.fields.sessions import Grants, HoldSome, Message, Naming, Searching
from workbench.tui.run.frame import CallsPane, SideColumn, ThirdColumn
from workbench.tui.run.judging import Judging
from workbench.tui.run.keeping import Keeping
from workbench.tui.run.looking_back import LookingBack
from workbench.tui.run.moving import Moving
from workbench.tui.run.notice import Notice
from workbench.tui.run.panes import Panes
from workbench.tui.run.reading import Reading
from workbench.tui.run.stand_in import StandIn
from workbench.tui.run.standing import situation_of
from workbench.tui.run.waiting import Waiting
from workbench.tui.screens import keymap_of
from workbench.tui.situation import Situation
from workbench.tui.transcript.widget import Transcript
from workbench.view.desk import Desk
from workbench.view.visible import visible

if TYPE_CHECKING:
    from workbench.opening import Opened


class RunScreen(Screen[None]):
    """Watch one run: step it, cap it, decide what it may do, and walk back through it."""

    ALLOW_MAXIMIZE = False
    AUTO_FOCUS = "Transcript"
    BINDINGS: ClassVar[list[BindingType]] = bindings("screen", "run")
    CSS_PATH = "run.tcss"

    def __init__(self, opened: Opened, *, play: bool = False, until: int | None = None) -> None:
        """`until` is the reply of the script (from 0) before which the run pauses."""
        super().__init__()
        self.opened = opened
        self.run_ = run = opened.run
        self.desk = desk = Desk(run)
        self.guard = KeyGuard()
        self.transcript = Transcript(desk.timeline, id="transcript")
        self.bar = BarPane()
        self.notice = notice = Notice(lambda: self.situation)
        self.drawing = drawing = Drawing(opened, desk, self.transcript, self, lambda: self.situation)
        self.driver = driver = Driver(opened, drawing, notice, self, play or until is not None, until)
        self.following = Following(opened, desk, drawing, self)
        waiting = Waiting(desk)
        self.asking = asking = Asking(opened, desk, waiting, self.bar, drawing, notice, self.guard, self)
        hands = (opened, desk, driver, asking, notice, drawing, self)
        self.panes = Panes(*hands, self.bar)
        self.looking_back = LookingBack(*hands)
        self.moving = Moving(*hands, self.looking_back)
        self.deciding = Deciding(*hands)
        self.breaking = Breaking(*hands, self.deciding.unsent)
        self.branching = Branching(*hands)
        self.reply = WriteReply(*hands)
        self.judging = Judging(*hands)
        self.stand_in = StandIn(*hands, self.judging.verdict)
        self.keeping = Keeping(*hands)
        self.searching = Searching(*hands)
        reading = Reading(*hands, self.deciding.show_whole)
        parts = (self.panes, self.looking_back, self.moving, self.deciding, *self.deciding.fields, self.breaking)
        more = (self.branching, self.judging, self.stand_in, self.keeping, self.searching, reading)
        of_run = [kind(*hands) for kind in (Limits, Message, Naming, Grants, HoldSome, RewriteNext)]
        vars(self).update(methods((*parts, *more, *of_run)))  # where Textual looks for the method of an action
        self._unsubscribe: list[Callable[[], None]] = []
        self._put_in_order()

    def _put_in_order(self) -> None:
        """The order of those who have a say in the same thing."""
        self.listeners = (
            lambda _: self.guard.arm(),
            self.driver.recorded,
            self.drawing.recorded,
            self.stand_in.recorded,
        )
        self.knows = (self.keeping.known, self.judging.known, self.stand_in.known)
        self.drawing.then = (self.asking.draw, *(() if self.opened.read_only else (self.reply.offer,)))
        self.asking.adds = (
            self.reply.beside,
            self.deciding.unsent.beside,
            self.judging.beside,
            self.stand_in.beside,
        )
        self.moving.makers = (self.stand_in.make, self.reply.make, self.breaking.make)
        self.deciding.edits = (self.breaking.held, self.deciding.arguments, self.branching.text.picked)
        self.panes.closers = (
            self.asking.leave,
            self.looking_back.leave,
            self.panes.leave,
            self.deciding.deny_plainly,
            self.panes.focus_transcript,
        )

    def compose(self) -> ComposeResult:
        yield TopLine(id="top")
        yield Block(id="strip")
        with Horizontal(id="body"):
            yield self.transcript
            yield SideColumn()
            yield ThirdColumn()
        yield self.notice
        yield self.bar
        yield KeyLine(keymap_of(self.app), id="keys")

    # ------------------------------------------------------------ coming and going

    def on_mount(self) -> None:
        named = self.desk.timeline.named_keys
        self.desk.timeline.named_keys = {name: shown_key(BY_NAME[name], keymap_of(self.app)) for name in named}
        self.watch(self.transcript, "cursor", self.drawing.selected, init=False)
        self._unsubscribe = [self.run_.subscribe(listener) for listener in self.listeners]
        self._unsubscribe.append(self.run_.subscribe_signals(self.drawing.passing))
        self.transcript.focus()
        self.following.begin()
        self.drawing.draw()
        if self.opened.torn:
            self.notify(visible(self.opened.torn), title="Set aside", severity="warning", markup=False)
        for note in self.opened.notes:
            title = "Before it runs" if self.opened.path is None else "Not as it was"
            self.notify(visible(note), title=title, severity="warning", markup=False)
        if not self.opened.read_only:
            self.driver.begin()

    def on_unmount(self) -> None:
        for stop in self._unsubscribe:
            stop()

    def on_resize(self) -> None:
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        if self.is_attached and self.query(Transcript):
            self.bar.resized()
            self.drawing.draw()

    # ------------------------------------------------------------ what others ask

    @property
    def situation(self) -> Situation:
        """What the keys depend on now."""
        now = situation_of(self.desk, self.bar.opened, self.drawing.picked)
        for know in self.knows:
            now = know(now)
        return now

    @property
    def going(self) -> bool:
        """Whether a move is being made, or the next one will be by itself."""
        return self.run_.going

    @property
    def run_title(self) -> str:
        return run_title(self.opened)

    @property
    def session_path(self) -> Path | None:
        """Where the run is kept."""
        return self.opened.session_path

    @property
    def script_path(self) -> Path | None:
        """Where its scenario is from; None where that is known no more."""
        path = self.run_.header.scenario_path
        return Path(path) if path else None

    def look(self, n: int) -> None:
        """Look at the run as it was after event n."""
        self.looking_back.look(n)

    def interrupt(self) -> bool:
        """Stop the run if it is going. Returns whether it was."""
        return self.driver.interrupt()

    async def close_run(self) -> None:
        """Let the move in progress end in order, then close the session. What waits for a person goes on waiting."""
        await self.driver.close()

    # ------------------------------------------------------------ what the widgets say

    def on_key(self, event: events.Key) -> None:
        """Every key passes here before it acts: the guard wants to know when it was pressed."""
        self.guard.pressed(event.key, event.time)
        self.notice.unsay()
        if self.bar.opened is not None and self.bar.opened.key(event):
            event.stop()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        self.driver.worker_changed(event)

    @on(Transcript.Latest)
    def _latest(self) -> None:
        self.looking_back.leave()

    @on(Transcript.Found)
    def _found(self, event: Transcript.Found) -> None:
        self.searching.found(event)

    @on(CallsPane.Moved)
    def _moved(self, event: CallsPane.Moved) -> None:
        self.panes.move(event.by)

    @on(CallsPane.Picked)
    def _picked(self, event: CallsPane.Picked) -> None:
        self.panes.pick(event.call_id)

    @on(SideColumn.Sized)
    @on(ThirdColumn.Sized)
    def _sized(self) -> None:
        self.panes.sized()

    @on(BarScroll.Moved)
    def _moved_in_bar(self, event: BarScroll.Moved) -> None:
        by = 1 if event.down else -1
        if self.bar.opened is None and self.asking.waiting.turn(by):
            self.drawing.draw()
        else:
            self.bar.scroll.scroll_relative(y=by, animate=False)


def methods(parts: Sequence[object]) -> dict[str, Callable[..., object]]:
    """For each action of the Run screen its method, by name, of the one part that has it.

    Raises ValueError for an action that no part has, or more than one.
    """
    names = [f"action_{action.name}" for action in ACTIONS if action.where in ("screen", "run")]
    found = {name: [getattr(part, name) for part in parts if hasattr(part, name)] for name in names}
    if odd := [name for name, those in found.items() if len(those) != 1]:
        raise ValueError(f"not of one part: {', '.join(odd)}")
    return {name: method for name, (method,) in found.items()}
