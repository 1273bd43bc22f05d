"""What must hold between the keys of a context policy, and for the summaries that a script has for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from workbench.core.carried import LEAVES_OUT, MEANT_FOR, POLICY_KEYS
from workbench.scenarios.captured import template_problems
from workbench.scenarios.errors import Path, one_of, shown
from workbench.scenarios.policy import ContextTable
from workbench.scenarios.schema import Scenario

POLICY_SETTINGS = tuple(f"context.{name}" for name in POLICY_KEYS)
"""What a run can change of its policy, as it is called there."""

Found = Iterator[tuple[Path, str]]


def context_problems(scenario: Scenario) -> Found:
    """What is wrong with the policy and its summaries: paths, and sentences for whoever wrote the file."""
    policy = scenario.context.policy
    given = scenario.context.model_fields_set
    chosen_later = any("context.policy" in (entry.set or {}) for entry in scenario.person)
    if chosen_later or (policy == "none" and "policy" in given):
        yield from _summaries(scenario)  # all of it may be there for when it is switched on
        return
    for key, policies in MEANT_FOR.items():
        if key in given and policy not in policies:
            yield ("context", key), f"means nothing to {shown(policy)}; it needs policy = {one_of(policies)}"
    if scenario.model.summary and policy == "none":
        yield ("model", "summary"), 'is asked for by nobody; it needs policy = "summarise" in [context]'
    yield from _summaries(scenario)


def _summaries(scenario: Scenario) -> Found:
    captured = {name for reply in scenario.model.reply for name in reply.capture}
    for index, summary in enumerate(scenario.model.summary):
        path: Path = ("model", "summary", index)
        if summary.fail is not None and (summary.text or summary.usage or summary.finish):
            yield path, "a summary that fails has no text, usage or finish"
        elif not (summary.fail or summary.finish or summary.text.strip()):
            yield path, "has neither text nor fail nor finish"
        else:
            yield from template_problems(summary.text, captured, (*path, "text"))


def setting_problems(name: str, value: Any, path: Path) -> Found:
    """What is wrong with a value that a run is to change its policy to; false is as if the key were absent."""
    if value is False:
        return
    try:
        ContextTable.model_validate({name.removeprefix("context."): value})
    except ValidationError:
        kind = one_of(("none", *LEAVES_OUT, "restate")) if name == "context.policy" else "a whole number above 0"
        yield path, f"must be {kind}, not {shown(value)}"
