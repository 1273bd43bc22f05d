"""Keys about the session: run again, go to what belongs to it, make a script of it; and leaving."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from workbench.tui.run.drawing import run_title
from workbench.tui.run.parts import Part
from workbench.tui.screens import RunView, Shell, Situated, shell_of
from workbench.tui.situation import ScreenName, Situation


class Keeping(Part):
    """What is kept, and where to go with it. Nothing in here changes the run."""

    def known(self, now: Situation) -> Situation:
        """What the keys depend on, what leaving goes back to, and which lesson follows that of a run that has ended."""
        shell, now = self.screen.app, replace(now, below=self._below(), read_only=bool(self.opened.read_only))
        if now.phase not in ("stopped", "answered") or not isinstance(shell, Shell):
            return now
        following = shell.next_lesson(self.run.header.scenario_path)
        return replace(now, next_lesson=following.title if following is not None else "")

    def _below(self) -> ScreenName:
        stack = self.screen.app.screen_stack
        under = stack[: stack.index(self.screen)] if self.screen in stack else ()
        return next((each.situation.screen for each in reversed(under) if isinstance(each, Situated)), "home")

    def action_again(self) -> None:
        """The same scenario from the start, in a new session."""
        if self.run.going:
            self.say("the run is going: x stops it first")
            return
        shell_of(self.screen.app).opener.again(self.opened)

    def action_next_lesson(self) -> None:
        shell = shell_of(self.screen.app)
        following = shell.next_lesson(self.run.header.scenario_path)
        if self.can("next_lesson") and following is not None:
            shell.opener.instead(following.path)

    def action_compare_parent(self) -> None:
        """Where this fork parts from the run that it comes from."""
        if self.can("compare_parent"):
            shell_of(self.screen.app).opener.compare_with_parent(self.opened)

    def action_matrix_of_run(self) -> None:
        """Every step of the scenario against every fault."""
        shell_of(self.screen.app).opener.matrix(self.opened)

    def action_export_run(self) -> None:
        """This run up to now, in a form for others."""
        from workbench.sessions.store import slug
        from workbench.tui.exchange import Exporting

        header, events = self.run.header, tuple(self.run.events)
        path = self.opened.session_path
        name = path.stem if path is not None else slug(run_title(self.opened))
        Exporting(self.screen.app, lambda: (header, events), name).ask()

    def action_back(self) -> None:
        """Back to Home. What waits goes on waiting; a run that is going is stopped in order first."""
        assert isinstance(self.screen, RunView)
        shell_of(self.screen.app).opener.leave(self.screen)

    # ------------------------------------------------------------ scripts

    def action_edit_scenario(self) -> None:
        """The script that this run was made of; where its file is gone, as it was."""
        header = self.run.header
        path = Path(header.scenario_path)
        if header.scenario_path and path.is_file():
            shell_of(self.screen.app).editor.file(path)
            return

        def as_it_was(_: str) -> str:
            from workbench.scenarios.writing import scenario_text

            return scenario_text(header.scenario)

        shell_of(self.screen.app).editor.text(run_title(self.opened), as_it_was)

    def action_make_scenario(self) -> None:
        """A script that plays this session again, to be looked at and saved."""
        if not self.can("make_scenario"):
            return
        header, events = self.run.header, tuple(self.run.events)

        def text(title: str) -> str:
            from workbench.scenarios.played import played

            return played(header, events, title=title).text

        shell_of(self.screen.app).editor.text(f"{run_title(self.opened)}, as played", text)
