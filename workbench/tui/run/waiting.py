"""What waits for the person: the calls that are asked about, and what stands at the door."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.events import HeldReply
from workbench.core.loop import AskPerson
from workbench.core.ports import Question
from workbench.core.records import CallRecord
from workbench.view.breaking import Door
from workbench.view.desk import Desk
from workbench.view.entries import Line, Role, Span
from workbench.view.words import name_of


@dataclass(eq=False)
class Waiting:
    """Nothing waits while the run goes on, nor in the past."""

    desk: Desk
    chosen: str = ""
    """The call of a batch that is in front."""

    def _question(self) -> Question | None:
        if self.desk.looking_back or self.desk.run.going:
            return None
        move = self.desk.run.next
        return move.question if isinstance(move, AskPerson) else None

    def calls(self) -> list[CallRecord]:
        """The calls the person is asked about, the one to decide now first."""
        question = self._question()
        calls = list(question.calls) if question is not None else []
        chosen = next((i for i, record in enumerate(calls) if record.call.id == self.chosen), 0)
        return [*calls[chosen:], *calls[:chosen]]

    def turn(self, by: int) -> bool:
        """Put another call of the batch in front: the one after it, or before. Returns whether there is another."""
        calls = self.calls()
        if len(calls) < 2 or self.desk.stand != "approval":
            return False
        ids = sorted((record.call.id for record in calls), key=lambda call: int(call[1:]))
        self.chosen = ids[(ids.index(calls[0].call.id) + by) % len(ids)]
        return True

    def about(self, before: str, after: str, hint: str) -> Line:
        """The title of what is about the call in front."""
        record = self.calls()[0]
        role: Role = "held" if record.held is not None else "wait"
        name = Span(name_of(record.call.tool), role, bold=True)
        return (Span(f"{before} ", role), name, *((Span(after, role),) if after else ()), Span(f"   {hint}", "quiet"))

    # ------------------------------------------------------------ at the door

    @property
    def reply(self) -> HeldReply | None:
        """The reply that stands at the door and wants the person."""
        question = self._question()
        return question.reply if question is not None else None

    @property
    def door(self) -> Door:
        """What stands at the door."""
        if self.desk.stand != "hold":
            return ""
        return "reply" if self.reply is not None else "result"

    @property
    def held_call(self) -> str:
        """The call whose result stands at the door; "" for a reply."""
        calls = self.calls()
        return calls[0].call.id if calls else ""
