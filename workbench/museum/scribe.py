"""Writes down what a wrong loop does, as the ordinary events of a run.

A loop tells nobody how it reads a reply or what it makes of a result: that shows in what it does next and in what it
has appended to its history by then. So each event is written when the loop has come to its next act, or to its end.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.core.canonical import canonical
from workbench.core.events import Event, ModelReply, Notice, Outcome, Stopped, ToolResult, UserMessage
from workbench.core.persistent import Log
from workbench.core.records import Message
from workbench.core.state import State
from workbench.core.tokens import estimate
from workbench.core.values import Call, ProtocolName
from workbench.museum.acts import Act, Ask, ChatMessage, Use
from workbench.museum.dialects import Dialect

NOT_KEPT = "this loop: it did not keep the reply"
CUT = "this loop"
NEVER_MADE = "Not run: this loop ended without having made the call."


@dataclass(frozen=True, slots=True)
class Ending:
    """How a loop ended: with this answer, or with a problem in words, or with neither."""

    stopped: Stopped
    answer: str | None = None
    problem: str = ""


class Scribe:
    """Between a loop and the state of its run. What was `said` and `ran` is written by the next `settle`."""

    def __init__(self, state: State, dialect: Dialect) -> None:
        self._state = state
        self._dialect = dialect
        self._native = state.protocol.native_tools
        self._history: list[Any] | None = None
        self._read = 0
        """How many entries of the history have been looked at."""
        self._reply: ModelReply | None = None
        self._item: Any = None
        """The reply as the loop got it, to be known again in its history."""
        self._result: ToolResult | None = None

    def said(self, reply: ModelReply) -> Any:
        """Take a reply in; gives it as the loop is to get it: its text, or the assistant's message."""
        self._reply = reply
        self._item = as_heard(reply, self._dialect if self._native else None)
        return self._item

    def ran(self, result: ToolResult) -> None:
        """Take in what came of the call the loop has made."""
        self._result = result

    def settle(self, act: Act | None, ending: Ending | None) -> list[Event]:
        """The events for everything up to here, where the loop wants `act` or has come to its `ending`."""
        entries = self._new_entries()
        told = [self._told(item) for item in entries if item is not self._item]
        events: list[Event] = []
        refused: tuple[Call, ...] = ()
        if self._reply is not None:
            kept = any(item is self._item for item in entries)
            reply = self._read_reply(self._reply, act, ending, told)
            refused = reply.calls if not self._native and not isinstance(act, Use) else ()
            events.append(reply if kept or reply.reading == "answer" else _not_kept(reply))
            self._reply = None
        events += [self._entry(item, refused) for item in told]
        if self._result is not None:
            events.append(self._result)
            self._result = None
        if isinstance(act, Ask) and act.history is not self._history:
            if self._history is not None:
                # A loop that begins a new history begins its task anew.
                events.append(UserMessage(text=self._state.header.goal))
            self._history, self._read = act.history, len(act.history)
        if ending is not None:
            events += [ToolResult(call=call, outcome="not_run", content=NEVER_MADE) for call in self._open(events)]
            events.append(ending.stopped)
        return events

    def _open(self, events: Sequence[Event]) -> list[str]:
        """The calls of the latest reply that have no result when these events are written."""
        calls = [record.call.id for record in self._state.open_calls()]
        for event in events:
            if isinstance(event, ModelReply):
                calls = [call.id for call in event.calls]
            elif isinstance(event, ToolResult) and event.call in calls:
                calls.remove(event.call)
        return calls

    def _told(self, item: Any) -> _Told:
        if self._native:
            text, call = self._dialect.said(item)
            return _Told(text, call=call)
        return _told(self._state.header.protocol, item)

    def _new_entries(self) -> list[Any]:
        history = self._history or []
        entries = history[self._read :]
        self._read = len(history)
        return entries

    def _read_reply(
        self, reply: ModelReply, act: Act | None, ending: Ending | None, told: Sequence[_Told]
    ) -> ModelReply:
        """The reply as this loop has read it, which need not be how the engine reads it."""
        calls = reply.calls if self._native else self._calls(reply.calls, act, told)
        if ending is not None and ending.answer is not None:
            return replace(reply, calls=calls, reading="answer", answer=ending.answer, problem="", dropped="")
        correction = told[0].text if told else ending.problem if ending is not None else ""
        return replace(
            reply,
            calls=calls,
            reading="calls" if calls else "malformed",
            answer="",
            problem="" if calls else correction,
            dropped="",
        )

    def _calls(self, found: Sequence[Call], act: Act | None, told: Sequence[_Told]) -> tuple[Call, ...]:
        """The call that the loop has read in a text: one it makes now, or one it has answered with an error."""
        call_id = f"c{self._state.call_count + 1}"
        if isinstance(act, Use):
            for call in found:
                if call.tool == act.tool and not call.problem:
                    return (replace(call, id=call_id),)
            arguments = json.dumps(act.arguments, ensure_ascii=False)
            return (Call(id=call_id, tool=act.tool, arguments=arguments, canonical=canonical(act.arguments)),)
        if found and told and told[0].is_error:
            return (replace(found[0], id=call_id),)
        return ()

    def _entry(self, told: _Told, refused: Sequence[Call]) -> Event:
        """The event for one entry that the loop has added for the model to read."""
        result, self._result = self._result, None
        if result is not None:
            return _as_told(result, told.text)
        if refused:
            outcome: Outcome = "invalid" if refused[0].problem else "failed"
            return ToolResult(call=refused[0].id, outcome=outcome, content=told.text)
        if told.call:
            # A result for a call that this loop never got as far as making.
            return ToolResult(call=told.call, outcome="failed", content=told.text)
        return Notice(topic="correction", text=f"error: {told.text}" if told.is_error else told.text)


