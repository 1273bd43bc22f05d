"""What a person writes or chooses about the call in front: other arguments, an answer, a reason, how much to allow."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

from textual import events

from workbench.core.records import CallRecord
from workbench.tui.run.fields.field import LineField, ListField, TextField, digit
from workbench.view.arguments import arguments_shown
from workbench.view.bars import Bar, consequences
from workbench.view.entries import Line, Span
from workbench.view.lines import clip, cut_line, wrapped
from workbench.view.scopes import Scope, scopes
from workbench.view.visible import visible


class Decides(Protocol):
    """Decides about the call in front."""

    def __call__(self, decision: str, **given: str) -> None: ...


@dataclass(eq=False)
class Unsent:
    """A text about a call that was typed and not sent: until the call is decided, or another one is typed."""

    call: str = ""
    field: CallText | None = None
    text: str = ""

    def beside(self, wanted: Bar | None) -> Bar | None:
        """The question about that call, with what was typed about it."""
        field = self.field
        if wanted is None or field is None or not wanted.asks or wanted.calls[:1] != (self.call,):
            return wanted
        width = field.bar.width
        line: Line = (Span(f"≠ {field.what}, not sent: ", "changed"), Span(cut_line(self.text, width)))
        keys = field.worded(f"{{{field.opened_by}}} goes on with it; {{allow}} runs what the model wrote")
        after: Line = (Span(keys, "quiet"),)
        return replace(wanted, body=(*wanted.body, clip(line, width), *((after,) if field.role == "wait" else ())))


@dataclass(eq=False)
class CallText(TextField):
    """A text about the call in front; what is typed and not sent is there when it is opened again."""

    unsent: Unsent
    opened_by: ClassVar[str] = "edit"
    """The action that opens it."""
    what: ClassVar[str] = "your edit"

    def draft(self) -> str:
        here = (self.unsent.call, self.unsent.field) == (self.bar.waiting.calls()[0].call.id, self)
        return self.unsent.text if here else ""

    def changed(self, text: str) -> None:
        if calls := self.bar.waiting.calls():
            other = text != self.original
            self.unsent.call, self.unsent.field = (calls[0].call.id, self) if other else ("", None)
            self.unsent.text = text


@dataclass(eq=False)
class EditArguments(CallText):
    """Other arguments, as JSON. Below them stands whether they may run, and what the call would do."""

    decide: Decides
    role = "wait"
    phase = "edit"
    submit = "run with these"
    numbered = True

    def title(self) -> Line:
        hint = "the model is told what ran" if self.run.state.plan is None else "the step is taken with these"
        return self.bar.waiting.about("▲ Edit what", " gets", hint)

    def text(self) -> str:
        return _laid_out(arguments_shown(self.bar.waiting.calls()[0]))

    def judged(self, text: str) -> Sequence[Line]:
        calls = self.bar.waiting.calls()
        return self._judged(calls[0], text) if calls else ()

    def _judged(self, record: CallRecord, text: str) -> list[Line]:
        """Whether these arguments may run, and what the call would do with them."""
        if problem := self.run.check_edit(record.call.id, text):
            return [(Span(f"✗ {problem}", "error"),)]
        tools = self.run.tools
        canonical = tools.check(record.call.tool, text).canonical
        changes = _changes(record.arguments, text)
        valid = (Span("✓ valid", "go"), *((Span(f"   {changes}", "quiet"),) if changes else ()))
        width = self.bar.width
        come = consequences(self.run.state, record, tools.preview, width, brief=True, arguments=canonical)
        return [valid, *come]

    def sent(self, text: str) -> None:
        calls = self.bar.waiting.calls()
        if calls and self.run.check_edit(calls[0].call.id, text):
            self.refuse("not sent: what is wrong with it stands below the text", text)
        else:
            self.decide("edit", arguments=text)


@dataclass(eq=False)
class EditResult(CallText):
    """Another text in place of the result that is held."""

    pass_on: Callable[[str], None]
    role = "held"
    phase = "edit"
    submit = "pass this on"

    def title(self) -> Line:
        return self.bar.waiting.about("◆ Edit the result of", "", "sending it passes it on")

    def text(self) -> str:
        held = self.bar.waiting.calls()[0].held
        return held.content if held is not None else ""

    def sent(self, text: str) -> None:
        self.bar.close()
        self.pass_on(text)


@dataclass(eq=False)
class AnswerFor(CallText):
    """What the model is to read in place of a result; to begin with, what another branch of the run was given back."""

    decide: Decides
    role = "wait"
    submit = "send as its result"
    opened_by = "answer_for"
    what = "your answer"

    def action_answer_for(self) -> None:
        if self.can("answer_for"):
            self.bar.open(self)

    def title(self) -> Line:
        becomes = (
            "The model reads your text as its result." if self.run.state.plan is None else "The step gives your text."
        )
        hint = f"The tool does not run. {becomes}"
        return self.bar.waiting.about("▲ Answer for", "", hint)

    def text(self) -> str:
        record, state = self.bar.waiting.calls()[0], self.run.state
        done = state.elsewhere.get(state.effect_key(record.call.tool, record.arguments))
        return done.result if done is not None else ""

    def sent(self, text: str) -> None:
        self.decide("answer", answer=text)


@dataclass(eq=False)
class DenyReason(LineField):
    """Why the call is denied, for the model to read."""

    decide: Decides
    role = "wait"
    hint = "the reason, or nothing"

    def title(self) -> Line:
        reader = "the model reads your reason" if self.run.state.plan is None else "the run ends with your reason"
        hint = self.worded(f"{reader}; enter denies, {{close}} goes back")
        return self.bar.waiting.about("▲ Deny", "", hint)

    def sent(self, text: str) -> None:
        self.decide("deny", reason=text)


@dataclass(eq=False)
class AllowMore(ListField):
    """The scopes there are: a number chooses one, and the key that allows grants it."""

    choices: list[Scope] = field(default_factory=list)
    at: int = 0
    role = "wait"
    phase = "scopes"
    decides = True

    def action_allow_more(self) -> None:
        if self.can("allow_more"):
            self.choices, self.at = scopes(self.bar.waiting.calls()), 0
            self.bar.open(self)

    def title(self) -> Line:
        return (Span("▲ Allow more, in this run only", "wait"), Span("   a number chooses", "quiet"))

    def lines(self) -> list[Line]:
        lines: list[Line] = [
            (
                Span("▸ " if index == self.at else "  ", "primary"),
                Span(f"{index + 1}  ", "primary", bold=True),
                Span(visible(scope.words), bold=index == self.at),
            )
            for index, scope in enumerate(self.choices)
        ]
        return wrapped(lines, self.bar.width)

    def key(self, event: events.Key) -> bool:
        at = digit(event)
        if at is not None and 0 <= at < len(self.choices):
            self.at = at
            self.bar.open(self)
        return at is not None

    def grant(self) -> None:
        """Grant the scope that is marked, and go on."""
        scope = self.choices[self.at]

        def grant() -> None:
            for rule in scope.rules:
                self.run.grant(rule)
            for call_id in scope.calls:
                self.run.decide(call_id, "allow")

        self.bar.close()
        if self.command(grant):
            self.driver.go_on(move=True)
            self.say(f"allowed in this run: {scope.words}")


def _laid_out(arguments: str) -> str:
    """Arguments as JSON to be edited: a key a line, and what cannot be seen by its number."""
    text = json.dumps(json.loads(arguments), indent=2, ensure_ascii=False)
    return "".join(c if c == "\n" or c.isprintable() else json.dumps(c)[1:-1] for c in text)


def _changes(before: str, after: str) -> str:
    """Which arguments differ from those that would have run."""
    old, new = json.loads(before), json.loads(after)
    changed = [
        f"{name} was {json.dumps(old[name])}" if name in old else f"{name} is new"
        for name in new
        if name not in old or new[name] != old[name]
    ]
    return ", ".join([*changed, *(f"{name} is gone" for name in old if name not in new)])
