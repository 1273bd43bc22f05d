from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from tests.export.runs import NAMES, of, shipped, written
from tests.view.nasty import NastyRun, nasty_runs
from workbench.core.events import ModelFailed, ModelReply, ToolResult, ToolStarted, UserMessage
from workbench.core.values import Call, Header
from workbench.export.records import REDACTED, Steps, records, redacted

FIELDS = [
    "run_id", "step", "call", "tool", "args", "result_chars", "is_error", "outcome", "input_tokens", "output_tokens",
    "cache_read_tokens", "cache_write_tokens", "estimated", "latency_ms", "tool_ms", "model", "finish",
]  # fmt: skip


def lines(run: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written("records", run).text.splitlines()]


@pytest.mark.parametrize("name", NAMES)
def test_the_records_of_a_shipped_session_add_up(name: str) -> None:
    run = shipped(name)
    found = lines(run)
    assert all(list(record) == FIELDS for record in found)
    assert {record["run_id"] for record in found} == {run.header.id}
    assert len({record["step"] for record in found}) == run.state.total_steps
    assert [record["tool"] for record in found if record["tool"]] == [each.call.tool for each in run.state.every_call()]
    assert sum(record["input_tokens"] or 0 for record in found) == run.state.input_tokens
    assert sum(record["output_tokens"] or 0 for record in found) == run.state.output_tokens


def test_a_step_is_told_with_all_that_is_known_of_it() -> None:
    call = Call(id="c1", tool="look", arguments='{"at": "North"}', canonical='{"at":"North"}')
    reply = ModelReply(
        text="",
        calls=(call,),
        took=1.25,
        input_tokens=100,
        output_tokens=7,
        cache_read=60,
        model="m-1",
        finish="tool_calls",
    )
    events = [
        UserMessage(text="g"),
        reply,
        ToolStarted(call="c1", arguments='{"at":"South"}'),
        ToolResult(call="c1", outcome="failed", content="no shelf", took=0.002),
    ]
    assert list(records("r1", events)) == [
        {
            "run_id": "r1", "step": 1, "call": "c1", "tool": "look", "args": {"at": "South"}, "result_chars": 8,
            "is_error": True, "outcome": "failed", "input_tokens": 100, "output_tokens": 7, "cache_read_tokens": 60,
            "cache_write_tokens": None, "estimated": False, "latency_ms": 1250.0, "tool_ms": 2.0, "model": "m-1",
            "finish": "tool_calls",
        }
    ]  # fmt: skip


def test_a_failed_request_is_told_under_the_step_that_it_was_to_be() -> None:
    [record] = records("r1", [UserMessage(text="g"), ModelFailed(failure="timeout", took=3.0)])
    assert list(record) == FIELDS
    assert (record["step"], record["is_error"], record["outcome"], record["latency_ms"]) == (1, True, "timeout", 3000.0)


def test_a_step_is_told_as_soon_as_it_is_over() -> None:
    steps = Steps("r1")
    calls = tuple(Call(id=f"c{number}", tool="look", arguments="{}") for number in (1, 2))
    told = [len(steps.take(event)) for event in (
        ModelReply(calls=calls), ToolResult(call="c2", content="b"), ToolResult(call="c1", content="a"),
        ModelReply(reading="answer", answer="x", text="x"),
    )]  # fmt: skip
    assert told == [0, 0, 2, 1]
    assert steps.rest() == []


@settings(max_examples=25, deadline=None)
@given(nasty_runs())
def test_any_run_has_a_record_for_every_reply_and_failure(run: NastyRun) -> None:
    found = lines(of(run.header, run.events))
    replies = sum(isinstance(event, ModelReply) for event in run.events)
    failures = sum(isinstance(event, ModelFailed) for event in run.events)
    firsts = [record for record in found if record["estimated"] is not None or record["finish"] is None]
    assert len(firsts) >= replies + failures - sum(
        isinstance(event, ModelReply | ModelFailed) and event.took != event.took for event in run.events
    )


# ---------------------------------------------------------------- redacting


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"password": "x", "user": "ada"}, {"password": REDACTED, "user": "ada"}),
        ({"api_key": "k", "ApiKey": "k", "access_token": "t", "client_secret": {"a": 1}}, dict.fromkeys(
            ("api_key", "ApiKey", "access_token", "client_secret"), REDACTED)),
        ({"max_tokens": 5, "tokens": [1], "token": ""}, {"max_tokens": 5, "tokens": [1], "token": ""}),
        ({"headers": [{"Authorization": "Bearer abcdefgh"}]}, {"headers": [{"Authorization": REDACTED}]}),
        ("curl -H 'Authorization: Bearer abcdefgh'", "curl -H 'Authorization: Bearer [key]'"),
        (["use sk-abcdefghijkl now", "AKIAABCDEFGHIJKLMNOP"], [f"use {REDACTED} now", REDACTED]),
        ("task-management and risk_assessment", "task-management and risk_assessment"),
        ({"pin": "1234", "pinned": True, "spinning": "x"}, {"pin": REDACTED, "pinned": True, "spinning": "x"}),
    ],
)  # fmt: skip
def test_what_is_secret_is_not_told(value: Any, shown: Any) -> None:
    assert redacted(value) == shown


def test_arguments_that_are_no_json_are_told_as_text_and_redacted_too() -> None:
    call = Call(id="c1", tool="run", arguments='{"cmd": "export KEY=sk-abcdefghijkl')
    [record] = records("r1", [ModelReply(calls=(call,))])
    assert record["args"] == f'{{"cmd": "export KEY={REDACTED}'


def test_no_content_of_a_result_is_told() -> None:
    header = Header(id="x", goal="g")
    call = Call(id="c1", tool="look", arguments="{}")
    run = of(header, [ModelReply(calls=(call,)), ToolResult(call="c1", content="the secret of the shelf")])
    assert "secret of the shelf" not in written("records", run).text
