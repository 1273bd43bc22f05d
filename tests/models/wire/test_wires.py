"""Encoding, decoding and assembling, wire by wire, without a network."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.wire.histories import answer_all, begun, called, reply
from tests.models.wire.server import chat, local_chat, message, ndjson, sse
from tests.models.wire.test_transcript import body, sent
from tests.strategies import nasty_text
from workbench.core.ports import ModelFailure, Reply, Signal, Usage
from workbench.core.values import RawCall
from workbench.models.wire.body import clean, read_object
from workbench.models.wire.endpoint import WireName
from workbench.models.wire.errors import Malformed, StreamError
from workbench.models.wire.wires import WIRES, address

DATA = Path(__file__).parents[2] / "data"


def decoded(name: str) -> Reply:
    """The reply in a recorded body; its name begins with the wire's."""
    wire: Any = name.partition("-")[0]
    return WIRES[wire].decode(read_object((DATA / "bodies" / f"{name}.json").read_bytes(), "its body"))


def assembled(wire: WireName, data: bytes, cuts: Sequence[int] = ()) -> tuple[Reply, list[Signal]]:
    """The reply in a stream that comes in pieces, and what was to be seen of it."""
    parser, assembler = WIRES[wire].parser(), WIRES[wire].assembler()
    ends = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    frames = [frame for start, end in pairwise(ends) for frame in parser.feed(data[start:end])] + parser.close()
    signals = [signal for frame in frames for signal in assembler.feed(frame)]
    assert assembler.complete
    return assembler.reply(), signals


# ---------------------------------------------------------------- recorded bodies


def test_arguments_encoded_twice_are_left_to_who_reads_them() -> None:
    assert decoded("openai-arguments-double-encoded").calls[0].arguments == '"{\\"path\\": \\"notes.txt\\"}"'


def test_arguments_that_are_an_empty_text() -> None:
    state = begun()
    called(state, *decoded("openai-arguments-empty-string").calls)
    assert sent(state, "openai")[1]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_duplicate_ids_stay_two_calls() -> None:
    assert [call.arguments for call in decoded("openai-duplicate-call-ids").calls] == [
        '{"path": "a.txt"}',
        '{"path": "b.txt"}',
    ]


@pytest.mark.parametrize(
    ("name", "finish", "text"),
    [
        ("openai-length-with-parseable-call", "length", ""),
        ("openai-length-empty-content", "length", ""),
        ("openai-content-filter", "blocked", ""),
        ("openai-content-null", "stop", ""),
        ("openai-content-parts", "stop", "ANSWER: 140 mugs"),
        ("openai-two-parallel-calls", "tool_calls", ""),
        ("anthropic-tool-use-without-call", "tool_calls", "Let me look that up."),
        ("anthropic-thinking-with-tool", "tool_calls", ""),
        ("ollama-arguments-object", "tool_calls", ""),
    ],
)
def test_how_a_recorded_reply_ended(name: str, finish: str, text: str) -> None:
    given = decoded(name)
    assert (given.finish, given.text) == (finish, text)


def test_a_part_that_is_not_known_is_named() -> None:
    (note,) = decoded("openai-content-parts").notes
    assert "sticker" in note


def test_half_a_pair_becomes_a_sign() -> None:
    given = decoded("openai-lone-surrogate")
    assert given.text == "lone \ufffd here"
    state = begun()
    called(state, *given.calls, text=given.text)
    for wire in WIRES:
        json.dumps(sent(state, wire), ensure_ascii=False).encode()


def test_thinking_goes_back_verbatim_and_in_order() -> None:
    given = decoded("anthropic-thinking-with-tool")
    raw = json.loads((DATA / "bodies" / "anthropic-thinking-with-tool.json").read_text())
    state = begun()
    reply(state, given)
    answer_all(state)
    _, assistant, user = sent(state, "anthropic")
    assert assistant == {"role": "assistant", "content": raw["content"]}
    assert user["content"][0] == {"type": "tool_result", "tool_use_id": "toolu_a", "content": "ok"} | (
        {"is_error": True} if user["content"][0].get("is_error") else {}
    )
    assert given.thinking == "Stock first, then compare. "


def test_another_wire_gets_the_words_and_not_the_thinking() -> None:
    state = begun()
    reply(state, decoded("anthropic-thinking-with-tool"))
    answer_all(state)
    assert "c2ln" not in json.dumps(sent(state, "openai"))
    assert sent(state, "openai")[1]["tool_calls"][0]["id"] == "toolu_a"


