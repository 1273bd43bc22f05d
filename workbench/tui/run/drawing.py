"""What the Run screen shows, from the desk: the transcript grows, the frame around it follows, the bar asks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.core.events import Held, HeldReply
from workbench.home import written
from workbench.tui.blocks import Block, TopLine
from workbench.tui.guard import time_now
from workbench.tui.keyline import KeyLine
from workbench.tui.run.driving import Driving
from workbench.tui.run.frame import SideColumn, ThirdColumn
from workbench.tui.run.standing import top_facts, top_state, where_words
from workbench.tui.transcript.widget import Transcript
from workbench.view.bars import Bar, bar_for
from workbench.view.lines import clip
from workbench.view.meters import strip as strip_line
from workbench.view.past import past_bar

if TYPE_CHECKING:
    from workbench.opening import Opened
    from workbench.tui.run.laid_open import LaidOpen

ASKING = ("approval", "batch", "interrupted", "hold")
"""Bars that want an answer."""
HOLDS = "◆ held at the door: {close}, then {move} or {edit}"
ASKS = "▲ waiting for you: {close}, then {allow} or {deny}"


class Drawing(Driving):
    """Nothing in here changes the run."""

    def __init__(self, opened: Opened, *, play: bool = False, until: int | None = None) -> None:
        super().__init__(opened, play=play, until=until)
        self._bar_key: object = None
        self._laid: LaidOpen | None = None
        self.drawn_cursor = -1
        """The entry that was picked when what follows it was drawn."""
        self.drawing = False
        """Whether everything is about to be drawn, so that nothing else need be."""

    def on_resize(self) -> None:
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        if self.is_attached and self.query(Transcript):
            self.bar.resized()
            self.draw()

    # ------------------------------------------------------------ everything

    def draw(self) -> None:
        """Everything, as the desk says it is."""
        super().draw()
        if not self.is_attached or not self.query(Transcript):
            return  # a screen that is being taken down loses its parts one by one
        self.drawing = True
        self.desk.refresh()
        transcript = self.transcript
        transcript.spaced = not self.narrow
        if not self.desk.looking_back:
            if len(self.desk.timeline) > transcript.flow.count:
                transcript.appended()
            for call in self.touched:
                self._call_changed(call)
            self.touched.clear()
            self._replies_moved()
        self.draw_tail()
        self.draw_selection()
        self._draw_bar()
        self.draw_keys()
        self.drawing = False

    def _call_changed(self, call_id: str) -> None:
        """What stands under a call in the reply that asked for it is something else now; so is how its result waits."""
        record = self.run_.state.record(call_id)
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
        for asked in self.replies_moved:
            for index in range(self.desk.timeline.index_of(asked) + 1, len(self.desk.timeline)):
                if isinstance(self.desk.timeline.event(index), HeldReply):
                    self.transcript.changed(index)
        self.replies_moved.clear()

    def draw_selection(self) -> None:
        """What stands around the transcript, and follows the entry that is picked in it."""
        desk, state = self.desk, self.desk.state
        self.drawn_cursor = self.picked
        top_line = self.query_one(TopLine)
        facts = top_facts(desk, self.opened, narrow=self.narrow)
        top_line.show(self.run_title, facts, where_words(desk), *top_state(desk))
        strip = self.query_one("#strip", Block)
        strip.display = 60 <= self.size.width < 100
        if strip.display:
            strip.put([strip_line(state, self.size.width - 2)])
        at_work = self.at_work or desk.looking_back
        side = self.query_one(SideColumn)
        if side.display:
            only = self.shown if self.narrow else None
            side.show(state, desk.selected_call(self.picked), running=at_work, only=only)
        third = self.query_one(ThirdColumn)
        if third.display:
            event = self.run_.events[state.n - 1] if state.n else None
            third.show(self._laid_open(), state, event, past=desk.looking_back, running=self.at_work)

    def _laid_open(self) -> LaidOpen:
        if self._laid is None or self._laid.run is not self.run_:
            from workbench.tui.run.laid_open import LaidOpen  # only where there is room for it

            self._laid = LaidOpen(self.run_)
        return self._laid

    def draw_keys(self) -> None:
        self.query_one(KeyLine).situation = self.situation

    # ------------------------------------------------------------ the bar

    def _draw_bar(self) -> None:
        """The bar for how things stand, unless something else is open in it."""
        bar, wanted = self.bar, self.wanted_bar()
        asks = wanted is not None and wanted.kind in ASKING
        bar.show_aside("" if not asks else self.worded(HOLDS if self.desk.stand == "hold" else ASKS))
        if bar.mode not in ("", "question"):
            if bar.mode == "more" and self.guard.armed:
                self.arm_guard()
            return
        key = (wanted, self.size, len(self.run_.events) if asks else 0)
        if key == self._bar_key:
            return
        self._bar_key = key
        if wanted is None:
            bar.close_bar()
        else:
            bar.show_question(wanted, covers=asks)
        if asks:
            self.arm_guard()
        self.call_after_refresh(self.focus_something)

    def wanted_bar(self) -> Bar | None:
        """The bar for how things stand."""
        desk = self.desk
        width = max(20, self.size.width - 5)
        if desk.looking_back:
            return past_bar(self.run_.events, desk.state, width, desk.done)
        if self.at_work:
            return None
        path = self.opened.session_path
        wanted = bar_for(
            self.run_.state,
            self.run_.next,
            width=width,
            rows=max(3, self.size.height // 3),
            preview=self.run_.tools.preview,
            check=self.run_.tools.check,
            chosen=self.chosen,
            saved_as=written(path) if path is not None else "",
        )
        return wanted if wanted is None else self._judged_end(wanted, width)

    def _judged_end(self, wanted: Bar, width: int) -> Bar:
        """With a line, below a run that has ended, on whether it came to what is expected of it."""
        if self.verdict.differs is None:
            return wanted
        now = self.situation
        line = self.verdict.line(width, self.worded("{verdict}"), goes_on=bool(now.raise_to or now.failed))
        return replace(wanted, body=(*wanted.body, clip(line, width)))

    def arm_guard(self) -> None:
        """A question is drawn anew: keys pressed before it can be seen do not decide."""
        self.guard.arm()
        self.call_after_refresh(lambda: self.guard.drawn(time_now()))

    def reset_bar(self) -> None:
        """Draw the bar anew, also where it would say the same."""
        self._bar_key = None

    def close_field(self) -> None:
        """Close whatever is open in the bar."""
        self.bar.close_bar()
        self.reset_bar()
        self.transcript.focus()

    def reopen_bar(self) -> None:
        """Close whatever is open in the bar, and show how things stand."""
        self.close_field()
        self.draw()
