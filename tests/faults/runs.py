"""Small runs for faults to strike: a report to read, a refund to pay, a page from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.clocks import VirtualClock
from workbench.core.events import Event, ModelFailed, ModelReply, ToolResult
from workbench.core.faults import fault_from
from workbench.core.values import Fault, Header, Limits, ProtocolName
from workbench.models.scripted import Line, ScriptedCall, ScriptedModel
from workbench.runner import Run
from workbench.toolkit.api import tool
from workbench.toolkit.execute import ToolBox
from workbench.toolkit.loader import LoadedTool, load_function

ROUTES = {
    "north": [{"route": "N1", "km": 140}, {"route": "N2", "km": 96}, {"route": "N3", "km": 57}],
    "south": [{"route": "S1", "km": 210}, {"route": "S2", "km": 34}],
}


@dataclass
class World:
    """What the tools have really done."""

    acts: list[str] = field(default_factory=list)

    def tools(self) -> list[LoadedTool]:
        @tool(risk="read", inline=True, source="atlas")
        def routes(area: str, most: int = 99) -> list[dict[str, Any]]:
            """The routes of an area, with their length."""
            self.acts.append(f"routes {area}")
            return ROUTES[area][:most]

        @tool(risk="read", inline=True)
        def count(thing: str) -> int:
            """How many there are."""
            self.acts.append(f"count {thing}")
            return {"mugs": 140, "cups": 95}[thing]

        @tool(risk="outward", inline=True)
        def refund(order: str) -> str:
            """Pays an order back, once."""
            self.acts.append(f"refund {order}")
            return f"refunded {order}: 12 EUR"

        return [load_function(function) for function in (routes, count, refund)]


class Memory:
    """A journal that keeps its events."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def append(self, event: Event, *, sync: bool) -> None:
        self.events.append(event)


def said(protocol: ProtocolName, *calls: tuple[str, dict[str, Any]], answer: str = "") -> Line:
    """A reply of the script: these calls, or that answer."""
    if protocol == "native":
        return Line(text=answer, calls=tuple(ScriptedCall(tool=name, arguments=given) for name, given in calls))
    if protocol == "text":
        actions = [f"THOUGHT: I need {name}.\nACTION: {name} {json.dumps(given)}" for name, given in calls]
        return Line(text="\n".join(actions) or f"THOUGHT: that is all.\nANSWER: {answer}")
    objects = [json.dumps({"type": "tool", "tool": name, "input": given}) for name, given in calls]
    return Line(text="\n".join(objects) or json.dumps({"type": "answer", "text": answer}))


NORTH, SOUTH = ("routes", {"area": "north"}), ("routes", {"area": "south"})
MUGS, CUPS = ("count", {"thing": "mugs"}), ("count", {"thing": "cups"})
REFUND = ("refund", {"order": "A-17"})


def make_run(
    faults: Sequence[Fault] = (),
    lines: Sequence[Line] = (),
    *,
    protocol: ProtocolName = "native",
    world: World | None = None,
    events: Sequence[Event] = (),
    header: Callable[[Header], Header] = lambda header: header,
    journal: Any = None,
) -> Run:
    """A run on a virtual clock in which everything is allowed."""
    world = world if world is not None else World()
    tools, clock = world.tools(), VirtualClock()
    made = Header(
        id="20260131-100000-7f3a",
        goal="g",
        protocol=protocol,
        limits=Limits(steps=12),
        tools=tuple(loaded.info for loaded in tools),
        approval="allow",
        seed=7,
        faults=tuple(faults),
    )
    return Run(
        header(made),
        model=ScriptedModel(lines, clock=clock),
        tools=ToolBox(tools),
        journal=journal if journal is not None else Memory(),
        clock=clock,
        events=events,
    )


async def played(*faults: Fault, lines: Sequence[Line], protocol: ProtocolName = "native", **options: Any) -> Run:
    """A run, played to where it stops."""
    run = make_run(faults, lines, protocol=protocol, **options)
    await run.play()
    return run


def fault(on: str, do: str, **keys: Any) -> Fault:
    return fault_from({"on": on, "do": do, **keys})


def results(run: Run) -> list[ToolResult]:
    return [event for event in run.events if isinstance(event, ToolResult)]


def replies(run: Run) -> list[ModelReply]:
    return [event for event in run.events if isinstance(event, ModelReply)]


def failures(run: Run) -> list[ModelFailed]:
    return [event for event in run.events if isinstance(event, ModelFailed)]


def counts(run: Run) -> list[tuple[int, int]]:
    """How often the target of each fault has come by, and how often the fault has struck."""
    return [(item.seen, item.fired) for item in run.state.faults]


def with_limits(limits: Limits) -> Callable[[Header], Header]:
    return lambda header: replace(header, limits=limits)
