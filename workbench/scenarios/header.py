"""From a scenario, and the tools it names, to the header of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.core.values import (
    ContextPolicy,
    GoalCheck,
    Header,
    Limits,
    ModelInfo,
    Pattern,
    Prices,
    ProtocolOptions,
    RepeatLimit,
    Rule,
    ToolInfo,
)
from workbench.faults.catalogue import Catalogue
from workbench.scenarios.errors import Path, Problem, ScenarioError, dotted, unknown
from workbench.scenarios.faults import fault_of, unknown_faults
from workbench.scenarios.loader import line_in, to_plain
from workbench.scenarios.loops import protocol_of
from workbench.scenarios.policy import ContextTable
from workbench.scenarios.recorded import is_recorded, recorded_infos
from workbench.scenarios.schema import GoalCheckTable, LimitsTable, RuleTable, Scenario

if TYPE_CHECKING:
    from workbench.models.wire.endpoint import Endpoint

WITHOUT_PRICE = frozenset({"scripted", "simulated", "human"})
"""Models that cost nothing. What a recording cost is what it says, and unknown where it says nothing."""


def build_header(
    scenario: Scenario,
    infos: Sequence[ToolInfo],
    *,
    id: str,  # noqa: A002 - the field's own name
    created: str = "",
    workbench: str = "",
    path: str = "",
    catalogue: Catalogue | None = None,
    endpoint: Endpoint | None = None,
) -> Header:
    """The header of a new run: `infos` are all tools there are, `created` is UTC in ISO 8601, `endpoint` is the one of
    a live model.

    Raises ScenarioError when the scenario names a tool that is not there, or a fault that is not in the catalogue (by
    default the packaged one).
    """
    by_name = recorded_infos(scenario) | {info.name: info for info in infos}
    if problems := [*_missing(scenario, list(by_name)), *unknown_faults(scenario, catalogue)]:
        file = path or scenario.title or "scenario"
        raise ScenarioError([Problem(file, line_in(path, place), dotted(place), words) for place, words in problems])
    model = model_info(scenario, endpoint)
    return Header(
        id=id,
        goal=scenario.goal,
        title=scenario.title,
        created=created,
        workbench=workbench,
        system=scenario.system,
        protocol=protocol_of(scenario),
        options=ProtocolOptions(**scenario.protocol_options.model_dump()),
        limits=limits_of(scenario.limits),
        tools=tuple(by_name[name] for name in scenario.tools),
        seed=scenario.seed,
        approval=scenario.approval.default,
        rules=rules_of(scenario),
        split=scenario.authority.split,
        goal_check=_goal_check(scenario.goal_check),
        context=policy_of(scenario.context),
        faults=tuple(fault_of(table, catalogue) for table in scenario.fault),
        prices=model.prices,
        free=model.free,
        model=model.shown,
        context_window=model.context_window,
        scenario=to_plain(scenario),
        scenario_path=path,
    )


def _missing(scenario: Scenario, known: Sequence[str]) -> list[tuple[Path, str]]:
    """The places of tools that are not known, with what is wrong there."""
    return [
        (("tools", index), unknown(name, known, "no tool"))
        for index, name in enumerate(scenario.tools)
        if name not in known
    ]


def model_info(scenario: Scenario, endpoint: Endpoint | None = None) -> ModelInfo:
    """What a run knows of the model that the scenario asks for; `endpoint` is the one of a live model."""
    model = scenario.model
    own = None if model.prices is None else Prices(**model.prices.model_dump())
    return ModelInfo(
        use=model.use,
        name=model.name or "",
        base_url=model.base_url or "",
        shown=endpoint.model if endpoint else _model_name(scenario),
        free=model.use in WITHOUT_PRICE and model.prices is None,
        prices=endpoint.prices if endpoint else own,
        context_window=endpoint.context_window if endpoint else model.context_window,
    )


def limits_of(table: LimitsTable) -> Limits:
    """The caps of the table as the core knows them."""
    values = table.model_dump()
    repeats = values.pop("repeats")
    return Limits(**values, repeats=None if repeats is None else RepeatLimit(**repeats))


def policy_of(table: ContextTable) -> ContextPolicy | None:
    """The policy of the table as the core knows it; None where none is chosen."""
    return ContextPolicy(**table.model_dump()) if table.policy != "none" else None


def _model_name(scenario: Scenario) -> str:
    """What people read of a model that is not live: a recording never looks like the model itself."""
    model = scenario.model
    return f"{model.use} {model.name}" if is_recorded(scenario) and model.name else model.name or model.use


def rules_of(scenario: Scenario) -> tuple[Rule, ...]:
    """The standing decisions of the scenario as the core knows them."""
    return tuple(map(_rule, scenario.approval.rule))


def _rule(table: RuleTable) -> Rule:
    where = tuple((name, _pattern(value)) for name, value in table.where.items())
    return Rule(tool=table.tool, where=where, decide=table.decide)


def _pattern(value: Any) -> Pattern:
    if not isinstance(value, dict):
        return Pattern(kind="equal", value=value)
    kind, pattern = next(iter(value.items()))
    return Pattern(kind=kind, value=pattern)


def _goal_check(table: GoalCheckTable | None) -> GoalCheck | None:
    if table is None:
        return None
    return GoalCheck(
        result_of=table.result_of or "",
        answer_matches=table.answer_matches or "",
        file=table.file or "",
        contains=table.contains,
        matches=table.matches,
    )
