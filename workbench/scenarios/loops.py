"""The loops that a scenario can name, and what each of them can do with a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.core.plan import LOOPS, PIPELINE, ROUTER
from workbench.core.values import ProtocolName
from workbench.scenarios.errors import Path, one_of, shown, unknown
from workbench.scenarios.plans import plan_problems
from workbench.scenarios.schema import Scenario

ENGINE = "engine"

MUSEUM: Mapping[str, ProtocolName] = {
    "v1": "text",
    "v2": "text",
    "v3": "text",
    "find-the-bugs": "json",
    "dropped-message": "native",
    "some-calls-answered": "native",
    "split-results": "native",
    "arguments-as-object": "native",
    "arguments-sent-back": "native",
    "text-as-success": "native",
    "catch-all": "native",
    "silent-truncation": "text",
    "path-prefix": "text",
    "retry-the-run": "text",
    "no-cap": "text",
}
"""The wrong loops, in the order in which they are shown, with the one protocol that each is written for."""

WITHOUT_BILL = ("scripted", "simulated", "human")
"""Models for loops that keep no cap."""

_NOT_KNOWN = ("goal_check", "authority", "context")
"""Tables that promise something a wrong loop would not keep."""


def protocol_of(scenario: Scenario) -> ProtocolName:
    """How a model is spoken to. One that only answers what a plan asks calls no tools, and there is nothing to read."""
    return "native" if scenario.loop in LOOPS else scenario.protocol


def loop_problems(scenario: Scenario) -> Iterator[tuple[Path, str]]:
    """What is wrong with the choice of the loop: paths, and sentences for whoever wrote the file."""
    name = scenario.loop
    if name in LOOPS:
        yield from plan_problems(scenario)
        return
    for key in ("step", "route"):
        if key in scenario.model_fields_set:
            fitting = PIPELINE if key == "step" else ROUTER
            yield (key,), f'belongs to loop = "{fitting}"; with loop = {shown(name)} no code chooses what comes next'
    if name == ENGINE:
        return
    protocol = MUSEUM.get(name)
    if protocol is None:
        yield ("loop",), unknown(name, [ENGINE, *LOOPS, *MUSEUM], "there is no loop")
        return
    if scenario.protocol != protocol:
        yield ("loop",), f'{shown(name)} reads no other protocol than {shown(protocol)}; write protocol = "{protocol}"'
    if scenario.model.use not in WITHOUT_BILL:
        yield ("model", "use"), f"{shown(name)} keeps no cap that can be relied on, so it takes {one_of(WITHOUT_BILL)}"
    for table in _NOT_KNOWN:
        if table in scenario.model_fields_set:
            yield (table,), f"loop = {shown(name)} knows nothing of it"
