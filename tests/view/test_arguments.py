from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import json_values
from tests.view.nasty import assert_drawable, rows_of, texts
from workbench.core.canonical import canonical
from workbench.core.events import Decided
from workbench.core.records import CallRecord
from workbench.core.values import Call
from workbench.view.arguments import (
    argument_lines,
    argument_rows,
    arguments_line,
    arguments_shown,
    brief,
    brief_line,
    one_line_arguments,
)
from workbench.view.entries import Span, line_text


def record_of(arguments: str, *, edited: str = "") -> CallRecord:
    decision = Decided(call="c1", decision="edit", arguments=edited) if edited else None
    return CallRecord(Call(id="c1", tool="create_refund", arguments=arguments), 1, 1, decision)


def test_arguments_are_shown_as_the_model_wrote_them_or_as_they_were_edited() -> None:
    assert arguments_shown(record_of(' {"amount": 62.5} ')) == '{"amount": 62.5}'
    assert arguments_shown(record_of('{"amount": 62.5}', edited='{"amount":6.25}')) == '{"amount":6.25}'


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ('{"b": 1, "a":2}', '{"b": 1, "a":2}'),
        ('{\n  "b": 1,\n  "a": "é"\n}', '{"b": 1, "a": "é"}'),
        ('{"text": "first\nsecond"}', '{"text": "first\\nsecond"}'),
        ('{"a":\n broken', '{"a":↵ broken'),
        ('{"n":\n NaN}', '{"n": NaN}'),
        ("", ""),
    ],
)
def test_arguments_on_one_line(written: str, line: str) -> None:
    assert arguments_line(Call(id="c1", tool="t", arguments=written)) == line


def test_one_line_hides_nothing() -> None:
    written = '{"path": "a' + " " * 40 + '; rm",\n "x": "\x1b[2K\u202e"}'
    assert one_line_arguments(record_of(written)) == '{"path": "a' + "·" * 40 + '; rm",↵ "x": "␛[2K⟨U+202E⟩"}'


@pytest.mark.parametrize(
    ("written", "room", "shown"),
    [
        ('{"order": "A-1042", "amount": 6.25}', 20, "A-1042, 6.25"),
        ('{"order": "A-1042", "amount": 6.25}', 8, "A-1042,…"),
        ('{"when": null, "items": [1, "x"], "text": "a\\nb"}', 30, 'null, [1, "x"], a↵b'),
        ("{}", 10, ""),
        ("", 10, ""),
        ("[1, 2]", 10, "[1, 2]"),
        ('{"a": ', 10, '{"a":'),
        ('{"n": 1' + "0" * 5000 + "}", 10, '{"n": 100…'),
        ('{"text": "' + "x" * 30_000 + '"}', 12, '{"text": "x…'),
    ],
)
def test_brief_names_the_values(written: str, room: int, shown: str) -> None:
    assert brief(record_of(written), room) == shown


def test_a_brief_line_is_coloured() -> None:
    assert brief_line(record_of('{"amount": 62.5}'), 14) == (Span('{"amount": '), Span("62", "changed"), Span("…"))


def test_arguments_that_fit_are_on_one_row_as_they_were_written() -> None:
    assert argument_rows('{"b":1,  "a":"x"}', 40, 4) == (
        [(Span('{"b":'), Span("1", "changed"), Span(',··"a":'), Span('"x"', "result"), Span("}"))],
        True,
    )


def test_others_have_a_key_a_line_and_say_what_is_left_out() -> None:
    text = json.dumps({f"key {n}": "two  blanks" for n in range(214)})
    rows, whole = argument_rows(text, 40, 4)
    assert (rows_of(rows), whole) == (
        ["{", '  "key 0": "two··blanks",', '  "key 1": "two··blanks",', "… 213 more lines, v shows all"],
        False,
    )
    assert len(argument_lines(text)) == 216
    assert argument_rows(text, 40, 216)[1]


def test_what_is_no_json_is_shown_as_it_is() -> None:
    written = '{"order":  \n  oops'
    assert argument_rows(written, 40, 4) == ([(Span('{"order":··↵··oops'),)], True)
    assert rows_of(argument_rows(written, 12, 4)[0]) == ['{"order":··', "··oops"]
    assert rows_of(argument_lines("")) == ["{}"]
    assert argument_rows("", 40, 4) == ([()], True)


def test_a_number_of_thousands_of_digits_is_shown_as_text() -> None:
    rows, whole = argument_rows('{"n": 1' + "0" * 5000 + "}", 40, 3)
    assert not whole
    assert line_text(rows[-1]) == "… 4,963 more characters, v shows all"


@given(
    st.dictionaries(texts(), json_values(), max_size=4).map(canonical) | texts(), st.integers(12, 60), st.integers(1, 9)
)
def test_rows_of_any_arguments_can_be_drawn(text: str, width: int, rows: int) -> None:
    shown, whole = argument_rows(text, width, rows)
    assert_drawable(shown, width)
    assert len(shown) <= max(rows, 1)
    every = argument_lines(text, width)
    assert_drawable(every, 10**9)
    if whole and len(text) > width:
        assert "".join(rows_of(shown)).replace(" ", "") == "".join(rows_of(every)).replace(" ", "")


@given(st.dictionaries(texts(), json_values(), max_size=4))
def test_indentation_is_ours_and_all_other_runs_of_blanks_are_seen(value: dict[str, object]) -> None:
    for row in rows_of(argument_lines(canonical(value))):
        assert "  " not in row.lstrip(" ")
