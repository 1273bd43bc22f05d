"""The person of a scenario: answers written beforehand, for runs with nobody there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.core.canonical import canonical
from workbench.core.door import altered, reply_at, reverted
from workbench.core.events import (
    Decided,
    Event,
    HeldReply,
    Resumed,
    SettingsChanged,
    StopRequested,
    ToolResult,
    UserMessage,
)
from workbench.core.faults import NO_RESULT
from workbench.core.loop import done_elsewhere
from workbench.core.ports import Question, Reply
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.values import Fault, FaultTarget
from workbench.faults.door import strike_held, strike_reply
from workbench.models.written import rewritten
from workbench.scenarios.schema import PersonEntry

FOR_REPLIES = frozenset({"pass", "replace", "delay", "revert", "cancel"})
"""What can be done about a reply that is held. It came, so it can neither fail nor be lost any more."""


class ScriptedPerson:
    """Answers questions from `[[person]]` entries, strictly in order: an entry that does not fit is not passed over.

    Which entry is due follows from `state.script_decisions`, so each answer has exactly one event that is by the
    script. Entries with `on = "reply"` are not among these: they are the model's (see `HumanModel`).
    """

    def __init__(self, entries: Sequence[PersonEntry]) -> None:
        self._entries = tuple(entry for entry in entries if entry.on != "reply")

    def answer(self, question: Question, state: State) -> Sequence[Event | Reply] | None:
        """The events that answer the question; None when the entry that is due is about something else."""
        entry = self.due(question, state)
        if entry is None:
            return None
        if entry.do == "cancel":
            return (StopRequested(by="script"),)
        if question.reply is not None:
            return _let_in(entry, question.reply, state)
        if question.on == "hold":
            return (_released(entry, question.calls[0], state),)
        if question.calls:
            return (_decided(entry, question.calls[0]),)
        return _spoken(entry, running=question.on == "step")

    def due(self, question: Question, state: State) -> PersonEntry | None:
        """The entry that answers the question; None where there is none."""
        used = state.script_decisions
        if used >= len(self._entries):
            return None
        entry = self._entries[used]
        return entry if _fits(entry, question, state) and not _is_asked_anew(question, state) else None

    def left(self, state: State) -> int:
        """How many entries there are that were not used in this branch."""
        return max(0, len(self._entries) - state.script_decisions)


def unused_entries(entries: Sequence[PersonEntry], state: State) -> tuple[int, ...]:
    """Indices of the entries that were not used in this branch."""
    answers = [index for index, entry in enumerate(entries) if entry.on != "reply"]
    replies = [index for index, entry in enumerate(entries) if entry.on == "reply"]
    return tuple(sorted([*answers[state.script_decisions :], *replies[state.script_line + 1 :]]))


def _fits(entry: PersonEntry, question: Question, state: State) -> bool:
    if entry.on != question.on:
        return False
    if question.reply is not None and (entry.tool is not None or entry.do not in FOR_REPLIES):
        return False
    if not question.calls:
        return entry.nth is None or entry.nth == state.total_steps + 1
    call = question.calls[0].call
    if entry.tool is not None and entry.tool != call.tool:
        return False
    return entry.nth is None or entry.nth == _number(call.id, entry.tool, state)


def _is_asked_anew(question: Question, state: State) -> bool:
    """Whether the call may have taken effect already. Who wrote the answers beforehand could not know of that."""
    if question.on != "approval":
        return False
    record = question.calls[0]
    return bool(done_elsewhere(state, record.call.tool, record.arguments))


def _number(call_id: str, tool: str | None, state: State) -> int:
    """Which call this is in the branch, from 1: of the tool, or of all when it is None."""
    number = 0
    for record in state.every_call():
        number += tool is None or record.call.tool == tool
        if record.call.id == call_id:
            break
    return number


def _decided(entry: PersonEntry, record: CallRecord) -> Event:
    call, text = record.call.id, entry.text or ""
    match entry.do:
        case "deny":
            return Decided(call=call, decision="deny", by="script", reason=text)
        case "edit":
            return Decided(call=call, decision="edit", by="script", arguments=canonical(entry.arguments))
        case "answer":
            return Decided(call=call, decision="answer", by="script", answer=text)
        case _:
            return Decided(call=call, decision="allow", by="script", arguments=record.arguments)


def _released(entry: PersonEntry, record: CallRecord, state: State) -> ToolResult:
    held = record.held
    assert held is not None, "a question about a held result is about a call that has one"
    match entry.do:
        case "replace":
            return altered(held, "script", content=entry.text or "")
        case "error":
            return altered(held, "script", outcome="failed", content=entry.text or "")
        case "drop":
            return altered(held, "script", outcome="failed", content=NO_RESULT)
        case "revert":
            return altered(reverted(held), "script")
        case "delay":
            return altered(strike_held(_delay("result", entry), held, state, record), "script")
        case _:
            return altered(held, "script")


def _let_in(entry: PersonEntry, held: HeldReply, state: State) -> Sequence[Event | Reply]:
    """The reply to let in; where it takes longer, that is recorded first."""
    match entry.do:
        case "replace":
            native = state.protocol.native_tools
            return (rewritten(reply_at(held), entry.text or "", "script", native=native),)
        case "revert":
            return (reply_at(state.held_replies[0]),)
        case "delay":
            return strike_reply(_delay("reply", entry), held, state), reply_at(held)
        case _:
            return (reply_at(held),)


def _delay(on: FaultTarget, entry: PersonEntry) -> Fault:
    return Fault(on=on, do="delay", seconds=entry.seconds)


def _spoken(entry: PersonEntry, *, running: bool) -> Sequence[Event]:
    """A message, or settings. A run that has stopped also goes on; the event that says so is the script's."""
    if entry.do == "message":
        return Resumed(by="script"), UserMessage(text=entry.text or "")
    changes = {name: _changed(name, value) for name, value in (entry.set or {}).items()}
    if running:
        return (SettingsChanged(changes=changes, by="script"),)
    return SettingsChanged(changes=changes, by="engine"), Resumed(by="script")


def _changed(name: str, value: Any) -> Any:
    return None if value is False and name.startswith(("limits.", "context.")) else value
