"""How an item of a list is drawn at a width: a title, what stands at the right edge, and a quiet line below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from workbench.view.entries import Line, Role, Span
from workbench.view.shelf import Item, branch_sign
from workbench.view.visible import visible

CURSOR = 2
"""Cells before the title, where the cursor stands."""
TITLE = 16
"""Cells that a title keeps before figures at its right are left out."""
GAP = 2
"""Cells between two columns."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Cells that outcome, steps and age need in a list of sessions; 0 where no session has the figure."""

    outcome: int = 0
    steps: int = 0
    age: int = 0


def columns_of(items: Sequence[Item]) -> Columns:
    """The columns that hold every figure of those items."""
    sessions = [item for item in items if item.kind == "session"]
    return Columns(
        max((cell_len(_outcome(item)) for item in sessions), default=0),
        max((cell_len(item.steps) for item in sessions), default=0),
        max((cell_len(item.age) for item in sessions), default=0),
    )


def fitted(text: str, room: int) -> str:
    """The text on one line, in exactly that many cells; what is cut ends in an ellipsis."""
    text = visible(text).replace("\n", " ")
    if cell_len(text) > room:
        text = f"{set_cell_size(text, max(0, room - 1)).rstrip()}…" if room > 0 else ""
    return set_cell_size(text, max(0, room))


def name_of(item: Item, room: int) -> str:
    """The title in exactly that many cells. Of a fork that is called after its place, the place is what stays."""
    head, comma, place = item.title.rpartition(", from event ")
    if not item.depth or not comma or cell_len(visible(item.title)) <= room:
        return fitted(item.title, room)
    end = f" from event {visible(place)}"
    return fitted(f"{fitted(f'{head}…', room - cell_len(end)).rstrip()}{end}", room)


def heading(title: str, width: int, right: str) -> Line:
    """The title of a list, a rule, and how many there are."""
    rule = "─" * max(0, width - cell_len(title) - cell_len(right) - 2)
    return (Span(f"{title} ", "quiet", bold=True), Span(rule, "rule"), Span(f" {right}", "quiet"))


def title_row(item: Item, width: int, columns: Columns, *, mark: str = "") -> Line:
    """The first row: lineage and title, and at the right what came of it, steps and age, as far as there is room.

    `mark` is the sign of the picked item.
    """
    branch = branch_sign(item.depth)
    figures = _figures(item, columns)
    room = width - CURSOR - len(branch)
    while len(figures) > 1 and room - _cells(figures) < TITLE:
        del figures[1]
    role: Role = "quiet" if item.kind == "bad" else ""
    return (
        Span(f"{mark:<{CURSOR}}", "primary"),
        Span(branch, "rule"),
        Span(name_of(item, room - _cells(figures)), role, bold=bool(mark)),
        *figures,
    )


def _outcome(item: Item) -> str:
    return f"{item.outcome[0]} {item.outcome[1]}".strip() if item.outcome is not None else ""


def _figures(item: Item, columns: Columns) -> list[Span]:
    """What stands at the right: outcome, steps, age. The first stays longest, the second goes first."""
    if item.outcome is None:
        return []
    gap = " " * GAP
    if item.kind != "session":
        return [Span(f"{gap}{_outcome(item)}", item.outcome[2])]
    spans = [Span(f"{gap}{_outcome(item):<{columns.outcome}}", item.outcome[2])]
    if columns.steps:
        spans.append(Span(f"{gap}{item.steps:>{columns.steps}}", "quiet"))
    if columns.age:
        spans.append(Span(f"{gap}{item.age:>{columns.age}}", "quiet"))
    return spans


def _cells(spans: list[Span]) -> int:
    return sum(cell_len(span.text) for span in spans)


def note_row(item: Item, width: int) -> Line:
    """The second row."""
    return (Span(" " * CURSOR), Span(fitted(item.note, width - CURSOR), "quiet"))


def group_row(name: str, width: int) -> Line:
    """What stands over a group."""
    return (Span(fitted(name, width), "quiet", bold=True),)
