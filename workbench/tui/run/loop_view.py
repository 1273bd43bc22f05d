"""The loop laid open: its code with the line lit that the run is at, the growing history, and a caption a frame."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from workbench.core.state import State
from workbench.tui.actions import bindings
from workbench.tui.blocks import Block
from workbench.tui.run.laid_open import LaidOpen
from workbench.tui.screens import Dialog, KeysRow, KeyWords
from workbench.view import tracer
from workbench.view.desk import Desk
from workbench.view.entries import Line, Span
from workbench.view.lines import heading, wrap
from workbench.view.words import stop_title

CODE = 43
"""Cells of the pseudo-code."""
SOURCE = 72
"""Cells of the source of a loop, where the history stands beside it."""
BESIDE = 100
"""Columns from which on the history stands beside it."""
HISTORY = 6
"""Rows that a long source leaves to the history below it."""
LEAST = 9
"""Lines of code that are left above the counters, or they go."""


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
    LoopView #loop-code { width: 46; height: 1fr; padding: 1 1 0 1; border-right: solid $wb-rule; }
    LoopView #loop-history { width: 1fr; height: 1fr; padding: 1 1 0 1; }
    LoopView #loop-caption { height: auto; padding: 1 1; background: $surface; border-top: heavy $primary; }
    LoopView.-narrow #loop-body, LoopView.-tiny #loop-body { layout: vertical; }
    LoopView.-narrow #loop-code, LoopView.-tiny #loop-code { width: 1fr; height: auto; padding: 0 1; border: none; }
    LoopView.-narrow #loop-history, LoopView.-tiny #loop-history { padding: 0 1; }
    LoopView.-narrow #loop-caption, LoopView.-tiny #loop-caption, LoopView.-low #loop-caption { padding: 0 1; }
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._laid = LaidOpen(desk.run)
        self._frames = tracer.frames(desk.run.events) or [0]
        shown = desk.state.n
        self._at = next((i for i, n in enumerate(self._frames) if n >= shown), len(self._frames) - 1)

    def compose(self) -> ComposeResult:
        yield Block(id="loop-top")
        with Horizontal(id="loop-body"):
            yield Block(id="loop-code")
            yield Block(id="loop-history")
        yield Block(id="loop-caption")
        yield KeysRow(self.KEYS)

    def on_resize(self) -> None:
        self._draw()

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
        """All of it, for the room there is: the lit line is always in view, and the history where it has a few rows."""
        n = self._frames[self._at]
        state = self._desk.run.at(n)
        place = self._laid.at(state, tracer.frame_event(self._desk.run.events, n))
        width, height = self.size
        beside = width >= BESIDE
        caption = wrap((Span(place.caption),), width - 2)
        room = height - 3 - len(caption) - (2 if beside and height >= 20 else 0) - beside
        facts = f"   frame {self._at + 1} of {len(self._frames)} · event {n}"
        self._put("loop-top", [(Span("The loop", bold=True), Span(facts, "quiet"))])
        code_width = min(SOURCE if self._laid.has_source else CODE, width - 2)
        beneath = 0 if beside or not self._laid.has_source else min(HISTORY, room // 3)
        code = _code(self._laid, state, place, code_width, room - beneath)
        self._put("loop-code", code)
        self.query_one("#loop-code").styles.width = code_width + 3 if beside else "1fr"
        columns, rows = (width - code_width - 5, room) if beside else (width - 2, room - len(code) - 1)
        history = [heading("History", columns), *self._laid.history(state, columns, rows - 2)] if rows > 3 else []
        self._put("loop-history", history if beside or not history else [(), *history])
        self._put("loop-caption", caption)

    def _put(self, block: str, lines: list[Line]) -> None:
        self.query_one(f"#{block}", Block).put(lines)


def _code(laid: LaidOpen, state: State, place: tracer.Trace, width: int, rows: int) -> list[Line]:
    """The code and the counters; where there are few rows, the lines around the lit one."""
    loop = tracer.loop_lines(place, width, laid.code)
    cap = state.limits.steps
    counts: Line = (
        *(Span("step ", "quiet"), Span(f"{state.steps}", bold=True)),
        *(Span(f" of {cap}" if cap else ", no cap", "quiet"), Span("   entries ", "quiet")),
        Span(f"{len(state.messages)}", bold=True),
    )
    counters: list[Line] = [(), heading("Counters", width), counts, tracer.counters(state)]
    if state.stopped is not None:
        counters.append((Span("stopped ", "quiet"), Span(stop_title(state), bold=True)))
    left = rows - len(counters) - 1
    if left < min(LEAST, len(loop)):
        return [*tracer.around(loop, place.line, rows)]
    return [heading("The loop", width), *tracer.around(loop, place.line, left), *counters]
