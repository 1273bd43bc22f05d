"""Which model a run asks: its scenario's own, or one that a person has chosen for it; and which there are to choose."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.events import Event, SettingsChanged
from workbench.core.model_info import model_from
from workbench.core.ports import Clock, Model
from workbench.core.state import State
from workbench.core.values import Limits, ModelInfo
from workbench.home import Home
from workbench.scenarios.errors import Problem, ScenarioError
from workbench.scenarios.header import model_info
from workbench.scenarios.loader import line_in, load_scenario, scenario_from_plain, to_plain
from workbench.scenarios.loops import protocol_of
from workbench.scenarios.models import BUILDERS, build_model, is_live
from workbench.scenarios.recorded import RECORDED
from workbench.scenarios.schema import LimitsTable, Scenario

if TYPE_CHECKING:
    from workbench.models.live import LiveModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A model that can be asked."""

    scenario: Scenario
    """The scenario that asks for it."""
    model: Model
    info: ModelInfo
    live: LiveModel | None = None
    """The same, where it is one over the network: it keeps connections, and is to be closed."""
    notes: tuple[str, ...] = ()
    """What a person should know before it is asked, a sentence each; of a live model `warned` says more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A model to choose."""

    choice: str
    """What `with_other` takes; also how it is called."""
    about: str
    missing: tuple[str, ...] = ()
    """What keeps it from replying, or what cannot be told of it, a sentence each."""


def asked_by(scenario: Scenario, home: Home, clock: Clock, file: str, *, typed_url: str = "") -> Asked:
    """The model that a scenario asks for. `typed_url` is an address that a person has given just now.

    Raises ScenarioError.
    """
    if not is_live(scenario):
        return Asked(scenario=scenario, model=build_model(scenario, clock, file), info=model_info(scenario))
    from workbench.models.live import LiveModel  # only for those who need a wire
    from workbench.scenarios.live import endpoint_of, load_models

    models = load_models(home.models, trusted=home.tools_trusted)
    endpoint = endpoint_of(scenario, models, file, typed_url=typed_url)
    live, info = LiveModel(endpoint, clock=clock), model_info(scenario, endpoint)
    return Asked(scenario=scenario, model=live, info=info, live=live)


def warned(asked: Asked, limits: LimitsTable | Limits) -> tuple[str, ...]:
    """What a person should know before it is asked in a run with these limits, a sentence each."""
    if asked.live is None:
        return asked.notes
    from workbench.scenarios.live import warnings

    return (*asked.notes, *warnings(asked.live.endpoint, limits))


def asked_again(scenario: Scenario, home: Home, clock: Clock, file: str, *, typed_url: str = "") -> Asked:
    """As `asked_by`, for a saved run: where its model cannot be asked any more, what it said can still be read."""
    if not is_live(scenario):
        return asked_by(scenario, home, clock, file)
    from workbench.models.live import AbsentModel

    try:
        asked = asked_by(scenario, home, clock, file, typed_url=typed_url)
    except ScenarioError as error:
        problem = f"its model cannot be asked: {error}"
        return Asked(
            scenario=scenario,
            model=AbsentModel(scenario.model.use, problem),
            info=ModelInfo(use=scenario.model.use, shown=scenario.model.use, free=False),
            notes=(problem,),
        )
    return asked


# ---------------------------------------------------------------- another model


SCRIPTS = frozenset({"scripted", "simulated"})
"""Models whose replies are lines of a scenario."""


def asked_instead(scenario: Scenario, home: Home, clock: Clock, file: str, *, choice: str, base_url: str = "") -> Asked:
    """Another model for a run of the scenario: as `with_other` names it, or a scenario file, whose script is said from
    its first line on. `base_url` is an address that a person has given just now. Raises ScenarioError.
    """
    if not choice.endswith(".toml"):
        return asked_by(with_other(scenario, choice, base_url), home, clock, file, typed_url=base_url)
    path = _script_file(choice, home)
    other = load_scenario(path)
    if other.model.use not in SCRIPTS:
        message = f"has no script to say: its model is {other.model.use}"
        raise ScenarioError([Problem(str(path), line_in(str(path), ("model", "use")), "model.use", message)])
    asked = asked_by(scenario.model_copy(update={"model": other.model}), home, clock, str(path))
    info = replace(asked.info, shown=f"the script {path.stem}", table=to_plain(other)["model"])
    theirs, ours = protocol_of(other), protocol_of(scenario)
    odd = f"{path.stem} is written for the {theirs} protocol, and this run speaks {ours}"
    return replace(asked, info=info, notes=(odd,) if theirs != ours else ())


