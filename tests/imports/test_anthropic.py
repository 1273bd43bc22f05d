from __future__ import annotations

import json
from typing import Any

from tests.imports.logs import kinds, one, remarks, session, state, user

THINKING = {"type": "thinking", "thinking": "Hm.", "signature": "s1"}
USE = {"type": "tool_use", "id": "t1", "name": "look", "input": {"at": "North"}}


def blocks(role: str, *content: Any) -> dict[str, Any]:
    return {"role": role, "content": list(content)}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def returned(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "t1", "content": content, **more}


def test_a_whole_loop_is_read() -> None:
    messages = [user(), blocks("assistant", THINKING, text("Let me see."), USE), blocks("user", returned("5")), blocks("assistant", text("Five."))]  # fmt: skip
    conversation = one({"system": [text("Be brief.")], "messages": messages, "max_tokens": 9})
    _, events = session(conversation)
    reply: Any = events[2]
    assert (conversation.system, reply.thinking, reply.text, reply.calls[0].arguments) == (
        "Be brief.", "Hm.", "Let me see.", '{"at":"North"}',
    )  # fmt: skip
    assert json.loads(reply.opaque)["content"][0] == THINKING
    assert state(conversation).answer == "Five."


def test_an_error_is_a_failed_result() -> None:
    conversation = one([user(), blocks("assistant", USE), blocks("user", returned("no such shelf", is_error=True))])
    [record] = state(conversation).every_call()
    assert record.result is not None
    assert (record.result.outcome, record.result.content) == ("failed", "no such shelf")


def test_what_is_said_beside_results_comes_after_them() -> None:
    conversation = one(
        [user(), blocks("assistant", USE), blocks("user", returned([text("5"), text("6")]), text("Go on."))]
    )
    assert kinds(conversation)[-2:] == ["tool_result", "user_message"]
    assert state(conversation).messages[2].text == "5\n6"


def test_blocks_that_are_not_read_are_kept() -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": ""}}
    search = {"type": "server_tool_use", "id": "s1", "name": "search", "input": {}}
    messages = [
        blocks("user", picture, text("What is it?")),
        blocks("assistant", search, text("A mug.")),
        blocks("user", USE),
    ]
    found = remarks(one({"system": "x", "messages": messages}))
    assert [line for line, _ in found] == [
        "message 1: a block of kind image is not read",
        "message 2: a block of kind server_tool_use",
        "message 3: a block of kind tool_use is not read",
    ]
    assert [json.loads(raw) for _, raw in found] == [picture, search, USE]


def test_a_content_that_is_none_is_kept() -> None:
    [(line, raw)] = remarks(one({"system": "x", "messages": [user(), {"role": "assistant", "content": 3}]}))
    assert line == "message 2 has a content that is not read"
    assert json.loads(raw) == {"role": "assistant", "content": 3}
