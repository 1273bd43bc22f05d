from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.timing import assert_within
from workbench.tui.transcript.wrap import count_rows, cuts, shown

LETTERS = [
    "a",
    "b",
    " ",
    "  ",
    "é",
    "e\u0301",
    "漢",
    "字",
    "👨\u200d👩\u200d👧",
    "❤\ufe0f",
    "❤",
    "🇩🇪",
    "\t",
    "\x1b",
    "\u202e",
    "—",
]
LINES = st.lists(st.sampled_from(LETTERS), max_size=60).map("".join)


def rows(line: str, width: int) -> list[str]:
    text = shown(line)
    at = [0, *cuts(text, width), len(text)]
    return [text[start:end].rstrip(" ") for start, end in itertools.pairwise(at)]


@pytest.mark.parametrize(
    ("line", "width", "expected"),
    [
        ("one two three", 8, ["one two", "three"]),
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 13, ["one two three"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("to abcdefghij", 4, ["to", "abcd", "efgh", "ij"]),
        ("漢字と仮名", 4, ["漢字", "と仮", "名"]),
        ("漢字と仮名", 5, ["漢字", "と仮", "名"]),
        ("ab 漢字 cd", 5, ["ab 漢", "字 cd"]),
        ("see 👨\u200d👩\u200d👧", 4, ["see", "👨\u200d👩\u200d👧"]),
        ("xxx e\u0301e\u0301", 4, ["xxx", "e\u0301e\u0301"]),
        ("naïve — café", 7, ["naïve —", "café"]),
        ("abcd ", 4, ["abcd"]),
        ("", 4, [""]),
    ],
)
def test_rows(line: str, width: int, expected: list[str]) -> None:
    assert rows(line, width) == expected


@given(LINES, st.integers(2, 20))
def test_no_row_is_too_wide_and_no_character_is_lost(line: str, width: int) -> None:
    text = shown(line)
    assert "".join(row.replace(" ", "") for row in rows(line, width)) == text.replace(" ", "")
    assert all(cell_len(row) <= width for row in rows(line, width))


@given(st.text("ab ", max_size=80), st.integers(1, 12))
def test_wide_and_narrow_text_wrap_by_the_same_rules(line: str, width: int) -> None:
    """A wide character at the very end, on a line of its own, sends the whole line the slow way."""
    marked = f"{line} {'漢' * 12}"
    slow = [cut for cut in cuts(marked, width) if cut < len(line)]
    assert slow == [cut for cut in cuts(f"{line} {'x' * 24}", width) if cut < len(line)]


@given(st.lists(LINES, min_size=1, max_size=8), st.integers(2, 15), st.integers(0, 6))
def test_folding_shows_so_many_rows_and_one_more(lines: list[str], width: int, fold_at: int) -> None:
    text = "\n".join(lines)
    whole = count_rows(text, width)
    assert whole == sum(len(rows(line, width)) for line in lines)
    assert count_rows(text, width, fold_at) == (min(whole, fold_at + 1))


@pytest.mark.parametrize("text", ["x" * 1_000_000, "ab " * 300_000, " " * 25_000, "\n" * 1_000_000, "漢" * 300_000])
def test_a_megabyte_is_folded_in_no_time(text: str) -> None:
    assert count_rows(text, 55, 12) == 13
    assert_within(0.1, lambda: count_rows(text, 55, 12))


def test_a_shown_line_is_one_row_of_the_terminal() -> None:
    assert shown("a\nb\r") == "a␊b␍"
