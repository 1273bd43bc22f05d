"""The native protocol: calls beside the text."""

from __future__ import annotations

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from workbench.core.protocols import protocol
from workbench.core.values import ProtocolName, ProtocolOptions, RawCall, Reading, ToolInfo

NATIVE = protocol("native")
ADD = RawCall("add", '{"a": 1', provider_id="call_a")
LIST = RawCall("list_notes", "", provider_id="call_b")


def read(text: str, *calls: RawCall, options: ProtocolOptions | None = None) -> Reading:
    return NATIVE.read(text, calls, options or ProtocolOptions())


def test_calls_pass_through_as_they_came_whatever_the_text_says() -> None:
    assert read("ANSWER: 4", ADD, LIST) == Reading(kind="calls", calls=(ADD, LIST))


def test_one_call_a_turn_is_left_to_the_loop() -> None:
    assert read("", ADD, LIST, options=ProtocolOptions(parallel=False)).calls == (ADD, LIST)


def test_text_alone_is_the_answer() -> None:
    assert read(" 140 mugs\n") == Reading(kind="answer", answer="140 mugs")
    assert read("ACTION: add {}").answer == "ACTION: add {}"


def test_thinking_is_no_answer() -> None:
    assert read("<think>a lot</think>\n140 mugs").answer == "140 mugs"
    assert read("a lot\n</think>\n140 mugs").answer == "140 mugs"
    assert read("<think>a lot").kind == "malformed"


def test_an_empty_reply_gets_a_correction() -> None:
    for text in ("", " \n"):
        reading = read(text)
        assert reading.kind == "malformed"
        assert "empty" in reading.problem


def test_text_does_not_end_a_run_that_ends_by_a_tool() -> None:
    by_tool = ProtocolOptions(finish="tool")
    for text in ("140 mugs", ""):
        reading = read(text, options=by_tool)
        assert reading.kind == "malformed"
        assert "submit_answer" in reading.problem
    submit = RawCall("submit_answer", '{"answer": "140"}')
    assert read("", submit, options=by_tool).calls == (submit,)


def test_messages_are_plain_text() -> None:
    assert NATIVE.user("Paris?") == "Paris?"
    assert NATIVE.observation("add", "2", is_error=True) == "2"
    assert NATIVE.notice("go on", is_error=False) == "go on"


def test_only_the_end_by_a_tool_needs_words() -> None:
    tools = (ToolInfo(name="add"),)
    assert NATIVE.instructions(tools, ProtocolOptions()) == ""
    assert "submit_answer" in NATIVE.instructions(tools, ProtocolOptions(finish="tool"))
    assert NATIVE.instructions(tools, ProtocolOptions(finish="tool", instructions=False)) == ""


@given(st.text(), st.booleans())
def test_reading_never_raises(text: str, by_tool: bool) -> None:
    assert read(text, options=ProtocolOptions(finish="tool" if by_tool else "text")).kind in ("answer", "malformed")


def test_each_protocol_knows_its_name_and_whether_tools_are_offered_on_the_wire() -> None:
    for name in get_args(ProtocolName):
        assert protocol(name).name == name
        assert protocol(name).native_tools == (name == "native")
