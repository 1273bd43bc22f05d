"""What a person may do to a run: each command as the event that records it.

Pure: a command is judged by the state alone, and one that makes no sense now raises `CommandError`. So nothing gets
into a journal that could not be read back from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

from workbench.core.door import NEVER_RAN, altered, passed, reverted
from workbench.core.events import (
    Decided,
    Event,
    Held,
    HeldReply,
    ModelReply,
    Outcome,
    Resumed,
    SettingsChanged,
    ToolResult,
    UserMessage,
)
from workbench.core.gate import judge
from workbench.core.json_words import why_not_json
from workbench.core.ports import Checked, Reply
from workbench.core.reading import let_in
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.statuses import Status

Check = Callable[[str, str], Checked]
"""Validates the raw arguments of a tool, as `ports.Tools.check` does."""


class CommandError(Exception):
    """A command that cannot be carried out now; the message is a sentence for people."""


def decided(
    state: State,
    check: Check,
    call_id: str,
    decision: str,
    *,
    arguments: str = "",
    reason: str = "",
    answer: str = "",
    idle: bool = True,
) -> Event:
    """A decision about a call that waits, or, when nothing runs (`idle`), about one that was interrupted."""
    record = _record(state, call_id)
    if record.phase == "held":
        raise CommandError(f"{call_id} has run and its result is held; it can be passed on or changed")
    if record.phase != "proposed" and not (idle and record.interrupted):
        raise CommandError(f"{call_id} is not waiting for a decision")
    match decision:
        case "allow":
            event = Decided(call=call_id, decision="allow", arguments=record.arguments)
        case "deny":
            event = Decided(call=call_id, decision="deny", reason=reason.strip())
        case "edit":
            event = Decided(call=call_id, decision="edit", arguments=arguments)
        case "answer":
            event = Decided(call=call_id, decision="answer", answer=answer)
        case _:
            raise CommandError(f"{decision!r} is no decision; there are allow, deny, edit and answer")
    return validated(state, check, event)


def edit_problem(state: State, check: Check, call_id: str, arguments: str) -> str:
    """What is wrong with these arguments for that call, for the person who wrote them; "" when they may run."""
    record = state.record(call_id)
    if record is None:
        return f"there is no call {call_id}"
    checked = check(record.call.tool, arguments)
    if checked.problem_kind == "malformed" and (broken := why_not_json(arguments)):
        return f"this is no JSON: {broken}"
    return checked.problem or _forbidden(state, record, checked.canonical)


def released(state: State, call_id: str, *, content: str | None, outcome: Outcome | None, by: str) -> ToolResult:
    """A held result passed on: as it is, or with another content or outcome. The same ones change nothing."""
    held = standing(state, call_id)
    if content in (None, held.content) and outcome in (None, held.outcome):
        return passed(held)
    return altered(held, by, content=content, outcome=outcome)


def standing(state: State, call_id: str) -> Held:
    """The result of that call, which stands at the door."""
    record = state.record(call_id)
    if record is None or record.held is None or record.result is not None:
        raise CommandError(f"{call_id} is not held")
    return record.held


def standing_reply(state: State) -> HeldReply:
    """The reply that stands at the door."""
    if state.held_reply is None:
        raise CommandError("no reply is held")
    return state.held_reply


def put_back(state: State, call_id: str) -> Held | HeldReply:
    """What is held as the tool gave it; without a call the reply as it came to the door."""
    if call_id:
        held = standing(state, call_id)
        if held.original_outcome == NEVER_RAN:
            raise CommandError(f"a fault kept {call_id} from running, so the tool gave nothing to go back to")
        back: Held | HeldReply = reverted(held)
        changed = back != held
    else:
        reply = standing_reply(state)
        back = state.held_replies[0]
        changed = back != reply
    if not changed:
        raise CommandError("nothing was changed here")
    return back


def reply_let_in(state: State, check: Check, reply: Reply, by: Literal["person", "script"] = "person") -> ModelReply:
    """A reply in the place of the one that is held, or that one itself."""
    standing_reply(state)
    event = let_in(state, reply, check, by)
    _try_on(state, event)
    return event


def changed(state: State, changes: Mapping[str, Any]) -> SettingsChanged:
    """Settings that are different from here on."""
    event = SettingsChanged(changes=dict(changes))
    _try_on(state, event)
    return event


def resumed(state: State) -> Resumed:
    """A stopped run goes on."""
    if state.status is Status.RUNNING:
        raise CommandError("the run has not stopped")
    return Resumed()


def message(state: State, text: str) -> UserMessage:
    """A follow-up of the user."""
    if not text.strip():
        raise CommandError("the message is empty")
    if state.open_calls() or state.held_reply is not None:
        raise CommandError("a message can be given when no call is open and no reply is held")
    if state.status is Status.RUNNING and not state.started:
        raise CommandError("the run has not begun; it begins with its goal")
    return UserMessage(text=text)


def validated(state: State, check: Check, event: Event | Reply) -> Event:
    """An answer of whoever stands in for a person, as it is recorded: with the arguments that may run, a reply read."""
    if isinstance(event, Reply):
        return reply_let_in(state, check, event, "script")
    if isinstance(event, Decided) and event.decision in ("allow", "edit"):
        record = _record(state, event.call)
        canonical = record.arguments
        if event.decision == "edit":
            checked = check(record.call.tool, event.arguments)
            if checked.problem:
                raise CommandError(checked.problem)
            canonical = checked.canonical
        event = replace(event, arguments=canonical)
        forbidden = _forbidden(state, record, canonical)
        if forbidden:
            raise CommandError(forbidden)
    _try_on(state, event)
    return event


def _forbidden(state: State, record: CallRecord, canonical: str) -> str:
    """Which rule no person can overrule for this call, in words; "" when there is none."""
    tool = state.tool(record.call.tool)
    if tool is None or not canonical:
        return ""
    verdict = judge(tool, canonical, rules=state.header.rules, grants=(), default="ask")
    return f"a rule of this run denies that: {verdict.why}" if verdict.decide == "deny" else ""


def _try_on(state: State, event: Event) -> None:
    try:
        state.copy().apply(event)
    except ValueError as error:
        raise CommandError(str(error)) from None


def _record(state: State, call_id: str) -> CallRecord:
    record = state.record(call_id)
    if record is None:
        raise CommandError(f"there is no call {call_id}")
    return record
