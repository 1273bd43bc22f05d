from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.models.wire.scrub import SCRUBBED, Secret, StreamScrubber, read_key

KEY = "sk-test-0000-not-a-real-key"


def test_nothing_that_prints_a_secret_shows_it() -> None:
    secret = Secret(KEY)
    assert KEY not in f"{secret} {secret!r} {[secret]} {vars(Secret)}"


def test_the_key_is_taken_out_of_any_text() -> None:
    secret = Secret(KEY)
    assert secret.scrub(f"a {KEY} b{KEY}") == f"a {SCRUBBED} b{SCRUBBED}"
    assert secret.scrub_bytes(f'{{"a": "{KEY}"}}'.encode()) == b'{"a": "[key]"}'
    assert Secret('with"quote').scrub('{"a": "with\\"quote"}') == f'{{"a": "{SCRUBBED}"}}'


@pytest.mark.parametrize("words", ["Authorization: Bearer abcdef123", "bearer abcdef123", "x-api-key: abcdef123"])
def test_so_is_what_a_server_reflects_of_a_header(words: str) -> None:
    assert "abcdef123" not in Secret().scrub_words(f"you sent {words}, which is wrong")


@pytest.mark.parametrize("words", ["Authorization: Bearer ab", "x-api-key: a", "'authorization': 'Basic ab'"])
def test_however_short_that_is(words: str) -> None:
    assert Secret().scrub_words(words).endswith((SCRUBBED, f"{SCRUBBED}'"))


@pytest.mark.parametrize("value", ["none", "-", "x", "ollama", "1", "1234", "EMPTY", "c1", "schön"])
def test_a_stand_in_is_no_secret_but_as_the_value_of_its_variable(value: str) -> None:
    text = f"{value} of it - x is 1 of 1234, see c1"
    assert Secret(value, "SOME_KEY").scrub(text) == text
    for form in ("SOME_KEY={}", "{{'SOME_KEY': '{}'}}", '{{\\"SOME_KEY\\":\\"{}\\"}}', "SOME_KEY = {}, OTHER = y"):
        said = form.format(value)
        assert Secret(value, "SOME_KEY").scrub(said) == form.format(SCRUBBED)
        assert Secret(value, "SOME_KEY").scrub_bytes(said.encode()) == form.format(SCRUBBED).encode()


@pytest.mark.parametrize("value", ["hunter2", "sk-1", "ab_1", 'q"7x', "pa$$"])
def test_a_short_key_is_taken_out_where_it_is_a_whole_word(value: str) -> None:
    secret = Secret(value)
    assert secret.scrub(f"{value}, ({value}) x={value}&y") == f"{SCRUBBED}, ({SCRUBBED}) x={SCRUBBED}&y"
    assert secret.scrub(f"a{value} {value}s 9-{value}") == f"a{value} {value}s 9-{value}"
    assert value not in secret.scrub(repr(value))
    assert secret.scrub_bytes(json.dumps({"a": value}).encode()) == b'{"a": "[key]"}'


@pytest.mark.parametrize(("value", "sendable"), [(KEY, True), ("a\nb", False), ("schlüssel", False), ("a\x7f", False)])
def test_a_key_that_no_header_can_hold(value: str, sendable: bool) -> None:
    assert Secret(value).sendable is sendable


def test_blanks_around_a_key_are_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", f" {KEY}\n")
    assert read_key("SOME_KEY").reveal() == KEY
    assert not read_key("NO_SUCH_KEY")
    assert not read_key("")


@given(st.text("sk-te0x", max_size=12), st.booleans(), st.text("sk-te0x", max_size=12), st.lists(st.integers(0, 60)))
def test_a_key_in_pieces_is_never_shown_and_all_else_is(before: str, there: bool, after: str, cuts: list[int]) -> None:
    text = before + (KEY if there else KEY[:-1]) + after
    ends = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    scrubber = StreamScrubber(Secret(KEY))
    shown = [scrubber.feed(text[start:end]) for start, end in itertools.pairwise(ends)]
    assert "".join([*shown, scrubber.rest()]) == Secret(KEY).scrub(text)


@given(
    st.sampled_from(["ab1-", "a1a1", "sk-1", "a1b$"]), st.text("ab1-sk $", max_size=24), st.lists(st.integers(0, 24))
)
def test_nor_is_a_short_one_which_is_a_word_only_once_that_ends(key: str, text: str, cuts: list[int]) -> None:
    for said in (text, f"{text}{key}", f"{text} {key} {text}", f"{key}{key} {key}"):
        ends = sorted({0, len(said), *(cut for cut in cuts if cut < len(said))})
        scrubber = StreamScrubber(Secret(key))
        shown = [scrubber.feed(said[start:end]) for start, end in itertools.pairwise(ends)]
        assert "".join([*shown, scrubber.rest()]) == Secret(key).scrub(said)
