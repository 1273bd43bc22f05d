"""Two runs compared: their counters, where they part first and why, and every row of both."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from workbench.tui.actions import bindings
from workbench.tui.blocks import Block, Said, TopLine
from workbench.tui.board import Board
from workbench.tui.compare.rows import RowsView
from workbench.tui.keyline import KeyLine
from workbench.tui.screens import keymap_of, shell_of
from workbench.tui.situation import Situation
from workbench.tui.viewer import Viewer
from workbench.view.comparing import NAMES, Compared, Pair, counter_lines, headline, parting_lines, setting_lines
from workbench.view.entries import Line, Role, Span
from workbench.view.lines import clip, cut_line, heading, wrap
from workbench.view.row_detail import event_of, row_lines, row_title, whole_lines

SETTINGS, DETAIL = 4, 6
"""Rows for what is set differently, and for the picked row, where there is room."""


class CompareScreen(Board):
    """Nothing in here changes a run."""

    AUTO_FOCUS = "RowsView"
    BINDINGS: ClassVar[list[BindingType]] = bindings("screen", "compare")
    DEFAULT_CSS = """
    CompareScreen {
        & #names { margin-top: 1; }
        & #why { margin: 1 0; }
        & RowsView { padding-left: 1; }
        & #row { margin-top: 1; }
        &.-narrow #names, &.-narrow #why, &.-narrow #row { margin: 0; }
        &.-tiny #names, &.-tiny #why, &.-tiny #row { margin: 0; }
        &.-low #names, &.-low #why, &.-low #row { margin: 0; }
        & #settings.nothing, &.-low #settings, &.-tiny #settings, &.-low #row, &.-tiny #row { display: none; }
        &.-tiny #counters, &.-low #counters { display: none; }
    }
    """

    def __init__(self, pair: Pair) -> None:
        super().__init__()
        self.pair = pair
        self.chosen: Literal[0, 1] = 0
        """The run that enter opens, where both have something."""

    def compose(self) -> ComposeResult:
        yield TopLine(id="top")
        for name in ("names", "counters", "settings", "why"):
            yield Block(id=name)
        yield RowsView(self.pair)
        yield Block(id="row")
        yield Said()
        yield KeyLine(keymap_of(self.app), id="keys")

    # ------------------------------------------------------------ pieces

    @property
    def view(self) -> RowsView:
        return self.query_one(RowsView)

    @property
    def side(self) -> Literal[0, 1]:
        """The run that enter opens: the chosen one, or the only one that has something in the picked row."""
        rows = self.pair.found.rows
        if not rows:
            return self.chosen
        row = rows[self.view.row]
        return self.chosen if row.a is not None and row.b is not None else 1 if row.a is None else 0

    @property
    def situation(self) -> Situation:
        place = self._place() if self.is_attached else None
        opens = f"open {NAMES[self.side]} at event {place[1]:,}" if place is not None else ""
        return Situation(screen="compare", phase="idle", has_entry=bool(self.pair.found.rows), opens=opens)

    def _place(self) -> tuple[Compared, int] | None:
        """The run that enter opens, and at which event."""
        rows = self.pair.found.rows
        if not rows or not self.query(RowsView):
            return None
        row = rows[self.view.row]
        return self.pair.both[self.side], event_of(row, self.side)

    # ------------------------------------------------------------ drawing

    def draw(self) -> None:
        if not self.is_attached or not self.query(RowsView):
            return
        width = self.text_width
        roomy = self.size.height >= 30
        parted = self.pair.found.divergence is not None
        state = Span("≠ they part", "changed") if parted else Span("✓ the same way", "go")
        self.query_one(TopLine).show("Compare", "", "", state, "" if parted else "answered")
        self._draw_names(width)
        self.block("counters").put([clip(line, width) for line in counter_lines(self.pair)])
        settings = self._settings(width, roomy=roomy)
        self.block("settings").put(settings)
        self.block("settings").set_class(not settings, "nothing")
        why = wrap((Span(headline(self.pair), "changed" if parted else "go", bold=True),), width)
        self.block("why").put([*why, *(clip(line, width) for line in parting_lines(self.pair))] if roomy else why[:2])
        self._draw_row()

    def _draw_names(self, width: int) -> None:
        lines: list[Line] = []
        for index, (name, run) in enumerate(zip(NAMES, self.pair.both, strict=True)):
            mark: Role = "primary" if index == self.chosen else "quiet"
            file = cut_line(run.name, width // 3)
            title = cut_line(run.title, width - 8 - len(file))
            lines.append((Span(f"{name}  ", mark, bold=True), Span(title, bold=True), Span(f"   {file}", "quiet")))
        self.block("names").put([clip(line, width) for line in lines])

    def _settings(self, width: int, *, roomy: bool) -> list[Line]:
        settings = self.pair.found.settings
        if not settings:
            return []
        if not roomy:
            names = ", ".join(cut_line(setting.name, 30) for setting in settings)
            return [clip((Span("set differently  ", "quiet"), Span(names)), width)]
        lines = setting_lines(settings, SETTINGS, width - 3)
        return [heading("Set differently", width), *(clip((Span("   "), *line), width) for line in lines)]

    def _draw_row(self) -> None:
        width = self.text_width
        if self.pair.found.rows:
            row = self.view.row
            rows = DETAIL if self.size.height >= 30 else 2
            title = heading(row_title(self.pair, row), width)
            self.block("row").put([title, *row_lines(self.pair, row, width, rows)])
        self.draw_keys()

    @on(RowsView.Picked)
    def _picked(self) -> None:
        self._draw_row()

    # ------------------------------------------------------------ keys

    def action_row_up(self) -> None:
        self.view.move(-1)

    def action_row_down(self) -> None:
        self.view.move(1)

    def action_choose_a(self) -> None:
        self._choose(0)

    def action_choose_b(self) -> None:
        self._choose(1)

    def _choose(self, side: Literal[0, 1]) -> None:
        self.chosen = side
        self._draw_names(self.text_width)
        self.draw_keys()

    def action_next_difference(self) -> None:
        if not self.view.next_difference():
            self.say("they differ nowhere")

    def action_to_parting(self) -> None:
        if not self.view.to_parting():
            self.say("they part nowhere")

    def action_view_row(self) -> None:
        if self.can("view_row"):
            title: Line = (Span(row_title(self.pair, self.view.row), bold=True),)
            self.app.push_screen(Viewer(title, whole_lines(self.pair, self.view.row)))

    @on(RowsView.Chosen)
    def action_open_at(self) -> None:
        """The run as it was there."""
        place = self._place()
        if not self.can("open_at") or place is None:
            return
        run, n = place
        if run.path is None:
            self.say(f"{NAMES[self.side]} is kept in no file")
        else:
            shell_of(self.app).opener.session(run.path, at=n)
