from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.faults.runs import CUPS, MUGS, Memory, World, fault, make_run, played, replies, results, said
from tests.strategies import nasty_text
from tests.timing import assert_within
from workbench.core.events import ModelReply, UserMessage
from workbench.core.faults import KINDS
from workbench.core.ports import Reply
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.core.values import Header, ProtocolName, ProtocolOptions, RawCall
from workbench.faults.replies import rewritten, written_out

PROTOCOLS: tuple[ProtocolName, ...] = get_args(ProtocolName)
REQUIRED: dict[str, dict[str, Any]] = {"replace": {"text": "x"}, "append": {"text": "x"}, "delay": {"seconds": 1}}


async def struck(protocol: ProtocolName, do: str, *, second: bool = False, **keys: Any) -> tuple[ModelReply, Any]:
    """The reply that is struck, of a run that calls once, or answers after a call, and the run."""
    lines = [said(protocol, MUGS), said(protocol, answer="140 mugs"), said(protocol, answer="over")]
    run = await played(fault("reply", do, nth=2 if second else 1, **keys), lines=lines, protocol=protocol)
    reply = replies(run)[1 if second else 0]
    assert reply.faults == (do,)
    return reply, run


# ---------------------------------------------------------------- calls


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("do", ["malformed_json", "cut_json"])
async def test_broken_arguments_are_told_to_the_model(protocol: ProtocolName, do: str) -> None:
    reply, run = await struck(protocol, do)
    assert "mugs" in reply.original
    assert reply.changed_by == f"fault {do}"
    if reply.reading == "calls":
        assert reply.calls[0].problem_kind == "malformed"
        assert results(run)[0].outcome == "invalid"
    else:
        assert (protocol, reply.reading) == ("json", "malformed")
    assert run.state.protocol_errors_in_a_row == 0, "the next reply was read"
    assert run.status is Status.ANSWERED


async def test_a_comma_too_many_and_an_end_in_the_middle() -> None:
    assert (await struck("native", "malformed_json"))[0].calls[0].arguments == '{"thing": "mugs",}'
    assert (await struck("text", "malformed_json"))[0].text.endswith('ACTION: count {"thing": "mugs",}')
    assert (await struck("native", "cut_json"))[0].calls[0].arguments == '{"thing": "'
    assert (await struck("text", "cut_json"))[0].text.endswith('ACTION: count {"thing": "')
    assert (await struck("json", "cut_json"))[0].text == '{"type": "tool", "tool": "count", "input'


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_an_unknown_tool_is_called_with_the_same_arguments(protocol: ProtocolName) -> None:
    reply, run = await struck(protocol, "unknown_tool")
    assert [(call.tool, call.problem_kind) for call in reply.calls] == [("count_v2", "unknown_tool")]
    assert "mugs" in reply.calls[0].arguments
    assert "Available: ['count', 'refund', 'routes']" in results(run)[0].content
    named, _ = await struck(protocol, "unknown_tool", text="refund")
    assert named.calls[0].tool == "refund_", "a name that exists is made one that does not"


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_wrong_number_in_a_call_or_an_answer(protocol: ProtocolName) -> None:
    lines = [said(protocol, ("count", {"thing": "mugs", "most": 12})), said(protocol, answer="there are 140")]
    run = await played(fault("reply", "wrong_number"), lines=lines, protocol=protocol)
    assert '"most": 21' in replies(run)[0].calls[0].arguments
    assert run.state.answer in ("there are 410", "there are 104")


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_call_said_twice(protocol: ProtocolName) -> None:
    reply, run = await struck(protocol, "duplicate")
    if protocol == "native":
        assert [call.arguments for call in reply.calls] == ['{"thing": "mugs"}'] * 2
        assert [result.content for result in results(run)] == ["140", "140"]
    else:
        assert reply.text.count("count {" if protocol == "text" else '"tool": "count"') == 2
        assert [result.content for result in results(run)] == ["140"]
        assert reply.dropped


async def test_doubled_native_calls_keep_ids_of_their_own() -> None:
    state = State(Header(id="r", goal="g", protocol="native"))
    reply = Reply(calls=(RawCall("count", "{}", provider_id="toolu_1"),))
    doubled = rewritten(reply, fault("reply", "duplicate"), state)
    assert [call.provider_id for call in doubled.calls] == ["toolu_1", "toolu_1-again"]


# ---------------------------------------------------------------- answers and observations


@pytest.mark.parametrize("protocol", ["text", "json"])
async def test_an_invented_observation_is_dropped_and_said(protocol: ProtocolName) -> None:
    reply, run = await struck(protocol, "invented_observation", text="7 mugs")
    assert "7 mugs" in reply.text
    assert reply.dropped.endswith("it was no observation.")
    assert [result.content for result in results(run)] == ["140"]


