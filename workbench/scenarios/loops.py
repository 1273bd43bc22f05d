"""The loops that a scenario can name, and what each of them can do with a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.core.values import ProtocolName
from workbench.scenarios.errors import Path, one_of, shown, unknown
from workbench.scenarios.schema import Scenario

ENGINE = "engine"

MUSEUM: Mapping[str, ProtocolName] = {
    "v1": "text",
    "v2": "text",
    "v3": "text",
    "find-the-bugs": "json",
    "dropped-message": "native",
    "some-calls-answered": "native",
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

_FIXED = ("pipeline", "router")
"""Loops in which code and not a model chooses the next step: a script is one."""

_NOT_KNOWN = ("goal_check", "authority", "context")
"""Tables that promise something a wrong loop would not keep."""


def loop_problems(scenario: Scenario) -> Iterator[tuple[Path, str]]:
    """What is wrong with the choice of the loop: paths, and sentences for whoever wrote the file."""
    name = scenario.loop
    if name == ENGINE:
        return
    protocol = MUSEUM.get(name)
    if name in _FIXED:
        message = f"{shown(name)} is no loop of its own: fixed steps are the [[model.reply]] of a script, "
        yield ("loop",), f"{message}taken in order, with when to branch and capture to carry on; leave loop out"
        return
    if protocol is None:
        yield ("loop",), unknown(name, [ENGINE, *MUSEUM], "there is no loop")
        return
    if scenario.protocol != protocol:
        yield ("loop",), f'{shown(name)} reads no other protocol than {shown(protocol)}; write protocol = "{protocol}"'
    if scenario.model.use not in WITHOUT_BILL:
        yield ("model", "use"), f"{shown(name)} keeps no cap that can be relied on, so it takes {one_of(WITHOUT_BILL)}"
    for table in _NOT_KNOWN:
        if table in scenario.model_fields_set:
            yield (table,), f"loop = {shown(name)} knows nothing of it"