def _script_file(name: str, home: Home) -> Path:
    """The scenario file of that path, or of that name in a folder of scripts. Raises ScenarioError."""
    for path in (Path(name).expanduser(), *(folder / name for folder in home.scripts)):
        if os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises for a name that is too long
            return path.resolve()
    raise ScenarioError([Problem(f"--model {name}", 0, "", "there is no such scenario file")])


def with_other(scenario: Scenario, choice: str, base_url: str = "") -> Scenario:
    """The scenario with another model: `WIRE:NAME`, a name of models.toml, or one of the offline models; "" for its
    own. Raises ScenarioError.
    """
    if not base_url and choice in ("", own_choice(scenario)):
        return scenario
    from workbench.scenarios.live import with_model

    return with_model(scenario, choice, base_url)


def latest_choice(events: Sequence[Event]) -> ModelInfo | None:
    """The model that was last chosen in a run; None where it is still the scenario's. Raises ValueError."""
    for event in reversed(events):
        if isinstance(event, SettingsChanged) and "model" in event.changes:
            return model_from(event.changes["model"])
    return None


def with_choice(scenario: Scenario, info: ModelInfo | None) -> Scenario:
    """The scenario as it asks the model that was chosen. Raises ScenarioError."""
    if info is None:
        return scenario
    if info.table:
        return scenario_from_plain({**to_plain(scenario), "model": info.table}, scenario.title)
    choice = f"{info.use}:{info.name}" if info.name else info.use
    as_own = choice == own_choice(scenario) and info.base_url == (scenario.model.base_url or "")
    return scenario if as_own else with_other(scenario, choice, info.base_url)


# ---------------------------------------------------------------- what there is to choose


def options(scenario: Scenario, home: Home) -> list[Option]:
    """The models that a run of the scenario can be given: its own first, then those without a network, then the live
    ones of models.toml. Any other is `WIRE:NAME`. Raises ScenarioError for a models.toml that cannot be read.

    What is recorded, and how often a simulated one slips, stands in a scenario: those are not chosen by name.
    """
    own = scenario.model
    lines = len(own.reply)
    about: Mapping[str, str] = {
        "scripted": f"its {lines} replies, from the same place on" if lines else "the scenario has no replies",
        "human": "you write each reply",
    }
    choices = [Option(choice=own_choice(scenario), about="the scenario's own")]
    choices += [
        Option(choice=name, about=about.get(name, ""))
        for name in BUILDERS
        if name not in (own.use, RECORDED, "simulated") and (name != "scripted" or lines)
    ]
    return [*choices, *_live_options(scenario, home)]


def own_choice(scenario: Scenario) -> str:
    """How the scenario's own model is chosen."""
    return f"{scenario.model.use}:{scenario.model.name}" if scenario.model.name else scenario.model.use


def _live_options(scenario: Scenario, home: Home) -> list[Option]:
    if not home.models.is_file():
        return []
    from workbench.scenarios.live import endpoint_of, load_models, missing, with_model

    models = load_models(home.models, trusted=home.tools_trusted)
    found = []
    for entry in models.entries:
        try:
            lacks = tuple(missing(endpoint_of(with_model(scenario, entry.name), models)))
        except ScenarioError as error:
            lacks = tuple(problem.message for problem in error.problems)
        address = f" at {entry.base_url}" if entry.base_url else ""
        found.append(Option(choice=entry.name, about=f"{entry.wire}:{entry.model}{address}", missing=lacks))
    return found


def left_out(state: State, asked: Asked) -> str:
    """What of the earlier replies the model is not sent, as only the one that wrote it can read it; "" for nothing."""
    written = [message for message in state.sent if message.opaque]
    if not written:
        return ""
    live = asked.live
    count = len(written) if live is None else sum(not live.takes_back(message) for message in written)
    if not count:
        return ""
    replies = "one earlier reply" if count == 1 else f"{count} earlier replies"
    return f"{replies} had thinking that only the model before can read: {asked.info.shown} is not sent that"
