from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import nasty_text
from tests.timing import assert_within, seconds_of
from tests.view.nasty import rows_of
from workbench.core.ports import Signal
from workbench.view.incoming import Incoming


def fed(*signals: Signal) -> Incoming:
    incoming = Incoming()
    for signal in signals:
        incoming.take(signal, 0.0)
    return incoming


def shown(incoming: Incoming, now: float = 0.0) -> list[str]:
    return rows_of(incoming.lines(now))


@given(st.lists(nasty_text() | st.sampled_from(["\n", "a\n\n", ""]), max_size=8))
def test_pieces_make_the_lines_of_the_whole_text(pieces: list[str]) -> None:
    incoming, whole = Incoming(), ""
    for piece in pieces:
        incoming.take(Signal("delta", piece), 0.0)
        whole += piece
        assert shown(incoming) == (whole.split("\n") if whole else [])
        assert incoming.text.chars == len(whole)


def test_thinking_shows_its_latest_words_until_something_is_said() -> None:
    incoming = fed(Signal("thinking", "First.\n" + "long " * 40))
    assert shown(incoming) == [f"thinking: …{('long ' * 40)[-100:]} … 207 characters"]
    incoming.take(Signal("delta", "Done."), 0.0)
    assert shown(incoming) == ["thinking: First. … 207 characters", "Done."]


def test_a_pause_takes_the_place_of_what_came_and_is_counted_down() -> None:
    incoming = fed(Signal("delta", "half"), Signal("retry", "too many requests", 3.0))
    assert (shown(incoming, 0.4), incoming.pausing) == (["too many requests", "again in 3 s, attempt 2"], True)
    assert shown(incoming, 2.9) == ["too many requests", "again in 1 s, attempt 2"]
    assert shown(incoming, 3.0) == ["too many requests", "again now, attempt 2"]
    incoming.take(Signal("delta", "whole"), 3.5)
    assert (shown(incoming, 3.5), incoming.pausing) == (["whole"], False)
    incoming.clear()
    assert (shown(incoming), incoming.attempts) == ([], 1)


def test_a_piece_costs_the_same_however_much_came_before() -> None:
    incoming = Incoming()

    def some(count: int) -> None:
        for _ in range(count):
            incoming.take(Signal("delta", "some words "), 0.0)

    some(1000)
    first = max(min(seconds_of(lambda: some(2000)) for _ in range(5)), 0.001)
    some(100_000)
    assert_within(8 * first, lambda: some(2000))
