"""A script while it is edited: what has been read of its text so far, and how that is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.core.values import ToolInfo
from workbench.scenarios.errors import Problem
from workbench.scenarios.review import Known, Review
from workbench.scenarios.schema import Scenario
from workbench.scenarios.templates import Piece
from workbench.view.draft import Draft
from workbench.view.entries import Line, Span
from workbench.view.figures import counted
from workbench.view.lines import heading
from workbench.view.preview import preview
from workbench.view.script_pieces import loop_in, plan_pieces, protocol_in, script_pieces

NOTHING = Review()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the text came to when it was read last. Lines of the text are counted from 1."""

    text: str | None = None
    """The text that was read; None before the first time."""
    review: Review = NOTHING
    good: Scenario | None = None
    """The scenario of the last text that could be read."""

    def then(self, text: str, found: Review) -> Reading:
        """After another text has been read."""
        return Reading(text=text, review=found, good=found.scenario or self.good)

    @property
    def problems(self) -> Sequence[Problem]:
        return self.review.problems

    def state(self) -> Span:
        """How the text reads, in two words."""
        if self.text is None:
            return Span("reading", "quiet")
        if self.problems:
            return Span(f"✗ {counted(len(self.problems), 'problem')}", "error")
        if self.review.remarks:
            return Span(f"≈ {counted(len(self.review.remarks), 'remark')}", "changed")
        return Span("✓ reads well", "go")

    @property
    def said(self) -> Sequence[Problem]:
        """The problems, and behind them the remarks: it can run with these."""
        return (*self.problems, *self.review.remarks)

    def said_at(self, line: int) -> int | None:
        """The place, among all that is said, of what is about that line; else of what is about its reply."""
        own = [index for index, each in enumerate(self.said) if each.line == line]
        reply, wrong = self.review.reply_at(line), len(self.problems)
        near = [
            index for index, each in enumerate(self.review.remarks, wrong) if self.review.reply_at(each.line) == reply
        ]
        return next(iter((*own, *near)), None)

    def well(self) -> Line:
        """What stands where problems would."""
        if self.text is None:
            return (Span("reading…", "quiet"),)
        return Span("✓ ", "go"), Span("nothing is wrong with it", "quiet")

    def preview(self, tools: Sequence[ToolInfo], line: int, width: int, rows: int) -> list[Line]:
        """What a run of it will have, the reply in that line marked; nothing before it could be read once."""
        if self.good is None:
            return []
        title = "As it would run" if self.review.scenario is not None else "As it was, before it was wrong"
        return [heading(title, width), *preview(self.good, tools, width, rows - 2, self.review.reply_at(line))]

    def in_the_way(self, known: Known) -> Problem | None:
        """The first problem that it cannot run with.

        A tool that is not there may be, once the person trusts the folder; that is asked when it runs.
        """
        trustable = bool(known.unloaded)
        return next((each for each in self.problems if not (trustable and each.key.startswith("tools["))), None)

    def pieces(self, text: str, tools: Sequence[ToolInfo]) -> list[Piece]:
        """What can be put into the text as it is now: replies in its protocol, and for its own tools."""
        named = self.good.tools if self.good is not None else ()
        own = [tool for name in named for tool in tools if tool.name == name]
        if loop := loop_in(text):
            return plan_pieces(loop, own)
        finish = self.good.protocol_options.finish if self.good is not None else "text"
        return script_pieces(protocol_in(text), own, finish=finish)


def where_words(draft: Draft, root: Path, *, changed: bool) -> str:
    """Where the text is, or goes: as a path below the workbench folder, where it is there."""
    path = draft.path.relative_to(root) if draft.path.is_relative_to(root) else draft.path
    if draft.example is not None:
        return f"an example: saved as {path}"
    if draft.saved is None:
        return f"not saved yet: goes to {path}"
    return "changed, not saved" if changed else f"saved as {path}"
