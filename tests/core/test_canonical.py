"""One spelling per value, lenient arguments, results as text."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.timing import assert_within
from workbench.core.canonical import MAX_DEPTH, canonical, digest, parse_object, plain_json

any_text = st.text(st.characters(exclude_categories=()), max_size=80)


def json_values(text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats() | text,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
        max_leaves=12,
    )


def nested(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


@given(st.dictionaries(any_text, json_values(any_text), max_size=5))
def test_canonical_does_not_depend_on_key_order_and_always_encodes(value: dict[str, Any]) -> None:
    text = canonical(value)
    assert text == canonical(dict(reversed(value.items())))
    assert text.encode()


@given(json_values(st.text()))
def test_canonical_text_reads_back_to_the_same_canonical_text(value: Any) -> None:
    text = canonical(value)
    assert canonical(json.loads(text)) == text
    assert "\n" not in text


def test_canonical_spelling() -> None:
    assert canonical({"b": [1, 2.5], "a": "é"}) == '{"a":"é","b":[1,2.5]}'
    assert canonical([math.nan, math.inf, -math.inf]) == "[NaN,Infinity,-Infinity]"
    assert canonical("half \ud83d emoji") == '"half \\ud83d emoji"'
    assert json.loads(canonical("half \ud83d emoji")) == "half \ud83d emoji"


def test_canonical_refuses_what_is_no_json_value() -> None:
    with pytest.raises(TypeError):
        canonical({"a": object()})


def test_digest_is_short_stable_and_knows_where_parts_end() -> None:
    assert digest("run", "{}") == digest("run", "{}")
    assert len(digest()) == 16
    assert int(digest("\ud83d"), 16) >= 0
    assert len({digest("ab", "c"), digest("a", "bc"), digest("abc"), digest("abc", ""), digest()}) == 5


def test_results_are_shown_as_a_model_reads_them() -> None:
    assert plain_json("as it is\n") == "as it is\n"
    assert plain_json({"a": 1, "b": [True, None, "é"]}) == '{"a": 1, "b": [true, null, "é"]}'
    assert plain_json(2100000) == "2100000"
    assert plain_json(None) == "null"
    assert plain_json((1, 2)) == "[1, 2]"
    assert plain_json(Path("notes/a.txt")) == str(Path("notes/a.txt"))
    assert plain_json([Path("a"), b"caf\xc3\xa9"]) == '["a", "café"]'
    assert plain_json({(1, 2): 3}) == "{(1, 2): 3}"


def test_nan_and_infinity_are_shown_by_name() -> None:
    value = {"mean": math.nan, "max": math.inf, "min": -math.inf, "n": 0}
    assert plain_json(value) == '{"mean": NaN, "max": Infinity, "min": -Infinity, "n": 0}'


def test_bad_bytes_are_visible_and_counted() -> None:
    shown = plain_json(b"good \xe2\x82\xac\nbad \xff\xfe bytes\nreal \xef\xbf\xbd mark\n")
    assert "good €" in shown
    assert "bad \ufffd\ufffd bytes" in shown
    assert shown.endswith("(note: 2 \ufffd stand for bytes that are not UTF-8)")
    assert plain_json(b"clean") == "clean"


def test_results_that_json_cannot_hold_still_become_text() -> None:
    assert plain_json(10**5000) == "1" + "0" * 5000
    assert "bits" in plain_json(1 << 1_000_000)
    circle: list[Any] = [1]
    circle.append(circle)
    assert plain_json(circle) == "[1, [...]]"
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert "cannot be written out" in plain_json(deep)
    assert "cannot be written out" in plain_json([10**5000])
    while deep:  # taken apart from the outside, so that no deep structure is left to be freed at once
        deep = deep[0]


@given(json_values(st.text()).filter(lambda value: not isinstance(value, str)))
def test_shown_json_values_read_back(value: Any) -> None:
    assert canonical(json.loads(plain_json(value))) == canonical(value)


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "{}", " {} "])
def test_nothing_is_no_arguments(text: str) -> None:
    assert parse_object(text).value == {}
    assert parse_object(text).problem == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": 1, "b":}', "could not parse arguments as JSON: Expecting value: line 1 column 14 (char 13)"),
        ('{"a": 1} x', "could not parse arguments as JSON: Extra data: line 1 column 10 (char 9)"),
        ("[1, 2]", "arguments must be a JSON object, not a list"),
        ('"word"', "arguments must be a JSON object, not a string"),
        ("3", "arguments must be a JSON object, not a number"),
        ("true", "arguments must be a JSON object, not a boolean"),
        ("null", "arguments must be a JSON object, not null"),
        ('"[1]"', "arguments must be a JSON object, not a string"),
        ('{"a": ' + "1" * 5000 + "}", "could not parse arguments as JSON: a number in them has too many digits"),
        (nested(MAX_DEPTH + 1), "arguments are nested too deeply; at most 64 levels are read"),
        (nested(100_000), "arguments are nested too deeply; at most 64 levels are read"),
        ("[" * 100_000, "arguments are nested too deeply; at most 64 levels are read"),
    ],
)
def test_what_is_wrong_with_arguments_is_said(text: str, problem: str) -> None:
    parsed = parse_object(text)
    assert parsed.value is None
    assert parsed.problem == problem


def test_arguments_may_be_nested_to_the_limit() -> None:
    assert parse_object(nested(MAX_DEPTH)).problem == ""
    assert parse_object('{"code": "' + "[{" * 500 + '", "list": [' + "[],[]," * 100 + "[]]}").problem == ""


def test_raw_line_breaks_and_tabs_in_strings_are_taken() -> None:
    assert parse_object('{"text": "one\n\ttwo"}').value == {"text": "one\n\ttwo"}


def test_arguments_encoded_twice_are_unwrapped_and_noted() -> None:
    parsed = parse_object(r'"{\"path\": \"notes.txt\"}"')
    assert parsed.value == {"path": "notes.txt"}
    assert parsed.note == "the arguments were encoded twice"
    assert parse_object('{"path": "notes.txt"}').note == ""
    assert parse_object(r'"{\"path\": }"').problem.startswith("could not parse arguments as JSON: Expecting value")


def test_lone_surrogates_in_arguments_have_a_canonical_spelling() -> None:
    value = parse_object(r'{"text": "half \ud83d emoji"}').value
    assert value == {"text": "half \ud83d emoji"}
    assert canonical(value).encode() == rb'{"text":"half \ud83d emoji"}'


@given(any_text | st.text('{}[]":,\\ \n01ean-.', max_size=60))
def test_parsing_never_raises_and_gives_a_value_or_a_problem(text: str) -> None:
    parsed = parse_object(text)
    assert (parsed.value is None) == bool(parsed.problem)


@given(st.dictionaries(st.text(), json_values(st.text()), max_size=5))
def test_any_object_is_read_from_its_canonical_text(value: dict[str, Any]) -> None:
    parsed = parse_object(canonical(value))
    assert parsed.problem == ""
    assert canonical(parsed.value) == canonical(value)


@pytest.mark.parametrize(
    "text",
    ['{"a":[' + "[]," * 300_000 + "[]]}", '{"a":"' + "x" * 1_000_000, "[" * 1_000_000],
    ids=["wide", "unterminated", "deep"],
)
def test_a_megabyte_of_arguments_is_read_in_no_time(text: str) -> None:
    assert_within(1.0, lambda: parse_object(text))