def test_arguments_as_an_object_go_back_as_each_wire_has_them() -> None:
    given = decoded("ollama-arguments-object")
    assert given.usage == Usage(output=8)
    state = begun()
    called(state, *given.calls)
    assert sent(state, "ollama")[1]["tool_calls"] == [
        {"function": {"name": "read_note", "arguments": {"path": "notes.txt"}}}
    ]
    (call,) = sent(state, "openai")[1]["tool_calls"]
    assert call == {
        "id": "call00001",
        "type": "function",
        "function": {"name": "read_note", "arguments": '{"path":"notes.txt"}'},
    }
    assert sent(state, "ollama")[2] == {"role": "tool", "tool_name": "read_note", "content": "ok"}


# ---------------------------------------------------------------- recorded streams


@pytest.mark.parametrize(
    ("name", "text", "calls", "usage"),
    [
        ("openai-delta-without-index", "", (RawCall("read_note", '{"path": "notes.txt"}', "call_a"),), Usage()),
        ("openai-usage-only-last-chunk", "ANSWER: 140 mugs", (), Usage(input=11, output=3)),
        ("openai-no-usage", "ANSWER: 140 mugs", (), Usage()),
        ("openai-multibyte-crlf", "ANSWER: déjà 漢字 🙂", (), Usage()),
    ],
)
def test_a_recorded_stream_in_every_chopping(name: str, text: str, calls: Any, usage: Usage) -> None:
    data = (DATA / "streams" / f"{name}.sse").read_bytes()
    for cut in range(len(data) + 1):
        given, signals = assembled("openai", data, [cut])
        assert (given.text.replace("ANSWER:  ", "ANSWER: "), given.calls, given.usage) == (text, calls, usage)
    assert "".join(signal.text for signal in signals) == given.text


# ---------------------------------------------------------------- streamed is the same as whole

_PIECES = st.lists(st.text(max_size=4) | nasty_text(), max_size=5)
_CALL_PIECES = st.lists(st.tuples(st.sampled_from(["a", "b"]), _PIECES), max_size=3)
_CUTS = st.lists(st.integers(0, 5000), max_size=8)


