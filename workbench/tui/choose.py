"""One of several things: a digit or enter takes it, esc takes none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.tui.paint import contents
from workbench.tui.screens import Dialog, KeysRow
from workbench.view.entries import Line, Span
from workbench.view.lines import clip, one_line, pad
from workbench.view.visible import cells, visible

Choice = tuple[str, str]
"""A title, and a few quiet words about it."""


class Choose(Dialog[int | None]):
    """Gives the index of what was chosen, or None."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("down,j", "move(1)", "down", show=False),
        Binding("enter", "take", "take", show=False),
        Binding("escape,q", "cancel", "cancel", show=False),
    ]
    DEFAULT_CSS = """
    Choose { align: center bottom; background: $background 50%; }
    Choose > Vertical { height: auto; max-height: 100%; background: $surface; border-top: heavy $primary; }
    Choose .title { height: auto; padding: 0 1; }
    Choose VerticalScroll { height: auto; max-height: 16; padding: 1 1 0 1; scrollbar-size-vertical: 1; }
    Choose VerticalScroll Static { height: auto; }
    Choose KeysRow { padding: 1 1 0 1; }
    Choose.-low VerticalScroll { padding: 0 1; max-height: 1fr; }
    Choose.-low KeysRow { padding: 0 1; }
    """

    def __init__(self, title: str, choices: Sequence[Choice]) -> None:
        super().__init__()
        self._title = title
        self._choices = choices
        self._picked = 0

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content.styled(visible(self._title), "bold $primary"), classes="title")
            with VerticalScroll(can_focus=False):
                yield Static("", id="choices")
            yield KeysRow((("enter", "enter", "take it"), ("down", "↑ ↓", "choose"), ("escape", "esc", "cancel")))

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        width = max(10, self.app.size.width - 3)
        longest = max(cells(title) for title, _ in self._choices)
        lines: list[Line] = [
            clip(
                (
                    Span("▸ " if index == self._picked else "  ", "primary"),
                    Span(f"{index + 1:<3}" if index < 9 else "   ", "primary", bold=True),
                    Span(pad(one_line(title), longest), bold=index == self._picked),
                    Span(f"   {one_line(about)}", "quiet"),
                ),
                width,
            )
            for index, (title, about) in enumerate(self._choices)
        ]
        self.query_one("#choices", Static).update(contents(lines))
        self.query_one(VerticalScroll).scroll_to(y=self._picked - 8, animate=False)

    def action_move(self, step: int) -> None:
        self._picked = (self._picked + step) % len(self._choices)
        self._draw()

    def action_take(self) -> None:
        self.dismiss(self._picked)

    def action_cancel(self) -> None:
        self.dismiss(None)

    def on_key(self, event: events.Key) -> None:
        if event.character is not None and event.character in "123456789":
            index = int(event.character) - 1
            if index < len(self._choices):
                event.stop()
                self.dismiss(index)

    def on_click(self, event: events.Click) -> None:
        choices = self.query_one("#choices", Static)
        if (offset := event.get_content_offset(choices)) is not None:
            self.dismiss(min(offset.y, len(self._choices) - 1))
