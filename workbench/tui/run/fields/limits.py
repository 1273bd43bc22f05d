"""All limits of the run, and what is sent, to switch and to change."""

from __future__ import annotations

from dataclasses import dataclass, field

from textual import events

from workbench.tui.run.bar import BarPane
from workbench.tui.run.fields.field import ListField
from workbench.view.entries import Line, Span
from workbench.view.limit_list import LimitList, Setting, ZeroCap


@dataclass(eq=False)
class Limits(ListField):
    """One limit a row: switched, raised and lowered by key, or set to a number that is typed."""

    limits: LimitList = field(default_factory=LimitList)
    phase = "limits"
    aside = True

    def action_limits(self) -> None:
        if self.bar.opened is self:
            self.bar.reopen()
        elif self.desk.looking_back:
            self.say(self.worded("this is the past: {latest} goes back to now"))
        else:
            self.limits.digits = ""
            self.bar.open(self)

    def does(self, what: str) -> None:
        limits, state = self.limits, self.run.state
        setting: Setting = {}
        try:
            match what:
                case "up" | "down":
                    limits.go(1 if what == "down" else -1)
                case "toggle":
                    setting = limits.toggled(state)
                case "more":
                    setting = limits.raised(state)
                case "less":
                    setting = limits.lowered(state)
        except ZeroCap:
            self.say(self.worded("a cap of 0 would allow nothing: {toggle_limit} switches it off"))
        if setting:
            self.command(lambda: self.run.change(setting))
        self.bar.open(self)

    def key(self, event: events.Key) -> bool:
        """A number is typed where the list has the keys."""
        if not self.bar.has_keys:
            return False
        if event.key == "backspace":
            self.limits.erase()
        elif event.character is None or not self.limits.type(event.character):
            return False
        self.bar.open(self)
        return True

    def draw(self, pane: BarPane) -> None:
        pane.show_limits(self, self.lines(), self.limits.at)

    def title(self) -> Line:
        hint = self.worded("   or type a number, then {toggle_limit}")
        return (Span("Limits, and what is sent", "primary", bold=True), Span(hint, "quiet"))

    def lines(self) -> list[Line]:
        return self.limits.lines(self.run.state, self.bar.width - 3)
