"""Two sequences side by side: nothing is lost, nothing crosses, and sides can be changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.core.alignment import Place, align, parting

letters = st.lists(st.sampled_from("abc"), max_size=12)


def pairs(places: list[Place]) -> list[tuple[int, int]]:
    return [(a, b) for a, b in places if a is not None and b is not None]


@given(letters, letters)
def test_every_element_stands_once_and_in_its_order(one: list[str], other: list[str]) -> None:
    places = align([one], [other])
    assert [a for a, _ in places if a is not None] == list(range(len(one)))
    assert [b for _, b in places if b is not None] == list(range(len(other)))


@given(letters, letters)
def test_only_equal_keys_are_paired(one: list[str], other: list[str]) -> None:
    assert all(one[a] == other[b] for a, b in pairs(align([one], [other])))


@given(letters, letters)
def test_sides_can_be_changed(one: list[str], other: list[str]) -> None:
    assert pairs(align([other], [one])) == [(b, a) for a, b in pairs(align([one], [other]))]


@given(letters, letters, letters)
def test_the_same_beginning_is_paired_whole(first: list[str], one: list[str], other: list[str]) -> None:
    found = pairs(align([[*first, *one]], [[*first, *other]]))
    assert found[: len(first)] == [(at, at) for at in range(len(first))]


@given(letters, letters)
def test_what_one_sequence_has_more_does_not_keep_the_rest_apart(one: list[str], more: list[str]) -> None:
    """Something put in, that is nowhere else, leaves everything around it paired."""
    other = [*one, *(letter.upper() for letter in more), *one]
    assert len(pairs(align([[*one, *one]], [other]))) == 2 * len(one)


def test_a_later_level_pairs_what_an_earlier_one_has_left_over() -> None:
    one = (["", "x", ""], ["p", "", "q"])
    other = (["", "x", ""], ["r", "", "q"])
    assert align(one, other) == [(0, None), (None, 0), (1, 1), (2, 2)]


def test_what_comes_again_between_two_pairs_is_found_there() -> None:
    assert pairs(align([list("axbxc")], [list("xaxbxc")])) == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]


@given(letters, letters)
def test_parting_is_the_first_index_that_differs(one: list[str], other: list[str]) -> None:
    at = parting(one, other)
    assert one[:at] == other[:at]
    assert one == other or one[at : at + 1] != other[at : at + 1]


class Counted(str):
    """A key that counts how often any such key is looked at."""

    looks = 0

    def __hash__(self) -> int:
        Counted.looks += 1
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        Counted.looks += 1
        return super().__eq__(other)


def test_the_work_grows_with_the_length_and_not_with_its_square() -> None:
    """Sequences in opposite order are the worst: nothing can be paired twice."""

    def looks(size: int) -> int:
        keys = [Counted(index) for index in range(size)]
        before = Counted.looks
        align([keys], [keys[::-1]])
        return Counted.looks - before

    assert looks(8_000) < 20 * looks(500)  # 16 times as long; were it the square, 256 times the work
