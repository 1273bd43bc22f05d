"""Keys that begin something else from here: a fork, with another text if need be, and another model."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.forking import Branch
from workbench.opening import change_model
from workbench.runner import CommandError, JournalBroken
from workbench.scenarios.errors import ScenarioError
from workbench.tui.models import choose_model
from workbench.tui.run.fields.replies import ForkText
from workbench.tui.run.fork import ForkQuestion, Wanted
from workbench.tui.run.parts import Part
from workbench.tui.screens import shell_of
from workbench.view.forks import acted
from workbench.view.visible import visible


@dataclass(eq=False)
class Branching(Part):
    """A fork is a new session: nothing in here but the change of the model touches this one."""

    def __post_init__(self) -> None:
        self.text = ForkText(*self.hands, self._fork_changed)

    # ------------------------------------------------------------ forks

    def action_fork(self) -> None:
        """Fork at the event that is looked at: in the past that one, else the one of the picked entry."""
        if self.can("fork"):
            self._ask_about(Branch(at=self.desk.place(self.drawing.picked)))

    def _fork_changed(self, branch: Branch) -> None:
        """Nothing is asked where nothing was done after that event that is more than reading."""
        if acted(self.desk.run.header, self.desk.run.events, branch.at):
            self._ask_about(branch)
        else:
            self._fork((branch, False))

    def _ask_about(self, branch: Branch) -> None:
        self.screen.app.push_screen(ForkQuestion(self.opened, branch), self._fork)

    def _fork(self, wanted: Wanted | None) -> None:
        if wanted is None:
            return
        shell_of(self.screen.app).opener.fork(self.opened, wanted[0], play=wanted[1])

    # ------------------------------------------------------------ another model

    def action_model(self) -> None:
        """Another model for this run, from here on."""
        if self.can("model"):
            choose_model(self.screen.app, self.opened.scenario, self._ask_from_now_on)

    def _ask_from_now_on(self, choice: str, base_url: str) -> None:
        try:
            notes = change_model(self.opened, shell_of(self.screen.app).home, choice, base_url)
        except (CommandError, JournalBroken) as error:
            self.say(str(error))
        except ScenarioError as error:
            self.say("; ".join(problem.message for problem in error.problems))
        else:
            self.say(f"asks {visible(self.desk.run.state.model.shown)} from here on")
            for note in notes:
                self.screen.notify(visible(note), title="Before it is asked", severity="warning", markup=False)
        self.drawing.redraw()
