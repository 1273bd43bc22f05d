from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings

from tests.models.wire.histories import begun, called, histories
from tests.models.wire.test_transcript import ALL, body
from workbench.core.state import State
from workbench.core.values import RawCall
from workbench.models.wire.anthropic import validate as anthropic
from workbench.models.wire.endpoint import WireName
from workbench.models.wire.ollama import validate as ollama
from workbench.models.wire.openai import validate as openai

NOTE = {"type": "function", "function": {"name": "read_note"}}
PROBLEM = {"openai": openai.problem, "anthropic": anthropic.problem, "ollama": ollama.problem}


def asked(wire: WireName, **settings: Any) -> dict[str, Any]:
    """A request after one reply with two calls and their results."""
    state = begun()
    calls = [RawCall("read_note", f'{{"path": "{name}.txt"}}', f"call_{name}") for name in "ab"]
    called(state, *calls, text="Both.")
    return copy.deepcopy(body(state, wire, **settings))


@given(histories())
@settings(max_examples=150, deadline=None)
def test_what_is_sent_is_taken_whatever_happened_in_the_run(states: list[State]) -> None:
    for wire in ALL:
        for state in states:
            assert PROBLEM[wire](body(state, wire)) == ""


@given(histories("text"))
@settings(max_examples=30, deadline=None)
def test_so_are_the_texts_of_a_text_protocol(states: list[State]) -> None:
    for wire in ALL:
        for state in states:
            assert PROBLEM[wire](body(state, wire)) == ""


@pytest.mark.parametrize("wire", ALL)
@pytest.mark.parametrize("choice", ["", "auto", "required", "none", "read_note", "write.note"])
@pytest.mark.parametrize("parallel", [True, False])
def test_every_tool_choice_is_taken(wire: WireName, choice: str, parallel: bool) -> None:
    state = begun(parallel=parallel)
    assert PROBLEM[wire](body(state, wire, tool_choice=choice, max_tokens=100)) == ""


def test_openai_wants_every_call_answered_at_once() -> None:
    request = asked("openai")
    user, assistant, first, second = request["messages"][1:]
    cases = {
        "dropped": [user, first, second],
        "missing": [user, assistant, first],
        "split": [user, assistant, first, {"role": "user", "content": "and?"}, second],
        "unknown": [user, assistant, first, second | {"tool_call_id": "call_z"}],
        "twice": [user, assistant, first, first],
    }
    said = {name: openai.problem(request | {"messages": messages}) for name, messages in cases.items()}
    assert "must be a response to a preceding message with 'tool_calls'" in said["dropped"]
    assert "did not have response messages: call_b" in said["missing"]
    assert "did not have response messages: call_b" in said["split"]
    assert said["unknown"] == "'tool_call_id' of 'call_z' not found in 'tool_calls' of previous message."
    assert said["twice"] == "'tool_call_id' of 'call_a' not found in 'tool_calls' of previous message."


def changed(request: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    *way, last = path.split(".")
    here: Any = request
    for part in way:
        here = here[int(part) if part.isdigit() else part]
    here[int(last) if last.isdigit() else last] = value
    return request


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("max_token", 5, "Unrecognized request argument supplied: max_token"),
        ("temperature", "hot", "Invalid type for 'temperature': expected a decimal, but got a string instead."),
        ("messages", [], "empty array"),
        ("messages.0.role", "robot", "Invalid value: 'robot'"),
        ("messages.2.tool_calls", [], "Invalid 'messages[2].tool_calls': empty array"),
        ("messages.2.tool_calls.0.function.arguments", {"path": "a"}, "expected a string, but got an object instead"),
        ("messages.2.tool_calls.1.id", "call_a", "Duplicate value for 'tool_call_id' of 'call_a'"),
        ("messages.1.content", None, "Invalid type for 'messages[1].content'"),
        ("messages.3.content", 5, "expected a string or an array, but got an integer"),
        ("tools", None, ""),
        ("tools", [], "Invalid 'tools': empty array"),
        ("tool_choice", "any", "Supported values are: 'none', 'auto', and 'required'."),
        ("tool_choice", {"type": "function", "function": {"name": "x"}}, "not found in 'tools' parameter"),
        ("tool_choice", {"type": "function"}, "Missing required parameter: 'tool_choice.function'"),
        ("tool_choice", {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [NOTE]}}, ""),
        ("tool_choice", {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "x"}}]}}, "not found"),
        ("tool_choice", {"type": "allowed_tools"}, "Missing required parameter: 'tool_choice.allowed_tools.tools'"),
        ("tools.0.function.name", "read file", "Invalid 'tools[0].function.name': string does not match pattern"),
        ("tools.0.function.name", "r" * 65, "maximum length 64, but got a string with length 65"),
        ("tools.0.function.name", None, "expected a string, but got null"),
        ("messages.2.tool_calls.0.id", "c" * 41, "Invalid 'messages[2].tool_calls[0].id': string too long"),
        ("messages.3.tool_call_id", "c" * 41, "Invalid 'messages[3].tool_call_id': string too long"),
        ("stream_options", {"include_usage": True}, ""),
        ("stream", False, "only allowed when 'stream' is enabled"),
        ("model", None, "you must provide a model parameter"),
    ],
)  # fmt: skip
def test_openai_says_what_is_wrong(path: str, value: Any, said: str) -> None:
    problem = openai.problem(changed(asked("openai"), path, value))
    assert (said in problem) if said else problem == ""


