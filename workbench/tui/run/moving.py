"""Keys that move the run, and the limits that end it."""

from __future__ import annotations

from textual import events, on

from workbench.core.values import LIMIT_NAMES
from workbench.tui.run.bar import LimitsList
from workbench.tui.run.base import RunBase
from workbench.view import words
from workbench.view.entries import Line, Span
from workbench.view.figures import amount
from workbench.view.panes import Gauge, gauges, meter

LABEL = 34
METER = 16


class Moving(RunBase):
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
            else:
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
            else:
                self.drive(play=True)

    def action_stop(self) -> None:
        if self.can("stop"):
            self.keep_going = False
            self.command(self.run_.stop, then_drive=True)

    # ------------------------------------------------------------ caps

    def action_raise_cap(self) -> None:
        """Raise the cap that stopped the run and go on; of a run that goes on, the step cap."""
        if not self.can("raise_cap"):
            return
        stop = self.run_.state.stopped
        if stop is not None and stop.limit is not None and stop.knob.startswith("limits."):
            knob, value = stop.knob, words.raised(stop.knob, stop.limit)
            if self.command(lambda: self.run_.change(raised_setting(self.run_.state.limits, knob, value))):
                self.command(self.run_.go_on)
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
                self.say(f"step cap lifted (was {cap}); c sets it again")
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
            self.say("this is the past: end goes back to now")
            return
        self.limit_digits = ""
        self._draw_limits()

    @on(LimitsList.Act)
    def _act_on_limit(self, event: LimitsList.Act) -> None:
        chosen = gauges(self.run_.state)[self.limit_at]
        match event.what:
            case "up" | "down":
                step = 1 if event.what == "down" else -1
                self.limit_at = (self.limit_at + step) % len(LIMIT_NAMES)
                self.limit_digits = ""
            case "toggle":
                self._set_limit(
                    chosen, None if chosen.cap is not None and not self.limit_digits else self._typed(chosen)
                )
            case "more":
                self._set_limit(chosen, words.raised(f"limits.{chosen.name}", chosen.cap or self._offer(chosen)))
            case "less":
                self._set_limit(chosen, max(1, int(chosen.cap) // 2) if chosen.cap else self._offer(chosen))
        self._draw_limits()

    def on_key(self, event: events.Key) -> None:
        """A number typed in the list of limits."""
        if self.bar.mode != "limits" or event.character is None:
            return
        if event.character.isdigit() or (event.character == "." and self.limit_digits):
            self.limit_digits = (self.limit_digits + event.character)[:12]
        elif event.key == "backspace":
            self.limit_digits = self.limit_digits[:-1]
        else:
            return
        event.stop()
        self._draw_limits()

    def _typed(self, gauge: Gauge) -> float:
        try:
            value = float(self.limit_digits)
        except ValueError:
            return self._offer(gauge)
        return value if value > 0 else self._offer(gauge)

    def _offer(self, gauge: Gauge) -> float:
        """A value for a limit that has none: what it was in the scenario, else twice what is used."""
        own = getattr(self.run_.header.limits, gauge.name)
        value = own.stop if gauge.name == "repeats" and own is not None else own
        if isinstance(value, int | float):
            return float(value)
        return 5.0 if gauge.name == "repeats" else max(1.0, round(gauge.used * 2) or 10)

    def _set_limit(self, gauge: Gauge, value: float | None) -> None:
        self.limit_digits = ""
        setting = raised_setting(self.run_.state.limits, f"limits.{gauge.name}", value)
        self.command(lambda: self.run_.change(setting))

    def _draw_limits(self) -> None:
        title: Line = (
            Span("Limits", "primary", bold=True),
            Span("   enter on or off · + - or a number and enter · esc closes", "quiet"),
        )
        lines = [self._limit_line(index, gauge) for index, gauge in enumerate(gauges(self.run_.state))]
        self.bar.show_list("limits", "primary", title, lines)
        self.draw_keys()

    def _limit_line(self, index: int, gauge: Gauge) -> Line:
        picked = index == self.limit_at
        knob = "limits.repeats.stop" if gauge.name == "repeats" else f"limits.{gauge.name}"
        label = f"{words.KNOBS.get(knob, gauge.label):<{LABEL}}"
        if picked and self.limit_digits:
            figure = f"{self.limit_digits}▏"
        elif gauge.cap is None:
            figure = f"off, {amount(gauge.used, knob)} so far"
        else:
            figure = f"{amount(gauge.used, knob)} of {amount(gauge.cap, knob)}"
        return (
            Span("▸ " if picked else "  ", "primary"),
            Span(label, "" if gauge.cap is not None else "quiet", bold=picked),
            *meter(gauge.share, METER, "error" if gauge.full else "primary"),
            Span(f"  {figure}", "" if gauge.cap is not None else "quiet"),
        )


def raised_setting(limits: object, knob: str, value: float | None) -> dict[str, object]:
    """The setting that gives a cap another value; that of the repeat guard keeps its other figures."""
    name = knob.removeprefix("limits.").split(".")[0]
    if name != "repeats":
        whole = value is not None and name not in ("cost", "seconds")
        return {f"limits.{name}": int(value) if whole and value is not None else value}
    if value is None:
        return {"limits.repeats": None}
    guard = getattr(limits, "repeats", None)
    nudge = guard.nudge if guard is not None else min(3, int(value))
    return {"limits.repeats": {"nudge": nudge, "stop": int(value), "match": guard.match if guard else "call+result"}}
