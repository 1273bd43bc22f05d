"""How a run comes to its end: for one reason, the first there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.events import Stopped
from workbench.core.notices import goal_not_met
from workbench.core.patterns import search
from workbench.core.statuses import Status

if TYPE_CHECKING:
    from workbench.core.state import State


def end(state: State, stop: Stopped) -> None:
    """The run is to end for this reason, unless it is ending for another already."""
    if state.stop is None:
        state.stop = stop


def answered(state: State, answer: str) -> None:
    """An answer is there. Where the goal check does not hold, a model is told so; a plan has no further step."""
    check = state.header.goal_check
    if state.stop is not None:
        return
    if check is None:
        state.answer, state.stop = answer, Stopped(status=Status.ANSWERED)
    elif check.answer_matches and search(check.answer_matches, answer):
        state.answer, state.stop = answer, Stopped(status=Status.GOAL_REACHED, knob="goal_check")
    elif state.plan is None:
        state.due = (*state.due, goal_not_met())
    else:
        detail = "the last step was taken, and the goal check does not hold"
        state.stop = Stopped(status=Status.STEP_FAILED, knob="goal_check", detail=detail)
