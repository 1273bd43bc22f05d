"""Where a piece goes into the text of a script: after the table that the caret is in."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

from workbench.scenarios.errors import Path
from workbench.scenarios.locate import locate

ONCE = ("limits", "expect", "workspace")
"""Tables that there is one of."""
OPEN = "…"
"""What stands in a piece for a value that only its author knows."""
_VALUE = re.compile(r"[^#=]+=")
PART_OF_ANOTHER = "[[model.reply.call]]"
"""A table that belongs to the reply above it."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """Put `text` in before `row`, from 0. No text: the table is there already."""

    row: int
    text: str
    caret: tuple[int, int]
    """Row and column of the caret after it: where the first value of the table ends, or something is left open."""
    open: int = 0
    """Characters behind the caret that are left open, to be typed over."""


def insertion(document: str, caret: int, piece: str) -> Insertion:
    """Where `piece`, one table, goes into the document, for a caret on row `caret`."""
    lines, places = document.split("\n"), locate(document).places
    there = next((places[path].line - 1 for path in _paths(piece) if path in places), None)
    if there is not None:
        return Insertion(there, "", (there, len(lines[there])))
    headers = sorted({place.line - 1 for place in places.values() if place.how in ("table", "item")})
    row = next((row for row in headers if row > caret and _begins_a_table(lines[row])), len(lines))
    while row > 0 and not lines[row - 1].strip():
        row -= 1
    before = "\n" if row else ""
    down, column, left_open = _slot(piece)
    caret_after = (row + bool(before) + down, column)
    if row == len(lines):  # The last line ends without a newline.
        return Insertion(row, f"\n{before}{piece.rstrip()}\n", caret_after, left_open)
    after = "\n" if lines[row].strip() else ""
    return Insertion(row, f"{before}{piece.rstrip()}\n{after}", caret_after, left_open)


def _slot(piece: str) -> tuple[int, int, int]:
    """Row and column in the piece at which somebody goes on writing, and how many characters they write over."""
    values = [(row, line) for row, line in enumerate(piece.rstrip().split("\n")) if _VALUE.match(line)]
    for row, line in values:
        if OPEN in line:
            return row, line.index(OPEN), len(OPEN)
    row, line = values[0]
    return row, len(line.rstrip("\"'")), 0


def _paths(piece: str) -> list[Path]:
    """The tables of the piece that may be in a script only once, the longest path first."""
    table = tomllib.loads(piece)
    name = next(iter(table))
    if name not in ONCE:
        return []
    return [(name, "files"), (name,)] if name == "workspace" else [(name,)]


def _begins_a_table(line: str) -> bool:
    return line.lstrip().startswith("[") and not line.lstrip().startswith(PART_OF_ANOTHER)
