"""The columns at the side of the Run screen, which only draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from workbench.tui.actions import bindings
from workbench.tui.blocks import Block
from workbench.view.entries import Line, Span
from workbench.view.lines import heading, wrap

if TYPE_CHECKING:
    from workbench.core.events import Event
    from workbench.core.records import CallRecord
    from workbench.core.state import State
    from workbench.tui.run.laid_open import LaidOpen

Shown = Literal["transcript", "calls", "budget"]


class CallsPane(Block, can_focus=True):
    """The list of tool calls; a click on one picks it, and so do the arrows."""

    BINDINGS = bindings("bar")

    class Picked(Message):
        """A person picked a call."""

        def __init__(self, call_id: str) -> None:
            super().__init__()
            self.call_id = call_id

    class Moved(Message):
        """A person asked for the call above or below the picked one."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def __init__(self) -> None:
        super().__init__(id="calls")
        self._ids: list[str] = []

    def show(self, lines: list[Line], ids: list[str]) -> None:
        """`ids` are the calls on the lines after the heading."""
        self._ids = ids
        self.put(lines)

    def ground(self, line: Line) -> str:
        return "on $panel" if line[0].text.startswith("▸") else ""

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is not None and 1 <= offset.y <= len(self._ids):
            self.post_message(self.Picked(self._ids[offset.y - 1]))

    def action_previous_call(self) -> None:
        self.post_message(self.Moved(-1))

    def action_next_call(self) -> None:
        self.post_message(self.Moved(1))


class SideColumn(Vertical):
    """Budget, tool calls and the picked call, below each other; on a narrow screen one of them at a time."""

    can_focus = False

    class Sized(Message):
        """There is more or less room than before."""

    def on_resize(self) -> None:
        self.post_message(self.Sized())

    def __init__(self) -> None:
        super().__init__(id="side")
        self.budget = Block(id="budget")
        self.calls = CallsPane()
        self.detail = Block(id="detail")

    def compose(self) -> ComposeResult:
        yield self.budget
        yield self.calls
        yield self.detail

    def show(self, state: State, selected: CallRecord | None, *, running: bool, only: Shown | None) -> None:
        """Draw the run as `state` says it is. `only` is what stands alone, on a narrow screen."""
        from workbench.view import meters, panes

        width, room = max(20, self.content_region.width), self.content_region.height
        if only != "calls":
            budget = meters.budget(state, width)
            if only == "budget" and len(budget) > room:
                budget = _within(budget[1:], room)
            self.budget.put(budget)
            room -= len(budget) + 1
        if only == "budget":
            return
        detail = []
        if selected is not None:
            detail = panes.call_detail(state, selected, width, max(3, room // 2 - 4))
        picked = selected.call.id if selected is not None else ""
        rows = max(3, room - 3 - len(detail))
        lines, ids = panes.calls(state, width, selected=picked, running=running, rows=rows)
        self.calls.show(lines, ids)
        self.detail.put(detail)


def _within(meters: list[Line], rows: int) -> list[Line]:
    """As many meters as fit; how many are left is said."""
    left = len(meters) - rows
    if left <= 0:
        return meters
    more = (Span(f"… {left + 1} more, ", "quiet"), Span("l", "quiet", key="limits"), Span(" shows all limits", "quiet"))
    return [*meters[: rows - 1], more]


LOOP_ROWS = 15
"""Lines of the loop beside everything else."""


class ThirdColumn(Block):
    """On wide screens: the loop with its lit line, and what the model reads next, a message a line."""

    class Sized(Message):
        """There is more or less room than before."""

    def on_resize(self) -> None:
        self.post_message(self.Sized())

    def __init__(self) -> None:
        super().__init__(id="third")

    def show(self, laid: LaidOpen, state: State, event: Event | None, *, past: bool, running: bool) -> None:
        """`event` is the latest one of what is looked at."""
        from workbench.view import panes, tracer

        width = max(20, self.content_region.width)
        title = "What the model read" if past else "What the model reads next"
        place = laid.at(state, event, running=running or past)
        code = tracer.loop_lines(place, width, laid.code)
        loop = [
            heading("The loop", width, "frames", "t"),
            *tracer.around(code, place.line, LOOP_ROWS),
            (),
            *wrap((Span(place.caption),), width),
            (),
        ]
        rows = max(4, self.size.height - len(loop) - 3)
        self.put([*loop, *panes.request_lines(state, width, title, rows=rows)])
