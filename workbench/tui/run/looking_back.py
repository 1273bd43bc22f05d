"""Keys that walk through the events: everything on the screen is as it was then."""

from __future__ import annotations

from dataclasses import dataclass

from textual.timer import Timer

from workbench.tui.run.parts import Part

PLAY_EVERY = 0.6
"""Seconds an event stays while the past is played."""


@dataclass(eq=False)
class LookingBack(Part):
    """← → events, shift+← → steps, end now."""

    playing: Timer | None = None
    """Goes while the past is played."""
    _stale: frozenset[int] = frozenset()
    """Entries that were drawn as they looked at a moment of the past."""

    def action_event_back(self) -> None:
        self.look(self.desk.state.n - 1)

    def action_event_forward(self) -> None:
        if self.desk.looking_back:
            self.forward()
        else:
            self.can("event_forward")

    def action_step_back(self) -> None:
        self.look_step(-1)

    def action_step_forward(self) -> None:
        if self.desk.looking_back:
            self.look_step(1)
        else:
            self.can("step_forward")

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

    def forward(self) -> None:
        """Look at the run as it was one event later."""
        self.look(self.desk.state.n + 1)

    def _can_look(self) -> bool:
        if self.desk.run.going and not self.desk.looking_back:
            self.say("the run is going: r pauses it, then ← looks back")
        elif len(self.desk.run.events) < 2:
            self.say("there is nothing earlier yet")
        else:
            return True
        return False

    def leave(self) -> bool:
        """Back to now. Returns whether it was not now."""
        past = self.desk.looking_back
        if past:
            self._stop_playing()
            self.desk.look_now()
            self._show_place()
        return past

    def _show_place(self) -> None:
        """Show as much of the transcript as there was, and say again what differs from how it ended."""
        desk, transcript = self.desk, self.drawing.transcript
        if self.bar.opened is not None:
            self.bar.close()
        self.drawing.about_to_draw = True
        count = len(desk.timeline)
        if desk.looking_back:
            transcript.truncate(count)
        else:
            transcript.truncate(None)
            transcript.appended()
        unsettled = self._unsettled()
        for index in unsettled | self._stale:
            if 0 <= index < count:
                transcript.changed(index)
        self._stale = unsettled if desk.looking_back else frozenset()
        self.bar.redraw()

    def _unsettled(self) -> frozenset[int]:
        """Entries that may have looked different at that moment: those of the latest reply and its calls."""
        batch, timeline = self.desk.state.batch, self.desk.timeline
        return frozenset(range(timeline.index_of(batch[0].n), len(timeline)) if batch else ())

    # ------------------------------------------------------------ playing

    def play(self) -> None:
        """Play the past, or pause it."""
        if self.playing is not None:
            self._stop_playing()
        else:
            self.playing = self.screen.set_interval(PLAY_EVERY, self._play_one)

    def _play_one(self) -> None:
        if not self.desk.looking_back:
            self._stop_playing()
            return
        self.forward()

    def _stop_playing(self) -> None:
        if self.playing is not None:
            self.playing.stop()
            self.playing = None
