"""The loop of a run laid open: the pseudo-code that all runs share, its plan, or the source of the wrong loop it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.core.events import Event
from workbench.core.state import State
from workbench.runner import Run
from workbench.view import plan_code, tracer
from workbench.view.entries import Line
from workbench.view.tracer import Trace

if TYPE_CHECKING:
    from workbench.museum.registry import Piece


class LaidOpen:
    """Lines of code, and where among them the run stood at any of its events."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._piece: Piece | None = getattr(run, "piece", None)
        self._first = 0
        self._traces: list[Trace] = []
        self.code: tuple[str, ...] = tracer.LOOP
        self._plan = run.state.plan
        if self._plan is not None:
            self.code = plan_code.code_lines(self._plan)
        if self._piece is not None:
            from workbench.museum.tracing import first_line  # only for those who go there

            source = self._piece.source()
            self._first = first_line(source)
            self.code = tuple(line.partition("  # noqa")[0] for line in source[self._first :])

    @property
    def has_source(self) -> bool:
        """Whether the code is what really ran."""
        return self._piece is not None or self._plan is not None

    def history(self, state: State, width: int, rows: int) -> list[Line]:
        """What there is so far: the messages that the model reads, or what the steps of a plan gave."""
        return (tracer.history_rows if self._plan is None else plan_code.given_rows)(state, width, rows)

    def at(self, state: State, event: Event | None, *, running: bool = True) -> Trace:
        """The place of the run as `state` says it was, `event` being what that is about."""
        if self._plan is not None:
            return plan_code.plan_trace(state, event, running=running)
        if self._piece is None:
            return tracer.trace(state, event, running=running)
        if state.n == 0:
            return Trace(0, "The loop has not begun.")
        if len(self._traces) < state.n:
            from workbench.museum.tracing import traces

            self._traces = traces(self._piece, self.run.header, self.run.events)
        trace = self._traces[state.n - 1]
        return replace(trace, line=trace.line - self._first)
