"""What is sent, judged by the vendors' own types; and what their types say of replies, read by us."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from pydantic import ConfigDict, TypeAdapter

from tests.models.wire.histories import begun, called, histories
from tests.models.wire.server import chat, local_chat, message
from tests.models.wire.test_transcript import body
from workbench.core.state import State
from workbench.core.values import RawCall
from workbench.models.wire.wires import WIRES

chat_types: Any = pytest.importorskip("openai.types.chat")
chat_requests: Any = pytest.importorskip("openai.types.chat.completion_create_params")
anthropic_types: Any = pytest.importorskip("anthropic.types")
anthropic_requests: Any = pytest.importorskip("anthropic.types.message_create_params")
ollama_types: Any = pytest.importorskip("ollama._types")

FORBID = ConfigDict(extra="forbid")
FEW = settings(max_examples=30, deadline=None)
CHOICES = ("", "auto", "required", "none", "read_note")


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """Kept, as what it gives out goes on using it."""
    return TypeAdapter(list[kind], config=FORBID)


def judge(kind: Any, *values: Any) -> None:
    """Raises ValueError for a value that is not of that kind, or has anything more."""
    drain(adapter(kind).validate_python(list(values)))


def drain(value: Any) -> None:
    """Walk everything inside: these types look at their items only when they are asked for."""
    if isinstance(value, Mapping):
        value = value.values()
    if not isinstance(value, str | bytes) and hasattr(value, "__iter__"):
        for item in value:
            drain(item)


def bodies(states: list[State], wire: Any) -> Iterator[dict[str, Any]]:
    """The request of each state, with one setting or another."""
    for index, state in enumerate(states):
        yield body(state, wire, tool_choice=CHOICES[index % len(CHOICES)], max_tokens=50, stream=index % 2 == 0)


def check_openai(request: dict[str, Any]) -> None:
    way = "Streaming" if request.get("stream") else "NonStreaming"
    judge(getattr(chat_requests, f"CompletionCreateParams{way}"), request)
    judge(chat_types.ChatCompletionMessageParam, *request["messages"])


def check_anthropic(request: dict[str, Any]) -> None:
    way = "Streaming" if request.get("stream") else "NonStreaming"
    judge(getattr(anthropic_requests, f"MessageCreateParams{way}"), request)
    judge(anthropic_types.MessageParam, *request["messages"])
    # The union of blocks has those of replies in it, which take anything more: each is judged by its kind.
    for item in request["messages"]:
        for block in item["content"]:
            name = "".join(part.title() for part in block["type"].split("_"))
            judge(getattr(anthropic_types, f"{name}BlockParam"), block)


def check_ollama(request: dict[str, Any]) -> None:
    ollama_types.ChatRequest.model_validate(request)
    for item in request["messages"]:
        ollama_types.Message.model_validate(item, strict=True, extra="forbid")
    for tool in request.get("tools", ()):
        ollama_types.Tool.model_validate(tool)


CHECKS = {"openai": check_openai, "anthropic": check_anthropic, "ollama": check_ollama}


@given(histories())
@FEW
def test_every_request_is_of_the_vendors_own_types(states: list[State]) -> None:
    for wire, check in CHECKS.items():
        for request in bodies(states, wire):
            check(request)


@given(histories("text"))
@FEW
def test_so_is_a_chat_of_texts(states: list[State]) -> None:
    for wire, check in CHECKS.items():
        for request in bodies(states, wire):
            check(request)


@pytest.mark.parametrize(
    ("wire", "spoil"),
    [
        ("openai", lambda request: request.update(max_token=5)),
        ("openai", lambda request: request["messages"][2]["tool_calls"][0]["function"].update(arguments={"a": 1})),
        ("anthropic", lambda request: request.update(max_completion_tokens=5)),
        ("anthropic", lambda request: request["messages"][1]["content"][0].update(input='{"a": 1}')),
        ("ollama", lambda request: request["messages"][2]["tool_calls"][0]["function"].update(arguments='{"a": 1}')),
    ],
)
def test_the_types_would_notice(wire: Any, spoil: Any) -> None:
    state = begun()
    called(state, RawCall("read_note", "{}", "call_a"))
    request = body(state, wire)
    CHECKS[wire](request)
    spoil(request)
    with pytest.raises(ValueError):
        CHECKS[wire](request)


def test_thinking_that_goes_back_is_of_their_types() -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "Hm. ", "signature": "s="},
        {"type": "redacted_thinking", "data": "x="},
        {"type": "tool_use", "id": "toolu_a", "name": "read_note", "input": {}},
    ]
    given = WIRES["anthropic"].decode(message(*blocks))
    state = begun()
    called(state, *given.calls, opaque=given.opaque)
    request = body(state, "anthropic")
    assert [block["type"] for block in request["messages"][1]["content"]] == [block["type"] for block in blocks]
    check_anthropic(request)


def test_the_replies_of_these_tests_are_replies_to_the_vendors_too() -> None:
    chat_types.ChatCompletion.model_validate(chat(None, [("1", "f", "{}")]))
    anthropic_types.Message.model_validate(message({"type": "tool_use", "id": "1", "name": "f", "input": {}}))
    ollama_types.ChatResponse.model_validate(local_chat("hi", [("f", {})]))
