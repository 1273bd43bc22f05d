"""Keys that begin something else from here: a fork, with another text if need be, and another model."""

from __future__ import annotations

from textual import on
from textual.widgets import TextArea

from workbench.core.events import ModelReply
from workbench.forking import Branch
from workbench.models.rewriting import other_problem, text_of, what_it_is
from workbench.opening import change_model
from workbench.runner import CommandError, JournalBroken
from workbench.scenarios.errors import ScenarioError
from workbench.tui.models import choose_model
from workbench.tui.run.bar import BarArea
from workbench.tui.run.deciding import Deciding
from workbench.tui.run.fork import ForkQuestion, Wanted
from workbench.tui.run.looking_back import LookingBack
from workbench.tui.screens import shell_of
from workbench.view.authoring import reading_line
from workbench.view.entries import Line, Span
from workbench.view.forks import acted
from workbench.view.visible import visible


class Branching(LookingBack, Deciding):
    """A fork is a new session: nothing in here but the change of the model touches this one."""

    fork_at = 0
    """The event that is being given another text, for a fork."""

    # ------------------------------------------------------------ forks

    def action_fork(self) -> None:
        """Fork at the event that is looked at: in the past that one, else the one of the picked entry."""
        if self.can("fork"):
            self._ask_about(Branch(at=self.desk.place(self.picked)))

    def action_edit(self) -> None:
        """What waits, as everywhere; where nothing does, another text for what is picked, in a fork."""
        if self.situation.phase in ("approval", "hold"):
            super().action_edit()
            return
        text = text_of(self.desk.timeline.event(self.picked), native=self.run_.state.protocol.native_tools)
        if not self.can("edit") or text is None:
            return
        self.fork_at = self.desk.timeline.number(self.picked)
        event = self.run_.events[self.fork_at - 1]
        title: Line = (
            Span(f"◀ Fork with another {what_it_is(event)}", "past", bold=True),
            Span(f"   in place of event {self.fork_at}, in a new session; this one stays as it is", "quiet"),
        )
        self.bar.open_area("fork", "past", title, text, numbered=isinstance(event, ModelReply))
        self._judge_other(text)
        self.draw_keys()

    @on(TextArea.Changed, "#bar-area")
    def _other_changed(self, event: TextArea.Changed) -> None:
        if self.bar.mode == "fork":
            self._judge_other(event.text_area.text)

    def _judge_other(self, text: str) -> None:
        """Say what the run would make of another reply."""
        if isinstance(self.run_.events[self.fork_at - 1], ModelReply):
            before = self.desk.run.at(self.fork_at - 1)
            self.bar.note(reading_line(before, text, self.run_.tools.check))

    @on(BarArea.Sent)
    def _other_sent(self, event: BarArea.Sent) -> None:
        """Nothing is asked where nothing was done after that event that is more than reading."""
        if self.bar.mode != "fork":
            return
        changed = self.run_.events[self.fork_at - 1]
        if problem := other_problem(changed, event.text, native=self.run_.state.protocol.native_tools):
            self.say(problem)
            return
        self.reopen_bar()
        branch = Branch(at=self.fork_at, text=event.text)
        if acted(self.run_.header, self.run_.events, branch.at):
            self._ask_about(branch)
        else:
            self._fork((branch, False))

    def _ask_about(self, branch: Branch) -> None:
        self.app.push_screen(ForkQuestion(self.opened, branch), self._fork)

    def _fork(self, wanted: Wanted | None) -> None:
        if wanted is None:
            return
        shell_of(self.app).opener.fork(self.opened, wanted[0], play=wanted[1])

    # ------------------------------------------------------------ another model

    def action_model(self) -> None:
        """Another model for this run, from here on."""
        if self.can("model"):
            choose_model(self.app, self.opened.scenario, self._ask_from_now_on)

    def _ask_from_now_on(self, choice: str, base_url: str) -> None:
        try:
            notes = change_model(self.opened, shell_of(self.app).home, choice, base_url)
        except (CommandError, JournalBroken) as error:
            self.say(str(error))
        except ScenarioError as error:
            self.say("; ".join(problem.message for problem in error.problems))
        else:
            self.say(f"asks {visible(self.run_.state.model.shown)} from here on")
            for note in notes:
                self.notify(visible(note), title="Before it is asked", severity="warning", markup=False)
        self.redraw()
