"""A run whose loop is the client's: the facts come out of what it sends, and a reply is all that is made here."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from workbench import performing
from workbench.core.canonical import canonical, parse_object
from workbench.core.events import (
    Event,
    Forked,
    ModelFailed,
    ModelReply,
    Outcome,
    Resumed,
    ToolResult,
    ToolStarted,
    UserMessage,
)
from workbench.core.ports import Checked, Clock, Journal, Model, Reply
from workbench.core.reading import read_reply
from workbench.core.records import CallRecord
from workbench.core.statuses import Status
from workbench.core.values import CLIENT, Header, RawCall
from workbench.models.scripted import no_signal
from workbench.recording import Recording
from workbench.serve.answer import token
from workbench.serve.dialects import Dialect
from workbench.serve.history import Item, Result, Said, Told

NO_RESULT = "The client sent no result for this call."
NOT_OURS = "this reply is in the client's history and was not given by this server"
_OBSERVATION = re.compile(r"\s*observation:[ \t]*(error:[ \t]*)?", re.IGNORECASE)


class ServedRun(Recording):
    """One conversation as a run: `take` what the client has sent, `ask` for the reply, `keep` it once it is sent.

    The client runs the tools, so a call counts as started when it goes out. Nobody waits in here: on a virtual clock
    `took` of an event says how long the reply is to seem.
    """

    def __init__(
        self,
        header: Header,
        dialect: Dialect,
        model: Model,
        journal: Journal,
        clock: Clock,
        events: Sequence[Event] = (),
    ) -> None:
        """`events` are in the journal already."""
        super().__init__(header, journal, events)
        self.dialect = dialect
        self._model = model
        self._clock = clock
        self._given_at = time.monotonic()
        """When the latest reply went out."""

    @property
    def native(self) -> bool:
        """Whether calls go beside the text."""
        return self.state.protocol.native_tools

    def part(self, event: Forked) -> None:
        """Go another way than the conversation it was forked from. Raises JournalBroken."""
        self._record(event)

    # ------------------------------------------------------------ what the client sends

    def take(self, items: Iterable[Item], known: Mapping[int, ModelReply]) -> None:
        """Record what has come since the last reply. Raises JournalBroken.

        In a history that was not made here there are replies, too: `known` has those, by their place among the items,
        that this server gave in another conversation. Each call has its share of the time that the client took.
        """
        calls = len(self.state.open_calls())
        share = (time.monotonic() - self._given_at) / calls if calls else 0.0
        for place, item in enumerate(items):
            match item:
                case Result():
                    self._result(item, share)
                case Told():
                    self._told(item.text, share)
                case Said():
                    self._close_calls()
                    self._record(self._recalled(item, known.get(place)))
                    self._start_calls()

    def _told(self, text: str, took: float) -> None:
        waiting = self.state.open_calls()
        if waiting and not self.native:
            self._record(replace(_observed(waiting[0], text), took=took))
            return
        self._close_calls()
        self._record(UserMessage(text=text))

    def _result(self, item: Result, took: float) -> None:
        """A result that answers no call, which only some vendors take, is told like a user's message."""
        record = next((record for record in self.state.open_calls() if _answers(item, record)), None)
        if record is None:
            self._close_calls()
            self._record(UserMessage(text=item.text))
        else:
            outcome: Outcome = "failed" if item.is_error else "ran"
            if item.is_error and record.call.problem:
                outcome = "invalid"
            result = ToolResult(call=record.call.id, outcome=outcome, content=item.text, source=CLIENT, took=took)
            self._record(result)

    def _close_calls(self) -> None:
        for record in self.state.open_calls():
            self._record(ToolResult(call=record.call.id, outcome="unknown", content=NO_RESULT, source=CLIENT))

    def _recalled(self, item: Said, known: ModelReply | None) -> ModelReply:
        """A reply of the client's history. One that was not given here leaves the script where it is."""
        state = self.state
        calls = tuple(RawCall(call.tool, call.arguments, provider_id=call.id) for call in item.calls)
        reply = Reply(
            text=item.text,
            calls=calls,
            finish="tool_calls" if calls else "stop",
            model=self._model.name if known is not None else "client",
            line=known.line if known is not None else state.script_line,
            served=known.served if known is not None else state.script_served,
            captures=known.captures if known is not None else {},
            notes=() if known is not None else (NOT_OURS,),
        )
        return read_reply(state, reply, self._check, 0.0)

    # ------------------------------------------------------------ the reply

    async def ask(self) -> ModelReply | ModelFailed:
        """The reply that is due, or what goes wrong instead; not yet recorded. Raises JournalBroken."""
        self._close_calls()
        if self.state.stop is not None:
            self._record(self.state.stop)
        if self.state.status is not Status.RUNNING:
            self._record(Resumed(by="engine"))
        event = await performing.ask_model(
            self._model, self._check, self.state, self._clock, within=None, on_signal=no_signal
        )
        assert isinstance(event, ModelReply | ModelFailed), "nobody holds a reply that a client waits for"
        if isinstance(event, ModelFailed) or not self.native:
            return event
        step = str(self.state.total_steps + 1)
        ids = [self.dialect.call_id(token(24, self.header.id, step, call.id)) for call in event.calls]
        named = (replace(call, provider_id=given) for call, given in zip(event.calls, ids, strict=True))
        return replace(event, calls=tuple(named))

    def keep(self, event: ModelReply | ModelFailed) -> None:
        """Record what was asked for: it is out, or about to be. Raises JournalBroken."""
        self._record(event)
        self._given_at = time.monotonic()
        self._start_calls()
        if self.state.stop is not None and not self.state.open_calls():
            self._record(self.state.stop)

    def _start_calls(self) -> None:
        for record in self.state.open_calls():
            if not record.call.problem:
                self._record(ToolStarted(call=record.call.id))

    def _check(self, tool: str, arguments: str) -> Checked:
        """A call as far as it can be judged without the tools: its name, and whether it has arguments at all."""
        if self.native and self.header.tool(tool) is None:
            return Checked(problem=f"the client offers no tool named {tool[:100]!r}", problem_kind="unknown_tool")
        parsed = parse_object(arguments)
        if parsed.value is None:
            return Checked(problem=parsed.problem, problem_kind="malformed", note=parsed.note)
        return Checked(canonical=canonical(parsed.value), note=parsed.note)


def _answers(item: Result, record: CallRecord) -> bool:
    """Whether a result is that of a call: by its id; on a wire without ids by the name of the tool, or its place."""
    if item.call:
        return item.call == record.call.provider_id
    return item.tool in ("", record.call.tool)


def _observed(record: CallRecord, text: str) -> ToolResult:
    """The result of a call that stood in a text, without what the client's protocol has put around it."""
    mark = _OBSERVATION.match(text)
    content, is_error = text, False
    if mark is not None:
        content, is_error = text[mark.end() :], mark[1] is not None
    elif text.lstrip().startswith("{"):
        content, is_error = _from_object(text)
    return ToolResult(call=record.call.id, outcome="failed" if is_error else "ran", content=content, source=CLIENT)


def _from_object(text: str) -> tuple[str, bool]:
    """What stands in {"type": "result", "content": …}; any other object is the result itself."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text, False
    if not isinstance(value, dict) or value.get("type") not in ("result", "error") or "content" not in value:
        return text, False
    content = value["content"]
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), value["type"] == "error"
