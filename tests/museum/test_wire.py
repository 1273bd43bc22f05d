from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.models.wire.openai.validate import messages_problem as problem
from workbench.museum.dialects import listing

Messages = list[dict[str, Any]]


def called(*ids: str, arguments: Any = "{}") -> dict[str, Any]:
    calls = [{"id": i, "type": "function", "function": {"name": "add", "arguments": arguments}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def answered(call_id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "2"}


USER = {"role": "user", "content": "add"}
ORPHAN = "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: "
)


@pytest.mark.parametrize(
    ("messages", "answer"),
    [
        pytest.param([USER, answered("c1")], ORPHAN, id="a result without its request"),
        pytest.param([answered("c1")], ORPHAN, id="a result as the first message"),
        pytest.param([USER, called("c1"), answered("c1"), USER, answered("c1")], ORPHAN, id="a result too late"),
        pytest.param([USER, called("c1", "c2", "c3"), answered("c1")], f"{UNANSWERED}c2, c3", id="one of three"),
        pytest.param([USER, called("c1"), USER], f"{UNANSWERED}c1", id="a message in between"),
        pytest.param([USER, called("c1")], f"{UNANSWERED}c1", id="no result at all"),
        pytest.param(
            [USER, called("c1"), answered("c9")],
            "'tool_call_id' of 'c9' not found in 'tool_calls' of previous message.",
            id="a result for another call",
        ),
        pytest.param(
            [USER, called("c1"), answered("c1"), answered("c1")],
            "'tool_call_id' of 'c1' not found in 'tool_calls' of previous message.",
            id="a second result",
        ),
        pytest.param(
            [USER, called("c1", arguments={"a": 1})],
            "Invalid type for 'messages[1].tool_calls[0].function.arguments': "
            "expected a string, but got an object instead.",
            id="arguments as an object",
        ),
        pytest.param(
            [{"role": "assistant", "content": None}],
            "Invalid type for 'messages[0].content': expected a string or an array, but got null instead.",
            id="nothing said and nothing called",
        ),
        pytest.param(
            [called()],
            "Invalid 'messages[0].tool_calls': empty array. "
            "Expected an array with minimum length 1, but got an empty array instead.",
            id="an empty list of calls",
        ),
        pytest.param(
            [{"role": "tool", "content": "2"}],
            "Missing required parameter: 'messages[0].tool_call_id'.",
            id="a result of no call",
        ),
        pytest.param(
            [{"role": "model", "content": "hello"}],
            "Invalid value: 'model'. Supported values are: 'system', 'developer', 'user', 'assistant', 'tool'.",
            id="a role there is not",
        ),
    ],
)  # fmt: skip
def test_a_broken_rule_is_answered_in_the_words_of_the_wire(messages: Messages, answer: str) -> None:
    assert problem(messages) == answer


@st.composite
def conversations(draw: st.DrawFn) -> Messages:
    """Conversations that keep every rule, with at least one call in them."""
    messages: Messages = [{"role": "system", "content": "be brief"}, USER]
    number = 0
    for size in draw(st.lists(st.integers(0, 3), min_size=1, max_size=5).filter(any)):
        ids = [f"c{number + index}" for index in range(size)]
        number += size
        messages.append(called(*ids) if ids else {"role": "assistant", "content": "well"})
        messages += [answered(call_id) for call_id in draw(st.permutations(ids))]
        if not ids:
            messages.append(USER)
    return messages


@given(conversations())
def test_a_conversation_that_keeps_the_rules_is_taken(messages: Messages) -> None:
    assert problem(messages) == ""


@given(conversations(), st.data())
def test_without_any_one_result_or_request_it_is_refused(messages: Messages, data: st.DataObject) -> None:
    parts = [i for i, message in enumerate(messages) if message["role"] == "tool" or message.get("tool_calls")]
    left_out = data.draw(st.sampled_from(parts))
    answer = problem([message for i, message in enumerate(messages) if i != left_out])
    expected = UNANSWERED if messages[left_out]["role"] == "tool" else ("Invalid parameter", "'tool_call_id' of")
    assert answer.startswith(expected)


def test_a_listing_has_a_line_for_each_message_and_cuts_long_ones() -> None:
    lines = listing([USER, {"role": "user", "content": "x" * 5000}]).splitlines()
    assert lines[0] == 'messages[0] {"role": "user", "content": "add"}'
    assert lines[1].startswith('messages[1] {"role": "user"')
    assert len(lines[1]) < 600
