"""A recording in a scenario as the model that replies from it, and as the tools that give back what they gave."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from workbench.core.canonical import canonical, parse_object
from workbench.core.events import Event
from workbench.core.ports import Checked, Clock, Reply, ToolOutcome, Tools, Usage
from workbench.core.records import Message
from workbench.core.values import Header, RawCall, ToolInfo
from workbench.models.recorded import Exchange, RecordedModel
from workbench.models.scripted import ScriptedModel
from workbench.scenarios.errors import Path
from workbench.scenarios.exchanges import ExchangeTable, RecordedToolTable, unsealed
from workbench.scenarios.recording import base_results
from workbench.scenarios.schema import Scenario
from workbench.scenarios.summaries import summary_of
from workbench.toolkit.recorded import RecordedCall, RecordedTools

RECORDED = "recorded"
"""What `model.use` is for a recording."""

Values = Mapping[str, Any]


def is_recorded(scenario: Scenario) -> bool:
    """Whether a run of the scenario plays a recording: no network, no tool."""
    return scenario.model.use == RECORDED


def recorded_model(scenario: Scenario, clock: Clock, file: str = "") -> RecordedModel:
    """The model of a recording."""
    table = scenario.model
    exchanges = [unsealed(exchange) for exchange in table.exchange]
    return RecordedModel(
        list(_exchanges(exchanges)),
        clock=clock,
        name=table.name or RECORDED,
        file=file,
        system=table.prompt,
        tools=[_info(tool) for tool in table.tool] if table.tool else None,
        match=table.match,
        summaries=ScriptedModel((), clock=clock, file=file, retries=0, summaries=list(map(summary_of, table.summary))),
    )


def recorded_tools(
    scenario: Scenario, header: Header, *, clock: Clock, here: Tools, events: Sequence[Event] = ()
) -> RecordedTools:
    """The tools of a recording, as far on as `events` are. `here` are those that are there now."""
    exchanges = [unsealed(exchange) for exchange in scenario.model.exchange]
    results = {result["call"]: result for exchange in exchanges for result in exchange["result"]}
    calls = [_call(call, results.get(call_id)) for call_id, call in _calls(exchanges)]
    past = base_results(header, events)
    return RecordedTools(
        calls,
        clock=clock,
        here=here,
        files=scenario.workspace.files,
        effects=[effect for result in past for effect in result.effects],
        done=[(result.tool, result.arguments) for result in past],
    )


def recorded_infos(scenario: Scenario) -> dict[str, ToolInfo]:
    """The tools of a recording as they were, by name."""
    return {tool.name: _info(tool) for tool in scenario.model.tool} if is_recorded(scenario) else {}


def unused_exchanges(scenario: Scenario, served: Container[int]) -> tuple[int, ...]:
    """Indices of the exchanges that a run has not come to."""
    return tuple(index for index in range(len(scenario.model.exchange)) if index not in served)


def recording_problems(exchanges: Sequence[ExchangeTable]) -> Iterator[tuple[Path, str]]:
    """What does not fit together in a recording: paths, and sentences for whoever changed it."""
    known: set[str] = set()
    for index, exchange in enumerate(exchanges):
        path: Path = ("model", "exchange", index)
        for at, message in enumerate(exchange.message):
            if message.role == "tool" and message.call not in known:
                yield (
                    (*path, "message", at),
                    f"needs call, one of those before it: {', '.join(sorted(known)) or 'none'}",
                )
            elif message.text is None and message.role != "tool":
                yield (*path, "message", at), "needs text; only that of a tool can stand with its result"
        before = len(known)
        known |= {f"c{before + number}" for number in range(1, len(exchange.call) + 1)}
        for at, result in enumerate(exchange.result):
            if result.call not in known:
                yield (*path, "result", at, "call"), f"there is no call {result.call} up to here"
        if exchange.fail is not None and exchange.call:
            yield (*path, "call"), "a request that failed has no call"


# ---------------------------------------------------------------- parts


def _exchanges(exchanges: Sequence[Values]) -> Iterator[Exchange]:
    calls = dict(_calls(exchanges))
    contents = {result["call"]: result["content"] for exchange in exchanges for result in exchange["result"]}
    for exchange in exchanges:
        usage = exchange["usage"] or {}
        yield Exchange(
            told=tuple(_message(message, calls, contents) for message in exchange["message"]),
            reply=Reply(
                text=exchange["text"],
                thinking=exchange["thinking"],
                calls=tuple(RawCall(call["tool"], call["arguments"], call["id"]) for call in exchange["call"]),
                finish=exchange["finish"],
                usage=Usage(**usage),
                model=exchange["model"],
                attempts=exchange["attempts"],
                opaque=exchange["opaque"],
                notes=tuple(exchange["notes"]),
                original=exchange["original"],
                changed_by=exchange["changed_by"],
            ),
            fail=exchange["fail"],
            detail=exchange["detail"],
            took=exchange["took"],
        )


def _calls(exchanges: Sequence[Values]) -> Iterator[tuple[str, Values]]:
    """Every call with its id, which is its number in the whole recording."""
    calls = (call for exchange in exchanges for call in exchange["call"])
    return ((f"c{number}", call) for number, call in enumerate(calls, 1))


def _message(message: Values, calls: Mapping[str, Values], contents: Mapping[str, str]) -> Message:
    call_id = message["call"] or ""
    text = contents.get(call_id, "") if message["text"] is None else message["text"]
    tool = calls[call_id]["tool"] if call_id in calls else ""
    return Message(message["role"], text, 0, call_id=call_id, tool=tool, is_error=message["error"])


def _call(call: Values, result: Values | None) -> RecordedCall:
    parsed = parse_object(call["arguments"])
    given = "" if call["problem"] or parsed.value is None else canonical(parsed.value)
    checked = Checked(canonical=given, problem=call["problem"], problem_kind=call["kind"], note=parsed.note)
    if result is None:
        return RecordedCall(tool=call["tool"], raw=call["arguments"], checked=checked)
    return RecordedCall(
        tool=call["tool"],
        raw=call["arguments"],
        checked=checked,
        arguments=result["arguments"] or given,
        outcome=ToolOutcome(
            outcome=result["outcome"],
            content=result["content"],
            value=result["value"],
            full_chars=result["full_chars"],
            cursor=result["cursor"],
            effects=tuple(
                {key: text for key, text in effect.items() if text is not None} for effect in result["effects"]
            ),
            retry=result["retry"],
            detail=result["detail"],
        ),
        took=result["took"],
    )


def _info(table: RecordedToolTable) -> ToolInfo:
    values = table.model_dump(exclude={"parameters", "timeout"})
    return ToolInfo(**values, schema=table.parameters, timeout=table.timeout or None)
