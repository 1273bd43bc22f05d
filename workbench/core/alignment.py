"""Two sequences laid side by side, by keys that may be more or less exact. Pure.

Keys that come once in either sequence are paired first, as in a patience diff: the longest row of such pairs that
crosses nowhere is kept, and what lies between two of them is looked at again in the same way. Where no key comes only
once, the k-th time in the one belongs to the k-th time in the other. So the same beginning is always found whole, and
it costs n log n.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

Place = tuple[int | None, int | None]
"""An index in either sequence; None where the other one has something of its own."""
Keys = Sequence[str]
"""One key for each element; "" takes no part."""

ROUNDS = 6
"""How often what lies between pairs is looked at again with the same keys. Few runs need more than three."""

_Gap = tuple[int, int, int, int]
"""First and end index in the one sequence, and in the other."""


def parting(one: Sequence[object], other: Sequence[object]) -> int:
    """The first index at which the two differ; the length of the shorter one, where that is how the longer begins."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def align(one: Sequence[Keys], other: Sequence[Keys]) -> list[Place]:
    """Every element of both, in the order of both: in pairs, or alone.

    Both have the same number of levels, each with a key for every element; the first level is the one that binds most,
    each later one is for what the levels before it have left over. `align(b, a)` finds the pairs of `align(a, b)`.
    """
    sizes = len(one[0]), len(other[0])
    if [list(keys) for keys in one] > [list(keys) for keys in other]:
        # Of several rows that are equally long one is chosen; that must not depend on which side is which.
        pairs = sorted((a, b) for b, a in _pairs(other, one, sizes[::-1]))
    else:
        pairs = _pairs(one, other, sizes)
    return list(_filled(pairs, *sizes))


def _pairs(one: Sequence[Keys], other: Sequence[Keys], sizes: tuple[int, int]) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for level in zip(one, other, strict=True):
        for _ in range(ROUNDS):
            found = [pair for gap in _gaps(pairs, *sizes) for pair in _anchors(*level, gap)]
            if not found:
                break
            pairs = sorted([*pairs, *found])
    return pairs


def _gaps(pairs: Sequence[tuple[int, int]], size: int, other_size: int) -> Iterator[_Gap]:
    """What lies between the pairs, where both sides have something."""
    a, b = 0, 0
    for next_a, next_b in [*pairs, (size, other_size)]:
        if a < next_a and b < next_b:
            yield a, next_a, b, next_b
        a, b = next_a + 1, next_b + 1


def _anchors(one: Keys, other: Keys, gap: _Gap) -> list[tuple[int, int]]:
    """The pairs inside a gap."""
    a, a_end, b, b_end = gap
    here, there = one[a:a_end], other[b:b_end]
    once, once_there = Counter(here), Counter(there)
    unique = [(a + at, key) for at, key in enumerate(here) if key and once[key] == 1 == once_there[key]]
    if unique:
        places = {key: at for at, key in enumerate(there, b)}
        return _longest([(at, places[key]) for at, key in unique])
    numbered = {key: at for at, key in enumerate(_numbered(there), b) if key[0]}
    matches = ((at, numbered.get(key)) for at, key in enumerate(_numbered(here), a))
    return _longest([(at, place) for at, place in matches if place is not None])


def _numbered(keys: Keys) -> Iterator[tuple[str, int]]:
    """Each key with how often it has come by then."""
    times: defaultdict[str, int] = defaultdict(int)
    for key in keys:
        times[key] += 1
        yield key, times[key]


def _longest(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of the pairs, given in the order of the first index, in which the second one grows, too."""
    ends: list[int] = []
    """The smallest second index that a row of that length can end with."""
    last: list[int] = []
    """Which pair that is."""
    before: list[int] = []
    for index, (_, b) in enumerate(pairs):
        length = bisect_left(ends, b)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [b]
        last[length : length + 1] = [index]
    row = []
    at = last[-1] if last else -1
    while at >= 0:
        row.append(pairs[at])
        at = before[at]
    return row[::-1]


def _filled(pairs: Sequence[tuple[int, int]], size: int, other_size: int) -> Iterator[Place]:
    a, b = 0, 0
    for next_a, next_b in [*pairs, (size, other_size)]:
        for index in range(a, next_a):
            yield index, None
        for index in range(b, next_b):
            yield None, index
        if next_a < size:
            yield next_a, next_b
        a, b = next_a + 1, next_b + 1
