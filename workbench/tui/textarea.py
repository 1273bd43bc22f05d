"""A text area for texts from anywhere: what would steer the terminal is shown as a sign while it is edited."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import TextArea

from workbench.view.visible import visible


class PlainArea(TextArea):
    """Draws every character as one, so that the caret stands where it seems to; the text itself stays as it is."""

    def get_line(self, line_index: int) -> Text:
        """A line to be drawn."""
        text = self.document.get_line(line_index)
        if not text.isprintable():
            text = "".join(c if c == "\t" or c.isprintable() else _sign(c) for c in text)
        return Text(text, end="", no_wrap=True)


def _sign(character: str) -> str:
    sign = visible(character)
    return sign if len(sign) == 1 else "�"
