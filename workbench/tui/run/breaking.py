"""Keys that break a run on purpose: faults to arm, and the door where results and replies wait."""

from __future__ import annotations

from textual import on
from textual.widgets import Input

from workbench.core.events import HeldReply
from workbench.core.faults import describe, label
from workbench.core.holding import FilterError, read_filter
from workbench.core.loop import AskPerson
from workbench.core.values import Fault
from workbench.models.written import write
from workbench.tui.run.bar import BarArea
from workbench.tui.run.breaker import Breaker
from workbench.tui.run.deciding import Deciding
from workbench.tui.screens import Shell
from workbench.view.breaking import Door
from workbench.view.entries import Line, Span
from workbench.view.filters import filter_line
from workbench.view.lines import one_line
from workbench.view.words import name_of


class Breaking(Deciding):
    """Arm and disarm; hold, pass on, change and put back."""

    reply_edit: tuple[int, str] = (-1, "")
    """A held reply that was rewritten and not let in: the event it was held with, and the text."""

    # ------------------------------------------------------------ what is held

    def held_reply(self) -> HeldReply | None:
        """The reply that stands at the door and wants the person."""
        if self.desk.looking_back or self.going:
            return None
        move = self.run_.next
        return move.question.reply if isinstance(move, AskPerson) else None

    @property
    def _door(self) -> Door:
        if self.desk.stand != "hold":
            return ""
        return "reply" if self.held_reply() is not None else "result"

    @property
    def _held_call(self) -> str:
        """The call whose result stands at the door; "" for a reply."""
        calls = self.waiting()
        return calls[0].call.id if calls else ""

    def pass_on(self, text: str | None = None) -> None:
        """Let what is held through, as it is or with another text."""
        if self.held_reply() is not None:
            done = self.command(lambda: self.run_.let_in(text))
        elif self.waiting():
            done = self.command(lambda: self.run_.release(self._held_call, content=text))
        else:
            return
        if done:
            self.go_on(move=False)

    def action_edit(self) -> None:
        """Of a held reply, all of it as a person writes one; else as at any question."""
        reply = self.held_reply()
        if reply is None or not self.can("edit"):
            super().action_edit()
            return
        native = self.run_.state.protocol.native_tools
        kept, text = self.reply_edit
        written = text if kept == len(self.run_.events) else write(reply.text, reply.calls, native=native)
        title: Line = (
            Span("◆ Edit the reply", "held", bold=True),
            Span("   sending it lets it in, as what the model said", "quiet"),
        )
        self.bar.open_area("edit-reply", "held", title, written, numbered=native)
        self.draw_keys()

    @on(BarArea.Sent)
    def _result_sent(self, event: BarArea.Sent) -> None:
        if self.bar.mode == "edit-result":
            self.close_field()
            self.pass_on(event.text)

    def action_undo_change(self) -> None:
        """What is held as it came."""
        if self.can("undo_change") and self.command(lambda: self.run_.put_back(self._held_call)):
            self.say(f"the {'result' if self._held_call else 'reply'} is as it came")

    # ------------------------------------------------------------ holding

    def action_hold(self) -> None:
        """Hold every result from now on; where anything is held, hold nothing."""
        if self.can("hold"):
            holding = self.run_.state.hold is not None
            if self.command(lambda: self.run_.change({"hold": not holding})):
                no_longer, hold = "nothing is held any more", "results stop at the door before the model reads them"
                self.say(no_longer if holding else hold)

    def action_hold_some(self) -> None:
        """A field for a filter: what is held from now on."""
        if not self.can("hold_some"):
            return
        title: Line = (
            Span("Hold at the door", "held", bold=True),
            Span(self.worded("   what the filter says; enter holds, {close} goes back"), "quiet"),
        )
        held = self.run_.state.hold
        self.bar.open_field("filter", "held", title, held.text if held is not None else "", hint="tool:add or reply")
        self._judge_filter(self.bar.field.value)
        self.draw_keys()

    @on(Input.Changed, "#bar-field")
    def _filter_typed(self, event: Input.Changed) -> None:
        if self.bar.mode == "filter":
            self._judge_filter(event.value)

    def _judge_filter(self, text: str) -> None:
        self.bar.note(filter_line(self.run_.state, text))

    @on(Input.Submitted, "#bar-field")
    def _filter_given(self, event: Input.Submitted) -> None:
        if self.bar.mode != "filter":
            return
        text = event.value.strip()
        try:
            if text:
                read_filter(text)
        except FilterError as error:
            self.bar.field.cursor_position = error.at - 1
            return
        self.reopen_bar()
        if self.command(lambda: self.run_.change({"hold": text or False})):
            self.say(f"held at the door: {text}" if text else "nothing is held any more")

    # ------------------------------------------------------------ faults

    def action_break_it(self) -> None:
        """Faults to choose from: for what comes, or at once for what is held."""
        if not self.can("break_it"):
            return
        from workbench.scenarios.faults import load_catalogue  # only for those who break things

        shell = self.app
        loaded = load_catalogue(shell.home.faults if isinstance(shell, Shell) else None)
        for problem in loaded.problems[:1]:
            self.say(one_line(str(problem)))
        door, call = self._door, self._held_call
        picked = self.desk.selected_call(self.picked)
        known = picked is not None and self.run_.state.tool(picked.call.tool) is not None

        def chosen(fault: Fault | None) -> None:
            if fault is None:
                return
            if door:
                if self.command(lambda: self.run_.strike(fault, call)):
                    self.say(f"struck by {one_line(label(fault))}; {self.worded('{undo_change} takes it back')}")
            elif self.command(lambda: self.run_.arm(fault)):
                self.say(f"armed: {one_line(describe(fault, from_here=True))}")

        self.app.push_screen(
            Breaker(
                self.run_,
                loaded.entries,
                tool=picked.call.tool if picked is not None and known else "",
                door=door,
                title=self._breaker_title(door),
                disarm=lambda at: self.command(lambda: self.run_.disarm(at)),
            ),
            chosen,
        )

    def _breaker_title(self, door: Door) -> Line:
        if not door:
            return (
                Span("≠ Break it", "changed", bold=True),
                Span("   what goes wrong from here on; what it was is kept", "quiet"),
            )
        what = f"result of {name_of(self.waiting()[0].call.tool)}" if door == "result" else "reply"
        return (
            Span(f"≠ Break the held {what}", "changed", bold=True),
            Span(self.worded("   it waits on; {undo_change} takes it back"), "quiet"),
        )
