"""Keys that walk through the events: everything on the screen is as it was then."""

from __future__ import annotations

from textual import on
from textual.timer import Timer

from workbench.tui.run.drawing import Drawing
from workbench.tui.transcript.widget import Transcript

PLAY_EVERY = 0.6
"""Seconds an event stays while the past is played."""


class LookingBack(Drawing):
    """← → events, shift+← → steps, end now."""

    past_timer: Timer | None = None
    stale_entries: frozenset[int] = frozenset()
    """Entries that were drawn as they looked at a moment of the past."""

    def action_event_back(self) -> None:
        self.look(self.desk.state.n - 1)

    def action_event_forward(self) -> None:
        if self.desk.looking_back:
            self.look(self.desk.state.n + 1)
        else:
            self.can("event_forward")

    def action_step_back(self) -> None:
        self.look_step(-1)

    def action_step_forward(self) -> None:
        if self.desk.looking_back:
            self.look_step(1)
        else:
            self.can("step_forward")

    @on(Transcript.Latest)
    def _latest(self) -> None:
        if self.desk.looking_back:
            self.look_now()

    # ------------------------------------------------------------ the place

    def look(self, n: int) -> None:
        """Look at the run as it was after event n."""
        if self._can_look():
            self.desk.look_at(n)
            self._show_place()

    def look_step(self, direction: int) -> None:
        """Look at the run as it was a whole step earlier or later."""
        if self._can_look():
            self.desk.look_by_step(direction)
            self._show_place()

    def _can_look(self) -> bool:
        if self.going and not self.desk.looking_back:
            self.say("the run is going: r pauses it, then ← looks back")
        elif len(self.run_.events) < 2:
            self.say("there is nothing earlier yet")
        else:
            return True
        return False

    def look_now(self) -> None:
        """Back to now."""
        self._stop_playing()
        self.desk.look_now()
        self._show_place()

    def _show_place(self) -> None:
        """Show as much of the transcript as there was, and say again what differs from how it ended."""
        desk, transcript = self.desk, self.transcript
        if self.bar.mode not in ("", "question"):
            self.close_field()
        self.drawing = True
        count = len(desk.timeline)
        if desk.looking_back:
            transcript.truncate(count)
        else:
            transcript.truncate(None)
            transcript.appended()
        unsettled = self._unsettled()
        for index in unsettled | self.stale_entries:
            if 0 <= index < count:
                transcript.changed(index)
        self.stale_entries = unsettled if desk.looking_back else frozenset()
        self.reset_bar()
        self.draw()

    def _unsettled(self) -> frozenset[int]:
        """Entries that may have looked different at that moment: those of the latest reply and its calls."""
        batch, timeline = self.desk.state.batch, self.desk.timeline
        return frozenset(range(timeline.index_of(batch[0].n), len(timeline)) if batch else ())

    # ------------------------------------------------------------ playing

    def play_past(self) -> None:
        """Play the past, or pause it."""
        if self.past_timer is not None:
            self._stop_playing()
        else:
            self.past_timer = self.set_interval(PLAY_EVERY, self._play_one)

    def _play_one(self) -> None:
        if not self.desk.looking_back:
            self._stop_playing()
            return
        self.look(self.desk.state.n + 1)

    def _stop_playing(self) -> None:
        if self.past_timer is not None:
            self.past_timer.stop()
            self.past_timer = None
