"""What a person can do in the fault matrix. The registry has these among all others."""

from __future__ import annotations

from functools import partial

from workbench.tui import situation as when
from workbench.tui.action import Action

_matrix = partial(Action, where="matrix", group="Fault matrix")

MATRIX: tuple[Action, ...] = (
    _matrix("cell_up", "up,k", "up", "The fault above."),
    _matrix("cell_down", "down,j", "down", "The fault below."),
    _matrix("cell_left", "left", "step before", "The same fault a step earlier.", label="step", pair="cell_right"),
    _matrix("cell_right", "right", "step after", "The same fault a step later."),
    _matrix(
        "open_cell",
        "enter",
        "open its run",
        "The run of this cell, made again and played to its end.",
        unless=when.made,
    ),
    _matrix(
        "next_finding",
        "n",
        "next finding",
        "The next cell that is wrong, endless or a defect.",
        unless=when.made,
    ),
    _matrix("save_matrix", "s", "save…", "Write the grid to a file, as Markdown or JSON.", unless=when.made),
    _matrix("stop_matrix", "x", "stop", "Make no more runs; what is known stays.", unless=when.making),
)
