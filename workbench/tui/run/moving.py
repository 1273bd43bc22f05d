"""Keys that move the run, and the limits that end it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from textual import events, on

from workbench.core.carried import POLICY_KEYS
from workbench.core.values import LIMIT_NAMES
from workbench.tui.run.bar import LimitsList
from workbench.tui.run.breaking import Breaking
from workbench.tui.run.looking_back import LookingBack
from workbench.tui.run.standing import endpoint_of
from workbench.view import policy_rows, words
from workbench.view.entries import Line, Role, Span
from workbench.view.figures import amount
from workbench.view.meters import Gauge, gauges, meter

if TYPE_CHECKING:
    from workbench.models.wire.endpoint import Endpoint

LABEL, METER, FIGURE = 35, 16, 24
"""Cells of a row of the list of limits: what it is, its meter, its figures."""
SHORT_LABEL = 11
FRACTIONS = ("cost", "seconds")
"""Limits that need not be whole numbers."""


class Moving(LookingBack, Breaking):
    """Step, run, pause, stop, caps."""

    limit_at = 0
    limit_digits = ""
    lifted_cap: float | None = None
    """The step cap before it was lifted, so that the same key sets it again."""

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
        self.limit_digits = ""
        self._draw_limits()

    @on(LimitsList.Act)
    def _act_on_limit(self, event: LimitsList.Act) -> None:
        match event.what:
            case "up" | "down":
                step = 1 if event.what == "down" else -1
                self.limit_at = (self.limit_at + step) % (len(LIMIT_NAMES) + len(POLICY_KEYS))
                self.limit_digits = ""
            case what if self.limit_at < len(LIMIT_NAMES):
                self._act_on_cap(gauges(self.run_.state)[self.limit_at], what)
            case what:
                self._act_on_policy(POLICY_KEYS[self.limit_at - len(LIMIT_NAMES)], what)
        self._draw_limits()

    def _act_on_policy(self, key: str, what: Literal["toggle", "more", "less"]) -> None:
        setting = policy_rows.changed(self.run_.state.policy, key, what, self.limit_digits)
        self.limit_digits = ""
        if setting:
            self.command(lambda: self.run_.change(setting))

    def _act_on_cap(self, chosen: Gauge, what: Literal["toggle", "more", "less"]) -> None:
        match what:
            case "toggle":
                off = chosen.cap is not None and not self.limit_digits
                self._set_limit(chosen, None if off else self._typed(chosen))
            case "more":
                cap = chosen.cap
                self._set_limit(chosen, self._offer(chosen) if cap is None else words.raised(_knob(chosen), cap))
            case "less":
                self._set_limit(chosen, self._offer(chosen) if chosen.cap is None else _halved(chosen))

    def on_key(self, event: events.Key) -> None:
        """A number typed in the list of limits."""
        if self.bar.mode != "limits" or self.focused is not self.bar.limits:
            return
        if event.character is not None and (event.character.isdecimal() or event.character == "."):
            self.limit_digits = (self.limit_digits + event.character)[:12]
        elif event.key == "backspace":
            self.limit_digits = self.limit_digits[:-1]
        else:
            return
        event.stop()
        self._draw_limits()

    def _typed(self, gauge: Gauge) -> float:
        """The number that was typed; without one, a value that makes sense."""
        try:
            value = float(self.limit_digits)
        except ValueError:
            return self._offer(gauge)
        return value if gauge.name in FRACTIONS else float(int(value))

    def _offer(self, gauge: Gauge) -> float:
        """A value for a limit that has none: what it was in the scenario, else twice what is used."""
        own = getattr(self.run_.header.limits, gauge.name)
        value = own.stop if gauge.name == "repeats" and own is not None else own
        if isinstance(value, int | float):
            return float(value)
        if gauge.name == "repeats":
            return 5.0
        return max(1.0, round(gauge.used * 2)) if gauge.used > 0 else 10.0

    def _set_limit(self, gauge: Gauge, value: float | None) -> None:
        self.limit_digits = ""
        if value == gauge.cap:
            return
        if value == 0:
            self.say(self.worded("a cap of 0 would allow nothing: {toggle_limit} switches it off"))
            return
        setting = raised_setting(self.run_.state.limits, f"limits.{gauge.name}", value)
        self.command(lambda: self.run_.change(setting))

    def _draw_limits(self) -> None:
        title: Line = (
            Span("Limits, and what is sent", "primary", bold=True),
            Span(self.worded("   or type a number, then {toggle_limit}"), "quiet"),
        )
        lines = [self._limit_line(index, gauge) for index, gauge in enumerate(gauges(self.run_.state))]
        lines += [self._policy_line(len(lines) + place, key) for place, key in enumerate(POLICY_KEYS)]
        self.bar.show_list("limits", "primary", title, lines, self.limit_at)
        self.draw_keys()

    def _policy_line(self, index: int, key: str) -> Line:
        policy, picked = self.run_.state.policy, index == self.limit_at
        role: Role = "" if policy_rows.is_on(policy, key) else "quiet"
        wide = self.size.width - 8 >= LABEL + METER + FIGURE
        figure = f"{self.limit_digits}▏" if picked and self.limit_digits else policy_rows.figure(policy, key)
        return (
            Span("▸ " if picked else "  ", "primary"),
            Span(f"{policy_rows.LABELS[key]:<{LABEL + (METER if wide else 0)}}", role, bold=picked),
            Span(f"  {figure}", role),
        )

    def _limit_line(self, index: int, gauge: Gauge) -> Line:
        picked, on = index == self.limit_at, gauge.cap is not None
        knob = _knob(gauge)
        room = self.size.width - 8
        label = f"{words.KNOBS.get(knob, gauge.label):<{LABEL}}" if room >= LABEL + FIGURE else gauge.label
        if picked and self.limit_digits:
            figure = f"{self.limit_digits}▏"
        elif gauge.cap is None:
            figure = f"off, {amount(gauge.used, knob)} so far"
        else:
            figure = f"{amount(gauge.used, knob)} of {amount(gauge.cap, knob)}"
        cells = METER if room >= LABEL + METER + FIGURE else 0
        return (
            Span("▸ " if picked else "  ", "primary"),
            Span(f"{label:<{SHORT_LABEL}}", "" if on else "quiet", bold=picked),
            *meter(gauge.share, cells, "error" if gauge.full else "primary"),
            Span(f"  {figure}", "" if on else "quiet"),
        )


def _knob(gauge: Gauge) -> str:
    return "limits.repeats.stop" if gauge.name == "repeats" else f"limits.{gauge.name}"


def _halved(gauge: Gauge) -> float:
    cap = gauge.cap or 0.0
    return cap / 2 if gauge.name in FRACTIONS else max(1.0, cap // 2)


def raised_setting(limits: object, knob: str, value: float | None) -> dict[str, object]:
    """The setting that gives a cap another value; that of the repeat guard keeps its other figures."""
    name = knob.removeprefix("limits.").split(".")[0]
    if name != "repeats":
        return {f"limits.{name}": value if value is None or name in FRACTIONS else int(value)}
    if value is None:
        return {"limits.repeats": None}
    guard = getattr(limits, "repeats", None)
    nudge = guard.nudge if guard is not None else min(3, int(value))
    return {"limits.repeats": {"nudge": nudge, "stop": int(value), "match": guard.match if guard else "call+result"}}
