"""A plan laid open: its steps as pseudo-code, the line a run is at, and a sentence for every move."""

from __future__ import annotations

from workbench.core import templates
from workbench.core.events import Decided, Event, ModelFailed, ModelReply, Planned, ToolResult, ToolStarted
from workbench.core.following import STEP
from workbench.core.loop import AskPerson, next_move
from workbench.core.plan import Plan, Step
from workbench.core.state import State
from workbench.core.statuses import SUCCESSES, Status
from workbench.view import words
from workbench.view.entries import Line, Span
from workbench.view.lines import cut, one_line
from workbench.view.tracer import Trace
from workbench.view.visible import visible

_CHOOSE, _NO_ROUTE = ("", -1), ("", -2)
"""Lines of a router that are no steps."""


def code_lines(plan: Plan) -> tuple[str, ...]:
    """The plan as pseudo-code, a step a line."""
    return tuple(text for text, _ in _coded(plan))


def _coded(plan: Plan) -> list[tuple[str, tuple[str, int]]]:
    """Each line, with the route and the number of the step that it is."""
    coded = [("goal = the task", ("", 0))]
    coded += [(_step_line(step), ("", step.number)) for step in plan.steps]
    if plan.routes:
        coded.append(("route = model(goal, the routes)", _CHOOSE))
    for route in plan.routes:
        coded.append((f'if route is "{one_line(route.name)}":', (route.name, 0)))
        coded += [(f"  {_step_line(step)}", (route.name, step.number)) for step in route.steps]
    if plan.routes:
        coded.append(('otherwise: return "no route"', _NO_ROUTE))
    return coded


def _step_line(step: Step) -> str:
    text = one_line(templates.source(step.text))
    if step.does == "answer":
        return f"return {text}"
    does = f"model({text})" if step.does == "ask" else f"{one_line(step.tool)} {text}"
    found = ", ".join(name for name, _ in step.capture)
    return f"{step.name or f'result{step.number}'} = {does}{f'  -> {found}' if found else ''}"


# ---------------------------------------------------------------- where a run is in it


def plan_trace(state: State, event: Event | None, *, running: bool = True) -> Trace:
    """The place of a run that follows a plan, and whose latest event is `event`."""
    plan = state.plan
    assert plan is not None, "the run follows no plan"
    keys = [key for _, key in _coded(plan)]
    return Trace(keys.index(_key(state, plan)), _caption(state, plan, event, running=running))


def _key(state: State, plan: Plan) -> tuple[str, int]:
    place, stop = state.place, state.stopped
    if stop is not None and stop.status is Status.NO_ROUTE:
        return _NO_ROUTE
    if stop is not None and stop.knob == STEP and stop.limit is not None:
        return place.route, int(stop.limit)
    if state.planned is not None:
        return place.route, state.planned.step
    if plan.chooses(place):
        return _CHOOSE if state.started else ("", 0)
    return place.route, len(place.given)


def _caption(state: State, plan: Plan, event: Event | None, *, running: bool) -> str:
    stop = state.stopped
    if stop is not None:
        if stop.status in SUCCESSES:
            return "The last step has given the answer, so the run ends."
        why = one_line(stop.detail or words.stop_title(state)).rstrip(".")
        return f"The plan ends here: {why}."
    if running and isinstance(event, ToolStarted):
        return f"{_tool(state, event.call)} is running. That it started is on disk already."
    move = next_move(state)
    if isinstance(move, AskPerson):
        return {
            "approval": "A gate stands before the step. Nothing has run yet.",
            "hold": "It stands at the door: no later step has it yet.",
        }.get(move.question.on, "The tool had started when the run broke off. Nobody knows what it did.")
    match event:
        case Planned():
            return _taken(event)
        case ModelReply() if state.place.route and not state.place.given:
            return f"The model has chosen {one_line(state.place.route)}. From here on code says what comes next."
        case ModelReply():
            return "The model has said what it was asked for. It chooses nothing: the next step is written down."
        case ModelFailed():
            return f"The request brought no reply: {event.failure.replace('_', ' ')}."
        case Decided():
            return f"It is decided what becomes of {_tool(state, event.call)}."
        case ToolResult() if event.is_error:
            return f"{_tool(state, event.call)} fails, and no model is there to find a way round: the run ends here."
        case ToolResult():
            return f"{_tool(state, event.call)} has given its result. Later steps have it by name."
        case None:
            return "Nothing has happened yet."
        case _:
            return "The task is there. What comes next is written down." if not plan.routes else "The task is there."


def _taken(event: Planned) -> str:
    if event.problem:
        return f"Step {event.step} cannot be taken: {one_line(event.problem)}"
    return {
        "call": f"Code takes step {event.step}: its arguments are filled in. No model chose it.",
        "ask": f"Step {event.step} puts one question to the model; it gets no tools.",
        "answer": f"Step {event.step} gives the answer.",
    }[event.does]


def _tool(state: State, call_id: str) -> str:
    record = state.record(call_id)
    return visible(record.call.tool) if record is not None else call_id


# ---------------------------------------------------------------- what it has so far


def given_rows(state: State, width: int, rows: int) -> list[Line]:
    """The task and what each step gave, by the name that later steps have for it."""
    plan, place = state.plan, state.place
    row = plan.row(place.route) if plan is not None else ()
    names = [step.name or f"result{step.number}" for step in row]
    pairs = [("goal", place.task), *zip(names, place.given, strict=False), *place.captures.items()]
    label = min(16, max(len(name) for name, _ in pairs) + 2)
    lines: list[Line] = []
    for name, text in pairs[-rows:]:
        shown = cut(visible(text).replace("\n", " ↵ "), width - label)
        lines.append((Span(f"{cut(name, label - 1):<{label}}", "quiet"), Span(shown)))
    return lines if state.started else []
