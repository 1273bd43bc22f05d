from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.imports.logs import CALL, LOGS, kinds, one, read, result, said, user
from workbench.imports.conversation import NotUnderstood
from workbench.imports.files import LOOKED_FOR, conversations, read_file

MESSAGES = [user(), said(None, CALL), result("5"), said("North.")]
BLOCKS = [
    user(),
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "5"}]},
]
OBJECTS = [
    user(),
    {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "look", "arguments": {}}}]},
]
FENCED = [user(), said("Look.\n\n```mswea_bash_command\nls\n```"), user("a.txt")]


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (MESSAGES, "OpenAI chat messages"),
        ({"model": "m", "messages": MESSAGES}, "OpenAI chat messages"),
        ({"traj": MESSAGES, "reward": 1}, "OpenAI chat messages"),
        (BLOCKS, "Anthropic messages"),
        ({"system": "Be brief.", "messages": [user()]}, "Anthropic messages"),
        ({"tools": [{"name": "look", "input_schema": {}}], "messages": [user()]}, "Anthropic messages"),
        (OBJECTS, "Ollama messages"),
        ({"options": {"num_ctx": 2048}, "messages": [user()]}, "Ollama messages"),
        (FENCED, "a mini-swe-agent trajectory"),
        ({"trajectory_format": "mini-swe-agent-1", "messages": FENCED, "info": {}}, "a mini-swe-agent trajectory"),
        ({"info": {"exit_status": "Submitted", "submission": ""}, "messages": FENCED}, "a mini-swe-agent trajectory"),
    ],
)
def test_a_shape_is_recognised(value: Any, shape: str) -> None:
    assert one(value).shape == shape


def test_messages_may_stand_one_a_line() -> None:
    assert kinds(one(*MESSAGES)) == kinds(one(MESSAGES))


def test_a_list_of_requests_is_as_many_conversations() -> None:
    assert len(read([{"messages": [user("a")]}, {"messages": [user("b")]}])) == 2
    assert len(read({"messages": [user("a")]}, {"messages": [user("b")]})) == 2


def test_a_byte_order_mark_and_blank_lines_are_passed_over() -> None:
    lines = [json.dumps({"messages": [user("a")]}), "", json.dumps({"messages": [user("b")]}), ""]
    assert len(conversations(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())) == 2


MISSING = "a value is missing here: text in double quotes, a number, true, false, null, [ ] or { }"
NOT_READ = "which is not read; there is system, developer, user, assistant, tool"
NOTHING = f"; {LOOKED_FOR}"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"\xff\xfe", f"line 1 is not UTF-8, so it is no JSON{NOTHING}"),
        (b'{"a": 1}\n{"a": \xe9}', f"line 2 is not UTF-8, so it is no JSON{NOTHING}"),
        (b"hello", f"it is not JSON (line 1, column 1: {MISSING}){NOTHING}"),
        (
            b'{"messages": []}\n{"messages"',
            "line 2 is not JSON: column 12: a colon is missing between a key and its value",
        ),
        (b"3", f"a plain value is none of what can be read{NOTHING}"),
        (b"[]", f"a list is none of what can be read{NOTHING}"),
        (b"{}", f"an empty object is none of what can be read{NOTHING}"),
        (b'{"name": "x", "version": 1}', f"an object with name, version is none of what can be read{NOTHING}"),
        (b'{"messages": [{"role": "alien"}]}', f"it holds no message; message 1 has the role 'alien', {NOT_READ}"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'format = 1\n\n[session]\nid = "x"\n', "it is a session of the workbench already; open it: workbench FILE"),
    ],
)
def test_what_cannot_be_read_says_what_was_looked_for(data: bytes, sentence: str) -> None:
    with pytest.raises(NotUnderstood) as raised:
        conversations(data)
    assert str(raised.value) == sentence


def test_a_sentence_about_a_file_names_it(tmp_path: Path) -> None:
    with pytest.raises(NotUnderstood, match=r"gone\.json cannot be read: No such file or directory"):
        read_file(tmp_path / "gone.json")
    (tmp_path / "empty.json").touch()
    with pytest.raises(NotUnderstood, match=r"empty\.json: it is empty"):
        read_file(tmp_path / "empty.json")


@pytest.mark.parametrize("path", sorted(LOGS.glob("*.json")), ids=lambda path: path.stem)
def test_every_log_there_is_can_be_read(path: Path) -> None:
    assert len(read_file(path)) == 1