def test_anthropic_wants_every_call_answered_first_and_in_one_message() -> None:
    request = asked("anthropic")
    user, assistant, results = request["messages"]
    first, second = results["content"]
    text = {"type": "text", "text": "so"}

    def told(*blocks: dict[str, Any]) -> dict[str, Any]:
        return {"role": "user", "content": list(blocks)}

    cases = {
        "dropped": [user, results],
        "missing": [user, assistant, told(first)],
        "split": [user, assistant, told(first), told(second)],
        "late": [user, assistant, told(text, first, second)],
        "twice": [user, assistant, told(first, second, first)],
        "none": [user, assistant],
        "again": [user, assistant, results, assistant, results],
        "prefill": [user, assistant, results, {"role": "assistant", "content": "So"}],
    }
    said = {name: anthropic.problem(request | {"messages": messages}) for name, messages in cases.items()}
    assert "unexpected `tool_use_id` found in `tool_result` blocks: call_a" in said["dropped"]
    assert "without `tool_result` blocks immediately after: call_b" in said["missing"]
    assert "without `tool_result` blocks immediately after: call_b" in said["split"]
    assert "must come first" in said["late"]
    assert "each tool_use must have a single result" in said["twice"]
    assert "without `tool_result` blocks immediately after: call_a, call_b" in said["none"]
    assert "`tool_use` ids must be unique" in said["again"]
    assert "does not support assistant message prefill" in said["prefill"]


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("max_tokens", None, "max_tokens: Field required"),
        ("max_tokens", 0, "greater than or equal to 1"),
        ("max_completion_tokens", 5, "max_completion_tokens: Extra inputs are not permitted"),
        ("temperature", 1.0, "temperature: sampling parameters are not supported"),
        ("messages", [], "at least one message is required"),
        ("messages.0.role", "robot", "messages.0.role: Input should be 'user', 'assistant' or 'system'"),
        ("messages.0.role", "system", 'first message must use the "user" role'),
        ("messages.1.content.0", {"type": "document", "source": {}}, "`document` blocks are not allowed in assistant"),
        ("messages.2.content.0.content", [{"type": "tool_result", "tool_use_id": "x"}], "not allowed in tool_result content"),
        ("messages.2.content.0.content", [{"type": "image", "source": {}}], ""),
        ("messages.0.role", "assistant", 'first message must use the "user" role'),
        ("messages.0.content", "", "user messages must have non-empty content"),
        ("messages.0.content.0.text", " \n", "must contain non-whitespace text"),
        ("messages.1.content.1.input", '{"path": "a"}', "messages.1.content.1.tool_use.input: Input should be a valid dict"),
        ("messages.1.content.1.name", "a b", "should match pattern"),
        ("messages.1.content.0", {"type": "thinking", "thinking": "hm"}, "thinking.signature: Field required"),
        ("messages.1.content.2", {"type": "redacted_thinking", "data": "x"}, "cannot be `thinking`"),
        ("messages.1.content.0", {"type": "tool_result", "tool_use_id": "x"}, "not allowed in assistant messages"),
        ("messages.2.content.0", {"type": "sticker"}, "Input tag 'sticker'"),
        ("messages.2.content.0.content", [{"type": "text", "text": " "}], "non-whitespace"),
        ("tools.0.input_schema", {}, "tools.0.custom.input_schema.type: Field required"),
        ("tools.1.name", "read_note", "Tool names must be unique"),
        ("tool_choice", {"type": "required"}, "does not match any of the expected tags"),
        ("tool_choice", {"type": "tool", "name": "x"}, "Tool 'x' not found"),
        ("tool_choice", {"type": "none", "disable_parallel_tool_use": True}, "Extra inputs are not permitted"),
    ],
)  # fmt: skip
def test_anthropic_says_what_is_wrong(path: str, value: Any, said: str) -> None:
    problem = anthropic.problem(changed(asked("anthropic"), path, value))
    assert (said in problem) if said else problem == ""


