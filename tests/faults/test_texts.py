from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.faults.runs import fault
from tests.strategies import nasty_text
from tests.timing import assert_within
from workbench.faults.texts import INJECTED, MAX_FLOOD, altered, another_record, emptied

TEXT_KINDS: dict[str, dict[str, Any]] = {
    "replace": {"text": "other"},
    "append": {"text": "more"},
    "inject": {},
    "truncate": {},
    "garble": {},
    "duplicate": {},
    "reorder": {},
    "flood": {"size": 500},
    "wrong_number": {},
    "wrong_unit": {},
}
ROWS = '[{"id": "A-17", "km": 140}, {"id": "B-2", "km": 96}, {"id": "C-3", "km": 57}]'
NOTE = '\n… showing 3 of 214 rows; call again with cursor "c3"'


def changed(do: str, before: str, key: str = "k", /, **keys: Any) -> str:
    return altered(fault("result", do, **{**TEXT_KINDS[do], **keys}), before, key)


@given(
    st.sampled_from(sorted(TEXT_KINDS)),
    nasty_text()
    | st.text(st.sampled_from('0123456789.,-eE"\\{}[]: \nkm€°Ct'), max_size=40)
    | st.recursive(st.integers() | st.floats() | nasty_text(), lambda inner: st.lists(inner, max_size=4)).map(
        json.dumps
    ),
    st.text(max_size=4),
)
def test_any_text_can_be_struck_and_the_same_key_gives_the_same(do: str, text: str, key: str) -> None:
    item = fault("result", do, **TEXT_KINDS[do])
    after = altered(item, text, key)
    assert after == altered(item, text, key)
    assert another_record(text, key) == another_record(text, key)
    assert emptied(text) in ("", "[]", "{}", "null")


@pytest.mark.parametrize("do", sorted(TEXT_KINDS))
@pytest.mark.parametrize(
    "piece", ["0", '"', '\\"', "a b\n", "[", "1,", '{"a": [1, 2]}\n', "-", "km ", "\n… ", "1,234", "e9"], ids=repr
)
def test_long_texts_take_linear_time(do: str, piece: str) -> None:
    item = fault("result", do, **TEXT_KINDS[do])
    text = piece * (400_000 // len(piece))
    assert_within(2.0, lambda: (altered(item, text, "k"), another_record(text, "k")))


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("2100000", {"1200000", "2010000"}),
        ("-40.5", {"-45.0"}),
        ("7", {"8"}),
        ("9", {"8"}),
        ("0", {"1"}),
        ("99", {"89"}),
        ("10", {"20"}),
        ("1.5e10", {"5.1e10"}),
        ("ZRG-14 has 12 people", {"ZRG-14 has 21 people"}),
        ("about 2,100 people, or 3", {"about 1,200 people, or 3", "about 2,010 people, or 3"}),
        (ROWS, {ROWS.replace("140", "410"), ROWS.replace("140", "104")}),
        ('{"14": "on 2026", "n": 12}', {'{"14": "on 2026", "n": 21}'}),
        ('["12 mugs"]', {'["21 mugs"]'}),
        (f"[12, 3]{NOTE}", {f"[21, 3]{NOTE}"}),
        ("no figure here", {"no figure here"}),
    ],
)
def test_a_wrong_number_is_the_first_one_with_two_digits_swapped(text: str, wrong: set[str]) -> None:
    assert {changed("wrong_number", text, key) for key in "abcdefghijklmnop"} == wrong


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=3))
def test_a_wrong_number_is_another_number(number: float, key: str) -> None:
    text = json.dumps(number)
    wrong = changed("wrong_number", text, key)
    assert isinstance(json.loads(wrong), int | float)
    assert Decimal(wrong) != Decimal(text)


