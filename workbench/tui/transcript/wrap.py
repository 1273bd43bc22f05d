"""Wrapping by words, in cells. `cuts` alone decides, for the rows and for their number, so they cannot disagree."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from workbench.view.visible import NOT_NARROW, visible

JOINER = "\u200d"
VARIATION = "\ufe0f"

_cells: dict[str, int] = {}


def shown(line: str) -> str:
    """One line as drawn: whatever it holds, the result is one row of the terminal."""
    if line.isascii() and line.isprintable():
        return line
    return visible(line).replace("\n", "\u240a")


def cuts(line: str, width: int, limit: int | None = None) -> Sequence[int]:
    """Offsets in a shown line at which its second, third, … row starts; at most `limit` of them.

    A row takes at most `width` cells, unless a single character takes more. Rows end after a blank, else after a comma,
    or a wide character where there is one, and never inside a character made of several.
    """
    if not line.isascii() and NOT_NARROW.search(line):
        return _wide_cuts(line, width, limit)
    size = len(line)
    if size <= width:
        return ()
    out: list[int] = []
    at = 0
    while size - at > width:
        blank = line.rfind(" ", at, at + width + 1)
        if blank <= at:  # JSON without blanks is broken after a comma
            blank = line.rfind(",", at, at + width)
        at = at + width if blank <= at else blank + 1
        if at == size:  # a blank at the very end hangs over the edge
            break
        out.append(at)
        if len(out) == limit:
            break
    return out


def _wide_cuts(line: str, width: int, limit: int | None) -> list[int]:
    out: list[int] = []
    start = used = 0  # where the row starts, and its cells so far
    good = left = 0  # the last place where it may end, and the cells since then
    base = ""  # the last character that takes room, for those that join it
    joined = False
    for index, character in enumerate(line):
        took = _cells.get(character)
        if took is None:
            took = _cells[character] = cell_len(character)
        if joined or not took:
            if joined:
                took = max(0, cell_len(base + JOINER + character) - cell_len(base))
            joined = character == JOINER
            used += took
            left += took
            if good == index > start:
                good, left = index + 1, 0
            continue
        if line[index + 1 : index + 2] == VARIATION:  # the sign that follows makes some characters wide
            took = cell_len(character + VARIATION)
        if used + took > width and index > start and not (character == " " and used == width):
            start, used = (good, left) if good > start + 1 and left + took <= width else (index, 0)
            out.append(start)
            if len(out) == limit:
                break
            good, left = start, used
        used += took
        left += took
        base = character
        if character == " " or took > 1:
            good, left = index + 1, 0
    return out


def count_rows(text: str, width: int, fold_at: int | None = None) -> int:
    """Rows that a text of several lines takes at that width, folded or not: never less than 1.

    Folding shows `fold_at` rows and one that says how much is left, but never hides just one row. Only what is
    shown is wrapped, so a folded megabyte costs what is seen of it.
    """
    if fold_at is None:
        count = 0
        for line in text.split("\n"):
            count += (
                1 if len(line) <= width and line.isascii() and line.isprintable() else 1 + len(cuts(shown(line), width))
            )
        return count
    most = fold_at + 1
    count = 0
    for line in text.split("\n", most):
        if len(line) <= width and line.isascii() and line.isprintable():
            count += 1
        elif count <= most:
            count += 1 + len(cuts(shown(line.partition("\n")[0]), width, max(1, most - count)))
        if count > most:
            return most
    return count
