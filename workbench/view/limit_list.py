"""The list of all limits and of the context policy: which row is picked, how it is drawn, what each key sets."""

from __future__ import annotations

from workbench.core.carried import POLICY_KEYS
from workbench.core.state import State
from workbench.core.values import LIMIT_NAMES, Limits
from workbench.view import policy_rows, words
from workbench.view.entries import Line, Role, Span
from workbench.view.figures import amount
from workbench.view.meters import Gauge, gauges, meter

LABEL, METER, FIGURE = 35, 16, 24
"""Cells of a row: what it is, its meter, its figures."""
SHORT_LABEL = 11
FRACTIONS = ("cost", "seconds")
"""Limits that need not be whole numbers."""
LONGEST = 12
"""Digits that are typed, at most."""

Setting = dict[str, object]
"""A change of settings; an empty one changes nothing."""


class ZeroCap(ValueError):
    """A cap of 0, which would allow nothing."""


class LimitList:
    """Which row is picked, and what has been typed for it: a row a limit, then one a key of the context policy."""

    def __init__(self) -> None:
        self.at = 0
        self.digits = ""

    def go(self, by: int) -> None:
        """Pick the row that is so many below."""
        self.at = (self.at + by) % (len(LIMIT_NAMES) + len(POLICY_KEYS))
        self.digits = ""

    def type(self, character: str) -> bool:
        """A key of a number. Returns whether it was one."""
        fits = character.isdecimal() or character == "."
        if fits:
            self.digits = (self.digits + character)[:LONGEST]
        return fits

    def erase(self) -> None:
        """Take the last digit back."""
        self.digits = self.digits[:-1]

    # ------------------------------------------------------------ what is asked for

    def toggled(self, state: State) -> Setting:
        """The picked row off, or on with what was typed or makes sense. Raises ZeroCap."""
        if self._policy_key:
            return self._policy_setting(state, "toggle")
        gauge = self._picked(state)
        off = gauge.cap is not None and not self.digits
        return self._setting(state, gauge, None if off else self._typed(state, gauge))

    def raised(self, state: State) -> Setting:
        """The picked row higher."""
        if self._policy_key:
            return self._policy_setting(state, "more")
        gauge = self._picked(state)
        value = _offer(state, gauge) if gauge.cap is None else words.raised(_knob(gauge), gauge.cap)
        return self._setting(state, gauge, value)

    def lowered(self, state: State) -> Setting:
        """The picked row lower; a limit at half of what it is."""
        if self._policy_key:
            return self._policy_setting(state, "less")
        gauge = self._picked(state)
        return self._setting(state, gauge, _offer(state, gauge) if gauge.cap is None else _halved(gauge))

    @property
    def _policy_key(self) -> str:
        """The key of the context policy that is picked; "" where a limit is."""
        return POLICY_KEYS[self.at - len(LIMIT_NAMES)] if self.at >= len(LIMIT_NAMES) else ""

    def _policy_setting(self, state: State, what: policy_rows.Change) -> Setting:
        typed, self.digits = self._number, ""
        return policy_rows.changed(state.policy, self._policy_key, what, typed)

    def _picked(self, state: State) -> Gauge:
        return gauges(state)[self.at]

    def _typed(self, state: State, gauge: Gauge) -> float:
        """The number that was typed; without one, a value that makes sense."""
        value = self._number
        if value is None:
            return _offer(state, gauge)
        return value if gauge.name in FRACTIONS else float(int(value))

    @property
    def _number(self) -> float | None:
        """The number that was typed; None where nothing was, or none can be made of it."""
        try:
            return float(self.digits)
        except ValueError:
            return None

    def _setting(self, state: State, gauge: Gauge, value: float | None) -> Setting:
        self.digits = ""
        if value == gauge.cap:
            return {}
        if value == 0:
            raise ZeroCap
        return raised_setting(state.limits, f"limits.{gauge.name}", value)

    # ------------------------------------------------------------ drawing

    def lines(self, state: State, width: int) -> list[Line]:
        """The rows, for that many columns."""
        limits = [self._line(index, gauge, width) for index, gauge in enumerate(gauges(state))]
        return limits + [self._policy_line(len(limits) + i, key, state, width) for i, key in enumerate(POLICY_KEYS)]

    def _policy_line(self, index: int, key: str, state: State, width: int) -> Line:
        picked = index == self.at
        role: Role = "" if policy_rows.is_on(state.policy, key) else "quiet"
        cells = LABEL + (METER if width >= LABEL + METER + FIGURE else 0)
        figure = f"{self.digits}▏" if picked and self.digits else policy_rows.figure(state.policy, key)
        return (
            Span("▸ " if picked else "  ", "primary"),
            Span(f"{policy_rows.LABELS[key]:<{cells}}", role, bold=picked),
            Span(f"  {figure}", role),
        )

    def _line(self, index: int, gauge: Gauge, width: int) -> Line:
        picked, on = index == self.at, gauge.cap is not None
        knob = _knob(gauge)
        label = f"{words.KNOBS.get(knob, gauge.label):<{LABEL}}" if width >= LABEL + FIGURE else gauge.label
        if picked and self.digits:
            figure = f"{self.digits}▏"
        elif gauge.cap is None:
            figure = f"off, {amount(gauge.used, knob)} so far"
        else:
            figure = f"{amount(gauge.used, knob)} of {amount(gauge.cap, knob)}"
        cells = METER if width >= LABEL + METER + FIGURE else 0
        return (
            Span("▸ " if picked else "  ", "primary"),
            Span(f"{label:<{SHORT_LABEL}}", "" if on else "quiet", bold=picked),
            *meter(gauge.share, cells, "error" if gauge.full else "primary"),
            Span(f"  {figure}", "" if on else "quiet"),
        )


def raised_setting(limits: Limits, knob: str, value: float | None) -> Setting:
    """The setting that gives a cap another value; that of the repeat guard keeps its other figures."""
    name = knob.removeprefix("limits.").split(".")[0]
    if name != "repeats":
        return {f"limits.{name}": value if value is None or name in FRACTIONS else int(value)}
    if value is None:
        return {"limits.repeats": None}
    guard = limits.repeats
    nudge = guard.nudge if guard is not None else min(3, int(value))
    return {"limits.repeats": {"nudge": nudge, "stop": int(value), "match": guard.match if guard else "call+result"}}


def _offer(state: State, gauge: Gauge) -> float:
    """A value for a limit that has none: what it was in the scenario, else twice what is used."""
    own = getattr(state.header.limits, gauge.name)
    value = own.stop if gauge.name == "repeats" and own is not None else own
    if isinstance(value, int | float):
        return float(value)
    if gauge.name == "repeats":
        return 5.0
    return max(1.0, round(gauge.used * 2)) if gauge.used > 0 else 10.0


def _knob(gauge: Gauge) -> str:
    return "limits.repeats.stop" if gauge.name == "repeats" else f"limits.{gauge.name}"


def _halved(gauge: Gauge) -> float:
    cap = gauge.cap or 0.0
    return cap / 2 if gauge.name in FRACTIONS else max(1.0, cap // 2)
