"""What a person may do to a run while it lives. Each command records one fact; whoever drives the run goes on from it.

A command that makes no sense now raises `CommandError` with a sentence for people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench import performing
from workbench.core import commands
from workbench.core.commands import CommandError
from workbench.core.door import reply_at
from workbench.core.events import DoneElsewhere, Held, Outcome
from workbench.core.faults import FaultError, fault_to, label
from workbench.core.gate import rule_to
from workbench.core.ledger import Executed, elsewhere, entry_to, executed
from workbench.core.loop import Move
from workbench.core.ports import Tools
from workbench.core.values import Fault, Rule
from workbench.faults.door import strike_held, strike_reply
from workbench.models.written import rewritten
from workbench.recording import Recording


class Commanded(Recording):
    """A recording that takes commands."""

    tools: Tools
    in_flight: Move | None
    """The move that is being made; None while nothing outside is at work."""

    # ------------------------------------------------------------ calls

    def decide(self, call_id: str, decision: str, *, arguments: str = "", reason: str = "", answer: str = "") -> None:
        """Decide about a call that waits: allow, deny with a reason, edit with JSON arguments, or answer in its place.

        Also says what an interrupted call means: allow runs it again, deny tells the model that it is unknown.
        """
        event = commands.decided(
            self.state,
            self.tools.check,
            call_id,
            decision,
            arguments=arguments,
            reason=reason,
            answer=answer,
            idle=self.in_flight is None,
        )
        self._record(event)

    def check_edit(self, call_id: str, arguments: str) -> str:
        """What is wrong with these arguments for that call; "" when they may run."""
        return commands.edit_problem(self.state, self.tools.check, call_id, arguments)

    # ------------------------------------------------------------ the door

    def release(
        self, call_id: str, *, content: str | None = None, outcome: Outcome | None = None, by: str = "you"
    ) -> None:
        """Pass a held result on: as it is, or with another content or outcome."""
        self._record(commands.released(self.state, call_id, content=content, outcome=outcome, by=by))

    def let_in(self, text: str | None = None) -> None:
        """Let the held reply in: as it is, or as it is written in `text` (see `models.written`)."""
        reply = reply_at(commands.standing_reply(self.state))
        if text is not None:
            reply = rewritten(reply, text, "you", native=self.state.protocol.native_tools)
        self._record(commands.reply_let_in(self.state, self.tools.check, reply))

    def strike(self, fault: Fault, call_id: str = "") -> None:
        """Let a fault strike the held result of that call, or without one the held reply. It goes on waiting."""
        try:
            if call_id:
                held: object = commands.standing(self.state, call_id)
                after: Any = self._struck(fault, call_id)
            else:
                held = commands.standing_reply(self.state)
                after = strike_reply(fault, commands.standing_reply(self.state), self.state)
        except FaultError as error:
            raise CommandError(str(error)) from None
        if after == held:
            raise CommandError(f"{label(fault)} finds nothing to change in this {'result' if call_id else 'reply'}")
        self._record(after)

    def _struck(self, fault: Fault, call_id: str) -> Held:
        record = self.state.record(call_id)
        held = commands.standing(self.state, call_id)
        assert record is not None, "what stands at the door is a call's"
        after = strike_held(fault, held, self.state, record)
        content, full_chars = performing.within_size(after, self.state.tool(record.call.tool))
        return replace(after, content=content, full_chars=full_chars)

    def put_back(self, call_id: str = "") -> None:
        """Take back what was changed in the held result of that call, or without one in the held reply."""
        self._record(commands.put_back(self.state, call_id))

    # ------------------------------------------------------------ settings

    def change(self, changes: Mapping[str, Any]) -> None:
        """Change settings while the run lives, e.g. {"limits.steps": 9}; None lifts a cap."""
        self._record(commands.changed(self.state, changes))

    def arm(self, fault: Fault) -> None:
        """Let a fault strike from here on, as its schedule says."""
        self.change({"arm": fault_to(fault)})

    def disarm(self, place: int) -> None:
        """Take the armed fault at that place of the list away."""
        armed = self.state.faults
        if not 0 <= place < len(armed):
            raise CommandError("there is no such armed fault")
        self.change({"disarm": {"at": place, "fault": fault_to(armed[place].fault)}})

    def grant(self, rule: Rule) -> None:
        """Allow, for this run only, every further call in the scope of `rule`."""
        self.change({"grants": [rule_to(grant) for grant in (*self.state.grants, rule)]})

    def withdraw(self, index: int) -> None:
        """Take the grant at that place of the list back."""
        grants = list(self.state.grants)
        if not 0 <= index < len(grants):
            raise CommandError("there is no such grant")
        del grants[index]
        self.change({"grants": [rule_to(grant) for grant in grants]})

    # ------------------------------------------------------------ other branches

    def told(self, done: Sequence[Executed]) -> bool:
        """Take note of what other branches have done where an open call would do the same: then that is asked about.

        Returns whether there was anything that was not known.
        """
        keys = {self.state.effect_key(each.call.tool, each.arguments) for each in self.state.open_calls()}
        same = [item for item in done if item.key in keys]
        news = elsewhere(executed(self.header, self.events), same) if same else ()
        if news:
            self._record(DoneElsewhere(effects=tuple(map(entry_to, news))))
        return bool(news)

    # ------------------------------------------------------------ going on

    def go_on(self) -> None:
        """Let a stopped run go on; the caller has removed the reason for the stop."""
        self._record(commands.resumed(self.state))

    def message(self, text: str) -> None:
        """A follow-up of the user: continues an ended run, or speaks into one that stands between two requests."""
        if self.in_flight is not None:
            raise CommandError("a message can be given when no move is being made")
        self._record(commands.message(self.state, text))
