"""From a reply to the event that records it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from workbench.core.canonical import canonical, parse_object
from workbench.core.events import ModelReply, ToolResult, UserMessage
from workbench.core.ports import Checked, Reply, Usage
from workbench.core.reading import NO_CALL, ONE_CALL_A_TURN, cost, read_reply
from workbench.core.state import State
from workbench.core.values import Header, Prices, ProtocolOptions, RawCall, ToolInfo

LOOK = ToolInfo(name="look", risk="read")


def check(tool: str, arguments: str) -> Checked:
    """Takes every JSON object for the one tool there is."""
    if tool != "look":
        return Checked(problem=f"no tool named {tool}", problem_kind="unknown_tool")
    parsed = parse_object(arguments)
    if parsed.value is None:
        return Checked(problem=parsed.problem, problem_kind="malformed")
    return Checked(canonical=canonical(parsed.value), note=parsed.note)


def state(**header: Any) -> State:
    made = State(Header(id="run", goal="go", tools=(LOOK,), **header))
    made.apply(UserMessage(text="go"))
    return made


def read(reply: Reply, at: State | None = None) -> ModelReply:
    return read_reply(at if at is not None else state(), reply, check, 1.5)


def two_calls(arguments: str = "{}") -> Reply:
    same = RawCall("look", arguments, provider_id="call_1")
    return Reply(calls=(same, same), finish="tool_calls")


def test_calls_get_ids_of_our_own_that_never_come_twice() -> None:
    at = state()
    first = read(two_calls(), at)
    at.apply(first)
    for call in first.calls:
        at.apply(ToolResult(call=call.id))
    second = read(two_calls(), at)
    assert [call.id for call in (*first.calls, *second.calls)] == ["c1", "c2", "c3", "c4"]
    assert {call.provider_id for call in (*first.calls, *second.calls)} == {"call_1"}


@pytest.mark.parametrize(
    ("arguments", "canonical", "kind"),
    [
        ('{"b": 1, "a": [1.0, null]}', '{"a":[1.0,null],"b":1}', ""),
        ("", "{}", ""),
        (json.dumps('{"a": 1}'), '{"a":1}', ""),
        ('{"a": ', "", "malformed"),
        ("[1]", "", "malformed"),
    ],
)
def test_a_call_keeps_what_was_written_beside_what_it_means(arguments: str, canonical: str, kind: str) -> None:
    call = read(two_calls(arguments)).calls[0]
    assert (call.arguments, call.canonical, call.problem_kind) == (arguments, canonical, kind)
    assert bool(call.problem) == bool(kind)


def test_arguments_that_a_protocol_could_not_read_are_malformed_and_an_unknown_tool_is_unknown_first() -> None:
    broken = RawCall("look", "{}", problem="line 3: no comma")
    known = read(Reply(calls=(broken,))).calls[0]
    assert (known.problem, known.problem_kind, known.canonical) == ("line 3: no comma", "malformed", "")
    unknown = read(Reply(calls=(replace(broken, tool="loook"),))).calls[0]
    assert (unknown.problem, unknown.problem_kind) == ("no tool named loook", "unknown_tool")


def test_with_one_call_a_turn_the_others_get_a_result_that_says_so() -> None:
    reply = read(two_calls(), state(options=ProtocolOptions(parallel=False)))
    assert [call.problem_kind for call in reply.calls] == ["", "not_run"]
    assert reply.calls[1].problem == ONE_CALL_A_TURN


@pytest.mark.parametrize(
    ("finish", "reading"),
    [
        ("stop", "answer"),
        ("length", "cut_off"),
        ("blocked", "blocked"),
        ("refused", "blocked"),
        ("moonlight", "blocked"),
    ],
)
def test_only_a_reply_that_ended_by_itself_is_believed(finish: str, reading: str) -> None:
    reply = read(Reply(text="140 mugs", finish=finish))
    assert reply.reading == reading
    assert reply.answer == ("140 mugs" if reading == "answer" else "")
    assert bool(reply.problem) == (reading != "answer")


def test_a_reply_that_was_to_call_a_tool_and_does_not_is_no_answer() -> None:
    reply = read(Reply(text="Let me look that up.", finish="tool_calls"))
    assert (reply.reading, reply.answer, reply.problem) == ("malformed", "", NO_CALL)
    assert read(Reply(text="ANSWER: 140", finish="tool_calls"), state(protocol="text")).reading == "answer"


def test_a_cut_off_native_reply_keeps_its_calls_and_a_cut_off_text_has_none() -> None:
    assert len(read(replace(two_calls(), finish="length")).calls) == 2
    assert read(replace(two_calls(), text="ACTION: look {}", finish="length"), state(protocol="text")).calls == ()


def test_tokens_are_estimated_beside_what_the_provider_counted() -> None:
    counted = read(Reply(text="140 mugs", usage=Usage(input=900, output=40)))
    assert (counted.input_tokens, counted.output_tokens) == (900, 40)
    assert 0 < counted.output_estimate < 40
    guessed = read(Reply(text="140 mugs"))
    assert (guessed.input_tokens, guessed.output_tokens, guessed.took) == (None, None, 1.5)
    assert guessed.input_estimate == state().context_tokens > 0


PRICES = Prices(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75)


def test_cached_tokens_have_their_own_price() -> None:
    assert cost(PRICES, read=1_000_000, written=0) == pytest.approx(3.0)
    assert cost(PRICES, read=1_000_000, written=100_000, cache_read=600_000) == pytest.approx(1.2 + 0.18 + 1.5)
    assert cost(PRICES, read=1_000_000, written=0, cache_write=1_000_000) == pytest.approx(3.75)
    assert cost(Prices(input=3.0, output=15.0), read=10, written=0, cache_read=5) == pytest.approx(30e-6)


@pytest.mark.parametrize(
    ("header", "expected"),
    [({}, 0.0), ({"free": False}, None), ({"free": False, "prices": PRICES}, (900 * 3.0 + 40 * 15.0) / 1e6)],
)
def test_what_a_reply_cost_is_known_free_or_unknown(header: dict[str, Any], expected: float | None) -> None:
    reply = read(Reply(text="140", usage=Usage(input=900, output=40)), state(**header))
    assert reply.cost == (pytest.approx(expected) if expected is not None else None)
