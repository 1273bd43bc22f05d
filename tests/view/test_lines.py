from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.view.nasty import rows_of, texts
from workbench.view.entries import Line, Span, line_text
from workbench.view.lines import (
    clip,
    cut,
    cut_line,
    fitted,
    heading,
    line_cells,
    one_line,
    pad,
    text_rows,
    within,
    wrap,
    wrapped,
)
from workbench.view.visible import cells, visible

FAMILY = "👨\u200d👩\u200d👧"
LETTERS = st.lists(st.sampled_from(["a", "b ", " ", "é", "e\u0301", "漢", FAMILY, "❤\ufe0f", "👍🏽", "-"]), max_size=40)
ROOMS = st.integers(0, 30)


def plain(text: str) -> Line:
    return (Span(text),)


# ---------------------------------------------------------------- texts


def test_one_line_shows_newlines_and_what_cannot_be_seen() -> None:
    assert one_line("a\nb\x1b[31m\u202e") == "a↵b␛[31m⟨U+202E⟩"
    assert one_line("\U000e0141x") == "⟨U+E0141⟩x"


@pytest.mark.parametrize(
    ("text", "room", "shown"),
    [
        ("search_orders", 13, "search_orders"),
        ("search_orders", 8, "search_…"),
        ("漢字漢字", 8, "漢字漢字"),
        ("漢字漢字", 7, "漢字漢…"),
        ("漢字漢字", 6, "漢字…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        (f"x{FAMILY}y", 4, "x…"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
        ("", 0, ""),
    ],
)
def test_cut_ends_in_an_ellipsis_and_breaks_no_character(text: str, room: int, shown: str) -> None:
    assert cut(text, room) == shown


@given(LETTERS.map("".join), ROOMS)
def test_cut_and_pad_count_cells(text: str, room: int) -> None:
    assert cells(cut(text, room)) <= room
    assert cell_len(cut(text, room)) <= room
    assert cells(pad(text, room)) == cells(pad(text, room, right=True)) == room
    assert cut(text, cells(text)) == text


def test_pad_fills_up_in_cells() -> None:
    assert pad("漢字", 6) == "漢字  "
    assert pad("漢字", 6, right=True) == "  漢字"


@given(texts(), ROOMS)
def test_a_long_text_is_cut_as_if_all_of_it_had_been_looked_at(text: str, room: int) -> None:
    assert cut_line(text, room) == cut(one_line(text), room)


def test_of_a_text_of_megabytes_only_what_is_seen_is_looked_at() -> None:
    assert cut_line("\x1b" * 5_000_000, 5) == "␛␛␛␛…"
    assert cut_line("\u0301" * 500, 5).endswith("…")


# ---------------------------------------------------------------- lines


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("one two three", 8, ["one two", "three"]),
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 13, ["one two three"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ('    "a very long key": 1', 8, ['    "a', "very", "long", 'key": 1']),
        ("漢字と仮名", 5, ["漢字", "と仮", "名"]),
        (f"ab {FAMILY} cd", 9, ["ab", FAMILY, "cd"]),
        ("", 4, [""]),
    ],
)
def test_wrap_breaks_at_blanks(text: str, width: int, rows: list[str]) -> None:
    assert rows_of(wrap(plain(text), width)) == rows


def test_wrap_keeps_the_looks_of_each_piece() -> None:
    line: Line = (Span("one ", "wait"), Span("two three", bold=True), Span(" four", "quiet", italic=True))
    assert wrap(line, 9) == [
        (Span("one ", "wait"), Span("two", bold=True)),
        (Span("three", bold=True),),
        (Span("four", "quiet", italic=True),),
    ]


@given(LETTERS.map("".join), st.integers(2, 30))
def test_no_row_is_wider_and_only_the_blanks_at_breaks_are_lost(text: str, width: int) -> None:
    rows = rows_of(wrap(plain(text), width))
    assert all(cells(row) <= width for row in rows)
    assert "".join(rows).replace(" ", "") == text.replace(" ", "")
    at = 0
    for row, following in pairwise([*rows, ""]):
        found = text.index(row, at)
        assert text[at:found] in ("", " ")
        at = found + len(row)
        assert following or at >= len(text) - 1


