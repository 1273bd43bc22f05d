"""What a person writes in place of a model: the reply that is due, the next one of a script, one held or forked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.core.events import Event, ModelReply
from workbench.forking import Branch
from workbench.models.human import HumanModel
from workbench.models.rewriting import other_problem, text_of, what_it_is
from workbench.models.written import write, written_problem
from workbench.tui.choose import Choose
from workbench.tui.run.fields.field import Field, TextField
from workbench.tui.run.script import reply_due
from workbench.view.authoring import reading_line, reply_pieces
from workbench.view.bars import Bar, reply_bar
from workbench.view.entries import Line, Span


class WrittenReply(TextField):
    """A reply as a person writes one. Below it stands what the run would make of it."""

    phase = "writing"

    @property
    def numbered(self) -> bool:
        return self.run.state.protocol.native_tools

    def judged(self, text: str) -> Sequence[Line]:
        return (reading_line(self.run.state, text, self.run.tools.check),)

    def sent(self, text: str) -> None:
        problem = written_problem(text, native=self.numbered) if text.strip() else "the reply is empty"
        if problem:
            self.refuse(problem, text)
        else:
            self.take(text)

    def take(self, text: str) -> None:
        """A reply that can be read was sent."""
        raise NotImplementedError

    def does(self, what: str) -> None:
        if what != "insert":
            super().does(what)
        elif self.can("insert"):
            self._offer_pieces()

    def _offer_pieces(self) -> None:
        """Pieces to begin with. A JSON object takes the place of what is there; other pieces join it."""
        offered = reply_pieces(self.run.state)

        def chosen(index: int | None) -> None:
            if index is not None and self.bar.opened is self:
                self.bar.area.put_in(offered[index][1], alone=self.numbered)

        self.screen.app.push_screen(Choose("Insert", [(title, "") for title, _ in offered]), chosen)


@dataclass(eq=False)
class WriteReply(WrittenReply):
    """The reply that is due, where a person is the model."""

    typed: str = ""
    """What was typed and not sent."""
    put_off: int = -1
    """How many events there were when the person closed it."""
    role = "wait"
    submit = "send the reply"

    def make(self) -> bool:
        """The next move, where it is the person's who is the model. Returns whether it is."""
        due = self.desk.stand == "reply"
        if due:
            self.bar.open(self)
        return due

    def offer(self) -> None:
        """Where the reply is due, open, unless the person has closed it, or something else is open."""
        if self.bar.opened is None and self.put_off != len(self.run.events):
            self.make()

    def beside(self, wanted: Bar | None) -> Bar | None:
        """Where the reply is due, the bar that stands there while this is closed."""
        return reply_bar(self.run.state, self.typed, self.bar.width) if self.desk.stand == "reply" else wanted

    def title(self) -> Line:
        hint = self.worded("   the run waits for your reply; {sees} shows all that the model reads", typing=True)
        return (Span("▲ You are the model", "wait", bold=True), Span(hint, "quiet"))

    def draft(self) -> str:
        return self.typed

    def changed(self, text: str) -> None:
        self.typed = text

    def take(self, text: str) -> None:
        model = self.run.model
        assert isinstance(model, HumanModel), "nobody else waits for a reply"
        model.say(text)
        self.typed = ""
        self.bar.close()
        self.driver.drive(play=self.driver.keep_going)

    def closed(self) -> None:
        self.put_off = len(self.run.events)


class RewriteNext(WrittenReply):
    """The reply of the script that is due, to be changed for this run."""

    submit = "put it in place"

    def action_rewrite(self) -> None:
        if self.can("rewrite"):
            self.bar.open(self)

    def title(self) -> Line:
        due = reply_due(self.run)
        hint = f"   reply {due.line + 1}, changed for this run only" if due is not None else ""
        return (Span("What the script says next", "primary", bold=True), Span(hint, "quiet"))

    def text(self) -> str:
        due = reply_due(self.run)
        return "" if due is None else write(due.text, due.calls, native=self.numbered)

    def draft(self) -> str:
        return self.run.state.next_reply or ""

    def take(self, text: str) -> None:
        changed = None if text == self.text() else text
        self.bar.close()
        if self.command(lambda: self.run.change({"next_reply": changed})):
            self.say("the script says what it says" if changed is None else "the next reply is what you wrote")


@dataclass(eq=False)
class EditReply(WrittenReply):
    """All of the reply that stands at the door."""

    pass_on: Callable[[str], None]
    typed: tuple[int, str] = (-1, "")
    """What was typed and not sent: how many events there were, and the text."""
    role = "held"
    submit = "let this in"

    def title(self) -> Line:
        hint = "   sending it lets it in, as what the model said"
        return (Span("◆ Edit the reply", "held", bold=True), Span(hint, "quiet"))

    def text(self) -> str:
        kept, text = self.typed
        reply = self.bar.waiting.reply
        if kept == len(self.run.events) or reply is None:
            return text
        return write(reply.text, reply.calls, native=self.numbered)

    def changed(self, text: str) -> None:
        self.typed = len(self.run.events), text

    def take(self, text: str) -> None:
        self.bar.close()
        self.pass_on(text)


@dataclass(eq=False)
class ForkText(TextField):
    """Another text for one event, in a fork."""

    fork: Callable[[Branch], None]
    at: int = 0
    """The event."""
    role = "past"
    submit = "fork with this"

    def picked(self) -> Field | None:
        """For what is picked; None where that can have no other text."""
        self.at = self.desk.timeline.number(self.drawing.picked)
        return self if self.desk.changeable(self.drawing.picked) else None

    @property
    def _event(self) -> Event:
        return self.run.events[self.at - 1]

    @property
    def numbered(self) -> bool:
        return isinstance(self._event, ModelReply)

    def title(self) -> Line:
        return (
            Span(f"◀ Fork with another {what_it_is(self._event)}", "past", bold=True),
            Span(f"   in place of event {self.at}, in a new session; this one stays as it is", "quiet"),
        )

    def text(self) -> str:
        return text_of(self._event, native=self.run.state.protocol.native_tools) or ""

    def judged(self, text: str) -> Sequence[Line]:
        return (reading_line(self.run.at(self.at - 1), text, self.run.tools.check),) if self.numbered else ()

    def sent(self, text: str) -> None:
        if problem := other_problem(self._event, text, native=self.run.state.protocol.native_tools):
            self.say(problem)
            return
        self.bar.reopen()
        self.fork(Branch(at=self.at, text=text))
