"""How a run follows its plan: what the fold makes of a step that is taken, of its result, and of what the model says.

A step that fails ends the run, and stays due: whoever lets the run go on has it taken once more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.core import templates
from workbench.core.ending import answered, end
from workbench.core.events import Planned, Stopped, ToolResult
from workbench.core.plan import Place, Plan, Step
from workbench.core.records import CallRecord
from workbench.core.statuses import Status
from workbench.core.templates import TemplateError

if TYPE_CHECKING:
    from workbench.core.state import State

STEP, ROUTE = "step", "route"
"""The knobs of a stop by a step that failed, and by a choice that is no route."""
MOST_OF_A_REASON = 400
"""Characters of what a step gave that are told with the stop: all of it is in the result."""


def begin(state: State, task: str) -> None:
    """The task of the plan is given. One that comes after the end has the steps taken anew; on the way it is heard."""
    ended = state.stop is not None or state.stopped is not None
    if state.plan is not None and (ended or not state.started):
        state.place = Place(task=task)


def go_on(state: State) -> None:
    """A stopped run goes on: where no step is left, what the last one gave is its answer."""
    plan, place = state.plan, state.place
    if plan is not None and place.given and plan.due(place) is None:
        answered(state, place.last)


def take(state: State, event: Planned) -> None:
    """A step is taken; raises ValueError for one that is not due."""
    plan, place = plan_of_run(state), state.place
    step = None if plan.asks_model(place) or state.open_calls() else plan.due(place)
    if step is None or (event.route, event.step, event.does) != (place.route, step.number, step.does):
        raise ValueError(f"event {state.n} takes step {event.step}, which is not due")
    state.calls.extend(state.batch)
    state.planned, state.batch, state.delivered = event, [], 0
    if event.problem:
        _fail(state, event.problem)
    elif event.does == "call":
        state.steps += 1
        state.total_steps += 1
        state.batch = [CallRecord(call, state.total_steps, state.n) for call in event.calls]
        state.call_count += len(event.calls)
    elif event.does == "ask":
        state.place = replace(state.place, asked=True)
    else:
        gave(state, event.text)


def came(state: State, record: CallRecord, event: ToolResult) -> None:
    """The call of a step has its result. No model reads it: later steps do."""
    state.delivered += 1
    if event.is_error:
        _fail(state, f"{record.call.tool}: {event.content}")
    else:
        gave(state, event.content)


def told(state: State, text: str) -> None:
    """The model has said what it was asked for: what a step gives, or which route."""
    plan, place = plan_of_run(state), state.place
    if not plan.asks_model(place):
        raise ValueError(f"event {state.n} is a reply, and the step that is due asks for none")
    if not place.asked:
        route = plan.chosen(text)
        if route is not None:
            state.place = replace(place, route=route.name)
            return
        names = ", ".join(route.name for route in plan.routes)
        said = f'"{text}" is no route' if text else "the reply was empty"
        end(state, Stopped(status=Status.NO_ROUTE, knob=ROUTE, detail=f"{said}; there are {names}"))
    elif text:
        gave(state, text)
    else:
        _fail(state, "the model said nothing")


def gave(state: State, content: str) -> None:
    """A step has given something: the plan goes on after it, and what the last one gives is the answer."""
    try:
        found = templates.captured(due(state).capture, content, f'"{content}"')
    except TemplateError as error:
        _fail(state, str(error))
        return
    state.place = state.place.after(content, found)
    if plan_of_run(state).due(state.place) is None:
        answered(state, content)


def due(state: State) -> Step:
    """The step that is due, of a run that has one."""
    step = plan_of_run(state).due(state.place)
    assert step is not None, "no step is due"
    return step


def plan_of_run(state: State) -> Plan:
    """The plan of a run that follows one; raises ValueError for another run."""
    if state.plan is None:
        raise ValueError(f"event {state.n} takes a step, and this run follows no plan")
    return state.plan


def _fail(state: State, why: str) -> None:
    why = " ".join(why.split())
    why = why if len(why) <= MOST_OF_A_REASON else f"{why[:MOST_OF_A_REASON]}…"
    step = due(state)
    state.place = replace(state.place, asked=False)
    which = f"step {step.number} of route {state.place.route}" if state.place.route else f"step {step.number}"
    end(state, Stopped(status=Status.STEP_FAILED, knob=STEP, limit=step.number, detail=f"{which}, {why}"))