@given(_PIECES, _PIECES, _CALL_PIECES, _CUTS)
@settings(deadline=None)
def test_openai(texts: list[str], thoughts: list[str], calls: list[tuple[str, list[str]]], cuts: list[int]) -> None:
    thought = "".join(thoughts)
    whole = chat(
        "".join(texts),
        [(f"call_{index}", name, "".join(pieces)) for index, (name, pieces) in enumerate(calls)],
        **({"reasoning_content": thought} if thought else {}),
    )
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": None}]
    deltas += [{"reasoning_content": piece} for piece in thoughts]
    deltas += [{"content": piece} for piece in texts]
    for index, (name, pieces) in enumerate(calls):
        start = {"index": index, "id": f"call_{index}", "type": "function", "function": {"name": name, "arguments": ""}}
        deltas.append({"tool_calls": [start]})
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": piece}}]} for piece in pieces]
    chunks = [{"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    finish = whole["choices"][0]["finish_reason"]
    chunks.append({"model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    chunks.append({"model": "m", "choices": [], "usage": whole["usage"]})
    assert_same("openai", sse(*chunks, "[DONE]"), whole, cuts)


@given(_PIECES, _PIECES, _CALL_PIECES, _CUTS)
@settings(deadline=None)
def test_anthropic(texts: list[str], thoughts: list[str], calls: list[tuple[str, list[str]]], cuts: list[int]) -> None:
    thinking = {"type": "thinking", "thinking": "".join(thoughts), "signature": "sig="}
    blocks: list[dict[str, Any]] = [thinking, {"type": "text", "text": "".join(texts)}]
    inputs = [{"text": "".join(pieces)} for _, pieces in calls]
    blocks += [
        {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": inputs[index]}
        for index, (name, _) in enumerate(calls)
    ]
    whole = message(*blocks, usage={"input_tokens": 20, "cache_read_input_tokens": 7, "output_tokens": 8})
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": whole | {"content": [], "stop_reason": None, "usage": whole["usage"] | {"output_tokens": 1}}},
        {"type": "ping"},
    ]  # fmt: skip
    for index, block in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": _empty(block)})
        events += [
            {"type": "content_block_delta", "index": index, "delta": delta} for delta in _deltas(block, texts, thoughts)
        ]
        events.append({"type": "content_block_stop", "index": index})
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": 8}})
    events += [{"type": "something_new"}, {"type": "message_stop"}]
    assert_same("anthropic", sse(*events, named=True), whole, cuts)


def _empty(block: dict[str, Any]) -> dict[str, Any]:
    return (
        block
        | {name: "" for name in ("text", "thinking", "signature") if name in block}
        | ({"input": {}} if block["type"] == "tool_use" else {})
    )


def _deltas(block: dict[str, Any], texts: list[str], thoughts: list[str]) -> list[dict[str, Any]]:
    if block["type"] == "text":
        return [{"type": "text_delta", "text": piece} for piece in texts]
    if block["type"] == "thinking":
        pieces = [{"type": "thinking_delta", "thinking": piece} for piece in thoughts]
        return [*pieces, {"type": "signature_delta", "signature": "si"}, {"type": "signature_delta", "signature": "g="}]
    raw = json.dumps(block["input"], ensure_ascii=False, separators=(",", ":"))
    return [{"type": "input_json_delta", "partial_json": raw[at : at + 3]} for at in range(0, len(raw), 3)]


@given(_PIECES, _PIECES, _CALL_PIECES, _CUTS)
@settings(deadline=None)
def test_ollama(texts: list[str], thoughts: list[str], calls: list[tuple[str, list[str]]], cuts: list[int]) -> None:
    made = [(name, {"text": "".join(pieces)}) for name, pieces in calls]
    whole = local_chat("".join(texts), made)
    whole["message"]["thinking"] = "".join(thoughts)
    lines = [
        {"model": "m", "message": {"role": "assistant", "content": "", "thinking": piece}, "done": False}
        for piece in thoughts
    ]
    lines += [{"model": "m", "message": {"role": "assistant", "content": piece}, "done": False} for piece in texts]
    lines += [{"model": "m", "message": local_chat("", [call])["message"], "done": False} for call in made]
    lines.append({**whole, "message": {"role": "assistant", "content": ""}})
    assert_same("ollama", ndjson(*lines), whole, cuts)


def assert_same(wire: WireName, data: bytes, whole: dict[str, Any], cuts: list[int]) -> None:
    streamed, signals = assembled(wire, data, cuts)
    assert streamed == WIRES[wire].decode(whole)
    shown = {kind: "".join(signal.text for signal in signals if signal.kind == kind) for kind in ("delta", "thinking")}
    if "\ufffd" not in "".join(shown.values()):
        assert (shown["delta"], shown["thinking"]) == (streamed.text, streamed.thinking)


# ---------------------------------------------------------------- streams as servers really send them


def chunk(*calls: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"tool_calls": list(calls)}, "finish_reason": finish}]}


def piece(arguments: str, index: int | None = None, call_id: str = "", name: str = "") -> dict[str, Any]:
    function = {"arguments": arguments} | ({"name": name} if name else {})
    return (
        {"function": function} | ({"index": index} if index is not None else {}) | ({"id": call_id} if call_id else {})
    )


@pytest.mark.parametrize(
    "chunks",
    [
        [chunk(piece('{"a"', 0, "x", "f"), piece('{"b"', 1, "y", "g")), chunk(piece(":1}", 0), piece(":2}", 1))],
        [chunk(piece('{"a":1}', None, "x", "f")), chunk(piece('{"b":2}', None, "y", "g"))],
        [chunk(piece('{"a":1}', 0, "x", "f"), piece('{"b":2}', 0, "y", "g"))],
        [chunk(piece('{"a"', 0, "x", "f")), chunk(piece(":1}", 0, "x", "f")), chunk(piece('{"b":2}', 1, "y", "g"))],
    ],
    ids=["interleaved", "without index", "one index for all", "name in every piece"],
)
def test_pieces_of_calls_find_their_call(chunks: list[dict[str, Any]]) -> None:
    given, _ = assembled("openai", sse(*chunks, chunk(finish="tool_calls"), "[DONE]"))
    assert given.calls == (RawCall("f", '{"a":1}', "x"), RawCall("g", '{"b":2}', "y"))


def test_a_block_that_starts_without_an_input_and_has_no_piece() -> None:
    block = {"type": "tool_use", "id": "1", "name": "f"}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 3}}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}},
    ]
    given, _ = assembled("anthropic", sse(*events, {"type": "message_stop"}))
    assert (given.calls, given.usage) == ((RawCall("f", "", "1"),), Usage(input=3, output=2))


