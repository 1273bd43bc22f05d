"""Keys that move the run, and the caps that end it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.tui.run.looking_back import LookingBack
from workbench.tui.run.parts import Part
from workbench.tui.run.standing import endpoint_of
from workbench.view import words
from workbench.view.limit_list import raised_setting

if TYPE_CHECKING:
    from workbench.models.wire.endpoint import Endpoint


@dataclass(eq=False)
class Moving(Part):
    """Step, run, pause, stop, caps."""

    looking_back: LookingBack
    makers: Sequence[Callable[[], bool]] = ()
    """Who may have the next move made in place of the run, asked in this order; each returns whether it was."""
    _lifted_cap: float | None = None
    """The step cap before it was lifted, so that the same key sets it again."""

    # ------------------------------------------------------------ the run

    def action_move(self) -> None:
        """One move; in the past, one event forward; a held result is passed on."""
        if self.desk.looking_back:
            self.looking_back.forward()
        elif self.can("move"):
            self._make(play=False)

    def action_run(self) -> None:
        """Run, or pause; in the past, play it."""
        if self.desk.looking_back:
            self.looking_back.play()
        elif self.run.going:
            self.driver.keep_going = False
            self.run.pause()
            self.say("pauses after this move")
        elif self.can("run"):
            self._make(play=True)

    def _make(self, *, play: bool) -> None:
        """The next move, by whoever is to make it. A run that a failed request has stopped is let go on."""
        self.driver.keep_going = play
        if any(make() for make in self.makers):
            return
        if self.desk.stand != "stopped" or self.command(self.run.go_on):
            self.driver.drive(play=play)

    def action_ping(self) -> None:
        """Ask the server of a live model whether it answers."""
        endpoint = endpoint_of(self.run)
        if self.can("ping") and endpoint is not None:
            self.say(f"asking {endpoint.shown} at {endpoint.base_url} …")
            self.screen.run_worker(self._ping(endpoint), group="ping", exclusive=True)

    async def _ping(self, endpoint: Endpoint) -> None:
        from workbench.models.ping import ping

        well, sentence = await ping(endpoint)
        self.say(f"{'✓' if well else '✗'} {endpoint.shown} at {endpoint.base_url}: {sentence}")

    def action_stop(self) -> None:
        if self.can("stop"):
            self.driver.keep_going = False
            if self.command(self.run.stop):
                self.driver.go_on(move=False)

    # ------------------------------------------------------------ caps

    def action_raise_cap(self) -> None:
        """Raise the cap that stopped the run and go on; of a run that goes on, the step cap."""
        if not self.can("raise_cap"):
            return
        stop = self.run.state.stopped
        if stop is not None and stop.limit is not None and stop.knob.startswith("limits."):
            setting = raised_setting(self.run.state.limits, stop.knob, words.raised(stop.knob, stop.limit))
            if self.command(lambda: self.run.change(setting)) and self.command(self.run.go_on):
                self.driver.keep_going = True
                self.driver.drive(play=True)
        elif self.run.state.limits.steps is not None:
            value = words.raised("limits.steps", self.run.state.limits.steps)
            if self.command(lambda: self.run.change({"limits.steps": int(value)})):
                self.say(f"step cap raised to {int(value)}")

    def action_cap(self) -> None:
        """Lift the step cap, or set it again."""
        if not self.can("cap"):
            return
        cap = self.run.state.limits.steps
        if cap is not None:
            self._lifted_cap = cap
            if self.command(lambda: self.run.change({"limits.steps": None})):
                how = self.worded("{cap} sets it again")
                self.say(f"step cap lifted (was {cap}); {how}")
        else:
            again = int(self._lifted_cap or self.run.state.header.limits.steps or self.run.state.steps + 4)
            if self.command(lambda: self.run.change({"limits.steps": again})):
                self.say(f"step cap set to {again}")
