from __future__ import annotations

import json
from typing import Any

import pytest

from tests.imports.logs import kinds, one, read, remarks, session, state
from workbench.core.events import ModelReply, ToolResult
from workbench.core.statuses import Status
from workbench.imports.conversation import NotUnderstood

SECOND = 1_000_000_000
BEGIN = 1_770_000_000 * SECOND


def encoded(value: Any) -> dict[str, Any]:
    """A value as OTLP has it in JSON."""
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case list():
            return {"arrayValue": {"values": list(map(encoded, value))}}
        case dict():
            return {"kvlistValue": {"values": [{"key": key, "value": encoded(item)} for key, item in value.items()]}}
    return {"stringValue": value}


def span(name: str, at: int, took: int = 1, /, **attributes: Any) -> dict[str, Any]:
    """A span that began so many seconds after the first; underscores in names of attributes stand for dots."""
    listed = [{"key": key.replace("__", "."), "value": encoded(value)} for key, value in attributes.items()]
    return {
        "traceId": "t" * 32,
        "spanId": f"{at:016}",
        "name": name,
        "startTimeUnixNano": str(BEGIN + at * SECOND),
        "endTimeUnixNano": str(BEGIN + (at + took) * SECOND),
        "attributes": listed,
    }


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "content": words}


USER = {"role": "user", "parts": [text("Which one has more?")]}
CALL = {"role": "assistant", "parts": [{"type": "tool_call", "id": "t1", "name": "look", "arguments": {"at": "North"}}]}
RESULT = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "t1", "response": "5"}]}
ANSWER = {"role": "assistant", "parts": [text("North.")], "finish_reason": "stop"}


def chat(at: int, asked: list[Any], replied: list[Any], *, as_text: bool = True, **more: Any) -> dict[str, Any]:
    written = json.dumps if as_text else list
    return span("chat m", at, 2, gen_ai__operation__name="chat", gen_ai__request__model="m",
                gen_ai__input__messages=written(asked), gen_ai__output__messages=written(replied), **more)  # fmt: skip


TOOL = span("execute_tool look", 4, 3, gen_ai__operation__name="execute_tool", gen_ai__tool__name="look",
            gen_ai__tool__call__id="t1", gen_ai__tool__call__result="5")  # fmt: skip
WHOLE = ["user_message", "model_reply", "tool_started", "tool_result", "model_reply", "stopped"]


@pytest.mark.parametrize("as_text", [True, False])
def test_a_run_in_spans_is_one_session(as_text: bool) -> None:
    usage: dict[str, Any] = {
        "gen_ai__usage__input_tokens": 9,
        "gen_ai__usage__output_tokens": 2,
        "gen_ai__response__model": "m-1",
    }
    first = chat(0, [USER], [{**CALL, "finish_reason": "tool_call"}], as_text=as_text, **usage)
    second = chat(8, [USER, CALL, RESULT], [ANSWER], as_text=as_text, **usage)
    conversation = one(otlp(second, TOOL, first))
    assert kinds(conversation) == WHOLE
    _, events = session(conversation)
    replies = [event for event in events if isinstance(event, ModelReply)]
    assert [(reply.took, reply.input_tokens, reply.model) for reply in replies] == [(2.0, 9, "m-1")] * 2
    assert replies[0].calls[0].arguments == '{"at":"North"}'
    [result] = [event for event in events if isinstance(event, ToolResult)]
    assert (result.content, result.took) == ("5", 3.0)
    assert state(conversation).answer == "North."


def test_spans_may_stand_one_a_line_as_the_sdk_prints_them() -> None:
    printed = {
        "name": "chat m",
        "context": {"trace_id": "0x1", "span_id": "0x2"},
        "start_time": "2026-01-31T10:00:00.000000Z",
        "end_time": "2026-01-31T10:00:01.500000Z",
        "attributes": {"gen_ai.input.messages": json.dumps([USER]), "gen_ai.output.messages": json.dumps([ANSWER])},
        "events": [],
    }
    reply: Any = session(one(printed))[1][2]
    assert (reply.text, reply.took) == ("North.", 1.5)
    assert state(one([printed])).answer == "North."


def test_a_result_that_only_the_span_of_the_tool_tells_is_taken_from_there() -> None:
    failed = span("execute_tool look", 4, 3, gen_ai__operation__name="execute_tool", gen_ai__tool__call__id="t1",
                  gen_ai__tool__call__result="no such shelf", error__type="failed")  # fmt: skip
    run = state(one(otlp(chat(0, [USER], [CALL]), failed)))
    [record] = run.every_call()
    assert record.result is not None
    assert (record.result.content, record.result.outcome, record.result.took) == ("no such shelf", "failed", 3.0)


