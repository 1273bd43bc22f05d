from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.tui.transcript.heights import Heights

ROWS = st.lists(st.integers(1, 9), max_size=70)


@given(ROWS, ROWS, st.integers(0, 1), st.data())
def test_it_answers_as_a_plain_list_would(built: list[int], appended: list[int], gap: int, data: st.DataObject) -> None:
    heights = Heights(built, gap)
    for rows in appended:
        heights.append(rows)
    plain = built + appended
    for _ in range(data.draw(st.integers(0, 5))):
        if plain:
            index = data.draw(st.integers(0, len(plain) - 1))
            plain[index] = data.draw(st.integers(1, 50))
            heights.change(index, plain[index])
    places = [(index, row) for index, rows in enumerate(plain) for row in range(rows + gap)]
    assert [heights.find(row) for row in range(len(places))] == places
    assert heights.find(len(places) + 3) == (len(plain), 3)
    assert [heights.top(index) for index in range(len(plain) + 1)] == [
        sum(plain[:index]) + gap * index for index in range(len(plain) + 1)
    ]
    assert [heights[index] for index in range(len(heights))] == plain


def test_the_gap_can_change_at_any_time() -> None:
    heights = Heights([2, 3])
    assert heights.top(2) == 5
    heights.gap = 1
    assert heights.top(2) == 7
    assert heights.find(2) == (0, 2)
    assert heights.find(3) == (1, 0)
