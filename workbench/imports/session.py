"""From a conversation to a session: an ordinary run that was recorded elsewhere. Pure.

Nothing is made up. What the log does not tell (times, figures, decisions) is left out; a call whose result the log
lacks has the outcome `unknown`; a run stops only where its last reply stops every run. What cannot be part of a run
is kept as a remark at its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workbench.core.canonical import canonical, parse_object
from workbench.core.events import Event, Notice, Outcome, Remark, Resumed, ToolResult, ToolStarted, UserMessage
from workbench.core.ports import Checked
from workbench.core.reading import read_reply
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.values import Header, ToolInfo
from workbench.imports.conversation import Conversation, Instructed, Kept, Returned, Said, Told, raw_json
from workbench.models.wire.body import clean
from workbench.scenarios.header import build_header
from workbench.scenarios.live import with_model
from workbench.scenarios.loader import scenario_from_plain

NO_GOAL = "(the log has no message of the user)"
NO_RESULT = "The log has no result of this call."
UNKNOWN_MODEL = "unknown"
TAG = "imported"


def session_of(
    conversation: Conversation,
    *,
    id: str,  # noqa: A002 - the header's own name
    title: str,
    source: str,
    created: str = "",
    workbench: str = "",
    model: str = "",
    base_url: str = "",
    known: Mapping[str, ToolInfo] | None = None,
) -> tuple[Header, list[Event]]:
    """Header and events. `source` names the file, `created` is when it was imported, in UTC.

    `model` goes on with the run, as for `--model`; without one a person does. `known` are the tools there are here: one
    with the same name and schema as in the log is taken for the same. Raises ScenarioError for `model`.
    """
    tools = [_known(tool, known or {}) for tool in conversation.tools]
    goal = next((item.text for item in conversation.items if isinstance(item, Told) and item.text.strip()), NO_GOAL)
    plain: dict[str, Any] = {
        "title": clean(title),
        "goal": clean(goal),
        "protocol": "native",
        "tags": [TAG],
        "tools": [tool.name for tool in tools],
        "model": {"use": "human"},
    }
    if conversation.system:
        plain["system"] = conversation.system
    scenario = with_model(scenario_from_plain(plain), model, base_url)
    header = build_header(scenario, tools, id=id, created=created, workbench=workbench)
    header = replace(header, model=conversation.model or UNKNOWN_MODEL, free=False)
    script = _Script(header)
    script.begin(conversation, source)
    for item in conversation.items:
        script.take(item)
    script.end()
    return header, script.events


def _known(tool: ToolInfo, known: Mapping[str, ToolInfo]) -> ToolInfo:
    here = known.get(tool.name)
    if here is None or parse_object(here.schema).value != parse_object(tool.schema).value:
        return tool
    return here


class _Script:
    """Writes the events one by one, as each must fit the state before it."""

    def __init__(self, header: Header) -> None:
        self.events: list[Event] = []
        self._state = State(header)

    def begin(self, conversation: Conversation, source: str) -> None:
        count, requests = conversation.messages, conversation.requests
        asked = f" in {requests} requests" if requests > 1 else ""
        messages = "1 message" if count == 1 else f"{count:,} messages"
        text = f"imported from {source}: {conversation.shape}, {messages}{asked}"
        rest = conversation.rest
        if rest:
            text += f"; {', '.join(rest)} {'has' if len(rest) == 1 else 'have'} no place in a session"
        self._add(Remark(text=clean(text), raw=raw_json(rest) if rest else ""))

    def take(self, item: Told | Instructed | Said | Returned | Kept) -> None:
        match item:
            case Told(text=text):
                self._close_calls()
                self._stop()
                self._add(UserMessage(text=text))
            case Instructed(text=text, topic=topic):
                self._close_calls()
                self._go_on()
                self._add(Notice(topic=topic, text=text))
            case Said():
                self._close_calls()
                self._go_on()
                self._reply(item)
            case Returned():
                self._result(item)
            case Kept(text=text, raw=raw):
                self._add(Remark(text=clean(text), raw=raw))

    def end(self) -> None:
        """What stops every run has stopped this one; where calls are open, or the model's turn is due, it goes on."""
        if not self._state.open_calls():
            self._stop()

    # ------------------------------------------------------------ pieces

    def _add(self, event: Event) -> None:
        self._state.apply(event)
        self.events.append(event)

    def _stop(self) -> None:
        if self._state.stop is not None:
            self._add(self._state.stop)

    def _go_on(self) -> None:
        """The other loop went on, whatever would have stopped ours."""
        if self._state.stop is not None:
            self._add(self._state.stop)
            self._add(Resumed(by="engine"))

    def _reply(self, item: Said) -> None:
        event = read_reply(self._state, item.reply, _check, item.took)
        if item.submitted is not None:
            event = replace(event, calls=(), reading="answer", answer=item.submitted, problem="")
        self._add(event)

    def _result(self, item: Returned) -> None:
        record = self._asked(item)
        if record is None:
            name = item.call or item.tool
            text = "a result belongs to no open call, so the model cannot have read it as one"
            self._add(Remark(text=f"{text}: {name}" if name else text, raw=item.text))
            return
        self._add(ToolStarted(call=record.call.id))
        outcome: Outcome = "failed" if item.is_error else "ran"
        source = self._source(record)
        self._add(ToolResult(call=record.call.id, outcome=outcome, content=item.text, took=item.took, source=source))

    def _source(self, record: CallRecord) -> str:
        tool = self._state.tool(record.call.tool)
        return tool.source if tool is not None else ""

    def _asked(self, item: Returned) -> CallRecord | None:
        """The open call it is the result of: by id, else the first of that tool, else the first."""
        waiting = self._state.open_calls()
        if item.call and any(record.call.provider_id for record in waiting):
            return next((record for record in waiting if record.call.provider_id == item.call), None)
        return next((record for record in waiting if item.tool in ("", record.call.tool)), None)

    def _close_calls(self) -> None:
        for record in self._state.open_calls():
            self._add(ToolResult(call=record.call.id, outcome="unknown", content=NO_RESULT, retry=False))


def _check(tool: str, arguments: str) -> Checked:  # noqa: ARG001 - elsewhere it has run, whatever it is
    parsed = parse_object(arguments)
    if parsed.value is None:
        return Checked(problem=parsed.problem, problem_kind="malformed")
    return Checked(canonical=canonical(parsed.value), note=parsed.note)