@pytest.mark.parametrize(
    ("text", "factor", "wrong"),
    [
        ("140", 10, "1400"),
        ("1,400 km", 10, "14000 km"),
        ("2.5", 10, "25"),
        ("140", 0.5, "70"),
        ("-3", 1000, "-3000"),
        ("[1, 2]", 10, "[10, 2]"),
        ("0", 10, "1"),
        ("140", float("inf"), "104"),
        ("1" + "0" * 5000, 10, "2" + "0" * 5000),
    ],
)
def test_a_factor_takes_the_place_of_the_swap(text: str, factor: float, wrong: str) -> None:
    assert changed("wrong_number", text, "b", value=factor) == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("140 km by road", "140 miles by road"),
        ("12 miles", "12 km"),
        ("5kg", "5lb"),
        ("21 °C outside", "21 °F outside"),
        ("12.50 €", "12.50 $"),
        ('{"distance_km": 140}', '{"distance_miles": 140}'),
        ("140 mugs", "140000 mugs"),
        ("[140, 3]", "[140000, 3]"),
        ("kmh is no unit here", "kmh is no unit here"),
    ],
)
def test_a_wrong_unit_is_another_label_or_a_factor_of_a_thousand(text: str, wrong: str) -> None:
    assert changed("wrong_unit", text) == wrong


# ---------------------------------------------------------------- records and order


def test_another_record_takes_the_place_of_the_first() -> None:
    rows = json.loads(ROWS)
    for key in "abcdef":
        after = json.loads(another_record(ROWS, key))
        assert after[1:] == rows[1:]
        assert after[0] in rows[1:]
    assert another_record('{"a": 1}', "k") == '{"a": 1}'
    assert another_record("[1, 1]", "k") == "[1, 1]"
    assert another_record(f'{{"rows": ["x", "y"]}}{NOTE}', "k") == f'{{"rows": ["y", "y"]}}{NOTE}'


@given(st.lists(st.integers(), min_size=2, max_size=8), st.text(max_size=3))
def test_reordering_keeps_the_items_and_changes_their_order(items: list[int], key: str) -> None:
    after = json.loads(changed("reorder", json.dumps({"rows": items}), key))["rows"]
    assert sorted(after) == sorted(items)
    assert (after != items) == (len(set(items)) > 1)


def test_without_a_list_lines_are_reordered_but_not_those_of_the_workbench() -> None:
    text = f"one\ntwo\nthree{NOTE}"
    after = changed("reorder", text)
    assert after.endswith(NOTE)
    lines = after.removesuffix(NOTE).split("\n")
    assert lines != ["one", "two", "three"]
    assert sorted(lines) == ["one", "three", "two"]
    assert changed("reorder", "140") == "140"


# ---------------------------------------------------------------- form


def test_garbling_keeps_the_length_and_the_blanks() -> None:
    text = "the quick brown fox jumps over the lazy dog, " * 20
    after = changed("garble", text)
    differing = [(a, b) for a, b in zip(text, after, strict=True) if a != b]
    assert 20 < len(differing) < 140
    assert not any(a.isspace() for a, _ in differing)
    assert changed("garble", "7") != "7"
    assert changed("garble", " \n") == " \n"


def test_cut_flooded_doubled_and_appended() -> None:
    assert changed("truncate", "abcdef") == "abc"
    assert changed("truncate", "abcdef", size=2) == "ab"
    assert changed("truncate", "abcdef", size=99) == "abcdef"
    assert changed("flood", "ab", size=7) == "ab\nab\na"
    assert changed("flood", "", size=4) == ".\n.\n"
    assert changed("flood", "abcdef", size=3) == "abcdef"
    assert len(changed("flood", "ab", size=10**15)) == MAX_FLOOD
    assert changed("duplicate", "ab") == "ab\nab"
    assert changed("append", "ab", text="c") == "ab\nc"
    assert changed("append", "", text="c") == "c"
    assert changed("inject", "ab") == f"ab\n\n{INJECTED}"
    assert changed("inject", "ab", text="c") == "ab\n\nc"


def test_a_replacement_is_a_text_or_a_value() -> None:
    assert altered(fault("result", "replace", text="x"), "ab", "k") == "x"
    assert altered(fault("result", "replace", value={"a": [1, "é"]}), "ab", "k") == '{"a": [1, "é"]}'


def test_nothing_is_left_of_the_same_type() -> None:
    assert [emptied(text) for text in ("[1]", '{"a": 1}', "140", '"x"', "words", "", f"[1]{NOTE}")] == [
        *("[]", "{}", "null", "null", "", "", "[]")
    ]
