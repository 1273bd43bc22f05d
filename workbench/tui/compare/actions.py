"""What a person can do while two runs are compared. The registry has these among all others."""

from __future__ import annotations

from functools import partial

from workbench.tui import situation as when
from workbench.tui.action import Action

_compare = partial(Action, where="compare", group="Compare")

COMPARE: tuple[Action, ...] = (
    _compare("row_up", "up,k", "up", "The row above."),
    _compare("row_down", "down,j", "down", "The row below."),
    _compare("choose_a", "left", "run A", "Let enter open run A.", label="A or B", pair="choose_b"),
    _compare("choose_b", "right", "run B", "Let enter open run B."),
    _compare(
        "open_at",
        "enter",
        "open the run there",
        "The run that is chosen, as it was at the event of this row.",
        label=lambda s: s.opens,
        unless=when.opens_there,
    ),
    _compare("next_difference", "n", "next difference", "The next row in which they differ.", short="next"),
    _compare("to_parting", "p", "where they part", "The row in which they part first.", short="parting"),
    _compare("view_row", "v", "view whole", "All that both say in this row.", short="all", unless=when.picked),
)
