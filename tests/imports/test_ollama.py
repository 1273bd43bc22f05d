from __future__ import annotations

import json
from typing import Any

from tests.imports.logs import one, remarks, state, user


def asked(*calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    listed = [{"function": {"name": name, "arguments": arguments}} for name, arguments in calls]
    return {"role": "assistant", "content": "", "thinking": "Hm.", "tool_calls": listed}


def returned(name: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_name": name, "content": text}


def test_results_belong_to_the_calls_of_their_tool_in_order() -> None:
    calls = asked(("look", {"at": "North"}), ("add", {"a": 1}), ("look", {"at": "South"}))
    system = {"role": "system", "content": "Be brief."}
    conversation = one([system, user(), calls, returned("add", "2"), returned("look", "n"), returned("look", "s")])
    run = state(conversation)
    assert conversation.system == "Be brief."
    contents = [record.result.content for record in run.every_call() if record.result is not None]
    assert contents == ["n", "2", "s"]


def test_what_is_not_read_is_kept() -> None:
    picture = {"role": "user", "content": "What is it?", "images": ["aGk="]}
    odd = {"role": "assistant", "content": ["x"]}
    conversation = one({"options": {}, "messages": [picture, odd, {"role": "alien", "content": ""}]})
    assert [text for text, _ in remarks(conversation)] == [
        "message 1: images is not read",
        "message 2 has a content that is not read",
        "message 3 has the role 'alien', which is not read; there is system, user, assistant, tool",
    ]
    assert json.loads(remarks(conversation)[1][1]) == odd
