"""The words for the steps of a plan."""

from __future__ import annotations

from workbench.core.events import Planned
from workbench.core.state import State
from workbench.view.lines import NAME_ROOM, cut_line, one_line


def step_words(state: State) -> str:
    """The step of the plan that is due, and what it does."""
    step = state.plan.due(state.place) if state.plan is not None else None
    if step is None:
        return "take the next step"
    does = {"call": f"run {cut_line(step.tool, NAME_ROOM)}", "ask": "ask the model", "answer": "give the answer"}[
        step.does
    ]
    return f"step {step.number} of the plan: {does}"


def planned_words(event: Planned, state: State) -> str:
    """Which step of the plan it is, of how many, and what for."""
    row = state.plan.row(event.route) if state.plan is not None else ()
    parts = [f"step {event.step} of {len(row)}", *([f"route {one_line(event.route)}"] if event.route else [])]
    if event.name:
        parts.append(one_line(event.name))
    if event.does == "ask" and not event.problem:
        parts.append("asks the model")
    return " · ".join(parts)
