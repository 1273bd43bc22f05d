from __future__ import annotations

import pytest

from workbench.core.events import Event, ModelReply, Stopped, ToolResult, ToolStarted, UserMessage
from workbench.core.statuses import Status
from workbench.core.values import Call
from workbench.models.rewriting import other_problem, text_of, what_it_is

REPLY = ModelReply(text="Now.", calls=(Call(id="c1", tool="refund", arguments='{"a": 1}', canonical='{"a":1}'),))
RESULT = ToolResult(call="c1", content="7")


@pytest.mark.parametrize(
    ("event", "native", "text"),
    [
        (UserMessage(text="g"), True, "g"),
        (RESULT, True, "7"),
        (REPLY, False, "Now."),
        (ModelReply(text="Only words."), True, "Only words."),
        (ToolStarted(call="c1"), True, None),
        (Stopped(status=Status.ANSWERED), True, None),
        (None, True, None),
    ],
)
def test_the_text_that_another_one_is_given_for(event: Event | None, native: bool, text: str | None) -> None:
    assert text_of(event, native=native) == text


def test_a_native_reply_is_written_with_its_calls() -> None:
    assert '{"tool": "refund", "arguments": {"a": 1}}' in (text_of(REPLY, native=True) or "")


@pytest.mark.parametrize(
    ("event", "text", "problem"),
    [
        (RESULT, "", ""),
        (UserMessage(text="g"), " ", "the message is empty"),
        (REPLY, "", "the reply is empty"),
        (REPLY, "{", "line 1, column 2"),
        (REPLY, "words", ""),
    ],
)
def test_a_text_that_an_event_cannot_have_is_said(event: Event, text: str, problem: str) -> None:
    found = other_problem(event, text, native=True)
    assert found.startswith(problem)
    assert bool(found) is bool(problem)


def test_a_message_a_reply_and_a_result_can_have_another_text_and_nothing_else() -> None:
    events = (UserMessage(text="g"), REPLY, RESULT, ToolStarted(call="c1"), None)
    assert [what_it_is(event) for event in events] == ["message", "reply", "result", "", ""]
