"""What the lists, the grid and the aligned rows share: a view on the Line API in which one thing is picked."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.scroll_view import ScrollView
from textual.strip import Strip

from workbench.tui.looks import Looks
from workbench.view.entries import Line


def look_classes(prefix: str, *names: str) -> set[str]:
    """The component classes of a view whose looks have that prefix."""
    return {f"{prefix}{name}" for name in names}


def look_rules(prefix: str, roles: tuple[str, ...]) -> str:
    """CSS, to stand inside the rule of a view, that gives each role its colour in the theme."""
    rules = [f"& > .{prefix}{role} {{ color: $wb-{role}; }}" for role in roles]
    return "\n".join([*rules, f"& > .{prefix}primary {{ color: $primary; }}"])


class PickView(ScrollView, can_focus=True, inherit_bindings=False):
    """Draws only the rows that can be seen. What is picked, and what a page is, the one that is built on it knows."""

    ALLOW_MAXIMIZE = False
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "page(-1)", "page up", show=False),
        Binding("pagedown", "page(1)", "page down", show=False),
        Binding("home", "pick_at(0)", "first", show=False),
        Binding("end", "pick_at(-1)", "last", show=False),
    ]
    DEFAULT_CSS = """
    PickView {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
    }
    """
    LOOKS = ""
    """What the names of the component classes begin with."""
    HEAD = 0
    """Rows at the top that stay while the others scroll."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._looks = Looks(self, self.LOOKS)

    @property
    def _page(self) -> int:
        """Rows that scroll and can be seen at once, at least 1."""
        return max(1, self.scrollable_content_region.height - self.HEAD)

    def _scroll(self, row: int) -> None:
        """Bring a row to the top, as far as there are rows below it. At once: nothing glides."""
        self.scroll_target_y = self.scroll_y = max(0, min(row, self.max_scroll_y))

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._looks.clear()

    def render(self) -> str:
        return ""

    def _strip(self, line: Line, *, picked: bool = False) -> Strip:
        """A line across the whole view, on the ground of what is picked or not."""
        ground = self._looks("ground") + self._looks("picked") if picked else self._looks("ground")
        segments = []
        for span in line:
            style = ground + self._looks(span.role)
            if span.text:
                segments.append(Segment(span.text, style + Style(bold=True) if span.bold else style))
        return Strip(segments).adjust_cell_length(self.scrollable_content_region.width, ground)
