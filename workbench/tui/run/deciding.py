"""Keys that decide about calls. Only `y` allows, and no key that was pressed ahead decides."""

from __future__ import annotations

import json
from dataclasses import replace

from textual import events, on
from textual.widgets import Input, TextArea

from workbench.core.loop import AskPerson
from workbench.core.records import CallRecord
from workbench.tui.actions import BY_NAME, key_words, keys_of
from workbench.tui.run.bar import BarArea, BarScroll
from workbench.tui.run.drawing import ASKING, Drawing
from workbench.tui.run.whole import WholeCall
from workbench.tui.screens import keymap_of
from workbench.view.arguments import arguments_shown
from workbench.view.bars import Bar, consequences
from workbench.view.entries import Line, Role, Span
from workbench.view.lines import clip, cut_line, wrapped
from workbench.view.scopes import Scope, scopes
from workbench.view.visible import visible
from workbench.view.words import name_of

NOT_SENT = {
    "edit": ("edit", "your edit"),
    "edit-result": ("edit", "your edit"),
    "answer": ("answer_for", "your answer"),
}
"""For a text that was typed in a field and not sent: the action that opens it again, and what it is."""


class Deciding(Drawing):
    """Allow, deny, edit, answer for it, allow more."""

    scope_choices: list[Scope]
    scope_at = 0
    draft: tuple[str, str, str] = ("", "", "")
    """A text that was typed and not sent: for which call, in which field, and what."""

    # ------------------------------------------------------------ which call

    def waiting(self) -> list[CallRecord]:
        """The calls the person is asked about, the one to decide now first."""
        if self.desk.looking_back or self.going:
            return []
        move = self.run_.next
        if not isinstance(move, AskPerson):
            return []
        calls = list(move.question.calls)
        chosen = next((i for i, record in enumerate(calls) if record.call.id == self.chosen), 0)
        return [*calls[chosen:], *calls[:chosen]]

    def decide(self, decision: str, **given: str) -> None:
        """Decide about the call in front; then go on as before. What was allowed runs."""
        calls = self.waiting()
        if not calls:
            return
        call_id = calls[0].call.id
        if self.bar.mode != "question":
            self.close_field()
        if self.command(lambda: self.run_.decide(call_id, decision, **given)):
            self.chosen = ""
            self.go_on(move=decision in ("allow", "edit"))

    def guarded(self, action: str) -> bool:
        """Whether the press of the key of that action may decide; if not, that is said."""
        keys = keys_of(BY_NAME[action], keymap_of(self.app))
        if self.guard.allows(*keys):
            return True
        self.say(f"press {key_words(keys[0])} again")
        return False

    # ------------------------------------------------------------ approval

    def action_allow(self) -> None:
        """`y`: allow the call in front, or grant the marked scope."""
        if not self.can("allow") or not self.guarded("allow"):
            return
        if self.bar.mode == "more":
            self._grant()
            return
        wanted = self.wanted_bar()
        if wanted is not None and not wanted.whole and wanted.kind in ("approval", "batch"):
            self.show_whole()
        else:
            self.decide("allow")

    def action_deny(self) -> None:
        """`n`: deny with a reason; of a call that was interrupted, say that nobody knows what came of it."""
        if not self.can("deny"):
            return
        if self.desk.stand == "interrupted":
            if self.guarded("deny"):
                self.decide("deny")
            return
        hint = self.worded("the model reads your reason; enter denies, {close} goes back")
        self.bar.open_field("reason", "wait", self._about("▲ Deny", "", hint), hint="the reason, or nothing")
        self.draw_keys()

    def action_edit(self) -> None:
        """The arguments of the call, or the held result, as text."""
        if not self.can("edit"):
            return
        record = self.waiting()[0]
        if record.held is not None:
            title = self._about("◆ Edit the result of", "", "sending it passes it on")
            self.bar.open_area("edit-result", "held", title, record.held.content, self._draft("edit-result"))
        else:
            title = self._about("▲ Edit what", " gets", "the model is told what ran")
            self.bar.open_area("edit", "wait", title, _laid_out(arguments_shown(record)), self._draft("edit"))
        self.draw_keys()

    def action_answer_for(self) -> None:
        """What the model is to read in place of a result."""
        if self.can("answer_for"):
            hint = "The tool does not run. The model reads your text as its result."
            title = self._about("▲ Answer for", "", hint)
            self.bar.open_area("answer", "wait", title, self._known_result(), self._draft("answer"))
            self.draw_keys()

    def _known_result(self) -> str:
        """What the call in front gave back where another branch of this run has made it."""
        record, state = self.waiting()[0], self.run_.state
        done = state.elsewhere.get(state.effect_key(record.call.tool, record.arguments))
        return done.result if done is not None else ""

    def _about(self, before: str, after: str, hint: str) -> Line:
        """The title of a field that is about the call in front."""
        record = self.waiting()[0]
        role: Role = "held" if record.held is not None else "wait"
        name = Span(name_of(record.call.tool), role, bold=True)
        return (Span(f"{before} ", role), name, *((Span(after, role),) if after else ()), Span(f"   {hint}", "quiet"))

    def wanted_bar(self) -> Bar | None:
        """The bar for how things stand; with what was typed about the call in front, where it was not sent."""
        wanted = super().wanted_bar()
        call, field, text = self.draft
        if wanted is None or wanted.kind not in ASKING or wanted.calls[:1] != (call,):
            return wanted
        action, what = NOT_SENT[field]
        width = max(20, self.size.width - 5)
        line: Line = (Span(f"≠ {what}, not sent: ", "changed"), Span(cut_line(text, width)))
        keys = self.worded(f"{{{action}}} goes on with it; {{allow}} runs what the model wrote")
        after: Line = (Span(keys, "quiet"),)
        return replace(wanted, body=(*wanted.body, clip(line, width), *((after,) if field != "edit-result" else ())))

    def _draft(self, mode: str) -> str:
        """What was typed in that field about the call in front, and not sent."""
        call, field, text = self.draft
        return text if (call, field) == (self.waiting()[0].call.id, mode) else ""

    # ------------------------------------------------------------ allowing more

    def action_allow_more(self) -> None:
        """The scopes there are, to choose one by its number and grant it with y."""
        if self.can("allow_more"):
            self.scope_choices = scopes(self.waiting())
            self.scope_at = 0
            self._draw_scopes()

    def _draw_scopes(self) -> None:
        title: Line = (
            Span("▲ Allow more, in this run only", "wait"),
            Span("   a number chooses", "quiet"),
        )
        lines: list[Line] = [
            (
                Span("▸ " if index == self.scope_at else "  ", "primary"),
                Span(f"{index + 1}  ", "primary", bold=True),
                Span(visible(scope.words), bold=index == self.scope_at),
            )
            for index, scope in enumerate(self.scope_choices)
        ]
        self.bar.show_list("more", "wait", title, wrapped(lines, self.size.width - 5))
        self.arm_guard()
        self.draw_keys()

    def choose_scope(self, event: events.Key) -> bool:
        """A digit in the list of scopes marks one. Returns whether it was one."""
        if self.bar.mode != "more" or event.character is None or not event.character.isdecimal():
            return False
        at = int(event.character) - 1
        if 0 <= at < len(self.scope_choices):
            self.scope_at = at
            self._draw_scopes()
        return True

    def _grant(self) -> None:
        scope = self.scope_choices[self.scope_at]

        def grant() -> None:
            for rule in scope.rules:
                self.run_.grant(rule)
            for call_id in scope.calls:
                self.run_.decide(call_id, "allow")

        self.close_field()
        if self.command(grant):
            self.go_on(move=True)
            self.say(f"allowed in this run: {scope.words}")

    # ------------------------------------------------------------ the fields

    @on(TextArea.Changed, "#bar-area")
    def _text_changed(self, event: TextArea.Changed) -> None:
        mode, calls = self.bar.mode, self.waiting()
        if mode not in ("edit", "answer", "edit-result") or not calls:
            return
        text = event.text_area.text
        self.draft = ("", "", "") if text == self.bar.area.original else (calls[0].call.id, mode, text)
        if mode == "edit":
            self.bar.note(*self._judged(calls[0], text))

    def _judged(self, record: CallRecord, text: str) -> list[Line]:
        """Whether these arguments may run, and what the call would do with them."""
        if problem := self.run_.check_edit(record.call.id, text):
            return [(Span(f"✗ {problem}", "error"),)]
        tools = self.run_.tools
        canonical = tools.check(record.call.tool, text).canonical
        changes = _changes(record.arguments, text)
        valid = (Span("✓ valid", "go"), *((Span(f"   {changes}", "quiet"),) if changes else ()))
        width = max(20, self.size.width - 5)
        come = consequences(self.run_.state, record, tools.preview, width, brief=True, arguments=canonical)
        return [valid, *come]

    @on(BarArea.Reset)
    def _reset(self) -> None:
        area = self.bar.area
        if area.text == area.original:
            self.say("it is as it was")
        else:
            area.put(area.original)

    @on(BarArea.Sent)
    def _sent(self, event: BarArea.Sent) -> None:
        match self.bar.mode:
            case "edit":
                self._send_edit(event.text)
            case "answer":
                self.decide("answer", answer=event.text)

    def _send_edit(self, text: str) -> None:
        calls = self.waiting()
        if not (calls and self.run_.check_edit(calls[0].call.id, text)):
            self.decide("edit", arguments=text)
            return
        self.say("not sent: what is wrong with it stands below the text")
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            self.bar.area.move_cursor((error.lineno - 1, error.colno - 1))

    @on(Input.Submitted, "#bar-field")
    def _reason_given(self, event: Input.Submitted) -> None:
        if self.bar.mode == "reason":
            self.decide("deny", reason=event.value)

    # ------------------------------------------------------------ in the bar

    @on(BarScroll.Moved)
    def _moved_in_bar(self, event: BarScroll.Moved) -> None:
        calls = self.waiting()
        if len(calls) > 1 and self.desk.stand == "approval" and self.bar.mode == "question":
            ids = sorted((record.call.id for record in calls), key=lambda call: int(call[1:]))
            at = ids.index(calls[0].call.id) + (1 if event.down else -1)
            self.chosen = ids[at % len(ids)]
            self.draw()
        else:
            self.bar.scroll.scroll_relative(y=1 if event.down else -1, animate=False)

    def deny_plainly(self) -> None:
        """Deny the call in front without a reason."""
        if self.guarded("close"):
            self.decide("deny")

    def show_whole(self) -> None:
        """All arguments of the call in front; it can be allowed there."""
        calls = self.waiting()
        if not calls:
            return

        def answered(allowed: bool | None) -> None:
            if allowed and calls[0] is next(iter(self.waiting()), None):
                self.decide("allow")
            else:
                self.reset_bar()
                self.draw()

        self.app.push_screen(WholeCall(self.run_, calls[0]), answered)


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
