"""Keys about the session: run again, send a message, name it, look at grants; and leaving."""

from __future__ import annotations

from textual import events, on
from textual.widgets import Input

from workbench.core.gate import describe
from workbench.tui.run.bar import BarArea
from workbench.tui.run.deciding import Deciding
from workbench.tui.run.frame import SideColumn
from workbench.tui.run.looking_back import LookingBack
from workbench.tui.run.reading import Reading
from workbench.tui.screens import shell_of
from workbench.tui.viewer import Viewer
from workbench.view.entries import Line, Span
from workbench.view.figures import counted
from workbench.view.visible import visible


class Keeping(Reading, LookingBack, Deciding):
    """What is kept, and how to go on with it."""

    def action_again(self) -> None:
        """The same scenario from the start, in a new session."""
        if self.going:
            self.say("the run is going: x stops it first")
            return
        shell_of(self.app).opener.again(self.opened)

    def action_message(self) -> None:
        if self.can("message"):
            title: Line = (
                Span("Message to the model", "user", bold=True),
                Span("   enter sends, the run goes on: steps and seconds start again, totals stay", "quiet"),
            )
            self.bar.open_area("message", "primary", title, "")
            self.draw_keys()

    @on(BarArea.Sent)
    def _message_sent(self, event: BarArea.Sent) -> None:
        if self.bar.mode != "message":
            return
        if not event.text.strip():
            self.say("the message is empty")
            return
        self.reopen_bar()
        if self.command(lambda: self.run_.message(event.text)):
            self.keep_going = True
            self.drive(play=True)

    def action_name(self) -> None:
        if not self.can("name"):
            return
        title: Line = (Span("Name this session", "primary"), Span("   it is saved all along", "quiet"))
        self.bar.open_field("name", "primary", title, self.run_title)
        self.draw_keys()

    @on(Input.Submitted, "#bar-field")
    def _named(self, event: Input.Submitted) -> None:
        if self.bar.mode != "name":
            return
        name = event.value.strip()
        self.reopen_bar()
        if name and name != self.run_title and self.command(lambda: self.run_.change({"title": name})):
            self.say(f"named {name}")

    def action_next_lesson(self) -> None:
        shell = shell_of(self.app)
        following = shell.next_lesson(self.run_.header.scenario_path)
        if self.can("next_lesson") and following is not None:
            shell.opener.instead(following.path)

    def action_compare_parent(self) -> None:
        """Where this fork parts from the run that it comes from."""
        if self.can("compare_parent"):
            shell_of(self.app).opener.compare_with_parent(self.opened)

    def action_matrix_of_run(self) -> None:
        """Every step of the scenario against every fault."""
        shell_of(self.app).opener.matrix(self.opened)

    def action_export_run(self) -> None:
        """This run up to now, in a form for others."""
        from workbench.sessions.store import slug
        from workbench.tui.exchange import Exporting

        header, events = self.run_.header, tuple(self.run_.events)
        path = self.opened.session_path
        name = path.stem if path is not None else slug(self.run_title)
        Exporting(self.app, lambda: (header, events), name).ask()

    def action_verdict(self) -> None:
        """Each expectation that does not hold, with both values."""
        differs = self.verdict.differs
        if self.can("verdict") and differs:
            title: Line = (Span("≠ not as expected", "changed", bold=True),)
            self.app.push_screen(Viewer(title, self.verdict.lines(), facts=counted(len(differs), "difference")))

    # ------------------------------------------------------------ grants

    def action_grants(self) -> None:
        """What was allowed for this run; a number withdraws one."""
        if self.bar.mode == "grants":
            self.reopen_bar()
            return
        self._draw_grants()

    def _draw_grants(self) -> None:
        grants = self.run_.state.grants
        hint = "a number withdraws one, {close} closes" if grants else "nothing; {allow_more} at a question allows more"
        hint = self.worded(hint)
        title: Line = (Span("Allowed in this run", "primary", bold=True), Span(f"   {hint}", "quiet"))
        lines: list[Line] = [
            (Span(f"{index}  ", "primary", bold=True), Span(visible(describe(grant))))
            for index, grant in enumerate(grants, 1)
        ]
        self.bar.show_list("grants", "primary", title, lines)
        self.draw_keys()

    def withdraw(self, event: events.Key) -> bool:
        """A digit in the list of grants withdraws one. Returns whether it was one."""
        if self.bar.mode != "grants" or event.character is None or not event.character.isdigit():
            return False
        index = int(event.character) - 1
        if self.command(lambda: self.run_.withdraw(index)):
            self._draw_grants()
        return True

    # ------------------------------------------------------------ closing and leaving

    def action_close(self) -> None:
        """The innermost thing: a field, a list, the past; then a question is denied without a reason."""
        if self.bar.mode not in ("", "question"):
            if self.bar.mode == "search":
                self.transcript.search("")
            self.reopen_bar()
        elif self.desk.looking_back:
            self.look_now()
        elif self.shown != "transcript":
            self.show("transcript")
        elif self.desk.stand == "approval":
            self.deny_plainly()
        elif self.focused is not self.transcript:
            self.transcript.focus()

    def action_back(self) -> None:
        """Back to Home. What waits goes on waiting; a run that is going is stopped in order first."""
        shell_of(self.app).opener.leave(self)

    def action_next_pane(self) -> None:
        self._turn(1)

    def action_previous_pane(self) -> None:
        self._turn(-1)

    def _turn(self, by: int) -> None:
        """From pane to pane: the transcript, what is open in the bar, the calls."""
        inside, calls = self.bar.inside, self.query_one(SideColumn).calls
        there = [self.transcript, *([inside] if inside is not None else []), calls]
        panes = [pane for pane in there if pane.region]
        if panes:
            at = panes.index(self.focused) if self.focused in panes else -by
            panes[(at + by) % len(panes)].focus()
        self.draw_keys()
