"""The parts of the Run screen that only draw: the line at the top, the strip, the columns at the side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from workbench.tui.paint import content, contents
from workbench.view.entries import Line, Span
from workbench.view.visible import visible

if TYPE_CHECKING:
    from workbench.core.events import Event
    from workbench.core.records import CallRecord
    from workbench.core.state import State

Shown = Literal["transcript", "calls", "budget"]


class TopLine(Static):
    """Title and quiet facts at the left, where the run is at the right. The state tints it."""

    DEFAULT_CSS = """
    TopLine { height: 1; background: $surface; padding: 0 1; }
    TopLine.approval { background: $wb-wait 16%; }
    TopLine.hold { background: $wb-held 16%; }
    TopLine.answered { background: $wb-go 16%; }
    TopLine.stopped { background: $wb-error 16%; }
    TopLine.past { background: $wb-past 16%; }
    """

    def show(self, title: str, facts: str, where: str, state: Span, kind: str) -> None:
        """Draw it; the title gives way when there is no room for everything."""
        self.set_classes(kind)
        room = max(10, self.size.width)
        right = [Span(where, "quiet"), Span("  "), Span(state.text, state.role, bold=True)]
        left_room = room - sum(cell_len(span.text) for span in right) - 2
        shown = visible(title).replace("\n", " ")
        facts = f"   {facts}" if facts else ""
        if cell_len(shown) + cell_len(facts) > left_room:
            facts = ""
        while cell_len(shown) > max(4, left_room):
            shown = f"{shown[:-2]}…"
        gap = " " * max(1, left_room + 2 - cell_len(shown) - cell_len(facts))
        line: Line = (Span(shown, bold=True), Span(facts, "quiet"), Span(gap), *right)
        self.update(content(line), layout=False)


class CallsPane(Static):
    """The list of tool calls; a click on one picks it."""

    class Picked(Message):
        """A person picked a call."""

        def __init__(self, call_id: str) -> None:
            super().__init__()
            self.call_id = call_id

    def __init__(self) -> None:
        super().__init__("", id="calls")
        self._ids: list[str] = []

    def show(self, lines: list[Line], ids: list[str]) -> None:
        """`ids` are the calls on the lines after the heading."""
        self._ids = ids
        put(self, lines)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is not None and 1 <= offset.y <= len(self._ids):
            self.post_message(self.Picked(self._ids[offset.y - 1]))


class SideColumn(Vertical):
    """Budget, tool calls and the picked call, below each other; on a narrow screen one of them at a time."""

    can_focus = False

    def __init__(self) -> None:
        super().__init__(id="side")
        self.budget = Static("", id="budget")
        self.calls = CallsPane()
        self.detail = Static("", id="detail")

    def compose(self) -> ComposeResult:
        yield self.budget
        yield self.calls
        yield self.detail

    def show(self, state: State, selected: CallRecord | None, *, running: bool, shown: Shown) -> None:
        """Draw the run as `state` says it is."""
        from workbench.view import panes

        width = max(20, self.content_region.width)
        picked = selected.call.id if selected is not None else ""
        put(self.budget, panes.budget(state, width))
        detail = panes.call_detail(state, selected, width) if selected is not None else []
        rows = max(3, self.size.height - 14 - min(len(detail), 12)) if shown == "transcript" else None
        lines, ids = panes.calls(state, width, selected=picked, running=running, rows=rows)
        self.calls.show(lines, ids)
        put(self.detail, detail)


def put(static: Static, lines: list[Line]) -> None:
    """Draw the lines; the screen is laid out anew only where their number changed."""
    same = isinstance(static.content, Content) and static.content.plain.count("\n") == max(0, len(lines) - 1)
    static.update(contents(lines), layout=not same)


class ThirdColumn(Static):
    """On wide screens: the loop with its lit line, and what the model reads next, a message a line."""

    def __init__(self) -> None:
        super().__init__("", id="third")

    def show(self, state: State, event: Event | None, *, past: bool, running: bool) -> None:
        """`event` is the latest one of what is looked at."""
        from workbench.view import panes, tracer
        from workbench.view.bars import wrap

        width = max(20, self.content_region.width)
        title = "What the model read" if past else "What the model reads next"
        place = tracer.trace(state, event, running=running or past)
        loop = [
            panes.heading("The loop", width, "frames", "t"),
            *tracer.loop_lines(place, width),
            (),
            *wrap((Span(place.caption),), width),
            (),
        ]
        rows = max(4, self.size.height - len(loop) - 3)
        put(self, [*loop, *panes.request_lines(state, width, title, rows=rows)])


def quiet(text: str) -> Content:
    """A quiet line of our own words."""
    return Content.styled(text, "$wb-quiet")
