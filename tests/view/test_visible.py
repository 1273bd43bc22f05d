from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.view.visible import NOT_NARROW, cells, visible, visible_blanks

OUTPUTS = Path(__file__).parents[1] / "data" / "outputs"
STEERING = [
    *(chr(code) for code in range(0x20) if chr(code) not in "\n\t"),
    *(chr(code) for code in range(0x7F, 0xA0)),
    *"\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff\u00ad",
    "\U000e0041",
    "\ud83d",
    "\udfff",
]
ANYTHING = st.text(st.characters() | st.sampled_from(STEERING) | st.sampled_from("\t\n ab"))


@pytest.mark.parametrize("character", STEERING, ids=lambda character: f"U+{ord(character):04X}")
def test_what_steers_or_hides_gets_a_visible_sign(character: str) -> None:
    shown = visible(f"a{character}b")
    assert character not in shown
    assert shown.isprintable()
    assert shown.startswith("a")
    assert shown.endswith("b")


def test_signs_name_what_was_there() -> None:
    assert visible("\x1b]0;x\x07") == "␛]0;x␇"
    assert visible("\x7f\x85\u202e\ud83d\ufeff") == "␡⟨U+0085⟩⟨U+202E⟩⟨U+D83D⟩⟨U+FEFF⟩"
    assert visible("a\r\nb") == "a␍\nb"


@pytest.mark.parametrize(
    "text", ["", "plain", "two\nlines", "déjà 漢字 🙂", "👨\u200d👩\u200d👧 ❤\ufe0f", "[/bold] $x", "e\u0301"]
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\tx", "    x"),
        ("ab\tx", "ab  x"),
        ("abcd\tx", "abcd    x"),
        ("漢\tx", "漢  x"),
        ("a\n\tb", "a\n    b"),
        ("\x1b\tx", "␛   x"),
        ("e\u0301\tx", "e\u0301   x"),
    ],
)
def test_tabs_go_to_the_next_stop_of_four_columns(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_cells_counts_columns() -> None:
    assert (cells("abc"), cells("漢字"), cells("e\u0301")) == (3, 4, 1)


def test_runs_of_blanks_in_arguments_are_dots() -> None:
    assert visible_blanks('{"a": "x  y"}') == '{"a": "x··y"}'
    assert visible_blanks("one two") == "one two"
    assert visible_blanks("x" + " " * 300 + "; rm") == "x" + "·" * 300 + "; rm"
    assert visible_blanks("a\u00a0\u2003b") == "a··b"
    assert visible_blanks("a\tb") == "a···b"


def test_escapes_of_a_hostile_output_all_become_visible() -> None:
    text = (OUTPUTS / "terminal-escapes.bin").read_bytes().decode()
    shown = visible(text)
    assert not set(shown) & set(STEERING)
    for word in ("clip", "title", "changed", "never reset", "q544e", "back", "end"):
        assert word in shown
    assert shown.count("\n") == text.count("\n")


def test_bad_bytes_stay_visible_and_good_text_intact() -> None:
    text = (OUTPUTS / "invalid-utf8.bin").read_bytes().decode("utf-8", "surrogateescape")
    shown = visible(text)
    shown.encode()  # no lone surrogate is left
    assert shown.startswith("first line ok\n")
    assert shown.endswith("last line ok é\n")
    assert "nul ␀ here" in shown
    assert "⟨U+DC" in shown


@given(ANYTHING)
def test_nothing_that_steers_is_left(text: str) -> None:
    shown = visible(text)
    assert not set(shown) & set(STEERING)
    assert "\t" not in shown
    assert visible(shown) == shown


@given(ANYTHING, ANYTHING)
def test_a_prefix_gives_a_prefix(start: str, rest: str) -> None:
    assert visible(start + rest).startswith(visible(start))


def test_what_is_taken_for_narrow_is_narrow() -> None:
    known = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) != "Cn"]
    narrow = [character for character in known if not NOT_NARROW.match(character)]
    assert len(narrow) > 1_000
    assert not [character for character in narrow if unicodedata.east_asian_width(character) in "WF"]
    assert not [character for character in narrow if unicodedata.combining(character)]
