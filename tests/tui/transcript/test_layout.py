from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from workbench.tui.transcript.layout import lay_out
from workbench.tui.transcript.wrap import count_rows
from workbench.view.entries import Entry, Line, Span, lines_of, plain

SPANS = st.builds(Span, st.text(st.sampled_from("ab \t\x1b漢e\u0301\n"), max_size=12))
LINES: st.SearchStrategy[list[Line]] = st.lists(
    st.lists(SPANS, min_size=1, max_size=3).map(tuple), min_size=1, max_size=6
)


def entry(lines: list[Line] | tuple[Line, ...], meta: str = "") -> Entry:
    return Entry(1, None, "RESULT", "result", tuple(lines), meta, data=True)


def without_newlines(lines: list[Line]) -> list[Line]:
    return [tuple(Span(span.text.replace("\n", "")) for span in line) for line in lines]


@given(LINES, st.sampled_from(["", "a · b"]), st.integers(1, 12), st.sampled_from([None, 0, 1, 3]))
def test_it_has_as_many_rows_as_are_counted(lines: list[Line], meta: str, width: int, fold_at: int | None) -> None:
    one = entry(without_newlines(lines), meta)
    assert lay_out(one, width, fold_at).height == count_rows(plain(one), width, fold_at)


@given(LINES)
def test_every_row_is_one_row_even_if_a_span_breaks_the_rules(lines: list[Line]) -> None:
    laid = lay_out(entry(lines), 9)
    assert all(laid.row_text(row).isprintable() for row in range(laid.height))


@given(LINES, st.integers(0, 5), st.integers(1, 12))
def test_growing_gives_what_starting_anew_gives(lines: list[Line], known: int, width: int) -> None:
    before = lay_out(entry(lines[:known]), width)
    assert lay_out(entry(lines), width, before=before) == lay_out(entry(lines), width)


@given(LINES, LINES, st.integers(1, 12), st.sampled_from([None, 1]))
def test_rows_that_look_the_same_say_the_same(
    first: list[Line], second: list[Line], width: int, fold_at: int | None
) -> None:
    laid = [lay_out(entry(lines), width, fold_at) for lines in (first[:1] + first, first[:1] + second)]
    rows = [(layout.look(row, picked=False), layout, row) for layout in laid for row in range(layout.height)]
    for look, layout, row in rows:
        assert all(
            other.row_text(at) == layout.row_text(row)
            and (at == 0) == (row == 0)
            and (at < len(other.rows)) == (row < len(layout.rows))
            for same, other, at in rows
            if same == look
        )


def test_a_row_looks_otherwise_under_another_word_when_picked_and_past_the_end() -> None:
    one = lay_out(entry(lines_of("one\ntwo")), 8)
    other = lay_out(replace(one.entry, word="ERROR"), 8)
    assert one.look(0, picked=False) != other.look(0, picked=False)
    assert one.look(1, picked=False) == other.look(1, picked=False)
    assert one.look(1, picked=False) != one.look(1, picked=True)
    assert one.look(2, picked=True) is None


def test_only_the_last_line_of_a_growing_entry_is_wrapped_again() -> None:
    before = lay_out(entry(lines_of("first line\nsecond line\nthe thi")), 8)
    after = lay_out(entry(lines_of("first line\nsecond line\nthe third")), 8, before=before)
    assert [new is old for new, old in zip(after.lines, before.lines, strict=True)] == [True, True, False]
    assert [after.row_text(row) for row in range(after.height)][-2:] == ["the", "third"]


def test_spans_keep_their_text_when_tabs_and_escapes_are_shown() -> None:
    line = (Span("a\t"), Span("\x1b[1m"), Span("b\tc"))
    drawn = lay_out(entry([line]), 40).lines[0]
    assert drawn.text == "a   ␛[1mb   c"
    pieces = [drawn.text[start:end] for start, end in zip((0, *drawn.ends), drawn.ends, strict=False)]
    assert pieces == ["a   ", "␛[1m", "b   c"]


def test_what_is_folded_away_is_said_with_its_size() -> None:
    def note(text: str, fold_at: int) -> str:
        return lay_out(entry(lines_of(text)), 10, fold_at).note

    assert note("one\ntwo\nthree\nfour", 2) == "▸ 2 more lines, 9 characters"
    assert note("one\ntwo\nthree\n", 1) == "▸ 3 more lines, 8 characters"
    assert note("a" * 2035, 1) == "▸ 2,025 more characters"
    assert note("a" * 25 + "\nb", 1) == "▸ 1 more line, 16 characters"
    assert note("one\ntwo\nthree", 2) == ""


def test_a_place_is_found_in_its_row_or_in_none() -> None:
    laid = lay_out(entry(lines_of("one two three\nfour")), 8, 1)
    assert laid.row_of(0, 4) == 0
    assert laid.row_of(0, 9) is None
    assert lay_out(laid.entry, 8).row_of(0, 9) == 1
