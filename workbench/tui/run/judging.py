"""Whether a run that has ended came to what its scenario expects: one line on its card, and all of it on a key."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.tui.run.deciding import Deciding
from workbench.tui.situation import Situation
from workbench.tui.viewer import Viewer
from workbench.view.bars import Bar
from workbench.view.entries import Line, Span
from workbench.view.figures import counted
from workbench.view.lines import clip, cut_line, one_line

if TYPE_CHECKING:
    from workbench.scenarios.expectations import Mismatch


class Judging(Deciding):
    """Holds the run against [expect], in the words of `workbench check`."""

    _verdict_at: tuple[int, tuple[Mismatch, ...] | None] = (-1, None)
    """What was found after so many events."""

    @property
    def differs(self) -> tuple[Mismatch, ...] | None:
        """What is not as expected; None while the run goes on, in the past, and where nothing is expected."""
        if self.desk.stand not in ("answered", "stopped") or self.opened.scenario.expect is None:
            return None
        events = len(self.run_.events)
        if self._verdict_at[0] != events:
            from workbench.results import differences  # with what reads scenarios, after the first frame

            self._verdict_at = (events, differences(self.opened))
        return self._verdict_at[1]

    @property
    def situation(self) -> Situation:
        return replace(super().situation, differs=bool(self.differs))

    def wanted_bar(self) -> Bar | None:
        wanted, differs = super().wanted_bar(), self.differs
        if wanted is None or differs is None:
            return wanted
        width = max(20, self.size.width - 5)
        from workbench.results import asks_another

        now = super().situation
        line = _verdict(
            differs,
            width,
            self.worded("{verdict}"),
            another=asks_another(self.run_.events),
            goes_on=bool(now.raise_to or now.failed),
        )
        return replace(wanted, body=(*wanted.body, clip(line, width)))

    def action_verdict(self) -> None:
        """Each expectation that does not hold, with both values."""
        differs = self.differs
        if self.can("verdict") and differs:
            title: Line = (Span("≠ not as expected", "changed", bold=True),)
            body: list[Line] = []
            for item in differs:
                body += [(), (Span(one_line(item.key), bold=True),)]
                body.append((Span("  expected  ", "quiet"), Span(one_line(item.expected))))
                body.append((Span("  got       ", "quiet"), Span(one_line(item.actual), "changed")))
            self.app.push_screen(Viewer(title, body[1:], facts=counted(len(differs), "difference")))


def _verdict(differs: tuple[Mismatch, ...], width: int, key: str, *, another: bool, goes_on: bool) -> Line:
    """In one line, the first difference before how many there are; `key` shows them all.

    `another`: the run asks another model than the scenario has. `goes_on`: the stop is not the end, since a cap can be
    raised or a request made again.
    """
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
