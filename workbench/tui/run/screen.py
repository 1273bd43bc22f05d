"""The Run screen, put together from its parts."""

from __future__ import annotations

from textual import events

from workbench.tui.run.authoring import Authoring
from workbench.tui.run.branching import Branching
from workbench.tui.run.stand_in import StandIn


class RunScreen(StandIn, Branching, Authoring):
    """Watch one run: step it, cap it, decide what it may do, and walk back through it."""

    CSS_PATH = "run.tcss"

    def on_key(self, event: events.Key) -> None:
        """Every key passes here before it acts: the guard wants to know when it was pressed."""
        self.guard.pressed(event.key, event.time)
        self.unsay()
        if self.choose_scope(event) or self.withdraw(event):
            event.stop()
