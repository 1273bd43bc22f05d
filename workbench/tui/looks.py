"""The colours of a widget that draws its own rows."""

from __future__ import annotations

from rich.style import Style
from textual.widget import Widget


class Looks:
    """Styles of a widget's component classes by role, kept until they are cleared."""

    def __init__(self, widget: Widget, prefix: str) -> None:
        self._widget = widget
        self._prefix = prefix
        self._known: dict[str, Style] = {}

    def __call__(self, role: str) -> Style:
        """The style of a role alone, without what is below it; "ground" is what is below everything."""
        found = self._known.get(role)
        if found is None:
            if role in ("", "ground"):
                found = self._widget.rich_style if role else Style()
            else:
                found = self._widget.get_component_rich_style(f"{self._prefix}{role}", partial=True)
            self._known[role] = found
        return found

    def clear(self) -> None:
        self._known.clear()
