"""Reading and writing the text protocol."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.timing import assert_linear
from workbench.core.canonical import parse_object
from workbench.core.protocols import protocol
from workbench.core.values import ProtocolOptions, RawCall, Reading, ToolInfo

REPLIES = Path(__file__).parent.parent / "data" / "replies"
TEXT = protocol("text")
PROSE = "no ACTION or ANSWER found; reply with one."

HINTS = get_type_hints(ProtocolOptions)
SWITCHES = {name: get_args(HINTS[name]) or (True, False) for name in HINTS if name not in ("parallel", "execute")}
ALL_OPTIONS = [
    ProtocolOptions(**dict(zip(SWITCHES, choice, strict=True))) for choice in itertools.product(*SWITCHES.values())
]


def read(text: str, **options: Any) -> Reading:
    return TEXT.read(text, (), ProtocolOptions(**options))


def reply(name: str) -> str:
    return (REPLIES / name).read_text(encoding="utf-8")


def only_call(reading: Reading) -> tuple[str, dict[str, Any]]:
    assert reading.kind == "calls", reading
    (call,) = reading.calls
    value = parse_object(call.arguments).value
    assert value is not None, call
    return call.tool, value


# ---------------------------------------------------------------- replies as received


def test_invented_observation_and_answer_are_dropped_and_that_is_said() -> None:
    reading = read(reply("action-then-invented-answer.txt"))
    assert only_call(reading) == ("lookup_stock", {"store": "north"})
    assert reading.dropped == (
        "Only the first action of your reply was used; what stood after it was dropped, it was no observation."
    )


def test_a_draft_inside_thinking_is_no_action() -> None:
    reading = read(reply("draft-action-inside-think.txt"), several="all")
    assert only_call(reading) == ("read_note", {"id": 7})
    assert reading.dropped == ""


def test_thinking_that_is_never_closed_holds_no_action() -> None:
    assert read(reply("think-never-closed.txt")) == Reading(kind="malformed", problem=PROSE)


def test_raw_line_break_in_a_json_string_is_text() -> None:
    tool, arguments = only_call(read(reply("multi-line-json-raw-newline.txt")))
    assert tool == "write_note"
    assert arguments == {"path": "a.txt", "text": "first line\n\tsecond line", "tags": ["x", "y"]}


def test_names_with_hyphens_and_dots() -> None:
    assert only_call(read(reply("hyphenated-tool-name.txt"))) == ("note-search", {"q": "mugs"})
    assert only_call(read(reply("dotted-tool-name.txt"))) == ("files.read", {"path": "notes.txt"})


# ---------------------------------------------------------------- the plain protocol


def test_an_action_after_a_thought() -> None:
    reading = read('THOUGHT: I need Paris first.\nACTION: lookup_population {"city": "Paris"}')
    assert reading == Reading(kind="calls", calls=(RawCall("lookup_population", '{"city": "Paris"}'),))


def test_an_answer_after_a_thought_ends_the_run() -> None:
    assert read("THOUGHT: 2100000 + 9700000 = 11800000.\nANSWER: 11800000").answer == "11800000"


def test_prose_gets_the_correction() -> None:
    for text in ("I think it is 12 million.", "", "   \n", "The ANSWER: is 4", "answer: 4", "ACTION:", "ACTION: {}"):
        assert read(text) == Reading(kind="malformed", problem=PROSE)


def test_broken_arguments_are_a_call_with_a_problem_counted_from_their_start() -> None:
    reading = read('ACTION: add {"a": 1, "b":}')
    problem = "could not parse arguments as JSON: Expecting value: line 1 column 14 (char 13)"
    assert reading == Reading(kind="calls", calls=(RawCall("add", '{"a": 1, "b":}', problem=problem),))


@pytest.mark.parametrize(
    ("text", "arguments", "problem"),
    [
        ("ACTION: add [1, 2]", "[1, 2]", "arguments must be a JSON object, not a list"),
        ("ACTION: add 1 and 2\nmore", "1 and 2", "could not parse arguments as JSON: Extra data: line 1"),
        (
            'ACTION: add {"a": "b}\nOBSERVATION: 3',
            '{"a": "b}',
            "could not parse arguments as JSON: Unterminated string",
        ),
        ("ACTION: add {'a': 1}", "{'a': 1}", "could not parse arguments as JSON: Expecting property name"),
    ],
)
def test_arguments_that_are_no_object(text: str, arguments: str, problem: str) -> None:
    (call,) = read(text).calls
    assert call.tool == "add"
    assert call.arguments == arguments
    assert call.problem.startswith(problem)


@pytest.mark.parametrize(
    "text",
    [
        "ACTION: list_notes",
        "ACTION: list_notes {}",
        "ACTION:list_notes{}",
        "  \tACTION:   list_notes   \n\nI wait for the result.",
        "ACTION: list_notes {} and then I wait, {curly} or not.",
        "ACTION: list_notes\r\n",
        "ACTION:\nlist_notes\n{}",
        "ACTION: list_notes\n```json\n{}\n```",
        "</think>ACTION: list_notes {}",
        '<think>hm</think>ACTION: list_notes "{}"',
    ],
)
def test_ways_to_write_a_call_without_arguments(text: str) -> None:
    assert only_call(read(text)) == ("list_notes", {})


def test_a_name_on_a_later_line_is_one_only_before_its_arguments() -> None:
    assert only_call(read('ACTION:\nadd\n{"a": 1}')) == ("add", {"a": 1})
    assert read("ACTION:\nI will look it up.").problem == PROSE


def test_an_answer_of_several_lines_is_kept_whole() -> None:
    assert read("ANSWER: one\n\n- two\n  ACTION is a word here\nTHOUGHT: three\n").answer == (
        "one\n\n- two\n  ACTION is a word here\nTHOUGHT: three"
    )


def test_an_answer_ends_where_the_model_goes_on_to_invent() -> None:
    for mark in ("OBSERVATION: 5", "QUESTION: and Lima?", "ACTION: add {}", "ANSWER: 6"):
        reading = read(f"ANSWER: 4\n{mark}")
        assert reading.answer == "4"
        assert reading.dropped.startswith("Only the answer of your reply was used; what stood after it was dropped")


def test_an_empty_answer_is_no_answer() -> None:
    reading = read("THOUGHT: done\nANSWER:  \n")
    assert reading.kind == "malformed"
    assert "ANSWER is empty" in reading.problem


def test_a_mark_inside_a_json_string_is_text() -> None:
    text = 'ACTION: write_note {"text": "first\nANSWER: 4\nACTION: delete_note {}\n<think>"}'
    tool, arguments = only_call(read(text, several="all"))
    assert tool == "write_note"
    assert arguments["text"].endswith("<think>")


def test_a_question_repeated_at_the_head_is_passed_over_in_silence() -> None:
    assert read("QUESTION: Paris?\nACTION: list_notes {}").dropped == ""


def test_an_observation_invented_at_the_head_is_told() -> None:
    reading = read("OBSERVATION: 5\nACTION: list_notes {}")
    assert only_call(reading) == ("list_notes", {})
    assert reading.dropped.endswith("it was no observation.")


# ---------------------------------------------------------------- thinking


@pytest.mark.parametrize("tag", ["think", "thinking"])
def test_thinking_is_no_part_of_an_answer(tag: str) -> None:
    assert read(f"<{tag}>\nANSWER: 3\n</{tag}>\nANSWER: 4 <{tag}>or 5?</{tag}>mugs").answer == "4 mugs"
    assert read(f"ANSWER: 4\n<{tag}>\nor is it").answer == "4"
    assert read(f"ANSWER: 4\n<{tag}>x</{tag}>\nmugs\n<{tag}>").answer == "4\n\nmugs"


def test_thinking_whose_opening_tag_stands_in_the_prompt() -> None:
    reading = read('I could:\nACTION: delete_note {"id": 7}\n</think>\nANSWER: 4')
    assert reading == Reading(kind="answer", answer="4")


def test_a_tag_that_is_only_mentioned_stays_in_the_answer() -> None:
    assert read("ANSWER: models write <think> first").answer == "models write <think> first"
    assert read("ANSWER: <think> opens it,\nand nothing closes it").answer == "<think> opens it,\nand nothing closes it"


def test_text_after_unclosed_thinking_in_front_of_a_mark_is_hidden() -> None:
    assert read("Well <think> so\nACTION: delete_note {}").problem == PROSE


# ---------------------------------------------------------------- switches

A, B, DONE = 'ACTION: add {"a": 1}', 'ACTION: add {"b": 2}', "ANSWER: 3"


@pytest.mark.parametrize(
    ("both", "text", "kind"),
    [
        ("first", f"{A}\n{DONE}", "calls"),
        ("first", f"{DONE}\n{A}", "answer"),
        ("answer", f"{A}\n{DONE}", "answer"),
        ("answer", f"{DONE}\n{A}", "answer"),
        ("action", f"{A}\n{DONE}", "calls"),
        ("action", f"{DONE}\n{A}", "calls"),
        ("refuse", f"{A}\n{DONE}", "malformed"),
        ("refuse", f"{DONE}\n{A}", "malformed"),
    ],
)
def test_both_an_action_and_an_answer(both: str, text: str, kind: str) -> None:
    reading = read(text, both=both)
    assert reading.kind == kind
    assert bool(reading.dropped) == (kind != "malformed")
    assert bool(reading.problem) == (kind == "malformed")
    assert reading.answer == ("3" if kind == "answer" else "")


def test_refusing_both_takes_either_alone() -> None:
    assert read(A, both="refuse").kind == "calls"
    assert read(DONE, both="refuse").kind == "answer"


def test_several_actions() -> None:
    first = read(f"{A}\n{B}")
    assert [call.arguments for call in first.calls] == ['{"a": 1}']
    assert first.dropped == "Only the first action of your reply was used; what stood after it was dropped."
    every = read(f"{A}\n{B}", several="all")
    assert [call.arguments for call in every.calls] == ['{"a": 1}', '{"b": 2}']
    assert every.dropped == ""
    assert read(f"{A}\n{B}", several="refuse").problem == "found 2 ACTIONs; reply with one."
    assert read(A, several="refuse").kind == "calls"


def test_a_batch_ends_where_an_observation_is_invented() -> None:
    reading = read(f"{A}\n{A}\nOBSERVATION: 1\n{B}", several="all")
    assert len(reading.calls) == 2
    assert reading.dropped == (
        "Only the first 2 actions of your reply were used; what stood after them was dropped, it was no observation."
    )


def test_one_broken_action_of_a_batch_leaves_the_others_whole() -> None:
    reading = read(f'ACTION: add {{"a": \n{B}', several="all")
    assert [bool(call.problem) for call in reading.calls] == [True, False]


def test_json_over_several_lines_can_be_switched_off() -> None:
    spread = 'ACTION: add {\n"a": 1}'
    assert read(spread).kind == "calls"
    for text in (spread, "ACTION:\nadd {}", 'ACTION: add {"a": 1} please', "ACTION: add [1]", 'ACTION: add {"a": 1'):
        assert read(text, multiline=False).problem == PROSE
    assert read('ACTION: add {"a": 1}  \nmore', multiline=False).kind == "calls"
    (call,) = read('ACTION: add {"a": 1, "b":}', multiline=False).calls
    assert call.problem.endswith("(char 13)")
    assert read(f"{spread}\n{DONE}", multiline=False).answer == "3"


def test_names_can_be_held_to_word_characters() -> None:
    for text in ('ACTION: note-search {"q": "mugs"}', 'ACTION: files.read {"path": "a"}'):
        assert read(text, names="word").problem == PROSE
    assert only_call(read(A, names="word")) == ("add", {"a": 1})


def test_an_answer_does_not_end_a_run_that_ends_by_a_tool() -> None:
    assert "submit_answer" in read(DONE, finish="tool").problem
    assert "submit_answer" in read("prose", finish="tool").problem
    both = read(f"{DONE}\n{A}", finish="tool", both="answer")
    assert only_call(both) == ("add", {"a": 1})
    assert both.dropped
    assert only_call(read('ACTION: submit_answer {"answer": "3"}', finish="tool")) == ("submit_answer", {"answer": "3"})


def test_a_runaway_reply_is_cut_and_that_is_said() -> None:
    reading = read("ACTION: add {}\n" * 1000, several="all")
    assert len(reading.calls) == 200
    assert reading.dropped


# ---------------------------------------------------------------- the transcript


def test_characters_and_lines_seen_at_each_call_of_the_three_cities() -> None:
    replies = [f'ACTION: lookup_population {{"city": "{city}"}}' for city in ("Paris", "Lima", "Lagos")]
    transcript = [TEXT.user("Total population of Paris, Lima and Lagos?")]
    seen = ["\n".join(transcript)]
    for text, result in zip(replies, ("2100000", "9700000", "15400000"), strict=True):
        transcript += [text, TEXT.observation("lookup_population", result, is_error=False)]
        seen.append("\n".join(transcript))
    assert [len(text) for text in seen] == [52, 117, 181, 247]
    assert [len(text.splitlines()) for text in seen] == [1, 3, 5, 7]


def test_how_the_runtime_speaks() -> None:
    assert TEXT.observation("add", "no such tool", is_error=True) == "OBSERVATION: error: no such tool"
    assert TEXT.notice(PROSE, is_error=False) == f"OBSERVATION: {PROSE}"


def test_instructions_name_the_tools_and_follow_the_switches() -> None:
    tools = (ToolInfo(name="add", description="Add two numbers.", schema='{"type":"object"}'),)
    plain = TEXT.instructions(tools, ProtocolOptions())
    assert "add: Add two numbers." in plain
    assert '{"type":"object"}' in plain
    assert "ANSWER:" in plain
    by_tool = TEXT.instructions(tools, ProtocolOptions(finish="tool"))
    assert "submit_answer" in by_tool
    assert "ANSWER:" not in by_tool
    assert "on that line" in TEXT.instructions(tools, ProtocolOptions(multiline=False))
    assert TEXT.instructions(tools, ProtocolOptions(instructions=False)) == ""


def test_the_example_in_the_instructions_reads_as_a_call() -> None:
    example = [line for line in TEXT.instructions((), ProtocolOptions()).splitlines() if line.startswith("ACTION:")]
    assert only_call(read(example[0])) == ("tool_name", {"argument": "value"})


# ---------------------------------------------------------------- any text

pieces = st.sampled_from(
    [
        "ACTION:",
        "ANSWER:",
        "OBSERVATION:",
        "QUESTION:",
        "<think>",
        "</think>",
        "\n",
        " ",
        "{",
        "}",
        '"',
        "[",
        "\\",
        "a",
        ":",
        "1",
        "```",
    ]
)
hostile = st.lists(pieces, max_size=40).map("".join) | st.text(max_size=60)


@given(hostile, st.sampled_from(ALL_OPTIONS))
def test_reading_never_raises_and_is_the_same_every_time(text: str, options: ProtocolOptions) -> None:
    reading = TEXT.read(text, (), options)
    assert reading == TEXT.read(text, (), options)
    assert bool(reading.answer) == (reading.kind == "answer")
    assert bool(reading.calls) == (reading.kind == "calls")
    assert bool(reading.problem) == (reading.kind == "malformed")
    for call in reading.calls:
        assert call.problem == parse_object(call.arguments).problem


plain_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.from_regex(r"[^\s{]+", fullmatch=True),
    st.dictionaries(st.text(), plain_values, max_size=4),
    st.sampled_from([None, 2]),
    st.booleans(),
)
def test_an_action_written_is_the_action_read(
    tool: str, arguments: dict[str, Any], indent: int | None, ensure_ascii: bool
) -> None:
    written = (
        f"THOUGHT: so\nACTION: {tool} {json.dumps(arguments, indent=indent, ensure_ascii=ensure_ascii)}\nthat is all"
    )
    assert only_call(read(written)) == (tool, arguments)


# ---------------------------------------------------------------- time


@pytest.mark.parametrize(
    "unit",
    [
        "ACTION: add {",
        "ACTION: add {\n",
        "x",
        "[",
        "{",
        " ",
        " \n",
        "<think>",
        "ANSWER: <think>",
        "</think>\n",
        'ACTION: a {\\"\n',
        'ACTION: a {"x": "\n',
        "ANSWER:\n",
        "`",
    ],
)
@pytest.mark.parametrize(
    "options", [ProtocolOptions(), ProtocolOptions(several="all", both="answer")], ids=["first", "all"]
)
def test_any_reply_is_read_in_linear_time(unit: str, options: ProtocolOptions) -> None:
    def reading(size: int) -> Callable[[], object]:
        text = "ACTION: a {" * (unit in "[{") + unit * (size // len(unit)) + "\nANSWER: 4"
        return lambda: TEXT.read(text, (), options)

    assert_linear(reading, 400_000)
