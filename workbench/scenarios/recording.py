"""From the events of a run to a recording of it: every request, what came of it, and what the tools gave back.

    recording(header, events)        the `[model]` table of a scenario that plays it again, offline

Texts are as they were, byte for byte; what a fault or a person changed on its way to the model is not in what a tool
gave back, and is in what the model was told. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from workbench.core.events import ContextChanged, Event, Held, ModelFailed, ModelReply, ToolResult
from workbench.core.records import CallRecord, Message
from workbench.core.state import State
from workbench.core.values import Call, Header, Prices, ToolInfo
from workbench.scenarios.exchanges import sealed
from workbench.scenarios.summaries import summary_line

NOT_RECORDED = frozenset({"script_exhausted", "script_error", "not_recorded"})
"""Failures that come again by themselves: nothing was there to reply."""
OUTCOMES = ("ran", "failed", "cancelled", "defect")
DIGITS = 6
"""Of seconds: what is left then is the same whatever clock they are measured on."""

Table = dict[str, Any]


@dataclass(frozen=True, slots=True)
class BaseResult:
    """What a tool really gave back."""

    call: str
    tool: str
    arguments: str
    """What it ran with, canonical."""
    given: str
    """The canonical arguments that the model wrote."""
    event: ToolResult | Held

    @property
    def effects(self) -> tuple[Mapping[str, Any], ...]:
        return self.event.effects


def recording(header: Header, events: Sequence[Event], strike_again: frozenset[str] = frozenset()) -> Table:
    """The `[model]` table that plays these events again, without network and without tools.

    `strike_again` are the labels of faults that a run of the scenario has, too: their delays are not recorded.
    """
    own = header.scenario.get("model", {})
    table: Table = {"use": "recorded", "name": str(own.get("name") or header.model)}
    if header.context_window is not None:
        table["context_window"] = header.context_window
    if header.prices is not None:
        table["prices"] = _prices(header.prices)
    table["prompt"] = State(header).system
    table["tool"] = [_tool(tool) for tool in header.tools]
    results = {base.call: _result(base, strike_again) for base in base_results(header, events)}
    table["exchange"] = [sealed(exchange) for exchange in _exchanges(header, events, results)]
    summaries = (summary_line(event, timed=True) for event in events if isinstance(event, ContextChanged | ModelFailed))
    table["summary"] = list(filter(None, summaries))
    return {name: value for name, value in table.items() if value not in ([], None)}


def base_results(header: Header, events: Sequence[Event]) -> list[BaseResult]:
    """What the tools gave back in a run, in the order in which it came, before anybody changed it."""
    state = State(header)
    found: dict[str, BaseResult] = {}
    for event in events:
        if isinstance(event, Held | ToolResult) and event.call not in found:
            record = state.record(event.call)
            if record is not None and _ran(record, event):
                found[event.call] = BaseResult(
                    event.call, record.call.tool, record.arguments, record.call.canonical, event
                )
        state.apply(event)
    return list(found.values())


def _ran(record: CallRecord, event: Held | ToolResult) -> bool:
    return record.started is not None and _outcome(event) in OUTCOMES


def _outcome(event: Held | ToolResult) -> str:
    return event.original_outcome or event.outcome


# ---------------------------------------------------------------- exchanges


def _exchanges(header: Header, events: Sequence[Event], results: Mapping[str, Table]) -> list[Table]:
    state = State(header)
    exchanges: list[Table] = []
    seen = 0
    for event in events:
        if isinstance(event, ModelReply | ModelFailed) and _was_asked(event):
            told = [_message(message, results) for message in state.messages[seen:]]
            exchange = _reply(event) if isinstance(event, ModelReply) else _failure(event)
            answered = [results[call.id] for call in getattr(event, "calls", ()) if call.id in results]
            exchanges.append(_filled({"message": told, **exchange, "result": answered}))
            seen = len(state.messages) + isinstance(event, ModelReply)
        state.apply(event)
    return exchanges


def _was_asked(event: ModelReply | ModelFailed) -> bool:
    if isinstance(event, ModelReply):
        return True
    return event.failure not in NOT_RECORDED and event.purpose == "step"


def _message(message: Message, results: Mapping[str, Table]) -> Table:
    table: Table = {"role": message.role, "call": message.call_id, "error": message.is_error}
    result = results.get(message.call_id)
    if result is None or message.text != result.get("content", ""):
        table["text"] = message.text
    return {name: value for name, value in table.items() if value or name == "text"}


def _reply(event: ModelReply) -> Table:
    usage = {
        "input": event.input_tokens,
        "output": event.output_tokens,
        "cache_read": event.cache_read,
        "cache_write": event.cache_write,
    }
    return {
        "text": event.text,
        "thinking": event.thinking,
        # Another loop may take for an answer what ours would ask about: here it is one, too.
        "finish": event.finish if event.finish != "stop" and event.reading != "answer" else "",
        "model": event.model,
        "usage": {name: count for name, count in usage.items() if count is not None},
        "opaque": event.opaque,
        "notes": list(event.notes),
        "attempts": event.attempts if event.attempts > 1 else 0,
        "took": round(event.took, DIGITS),
        "original": event.original,
        "changed_by": ", ".join("script" if by == "you" else by for by in event.changed_by.split(", ")),
        "call": [_call(call) for call in event.calls],
    }


def _failure(event: ModelFailed) -> Table:
    return {
        "fail": event.failure,
        "detail": event.detail,
        "text": event.partial,
        "attempts": event.attempts if event.attempts > 1 else 0,
        "took": round(event.took, DIGITS),
    }


def _call(call: Call) -> Table:
    table: Table = {"tool": call.tool, "arguments": call.arguments, "id": call.provider_id}
    if call.problem_kind != "not_run":
        table |= {"problem": call.problem, "kind": call.problem_kind}
    return {name: value for name, value in table.items() if value or name in ("tool", "arguments")}


def _result(base: BaseResult, strike_again: frozenset[str]) -> Table:
    event = base.event
    struck = bool(strike_again.intersection(event.faults))
    return _filled(
        {
            "call": base.call,
            "outcome": _outcome(event) if _outcome(event) != "ran" else "",
            "content": event.original if event.changed_by else event.content,
            "value": "" if event.changed_by else event.value,
            "arguments": base.arguments if base.arguments != base.given else "",
            "took": 0 if struck else round(event.took, DIGITS),
            "full_chars": event.full_chars,
            "cursor": event.cursor,
            "effects": [dict(effect) for effect in event.effects],
            "retry": "" if event.retry else False,
            "detail": event.detail,
        }
    )


def _tool(tool: ToolInfo) -> Table:
    values = asdict(tool)
    usual = {item.name: item.default for item in fields(ToolInfo)}
    table: Table = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    table |= {name: value for name, value in values.items() if name != "schema" and value != usual[name]}
    return {**table, "timeout": False} if tool.timeout is None else table


def _prices(prices: Prices) -> Table:
    return {name: value for name, value in asdict(prices).items() if value is not None}


def _filled(table: Table) -> Table:
    """Without what is empty, which is what it is where it is not given."""
    return {name: value for name, value in table.items() if value is False or value}
