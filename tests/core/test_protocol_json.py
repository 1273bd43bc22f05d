"""Reading and writing the json protocol."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.timing import assert_linear
from workbench.core.canonical import parse_object
from workbench.core.protocols import protocol
from workbench.core.values import ProtocolOptions, RawCall, Reading, ToolInfo

REPLIES = Path(__file__).parent.parent / "data" / "replies"
JSON = protocol("json")

READ = '{"type": "tool", "tool": "read_note", "input": {"path": "a.txt"}}'
LIST = '{"type": "tool", "tool": "list_notes"}'
DONE = '{"type": "answer", "text": "4 mugs"}'


def read(text: str, **options: Any) -> Reading:
    return JSON.read(text, (), ProtocolOptions(**options))


def tools_of(reading: Reading) -> list[str]:
    return [call.tool for call in reading.calls]


def test_braces_in_strings_and_in_the_prose_after_it() -> None:
    reading = read((REPLIES / "json-then-prose-with-braces.txt").read_text(encoding="utf-8"))
    (call,) = reading.calls
    assert call.tool == "read_note"
    assert json.loads(call.arguments) == {"path": "a{b}.txt", "filter": {"tags": ["x}", "{y"]}}
    assert call.problem == reading.dropped == ""


def test_an_answer_written_before_the_observation_is_dropped_and_that_is_said() -> None:
    reading = read((REPLIES / "two-json-objects.txt").read_text(encoding="utf-8"))
    assert reading.calls == (RawCall("read_note", '{"path": "a.txt"}'),)
    assert reading.dropped == "Only the first action of your reply was used; what stood after it was dropped."


@pytest.mark.parametrize(
    "text",
    [
        READ,
        f"I will look.\n```json\n{READ}\n```\nDone.",
        f'Sets are {{a, b}} and {{}}, dicts {{"a": b}}.\n{READ}',
        f"<think>\n{LIST}\n</think>{READ}",
        f"{LIST}\n</think>\n{READ}",
        json.dumps(json.loads(READ), indent=2),
        f"[{READ}]",
    ],
)
def test_the_object_is_found_in_what_stands_around_it(text: str) -> None:
    reading = read(text)
    assert reading.calls == (RawCall("read_note", '{"path": "a.txt"}'),)
    assert reading.dropped == ""


def test_an_answer() -> None:
    assert read(DONE) == Reading(kind="answer", answer="4 mugs")
    assert read('{"type": "answer", "text": 4}').answer == "4"
    assert read('{"type": "answer", "text": "one\ntwo"}').answer == "one\ntwo"


def test_a_call_without_input_has_no_arguments() -> None:
    assert read(LIST).calls == (RawCall("list_notes", ""),)


def test_input_that_is_no_object_is_a_problem_of_the_call() -> None:
    (call,) = read('{"type": "tool", "tool": "add", "input": [1, 2]}').calls
    assert call.problem == "arguments must be a JSON object, not a list"


def test_input_encoded_twice_is_left_for_the_parser_of_arguments() -> None:
    (call,) = read(r'{"type": "tool", "tool": "add", "input": "{\"a\": 1}"}').calls
    assert call.problem == ""
    assert parse_object(call.arguments).note == "the arguments were encoded twice"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The sum is 4.", "no tool or answer object found"),
        ("", "no tool or answer object found"),
        ('{"tool": "add", "input": {}}', "no tool or answer object found"),
        (f'{{"reply": {READ}}}', "no tool or answer object found"),
        ("<think>" + DONE, "no tool or answer object found"),
        ('{"type": "tool", "tool": "add", "input": {"a": }}', "Expecting value: line 1 column 48 (char 47)"),
        ('{"type": "tool", "input": {}}', "names no tool"),
        ('{"type": "tool", "tool": "add", "args": {"a": 1}}', 'no "input" but ["args"]'),
        ('{"type": "answer"}', "has no text"),
        ('{"type": "answer", "text": " "}', "has no text"),
        ('{"type": "tool", "tool": "add", "input": {"a": ' + "[" * 100_000, "too many digits or levels"),
        ('{"type": "tool", "tool": "add", "input": {"a": ' + "1" * 5000 + "}}", "too many digits or levels"),
    ],
)
def test_what_cannot_be_read_gets_a_correction(text: str, said: str) -> None:
    reading = read(text)
    assert reading.kind == "malformed"
    assert said in reading.problem


def test_nesting_beyond_what_arguments_may_have_is_a_problem_of_the_call() -> None:
    (call,) = read('{"type": "tool", "tool": "add", "input": ' + '{"a":' * 70 + "1" + "}" * 71).calls
    assert "nested too deeply" in call.problem


def test_an_answer_after_a_broken_call_is_not_believed() -> None:
    reading = read('{"type": "tool", "tool": "add", "input": {"a": }}\n' + DONE)
    assert reading.kind == "malformed"


def test_a_result_of_the_models_own_is_dropped() -> None:
    reading = read(f'{LIST}\n{{"type": "result", "tool": "list_notes", "content": "a"}}\n{READ}', several="all")
    assert tools_of(reading) == ["list_notes"]
    assert reading.dropped.endswith("it was no observation.")


# ---------------------------------------------------------------- switches


@pytest.mark.parametrize(
    ("both", "text", "kind"),
    [
        ("first", READ + DONE, "calls"),
        ("first", DONE + READ, "answer"),
        ("answer", READ + DONE, "answer"),
        ("action", DONE + READ, "calls"),
        ("refuse", READ + DONE, "malformed"),
    ],
)
def test_both_a_call_and_an_answer(both: str, text: str, kind: str) -> None:
    assert read(text, both=both).kind == kind


def test_several_calls() -> None:
    assert tools_of(read(READ + LIST)) == ["read_note"]
    assert tools_of(read(READ + LIST, several="all")) == ["read_note", "list_notes"]
    assert read(READ + LIST, several="refuse").problem == "found 2 tool objects; reply with one."


def test_an_object_over_several_lines_can_be_switched_off() -> None:
    spread = json.dumps(json.loads(READ), indent=2)
    assert read(spread, multiline=False).kind == "malformed"
    assert tools_of(read(f"so:\n{READ}", multiline=False)) == ["read_note"]


def test_names_can_be_held_to_word_characters() -> None:
    hyphenated = '{"type": "tool", "tool": "note-search", "input": {}}'
    assert tools_of(read(hyphenated)) == ["note-search"]
    assert read(hyphenated, names="word").kind == "malformed"


def test_an_answer_does_not_end_a_run_that_ends_by_a_tool() -> None:
    assert "submit_answer" in read(DONE, finish="tool").problem
    assert "submit_answer" in read("prose", finish="tool").problem
    assert tools_of(read(DONE + READ, finish="tool")) == ["read_note"]


# ---------------------------------------------------------------- the transcript


def test_how_the_runtime_speaks() -> None:
    assert JSON.user("Paris?") == "Paris?"
    assert (
        JSON.observation("add", "one\ntwo", is_error=False)
        == '{"type": "result", "tool": "add", "content": "one\\ntwo"}'
    )
    assert JSON.observation("add", "no", is_error=True) == '{"type": "error", "tool": "add", "content": "no"}'
    assert JSON.notice("reply with one", is_error=False) == '{"type": "notice", "text": "reply with one"}'
    assert JSON.observation("add", "half \ud83d", is_error=False).encode()


def test_instructions_show_objects_that_read_as_what_they_teach() -> None:
    tools = (ToolInfo(name="add", description="Add two numbers."),)
    text = JSON.instructions(tools, ProtocolOptions())
    assert "add: Add two numbers." in text
    lines = [line for line in text.splitlines() if line.startswith("{")]
    assert [read(line).kind for line in lines] == ["calls", "answer"]
    by_tool = JSON.instructions(tools, ProtocolOptions(finish="tool"))
    assert "submit_answer" in by_tool
    assert '"answer"' not in by_tool
    assert JSON.instructions(tools, ProtocolOptions(instructions=False)) == ""


@pytest.mark.parametrize("text", ["prose", DONE])
def test_corrections_show_objects_that_can_be_read(text: str) -> None:
    problem = read(text, finish="tool").problem
    assert read(problem[problem.index("{") :], finish="tool").kind == "calls"


# ---------------------------------------------------------------- any text

pieces = st.sampled_from(
    [
        READ,
        LIST,
        DONE,
        '{"type": "tool", ',
        '"tool"',
        '{"a": ',
        "{",
        "}",
        "[",
        "]",
        '"',
        ":",
        ",",
        "\\",
        "1",
        "\n",
        " ",
        "<think>",
        "</think>",
        "```",
    ]
)
hostile = st.lists(pieces, max_size=30).map("".join) | st.text(max_size=60)


@given(
    hostile,
    st.builds(
        ProtocolOptions,
        both=st.sampled_from(["first", "answer", "action", "refuse"]),
        several=st.sampled_from(["first", "all", "refuse"]),
        multiline=st.booleans(),
        names=st.sampled_from(["any", "word"]),
        finish=st.sampled_from(["text", "tool"]),
    ),
)
def test_reading_never_raises_and_is_the_same_every_time(text: str, options: ProtocolOptions) -> None:
    reading = JSON.read(text, (), options)
    assert reading == JSON.read(text, (), options)
    assert bool(reading.answer) == (reading.kind == "answer")
    assert bool(reading.calls) == (reading.kind == "calls")
    assert bool(reading.problem) == (reading.kind == "malformed")


@given(st.text(min_size=1).filter(str.strip), st.dictionaries(st.text(), st.text() | st.integers(), max_size=4))
def test_a_call_written_is_the_call_read(tool: str, arguments: dict[str, Any]) -> None:
    written = json.dumps({"type": "tool", "tool": tool, "input": arguments})
    (call,) = read(f"So:\n{written}\nthat is all").calls
    assert (call.tool, json.loads(call.arguments)) == (tool, arguments)


@pytest.mark.parametrize(
    "unit", ["x", "{", "[", " ", '{"', '{"a":', '{"a": x ', "{} ", LIST + " ", "<think>", "</think>\n"]
)
def test_any_reply_is_read_in_linear_time(unit: str) -> None:
    def reading(size: int) -> Callable[[], object]:
        text = unit * (size // len(unit)) + DONE
        return lambda: JSON.read(text, (), ProtocolOptions(several="all"))

    assert_linear(reading, 400_000)
