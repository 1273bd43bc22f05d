"""What goes out, read by our own clients of the same wires and by the vendors' own types."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.canonical import canonical, parse_object
from workbench.core.ports import FailureKind, Reply
from workbench.core.values import Call
from workbench.models.wire import classify
from workbench.models.wire.body import to_json
from workbench.models.wire.wires import WIRES
from workbench.serve.answer import Answer, pieces
from workbench.serve.dialects import BROKEN, Dialect
from workbench.serve.dialects.anthropic import ANTHROPIC
from workbench.serve.dialects.ollama import OLLAMA
from workbench.serve.dialects.openai import OPENAI
from workbench.serve.dialects.responses import RESPONSES
from workbench.serve.history import Result, Said, Told, said_call

DIALECTS = (OPENAI, ANTHROPIC, OLLAMA)
EACH = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
names = st.from_regex(r"[a-z_]{1,12}", fullmatch=True)
arguments = st.dictionaries(names, st.none() | st.integers() | texts, max_size=3).map(json.dumps)


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    calls = draw(st.lists(st.tuples(names, arguments), max_size=3))
    figures = draw(st.tuples(*[st.integers(0, 900)] * 4))
    return Answer(
        id="A1b2C3d4E5f6G7h8I9j0K1l2",
        model="m",
        created=1_700_000_000,
        text=draw(texts),
        thinking=draw(texts),
        calls=tuple(
            Call(id=f"c{at}", tool=tool, arguments=raw, provider_id=f"call_{at}")
            for at, (tool, raw) in enumerate(calls)
        ),
        finish="tool_calls" if calls else draw(st.sampled_from(["stop", "length"])),
        input=sum(figures[:3]) + 1,
        output=figures[3],
        cache_read=figures[0],
        cache_write=figures[1],
    )


def streamed(dialect: Dialect, answer: Answer) -> bytes:
    stream = dialect.stream(answer)
    return b"".join([*stream.begun, *stream.ended])


def assembled(dialect: Dialect, data: bytes) -> Reply:
    wire = WIRES[dialect.name]
    parser, assembler = wire.parser(), wire.assembler()
    for frame in [*parser.feed(data), *parser.close()]:
        assembler.feed(frame)
    assert assembler.ended
    return assembler.reply()


def told(reply: Reply) -> tuple[Any, ...]:
    """What a client makes of a reply, however it came."""
    calls = [(call.tool, canonical(parse_object(call.arguments).value)) for call in reply.calls]
    return reply.text, reply.thinking, calls, reply.finish, reply.usage, reply.model


@EACH
@given(answer=answers())
@settings(max_examples=60, deadline=None)
def test_a_stream_says_what_the_whole_says_and_both_what_was_answered(dialect: Dialect, answer: Answer) -> None:
    whole = WIRES[dialect.name].decode(json.loads(to_json(dialect.whole(answer))))
    assert told(assembled(dialect, streamed(dialect, answer))) == told(whole)
    blank = dialect is ANTHROPIC and not answer.text.strip()  # it has no empty text
    assert whole.text == ("" if blank else answer.text)
    assert whole.thinking == answer.thinking
    assert [call.tool for call in whole.calls] == [call.tool for call in answer.calls]
    assert whole.finish == answer.finish
    assert (whole.usage.input, whole.usage.output) == (answer.input, answer.output)


@EACH
@given(answer=answers())
@settings(max_examples=30, deadline=None)
def test_what_has_begun_is_never_a_whole_reply(dialect: Dialect, answer: Answer) -> None:
    wire = WIRES[dialect.name]
    parser, assembler = wire.parser(), wire.assembler()
    for frame in [*parser.feed(b"".join(dialect.stream(answer).begun)), *parser.close()]:
        assembler.feed(frame)
    assert not assembler.complete


@EACH
@pytest.mark.parametrize(
    "kind", ["rate_limited", "unavailable", "timeout", "auth", "quota", "bad_request", "context_overflow"]
)
def test_a_failure_is_understood_as_what_it_is(dialect: Dialect, kind: FailureKind) -> None:
    failing = dialect.failures[kind]
    body = to_json(dialect.error(failing, failing.words, "req_1"))
    assert classify.of_response(failing.status, {}, body, 0.0).kind == kind


@EACH
def test_a_script_that_is_over_is_not_asked_again(dialect: Dialect) -> None:
    body = to_json(dialect.error(BROKEN, "the script is over", "req_1"))
    failure = classify.of_response(BROKEN.status, {"x-should-retry": "false"}, body, 0.0)
    assert not failure.retry
    assert "the script is over" in failure.detail


@given(texts)
def test_pieces_are_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text
    assert len(pieces(text * 50)) <= 64


@given(answers())
@settings(max_examples=30, deadline=None)
def test_replies_are_of_the_vendors_own_types(answer: Answer) -> None:
    pydantic: Any = pytest.importorskip("pydantic")
    openai: Any = pytest.importorskip("openai.types.chat")
    anthropic: Any = pytest.importorskip("anthropic.types")
    ollama: Any = pytest.importorskip("ollama")
    openai.ChatCompletion.model_validate(OPENAI.whole(answer), strict=True)
    for event in parsed(OPENAI, answer):
        if event != "[DONE]":
            openai.ChatCompletionChunk.model_validate_json(event, strict=True)
    anthropic.Message.model_validate(ANTHROPIC.whole(answer), strict=True)
    events = pydantic.TypeAdapter(anthropic.RawMessageStreamEvent)
    for event in parsed(ANTHROPIC, answer):
        if '"ping"' not in event:
            events.validate_json(event, strict=True)
    ollama.ChatResponse.model_validate(OLLAMA.whole(answer))
    for event in parsed(OLLAMA, answer):
        ollama.ChatResponse.model_validate_json(event)


@given(answers(), st.sampled_from(["stop", "length", "blocked", "refused"]))
@settings(max_examples=30, deadline=None)
def test_responses_are_of_their_own_types_and_grow_to_what_they_are(answer: Answer, finish: str) -> None:
    pydantic: Any = pytest.importorskip("pydantic")
    openai: Any = pytest.importorskip("openai.types.responses")
    answer = answer if answer.calls else replace(answer, finish=finish)
    whole = RESPONSES.whole(answer)
    openai.Response.model_validate(whole)
    kind = pydantic.TypeAdapter(openai.ResponseStreamEvent)
    events = [kind.validate_json(event) for event in parsed(RESPONSES, answer)]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert events[-1].response.model_dump(mode="json", exclude_unset=True) == whole
    done = [event.item for event in events if event.type == "response.output_item.done"]
    assert [item.model_dump(mode="json", exclude_unset=True) for item in done] == whole["output"]
    said = "".join(event.delta for event in events if event.type in SAID)
    thought = "".join(event.delta for event in events if event.type == "response.reasoning_summary_text.delta")
    assert (said, thought) == (answer.text if answer.text.strip() or not answer.calls else "", answer.thinking)


SAID = ("response.output_text.delta", "response.refusal.delta")


@given(answers())
@settings(max_examples=30, deadline=None)
def test_a_response_comes_back_as_what_was_said(answer: Answer) -> None:
    """Its items, sent back as they are with an output for each call, are one reply again."""
    given = [{"role": "user", "content": "Go."}, *RESPONSES.whole(answer)["output"]]
    given += [{"type": "function_call_output", "call_id": call.provider_id, "output": "2"} for call in answer.calls]
    body = {"model": "m", "input": given}
    assert RESPONSES.problem(body, {}) == ""
    told, said, *results = RESPONSES.read(body).items
    assert said == Said(
        answer.text.strip(), tuple(said_call(call.provider_id, call.tool, call.arguments) for call in answer.calls)
    )
    assert [told, *results] == [Told("Go."), *(Result(call.provider_id, "", "2") for call in answer.calls)]


def parsed(dialect: Dialect, answer: Answer) -> list[str]:
    parser = WIRES[dialect.name].parser()
    return [frame.data for frame in [*parser.feed(streamed(dialect, answer)), *parser.close()]]


# ---------------------------------------------------------------- any body

OPENAI_BODY: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Add."}, {"type": "image_url", "image_url": {"url": "x"}}],
        },
        {
            "role": "assistant",
            "content": None,
            "refusal": None,
            "tool_calls": [{"id": "a", "type": "function", "function": {"name": "add", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "a", "content": "2"},
    ],
    "tools": [
        {"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": {"type": "object"}}}
    ],
    "tool_choice": {"type": "function", "function": {"name": "add"}},
    "stream": True,
    "stream_options": {"include_usage": True},
    "n": 1,
}
ANTHROPIC_BODY: dict[str, Any] = {
    "model": "m",
    "max_tokens": 9,
    "system": [{"type": "text", "text": "Be brief."}],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Add."}, {"type": "image", "source": {}}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "add", "input": {"a": 1}}]},
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "a",
                    "content": [{"type": "text", "text": "2"}],
                    "is_error": True,
                }
            ],
        },
        {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "So."}]},
        {"role": "user", "content": "And?"},
    ],
    "tools": [{"name": "add", "description": "Adds.", "input_schema": {"type": "object"}}],
    "tool_choice": {"type": "tool", "name": "add"},
    "thinking": {"type": "adaptive"},
    "stream": True,
}
OLLAMA_BODY: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Add.", "images": []},
        {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "add", "arguments": {"a": 1}}}]},
        {"role": "tool", "tool_name": "add", "content": "2"},
    ],
    "tools": [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}],
    "think": True,
    "stream": False,
}
RESPONSES_BODY: dict[str, Any] = {
    "model": "m",
    "instructions": "Be brief.",
    "input": [
        {"role": "developer", "content": "Do it."},
        {
            "role": "user",
            "content": [{"type": "input_text", "text": "Add."}, {"type": "input_image", "image_url": "x"}],
        },
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
        {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "add", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": [{"type": "input_text", "text": "2"}]},
    ],
    "tools": [{"type": "function", "name": "add", "parameters": {"type": "object"}}, {"type": "web_search"}],
    "tool_choice": {"type": "function", "name": "add"},
    "reasoning": {"summary": "auto"},
    "stream": True,
}
BODIES = ((OPENAI, OPENAI_BODY), (RESPONSES, RESPONSES_BODY), (ANTHROPIC, ANTHROPIC_BODY), (OLLAMA, OLLAMA_BODY))
ODD: tuple[Any, ...] = (None, True, 5, 0.5, "", "x", [], ["x"], [None], [[]], {}, {"type": []}, {"x": 5}, [{}])


def changed(value: Any, odd: Any) -> Iterator[Any]:
    """The value with each part of it, in turn, replaced or left out."""
    yield odd
    if isinstance(value, dict):
        for key, inner in value.items():
            yield {name: item for name, item in value.items() if name != key}
            for other in changed(inner, odd):
                yield {**value, key: other}
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            for other in changed(inner, odd):
                yield [*value[:at], other, *value[at + 1 :]]


@pytest.mark.parametrize(("dialect", "good"), BODIES, ids=["openai", "responses", "anthropic", "ollama"])
def test_whatever_is_wrong_with_a_body_it_is_refused_in_words_or_read(dialect: Dialect, good: dict[str, Any]) -> None:
    headers = {"anthropic-version": "2023-06-01"}
    assert dialect.problem(good, headers) == ""
    assert len(dialect.read(good).items) >= 3
    refused = 0
    for odd in ODD:
        for body in changed(good, odd):
            if isinstance(body, dict):
                if dialect.problem(body, headers):
                    refused += 1
                else:
                    dialect.read(body)
    assert refused > 100
