"""From lines of spans to what Textual draws. Text is data: never markup, never raw to the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content

from workbench.tui.transcript.wrap import shown
from workbench.view.entries import Line, Role

STYLES: dict[Role, str] = {"primary": "$primary", "here": "reverse $wb-past", "lit": "on $panel"}


def style_of(role: Role, *, bold: bool = False, italic: bool = False) -> str:
    """The style of a role, with theme variables that are resolved when it is drawn."""
    words = ["bold"] if bold else []
    words += ["italic"] if italic else []
    if role:
        words.append(STYLES.get(role, f"$wb-{role}"))
    return " ".join(words)


def content(line: Line) -> Content:
    """One line, whatever is in it."""
    return Content.assemble(
        *[(shown(span.text), style_of(span.role, bold=span.bold, italic=span.italic)) for span in line if span.text]
    )


def contents(lines: Iterable[Line]) -> Content:
    """Lines below each other."""
    return Content("\n").join([content(line) for line in lines])
