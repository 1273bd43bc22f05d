"""The list of what is wrong: choosing a problem goes to its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from workbench.tui.actions import bindings
from workbench.tui.blocks import Block
from workbench.view.entries import Line, Span
from workbench.view.lines import wrap

if TYPE_CHECKING:
    from workbench.scenarios.errors import Problem


class ProblemList(Block, can_focus=True, inherit_bindings=False):
    """One row a problem or remark, the picked one whole; one row saying that all is well where there is none."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("problems")
    DEFAULT_CSS = """
    ProblemList { height: auto; padding: 0 1; background: $surface; }
    ProblemList.wrong { border-top: heavy $wb-error; }
    ProblemList:focus { background: $panel; }
    """

    @dataclass
    class Chosen(Message):
        """A person wants to go to this problem; -1 is back to the text."""

        index: int

    def __init__(self) -> None:
        super().__init__(id="problems")
        self.problems: Sequence[Problem] = ()
        self.picked = 0
        self._wrong = 0
        self._well: Line = (Span("reading…", "quiet"),)
        self._about: list[int] = []

    def show(self, problems: Sequence[Problem], wrong: int, well: Line, picked: int) -> None:
        """These problems, those behind the first `wrong` being remarks, or `well` where there is none."""
        self.problems, self._wrong, self._well = problems, wrong, well
        self.picked = min(max(0, picked), max(0, len(problems) - 1))
        self.set_class(wrong > 0, "wrong")
        self.draw()

    def draw(self) -> None:
        """For the width there is."""
        from workbench.view.problems import problem_lines  # with what reads scenarios, after the first frame

        width = max(20, self.app.size.width - 2)
        if not self.problems:
            self._about = []
            self.put(wrap(self._well, width))
            return
        lines, self._about = problem_lines(self.problems, self.picked, width, wrong=self._wrong)
        self.put(lines)

    def on_resize(self) -> None:
        self.draw()

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is not None and 0 <= offset.y < len(self._about):
            self.picked = self._about[offset.y]
            self.draw()
            self.post_message(self.Chosen(self.picked))

    def action_previous_problem(self) -> None:
        self._pick(self.picked - 1)

    def action_next_problem(self) -> None:
        self._pick(self.picked + 1)

    def _pick(self, index: int) -> None:
        if 0 <= index < len(self.problems):
            self.picked = index
            self.draw()

    def action_to_problem(self) -> None:
        self.post_message(self.Chosen(self.picked if self.problems else -1))
