from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.templates import TemplateError, compile_json, compile_text, fill, is_builtin, literal, names

VALUES = {"result1": "2100000", "word": "Paris", "quoted": '"Paris"', "odd": 'a "b"\\\n', "none": "null", "nan": "NaN"}


def filled(text: str) -> str:
    return fill(compile_text(text), VALUES.__getitem__)


def filled_json(value: Any) -> Any:
    return json.loads(fill(compile_json(value), VALUES.__getitem__), parse_int=str)


def test_a_slot_in_a_text_takes_the_value_as_it_is() -> None:
    assert filled('ACTION: add {"a": ${result1}, "b": 1}') == 'ACTION: add {"a": 2100000, "b": 1}'


def test_a_doubled_dollar_is_a_literal() -> None:
    assert filled("$${word} $$${word} ${word} $word {word}") == "${word} $${word} Paris $word {word}"


@pytest.mark.parametrize("text", ["${", "${}", "${ word }", "${a-b}", "${1}", "a ${word b"])
def test_a_slot_without_a_name_is_refused(text: str) -> None:
    with pytest.raises(TemplateError, match=r"\$\$\{"):
        compile_text(text)


def test_a_value_that_is_one_slot_keeps_its_json_type() -> None:
    assert filled_json({"a": "${result1}", "b": ["${word}", "${quoted}", "${none}"], "c": "${nan}"}) == {
        "a": "2100000",  # an int: `parse_int` shows its digits
        "b": ["Paris", "Paris", None],
        "c": "NaN",
    }
    assert fill(compile_json({"a": "${result1}"}), VALUES.__getitem__) == '{"a": 2100000}'


@pytest.mark.parametrize("content", ["1042", "null", "true", '{"a": 1}', "[1]", "A-1", 'a "b"'])
def test_where_only_text_fits_a_value_stays_the_text_that_it_is(content: str) -> None:
    text: dict[str, Any] = {"type": "string"}
    schema = {
        "properties": {
            "order": text,
            "note": {"type": ["string", "null"]},
            "tags": {"type": "array", "items": text},
            "count": {"type": "integer"},
            "either": {"anyOf": [{"type": "integer"}, text]},
        },
        "additionalProperties": text,
    }
    value = dict.fromkeys(("order", "note", "more"), "${x}") | {"tags": ["${x}"]}
    filled = json.loads(fill(compile_json(value, schema), lambda _: content))
    assert {key: filled[key] for key in ("order", "note", "more", "tags")} == {
        **dict.fromkeys(("order", "note", "more"), content),
        "tags": [content],
    }
    assert json.loads(fill(compile_json({"order": "${x}"}, schema), lambda _: f" {json.dumps(content)}")) == {
        "order": content
    }
    loose = {"count": "${x}", "either": "${x}"}
    assert fill(compile_json(loose, schema), lambda _: content) == fill(compile_json(loose), lambda _: content)


def test_a_slot_inside_a_longer_string_stays_text() -> None:
    assert filled_json({"a": "no. ${result1}: ${odd}"}) == {"a": 'no. 2100000: a "b"\\\n'}


def test_a_number_of_thousands_of_digits_goes_through_unchanged() -> None:
    digits = "9" * 5000
    assert fill(compile_json({"a": "${big}"}), {"big": digits}.__getitem__) == f'{{"a": {digits}}}'


def test_text_that_only_looks_like_json_becomes_a_string() -> None:
    deep = "[" * 100_000
    assert json.loads(fill(compile_json(["${deep}"]), {"deep": deep}.__getitem__)) == [deep]


def test_names_come_in_order_and_builtins_are_known() -> None:
    assert names(compile_text("${last} ${total} ${x} ${last}")) == ["last", "total", "x", "last"]
    assert [is_builtin(name) for name in ("last", "total", "result1", "result12", "result0", "result", "x")] == [
        *(True, True, True, True),
        *(False, False, False),
    ]


plain_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.text())
def test_escaped_text_comes_out_as_it_went_in(text: str) -> None:
    assert literal(compile_text(text.replace("${", "$${"))) == text


@given(plain_json.filter(lambda value: "${" not in json.dumps(value)))
def test_arguments_without_slots_are_plain_json(value: Any) -> None:
    assert json.loads(literal(compile_json(value))) == value


@given(st.text())
def test_any_content_gives_valid_json_in_both_forms(content: str) -> None:
    text = fill(compile_json({"whole": "${x}", "part": "(${x})"}), lambda _: content)
    assert json.loads(text, parse_int=str)["part"] == f"({content})"
