"""A plan: steps whose order is written down beforehand, so that code and not a model chooses what comes next.

A pipeline has one row of steps. A router has several, its routes, and the model chooses one of them, once. A step is a
call of a tool, a question to the model, or the answer. Its texts and arguments are templates: `${goal}` is the task,
`${last}` what the step before gave (the task, before the first), `${result2}` what the second step gave, `${total}` the
sum of what is a number, and the name of a step or of a capture is what that gave or found. Pure data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from workbench.core import templates
from workbench.core.protocols import thinking
from workbench.core.templates import Template, TemplateError
from workbench.core.values import ProtocolName, ProtocolOptions, RawCall, Reading, ToolInfo

PIPELINE, ROUTER = "pipeline", "router"
LOOPS = (PIPELINE, ROUTER)
"""The loops that follow a plan, by the name that a scenario has for them."""
TASK = "goal"
"""The name of the task in templates."""

Does = Literal["call", "ask", "answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step. `text` is the arguments of the call as JSON, what the model is asked, or the answer."""

    number: int
    """In its row, from 1."""
    does: Does
    text: Template
    name: str = ""
    tool: str = ""
    capture: tuple[tuple[str, str], ...] = ()
    """Name and regular expression, for what the step gives. Where one finds nothing, the step has failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One of the rows that a router has."""

    name: str
    about: str = ""
    """What it is for, as the model reads it."""
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """How far a run is in its plan."""

    task: str = ""
    route: str = ""
    """The row, once it is chosen; a pipeline has but one, without a name."""
    asked: bool = False
    """Whether the question of the step that is due has been put to the model."""
    given: tuple[str, ...] = ()
    """What each step gave, as far as they are taken."""
    captures: Mapping[str, str] = field(default_factory=dict)

    @property
    def last(self) -> str:
        """What the step before gave; the task, where none was taken."""
        return self.given[-1] if self.given else self.task

    def after(self, content: str, found: Mapping[str, str]) -> Place:
        """The place after a step has given that, with what it captured in it."""
        return replace(self, asked=False, given=(*self.given, content), captures={**self.captures, **found})


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The steps of a pipeline, or the routes of a router."""

    steps: tuple[Step, ...] = ()
    routes: tuple[Route, ...] = ()

    @property
    def loop(self) -> str:
        """What a scenario calls the loop."""
        return ROUTER if self.routes else PIPELINE

    @property
    def ever_asks(self) -> bool:
        """Whether there is a place in it at which a model is asked."""
        return bool(self.routes) or any(step.does == "ask" for step in self.steps)

    def row(self, route: str) -> tuple[Step, ...]:
        """The steps of a route; "" is a pipeline's only row, and the row of a router that has not chosen."""
        return next((each.steps for each in self.routes if each.name == route), self.steps)

    def due(self, place: Place) -> Step | None:
        """The step that comes next; None where the row is at its end, or no row is chosen yet."""
        row, at = self.row(place.route), len(place.given)
        return row[at] if at < len(row) else None

    def chooses(self, place: Place) -> bool:
        """Whether the model is to choose a route."""
        return bool(self.routes) and not place.route

    def asks_model(self, place: Place) -> bool:
        """Whether what comes next is for the model to say."""
        return place.asked or self.chooses(place)

    def chosen(self, said: str) -> Route | None:
        """The route that the model names: its name and nothing else; case, quotes and a full stop do not count."""
        name = said.strip().strip("\"'`*.").casefold()
        return next((route for route in self.routes if route.name.casefold() == name), None)

    @property
    def instructions(self) -> str:
        """What the model is told beforehand: the routes that there are."""
        if not self.routes:
            return ""
        lines = [f"- {route.name}: {route.about}" if route.about else f"- {route.name}" for route in self.routes]
        return "\n".join(("Choose one of these routes. Reply with its name and nothing else.", *lines))


class PlannedProtocol:
    """How a model is spoken to that only answers what a plan asks: in plain words, and no tools are offered."""

    name: ProtocolName = "native"
    native_tools = False

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def read(self, text: str, calls: tuple[RawCall, ...], options: ProtocolOptions) -> Reading:  # noqa: ARG002
        """Whatever the reply says is its answer, also an empty one: the plan asks once."""
        return Reading(kind="answer", answer=thinking.visible(text, thinking.start(text), len(text)).strip())

    def user(self, text: str) -> str:
        return text

    def observation(self, tool: str, content: str, *, is_error: bool) -> str:  # noqa: ARG002 - nobody reads it
        return content

    def notice(self, text: str, *, is_error: bool) -> str:  # noqa: ARG002
        return text

    def instructions(self, tools: tuple[ToolInfo, ...], options: ProtocolOptions) -> str:  # noqa: ARG002
        return self.plan.instructions


def filled(step: Step, row: Sequence[Step], place: Place) -> str:
    """The text of a step of that row at that place. Raises TemplateError."""
    named = {each.name: given for each, given in zip(row, place.given, strict=False) if each.name}
    known = {TASK: place.task, **named, **place.captures}

    def lookup(name: str) -> str:
        if name in known:
            return known[name]
        if name == "last":
            return place.last
        if name == "total":
            return templates.total(place.given)
        if not templates.is_builtin(name):
            raise TemplateError(f"${{{name}}} stands for nothing: no step before this one has that name or captures it")
        return templates.nth_result(name, place.given)

    return templates.fill(step.text, lookup)


# ---------------------------------------------------------------- from the scenario of a run


def plan_of(scenario: Mapping[str, Any], tools: Sequence[ToolInfo] = ()) -> Plan | None:
    """The plan of a scenario in its plain form; None for one whose loop follows none. Raises ValueError.

    What `tools` take for text is text, also where a result or a capture looks like a number.
    """
    if scenario.get("loop") not in LOOPS:
        return None
    try:
        schemas = {tool.name: json.loads(tool.schema) for tool in tools}
        if scenario["loop"] == PIPELINE:
            return Plan(steps=_row(scenario["step"], schemas))
        routes = (
            Route(name=table["name"], about=table.get("about", ""), steps=_row(table["step"], schemas))
            for table in scenario["route"]
        )
        return Plan(routes=tuple(routes))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the steps of this run cannot be read: {error}") from None


def _row(tables: Sequence[Mapping[str, Any]], schemas: Mapping[str, Any]) -> tuple[Step, ...]:
    if not tables:
        raise ValueError("there are none")
    return tuple(step_of(table, number, schemas.get(table.get("tool", ""))) for number, table in enumerate(tables, 1))


def step_of(table: Mapping[str, Any], number: int, schema: Any = None) -> Step:
    """The step of a plain table; `schema` is that of its tool, where it is known. Raises TemplateError, a ValueError,
    for a text that is no template.
    """
    does: Does = "call" if "tool" in table else "ask" if "ask" in table else "answer"
    if does == "call":
        text = templates.compile_json(table.get("arguments", {}), schema)
    else:
        text = templates.compile_text(table[does])
    return Step(
        number=number,
        does=does,
        text=text,
        name=table.get("name", ""),
        tool=table.get("tool", ""),
        capture=tuple(table.get("capture", {}).items()),
    )
