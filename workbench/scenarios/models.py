"""Builds the model that a scenario asks for. Each word of `model.use` is an entry of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workbench.core.ports import Clock, Model, Usage
from workbench.models.human import HumanModel
from workbench.models.scripted import RETRIES, Line, ScriptedCall, ScriptedModel
from workbench.models.simulated import Noise, SimulatedModel
from workbench.scenarios.errors import Problem, ScenarioError, unknown
from workbench.scenarios.recorded import RECORDED, recorded_model
from workbench.scenarios.schema import ReplyTable, Scenario
from workbench.scenarios.summaries import summary_of

Builder = Callable[[Scenario, Clock, str], Model]
"""Makes a model of a scenario, a clock and the name of the file for messages. May raise ScenarioError."""


def build_model(
    scenario: Scenario, clock: Clock, file: str = "", *, builders: Mapping[str, Builder] | None = None
) -> Model:
    """The model that `model.use` names. Raises ScenarioError with the names there are when it is none of them."""
    builders = BUILDERS if builders is None else builders
    use = scenario.model.use
    builder = builders.get(use)
    if builder is None:
        message = unknown(use, sorted(builders), "there is no model")
        raise ScenarioError([Problem(file or scenario.title or "scenario", 0, "model.use", message)])
    return builder(scenario, clock, file)


def is_live(scenario: Scenario) -> bool:
    """Whether the scenario asks for a model over the network: for none of those in the table."""
    return scenario.model.use not in BUILDERS


def script_lines(scenario: Scenario) -> tuple[Line, ...]:
    """The script as the scripted model reads it."""
    return tuple(map(_line, scenario.model.reply))


def _scripted(scenario: Scenario, clock: Clock, file: str) -> ScriptedModel:
    model = scenario.model
    retries = RETRIES if model.retries is None else model.retries
    summaries = [summary_of(summary) for summary in model.summary]
    return ScriptedModel(
        script_lines(scenario), clock=clock, name=model.use, file=file, retries=retries, summaries=summaries
    )


def _simulated(scenario: Scenario, clock: Clock, file: str) -> Model:
    noise = scenario.model.noise
    return SimulatedModel(
        _scripted(scenario, clock, file), noise.noise() if noise is not None else Noise(), scenario.seed
    )


def _human(scenario: Scenario, clock: Clock, file: str) -> Model:  # noqa: ARG001 - a Builder gets all three
    return HumanModel([entry.text or "" for entry in scenario.person if entry.on == "reply"])


def _line(reply: ReplyTable) -> Line:
    return Line(
        text=reply.text or "",
        calls=tuple(ScriptedCall(tool=call.tool, arguments=call.arguments) for call in reply.call),
        thinking=reply.thinking,
        repeat=None if reply.repeat == "forever" else reply.repeat,
        when=reply.when or "",
        capture=reply.capture,
        delay=reply.delay,
        usage=None if reply.usage is None else Usage(**reply.usage.model_dump()),
        finish=reply.finish or "",
        fail=reply.fail,
        retry_after=reply.retry_after or 0.0,
    )


BUILDERS: dict[str, Builder] = {
    "scripted": _scripted,
    "simulated": _simulated,
    "human": _human,
    RECORDED: recorded_model,
}
