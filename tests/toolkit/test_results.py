"""What a tool gave back becomes text of bounded size that a model can read, and nothing is lost silently."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.values import ToolInfo
from workbench.toolkit.errors import ToolError
from workbench.toolkit.results import Result, cut, defect, failed, ran, readable
from workbench.toolkit.sizes import MAX_DETAIL_CHARS, MAX_VALUE_CHARS

OUTPUTS = Path(__file__).parents[1] / "data" / "outputs"
INFO = ToolInfo(name="look")


@pytest.mark.parametrize(
    ("result", "content", "value"),
    [
        ("plain", "plain", ""),
        ("", "", ""),
        (2_100_000, "2100000", "2100000"),
        (11_800_000.0, "11800000.0", "11800000.0"),
        (True, "true", "true"),
        (None, "null", "null"),
        ({"warehouse": "north", "blue_mugs": 140}, '{"warehouse": "north", "blue_mugs": 140}', None),
        ([1, None, "None", ""], '[1, null, "None", ""]', None),
        (b"caf\xc3\xa9", "café", ""),
        (10**20, "100000000000000000000", None),
    ],
)
def test_a_result_is_text_and_a_structured_one_is_kept_as_json(result: Any, content: str, value: str | None) -> None:
    outcome = ran(INFO, result)
    assert (outcome.outcome, outcome.content, outcome.full_chars) == ("ran", content, 0)
    assert outcome.value == (content if value is None else value)


def test_nan_and_infinity_are_shown_and_come_back() -> None:
    result = json.loads((OUTPUTS / "nan-result.json").read_text())
    outcome = ran(INFO, result)
    assert outcome.content == '{"mean": NaN, "max": Infinity, "min": -Infinity, "n": 0}'
    back = json.loads(outcome.value)
    assert math.isnan(back["mean"])
    assert (back["max"], back["min"]) == (math.inf, -math.inf)
    assert json.loads(json.dumps({"content": outcome.content}, allow_nan=False))["content"] == outcome.content


def test_null_stays_in_its_places() -> None:
    result = json.loads((OUTPUTS / "null-values.json").read_text())
    outcome = ran(INFO, result)
    assert json.loads(outcome.content) == json.loads(outcome.value) == result
    assert result["b"] == [1, None, "None", ""]


def test_text_that_looks_like_markup_passes_letter_for_letter() -> None:
    for line in (OUTPUTS / "markup-like-text.txt").read_text().splitlines():
        assert ran(INFO, line).content == line


def test_terminal_escapes_are_kept_for_the_record() -> None:
    data = (OUTPUTS / "terminal-escapes.bin").read_bytes()
    assert ran(INFO, data).content == data.decode()
    assert "\x1b[2J" in ran(INFO, data).content


def test_bytes_that_are_no_text_are_shown_in_place_with_a_note() -> None:
    outcome = ran(INFO, (OUTPUTS / "invalid-utf8.bin").read_bytes())
    assert outcome.content == (
        "first line ok\nbad \ufffd\ufffd\ufffd bytes\nlatin1 caf\ufffd\ncut emoji \ufffd\ufffd\ufffd\nnul ␀ here\n"
        'last line ok é\n\n… shown in place: 7 × "\ufffd" for bytes that are not UTF-8 text, 1 × "␀" for NUL'
    )
    outcome.content.encode()


def test_lone_surrogates_are_shown_in_place() -> None:
    assert ran(INFO, "half \ud83d emoji 🙂").content.startswith("half \ufffd emoji 🙂\n… shown in place: 1 ×")
    outcome = ran(INFO, {"text": "half \ud83d"})
    outcome.content.encode()
    outcome.value.encode()
    assert failed(INFO, ToolError("no \udcff file")).content.startswith("no \ufffd file\n…")


def test_what_json_cannot_hold_is_readable_but_no_value() -> None:
    assert ran(INFO, {(1, 2): "x"}).content == "{(1, 2): 'x'}"
    assert ran(INFO, {(1, 2): "x"}).value == ""
    assert ran(INFO, 10**5000).value == ""
    circle: list[Any] = []
    circle.append(circle)
    assert ran(INFO, circle).value == ""


def test_a_text_within_the_limits_is_left_alone() -> None:
    info = ToolInfo(name="look", max_chars=6, max_lines=2)
    for text in ("", "123456", "1\n2", "1\n2\n", "\n\n"):
        assert cut(text, info) == (text, 0)


def test_a_long_text_is_cut_by_characters_and_says_so() -> None:
    outcome = ran(ToolInfo(name="look", max_chars=8000), "x" * 52_113)
    assert outcome.content == "x" * 8000 + "\n… cut: showing 8,000 of 52,113 characters; ask for a narrower part"
    assert outcome.full_chars == 52_113


def test_a_text_of_many_lines_is_cut_by_lines_and_says_so() -> None:
    outcome = ran(ToolInfo(name="look", max_lines=3), "a\n" * 500)
    assert outcome.content == "a\na\na\n… cut: showing 3 of 500 lines; ask for a narrower part"
    assert outcome.full_chars == 1000


def test_one_line_of_a_megabyte_does_not_slip_through_the_limit_of_lines() -> None:
    outcome = ran(INFO, "x" * 1_000_000)
    assert len(outcome.content) < 8_100
    assert outcome.full_chars == 1_000_000


def test_a_page_says_how_many_rows_and_how_to_go_on() -> None:
    outcome = ran(INFO, Result({"rows": [1, 2]}, cursor='p"2', shown=2, total=1214))
    assert outcome.content == '{"rows": [1, 2]}\n… showing 2 of 1,214 rows; call again with cursor "p\\"2"'
    assert outcome.value == '{"rows": [1, 2]}'
    assert outcome.cursor == 'p"2'
    assert ran(INFO, Result("all of it")).content == "all of it"
    assert ran(INFO, Result("end", shown=4, total=214)).content == "end\n… showing 4 of 214 rows"
    assert ran(INFO, Result("x", cursor="c")).content == 'x\n… showing a part; call again with cursor "c"'


def test_a_cut_page_keeps_its_cursor_in_sight() -> None:
    outcome = ran(ToolInfo(name="look", max_chars=4), Result("123456", cursor="c2", shown=1, total=9))
    assert outcome.content == (
        '1234\n… cut: showing 4 of 6 characters; ask for a narrower part, or call again with cursor "c2"\n'
        '… showing 1 of 9 rows; call again with cursor "c2"'
    )


def test_a_huge_structured_result_is_kept_as_its_text_alone() -> None:
    assert ran(INFO, ["x" * MAX_VALUE_CHARS]).value == ""
    assert json.loads(ran(INFO, ["x" * 20_000]).value) == ["x" * 20_000]


def test_a_tool_error_is_the_text_and_the_advice() -> None:
    outcome = failed(INFO, ToolError("Unknown city.", retry=False))
    assert (outcome.outcome, outcome.content, outcome.retry) == ("failed", "Unknown city.", False)
    assert failed(INFO, ToolError("x" * 9000)).full_chars == 9000


def test_a_defect_tells_the_operator_everything_and_the_model_nothing() -> None:
    try:
        raise ValueError("password=hunter2")
    except ValueError as error:
        outcome = defect(INFO, error)
    assert outcome.outcome == "defect"
    assert "hunter2" in outcome.detail
    assert "test_results.py" in outcome.detail
    assert "hunter2" not in outcome.content
    assert outcome.content == "look is broken and did not finish; no other arguments would help."


def test_a_long_traceback_keeps_its_end() -> None:
    outcome = defect(INFO, ValueError("x" * MAX_DETAIL_CHARS + " the cause"))
    assert outcome.detail.endswith("the cause\n")
    assert len(outcome.detail) == MAX_DETAIL_CHARS


@given(
    st.text(alphabet=st.characters(exclude_categories=(), exclude_characters="…"), max_size=60),
    st.integers(1, 20),
    st.integers(1, 5),
)
def test_any_text_comes_out_valid_and_bounded(text: str, chars: int, lines: int) -> None:
    outcome = ran(ToolInfo(name="look", max_chars=chars, max_lines=lines), text)
    outcome.content.encode()
    body, _, note = outcome.content.partition("\n… ")
    assert "\0" not in outcome.content
    if not note:
        assert outcome.content == text
    assert len(body) <= chars
    assert body.count("\n") <= lines
    assert readable(readable(text)[0]) == (readable(text)[0], "")
