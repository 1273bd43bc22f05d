"""Keys that decide about calls and held results. Only `y` allows, and no key that was pressed ahead decides."""

from __future__ import annotations

import json

from textual import events, on
from textual.widgets import Input, TextArea

from workbench.core.loop import AskPerson
from workbench.core.records import CallRecord
from workbench.tui.run.bar import BarArea, BarScroll
from workbench.tui.run.base import RunBase
from workbench.tui.run.whole import WholeCall
from workbench.view.entries import Line, Span
from workbench.view.panes import arguments_shown
from workbench.view.scopes import Scope, scopes
from workbench.view.visible import visible


class Deciding(RunBase):
    """Allow, deny, edit, answer for it, allow more; and what to do with a held result."""

    scope_choices: list[Scope]
    scope_at = 0
    draft = ""
    """Text that was typed for an edit or an answer and not sent."""

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
        """Decide about the call in front; then go on as before."""
        calls = self.waiting()
        if not calls:
            return
        call_id = calls[0].call.id
        self.chosen = ""
        if self.bar.mode != "question":
            self.bar.close_bar()
            self.transcript.focus()
        self.reset_bar()
        self.command(lambda: self.run_.decide(call_id, decision, **given), then_drive=True)

    def guarded(self, key: str) -> bool:
        """Whether this press of a key may decide; if not, that is said."""
        if self.guard.allows(key):
            return True
        self.say(f"press {'esc' if key == 'escape' else key} again")
        return False

    # ------------------------------------------------------------ approval

    def action_allow(self) -> None:
        """`y`: allow the call in front, or grant the marked scope."""
        if self.bar.mode == "more":
            self._grant()
            return
        if not self.can("allow") or not self.guarded("y"):
            return
        wanted = self.wanted_bar()
        if wanted is not None and not wanted.whole and wanted.kind in ("approval", "batch"):
            self.show_whole()
            return
        self.decide("allow")

    def action_deny(self) -> None:
        if not self.can("deny"):
            return
        if self.desk.stand == "interrupted":
            self.decide("deny")
        else:
            name = visible(self.waiting()[0].call.tool)
            title: Line = (
                Span("▲ Deny ", "wait"),
                Span(name, "wait", bold=True),
                Span("   the model reads your reason; enter denies, esc goes back", "quiet"),
            )
            self.bar.open_field("reason", "wait", title, hint="the reason, or nothing")
            self.draw_keys()

    def action_edit(self) -> None:
        """The arguments of the call, or the held result, as text."""
        if not self.can("edit"):
            return
        record = self.waiting()[0]
        name = visible(record.call.tool)
        if record.held is not None:
            title: Line = (Span("◆ Edit the result of ", "held"), Span(name, "held", bold=True))
            self.bar.open_area("edit-result", "held", title, self.draft or record.held.content)
        else:
            title = (
                Span("▲ Edit what ", "wait"),
                Span(name, "wait", bold=True),
                Span(" gets", "wait"),
                Span("   the model is told what ran", "quiet"),
            )
            arguments = json.dumps(json.loads(arguments_shown(record)), indent=2, ensure_ascii=False)
            self.bar.open_area("edit", "wait", title, self.draft or arguments)
        self.draw_keys()

    def action_answer_for(self) -> None:
        if self.can("answer_for"):
            title: Line = (
                Span("▲ Answer for ", "wait"),
                Span(visible(self.waiting()[0].call.tool), "wait", bold=True),
                Span("   The tool does not run. The model reads your text as its result.", "quiet"),
            )
            self.bar.open_area("answer", "wait", title, self.draft)
            self.draw_keys()

    def action_allow_more(self) -> None:
        """The scopes there are, to choose one by its number and grant it with y."""
        if self.can("allow_more"):
            self.scope_choices = scopes(self.waiting())
            self.scope_at = 0
            self._draw_scopes()
            self.arm_guard()

    def _draw_scopes(self) -> None:
        title: Line = (
            Span("▲ Allow more, in this run only", "wait"),
            Span("   a number chooses, y grants what is marked, esc goes back", "quiet"),
        )
        lines: list[Line] = [
            (
                Span("▸ " if index == self.scope_at else "  ", "primary"),
                Span(f"{index + 1}  ", "primary", bold=True),
                Span(visible(scope.words), bold=index == self.scope_at),
            )
            for index, scope in enumerate(self.scope_choices)
        ]
        self.bar.show_list("more", "wait", title, lines)
        self.draw_keys()

    def _grant(self) -> None:
        if not self.guarded("y"):
            return
        scope = self.scope_choices[self.scope_at]
        calls = scope.calls or (self.waiting()[0].call.id,)
        self.bar.close_bar()
        self.reset_bar()

        def grant() -> None:
            for rule in scope.rules:
                self.run_.grant(rule)
            for call_id in calls if scope.calls else ():
                self.run_.decide(call_id, "allow")

        self.command(grant, then_drive=True)
        self.say(f"allowed for this run: {scope.words}")

    # ------------------------------------------------------------ held results

    def pass_on(self) -> None:
        """Let the held result through as it is."""
        calls = self.waiting()
        if calls:
            self.command(lambda: self.run_.release(calls[0].call.id), then_drive=True)

    def action_hold(self) -> None:
        """Hold results at the door from now on, or no longer."""
        if self.can("hold"):
            holding = self.run_.state.hold
            if self.command(lambda: self.run_.change({"hold": not holding})):
                self.say(
                    "results are no longer held" if holding else "results stop at the door before the model reads them"
                )

    # ------------------------------------------------------------ the fields

    @on(TextArea.Changed, "#bar-area")
    def _text_changed(self, event: TextArea.Changed) -> None:
        mode = self.bar.mode
        if mode in ("edit", "answer", "edit-result"):
            self.draft = event.text_area.text
        if mode == "edit" and self.waiting():
            problem = self.run_.check_edit(self.waiting()[0].call.id, event.text_area.text)
            note: Line = (Span(f"✗ {visible(problem)}", "error"),) if problem else (Span("✓ valid", "go"), *self._was())
            self.bar.note(note)

    def _was(self) -> tuple[Span, ...]:
        """Which arguments differ from what the model wrote."""
        record = self.waiting()[0]
        new, old = json.loads(self.bar.area.text), json.loads(record.arguments)
        changed = [f"{name} was {json.dumps(old.get(name))}" for name in new if new[name] != old.get(name)]
        gone = [f"{name} is gone" for name in old if name not in new]
        return (Span(f"   {', '.join([*changed, *gone])}", "quiet"),) if changed or gone else ()

    @on(BarArea.Sent)
    def _sent(self, event: BarArea.Sent) -> None:
        mode = self.bar.mode
        if mode == "edit":
            self._send_edit(event.text)
        elif mode == "answer":
            self.draft = ""
            self.decide("answer", answer=event.text)
        elif mode == "edit-result":
            calls = self.waiting()
            self.draft = ""
            self.bar.close_bar()
            self.transcript.focus()
            if calls:
                self.command(lambda: self.run_.release(calls[0].call.id, content=event.text), then_drive=True)

    def _send_edit(self, text: str) -> None:
        calls = self.waiting()
        if not calls:
            return
        problem = self.run_.check_edit(calls[0].call.id, text)
        if not problem:
            self.draft = ""
            self.decide("edit", arguments=text)
            return
        self.say(problem)
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            self.bar.area.move_cursor((error.lineno - 1, error.colno - 1))

    @on(Input.Submitted, "#bar-field")
    def _entered(self, event: Input.Submitted) -> None:
        if self.bar.mode == "reason":
            self.decide("deny", reason=event.value)
        else:
            self.field_entered(event.value)

    # ------------------------------------------------------------ in the bar

    @on(BarScroll.Moved)
    def _moved_in_bar(self, event: BarScroll.Moved) -> None:
        calls = self.waiting()
        if len(calls) > 1 and self.desk.stand == "approval":
            ids = sorted((record.call.id for record in calls), key=lambda call: int(call[1:]))
            at = ids.index(calls[0].call.id) + (1 if event.down else -1)
            self.chosen = ids[at % len(ids)]
            self.draw()
        elif event.down:
            self.bar.scroll.scroll_down(animate=False)
        else:
            self.bar.scroll.scroll_up(animate=False)

    def deny_plainly(self) -> None:
        """Deny the call in front without a reason."""
        if self.guarded("escape"):
            self.decide("deny")

    def choose_scope(self, event: events.Key) -> bool:
        """A digit in the list of scopes marks one. Returns whether it was one."""
        if self.bar.mode != "more" or event.character is None or not event.character.isdigit():
            return False
        at = int(event.character) - 1
        if 0 <= at < len(self.scope_choices):
            self.scope_at = at
            self._draw_scopes()
            self.arm_guard()
        return True

    def show_whole(self) -> None:
        """All arguments of the call in front, with the keys that decide."""
        calls = self.waiting()
        if calls:
            self.app.push_screen(WholeCall(self.run_, calls[0]), self._decided_there)

    def _decided_there(self, decision: bool | None) -> None:
        if decision:
            self.decide("allow")
        else:
            self.reset_bar()
            self.draw()
