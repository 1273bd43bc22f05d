"""A scenario while it is being written: what it says so far, and everything that is wrong, with the line.

What cannot be told from the text alone (which tools, faults and models there are) is told by what is known.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbench.core.values import ToolInfo
from workbench.faults.catalogue import Catalogue
from workbench.scenarios.errors import Problem, ScenarioError, dotted
from workbench.scenarios.header import build_header
from workbench.scenarios.loader import parse_scenario
from workbench.scenarios.locate import Locations, locate
from workbench.scenarios.models import build_model, is_live
from workbench.scenarios.remarks import remarks
from workbench.scenarios.schema import Scenario
from workbench.toolkit.schema import Arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a scenario can name."""

    tools: tuple[ToolInfo, ...] = ()
    takes: Mapping[str, Arguments] = field(default_factory=dict)
    """What the tools take, by name, as far as it is known."""
    unloaded: str = ""
    """Why there may be further tools, as a sentence; "" when all are loaded."""
    faults: Catalogue | None = None
    """By default the packaged catalogue."""
    models: Path | None = None
    """The file of the live models, which is looked at when a scenario names one."""
    models_trusted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What a text comes to. Without a scenario it cannot be read; with one and problems it can be read and not run."""

    scenario: Scenario | None = None
    problems: tuple[Problem, ...] = ()
    remarks: tuple[Problem, ...] = ()
    """What may be meant so and may be a slip; it can be run."""
    replies: tuple[int, ...] = field(default=())
    """The line on which each reply of the script begins, from 1."""

    def reply_at(self, line: int) -> int:
        """The reply whose part of the text a line is: the last one that begins there or above, the first at least."""
        return max(0, bisect_right(self.replies, line) - 1)


def review(text: str, name: str, known: Known) -> Review:
    """Read the text of a scenario; `name` stands for the file in messages. Raises nothing."""
    locations = locate(text)
    replies = _reply_lines(locations)
    try:
        scenario = parse_scenario(text, name)
    except ScenarioError as error:
        return Review(problems=error.problems, replies=replies)
    found = [_placed(problem, name, locations) for problem in _unknown(scenario, known)]
    return Review(
        scenario=scenario,
        problems=tuple(sorted(found, key=lambda problem: problem.line)),
        remarks=tuple(
            Problem(name, locations.line(path), dotted(path), sentence)
            for path, sentence in remarks(scenario, known.tools, known.takes)
        ),
        replies=replies,
    )


def _reply_lines(locations: Locations) -> tuple[int, ...]:
    lines: list[int] = []
    while place := locations.places.get(("model", "reply", len(lines))):
        lines.append(place.line)
    return tuple(lines)


def _unknown(scenario: Scenario, known: Known) -> Iterable[Problem]:
    """What the scenario names and is not there."""
    problems: list[Problem] = []
    try:
        build_header(scenario, known.tools, id="review", catalogue=known.faults)
    except ScenarioError as error:
        problems += [_with_hint(problem, known) for problem in error.problems]
    try:
        _model(scenario, known)
    except ScenarioError as error:
        problems += error.problems
    return problems


MADE_UP = "to have one called that is not there, leave it out here and name it in a reply"


def _with_hint(problem: Problem, known: Known) -> Problem:
    """A tool may be made up, or not be loaded: that is more to the point than a list of those that are."""
    if not problem.key.startswith("tools["):
        return problem
    what, _, rest = problem.message.partition("; ")
    if not known.unloaded:
        return problem if rest.endswith("?") else replace(problem, message=f"{what}; {MADE_UP}; {rest}")
    message = problem.message if rest.endswith("?") else f"{what} is loaded."
    return replace(problem, message=f"{message} {known.unloaded}")


def _model(scenario: Scenario, known: Known) -> None:
    """Ask whether the model can be had; a live one is not asked anything. Raises ScenarioError."""
    if not is_live(scenario):
        build_model(scenario, _Stopped())
        return
    from workbench.scenarios.live import Models, endpoint_of, load_models  # only for those who need a wire

    models = load_models(known.models, trusted=known.models_trusted) if known.models is not None else Models()
    endpoint_of(scenario, models)


class _Stopped:
    """The clock of a model that is never asked."""

    def now(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        """Nobody sleeps here."""


def _placed(problem: Problem, name: str, locations: Locations) -> Problem:
    """The problem with its line in the text, where it is about the scenario and not about another file.

    A key that is missing stands, as it were, where its table does.
    """
    if problem.line:
        return problem
    lines = {dotted(path): place.line for path, place in locations.places.items()}
    line = lines.get(problem.key) or lines.get(problem.key.rpartition(".")[0]) or 1
    return replace(problem, file=name, line=line)
