"""From the step that is due to the event that records it: templates filled, its call numbered and validated."""

from __future__ import annotations

from workbench.core.events import Planned
from workbench.core.following import due, plan_of_run
from workbench.core.plan import filled
from workbench.core.reading import Check, call_of
from workbench.core.state import State
from workbench.core.templates import TemplateError
from workbench.core.values import RawCall


def planned(state: State, check: Check) -> Planned:
    """The event that takes the step which is due in `state`. `check` validates its arguments as a model's."""
    step, place = due(state), state.place
    try:
        text = filled(step, plan_of_run(state).row(place.route), place)
    except TemplateError as error:
        return Planned(step=step.number, route=place.route, name=step.name, does=step.does, problem=str(error))
    return Planned(
        step=step.number,
        route=place.route,
        name=step.name,
        does=step.does,
        text="" if step.does == "call" else text,
        calls=(call_of(state, 0, RawCall(step.tool, text), check),) if step.does == "call" else (),
    )
