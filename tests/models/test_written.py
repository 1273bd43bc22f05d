from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.values import RawCall
from workbench.models.written import Written, read_written, write, written_problem

CALL = RawCall("stock_level", '{"warehouse": "north"}')
ARGUMENTS = st.one_of(
    st.text(max_size=20),
    st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.text(max_size=5)).map(json.dumps),
    st.just('{"a": 1.50}'),
    st.just('{"a": 1, "a": 2}'),
)
CALLS = st.lists(st.builds(RawCall, st.text(min_size=1, max_size=8), ARGUMENTS), max_size=3).map(tuple)


def test_a_native_reply_is_written_with_its_calls_as_objects() -> None:
    assert write("Looking.", [CALL], native=True) == (
        "{\n"
        '  "text": "Looking.",\n'
        '  "calls": [\n'
        '    {"tool": "stock_level", "arguments": {"warehouse": "north"}}\n'
        "  ]\n"
        "}"
    )


def test_arguments_that_are_no_json_are_a_string_and_sent_as_they_are() -> None:
    text = '{"calls": [{"tool": "stock_level", "arguments": "{\\"warehouse\\": \\"sou"}]}'
    assert read_written(text, native=True) == Written("", (RawCall("stock_level", '{"warehouse": "sou'),))


def test_plain_text_is_a_reply_without_calls() -> None:
    assert read_written("North has more.", native=True) == Written("North has more.")
    assert write("North has more.", native=True) == "North has more."


@pytest.mark.parametrize("text", ['{"tool": "add"', '{"text": "x", "calls": []}', "ACTION: add {}"])
def test_outside_the_native_protocol_any_text_is_the_reply(text: str) -> None:
    assert read_written(text, native=False) == Written(text)
    assert written_problem(text, native=False) == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"text": "x"', "line 1, column 13: a comma is missing before this, or a closing bracket"),
        (
            '{\n  "text": x\n}',
            "line 2, column 11: a value is missing here: text in double quotes, a number, true, false, null, [ ] or { }",
        ),
        ('{"txt": "x"}', 'unknown key "txt"; did you mean "text"?'),
        ('{"answer": "x"}', 'unknown key "answer"; known here: text, calls'),
        ('{"text": 1}', "text must be text in quotes"),
        ('{"calls": {}}', "calls must be a list of objects, each with tool and arguments"),
        ('{"calls": ["add"]}', "calls[0] must be an object with tool and arguments"),
        ('{"calls": [{"tol": "add"}]}', 'calls[0]: unknown key "tol"; did you mean "tool"?'),
        ('{"calls": [{"arguments": {}}]}', "calls[0] needs tool, the name of a tool in quotes"),
        (
            '{"calls": [{"tool": "add", "arguments": [1]}]}',
            "calls[0]: arguments must be an object, or text in quotes that is sent as it is",
        ),
        (f'{{"text": {"9" * 5000}}}', "holds a number of too many digits, or is nested too deeply"),
    ],
)
def test_what_is_no_such_object_is_said_in_one_sentence(text: str, problem: str) -> None:
    assert written_problem(text, native=True) == problem


@given(st.text(), CALLS)
def test_what_is_written_is_read_as_the_same_reply(text: str, calls: tuple[RawCall, ...]) -> None:
    written = write(text, calls, native=True)
    assert written_problem(written, native=True) == ""
    assert read_written(written, native=True) == Written(text, calls)


@given(st.text() | st.text().map(lambda text: "{" + text) | st.just("[" * 100_000) | st.just('{"a":' * 100_000))
def test_reading_never_raises(text: str) -> None:
    assert isinstance(read_written(text, native=True), Written)
    assert isinstance(written_problem(text, native=True), str)
