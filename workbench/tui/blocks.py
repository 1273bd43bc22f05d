"""Parts of screens that only draw: lines below each other, a message for a while, the line at the top."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.style import Style
from textual.timer import Timer
from textual.widgets import Static

from workbench.tui.actions import keyed
from workbench.tui.paint import content, style_of
from workbench.tui.screens import keymap_of
from workbench.tui.transcript.wrap import shown
from workbench.view.entries import Line, Span
from workbench.view.lines import wrap

SAID_FOR = 6.0
"""Seconds a message stays."""


class Block(Static):
    """Lines below each other, each drawn when it changes. Where one is too long for the width, all are wrapped."""

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._lines: list[Line] | None = None
        """As they are drawn, with the keys in force; None before there are any."""
        self._visual: Content | None = None
        self._fit: tuple[int, bool] = (-1, False)
        """Whether every line fits on a row, and the width at which that was found out."""

    @property
    def lines(self) -> list[Line]:
        """What it shows."""
        return self._lines or []

    def put(self, lines: list[Line]) -> None:
        """Draw the lines that differ; the screen is laid out anew only where there are more or fewer than before."""
        before, lines = self._lines, keyed(lines, keymap_of(self.app))
        if lines == before:
            return
        # At another width the lines before these may have been wrapped.
        wrapped = bool(self.styles.is_auto_height) and self.content_size.height != len(lines)
        fitted = self._fits
        self._lines, self._visual, self._fit = lines, None, (-1, False)
        if before is None or wrapped or len(lines) != len(before):
            self.refresh(layout=True)
        elif fitted and self._fits:
            width = self.size.width
            self.refresh(*(Region(0, y, width, 1) for y, line in enumerate(lines) if line != before[y]))
        else:
            self.refresh()

    def ground(self, line: Line) -> str:  # noqa: ARG002 - for those who have one
        """The style that a line stands on, "" for that of the block."""
        return ""

    # ------------------------------------------------------------ all lines, as they are laid out and selected

    @property
    def visual(self) -> Content:
        if self._visual is None:
            self._visual = Content("\n").join([content(line).stylize(self.ground(line)) for line in self.lines])
        return self._visual

    # ------------------------------------------------------------ one line

    @property
    def _fits(self) -> bool:
        width, fits = self._fit
        if width != self.size.width:
            width = self.size.width
            fits = all(sum(cell_len(shown(span.text)) for span in line) <= width for line in self.lines)
            self._fit = width, fits
        return fits

    def render_line(self, y: int) -> Strip:
        if not self._fits or self.text_selection is not None or y >= len(self.lines):
            return super().render_line(y)
        line = self.lines[y]
        under = self.visual_style + Style.parse(self.ground(line))
        segments: list[Segment] = []
        x = 0
        for span in line:
            if text := shown(span.text):
                style = under + Style.parse(style_of(span.role, bold=span.bold, italic=span.italic))
                segments.append(Segment(text, style.rich_style_with_offset(x, y)))
                x += len(text)
        return Strip(segments)


class Said(Block):
    """One message above the keys, for a few seconds."""

    DEFAULT_CSS = "Said { display: none; height: auto; padding: 0 1; }"

    _unsaying: Timer | None = None

    def say(self, message: Line) -> None:
        """Show it in place of the one before."""
        self.put(wrap(message, max(20, self.app.size.width - 2)))
        self.display = True
        if self._unsaying is not None:
            self._unsaying.stop()
        self._unsaying = self.set_timer(SAID_FOR, self.unsay)

    def unsay(self) -> None:
        """Take away what is said, if anything is."""
        self.display = False


SHORTEST = 6
"""Cells that the title keeps."""


class TopLine(Block):
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
        """Draw it, if it has changed. What there is no room for gives way: facts, then title, then where the run is."""
        room = max(10, self.size.width)
        right = [Span(where, "quiet"), Span("  "), Span(state.text, state.role, bold=True)]
        if room - _cells(right) < SHORTEST:
            right = right[2:]
        left = max(0, room - _cells(right) - 2)
        title, facts = shown(title), f"   {facts}" if facts else ""
        if cell_len(title) + cell_len(facts) > left:
            facts = ""
        if cell_len(title) > left:
            title = f"{set_cell_size(title[:left], max(0, left - 1)).rstrip()}…"
        gap = " " * (room - cell_len(title) - cell_len(facts) - _cells(right))
        self.set_classes(kind)
        self.put([(Span(title, bold=True), Span(facts, "quiet"), Span(gap), *right)])


def _cells(spans: list[Span]) -> int:
    return sum(cell_len(span.text) for span in spans)
