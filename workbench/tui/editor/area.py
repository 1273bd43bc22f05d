"""The text of a script: coloured as TOML, and marked where something is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.geometry import Offset
from textual.strip import Strip

from workbench.tui.actions import bindings
from workbench.tui.looks import Looks
from workbench.tui.textarea import PlainArea
from workbench.view.entries import Line
from workbench.view.highlight import highlight

ROLES = ("quiet", "result", "changed", "primary", "error")
_HEADER = re.compile(r"^\s*\[")
_SLOT = re.compile(r"(?<!\$)\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_BOLD, _ITALIC = Style(bold=True), Style(italic=True)


class ScriptArea(PlainArea):
    """Colours follow the theme of the app. Rows with a problem have a sign in the margin and a tint, those with a
    remark a sign."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("script")
    COMPONENT_CLASSES = {*(f"script--{role}" for role in ROLES), "script--here", "script--wrong"}
    DEFAULT_CSS = (
        """
    ScriptArea {
        border: none;
        padding: 0;
        background: $background;
        scrollbar-size-vertical: 1;
        & > .text-area--matching-bracket { background: $panel; }
        & > .script--here { background: $surface; }
        & > .script--wrong { background: $wb-error 14%; }
        &:focus { border: none; }
    """
        + "".join(
            f"    & > .script--{role} {{ color: ${'' if role == 'primary' else 'wb-'}{role}; }}\n" for role in ROLES
        )
        + "}"
    )

    def __init__(self, text: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        self._coloured: Sequence[Line] | None = None
        """The lines of the text with their looks; None until they are drawn."""
        self._marks: Mapping[int, str] = {}
        self._looks = Looks(self, "script--")
        super().__init__(text, id=id, tab_behavior="focus", show_line_numbers=True, highlight_cursor_line=False)

    def mark(self, marks: Mapping[int, str]) -> None:
        """These rows, from 0, have a sign in the margin, ✗ or ≈; no others have."""
        if marks != self._marks:
            self._marks = marks
            self.refresh()

    def go_to(self, row: int) -> None:
        """Put the caret on the row, behind its blanks, and bring it into view."""
        row = min(max(0, row), self.document.line_count - 1)
        line = self.document.get_line(row)
        self.move_cursor((row, len(line) - len(line.lstrip())), center=True)

    def action_text_start(self) -> None:
        self.move_cursor(self.document.start)

    def action_text_end(self) -> None:
        self.move_cursor(self.document.end)

    # ------------------------------------------------------------ drawing

    def _build_highlight_map(self) -> None:
        super()._build_highlight_map()
        self._coloured = None

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._looks.clear()

    def get_line(self, line_index: int) -> Text:
        """A line in its colours; templates in texts stand out, and headers of tables are bold."""
        text = super().get_line(line_index)
        if self._coloured is None:
            self._coloured = highlight("\n".join(self.document.lines), "toml")
        at = 0
        for span in self._coloured[line_index]:
            end = at + len(span.text)
            if span.role or span.bold or span.italic:
                style = (
                    self._looks(span.role) + (_BOLD if span.bold else Style()) + (_ITALIC if span.italic else Style())
                )
                text.stylize(style, at, end)
            at = end
        for slot in _SLOT.finditer(text.plain):
            text.stylize(self._looks("changed"), *slot.span())
        return text

    def render_line(self, y: int) -> Strip:
        """A row on its ground: that of the caret, or that of something wrong, and only there a sign in the margin."""
        strip = super().render_line(y)
        y += self.scroll_offset.y
        if y >= self.wrapped_document.height:
            return strip
        row, column = self.wrapped_document.offset_to_location(Offset(0, y))
        sign, here = self._marks.get(row, ""), row == self.cursor_location[0]
        return self._grounded(strip, sign=sign, here=here, first=column == 0) if sign or here else strip

    def _grounded(self, strip: Strip, *, sign: str, here: bool, first: bool) -> Strip:
        ground = self.rich_style.bgcolor
        wrong = sign == "✗"
        tint = self.get_component_rich_style("script--wrong" if wrong else "script--here").bgcolor
        if not (wrong or here):
            tint = ground
        number, rest = strip.divide([self.gutter_width, strip.cell_length])
        segments = [
            Segment(
                text, (style or Style()) + Style(bgcolor=tint) if style is None or style.bgcolor == ground else style
            )
            for text, style, _ in rest
        ]
        role = "error" if wrong else "changed" if sign else ""
        look = self._looks(role) + _BOLD + Style(bgcolor=tint if here else ground)
        margin = f"{number.text[:-2]}{f'{sign} ' if sign and first else '  '}"
        return Strip([Segment(margin, self._looks("ground") + look), *segments], strip.cell_length)
