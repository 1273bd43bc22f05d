"""What a person writes or looks at about the whole run: a message, its name, what is found, held and allowed in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events

from workbench.core.gate import describe
from workbench.core.holding import FilterError, read_filter
from workbench.tui.run.bar import BarPane
from workbench.tui.run.fields.field import LineField, ListField, TextField, digit
from workbench.tui.transcript.widget import Transcript
from workbench.view.entries import Line, Span
from workbench.view.filters import filter_line
from workbench.view.visible import visible


class Message(TextField):
    """A message to the model; the run goes on with it."""

    enter_sends = True
    covers = False
    aside = True

    def action_message(self) -> None:
        if self.can("message"):
            self.bar.open(self)

    def title(self) -> Line:
        return (
            Span("Message to the model", "user", bold=True),
            Span("   enter sends, the run goes on: steps and seconds start again, totals stay", "quiet"),
        )

    def sent(self, text: str) -> None:
        if not text.strip():
            self.say("the message is empty")
            return
        self.bar.reopen()
        if self.command(lambda: self.run.message(text)):
            self.driver.keep_going = True
            self.driver.drive(play=True)


class Naming(LineField):
    """A name for the session."""

    aside = True

    def action_name(self) -> None:
        if self.can("name"):
            self.bar.open(self)

    def title(self) -> Line:
        return (Span("Name this session", "primary"), Span("   it is saved all along", "quiet"))

    def text(self) -> str:
        return self.run.state.title or self.run.header.goal

    def sent(self, text: str) -> None:
        name = text.strip()
        self.bar.reopen()
        if name and name != self.text() and self.command(lambda: self.run.change({"title": name})):
            self.say(f"named {name}")


class HoldSome(LineField):
    """A filter: what it says is held at the door from now on."""

    role = "held"
    aside = True
    hint = "tool:add or reply"

    def action_hold_some(self) -> None:
        if self.can("hold_some"):
            self.bar.open(self)

    def title(self) -> Line:
        hint = self.worded("   what the filter says; enter holds, {close} goes back")
        return (Span("Hold at the door", "held", bold=True), Span(hint, "quiet"))

    def text(self) -> str:
        held = self.run.state.hold
        return held.text if held is not None else ""

    def judged(self, text: str) -> Sequence[Line]:
        return (filter_line(self.run.state, text),)

    def sent(self, text: str) -> None:
        text = text.strip()
        try:
            if text:
                read_filter(text)
        except FilterError as error:
            self.bar.pane.line.cursor_position = error.at - 1
            return
        self.bar.reopen()
        if self.command(lambda: self.run.change({"hold": text or False})):
            self.say(f"held at the door: {text}" if text else "nothing is held any more")


@dataclass(eq=False)
class Searching(LineField):
    """A text to look for in the transcript; enter and the arrows go from place to place."""

    needle: str = ""
    aside = True
    hint = "text"

    def action_search(self) -> None:
        self.bar.open(self)

    def draw(self, pane: BarPane) -> None:
        pane.show_line(self, pane.search)

    def title(self) -> Line:
        return (Span("Find in the transcript", "primary"), Span("   enter next · ↑ before · esc stays", "quiet"))

    def text(self) -> str:
        return self.needle

    def changed(self, text: str) -> None:
        self.needle = text
        self.drawing.transcript.search(text)

    def does(self, what: str) -> None:
        self.drawing.transcript.find(forward=what == "next")

    def found(self, event: Transcript.Found) -> None:
        """Say what came of it, where it is still looked for."""
        if self.bar.opened is self:
            nothing, round_ = [(Span("nothing found", "error"),)], [(Span("round the end, from the start", "quiet"),)]
            self.bar.note(*(nothing if event.place is None else round_ if event.wrapped else ()))

    def closed(self) -> None:
        self.drawing.transcript.search("")


class Grants(ListField):
    """What was allowed for this run; a number withdraws one."""

    aside = True

    def action_grants(self) -> None:
        if self.bar.opened is self:
            self.bar.reopen()
        else:
            self.bar.open(self)

    def title(self) -> Line:
        some, none = "a number withdraws one, {close} closes", "nothing; {allow_more} at a question allows more"
        hint = self.worded(some if self.run.state.grants else none)
        return (Span("Allowed in this run", "primary", bold=True), Span(f"   {hint}", "quiet"))

    def lines(self) -> list[Line]:
        return [
            (Span(f"{index}  ", "primary", bold=True), Span(visible(describe(grant))))
            for index, grant in enumerate(self.run.state.grants, 1)
        ]

    def key(self, event: events.Key) -> bool:
        at = digit(event)
        if at is not None and self.command(lambda: self.run.withdraw(at)):
            self.bar.open(self)
        return at is not None
