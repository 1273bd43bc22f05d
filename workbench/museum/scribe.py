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
from workbench.core.events import Event, ModelReply, Notice, Stopped, ToolResult, UserMessage
from workbench.core.persistent import Log
from workbench.core.records import Message
from workbench.core.state import State
from workbench.core.tokens import estimate
from workbench.core.values import Call, ProtocolName
from workbench.museum.acts import Act, Ask, ChatMessage, Use

NOT_KEPT = "this loop: it did not keep the reply"
CUT = "this loop"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a loop ended: with this answer, or with a problem in words, or with neither."""

    stopped: Stopped
    answer: str | None = None
    problem: str = ""


class Scribe:
    """Between a loop and the state of its run. What was `said` and `ran` is written by the next `settle`."""

    def __init__(self, state: State) -> None:
        self._state = state
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
        self._item = _chat_message(reply) if self._native else reply.text
        return self._item

    def ran(self, result: ToolResult) -> None:
        """Take in what came of the call the loop has made."""
        self._result = result

    def settle(self, act: Act | None, ending: Ending | None) -> list[Event]:
        """The events for everything up to here, where the loop wants `act` or has come to its `ending`."""
        entries = self._new_entries()
        told = [_told(self._state.header.protocol, item) for item in entries if item is not self._item]
        events: list[Event] = []
        if self._reply is not None:
            kept = any(item is self._item for item in entries)
            correction = told[0].text if told and not self._native else ""
            events.append(self._read_reply(self._reply, act, ending, kept=kept, correction=correction))
            self._reply = None
        events += [self._entry(item) for item in told]
        if self._result is not None:
            events.append(self._result)
            self._result = None
        if isinstance(act, Ask) and act.history is not self._history:
            if self._history is not None:
                # A loop that begins a new history begins its task anew.
                events.append(UserMessage(text=self._state.header.goal))
            self._history, self._read = act.history, len(act.history)
        if ending is not None:
            events.append(ending.stopped)
        return events

    def _new_entries(self) -> list[Any]:
        history = self._history or []
        entries = history[self._read :]
        self._read = len(history)
        return entries

    def _read_reply(
        self, reply: ModelReply, act: Act | None, ending: Ending | None, *, kept: bool, correction: str
    ) -> ModelReply:
        """The reply as this loop has read it, which need not be how the engine reads it."""
        calls = reply.calls
        if not self._native:
            calls = (self._call(act),) if isinstance(act, Use) else ()
        reply = replace(reply, calls=calls, reading="calls" if calls else "malformed", answer="", dropped="")
        if ending is not None and ending.answer is not None:
            return replace(reply, reading="answer", answer=ending.answer, problem="")
        problem = "" if calls else correction or (ending.problem if ending is not None else "")
        reply = replace(reply, problem=problem)
        return reply if kept else replace(reply, text="", original=reply.text, changed_by=NOT_KEPT)

    def _call(self, act: Use) -> Call:
        arguments = json.dumps(act.arguments, ensure_ascii=False)
        number = self._state.call_count + 1
        return Call(id=f"c{number}", tool=act.tool, arguments=arguments, canonical=canonical(act.arguments))

    def _entry(self, told: _Told) -> Event:
        """The event for one entry that the loop has added for the model to read."""
        result, self._result = self._result, None
        if result is not None:
            return _as_told(result, told.text)
        if told.call:
            # A result for a call that this loop never got as far as making.
            return ToolResult(call=told.call, outcome="failed", content=told.text)
        return Notice(topic="correction" if told.is_error else "restated", text=told.text)


@dataclass(frozen=True, slots=True)
class _Told:
    text: str
    is_error: bool = False
    call: str = ""


def _told(protocol: ProtocolName, item: Any) -> _Told:
    """An entry of a history as its protocol writes it, taken apart."""
    if protocol == "native":
        return _Told(item["content"], call=item.get("tool_call_id", ""))
    if protocol == "json":
        entry = json.loads(item)
        return _Told(entry["content"], entry["type"] == "error")
    text = item.removeprefix("OBSERVATION: ")
    return _Told(text.removeprefix("error: "), text.startswith("error: "))


def _as_told(result: ToolResult, text: str) -> ToolResult:
    """A result with what the loop made of it for the model to read. A defect that it passes on is a failure to it."""
    if result.is_error:
        return replace(result, content=text, outcome="failed" if result.outcome == "defect" else result.outcome)
    if text == result.content:
        return result
    by = f"{result.changed_by}, {CUT}" if result.changed_by else CUT
    return replace(result, content=text, original=result.original or result.content, changed_by=by)


def _chat_message(reply: ModelReply) -> ChatMessage:
    message: ChatMessage = {"role": "assistant", "content": reply.text}
    if reply.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": call.arguments}}
            for call in reply.calls
        ]
    return message


def sent(state: State, history: Sequence[Any]) -> Log[Message]:
    """The messages of a request that carries this history. A transcript of lines is one text, and one message."""
    if not state.protocol.native_tools:
        text = "\n".join(history)
        return Log([Message("user", text, state.n, estimate(text))])
    return Log([_message(state, item) for item in history])


def _message(state: State, item: ChatMessage) -> Message:
    text, call_id = item.get("content") or "", item.get("tool_call_id", "")
    record = state.record(call_id)
    tool = record.call.tool if record is not None else ""
    asked = [state.record(call["id"]) for call in item.get("tool_calls") or ()]
    calls = tuple(record.call for record in asked if record is not None)
    return Message(item["role"], text, state.n, estimate(text), calls, call_id, tool)
