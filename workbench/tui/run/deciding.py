"""Keys that decide about calls. Only `y` allows, and no key that was pressed ahead decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.tui.run.fields.calls import AllowMore, AnswerFor, DenyReason, EditArguments, Unsent
from workbench.tui.run.fields.field import Field
from workbench.tui.run.parts import Part
from workbench.tui.run.whole import WholeCall


@dataclass(eq=False)
class Deciding(Part):
    """Allow, deny, edit, answer for it, allow more."""

    edits: Sequence[Callable[[], Field | None]] = ()
    """What can be edited, in this order: each gives the field for it, or None where it does not apply."""

    def __post_init__(self) -> None:
        hands = self.hands
        self.unsent = Unsent()
        self._arguments = EditArguments(*hands, self.unsent, self.decide)
        self._reason = DenyReason(*hands, self.decide)
        self._more = AllowMore(*hands)
        self.fields = (AnswerFor(*hands, self.unsent, self.decide), self._more)
        """Those that are opened by actions of their own."""

    def decide(self, decision: str, **given: str) -> None:
        """Decide about the call in front; then go on as before. What was allowed runs."""
        calls = self.bar.waiting.calls()
        if not calls:
            return
        call_id = calls[0].call.id
        if self.bar.opened is not None:
            self.bar.close()
        if self.command(lambda: self.run.decide(call_id, decision, **given)):
            self.bar.waiting.chosen = ""
            self.driver.go_on(move=decision in ("allow", "edit"))

    # ------------------------------------------------------------ keys

    def action_allow(self) -> None:
        """`y`: allow the call in front, or grant the marked scope."""
        if not self.can("allow") or not self.bar.guarded("allow"):
            return
        if self.bar.opened is self._more:
            self._more.grant()
            return
        wanted = self.bar.wanted()
        if wanted is not None and not wanted.whole and wanted.kind in ("approval", "batch"):
            self.show_whole()
        else:
            self.decide("allow")

    def action_deny(self) -> None:
        """`n`: deny with a reason; of a call that was interrupted, say that nobody knows what came of it."""
        if not self.can("deny"):
            return
        if self.desk.stand != "interrupted":
            self.bar.open(self._reason)
        elif self.bar.guarded("deny"):
            self.decide("deny")

    def action_edit(self) -> None:
        """What waits; where nothing does, what is picked, in a fork."""
        if self.can("edit"):
            field = next((field for edit in self.edits if (field := edit()) is not None), None)
            if field is not None:
                self.bar.open(field)

    def arguments(self) -> Field | None:
        """The arguments of the call in front, to be edited."""
        return self._arguments if self.bar.waiting.calls() else None

    def deny_plainly(self) -> bool:
        """Deny the call in front without a reason. Returns whether one is asked about."""
        asked = self.desk.stand == "approval"
        if asked and self.bar.guarded("close"):
            self.decide("deny")
        return asked

    def show_whole(self) -> None:
        """All arguments of the call in front; it can be allowed there."""
        calls = self.bar.waiting.calls()
        if not calls:
            return

        def answered(allowed: bool | None) -> None:
            if allowed and calls[0] is next(iter(self.bar.waiting.calls()), None):
                self.decide("allow")
            else:
                self.bar.redraw()

        self.screen.app.push_screen(WholeCall(self.run, calls[0]), answered)
