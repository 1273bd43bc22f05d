"""Whether a run that has ended came to what its scenario expects: one line on its card, and all of it on a key."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.tui.run.parts import Part
from workbench.tui.run.standing import asked_again, raise_words
from workbench.tui.situation import Situation
from workbench.tui.viewer import Viewer
from workbench.view.bars import Bar
from workbench.view.desk import Desk
from workbench.view.entries import Line, Span
from workbench.view.figures import counted
from workbench.view.lines import clip, cut_line, one_line

if TYPE_CHECKING:
    from workbench.opening import Opened
    from workbench.scenarios.expectations import Mismatch


class Verdict:
    """Holds a run against [expect], in the words of `workbench check`."""

    def __init__(self, opened: Opened, desk: Desk) -> None:
        self._opened = opened
        self._desk = desk
        self._found: tuple[int, tuple[Mismatch, ...] | None] = (-1, None)
        """What was found after so many events."""

    @property
    def differs(self) -> tuple[Mismatch, ...] | None:
        """What is not as expected; None while the run goes on, in the past, and where nothing is expected."""
        if self._desk.stand not in ("answered", "stopped") or self._opened.scenario.expect is None:
            return None
        events = len(self._opened.run.events)
        if self._found[0] != events:
            from workbench.results import differences  # with what reads scenarios, after the first frame

            self._found = (events, differences(self._opened))
        return self._found[1]

    def line(self, width: int, key: str, *, goes_on: bool) -> Line:
        """How it came out, in one line. `key` shows all of it; `goes_on` means that the stop is not the end: a cap can
        be raised, or a request made again."""
        from workbench.results import asks_another

        another = asks_another(self._opened.run.events)
        return _verdict(self.differs or (), width, key, another=another, goes_on=goes_on)

    def lines(self) -> list[Line]:
        """Each expectation that does not hold, with both values."""
        lines: list[Line] = []
        for item in self.differs or ():
            lines += [(), (Span(one_line(item.key), bold=True),)]
            lines.append((Span("  expected  ", "quiet"), Span(one_line(item.expected))))
            lines.append((Span("  got       ", "quiet"), Span(one_line(item.actual), "changed")))
        return lines[1:]


@dataclass(eq=False)
class Judging(Part):
    """Says how the run came out: one line on its card, all of it on a key."""

    def __post_init__(self) -> None:
        self.verdict = Verdict(self.opened, self.desk)

    def known(self, now: Situation) -> Situation:
        """What the keys depend on, and whether the run has ended otherwise than expected."""
        return replace(now, differs=bool(self.verdict.differs))

    def beside(self, wanted: Bar | None) -> Bar | None:
        """The card of a run that has ended, with a line on whether it came to what is expected of it."""
        if wanted is None or self.verdict.differs is None:
            return wanted
        goes_on = bool(raise_words(self.desk)) or asked_again(self.desk)
        line = self.verdict.line(self.bar.width, self.worded("{verdict}"), goes_on=goes_on)
        return replace(wanted, body=(*wanted.body, clip(line, self.bar.width)))

    def action_verdict(self) -> None:
        """Each expectation that does not hold, with both values."""
        differs = self.verdict.differs
        if self.can("verdict") and differs:
            title: Line = (Span("≠ not as expected", "changed", bold=True),)
            facts = counted(len(differs), "difference")
            self.screen.app.push_screen(Viewer(title, self.verdict.lines(), facts=facts))


def _verdict(differs: tuple[Mismatch, ...], width: int, key: str, *, another: bool, goes_on: bool) -> Line:
    """In one line, the first difference before how many there are. `another`: the run asks another model than the
    scenario has."""
    if not differs:
        whom = "   of any model; steps and calls are the script's" if another else ""
        return (Span("✓ as expected", "go"), Span(whom, "quiet"))
    if another:
        first = differs[0]
        text = one_line(f"   expected {first.key} {first.expected}, got {first.actual}")
        return (Span("≠ another end than that of the script", "changed"), Span(text, "quiet"))
    first, more = differs[0], len(differs) - 1
    rest = f"   and {more} more, {key} shows all" if more else f"   {key} shows it whole"
    verdict = "≠ not as expected so far, and it can go on" if goes_on else "≠ not as expected"
    text = one_line(f"   expected {first.key} {first.expected}, got {first.actual}")
    return (Span(verdict, "changed"), Span(cut_line(text, width - len(verdict) - len(rest))), Span(rest, "quiet"))
