from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from tests.export.runs import NAMES, of, shipped, standing, written
from tests.imports.logs import LOGS
from tests.models.wire.histories import answer_all, begun, called, histories, reply
from workbench.core.events import UserMessage
from workbench.core.ports import Reply
from workbench.core.state import State
from workbench.core.values import Header, RawCall
from workbench.export.forms import CannotExport
from workbench.imports.files import conversations, read_file
from workbench.imports.session import session_of
from workbench.models.wire.anthropic import validate as anthropic_validate
from workbench.models.wire.endpoint import WireName
from workbench.models.wire.ollama import validate as ollama_validate
from workbench.models.wire.openai import validate as openai_validate

WIRES: tuple[WireName, ...] = ("openai", "anthropic", "ollama")
PROBLEMS = {
    "openai": openai_validate.problem,
    "anthropic": anthropic_validate.problem,
    "ollama": ollama_validate.problem,
}
SOME = settings(max_examples=40, deadline=None)


def body(state: State, wire: WireName) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(written(wire, standing(state)).text)
    return found


def imported(exported: dict[str, Any]) -> State:
    [conversation] = conversations(json.dumps(exported).encode())
    return of(*session_of(conversation, id="i1", title="log", source="log.json")).state


def sendable(exported: dict[str, Any]) -> dict[str, Any]:
    """The body as somebody sends it who goes on with the conversation."""
    ends = exported["messages"][-1]["role"] == "assistant"
    return {**exported, "messages": [*exported["messages"], {"role": "user", "content": "And?"}]} if ends else exported


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    found = [{**each, "messages": together(each["messages"])} for each in (one, other)]
    return all(found[0].get(name) == found[1].get(name) for name in ("messages", "tools", "system"))


def together(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Blocks that stand in messages of one role one after the other, as one message: where a reply was empty, Anthropic
    has no message for it, and takes those around it for one."""
    made: list[dict[str, Any]] = []
    for message in messages:
        blocks = message["content"] if isinstance(message["content"], list) else []
        if made and blocks and made[-1]["role"] == message["role"]:
            made[-1] = {**message, "content": [*made[-1]["content"], *blocks]}
        else:
            made.append(message)
    return [{**message, "content": _texts(message["content"])} for message in made]


def _texts(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    others = [block for block in content if block["type"] != "text"]
    return [*others, "\n".join(block["text"] for block in content if block["type"] == "text")]


# ---------------------------------------------------------------- valid, and read back


@pytest.mark.parametrize("wire", WIRES)
@given(states=histories())
@SOME
def test_what_is_exported_can_be_sent_and_read_back(states: list[State], wire: WireName) -> None:
    for state in states[-2:]:
        exported = body(state, wire)
        assert PROBLEMS[wire](sendable(exported)) == ""
        assert same(body(imported(exported), wire), exported)


@pytest.mark.parametrize("wire", WIRES)
@given(states=histories("text"))
@SOME
def test_so_is_a_run_whose_calls_are_in_its_texts(states: list[State], wire: WireName) -> None:
    for state in states[-2:]:
        exported = body(state, wire)
        assert PROBLEMS[wire](sendable(exported)) == ""
        assert same(body(imported(exported), wire), exported)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("name", NAMES)
def test_shipped_sessions_are_valid_and_read_back(name: str, wire: WireName) -> None:
    exported = json.loads(written(wire, shipped(name)).text)
    assert PROBLEMS[wire](sendable(exported)) == ""
    assert same(body(imported(exported), wire), exported)


@pytest.mark.parametrize("path", sorted(LOGS.glob("openai-*.json")), ids=lambda path: path.stem)
def test_real_messages_come_out_as_they_went_in(path: Any) -> None:
    """But for the name beside each result, which its call tells, and for ids that came twice."""
    given = json.loads(path.read_text("utf-8"))
    [conversation] = read_file(path)
    run = of(*session_of(conversation, id="i1", title="log", source="log.json"))
    exported = json.loads(written("openai", run).text)["messages"]
    without_names = [{name: value for name, value in message.items() if name != "name"} for message in given]
    assert numbered(exported) == numbered(without_names)
    ids = [call["id"] for message in exported for call in message.get("tool_calls", ())]
    assert len(set(ids)) == len(ids)


def numbered(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with their calls numbered in order in place of the ids, each result by the latest call of that id."""
    numbers: dict[str, str] = {}
    made: list[dict[str, Any]] = []
    for message in messages:
        calls: list[dict[str, Any]] = []
        for call in message.get("tool_calls", ()):
            numbers[call["id"]] = f"{len(made)}.{len(calls)}"
            calls.append({**call, "id": numbers[call["id"]]})
        answered = {"tool_call_id": numbers[message["tool_call_id"]]} if "tool_call_id" in message else {}
        made.append(message | answered | ({"tool_calls": calls} if calls else {}))
    return made


# ---------------------------------------------------------------- nothing added, nothing lost


def test_a_run_that_was_answered_ends_with_the_answer() -> None:
    state = begun()
    reply(state, Reply(text="North."))
    for wire in WIRES:
        last = body(state, wire)["messages"][-1]
        assert last["role"] == "assistant"
        assert "North." in json.dumps(last)


def test_nothing_is_said_in_the_name_of_the_user() -> None:
    state = begun()
    reply(state, Reply(text="A."))
    reply(state, Reply(text="B."))
    roles = [message["role"] for message in body(state, "openai")["messages"]]
    assert roles == ["system", "user", "assistant", "assistant"]


def test_messages_of_the_user_stay_apart_where_the_wire_can_say_so() -> None:
    state = begun()
    state.apply(UserMessage(text="And be quick."))
    told = [message["content"] for message in body(state, "openai")["messages"] if message["role"] == "user"]
    assert told == [state.header.goal, "And be quick."]
    assert len(body(state, "anthropic")["messages"]) == 1


def test_a_reply_whose_calls_are_open_is_left_out_and_that_is_said() -> None:
    state = begun()
    called(state, RawCall("read_note", "{}", "call_1"))
    reply(state, Reply(text="Both.", calls=(RawCall("write.note", "{}", "a"), RawCall("read_note", "{}", "b"))))
    run = standing(state)
    made = written("openai", run)
    assert made.notes == ("the last reply is left out, because its calls have no result yet: write.note, read_note",)
    assert [message["role"] for message in json.loads(made.text)["messages"]][-1] == "tool"
    answer_all(state)
    assert written("openai", run).notes == ()


def test_a_session_in_which_nothing_was_said_cannot_be_exported() -> None:
    with pytest.raises(CannotExport, match="nothing has been said"):
        written("openai", of(Header(id="x", goal="g"), []))


def test_what_would_steer_a_terminal_is_escaped() -> None:
    state = begun()
    reply(state, Reply(text="\x1b[31m\x9b2J\u202ered\u2028"))
    text = written("openai", standing(state)).text
    assert "\\u001b[31m\\u009b2J\\u202ered\\u2028" in text
    assert json.loads(text)["messages"][-1]["content"] == "\x1b[31m\x9b2J\u202ered\u2028"
