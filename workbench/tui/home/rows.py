"""How an item of a list is drawn at a width: a title, what stands at the right edge, and a quiet line below it."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

from workbench.view.entries import Line, Role, Span
from workbench.view.shelf import Item, branch_sign
from workbench.view.visible import visible

CURSOR = 2
"""Cells before the title, where the cursor stands."""
TITLE = 16
"""Cells that a title keeps before figures at its right are left out."""
OUTCOME, STEPS, AGE = 14, 9, 8


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


def title_row(item: Item, width: int, *, picked: bool) -> Line:
    """The first row: lineage and title, and at the right what came of it, steps and age, as far as there is room."""
    branch = branch_sign(item.depth)
    columns = _columns(item)
    room = width - CURSOR - len(branch)
    while len(columns) > 1 and room - _cells(columns) < TITLE:
        del columns[1]
    role: Role = "quiet" if item.kind == "bad" else ""
    return (
        Span("▸ " if picked else "  ", "primary"),
        Span(branch, "rule"),
        Span(name_of(item, room - _cells(columns)), role, bold=picked),
        *columns,
    )


def _columns(item: Item) -> list[Span]:
    """What stands at the right: outcome, steps, age. The first stays longest, the second goes first."""
    if item.outcome is None:
        return []
    sign, word, role = item.outcome
    shown = f"{sign} {word}".strip()
    if item.kind != "session":
        return [Span(f"  {shown}", role)]
    return [
        Span(f"  {shown:<{OUTCOME}}", role),
        Span(f"{item.steps:>{STEPS}}", "quiet"),
        Span(f"{item.age:>{AGE}}", "quiet"),
    ]


def _cells(spans: list[Span]) -> int:
    return sum(cell_len(span.text) for span in spans)


def note_row(item: Item, width: int) -> Line:
    """The second row."""
    return (Span(" " * CURSOR), Span(fitted(item.note, width - CURSOR), "quiet"))


def group_row(name: str, width: int) -> Line:
    """What stands over a group."""
    return (Span(fitted(name, width), "quiet", bold=True),)
