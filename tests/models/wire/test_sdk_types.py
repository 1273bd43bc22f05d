"""What is sent, judged by the vendors' own types; and what their types say of replies, read by us."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings

from tests.models.wire.histories import begun, called, histories
from tests.models.wire.server import chat, local_chat, message
from tests.models.wire.test_transcript import body
from workbench.core.state import State
from workbench.core.values import RawCall
from workbench.models.wire.wires import WIRES

official: Any = pytest.importorskip("tests.models.wire.official")

FEW = settings(max_examples=30, deadline=None)
CHOICES = ("", "auto", "required", "none", "read_note")


def bodies(states: list[State], wire: Any) -> Iterator[dict[str, Any]]:
    """The request of each state, with one setting or another."""
    for index, state in enumerate(states):
        yield body(state, wire, tool_choice=CHOICES[index % len(CHOICES)], max_tokens=50, stream=index % 2 == 0)


@given(histories())
@FEW
def test_every_request_is_of_the_vendors_own_types(states: list[State]) -> None:
    for wire, check in official.CHECKS.items():
        for request in bodies(states, wire):
            check(request)


@given(histories("text"))
@FEW
def test_so_is_a_chat_of_texts(states: list[State]) -> None:
    for wire, check in official.CHECKS.items():
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
    official.CHECKS[wire](request)
    spoil(request)
    with pytest.raises(ValueError):
        official.CHECKS[wire](request)


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
    official.check_anthropic(request)


def test_the_replies_of_these_tests_are_replies_to_the_vendors_too() -> None:
    official.chat_types.ChatCompletion.model_validate(chat(None, [("1", "f", "{}")]))
    official.anthropic_types.Message.model_validate(message({"type": "tool_use", "id": "1", "name": "f", "input": {}}))
    official.ollama_types.ChatResponse.model_validate(local_chat("hi", [("f", {})]))
