"""The tools of a recording: what they gave back then. Nothing runs, and nothing is changed anywhere."""

from __future__ import annotations

import posixpath
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.core.canonical import canonical, parse_object
from workbench.core.ports import Checked, Clock, OnLate, ToolOutcome, Tools
from workbench.toolkit.effects import fold_files
from workbench.toolkit.workspace import Effect

NOT_RECORDED = "no such call was made when this run was recorded, and nothing runs while it is played again."


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """A call of the recording, and what came of it."""

    tool: str
    raw: str
    """The arguments as the model wrote them."""
    checked: Checked
    """What was found out about it then."""
    arguments: str = ""
    """What it ran with, canonical."""
    outcome: ToolOutcome | None = None
    """None where it did not run."""
    took: float = 0.0
    """Seconds."""


class RecordedTools:
    """Gives back what was given back. Implements `workbench.core.ports.Tools`.

    `calls` are in the order of the recording; the same call again gets the next of its results. `done` are the tools
    and arguments that have run so far, and `files` with `effects` are what the workspace held then. `here` says what is
    wrong with arguments that a person changes; it is never asked to run anything.
    """

    def __init__(
        self,
        calls: Sequence[RecordedCall],
        *,
        clock: Clock,
        here: Tools,
        files: Mapping[str, str] | None = None,
        effects: Iterable[Effect] = (),
        done: Iterable[tuple[str, str]] = (),
    ) -> None:
        # The same call is judged alike, and one that was never judged has no problem in its recording.
        unjudged_first = sorted(calls, key=lambda call: call.checked.problem != "")
        self._checked = {(call.tool, call.raw): call.checked for call in unjudged_first}
        self._clock = clock
        self._here = here
        self._files = fold_files(files or {}, effects)
        self._results: dict[tuple[str, str], deque[RecordedCall]] = {}
        for call in calls:
            if call.outcome is not None:
                self._results.setdefault((call.tool, call.arguments), deque()).append(call)
        for tool, arguments in done:
            self._next(tool, arguments)

    def check(self, tool: str, arguments: str) -> Checked:
        known = self._checked.get((tool, arguments))
        if known is not None:
            return known
        checked = self._here.check(tool, arguments)
        if checked.problem_kind != "unknown_tool" or not self._was_there(tool):
            return checked
        parsed = parse_object(arguments)
        if parsed.value is None:
            return Checked(problem=parsed.problem, problem_kind="malformed", note=parsed.note)
        return Checked(canonical=canonical(parsed.value), note=parsed.note)

    def preview(self, tool: str, canonical: str) -> str:  # noqa: ARG002 - a preview is code of the tool
        return ""

    def file_text(self, path: str) -> str | None:
        return self._files.get(posixpath.normpath(path))

    async def run(self, tool: str, canonical: str, *, within: float | None, key: str, on_late: OnLate) -> ToolOutcome:  # noqa: ARG002 - it was over in time
        call = self._next(tool, canonical)
        if call is None or call.outcome is None:
            return ToolOutcome(outcome="failed", content=NOT_RECORDED, retry=False)
        if call.took:
            await self._clock.sleep(call.took)
        self._files = fold_files(self._files, call.outcome.effects)
        return call.outcome

    def _next(self, tool: str, arguments: str) -> RecordedCall | None:
        results = self._results.get((tool, arguments))
        return results.popleft() if results else None

    def _was_there(self, tool: str) -> bool:
        """Whether the recording has that tool, although it is not here any more: nothing else is known of it."""
        return any(
            name == tool and checked.problem_kind != "unknown_tool" for (name, _), checked in self._checked.items()
        )
