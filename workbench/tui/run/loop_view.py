"""The loop laid open: pseudo-code with the line lit that the run is at, the growing history, and a caption a frame."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from workbench.tui.actions import bindings
from workbench.tui.paint import content, contents
from workbench.tui.screens import Dialog, KeysRow, KeyWords
from workbench.view import tracer
from workbench.view.desk import Desk
from workbench.view.entries import Line, Span
from workbench.view.lines import heading
from workbench.view.words import stop_title

CODE = 43


class LoopView(Dialog[bool]):
    """← → from frame to frame of one run, of this or any other session."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("viewer"),
        Binding("escape,q,t", "close", "close", show=False),
    ]
    KEYS: ClassVar[tuple[KeyWords, ...]] = (
        ("left", "← →", "frame"),
        ("escape", "esc", "close"),
    )
    DEFAULT_CSS = """
    LoopView { background: $background; }
    LoopView #loop-top { height: 1; background: $surface; padding: 0 1; }
    LoopView #loop-body { height: 1fr; }
    LoopView #loop-code { width: 46; padding: 1 1 0 1; border-right: solid $wb-rule; }
    LoopView #loop-history { width: 1fr; padding: 1 1 0 1; }
    LoopView #loop-caption { height: auto; padding: 1 1; background: $surface; border-top: heavy $primary; }
    .-narrow LoopView #loop-body, .-tiny LoopView #loop-body { layout: vertical; }
    LoopView.-narrow #loop-code, LoopView.-tiny #loop-code { width: 1fr; height: auto; border-right: none; }
    LoopView.-narrow #loop-body, LoopView.-tiny #loop-body { layout: vertical; }
    LoopView.-narrow #loop-caption, LoopView.-tiny #loop-caption { padding: 0 1; }
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._frames = tracer.frames(desk.run.events) or [0]
        shown = desk.state.n
        self._at = next((i for i, n in enumerate(self._frames) if n >= shown), len(self._frames) - 1)

    def compose(self) -> ComposeResult:
        yield Static("", id="loop-top")
        with Horizontal(id="loop-body"):
            with Vertical(id="loop-code"):
                yield Static("", id="loop-lines")
            yield Static("", id="loop-history")
        yield Static("", id="loop-caption")
        yield KeysRow(self.KEYS)

    def on_mount(self) -> None:
        self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def action_previous_request(self) -> None:
        self._go(self._at - 1)

    def action_next_request(self) -> None:
        self._go(self._at + 1)

    def action_close(self) -> None:
        self.dismiss(False)

    def _go(self, to: int) -> None:
        self._at = max(0, min(to, len(self._frames) - 1))
        self._draw()

    def _draw(self) -> None:
        n = self._frames[self._at]
        state = self._desk.history.at(n)
        place = tracer.trace(state, tracer.frame_event(self._desk.run.events, n))
        facts = f"   frame {self._at + 1} of {len(self._frames)} · event {n}"
        title: Line = (Span("The loop", bold=True), Span(facts, "quiet"))
        self.query_one("#loop-top", Static).update(content(title))
        code = min(CODE, self.size.width - 4)
        cap = state.limits.steps
        lines = [
            heading("The loop", code),
            *tracer.loop_lines(place, code),
            (),
            heading("Counters", code),
            (
                *(Span("step ", "quiet"), Span(f"{state.steps}", bold=True)),
                *(Span(f" of {cap}" if cap else ", no cap", "quiet"), Span("   entries ", "quiet")),
                Span(f"{len(state.messages)}", bold=True),
            ),
            tracer.counters(state),
        ]
        if state.stopped is not None:
            lines.append((Span("stopped ", "quiet"), Span(stop_title(state), bold=True)))
        self.query_one("#loop-lines", Static).update(contents(lines))
        history = self.query_one("#loop-history", Static)
        width = max(20, history.content_region.width)
        rows = max(3, history.size.height - 3)
        history.update(contents([heading("History", width), *tracer.history_rows(state, width, rows)]))
        self.query_one("#loop-caption", Static).update(content((Span(place.caption),)))
