"""What the Run screen shows, from the desk: the transcript grows, the frame around it follows, the bar asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from textual.screen import Screen

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
from workbench.core.ports import Signal
from workbench.tui.blocks import Block, TopLine
from workbench.tui.keyline import KeyLine
from workbench.tui.run.bar import BarPane
from workbench.tui.run.frame import Shown, SideColumn, ThirdColumn
from workbench.tui.run.notice import FRAME
from workbench.tui.run.standing import top_facts, top_state, where_words
from workbench.tui.situation import Situation
from workbench.tui.transcript.widget import Transcript
from workbench.view.desk import Desk
from workbench.view.meters import strip as strip_line

if TYPE_CHECKING:
    from workbench.opening import Opened
    from workbench.tui.run.laid_open import LaidOpen

ABOUT_A_CALL = (Decided, ToolStarted, ToolResult, Held)


@dataclass(eq=False)
class Drawing:
    """Draws, once a frame at most, however much happens in it. Nothing in here changes the run."""

    opened: Opened
    desk: Desk
    transcript: Transcript
    screen: Screen[None]
    situation: Callable[[], Situation]
    then: Sequence[Callable[[], None]] = ()
    """What else is drawn whenever everything is, in this order, before the keys."""
    shown: Shown = "transcript"
    picked_unseen: int | None = None
    """The entry that was picked while the transcript was out of sight."""
    dirty: bool = False
    """Whether there is something to draw."""
    drawn_at: float = 0.0
    """When everything was drawn last, in seconds."""
    about_to_draw: bool = False
    """Whether everything is about to be drawn, so that nothing else need be."""
    _drawn_cursor: int = -1
    """The entry that was picked when what follows it was drawn."""
    _touched: set[str] = field(default_factory=set)
    """Calls about which something was recorded since they were drawn."""
    _replies: set[int] = field(default_factory=set)
    """Replies about which something happened at the door: how many events there were when each was asked."""
    _laid: LaidOpen | None = None

    # ------------------------------------------------------------ what there is

    @property
    def picked(self) -> int:
        """The entry that is picked; -1 where there is none."""
        return self.transcript.cursor if self.picked_unseen is None else self.picked_unseen

    @property
    def narrow(self) -> bool:
        return self.screen.size.width < 100

    @property
    def _is_there(self) -> bool:
        """Whether there is anything to draw on: a screen that is being taken down loses its parts one by one."""
        return self.screen.is_attached and bool(self.screen.query(Transcript))

    def recorded(self, event: Event) -> None:
        """Something was recorded: draw it soon."""
        if isinstance(event, ModelReply | ModelFailed | HeldReply | ContextChanged | StopRequested):
            self.desk.incoming.clear()
        if isinstance(event, ModelReply | HeldReply) and event.asked:
            self._replies.add(event.asked)
        if isinstance(event, ABOUT_A_CALL):
            self._touched.add(event.call)
        self.redraw()

    def passing(self, signal: Signal) -> None:
        """Something passes that is not recorded, as a token does: draw it soon."""
        self.desk.incoming.take(signal, monotonic())
        self.redraw()

    # ------------------------------------------------------------ everything

    def redraw(self) -> None:
        """Draw soon: at once, or a frame after the last time."""
        if self.dirty or not self.screen.is_attached:
            return
        self.dirty = True
        wait = self.drawn_at + FRAME - monotonic()
        if wait > 0:
            self.screen.set_timer(wait, self.draw)
        else:
            self.screen.call_later(self.draw)

    def draw(self) -> None:
        """Everything, as the desk says it is."""
        self.dirty = False
        self.drawn_at = monotonic()
        if not self._is_there:
            return
        self.about_to_draw = True
        self.desk.refresh()
        transcript = self.transcript
        transcript.spaced = not self.narrow
        if not self.desk.looking_back:
            if len(self.desk.timeline) > transcript.flow.count:
                transcript.appended()
            for call in self._touched:
                self._call_changed(call)
            self._touched.clear()
            self._replies_moved()
        self.draw_tail()
        self.draw_selection()
        for draw in self.then:
            draw()
        self.draw_keys()
        self.about_to_draw = False

    def _call_changed(self, call_id: str) -> None:
        """What stands under a call in the reply that asked for it is something else now; so is how its result waits."""
        record = self.desk.run.state.record(call_id)
        if record is None:
            return
        timeline = self.desk.timeline
        asked = timeline.index_of(record.n)
        self.transcript.changed(asked)
        if record.held is not None:
            latest = timeline.index_of(record.result_n) if record.result is not None else len(timeline) - 1
            for index in range(latest, asked, -1):
                event = timeline.event(index)
                if isinstance(event, Held) and event.call == call_id:
                    self.transcript.changed(index)

    def _replies_moved(self) -> None:
        """Replies that stood at the door do so no longer, or not as they were."""
        for asked in self._replies:
            for index in range(self.desk.timeline.index_of(asked) + 1, len(self.desk.timeline)):
                if isinstance(self.desk.timeline.event(index), HeldReply):
                    self.transcript.changed(index)
        self._replies.clear()

    # ------------------------------------------------------------ some of it

    def draw_tail(self) -> None:
        """Draw what comes next, or is coming in."""
        if self._is_there:
            self.transcript.show_tail(self.desk.tail(monotonic()))

    def selected(self) -> None:
        """Another entry is picked: draw what follows it, unless that is about to be drawn."""
        if self.screen.is_attached and not self.about_to_draw and self.picked != self._drawn_cursor:
            self.draw_selection()
            self.draw_keys()

    def draw_selection(self) -> None:
        """What stands around the transcript, and follows the entry that is picked in it."""
        desk, state, screen = self.desk, self.desk.state, self.screen
        self._drawn_cursor = self.picked
        facts = top_facts(desk, self.opened, narrow=self.narrow)
        screen.query_one(TopLine).show(run_title(self.opened), facts, where_words(desk), *top_state(desk))
        strip = screen.query_one("#strip", Block)
        strip.display = 60 <= screen.size.width < 100
        if strip.display:
            strip.put([strip_line(state, screen.size.width - 2)])
        running = desk.stand in ("running", "elsewhere")
        side = screen.query_one(SideColumn)
        if side.display:
            only = self.shown if self.narrow else None
            side.show(state, desk.selected_call(self.picked), running=running or desk.looking_back, only=only)
        third = screen.query_one(ThirdColumn)
        if third.display:
            event = self.desk.run.events[state.n - 1] if state.n else None
            third.show(self._laid_open(), state, event, past=desk.looking_back, running=running)

    def _laid_open(self) -> LaidOpen:
        if self._laid is None:
            from workbench.tui.run.laid_open import LaidOpen  # only where there is room for it

            self._laid = LaidOpen(self.desk.run)
        return self._laid

    def focus_something(self) -> None:
        """Focus what the keys are for, where nothing has it any more."""
        screen = self.screen
        if screen.focused is not None and screen.focused.display and screen.focused.region:
            return
        inside = screen.query_one(BarPane).inside
        if screen.has_class("covered") and screen.has_class("-low") and inside is not None:
            inside.focus()
        elif self.shown == "calls" and self.narrow:
            screen.query_one(SideColumn).calls.focus()
        else:
            self.transcript.focus()

    def draw_keys(self) -> None:
        """The keys that work now."""
        self.screen.query_one(KeyLine).situation = self.situation()


def run_title(opened: Opened) -> str:
    """The name of a run: its own, else its goal."""
    return opened.run.state.title or opened.run.header.goal
