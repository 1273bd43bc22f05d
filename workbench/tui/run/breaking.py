"""Keys that break a run on purpose: faults to arm, and the door where results and replies wait."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.faults import describe, label
from workbench.core.values import Fault
from workbench.tui.run.breaker import Breaker
from workbench.tui.run.fields.calls import EditResult, Unsent
from workbench.tui.run.fields.field import Field
from workbench.tui.run.fields.replies import EditReply
from workbench.tui.run.parts import Part
from workbench.tui.screens import Shell
from workbench.view.breaking import Door
from workbench.view.entries import Line, Span
from workbench.view.lines import one_line
from workbench.view.words import name_of


@dataclass(eq=False)
class Breaking(Part):
    """Arm and disarm; hold, pass on, change and put back."""

    unsent: Unsent

    def __post_init__(self) -> None:
        self._result = EditResult(*self.hands, self.unsent, self.pass_on)
        self._reply = EditReply(*self.hands, self.pass_on)

    # ------------------------------------------------------------ what is held

    def pass_on(self, text: str | None = None) -> None:
        """Let what is held through, as it is or with another text."""
        if self.bar.waiting.reply is not None:
            done = self.command(lambda: self.run.let_in(text))
        elif self.bar.waiting.calls():
            done = self.command(lambda: self.run.release(self.bar.waiting.held_call, content=text))
        else:
            return
        if done:
            self.driver.go_on(move=False)

    def make(self) -> bool:
        """The next move, where something waits at the door: it is passed on. Returns whether anything does."""
        holds = self.desk.stand == "hold"
        if holds:
            self.pass_on()
        return holds

    def held(self) -> Field | None:
        """What stands at the door, to be edited: a reply as a person writes one, or the text of a result."""
        door = self.bar.waiting.door
        return self._reply if door == "reply" else self._result if door == "result" else None

    def action_undo_change(self) -> None:
        """What is held as it came."""
        call = self.bar.waiting.held_call
        if self.can("undo_change") and self.command(lambda: self.run.put_back(call)):
            self.say(f"the {'result' if call else 'reply'} is as it came")

    # ------------------------------------------------------------ holding

    def action_hold(self) -> None:
        """Hold every result from now on; where anything is held, hold nothing."""
        if self.can("hold"):
            holding = self.run.state.hold is not None
            if self.command(lambda: self.run.change({"hold": not holding})):
                no_longer, hold = "nothing is held any more", "results stop at the door before the model reads them"
                self.say(no_longer if holding else hold)

    # ------------------------------------------------------------ faults

    def action_break_it(self) -> None:
        """Faults to choose from: for what comes, or at once for what is held."""
        if not self.can("break_it"):
            return
        from workbench.scenarios.faults import load_catalogue  # only for those who break things

        shell = self.screen.app
        loaded = load_catalogue(shell.home.faults if isinstance(shell, Shell) else None)
        for problem in loaded.problems[:1]:
            self.say(one_line(str(problem)))
        door, call = self.bar.waiting.door, self.bar.waiting.held_call
        picked = self.desk.selected_call(self.drawing.picked)
        known = picked is not None and self.run.state.tool(picked.call.tool) is not None

        def chosen(fault: Fault | None) -> None:
            if fault is None:
                return
            if door:
                if self.command(lambda: self.run.strike(fault, call)):
                    undo = self.worded("{undo_change} takes it back")
                    self.say(f"struck by {one_line(label(fault))}; {undo}")
            elif self.command(lambda: self.run.arm(fault)):
                self.say(f"armed: {one_line(describe(fault, from_here=True))}")

        self.screen.app.push_screen(
            Breaker(
                self.run,
                loaded.entries,
                tool=picked.call.tool if picked is not None and known else "",
                door=door,
                title=self._breaker_title(door),
                disarm=lambda at: self.command(lambda: self.run.disarm(at)),
            ),
            chosen,
        )

    def _breaker_title(self, door: Door) -> Line:
        if not door:
            return (
                Span("≠ Break it", "changed", bold=True),
                Span("   what goes wrong from here on; what it was is kept", "quiet"),
            )
        what = f"result of {name_of(self.bar.waiting.calls()[0].call.tool)}" if door == "result" else "reply"
        return (
            Span(f"≠ Break the held {what}", "changed", bold=True),
            Span(self.worded("   it waits on; {undo_change} takes it back"), "quiet"),
        )
