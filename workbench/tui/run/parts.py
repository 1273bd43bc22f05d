"""What every part of the Run screen is given: the desk, and hands to act with. None knows the screen it is part of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.screen import Screen

from workbench.runner import Run
from workbench.view.desk import Desk

if TYPE_CHECKING:
    from workbench.opening import Opened
    from workbench.tui.run.asking import Asking
    from workbench.tui.run.drawing import Drawing
    from workbench.tui.run.driving import Driver
    from workbench.tui.run.notice import Notice


@dataclass(eq=False)
class Part:
    """A part of the Run screen. Each method `action_…` of one is an action of the registry."""

    opened: Opened
    desk: Desk
    driver: Driver
    bar: Asking
    notice: Notice
    drawing: Drawing
    screen: Screen[None]
    """For what only Textual has: dialogs, timers, workers."""

    @property
    def hands(self) -> tuple[Opened, Desk, Driver, Asking, Notice, Drawing, Screen[None]]:
        """What every part is given, for another part."""
        return self.opened, self.desk, self.driver, self.bar, self.notice, self.drawing, self.screen

    @property
    def run(self) -> Run:
        return self.desk.run

    def can(self, action: str) -> bool:
        """Whether an action applies now; if not, why is said in one line."""
        return self.notice.can(action)

    def say(self, text: str) -> None:
        """One line, in place of the one before."""
        self.notice.say(text)

    def worded(self, words: str, *, typing: bool = False) -> str:
        """Words of ours in which actions in braces stand for their keys."""
        return self.notice.worded(words, typing=typing)

    def command(self, act: Callable[[], None]) -> bool:
        """Give the run a command; what it cannot do is said in one line. Returns whether it was done."""
        return self.driver.command(act)