def test_anthropic_takes_texts_of_the_system_between_messages() -> None:
    request = asked("anthropic")
    between = {"role": "system", "content": [{"type": "text", "text": "Be brief."}]}
    assert anthropic.problem(request | {"messages": [*request["messages"], between]}) == ""
    image = {"role": "system", "content": [{"type": "image", "source": {}}]}
    assert "not allowed in system messages" in anthropic.problem(request | {"messages": [*request["messages"], image]})
    early = [*request["messages"][:2], between, request["messages"][2]]
    assert "without `tool_result` blocks immediately after" in anthropic.problem(request | {"messages": early})


def test_the_version_before_still_takes_sampling() -> None:
    assert anthropic.problem(asked("anthropic", temperature=0.5), "2023-06-01") == ""


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("model", "", "model is required"),
        ("model", 5, "json: cannot unmarshal number into Go struct field ChatRequest.model of type string"),
        ("stream", "yes", "cannot unmarshal string into Go struct field ChatRequest.stream of type bool"),
        ("messages.0.role", 5, "cannot unmarshal number into Go struct field ChatRequest.messages.role of type string"),
        ("messages.0", "x", "cannot unmarshal string into Go struct field ChatRequest.messages of type api.Message"),
        ("messages.2.content", ["x"], "cannot unmarshal array into Go struct field ChatRequest.messages.content"),
        ("messages.2.tool_calls.0.function.arguments", '{"path": "a"}', "Value looks like object, but can't find closing"),
        ("messages.2.tool_calls.0.function.name", 5, "ChatRequest.messages.tool_calls.function.name of type string"),
        ("messages.2.tool_calls.0", "x", "ChatRequest.messages.tool_calls of type api.ToolCall"),
        ("tools.0.function", "x", "of type api.ToolFunction"),
        ("tools.0.function.parameters", [], "ChatRequest.tools.function.parameters of type api.ToolFunctionParameters"),
        ("think", "hard", 'invalid think value: "hard" (must be "high", "medium", "low", "max", true, or false)'),
        ("think", 5, "think must be a boolean or string"),
        ("keep_alive", True, "Unsupported type: 'bool'"),
        ("top_logprobs", 21, "top_logprobs must be between 0 and 20"),
    ],
)  # fmt: skip
def test_ollama_says_what_is_wrong(path: str, value: Any, said: str) -> None:
    assert said in ollama.problem(changed(asked("ollama"), path, value))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("messages", None),
        ("messages", []),
        ("messages.0.role", "robot"),
        ("messages.0.role", None),
        ("messages.0.content", None),
        ("messages.0.content", ""),
        ("messages.2.tool_calls", []),
        ("messages.2.tool_calls.0", {}),
        ("messages.2.tool_calls.0.function.arguments", None),
        ("messages.2.tool_calls.0.id", "call_1"),
        ("messages.3.tool_call_id", "call_unknown"),
        ("tools.0", {"type": "function"}),
        ("think", "max"),
        ("keep_alive", "5m"),
        ("unheard_of", True),
    ],
)
def test_ollama_takes_what_is_of_its_kind_whatever_it_means(path: str, value: Any) -> None:
    assert ollama.problem(changed(asked("ollama"), path, value)) == ""
