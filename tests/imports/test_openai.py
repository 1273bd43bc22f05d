from __future__ import annotations

import json
from typing import Any

import pytest

from tests.imports.logs import CALL, kinds, one, remarks, result, said, session, state, user
from workbench.imports import openai


def test_texts_in_parts_are_joined_and_pictures_are_kept() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:…"}}
    content = [{"type": "text", "text": "What is"}, picture, {"type": "text", "text": "this?"}]
    conversation = one([{"role": "user", "content": content}, said("A mug.")])
    assert state(conversation).messages[0].text == "What is\nthis?"
    [(text, raw)] = remarks(conversation)
    assert text == "message 1: a part of kind image_url is not read"
    assert json.loads(raw) == picture


def test_developers_instruct_like_the_system() -> None:
    system, _ = openai.read([{"role": "system", "content": "A."}, {"role": "developer", "content": "B."}, user()])
    assert system == "A.\n\nB."


def test_functions_of_old_are_calls() -> None:
    call = {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}}
    conversation = one([user(), call, {"role": "function", "name": "look", "content": "5"}, said("Five.")])
    assert kinds(conversation) == [
        "user_message", "model_reply", "tool_started", "tool_result", "model_reply", "stopped",
    ]  # fmt: skip


def test_a_refusal_blocks_the_reply() -> None:
    conversation = one([user(), {"role": "assistant", "content": None, "refusal": "No."}])
    assert state(conversation).status.value == "reply_blocked"


def test_reasoning_that_servers_send_beside_the_text_is_thinking() -> None:
    conversation = one([user(), {"role": "assistant", "content": "Hi.", "reasoning_content": "Hm."}])
    assert session(conversation)[1][2].thinking == "Hm."  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (
            {"role": "alien", "content": "x"},
            "message 2 has the role 'alien', which is not read; there is system, developer, user, assistant, tool",
        ),
        ({"role": "usr", "content": "x"}, "message 2 has the role 'usr', which is not read; did you mean \"user\"?"),
        ("hello", "message 2 is no object, so it is not read"),
        ({"role": "assistant", "tool_calls": 3}, "message 2: its tool_calls are no list"),
        (
            {"role": "assistant", "tool_calls": [{"id": "x"}]},
            "message 2: the function of a tool call is not a JSON object",
        ),
    ],
)
def test_a_message_that_is_not_understood_is_named_and_kept(message: Any, text: str) -> None:
    conversation = one([user(), message, said("Hi.")])
    [(said_of_it, raw)] = remarks(conversation)
    assert said_of_it == text
    assert (raw if isinstance(message, str) else json.loads(raw)) == message


def test_a_field_that_is_not_read_is_named_and_kept() -> None:
    conversation = one([user(), {**said("Hi."), "audio": {"id": "a1"}, "annotations": []}])
    assert remarks(conversation) == [("message 2: audio is not read", '{"audio": {"id": "a1"}}')]


def test_the_tools_that_were_offered_are_those_of_the_session() -> None:
    schema = {"type": "object", "properties": {"at": {"type": "string"}}}
    tool = {"type": "function", "function": {"name": "look", "description": "Look.", "parameters": schema}}
    header, _ = session(one({"messages": [user(), said(None, CALL), result("5")], "tools": [tool, tool, 3]}))
    [info] = header.tools
    assert (info.name, info.description, json.loads(info.schema)) == ("look", "Look.", schema)
