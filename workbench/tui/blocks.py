"""Parts of screens that only draw: lines below each other, a message for a while, the line at the top."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from workbench.tui.actions import keyed
from workbench.tui.paint import content, contents
from workbench.tui.screens import keymap_of
from workbench.tui.transcript.wrap import shown
from workbench.view.entries import Line, Span
from workbench.view.lines import wrap

SAID_FOR = 6.0
"""Seconds a message stays."""


class Block(Static):
    """Lines below each other, drawn when they change."""

    lines: list[Line] | None = None

    def put(self, lines: list[Line]) -> None:
        """Draw the lines; the screen is laid out anew only where there are more or fewer rows than before."""
        before, self.lines = self.lines, lines
        if lines != before:
            # At another width the lines before these may have been wrapped.
            wrapped = bool(self.styles.is_auto_height) and self.content_size.height != len(lines)
            self.update(self.drawn(lines), layout=wrapped or before is None or len(lines) != len(before))

    def drawn(self, lines: list[Line]) -> Content:
        """The lines as they are drawn, with the keys in force."""
        return contents(keyed(lines, keymap_of(self.app)))


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

    drawn: tuple[Line, str] | None = None
    """What stands there, and the state that tints it."""

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
        line: Line = (Span(title, bold=True), Span(facts, "quiet"), Span(gap), *right)
        if self.drawn != (line, kind):
            self.drawn = line, kind
            self.set_classes(kind)
            self.update(content(line), layout=False)


def _cells(spans: list[Span]) -> int:
    return sum(cell_len(span.text) for span in spans)
