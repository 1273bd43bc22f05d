"""The question before a fork: from where, what going back does not undo, which model, and under which name."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from workbench.core.ledger import Executed
from workbench.forking import Branch, branch_title
from workbench.tui.dialogs import Prompt
from workbench.tui.models import choose_model
from workbench.tui.paint import contents
from workbench.tui.screens import Dialog, KeysRow
from workbench.view.entries import Line, Span
from workbench.view.forks import fork_title, undone_lines
from workbench.view.lines import one_line

if TYPE_CHECKING:
    from workbench.opening import Opened

STAYS = "A new session from here. This one stays as it is."
Wanted = tuple[Branch, bool]
"""The fork, and whether it is to run at once."""


class ForkQuestion(Dialog[Wanted | None]):
    """Gives the fork that is wanted, or None. Nothing is made here."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "fork(False)", "fork", show=False),
        Binding("r", "fork(True)", "fork and run", show=False),
        Binding("A", "model", "model", show=False),
        Binding("s", "name", "name", show=False),
        Binding("up,k", "scroll_rows(-1)", "up", show=False),
        Binding("down,j", "scroll_rows(1)", "down", show=False),
        Binding("escape,q", "cancel", "cancel", show=False),
    ]
    DEFAULT_CSS = """
    ForkQuestion { align: center bottom; background: $background 50%; }
    ForkQuestion > Vertical { height: auto; max-height: 100%; background: $surface; border-top: heavy $wb-past; }
    ForkQuestion Static { height: auto; padding: 0 1; }
    ForkQuestion VerticalScroll { height: auto; max-height: 14; padding: 1 1 0 1; scrollbar-size-vertical: 1; }
    ForkQuestion VerticalScroll Static { padding: 0 0 0 2; }
    ForkQuestion #choices { padding: 1 1 0 3; }
    ForkQuestion KeysRow { padding: 1 1 0 1; }
    ForkQuestion.-narrow VerticalScroll, ForkQuestion.-tiny VerticalScroll { padding: 0 1; max-height: 10; }
    ForkQuestion.-low VerticalScroll { padding: 0 1; max-height: 1fr; }
    ForkQuestion.-low KeysRow, ForkQuestion.-low #choices { padding-top: 0; }
    """

    def __init__(self, opened: Opened, branch: Branch) -> None:
        super().__init__()
        self._opened = opened
        self._branch = branch
        self._others: Sequence[Executed] = ()
        """What other branches have done."""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("", id="title")
            with VerticalScroll(can_focus=False):
                yield Static("", id="undone")
            yield Static("", id="choices")
            yield KeysRow(
                (
                    ("enter", "enter", "fork"),
                    ("r", "r", "fork and run"),
                    ("A", "A", "model…"),
                    ("s", "s", "name…"),
                    ("escape", "esc", "cancel"),
                )
            )

    def on_mount(self) -> None:
        self.run_worker(self._look_around())

    async def _look_around(self) -> None:
        """What other branches have done stands in their sessions; the question is there before those are read."""
        branches = self._opened.run.branches
        if branches is not None:
            self._others = await asyncio.to_thread(branches.done)
            self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        run, branch = self._opened.run, self._branch
        width = max(20, self.app.size.width - 6)
        title = fork_title(run.events, branch.at, run.state, changed=branch.text is not None)
        self.query_one("#title", Static).update(contents([title, (Span(f"  {STAYS}", "quiet"),)]))
        undone = undone_lines(run.header, run.events, branch.at, width, self._others)
        self.query_one("#undone", Static).update(contents(undone))
        self.query_one("#choices", Static).update(contents(self._choices()))

    def _choices(self) -> list[Line]:
        run, branch = self._opened.run, self._branch
        as_before = not branch.choice and not branch.base_url
        model = run.state.model.shown if as_before else " ".join(filter(None, (branch.choice, branch.base_url)))
        return [
            (
                Span("model  ", "quiet"),
                Span(one_line(model), bold=not as_before),
                Span("   as now" if as_before else "", "quiet"),
            ),
            (Span("name   ", "quiet"), Span(one_line(self._title))),
        ]

    @property
    def _title(self) -> str:
        run = self._opened.run
        return self._branch.title or branch_title(run.state.title or run.header.goal, self._branch.at)

    # ------------------------------------------------------------ keys

    def action_fork(self, play: bool) -> None:
        self.dismiss((self._branch, play))

    def action_cancel(self) -> None:
        self.dismiss(None)

    def action_scroll_rows(self, rows: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)

    def action_model(self) -> None:
        def chosen(choice: str, base_url: str) -> None:
            self._branch = replace(self._branch, choice=choice, base_url=base_url)
            self._draw()

        choose_model(self.app, self._opened.scenario, chosen)

    def action_name(self) -> None:
        def named(name: str | None) -> None:
            if name is not None:
                self._branch = replace(self._branch, title=name.strip())
                self._draw()

        self.app.push_screen(Prompt("Name the fork", self._title, send="name it"), named)
