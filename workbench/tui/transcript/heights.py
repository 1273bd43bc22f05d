"""How tall every entry is, with prefix sums: a Fenwick tree, so that every question and every change is O(log n)."""

from __future__ import annotations

from array import array
from collections.abc import Iterable


class Heights:
    """Rows of each entry. `gap` blank rows stand after each entry and are not part of its height."""

    __slots__ = ("_rows", "_tree", "gap")

    def __init__(self, rows: Iterable[int] = (), gap: int = 0) -> None:
        self.gap = gap
        self._rows = array("l", rows)
        tree = array("l", [0]) + self._rows
        for node in range(1, len(tree)):
            above = node + (node & -node)
            if above < len(tree):
                tree[above] += tree[node]
        self._tree = tree

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> int:
        return self._rows[index]

    def append(self, rows: int) -> None:
        tree = self._tree
        node = len(tree)
        value, step, low = rows, 1, node & -node
        while step < low:
            value += tree[node - step]
            step <<= 1
        self._rows.append(rows)
        tree.append(value)

    def change(self, index: int, rows: int) -> None:
        difference = rows - self._rows[index]
        if not difference:
            return
        self._rows[index] = rows
        tree, node, size = self._tree, index + 1, len(self._tree)
        while node < size:
            tree[node] += difference
            node += node & -node

    def top(self, index: int) -> int:
        """The row at which an entry starts; of the entry after the last one, where it would."""
        tree, node, total = self._tree, index, self.gap * index
        while node:
            total += tree[node]
            node &= node - 1
        return total

    def find(self, row: int) -> tuple[int, int]:
        """The entry that row belongs to, and which of its rows it is; past the last entry, the number of entries."""
        tree, gap, size = self._tree, self.gap, len(self._tree)
        index = 0
        step = 1 << size.bit_length() >> 1
        while step:
            node = index + step
            if node < size and (rows := tree[node] + gap * step) <= row:
                index = node
                row -= rows
            step >>= 1
        return index, row
