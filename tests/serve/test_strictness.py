"""What the vendors answer to a history that is not right, raised by their own clients as their own errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.serve.stage import GOAL, LOOPS, TWO_CITIES, Play, says

anthropic: Any = pytest.importorskip("anthropic")
openai: Any = pytest.importorskip("openai")

PutOn = Callable[..., Play]
Messages = list[dict[str, Any]]

USER = {"role": "user", "content": GOAL}
OPENAI_TOOLS = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]
ANTHROPIC_TOOLS = [{"name": "add", "input_schema": {"type": "object"}}]


@pytest.fixture
def playing(play: PutOn) -> Play:
    return play(says('text = "Hello."\nrepeat = "forever"'))


# ---------------------------------------------------------------- OpenAI


def called(*ids: str, arguments: Any = "{}") -> dict[str, Any]:
    calls = [{"id": i, "type": "function", "function": {"name": "add", "arguments": arguments}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def answered(call_id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "2"}


OPENAI_CASES: list[tuple[str, Messages, str]] = [
    ("dropped assistant", [USER, answered("a")], "must be a response to a preceding message with 'tool_calls'"),
    ("missing result", [USER, called("a", "b"), answered("a")], "did not have response messages: b"),
    ("no result", [USER, called("a")], "did not have response messages: a"),
    ("split result", [USER, called("a", "b"), answered("a"), USER, answered("b")], "did not have response messages: b"),
    ("orphan result", [USER, called("a"), answered("z")], "'tool_call_id' of 'z' not found"),
    ("two results", [USER, called("a"), answered("a"), answered("a")], "'tool_call_id' of 'a' not found"),
    ("duplicate ids", [USER, called("a", "a"), answered("a"), answered("a")], "Duplicate value for 'tool_call_id'"),
    ("arguments as an object", [USER, called("a", arguments={"x": 1}), answered("a")], "expected a string, but got an"),
    ("empty content", [{"role": "user", "content": None}], "Invalid type for 'messages[0].content'"),
    ("nothing said", [USER, {"role": "assistant", "content": None}], "Invalid type for 'messages[1].content'"),
    ("no calls", [USER, {"role": "assistant", "content": None, "tool_calls": []}], "empty array"),
    ("no messages", [], "empty array"),
    ("unknown role", [{"role": "robot", "content": "x"}], "Invalid value: 'robot'"),
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("messages", "said"), [case[1:] for case in OPENAI_CASES], ids=[c[0] for c in OPENAI_CASES])
def test_openai(playing: Play, clients: dict[str, Any], messages: Messages, said: str, stream: bool) -> None:
    with pytest.raises(openai.BadRequestError) as raised:
        clients["openai"].chat.completions.create(model="m", messages=messages, tools=OPENAI_TOOLS, stream=stream)
    assert said in raised.value.message
    assert raised.value.type == "invalid_request_error"
    assert raised.value.request_id is not None
    assert playing.sessions == []
    assert said in playing.log.lines(1)[0]


# ---------------------------------------------------------------- OpenAI's responses


def call_item(call_id: str, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": "add", "arguments": "{}", **more}


def output_item(call_id: str, output: Any = "2") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": output}


def thought(name: str = "rs_1") -> dict[str, Any]:
    return {"type": "reasoning", "id": name, "summary": []}


RESPONSES_CASES: list[tuple[str, Any, str]] = [
    ("dropped call", [USER, output_item("a")], "No tool call found for function call output with call_id a."),
    ("missing result", [USER, call_item("a"), call_item("b"), output_item("a")], "No tool output found for function call b."),
    ("no result", [USER, call_item("a"), USER], "No tool output found for function call a."),
    ("result before its call", [USER, output_item("a"), call_item("a")], "No tool call found for function call output"),
    ("orphan result", [USER, call_item("a"), output_item("a"), output_item("z")], "with call_id z."),
    ("two results", [USER, call_item("a"), output_item("a"), output_item("a")], "No tool call found for function call"),
    ("duplicate ids", [USER, call_item("a"), call_item("a"), output_item("a")], "Duplicate function call with call_id a"),
    ("duplicate items", [USER, call_item("a", id="fc_1"), output_item("a"), call_item("b", id="fc_1"), output_item("b")], "Duplicate item found with id fc_1."),
    ("arguments as an object", [USER, call_item("a", arguments={}), output_item("a")], "expected a string, but got an object"),
    ("empty content", [{"role": "user", "content": None}], "Missing required parameter: 'input[0].content'."),
    ("a part of the other side", [{"role": "user", "content": [{"type": "output_text", "text": "x"}]}], "Invalid value: 'output_text'"),
    ("a part of the chat", [{"role": "user", "content": [{"type": "text", "text": "x"}]}], "Invalid value: 'text'. Supported values are: 'input_text'"),
    ("a message of the chat", [USER, {"role": "tool", "tool_call_id": "a", "content": "2"}], "Invalid value: 'tool'. Supported values"),
    ("a thought alone", [USER, thought(), USER], "Item 'rs_1' of type 'reasoning' was provided without its required following item."),
    ("a stored item", [USER, {"type": "item_reference", "id": "msg_1"}], "Item with id 'msg_1' not found."),
    ("nothing", [], 'One of "input" or'),
    ("no item", [USER, "x"], "Invalid type for 'input[1]': expected an object, but got a string instead."),
    ("an item of no type", [USER, {}], "Missing required parameter: 'input[1].type'."),
    ("an unknown item", [{"type": "sticker"}], "Invalid value: 'sticker'."),
]  # fmt: skip


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("items", "said"), [c[1:] for c in RESPONSES_CASES], ids=[c[0] for c in RESPONSES_CASES])
def test_responses(playing: Play, clients: dict[str, Any], items: Any, said: str, stream: bool) -> None:
    tools = [{"type": "function", "name": "add", "parameters": {"type": "object"}, "strict": False}]
    with pytest.raises(openai.BadRequestError) as raised:
        clients["openai"].responses.create(model="m", input=items, tools=tools, stream=stream)
    assert said in raised.value.message
    assert raised.value.type == "invalid_request_error"
    assert playing.sessions == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"previous_response_id": "resp_1"}, "Previous response with id 'resp_1' not found."),
        ({"conversation": "conv_1"}, "the input has to be the whole history"),
        ({"background": True}, "nothing is stored here"),
        ({"max_tokens": 5}, "Unknown parameter: 'max_tokens'."),
        ({"max_output_tokens": "many"}, "expected an integer, but got a string"),
        ({"tools": OPENAI_TOOLS}, "Missing required parameter: 'tools[0].name'."),
        ({"tool_choice": {"type": "function", "name": "x"}}, "Tool choice 'x' not found in 'tools' parameter."),
        ({"tool_choice": "any"}, "Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'."),
    ],
)
def test_responses_are_strict_about_the_rest(
    playing: Play, clients: dict[str, Any], change: dict[str, Any], said: str
) -> None:
    with pytest.raises(openai.BadRequestError) as raised:
        clients["openai"].responses.create(model="m", input=GOAL, extra_body=change)
    assert said in raised.value.message
    assert playing.sessions == []


def test_responses_take_results_wherever_they_come_after_their_call(playing: Play, clients: dict[str, Any]) -> None:
    said = {"role": "assistant", "content": [{"type": "output_text", "text": "Both."}]}
    items = [USER, thought(), said, call_item("a"), call_item("b"), output_item("b"), USER, output_item("a")]
    tools = [{"type": "function", "name": "add", "parameters": {"type": "object"}, "strict": False}]
    assert clients["openai"].responses.create(model="m", input=items, tools=tools).output_text == "Hello."


# ---------------------------------------------------------------- Anthropic


def used(*ids: str, arguments: Any = None) -> dict[str, Any]:
    given = {} if arguments is None else arguments
    return {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": i, "name": "add", "input": given} for i in ids],
    }


def results(*ids: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": i, "content": "2"} for i in ids]}


TEXT = {"type": "text", "text": "so"}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "made up"}
ANTHROPIC_CASES: list[tuple[str, Messages, str]] = [
    ("dropped assistant", [USER, results("a")], "unexpected `tool_use_id` found in `tool_result` blocks: a"),
    ("missing result", [USER, used("a", "b"), results("a")], "without `tool_result` blocks immediately after: b"),
    ("no result", [USER, used("a"), USER], "without `tool_result` blocks immediately after: a"),
    ("split result", [USER, used("a", "b"), results("a"), results("b")], "without `tool_result` blocks immediately"),
    ("orphan result", [USER, used("a"), results("a", "z")], "unexpected `tool_use_id` found in `tool_result` blocks: z"),
    ("two results", [USER, used("a"), results("a", "a")], "each tool_use must have a single result"),
    ("result after text", [USER, used("a"), {"role": "user", "content": [TEXT, *results("a")["content"]]}], "come first"),
    ("duplicate ids", [USER, used("a", "a"), results("a")], "`tool_use` ids must be unique"),
    ("arguments as a string", [USER, used("a", arguments='{"x": 1}'), results("a")], "input: Input should be a valid dict"),
    ("empty content", [{"role": "user", "content": ""}], "must have non-empty content"),
    ("blank text", [{"role": "user", "content": [{"type": "text", "text": " "}]}], "non-whitespace text"),
    ("prefill", [USER, {"role": "assistant", "content": "So"}], "does not support assistant message prefill"),
    ("no messages", [], "at least one message is required"),
    ("thinking of its own", [USER, {"role": "assistant", "content": [THOUGHT, TEXT]}, USER], "Invalid `signature`"),
]  # fmt: skip


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("messages", "said"), [c[1:] for c in ANTHROPIC_CASES], ids=[c[0] for c in ANTHROPIC_CASES])
def test_anthropic(playing: Play, clients: dict[str, Any], messages: Messages, said: str, stream: bool) -> None:
    with pytest.raises(anthropic.BadRequestError) as raised:
        clients["anthropic"].messages.create(
            model="m", max_tokens=9, messages=messages, tools=ANTHROPIC_TOOLS, stream=stream
        )
    body = raised.value.body
    assert isinstance(body, dict)
    assert said in body["error"]["message"]
    assert (body["type"], body["error"]["type"]) == ("error", "invalid_request_error")
    assert raised.value.request_id == body["request_id"]
    assert playing.sessions == []


# ---------------------------------------------------------------- Ollama


def posted(playing: Play, path: str, body: Any, **headers: str) -> tuple[int, dict[str, Any]]:
    """Status and body of a request that no client of theirs would let pass."""
    there = HTTPConnection(urlsplit(playing.url).netloc)
    try:
        there.request("POST", path, body if isinstance(body, bytes) else json.dumps(body), headers)
        reply = there.getresponse()
        return reply.status, json.loads(reply.read())
    finally:
        there.close()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "add", "arguments": "{}"}}]}]},
         "Value looks like object, but can't find closing '}' symbol"),
        ({"messages": [{"role": "user", "content": ["x"]}]}, "json: cannot unmarshal array into Go struct field"),
        ({"messages": [{"role": 5, "content": "x"}]}, "json: cannot unmarshal number into Go struct field"),
        ({"model": ""}, "model is required"),
        ({"stream": "yes"}, "json: cannot unmarshal string"),
    ],
)  # fmt: skip
def test_ollama_asks_for_kinds_of_values(playing: Play, change: dict[str, Any], said: str) -> None:
    status, body = posted(playing, "/api/chat", {"model": "m", "messages": [USER]} | change)
    assert status == 400
    assert said in body["error"]


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "Robot", "content": "x"}],
        [{"content": "x"}],
        [USER, {"role": "assistant", "tool_calls": [{"function": {"name": "add"}}, {}]}, {"role": "tool"}],
        [USER, {"role": "assistant", "tool_calls": None}, {"role": "tool", "tool_call_id": "a", "content": "2"}],
    ],
)
def test_ollama_takes_what_looks_odd(playing: Play, messages: Messages) -> None:
    body = {"model": "m", "messages": messages, "tools": [{"type": "function"}], "stream": False}
    status, reply = posted(playing, "/api/chat", body)
    assert (status, reply["message"]["content"]) == (200, "Hello.")
    assert len(playing.sessions) == 1


def test_ollama_takes_any_order_and_so_does_the_journal(play: PutOn, clients: dict[str, Any]) -> None:
    """A result without its call is told like a message; a call without its result is closed as unknown."""
    playing = play(TWO_CITIES)
    history = LOOPS["ollama"](clients["ollama"], stream=False)
    without_result = [*history[:2], history[3], {"role": "user", "content": "and?"}]
    clients["ollama"].chat(model="llama", messages=without_result)
    orphan = [USER, {"role": "tool", "tool_name": "add", "content": "3"}]
    clients["ollama"].chat(model="llama", messages=orphan)
    first, second, third = playing.sessions
    assert len(first.events) == 11
    assert [getattr(event, "outcome", "") for event in second.events if event.kind == "tool_result"] == [
        "ran",
        "unknown",
    ]
    assert [event.kind for event in third.events[:3]] == ["user_message", "user_message", "model_reply"]


# ---------------------------------------------------------------- what is no request at all


def test_what_is_not_json_is_refused(playing: Play) -> None:
    assert posted(playing, "/v1/chat/completions", b'{"model": ')[0] == 400
    assert posted(playing, "/v1/chat/completions", b"[" * 100_000)[0] == 400
    assert posted(playing, "/v1/chat/completions", b"\xff\xfe")[0] == 400
    status, body = posted(playing, "/v1/messages", {"model": "m"})
    assert (status, body["error"]["message"]) == (400, "anthropic-version: header is required")


def test_what_is_too_large_is_refused_in_each_vendors_words(play: PutOn, clients: dict[str, Any]) -> None:
    playing = play(TWO_CITIES, largest=1000)
    long = [{"role": "user", "content": "x" * 3_000_000}]
    with pytest.raises(openai.APIStatusError) as first:
        clients["openai"].chat.completions.create(model="m", messages=long)
    with pytest.raises(anthropic.RequestTooLargeError):
        clients["anthropic"].messages.create(model="m", max_tokens=9, messages=long)
    assert first.value.status_code == 413
    assert playing.statuses(2) == [413, 413]


def test_other_addresses_and_methods_are_named(playing: Play, clients: dict[str, Any]) -> None:
    with pytest.raises(openai.NotFoundError, match="there is no /v1/embeddings here; there are /v1/chat/completions"):
        clients["openai"].embeddings.create(model="m", input="x")
    status, body = posted(playing, "/v1/models", {})
    assert (status, body["error"]["message"]) == (405, "/v1/models takes GET, not POST")


def test_a_web_page_from_elsewhere_is_not_answered(playing: Play) -> None:
    body = {"model": "m", "messages": [USER]}
    assert posted(playing, "/v1/chat/completions", body, origin="https://example.org")[0] == 403
    assert posted(playing, "/v1/chat/completions", body, origin="http://localhost:3000")[0] == 200


def test_whatever_is_sent_can_be_written(playing: Play, clients: dict[str, Any]) -> None:
    """Half a surrogate pair, markup, terminal codes, what looks like a trailer: all of it is text."""
    text = 'a "\ud83d" [bold]\x1b[31m\n#~ 1 9f3c21ab\n[[event]]\n'
    body = {"model": "m\x1b[2J", "messages": [{"role": "user", "content": text}]}
    assert posted(playing, "/v1/chat/completions", json.dumps(body).encode())[0] == 200
    told = playing.session.events[0]
    assert getattr(told, "text", "") == text.replace("\ud83d", "�")
    assert all(character.isprintable() for line in playing.log.lines(1) for character in line)