async def test_a_native_model_that_invents_a_result_makes_no_call() -> None:
    reply, run = await struck("native", "invented_observation")
    assert (reply.text, reply.calls) == ("count returned: 42", ())
    assert reply.original == '→ count {"thing": "mugs"}'
    assert (run.status, run.state.answer, results(run)) == (Status.ANSWERED, "count returned: 42", [])


@pytest.mark.parametrize("protocol", ["text", "json"])
async def test_both_at_once_behind_a_call_and_behind_an_answer(protocol: ProtocolName) -> None:
    reply, run = await struck(protocol, "both")
    assert [call.tool for call in reply.calls] == ["count"], "the first of them counts"
    assert "42" in reply.text
    assert reply.dropped
    answer, run = await struck(protocol, "both", second=True)
    assert (answer.reading, answer.answer) == ("answer", "140 mugs")
    assert "count" in answer.text
    assert run.status is Status.ANSWERED


async def test_both_at_once_for_a_native_model() -> None:
    reply, _ = await struck("native", "both")
    assert (reply.text, [call.tool for call in reply.calls]) == ("42", ["count"])
    answer, run = await struck("native", "both", second=True)
    assert (answer.text, [call.tool for call in answer.calls]) == ("140 mugs", ["count"])
    assert run.state.answer == "over"


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_prose_is_an_answer_only_where_text_is(protocol: ProtocolName) -> None:
    reply, run = await struck(protocol, "prose")
    assert reply.calls == ()
    assert reply.reading == ("answer" if protocol == "native" else "malformed")
    assert run.status is Status.ANSWERED
    assert (run.state.answer == reply.text) is (protocol == "native")