def test_instructions_and_tools_are_read() -> None:
    tool = {"type": "function", "name": "look", "description": "Look.", "parameters": {"type": "object"}}
    more: dict[str, Any] = {
        "gen_ai__system_instructions": json.dumps([text("Be brief.")]),
        "gen_ai__tool__definitions": json.dumps([tool]),
    }
    header, _ = session(one(otlp(chat(0, [USER], [ANSWER], **more))))
    assert (header.system, [tool.name for tool in header.tools]) == ("Be brief.", ["look"])
    system = {"role": "system", "parts": [text("Be long.")]}
    assert session(one(otlp(chat(0, [system, USER], [ANSWER]))))[0].system == "Be long."


def test_the_finish_reason_of_the_span_counts() -> None:
    cut = chat(0, [USER], [{**ANSWER, "finish_reason": "length"}])
    assert state(one(otlp(cut))).status is Status.REPLY_CUT_OFF
    told = chat(0, [USER], [{"role": "assistant", "parts": [text("N")]}], gen_ai__response__finish_reasons=["length"])
    assert state(one(otlp(told))).status is Status.REPLY_CUT_OFF


def test_events_of_the_earlier_convention_are_read() -> None:
    call = {"id": "t1", "type": "function", "function": {"name": "look", "arguments": {"at": "North"}}}

    def event(name: str, **attributes: Any) -> dict[str, Any]:
        return {
            "name": name,
            "attributes": [{"key": key, "value": encoded(value)} for key, value in attributes.items()],
        }

    first = span("chat m", 0, gen_ai__operation__name="chat") | {
        "events": [
            event("gen_ai.system.message", content="Be brief."),
            event("gen_ai.user.message", content="Which one?"),
            event("gen_ai.choice", index=0, finish_reason="tool_calls", message=json.dumps({"tool_calls": [call]})),
        ]
    }
    second = span("chat m", 2, gen_ai__operation__name="chat") | {
        "events": [
            event("gen_ai.system.message", content="Be brief."),
            event("gen_ai.user.message", content="Which one?"),
            event("gen_ai.assistant.message", tool_calls=json.dumps([call])),
            event("gen_ai.tool.message", id="t1", content="5"),
            event("gen_ai.choice", index=0, finish_reason="stop", message={"content": "North."}),
        ]
    }
    conversation = one(otlp(first, second))
    assert (kinds(conversation), conversation.system) == (WHOLE, "Be brief.")
    assert remarks(conversation) == []


def test_numbered_attributes_are_read() -> None:
    asked = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Which one?",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.finish_reason": "tool_calls",
        "gen_ai.completion.0.tool_calls.0.id": "t1",
        "gen_ai.completion.0.tool_calls.0.name": "look",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"at": "North"}',
        "llm.request.functions.0.name": "look",
        "llm.request.functions.0.parameters": '{"type": "object"}',
        "gen_ai.usage.prompt_tokens": 9,
    }
    printed = {"name": "openai.chat", "context": {"trace_id": "0x1"}, "attributes": asked}
    header, events = session(one(printed))
    reply: Any = events[2]
    assert (reply.calls[0].tool, reply.calls[0].provider_id, reply.input_tokens) == ("look", "t1", 9)
    assert [tool.schema for tool in header.tools] == ['{"type": "object"}']
    assert kinds(one(printed)) == ["user_message", "model_reply"]


def test_spans_of_an_agent_count_where_there_are_no_others() -> None:
    agent = span("invoke_agent a", 0, gen_ai__operation__name="invoke_agent", gen_ai__input__messages=json.dumps([USER]),
                 gen_ai__output__messages=json.dumps([ANSWER]))  # fmt: skip
    assert kinds(one(otlp(agent))) == ["user_message", "model_reply", "stopped"]
    assert kinds(one(otlp(agent, chat(0, [USER], [ANSWER])))) == ["user_message", "model_reply", "stopped"]


def test_other_spans_are_named_and_kept() -> None:
    conversation = one(otlp(chat(0, [USER], [ANSWER]), span("GET /", 1, http__method="GET")))
    [(line, raw)] = remarks(conversation)
    assert line == "1 span without gen_ai attributes is not read: GET /"
    assert json.loads(raw)[0]["name"] == "GET /"


def test_parts_that_are_not_read_are_kept() -> None:
    picture = {"type": "blob", "mime_type": "image/png", "content": "aGk="}
    asked = {"role": "user", "parts": [text("What is it?"), picture]}
    [(line, raw)] = remarks(one(otlp(chat(0, [asked], [ANSWER]))))
    assert line == "message 1: a part of kind blob is not read"
    assert json.loads(raw) == picture


def test_spans_without_messages_say_why() -> None:
    with pytest.raises(NotUnderstood, match="content is only recorded where that was switched on"):
        read(otlp(span("chat m", 0, gen_ai__operation__name="chat", gen_ai__usage__input_tokens=9)))