@pytest.mark.parametrize(
    ("wire", "data"),
    [
        ("openai", sse({"error": {"message": "busy", "type": "overloaded_error"}})),
        ("openai", b'event: error\ndata: {"message": "busy"}\n\n'),
        ("anthropic", sse({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, named=True)),
        ("ollama", ndjson({"error": "busy"})),
    ],
)
def test_an_error_in_the_stream_is_told_apart(wire: WireName, data: bytes) -> None:
    with pytest.raises(StreamError) as caught:
        assembled(wire, data)
    assert "busy" in str(caught.value.error)


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        ("openai", {}),
        ("openai", {"choices": []}),
        ("openai", {"choices": [{"message": None, "finish_reason": "stop"}]}),
        ("openai", {"choices": [{"message": {"content": "hi"}, "finish_reason": None}]}),
        ("openai", {"choices": "none"}),
        ("openai", {"choices": [{"message": {"content": {"a": 1}}, "finish_reason": "stop"}]}),
        ("openai", chat(calls=[("x", "", "{}")])),
        ("anthropic", {}),
        ("anthropic", {"content": [], "stop_reason": None}),
        ("anthropic", {"content": ["hi"], "stop_reason": "end_turn"}),
        ("anthropic", message({"type": "tool_use", "id": "x", "input": {}})),
        ("ollama", {}),
        ("ollama", {"message": {"content": "hi"}, "done": False}),
        ("ollama", {"message": {"content": "", "tool_calls": [{"function": {}}]}, "done": True}),
    ],
)
def test_a_body_that_makes_no_reply_is_malformed(wire: WireName, body: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        WIRES[wire].decode(body)


# ---------------------------------------------------------------- what replies say


@pytest.mark.parametrize(
    ("wire", "body", "finish"),
    [
        ("openai", chat("hi", finish="eos"), "eos"),
        ("openai", chat("hi", [("1", "f", "{}")], finish="stop"), "tool_calls"),
        ("openai", chat(None, refusal="I will not."), "refused"),
        ("anthropic", message({"type": "text", "text": "hi"}, stop="stop_sequence"), "stop"),
        ("anthropic", message({"type": "text", "text": "hi"}, stop="pause_turn"), "pause_turn"),
        ("anthropic", message({"type": "text", "text": "no"}, stop="refusal"), "refused"),
        ("anthropic", message({"type": "text", "text": "hi"}, stop="max_tokens"), "length"),
        ("ollama", local_chat("hi", done_reason="length"), "length"),
        ("ollama", local_chat("", done_reason="load"), "load"),
        ("ollama", {key: value for key, value in local_chat("hi").items() if key != "done_reason"}, "stop"),
    ],
)
def test_finish_reasons_in_our_words_or_by_name(wire: WireName, body: dict[str, Any], finish: str) -> None:
    assert WIRES[wire].decode(body).finish == finish


def test_a_refusal_is_the_text_of_the_reply() -> None:
    assert WIRES["openai"].decode(chat(None, refusal="I will not.")).text == "I will not."
    details = {"type": "refusal", "category": "bio", "explanation": "Not this."}
    refused = message({"type": "text", "text": "no"}, stop="refusal", stop_details=details)
    assert WIRES["anthropic"].decode(refused).notes == ("refused: bio: Not this.",)


def test_a_reply_that_filled_the_window_is_a_failure_of_its_own() -> None:
    full = message({"type": "text", "text": "so far"}, stop="model_context_window_exceeded")
    with pytest.raises(ModelFailure) as caught:
        WIRES["anthropic"].decode(full)
    assert (caught.value.kind, caught.value.partial) == ("context_overflow", "so far")


@pytest.mark.parametrize(
    ("wire", "usage", "expected"),
    [
        ("openai", {"prompt_tokens": 1200, "completion_tokens": 34, "prompt_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 50}},
         Usage(input=1200, output=34, cache_read=1000, cache_write=50)),
        ("openai", {"prompt_tokens": "many", "completion_tokens": -1}, Usage()),
        ("openai", {"prompt_tokens": 0, "completion_tokens": 0}, Usage()),
        ("anthropic", {"input_tokens": 20, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 50, "output_tokens": 8},
         Usage(input=1070, output=8, cache_read=1000, cache_write=50)),
        ("anthropic", {"input_tokens": 0, "output_tokens": 0}, Usage()),
        ("anthropic", None, Usage()),
    ],
)  # fmt: skip
def test_what_was_read_includes_what_was_cached(wire: WireName, usage: Any, expected: Usage) -> None:
    whole = chat("hi") if wire == "openai" else message({"type": "text", "text": "hi"})
    assert WIRES[wire].decode(whole | {"usage": usage}).usage == expected


def test_what_compatible_servers_want_back_goes_back() -> None:
    whole = chat(None, [("1", "read_note", "{}")], reasoning_content="Hm. ")
    whole["choices"][0]["message"]["tool_calls"][0]["extra_content"] = {"google": {"thought_signature": "s="}}
    state = begun()
    reply(state, WIRES["openai"].decode(whole))
    answer_all(state)
    assistant = sent(state, "openai")[1]
    assert assistant["reasoning_content"] == "Hm. "
    assert assistant["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "s="}}
    assert "reasoning_content" not in json.dumps(sent(state, "anthropic"))


def test_thinking_that_ends_a_reply_and_blank_texts_are_not_sent_back() -> None:
    blocks = [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "text", "text": " "},
        {"type": "redacted_thinking", "data": "x"},
    ]
    state = begun()
    reply(state, WIRES["anthropic"].decode(message(*blocks, stop="max_tokens")))
    assert [item["role"] for item in sent(state, "anthropic")] == ["user", "user"]


# ---------------------------------------------------------------- requests


def test_no_sampling_and_no_limits_unless_set() -> None:
    state = begun()
    for wire in WIRES:
        assert not {"temperature", "top_p", "tool_choice", "options", "max_completion_tokens"} & set(body(state, wire))
    assert body(state, "anthropic")["max_tokens"] == 4096


def test_settings_go_where_each_vendor_has_them() -> None:
    state = begun(parallel=False)
    given: dict[str, Any] = {
        "temperature": 0.5,
        "max_tokens": 9,
        "context_window": 99,
        "tool_choice": "read_note",
        "extra": {"seed": 1},
    }
    openai, anthropic, ollama = (body(state, wire, **given) for wire in WIRES)
    assert (openai["max_tokens"], openai["temperature"], openai["seed"]) == (9, 0.5, 1)
    assert openai["parallel_tool_calls"] is False
    assert openai["tool_choice"] == {"type": "function", "function": {"name": "read_note"}}
    assert openai["stream_options"] == {"include_usage": True}
    assert anthropic["max_tokens"] == 9
    assert anthropic["system"] == "Be brief."
    assert anthropic["tool_choice"] == {"type": "tool", "name": "read_note", "disable_parallel_tool_use": True}
    assert ollama["options"] == {"num_ctx": 99, "num_predict": 9, "temperature": 0.5}
    assert ollama["stream"] is True
    assert "stream" not in body(state, "openai", stream=False)
    assert body(state, "ollama", stream=False)["stream"] is False


def test_the_official_address_gets_the_new_name_of_a_limit() -> None:
    from workbench.models.wire.endpoint import Endpoint

    endpoint = Endpoint(wire="openai", model="m", base_url="https://api.openai.com/v1", max_tokens=5)
    from tests.models.wire.histories import request

    assert WIRES["openai"].encode_body(endpoint, request(begun()), [], [])["max_completion_tokens"] == 5


@pytest.mark.parametrize(
    ("wire", "base", "url"),
    [
        ("openai", "http://h/v1", "http://h/v1/chat/completions"),
        ("openai", "http://h/v1/", "http://h/v1/chat/completions"),
        ("openai", "http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("anthropic", "http://h", "http://h/v1/messages"),
        ("anthropic", "http://h/v1", "http://h/v1/messages"),
        ("anthropic", "http://h/proxy/v1/messages", "http://h/proxy/v1/messages"),
        ("ollama", "http://h:11434", "http://h:11434/api/chat"),
        ("ollama", "http://h:11434/api", "http://h:11434/api/chat"),
    ],
)
def test_the_address_of_a_request(wire: WireName, base: str, url: str) -> None:
    assert address(base, WIRES[wire].path) == url


def test_names_of_tools_that_a_vendor_would_not_take_are_changed_on_the_way_out() -> None:
    assert [tool["function"]["name"] for tool in body(begun(), "openai")["tools"]] == ["read_note", "write_note"]


def test_clean_text_is_left_alone() -> None:
    text = "plain"
    assert clean(text) is text
