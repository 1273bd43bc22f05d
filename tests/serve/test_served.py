"""What a client sends, as facts of a run; and what is asked of the script then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.serve.stage import kinds, says, scenario
from workbench.clocks import VirtualClock
from workbench.core.events import ModelReply, ToolResult
from workbench.core.state import fold
from workbench.core.statuses import Status
from workbench.core.values import Header, ToolInfo
from workbench.scenarios.models import build_model
from workbench.serve.dialects import Dialect
from workbench.serve.dialects.anthropic import ANTHROPIC
from workbench.serve.dialects.ollama import OLLAMA
from workbench.serve.dialects.openai import OPENAI
from workbench.serve.history import Item, Result, Said, Told, said_call
from workbench.serve.served import NO_RESULT, ServedRun
from workbench.sessions.late import MemoryJournal

ADD = '[[model.reply.call]]\ntool = "add"\narguments = {arguments}'
TWO_CALLS = ADD.format(arguments="{ a = 1 }") + "\n" + ADD.format(arguments="{ a = 2 }")


def served(*lines: str, protocol: Any = "native", dialect: Dialect = OPENAI) -> ServedRun:
    plain = scenario(says(*lines, protocol=protocol))
    header = Header(id="x", goal="Go.", protocol=protocol, tools=(ToolInfo(name="add"),))
    clock = VirtualClock()
    return ServedRun(header, dialect, build_model(plain, clock), MemoryJournal(), clock)


async def given(run: ServedRun, *items: Item) -> ModelReply:
    """The reply to what a client sends."""
    run.take(items, {})
    event = await run.ask()
    assert isinstance(event, ModelReply)
    run.keep(event)
    return event


def results(run: ServedRun) -> Sequence[tuple[str, str, str]]:
    return [(event.call, event.outcome, event.content) for event in run.events if isinstance(event, ToolResult)]


@pytest.mark.parametrize(
    ("protocol", "text", "content", "outcome"),
    [
        ("text", "OBSERVATION: 3", "3", "ran"),
        ("text", "Observation:3", "3", "ran"),
        ("text", "OBSERVATION: error: no such city", "no such city", "failed"),
        ("text", "It is 3.", "It is 3.", "ran"),
        ("text", "OBSERVATION: a\nb", "a\nb", "ran"),
        ("json", '{"type": "result", "tool": "add", "content": "3"}', "3", "ran"),
        ("json", '{"type": "error", "content": "no"}', "no", "failed"),
        ("json", '{"type": "result", "content": {"n": 3}}', '{"n": 3}', "ran"),
        ("json", '{"sum": 3}', '{"sum": 3}', "ran"),
        ("json", '{"sum": ', '{"sum": ', "ran"),
        ("json", "OBSERVATION: 3", "3", "ran"),
    ],
)
async def test_a_result_in_a_text_is_what_the_protocol_has_put_something_around(
    protocol: str, text: str, content: str, outcome: str
) -> None:
    action = 'ACTION: add {"a": 1}' if protocol == "text" else '{"type": "tool", "tool": "add", "input": {"a": 1}}'
    run = served(f"text = '{action}'", 'text = "${last}"', protocol=protocol)
    await given(run, Told("Go."))
    reply = await given(run, Told(text))
    assert results(run) == [("c1", outcome, content)]
    assert reply.text == content


async def test_what_is_told_where_nothing_is_called_is_a_message() -> None:
    run = served('text = "I think."', "text = 'ACTION: add {}'", protocol="text")
    await given(run, Told("Go."))
    await given(run, Told("OBSERVATION: error: there was no action"))
    assert kinds(run.events) == ["user_message", "model_reply", "user_message", "model_reply", "tool_started"]


async def test_results_find_their_calls_by_id_in_any_order() -> None:
    run = served(TWO_CALLS, 'text = "${result1}"')
    first = await given(run, Told("Go."))
    ids = [call.provider_id for call in first.calls]
    assert all(given_id.startswith("call_") and len(given_id) == 29 for given_id in ids)
    reply = await given(run, Result(ids[1], "", "second"), Result(ids[0], "", "first"))
    assert results(run) == [("c2", "ran", "second"), ("c1", "ran", "first")]
    assert reply.text == "first"


async def test_without_ids_they_find_them_by_tool_and_place() -> None:
    run = served(TWO_CALLS, 'text = "So."', dialect=OLLAMA)
    await given(run, Told("Go."))
    await given(run, Result("", "add", "first"), Result("", "", "second"), Result("", "add", "third"))
    assert results(run) == [("c1", "ran", "first"), ("c2", "ran", "second")]
    assert kinds(run.events)[-3:] == ["user_message", "model_reply", "stopped"]


async def test_a_call_without_a_result_is_closed_as_unknown() -> None:
    run = served(TWO_CALLS, 'text = "So."', dialect=OLLAMA)
    await given(run, Told("Go."))
    await given(run, Result("", "add", "first"), Told("And?"))
    assert results(run) == [("c1", "ran", "first"), ("c2", "unknown", NO_RESULT)]


async def test_an_error_is_an_error_where_the_wire_has_a_mark_for_it() -> None:
    run = served(TWO_CALLS, 'text = "So."', dialect=ANTHROPIC)
    first = await given(run, Told("Go."))
    ids = [call.provider_id for call in first.calls]
    assert all(given_id.startswith("toolu_01") for given_id in ids)
    await given(run, Result(ids[0], "", "3"), Result(ids[1], "", "no", is_error=True))
    assert [outcome for _, outcome, _ in results(run)] == ["ran", "failed"]


async def test_a_reply_that_was_cut_off_with_calls_in_it_may_still_go_on() -> None:
    run = served(f'finish = "length"\n{ADD.format(arguments="{ a = 1 }")}', 'text = "So."')
    first = await given(run, Told("Go."))
    assert kinds(run.events)[-1] == "tool_started"
    await given(run, Result(first.calls[0].provider_id, "", "3"))
    assert kinds(run.events) == [
        "user_message", "model_reply", "tool_started", "tool_result", "stopped", "resumed", "model_reply", "stopped",
    ]  # fmt: skip
    assert run.state.status is Status.ANSWERED


async def test_a_call_that_cannot_be_made_is_not_started() -> None:
    malformed, unknown = ADD.format(arguments="'{\"a\": '"), ADD.format(arguments="{}").replace('"add"', '"shout"')
    run = served(f"{malformed}\n{unknown}", 'text = "So."')
    first = await given(run, Told("Go."))
    assert [call.problem_kind for call in first.calls] == ["malformed", "unknown_tool"]
    assert kinds(run.events) == ["user_message", "model_reply"]
    await given(run, *(Result(call.provider_id, "", "no", is_error=True) for call in first.calls))
    assert [outcome for _, outcome, _ in results(run)] == ["invalid", "invalid"]


async def test_a_reply_that_is_not_ours_leaves_the_script_where_it_is() -> None:
    run = served('text = "One."', 'text = "Two."')
    call = said_call("call_x", "add", "{}")
    reply = await given(run, Told("Go."), Said("Mine.", (call,)), Result("call_x", "", "3"), Said("So."), Told("And?"))
    assert reply.text == "One."
    assert fold(run.header, run.events).model_calls == 3
