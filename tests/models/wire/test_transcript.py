from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from tests.models.wire.histories import answer_all, begun, called, histories, reply, request
from workbench.core.events import Notice, Resumed, Stopped, StopRequested, UserMessage
from workbench.core.ports import Reply
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.core.values import RawCall
from workbench.models.wire.endpoint import Endpoint, WireName
from workbench.models.wire.transcript import GO_ON, Transcript, wire_name
from workbench.models.wire.wires import WIRES

ALL: tuple[WireName, ...] = ("openai", "anthropic", "ollama")


def transcript(wire: WireName) -> Transcript:
    return Transcript(wire, WIRES[wire].encode_turn, WIRES[wire].may_be_id)


def sent(state: State, wire: WireName) -> list[dict[str, Any]]:
    return transcript(wire).encoded(request(state).messages, native=state.protocol.native_tools)


def body(state: State, wire: WireName, **settings: Any) -> dict[str, Any]:
    """The whole body for that state."""
    endpoint = Endpoint(wire=wire, model="m", base_url="http://127.0.0.1", **settings)
    asked = request(state)
    return WIRES[wire].encode_body(endpoint, asked, sent(state, wire), WIRES[wire].encode_tools(asked.tools))


def two_calls(*ids: str) -> State:
    state = begun()
    calls = [
        RawCall("read_note", f'{{"path": "{name}.txt"}}', call_id) for name, call_id in zip("ab", ids, strict=True)
    ]
    called(state, *calls)
    return state


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
@pytest.mark.parametrize("ids", [("call_1", "call_1"), ("", ""), ("call_1", ""), ("call00002", "")])
def test_ids_are_unique_and_match_whatever_the_provider_gave(wire: WireName, ids: tuple[str, str]) -> None:
    state = two_calls(*ids)
    called(state, RawCall("read_note", "{}", ids[0]))
    messages = sent(state, wire)
    if wire == "openai":
        proposed = [call["id"] for message in messages for call in message.get("tool_calls", ())]
        answered = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    else:
        blocks = [block for message in messages for block in message["content"]]
        proposed = [block["id"] for block in blocks if block["type"] == "tool_use"]
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    assert len(set(proposed)) == 3
    assert answered == proposed
    assert ids[0] in ("", proposed[0])


def test_an_id_that_a_vendor_would_not_take_is_replaced() -> None:
    state = two_calls("functions.read:0", "x" * 60)
    first, second = sent(state, "openai")[1]["tool_calls"]
    assert (first["id"], second["id"]) == ("functions.read:0", "call00002")
    assert [block["id"] for block in sent(state, "anthropic")[1]["content"]] == ["call00001", "x" * 60]


@pytest.mark.parametrize(
    ("tool", "name"), [("note-search", "note-search"), ("files.read", "files_read"), ("", "unknown")]
)
def test_names_have_letters_that_every_provider_takes(tool: str, name: str) -> None:
    assert wire_name(tool) == name
    assert len(wire_name("x" * 200)) == 64


def test_results_come_before_what_the_runtime_says_and_texts_stand_together() -> None:
    state = two_calls("a", "b")
    state.apply(Notice(topic="repeat", text="Again?"))
    state.apply(UserMessage(text="Now the other."))
    *_, last = sent(state, "anthropic")
    assert [block["type"] for block in last["content"]] == ["tool_result", "tool_result", "text"]
    assert last["content"][2]["text"] == "Again?\nNow the other."
    assert [message["role"] for message in sent(state, "openai")] == ["user", "assistant", "tool", "tool", "user"]


def test_a_result_without_a_text_has_no_content_where_blank_texts_are_refused() -> None:
    state = begun()
    reply(state, Reply(calls=(RawCall("read_note", "{}", "a"),), finish="tool_calls"))
    answer_all(state, " \n")
    assert sent(state, "anthropic")[-1]["content"] == [{"type": "tool_result", "tool_use_id": "a"}]
    assert sent(state, "openai")[-1]["content"] == " \n"


@pytest.mark.parametrize("wire", ALL)
def test_the_last_word_is_ours_also_when_a_run_goes_on_after_a_cut(wire: WireName) -> None:
    state = begun()
    for text in ("one two thr", "one two th"):
        reply(state, Reply(text=text, finish="length"))
        state.apply(Stopped(status=Status.REPLY_CUT_OFF))
        state.apply(Resumed())
    messages = sent(state, wire)
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant", "user"]
    assert GO_ON in str(messages[-1]["content"])


@pytest.mark.parametrize("wire", ALL)
@pytest.mark.parametrize("protocol", ["text", "json"])
def test_text_protocols_are_a_chat_of_texts(wire: WireName, protocol: Any) -> None:
    state = begun(protocol, several="all")
    text = {
        "text": 'ACTION: read_note {"path": "a.txt"}\nACTION: read_note {"path": "b.txt"}',
        "json": '{"type": "tool", "tool": "read_note", "input": {}} {"type": "tool", "tool": "read_note", "input": {}}',
    }[protocol]
    reply(state, Reply(text=text))
    answer_all(state)
    asked = body(state, wire)
    assert "tools" not in asked
    said = [message for message in asked["messages"] if message["role"] != "system"]
    assert [message["role"] for message in said] == ["user", "assistant", "user"]
    assert text in str([said[1]["content"]]).replace("\\n", "\n")
    assert str(said[2]["content"]).count("ok") == 2


@given(histories())
@settings(max_examples=60, deadline=None)
def test_what_is_kept_from_request_to_request_is_what_would_be_made_anew(states: list[State]) -> None:
    for wire in ALL:
        kept = transcript(wire)
        for state in states:
            assert kept.encoded(request(state).messages, native=True) == sent(state, wire)


def test_another_history_is_not_mixed_up_with_the_one_before() -> None:
    first, second = two_calls("a", "b"), two_calls("a", "b")
    called(second, RawCall("read_note", "{}", "a"))
    kept = transcript("openai")
    for state in (first, second, first):
        assert kept.encoded(state.messages, native=True) == sent(state, "openai")


def test_old_messages_are_not_encoded_again() -> None:
    state = two_calls("a", "b")
    kept = transcript("openai")
    before = kept.encoded(state.messages, native=True)
    called(state, RawCall("read_note", "{}", "c"))
    after = kept.encoded(state.messages, native=True)
    assert all(old is new for old, new in zip(before, after, strict=False))


def test_an_open_batch_that_was_stopped_is_answered_before_the_next_request() -> None:
    state = begun()
    reply(state, Reply(calls=(RawCall("read_note", "{}", "a"), RawCall("read_note", "{}", "b")), finish="tool_calls"))
    state.apply(StopRequested())
    answer_all(state, "Not run: a person stopped the run.", "cancelled")
    state.apply(Stopped(status=Status.CANCELLED))
    state.apply(UserMessage(text="Go on."))
    *_, first, second, last = sent(state, "openai")
    assert [first["tool_call_id"], second["tool_call_id"], last["role"]] == ["a", "b", "user"]
    assert first["content"] == "Error: Not run: a person stopped the run."