@dataclass(frozen=True, slots=True)
class _Told:
    """What an entry of a history tells the model, without what its protocol puts around it."""

    text: str
    is_error: bool = False
    call: str = ""


def _told(protocol: ProtocolName, item: Any) -> _Told:
    if protocol == "json":
        entry = json.loads(item)
        return _Told(entry["content"], entry["type"] == "error")
    text = item.removeprefix("OBSERVATION: ")
    return _Told(text.removeprefix("error: "), text.startswith("error: "))


def _not_kept(reply: ModelReply) -> ModelReply:
    return replace(reply, text="", original=reply.text, changed_by=NOT_KEPT)


def _as_told(result: ToolResult, text: str) -> ToolResult:
    """A result with what the loop made of it for the model to read. A defect that it passes on is a failure to it."""
    if result.is_error:
        return replace(result, content=text, outcome="failed" if result.outcome == "defect" else result.outcome)
    if text == result.content:
        return result
    if result.changed_by:
        return replace(result, content=text, changed_by=f"{result.changed_by}, {CUT}")
    return replace(result, content=text, original=result.content, changed_by=CUT)


def as_heard(reply: ModelReply, dialect: Dialect | None) -> Any:
    """A reply as a loop gets it, also one that was written down as not kept: its text, or the assistant's message."""
    if reply.changed_by == NOT_KEPT:
        reply = replace(reply, text=reply.original)
    return dialect.heard(reply) if dialect is not None else reply.text


def as_returned(result: ToolResult) -> str:
    """What a tool returned to a loop, also where the loop then made something else of it."""
    return result.original if result.changed_by.rpartition(", ")[2] == CUT else result.content


def sent(state: State, history: Sequence[Any], dialect: Dialect) -> Log[Message]:
    """The messages of a request that carries this history. A transcript of lines is one text, and one message."""
    if not state.protocol.native_tools:
        text = "\n".join(history)
        return Log([Message("user", text, state.n, estimate(text))])
    return Log([_message(state, item, dialect) for item in history])


def _message(state: State, item: ChatMessage, dialect: Dialect) -> Message:
    text, call_id = dialect.said(item)
    record = state.record(call_id)
    tool = record.call.tool if record is not None else ""
    asked = [state.record(call) for call in dialect.calls(item)]
    calls = tuple(record.call for record in asked if record is not None)
    return Message("tool" if call_id else item["role"], text, state.n, estimate(text), calls, call_id, tool)
