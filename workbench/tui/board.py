"""What the fault matrix and the comparison share: a screen with one view, blocks of lines around it, and its keys."""

from __future__ import annotations

from textual.screen import Screen
from textual.widget import Widget

from workbench.tui.actions import reason_not
from workbench.tui.blocks import Block, Said
from workbench.tui.keyline import KeyLine
from workbench.tui.screens import keymap_of
from workbench.tui.situation import Situation
from workbench.view.entries import Role, Span


class Board(Screen[None]):
    """Built on by screens that have a `Said` and a `KeyLine`."""

    ALLOW_MAXIMIZE = False
    DEFAULT_CSS = """
    Board {
        background: $background;
        color: $foreground;
        & Block { padding: 0 1; }
    }
    """

    @property
    def view(self) -> Widget:
        """What the keys are about."""
        raise NotImplementedError

    @property
    def situation(self) -> Situation:
        """What decides which keys apply."""
        raise NotImplementedError

    @property
    def text_width(self) -> int:
        """Columns for a line of a block."""
        return max(20, self.size.width - 2)

    def on_resize(self) -> None:
        self.call_after_refresh(self.draw)

    def draw(self) -> None:
        """Everything again, for the size there is."""
        raise NotImplementedError

    def draw_keys(self) -> None:
        self.query_one(KeyLine).situation = self.situation

    def block(self, name: str) -> Block:
        return self.query_one(f"#{name}", Block)

    def can(self, action: str) -> bool:
        """Whether an action applies now; if not, why is said in one line."""
        reason = reason_not(action, self.situation, keymap_of(self.app))
        if reason:
            self.say(reason)
        return not reason

    def say(self, text: str, role: Role = "primary") -> None:
        """One line above the keys, for a few seconds."""
        self.query_one(Said).say((Span(text, role),))

    def action_next_pane(self) -> None:
        """There is one pane."""
        self.view.focus()

    def action_previous_pane(self) -> None:
        self.view.focus()

    def action_close(self) -> None:
        self.action_back()

    def action_back(self) -> None:
        """Back to where it was opened."""
        self.app.pop_screen()