@given(LETTERS.map("".join), st.integers(2, 12), st.integers(0, 4))
def test_a_limit_gives_the_first_rows(text: str, width: int, limit: int) -> None:
    assert wrap(plain(text), width, limit) == wrap(plain(text), width)[:limit]


def test_clip_cuts_in_the_middle_of_a_span() -> None:
    line: Line = (Span("steps ", "quiet"), Span("━━━━", "primary"), Span(" 4 of 4"))
    assert clip(line, 17) == line
    assert clip(line, 9) == (Span("steps ", "quiet"), Span("━━…", "primary"))
    assert line_text(clip(line, 6)) == "steps…"


@given(st.lists(LETTERS.map("".join).map(Span), max_size=5).map(tuple), ROOMS)
def test_clip_is_never_wider(line: Line, width: int) -> None:
    clipped = clip(line, width)
    assert line_cells(clipped) <= width
    assert clipped == line or line_text(clipped).endswith("…") or width == 0


def test_a_title_loses_its_quiet_end_and_no_more() -> None:
    title: Line = (Span("▲ run ", "wait"), Span("create_refund", "wait", bold=True), Span("   step 3 of 6", "quiet"))
    assert fitted(title, 40) == title
    assert fitted(title, 20) == fitted(title, 5) == title[:2]


@pytest.mark.parametrize(
    ("width", "shown"),
    [(30, "Budget ────────────── l limits"), (18, "Budget ── l limits"), (14, "Budget ─ l li…"), (4, "Bud…")],
)
def test_a_heading_fills_its_row(width: int, shown: str) -> None:
    assert line_text(heading("Budget", width, "limits", "l")) == shown


# ---------------------------------------------------------------- a few rows of many


def test_what_fits_is_whole() -> None:
    lines = [plain("a"), plain("b c d e f")]
    assert within(lines, 5, 3) == (wrapped(lines, 5), True)


def test_what_does_not_fit_says_how_much_is_left() -> None:
    lines = [plain(f"line {n}") for n in range(214)]
    rows, whole = within(lines, 40, 3)
    assert (rows_of(rows), whole) == (["line 0", "line 1", "… 212 more lines, v shows all"], False)
    assert line_text(within(lines, 20, 3)[0][-1]) == "… 212 more lines"
    assert line_text(within(lines[:3], 40, 2)[0][-1]) == "… 2 more lines, v shows all"


def test_a_line_that_is_shown_in_part_counts_as_left_or_in_characters() -> None:
    long = plain("x" * 100)
    assert rows_of(within([long], 40, 2)[0]) == ["x" * 40, "… 60 more characters, v shows all"]
    assert rows_of(within([plain("a"), long], 40, 2)[0]) == ["a", "… 1 more line, v shows all"]
    assert rows_of(within([long, plain("a")], 40, 2)[0]) == ["x" * 40, "… 2 more lines, v shows all"]


@given(texts(), st.integers(2, 30), st.integers(1, 9))
def test_rows_of_a_text_agree_with_those_of_its_lines(text: str, width: int, rows: int) -> None:
    lines = [plain(one_line(line)) for line in text.split("\n")]
    shown, whole = text_rows(text, width, rows)
    assert (shown, whole) == within(lines, width, rows)
    assert len(shown) <= rows
    assert whole == (len(wrapped(lines, width)) <= rows)
    assert all(visible(line_text(row)) == line_text(row) for row in shown)


def test_of_a_huge_text_only_the_first_rows_are_made() -> None:
    text = "a line\n" * 2_000_000
    rows, whole = text_rows(text, 40, 4)
    assert (line_text(rows[-1]), whole) == ("… 1,999,998 more lines, v shows all", False)
