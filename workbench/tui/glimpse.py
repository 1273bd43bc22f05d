"""What is known of a file while it is read in earnest: its title and its goal, where the run will show them."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from workbench.tui.home.parts import TopRow
from workbench.view.folders import Glimpse
from workbench.view.visible import visible


class GlimpseScreen(Screen[None]):
    """Stands where the run will, until it is there. All of it is drawn in the first frame."""

    ALLOW_MAXIMIZE = False
    DEFAULT_CSS = """
    GlimpseScreen {
        background: $background;
        color: $foreground;
        & Horizontal { height: auto; padding: 1 1 0 1; }
        & .word { width: 12; padding: 0 0 0 4; color: $wb-user; }
        & .text { width: 1fr; max-width: 100; }
        & .now { color: $wb-quiet; text-style: italic; }
        &.-narrow Horizontal, &.-tiny Horizontal { padding: 0 1; }
    }
    """

    def __init__(self, glimpse: Glimpse) -> None:
        super().__init__()
        self._glimpse = glimpse

    def compose(self) -> ComposeResult:
        what = "session" if self._glimpse.session else "scenario"
        yield TopRow(visible(self._glimpse.title), "opening …")
        if self._glimpse.goal:
            with Horizontal():
                yield Static("USER", classes="word")
                yield Static(Content(visible(self._glimpse.goal)), classes="text")
        with Horizontal():
            yield Static("NOW", classes="word now")
            yield Static(f"reading the {what} …", classes="text now")