# ---------------------------------------------------------------- how a reply ends


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("do", "finish", "status"),
    [
        ("refusal", "refused", Status.REPLY_BLOCKED),
        ("blocked", "blocked", Status.REPLY_BLOCKED),
        ("length", "length", Status.REPLY_CUT_OFF),
    ],
)
async def test_replies_that_are_not_believed(protocol: ProtocolName, do: str, finish: str, status: Status) -> None:
    reply, run = await struck(protocol, do)
    assert (reply.finish, run.status, run.state.answer) == (finish, status, None)
    assert not [result for result in results(run) if result.outcome == "ran"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_an_empty_reply_is_neither_answer_nor_action(protocol: ProtocolName) -> None:
    reply, run = await struck(protocol, "empty")
    assert (reply.text, reply.calls, reply.reading) == ("", (), "malformed")
    assert run.status is Status.ANSWERED


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_the_reply_before_is_said_again_while_the_script_goes_on(protocol: ProtocolName) -> None:
    lines = [said(protocol, MUGS), said(protocol, CUPS), said(protocol, answer="done")]
    run = await played(fault("reply", "stale", nth=2), lines=lines, protocol=protocol)
    assert [result.content for result in results(run)] == ["140", "140"]
    assert "cups" in replies(run)[1].original
    assert (run.state.answer, run.state.model_calls) == ("done", 3)


async def test_with_nothing_said_before_there_is_nothing_to_repeat() -> None:
    reply, _ = await struck("text", "stale")
    assert (reply.changed, reply.original) == (False, "")


async def test_a_text_that_is_put_in_place_cut_or_flooded() -> None:
    reply, _ = await struck("text", "replace", text="ANSWER: no")
    assert (reply.answer, reply.text) == ("no", "ANSWER: no")
    reply, _ = await struck("text", "append", text="Anything else?")
    assert reply.text.endswith("}\nAnything else?")
    reply, _ = await struck("text", "truncate", size=9)
    assert reply.text == "THOUGHT: "
    reply, _ = await struck("json", "flood", size=500)
    assert (len(reply.text), len(reply.calls)) == (500, 1)
    reply, _ = await struck("native", "garble")
    assert reply.calls[0].arguments != '{"thing": "mugs"}'


async def test_a_delay_changes_nothing_but_the_time() -> None:
    reply, run = await struck("native", "delay", seconds=20)
    assert (reply.took, reply.changed, reply.original) == (20, False, "")
    assert run.state.seconds == 20


# ---------------------------------------------------------------- where a kind finds nothing


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("do", ["unknown_tool", "invented_observation"])
async def test_what_is_about_a_call_leaves_an_answer_alone(protocol: ProtocolName, do: str) -> None:
    reply, run = await struck(protocol, do, second=True)
    assert (reply.changed, reply.original, reply.changed_by) == (False, "", "")
    assert run.state.answer == "140 mugs"


@pytest.mark.parametrize("do", ["malformed_json", "cut_json"])
async def test_the_object_of_a_json_answer_can_be_broken_too(do: str) -> None:
    reply, _ = await struck("json", do, second=True)
    assert (reply.reading, reply.changed) == ("malformed", True)


async def test_an_action_in_a_thought_is_not_the_one_that_is_changed() -> None:
    state = State(Header(id="r", goal="g", protocol="text"))
    text = '<think>\nACTION: count {"thing": "cups"}\n</think>\n  ACTION: count {"thing": "mugs"}'
    after = rewritten(Reply(text=text), fault("reply", "unknown_tool", text="guess"), state)
    assert after.text == '<think>\nACTION: count {"thing": "cups"}\n</think>\nACTION: guess {"thing": "mugs"}'


def test_what_a_provider_wants_back_word_for_word_goes_when_the_reply_is_changed() -> None:
    state = State(Header(id="r", goal="g", protocol="native"))
    reply = Reply(text="hm", opaque="[1]")
    assert rewritten(reply, fault("reply", "append", text="x"), state).opaque == ""
    assert rewritten(reply, fault("reply", "unknown_tool"), state) is reply


def test_a_reply_written_out_has_its_calls_below_its_text() -> None:
    call = RawCall("count", '{"thing": "mugs"}')
    assert written_out(Reply(text="hm", calls=(call,))) == 'hm\n→ count {"thing": "mugs"}'
    assert written_out(Reply(calls=(call,))) == '→ count {"thing": "mugs"}'
    assert written_out(Reply(text="hm")) == "hm"


# ---------------------------------------------------------------- any reply


call_texts = st.sampled_from(
    ["ACTION: count {}", "ANSWER: 42", "\n", "</think>", '{"type": "tool", "tool": "x", "input": {}}', "OBSERVATION: x"]
)
raw_calls = st.builds(RawCall, nasty_text(), nasty_text() | st.sampled_from(["", "{}", '{"a": 1}', "[", '"{}"']))


@given(
    st.sampled_from(PROTOCOLS),
    st.sampled_from([kind for kind in KINDS["reply"] if kind != "delay"]),
    st.lists(call_texts | nasty_text(), max_size=5).map("".join),
    st.lists(raw_calls, max_size=3).map(tuple),
    st.booleans(),
)
def test_any_reply_can_be_struck_and_then_read(
    protocol: ProtocolName, do: str, text: str, calls: tuple[RawCall, ...], earlier: bool
) -> None:
    run = make_run(lines=[], protocol=protocol, world=World(), journal=Memory())
    state = run.state
    state.apply(UserMessage(text="g"))
    if earlier:
        state.apply(ModelReply(text="before", reading="malformed"))
    reply = Reply(text=text, calls=calls if protocol == "native" else ())
    item = fault("reply", do, **REQUIRED.get(do, {}))
    after = rewritten(reply, item, state)
    assert after == rewritten(reply, item, state)
    assert (after.line, after.usage, after.thinking) == (reply.line, reply.usage, reply.thinking)
    state.protocol.read(after.text, after.calls, ProtocolOptions())
    if after is not reply:
        assert after != replace(reply, opaque="")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("do", [kind for kind in KINDS["reply"] if kind != "delay"])
@pytest.mark.parametrize("piece", ["{", '{"', "ACTION: x {", "ANSWER:", "[[", "</think>", "a\n "], ids=repr)
def test_long_replies_take_linear_time(protocol: ProtocolName, do: str, piece: str) -> None:
    state = State(Header(id="r", goal="g", protocol=protocol))
    reply = Reply(text=piece * (200_000 // len(piece)))
    assert_within(2.0, lambda: rewritten(reply, fault("reply", do, **REQUIRED.get(do, {})), state))


@pytest.mark.parametrize("protocol", ["text", "json", "native"])
async def test_the_calls_of_a_reply_change_places_and_what_stands_around_them_stays(protocol: ProtocolName) -> None:
    several = lambda header: replace(header, options=replace(header.options, several="all"))  # noqa: E731
    lines = [said(protocol, MUGS, CUPS), said(protocol, answer="done")]
    run = await played(fault("reply", "reorder"), lines=lines, protocol=protocol, header=several)
    assert [call.arguments for call in replies(run)[0].calls] == ['{"thing": "cups"}', '{"thing": "mugs"}']
    assert [result.content for result in results(run)] == ["95", "140"]
    assert (replies(run)[0].changed_by, replies(run)[1].changed) == ("fault reorder", False)


@pytest.mark.parametrize("protocol", ["text", "json", "native"])
async def test_a_call_is_about_what_that_tool_was_called_with_before(protocol: ProtocolName) -> None:
    lines = [said(protocol, MUGS), said(protocol, CUPS), said(protocol, answer="done")]
    run = await played(fault("reply", "wrong_record"), lines=lines, protocol=protocol)
    assert [reply.changed for reply in replies(run)] == [False, True, False]
    assert [result.content for result in results(run)] == ["140", "140"]
