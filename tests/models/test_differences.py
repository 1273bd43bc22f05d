from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import nasty_text
from workbench.core.records import Message
from workbench.core.values import Call, ToolInfo
from workbench.models.differences import message_difference, text_difference, tools_difference

CALLS = st.lists(
    st.builds(lambda tool, arguments: Call(id="", tool=tool, arguments=arguments), st.sampled_from("ab"), nasty_text()),
    max_size=2,
).map(tuple)
MESSAGES = st.builds(
    lambda role, text, calls, tool, error, opaque: Message(role, text, 0, 0, calls, "", tool, error, opaque),
    st.sampled_from(["user", "assistant", "tool", "notice"]),
    nasty_text(), CALLS, st.sampled_from(["", "a"]), st.booleans(), st.sampled_from(["", "{}"]),
)  # fmt: skip


def read(message: Message) -> tuple[object, ...]:
    """What a model reads of a message."""
    said = [(call.tool, call.arguments) for call in message.calls] if message.role == "assistant" else []
    opaque = message.opaque if message.role == "assistant" else ""
    return message.role, message.text, said, message.tool, message.is_error, opaque


@given(MESSAGES, MESSAGES)
def test_there_is_a_difference_just_where_a_model_would_read_one(one: Message, other: Message) -> None:
    assert message_difference(0, one, replace(one)) == ""
    assert (message_difference(0, one, other) == "") == (read(one) == read(other))


def test_long_texts_are_cut_around_the_place_where_they_part() -> None:
    one, other = "x" * 500 + "north" + "y" * 500, "x" * 500 + "south" + "y" * 500
    words = text_difference(one, other)
    assert words.startswith(f'they part at character 501: recorded …"{"x" * 20}north')
    assert words.endswith('y"…')
    assert len(words) < 200


def test_a_text_that_goes_on_longer() -> None:
    assert text_difference("ab", "abc") == 'they part at character 3: recorded the end, after "ab", now "abc"'
    assert text_difference("", "a\n") == 'recorded an empty text, now "a\\n"'


def test_a_message_that_is_not_there() -> None:
    told = Message("tool", "140", 0, call_id="c1", tool="stock")
    assert message_difference(3, told, None) == 'message 4: now none, recorded a tool result (stock c1) with "140"'
    assert message_difference(3, None, told) == 'message 4: recorded none, now a tool result (stock c1) with "140"'
    assert message_difference(3, told, Message("user", "", 0)) == (
        "message 4, role: recorded a tool result (stock c1), now the user"
    )


def test_tools_differ_by_name_then_by_what_is_said_of_them() -> None:
    one, other = ToolInfo(name="a", description="A."), ToolInfo(name="a", description="B.")
    assert tools_difference([one], [replace(one, risk="write")]) == ""
    assert tools_difference([one], []) == "tools: recorded a, now none"
    assert tools_difference([one], [other]) == 'tools[0] a, description: recorded "A.", now "B."'
    wider = replace(one, schema="{}")
    assert tools_difference([one], [wider]).startswith("tools[0] a, parameters: they part at character 2")
