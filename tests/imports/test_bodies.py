from __future__ import annotations

import json
from typing import Any

import pytest

from tests.imports.logs import CALL, kinds, one, read, remarks, result, said, session, state, user
from workbench.core.events import ModelReply
from workbench.core.statuses import Status


def chat(message: dict[str, Any], reason: str = "stop", read: int = 100) -> dict[str, Any]:
    usage = {"prompt_tokens": read, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 3}}
    return {"model": "m-1", "choices": [{"message": message, "finish_reason": reason}], "usage": usage}


FIRST = {"model": "m", "messages": [user()], "temperature": 0.5}
SECOND = {"model": "m", "messages": [user(), said(None, CALL), result("5")]}
CALLED, ANSWERED = chat(said(None, CALL), "tool_calls"), chat(said("North."), read=150)
LINES = ["user_message", "model_reply", "tool_started", "tool_result", "model_reply", "stopped"]


@pytest.mark.parametrize(
    "values",
    [
        [FIRST, CALLED, SECOND, ANSWERED],
        [{"request": FIRST, "response": CALLED}, {"request": SECOND, "response": ANSWERED}],
        [[{"request": FIRST, "response": CALLED}, {"request": SECOND, "response": ANSWERED}]],
        [{"input": FIRST, "output": CALLED, "ms": 3}, {"input": SECOND, "output": ANSWERED}],
        [
            {
                "request": {"url": "/v1", "body": json.dumps(FIRST)},
                "response": {"status": 200, "body": json.dumps(CALLED)},
            },
            {"request": {"json": SECOND}, "response": {"body": ANSWERED}},
        ],
    ],
    ids=["lines", "pairs", "list", "input and output", "envelopes"],
)
def test_requests_and_replies_are_one_conversation(values: list[Any]) -> None:
    conversation = one(*values)
    assert kinds(conversation) == LINES
    replies = [event for event in session(conversation)[1] if isinstance(event, ModelReply)]
    assert [(reply.input_tokens, reply.output_tokens, reply.cache_read, reply.model) for reply in replies] == [
        (100, 7, 3, "m-1"),
        (150, 7, 3, "m-1"),
    ]
    assert (conversation.requests, conversation.model) == (2, "m")
    assert not state(conversation).estimated


def test_what_a_request_says_besides_is_kept_with_the_first_remark() -> None:
    _, events = session(one(FIRST))
    assert events[0].text.endswith("; temperature has no place in a session")  # type: ignore[attr-defined]
    assert json.loads(events[0].raw) == {"temperature": 0.5}  # type: ignore[attr-defined]


def test_a_request_that_goes_another_way_is_a_conversation_of_its_own() -> None:
    other = {"model": "m", "messages": [user(), said("Another way."), user("Why?")]}
    first, second = read(FIRST, CALLED, other, ANSWERED)
    assert kinds(first) == ["user_message", "model_reply"]
    assert kinds(second) == ["user_message", "model_reply", "stopped", "user_message", "model_reply", "stopped"]


def test_several_conversations_in_turn_are_told_apart() -> None:
    a, b = {"messages": [user("a")]}, {"messages": [user("b")]}
    more = {"messages": [user("a"), said("A."), user("more")]}
    found = read(a, chat(said("A.")), b, chat(said("B.")), more, chat(said("More.")))
    assert [state(each).answer for each in found] == ["More.", "B."]


def test_a_new_system_prompt_is_another_conversation() -> None:
    one_, other = [{"messages": [{"role": "system", "content": text}, user()]} for text in ("Be brief.", "Be long.")]
    assert [each.system for each in read(one_, other)] == ["Be brief.", "Be long."]


def test_a_reply_that_was_cut_off_has_stopped_the_run() -> None:
    assert state(one(FIRST, chat(said("No"), "length"))).status is Status.REPLY_CUT_OFF


def test_replies_of_the_other_wires_are_read() -> None:
    request = {"system": "Be brief.", "max_tokens": 9, "messages": [user()]}
    reply = {
        "model": "c-1",
        "content": [{"type": "text", "text": "North."}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }
    assert state(one({"request": request, "response": reply})).answer == "North."
    local = {"model": "l", "message": {"role": "assistant", "content": "North."}, "done": True, "prompt_eval_count": 4}
    assert state(one({"model": "l", "messages": [user()]}, local)).answer == "North."


def test_a_streamed_reply_is_put_together() -> None:
    chunks = [
        {"choices": [{"index": 0, "delta": {"content": "Nor"}}]},
        {"choices": [{"index": 0, "delta": {"content": "th."}, "finish_reason": "stop"}]},
    ]
    stream = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    assert state(one({"request": FIRST, "response": {"body": stream}})).answer == "North."


@pytest.mark.parametrize("reply", [{"error": {"message": "overloaded"}}, {"choices": [{"message": 3}]}])
def test_a_failure_is_kept_and_what_came_before_it_is_read(reply: dict[str, Any]) -> None:
    conversation = one({"request": FIRST, "response": reply})
    [(text, raw)] = remarks(conversation)
    assert "reply" in text or "failed" in text
    assert json.loads(raw) == reply
    assert kinds(conversation) == ["user_message", "remark"]


def test_a_line_that_is_neither_is_kept() -> None:
    assert remarks(one(FIRST, ANSWERED, {"level": "info"})) == [
        ("a line is neither a request nor a reply", '{"level": "info"}')
    ]
