"""What must hold of the steps of a pipeline, and of the routes of a router."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.core.plan import PIPELINE, TASK, step_of
from workbench.core.templates import TemplateError, is_builtin, names
from workbench.scenarios.errors import Path, nearest, shown, unknown
from workbench.scenarios.recorded import is_recorded
from workbench.scenarios.schema import Scenario
from workbench.scenarios.steps import StepTable

DOES = ("tool", "ask", "answer")
_KNOWS_NOTHING_OF = ("protocol_options", "context")
"""Tables that are about what a model reads and how its calls are read."""

Found = Iterator[tuple[Path, str]]


def plan_problems(scenario: Scenario) -> Found:
    """What is wrong with a scenario whose loop follows a plan: paths, and sentences for whoever wrote the file."""
    loop = shown(scenario.loop)
    if scenario.protocol != "native" and "protocol" in scenario.model_fields_set:
        yield ("protocol",), f"loop = {loop} has no use for it: no call of a model is read here; leave it out"
    if is_recorded(scenario):
        yield ("model", "use"), f"a recording holds the calls of a model, and loop = {loop} makes its own; use a script"
    for table in _KNOWS_NOTHING_OF:
        if table in scenario.model_fields_set:
            yield (table,), f"loop = {loop} knows nothing of it"
    for index, entry in enumerate(scenario.person):
        for name in entry.set or ():
            if name.startswith("context."):
                yield ("person", index, "set", name), f"loop = {loop} knows nothing of it"
    yield from _pipeline(scenario) if scenario.loop == PIPELINE else _router(scenario)


def asks_model(scenario: Scenario) -> bool:
    """Whether a plan has a place where a model is asked."""
    return bool(scenario.route) or any(step.ask is not None for step in scenario.step)


def _pipeline(scenario: Scenario) -> Found:
    if scenario.route:
        yield ("route",), 'belongs to loop = "router", where a model chooses one of them; here is one row of [[step]]'
    elif not scenario.step:
        yield ("loop",), '"pipeline" needs steps: [[step]], with tool, ask or answer'
    yield from _row(scenario, scenario.step, ("step",))
    if scenario.model.reply and scenario.step and not asks_model(scenario):
        yield ("model", "reply"), "is never said: no step asks the model; a step that does has ask"


def _router(scenario: Scenario) -> Found:
    if scenario.step:
        yield ("step",), 'belongs to a route: [[route]], and below it [[route.step]]; one row is loop = "pipeline"'
    elif not scenario.route:
        yield ("loop",), '"router" needs routes: [[route]], with name and about, and below it [[route.step]]'
    taken: set[str] = set()
    for index, route in enumerate(scenario.route):
        path = ("route", index)
        if route.name.casefold() in taken:
            yield (*path, "name"), f"{shown(route.name)} is the name of an earlier route"
        taken.add(route.name.casefold())
        if not route.step:
            yield path, "has no steps: write [[route.step]] below it, with tool, ask or answer"
        yield from _row(scenario, route.step, (*path, "step"))


def _row(scenario: Scenario, steps: Sequence[StepTable], path: Path) -> Found:
    known: list[str] = [TASK]
    for index, step in enumerate(steps):
        here = (*path, index)
        yield from _step(scenario, step, here, last=index == len(steps) - 1)
        yield from _templates(step, index, known, here)
        known += step.capture
        if TASK in step.capture:
            yield (*here, "capture", TASK), f"${{{TASK}}} stands for the task already; choose another name"
        if step.name is None:
            continue
        if step.name in known:
            yield (*here, "name"), f"${{{step.name}}} stands for something already; choose another name"
        known.append(step.name)


def _step(scenario: Scenario, step: StepTable, path: Path, *, last: bool) -> Found:
    given = [key for key in DOES if getattr(step, key) is not None]
    if len(given) != 1:
        has = f"has {' and '.join(given)}" if given else "does nothing"
        yield path, f"{has}; a step is one of three: tool calls one, ask asks the model, answer ends the run"
        return
    if step.tool is not None and step.tool not in scenario.tools:
        yield (*path, "tool"), unknown(step.tool, scenario.tools, "this scenario has no tool")
    if step.tool is None and "arguments" in step.model_fields_set:
        yield (*path, "arguments"), "goes with tool"
    if step.answer is not None and step.capture:
        yield (*path, "capture"), "has nothing to read: an answer ends the run"
    if step.answer is not None and not last:
        yield (*path, "answer"), "ends the run, so no step can come after it"
    for key in ("ask", "answer"):
        text = getattr(step, key)
        if text is not None and not text.strip():
            yield (*path, key), "must be text that is not empty"


def _templates(step: StepTable, index: int, known: Sequence[str], path: Path) -> Found:
    does = next((key for key in DOES if getattr(step, key) is not None), "")
    if not does:
        return
    place = (*path, "arguments" if does == "tool" else does)
    try:
        template = step_of(step.model_dump(exclude_none=True), index + 1).text
    except TemplateError as error:
        yield place, str(error)
        return
    for name in names(template):
        number = int(name.removeprefix("result")) if is_builtin(name) and name.startswith("result") else 0
        if number > index:
            step_words = "no step" if not index else "only 1 step" if index == 1 else f"only {index} steps"
            yield place, f"${{{name}}} stands for nothing: there is {step_words} before this one"
        elif name not in known and not is_builtin(name):
            near = nearest(name, ("last", "total", "result1", *known))
            hint = f"did you mean ${{{near}}}?" if near else "there are ${goal}, ${last}, ${total}, ${result1}, …"
            nothing = "stands for nothing, as no step up to here has that name or captures it"
            yield place, f"${{{name}}} {nothing}; {hint} A literal ${{ is $${{"
