"""Keys that move the run, and the limits that end it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events, on

from workbench.tui.run.bar import LimitsList
from workbench.tui.run.breaking import Breaking
from workbench.tui.run.looking_back import LookingBack
from workbench.tui.run.standing import endpoint_of
from workbench.view import words
from workbench.view.entries import Line, Span
from workbench.view.limit_list import LimitList, Setting, ZeroCap, raised_setting

if TYPE_CHECKING:
    from workbench.models.wire.endpoint import Endpoint
    from workbench.opening import Opened


class Moving(LookingBack, Breaking):
    """Step, run, pause, stop, caps."""

    lifted_cap: float | None = None
    """The step cap before it was lifted, so that the same key sets it again."""

    def __init__(self, opened: Opened, *, play: bool = False, until: int | None = None) -> None:
        super().__init__(opened, play=play, until=until)
        self.limits = LimitList()

    # ------------------------------------------------------------ the run

    def action_move(self) -> None:
        """One move; in the past, one event forward; a held result is passed on."""
        if self.desk.looking_back:
            self.look(self.desk.state.n + 1)
        elif self.can("move"):
            self.keep_going = False
            if self.desk.stand == "hold":
                self.pass_on()
            elif self._goes_on():
                self.drive(play=False)

    def action_run(self) -> None:
        """Run, or pause; in the past, play it."""
        if self.desk.looking_back:
            self.play_past()
        elif self.going:
            self.keep_going = False
            self.run_.pause()
            self.say("pauses after this move")
        elif self.can("run"):
            self.keep_going = True
            if self.desk.stand == "hold":
                self.pass_on()
            elif self._goes_on():
                self.drive(play=True)

    def _goes_on(self) -> bool:
        """Let a run go on that a failed request has stopped; any other goes on as it is."""
        return self.desk.stand != "stopped" or self.command(self.run_.go_on)

    def action_ping(self) -> None:
        """Ask the server of a live model whether it answers."""
        endpoint = endpoint_of(self.run_)
        if self.can("ping") and endpoint is not None:
            self.say(f"asking {endpoint.shown} at {endpoint.base_url} …")
            self.run_worker(self._ping(endpoint), group="ping", exclusive=True)

    async def _ping(self, endpoint: Endpoint) -> None:
        from workbench.models.ping import ping

        well, sentence = await ping(endpoint)
        self.say(f"{'✓' if well else '✗'} {endpoint.shown} at {endpoint.base_url}: {sentence}")

    def action_stop(self) -> None:
        if self.can("stop"):
            self.keep_going = False
            if self.command(self.run_.stop):
                self.go_on(move=False)

    # ------------------------------------------------------------ caps

    def action_raise_cap(self) -> None:
        """Raise the cap that stopped the run and go on; of a run that goes on, the step cap."""
        if not self.can("raise_cap"):
            return
        stop = self.run_.state.stopped
        if stop is not None and stop.limit is not None and stop.knob.startswith("limits."):
            setting = raised_setting(self.run_.state.limits, stop.knob, words.raised(stop.knob, stop.limit))
            if self.command(lambda: self.run_.change(setting)) and self.command(self.run_.go_on):
                self.keep_going = True
                self.drive(play=True)
        elif self.run_.state.limits.steps is not None:
            value = words.raised("limits.steps", self.run_.state.limits.steps)
            if self.command(lambda: self.run_.change({"limits.steps": int(value)})):
                self.say(f"step cap raised to {int(value)}")

    def action_cap(self) -> None:
        """Lift the step cap, or set it again."""
        if not self.can("cap"):
            return
        cap = self.run_.state.limits.steps
        if cap is not None:
            self.lifted_cap = cap
            if self.command(lambda: self.run_.change({"limits.steps": None})):
                self.say(f"step cap lifted (was {cap}); {self.worded('{cap} sets it again')}")
        else:
            again = int(self.lifted_cap or self.run_.state.header.limits.steps or self.run_.state.steps + 4)
            if self.command(lambda: self.run_.change({"limits.steps": again})):
                self.say(f"step cap set to {again}")

    # ------------------------------------------------------------ all limits

    def action_limits(self) -> None:
        """The list of limits, in the bar."""
        if self.bar.mode == "limits":
            self.reopen_bar()
            return
        if self.desk.looking_back:
            self.say(self.worded("this is the past: {latest} goes back to now"))
            return
        self.limits.digits = ""
        self._draw_limits()

    @on(LimitsList.Act)
    def _act_on_limit(self, event: LimitsList.Act) -> None:
        limits, state = self.limits, self.run_.state
        setting: Setting = {}
        try:
            match event.what:
                case "up" | "down":
                    limits.go(1 if event.what == "down" else -1)
                case "toggle":
                    setting = limits.toggled(state)
                case "more":
                    setting = limits.raised(state)
                case "less":
                    setting = limits.lowered(state)
        except ZeroCap:
            self.say(self.worded("a cap of 0 would allow nothing: {toggle_limit} switches it off"))
        if setting:
            self.command(lambda: self.run_.change(setting))
        self._draw_limits()

    def on_key(self, event: events.Key) -> None:
        """A number typed in the list of limits."""
        if self.bar.mode != "limits" or self.focused is not self.bar.limits:
            return
        if event.key == "backspace":
            self.limits.erase()
        elif event.character is None or not self.limits.type(event.character):
            return
        event.stop()
        self._draw_limits()

    def _draw_limits(self) -> None:
        title: Line = (
            Span("Limits, and what is sent", "primary", bold=True),
            Span(self.worded("   or type a number, then {toggle_limit}"), "quiet"),
        )
        self.bar.show_list(
            "limits", "primary", title, self.limits.lines(self.run_.state, self.size.width - 8), self.limits.at
        )
        self.draw_keys()
