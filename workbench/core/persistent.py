"""Append-only collections whose copies cost nothing.

A copy shares the storage and remembers how much of it was there. Whoever appends while somebody else already went
past that point takes a copy of its own first, unless it appends the same: then it goes along. So a state of the past
is as cheap as a number, and so is folding from there what was folded before. Items must not change any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Generic, TypeVar, overload

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class Log(Generic[T]):
    """A list that can only grow. `copy()` is O(1); `append` is O(1) amortised, and for a copy O(1) while it appends
    what it was a copy of."""

    __slots__ = ("_count", "_items")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items = list(items)
        self._count = len(self._items)

    def append(self, item: T) -> None:
        items, count = self._items, self._count
        self._count = count + 1
        if len(items) != count:
            if items[count] == item:
                return
            items = self._items = items[:count]
        items.append(item)

    def extend(self, more: Iterable[T]) -> None:
        for item in more:
            self.append(item)

    def copy(self) -> Log[T]:
        other: Log[T] = Log.__new__(Log)
        other._items = self._items
        other._count = self._count
        return other

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[T]:
        return islice(self._items, self._count)

    def __reversed__(self) -> Iterator[T]:
        for index in range(self._count - 1, -1, -1):
            yield self._items[index]

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self._items[i] for i in range(*index.indices(self._count))]
        if index < 0:
            index += self._count
        if not 0 <= index < self._count:
            raise IndexError(index)
        return self._items[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Log) or self._count != other._count:
            return False
        return self._items is other._items or list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Log({list(self)!r})"


class Table(Generic[K, V]):
    """A dict that can only gain keys. `copy()` is O(1); `add` of a new key as `append` of a log."""

    __slots__ = ("_count", "_items")

    def __init__(self) -> None:
        self._items: dict[K, tuple[int, V]] = {}
        self._count = 0

    def add(self, key: K, value: V) -> bool:
        """Add a key that is not there yet, and say whether that was so; the first value of a key stays."""
        count, items = self._count, self._items
        found = items.get(key)
        if found is not None and found[0] < count:
            return False
        self._count = count + 1
        if len(items) != count:
            if found == (count, value):
                return True
            items = self._items = dict(islice(items.items(), count))
        items[key] = (count, value)
        return True

    def get(self, key: K) -> V | None:
        found = self._items.get(key)
        return found[1] if found is not None and found[0] < self._count else None

    def copy(self) -> Table[K, V]:
        other: Table[K, V] = Table.__new__(Table)
        other._items = self._items
        other._count = self._count
        return other

    def __contains__(self, key: K) -> bool:
        found = self._items.get(key)
        return found is not None and found[0] < self._count

    def __len__(self) -> int:
        return self._count

    def items(self) -> Iterator[tuple[K, V]]:
        for key, (_, value) in islice(self._items.items(), self._count):
            yield key, value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and dict(self.items()) == dict(other.items())

    __hash__ = None  # type: ignore[assignment]
