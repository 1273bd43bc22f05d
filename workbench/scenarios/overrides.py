"""`--set KEY=VALUE`, `--no-limit NAME`, `--fault NAME:…`: a scenario with some keys changed, checked like a file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.faults import FaultError
from workbench.core.values import LIMIT_NAMES
from workbench.faults.argument import fault_table, parse_fault
from workbench.faults.catalogue import Catalogue
from workbench.scenarios.errors import Path, Problem, ScenarioError, dotted, unknown
from workbench.scenarios.loader import scenario_from_plain, to_plain
from workbench.scenarios.loops import MUSEUM
from workbench.scenarios.schema import Scenario

_STEP = re.compile(r"""\.?(?:([A-Za-z0-9_-]+)|"((?:[^"\\]|\\.)*)"|'([^']*)'|\[([0-9]{1,9})\])""")


@dataclass(frozen=True, slots=True)
class _Override:
    source: str
    path: Path
    raw: str
    value: Any


def apply_overrides(scenario: Scenario, changes: Sequence[str], no_limits: Sequence[str] = ()) -> Scenario:
    """The scenario with each `key=value` set and each named limit lifted, in that order.

    A key is a dotted path as in messages: `limits.steps`, `model.reply[0].text`. A value is TOML, or else plain text.
    Raises ScenarioError, which names the argument at fault in place of a file.
    """
    plain = to_plain(scenario)
    overrides = [_parsed(change) for change in changes]
    for override in overrides:
        _put(plain, override, override.value)
    for name in no_limits:
        if name not in LIMIT_NAMES:
            raise ScenarioError([Problem(f"--no-limit {name}", 0, "", unknown(name, LIMIT_NAMES, "there is no limit"))])
        plain.get("limits", {}).pop(name, None)
    try:
        return scenario_from_plain(plain)
    except ScenarioError as error:
        return _as_text(plain, overrides, error)


def add_faults(scenario: Scenario, arguments: Sequence[str], catalogue: Catalogue) -> Scenario:
    """The scenario with further faults, each in the form `NAME:tool=…,nth=1`.

    Raises ScenarioError, which names the argument at fault in place of a file.
    """
    plain = to_plain(scenario)
    before = len(scenario.fault)
    for argument in arguments:
        try:
            parse_fault(argument, catalogue)
        except FaultError as error:
            raise ScenarioError([Problem(f"--fault {argument}", 0, error.key, error.message)]) from None
        plain["fault"] = [*plain.get("fault", []), fault_table(argument)]
    try:
        return scenario_from_plain(plain)
    except ScenarioError as error:
        raise ScenarioError([_of_fault(problem, arguments, before) for problem in error.problems]) from None


def add_hold(scenario: Scenario, text: str) -> Scenario:
    """The scenario with a person who holds what the filter says from the first step on, before all else they do.

    Raises ScenarioError, which names the argument in place of a file.
    """
    if scenario.loop in MUSEUM:
        raise ScenarioError([Problem(f"--hold {text}", 0, "", f'loop = "{scenario.loop}" knows no door')])
    plain = to_plain(scenario)
    first = {"on": "step", "do": "set", "nth": 1, "set": {"hold": text}}
    plain["person"] = [first, *plain.get("person", [])]
    try:
        return scenario_from_plain(plain)
    except ScenarioError as error:
        raise ScenarioError([Problem(f"--hold {text}", 0, "", problem.message) for problem in error.problems]) from None


def _of_fault(problem: Problem, arguments: Sequence[str], before: int) -> Problem:
    """The problem with the argument of which it came, as far as it is about one."""
    found = re.match(r"fault\[(\d+)\]\.?", problem.key)
    number = int(found[1]) - before if found else -1
    if found is None or not 0 <= number < len(arguments):
        return problem
    return Problem(f"--fault {arguments[number]}", 0, problem.key[found.end() :], problem.message)


def _as_text(plain: dict[str, Any], overrides: Sequence[_Override], error: ScenarioError) -> Scenario:
    """Once more, with what looked like a number taken as text where text is wanted: `title=5`, `expect.answer=12`."""
    wanted = {problem.key for problem in error.problems if problem.message.startswith("must be text, not ")}
    retried = [item for item in overrides if dotted(item.path) in wanted and not isinstance(item.value, str)]
    for override in retried:
        _put(plain, override, override.raw)
    try:
        if retried:
            return scenario_from_plain(plain)
    except ScenarioError as second:
        error = second
    raise ScenarioError([_attributed(problem, overrides) for problem in error.problems]) from None


def _attributed(problem: Problem, overrides: Sequence[_Override]) -> Problem:
    """The problem with the argument that caused it: the one whose key it is about, or lies in, or is inside of."""
    for override in reversed(overrides):
        key = dotted(override.path)
        if problem.key.startswith(key) or (key.startswith(problem.key) and f'"{override.path[-1]}"' in problem.message):
            return Problem(f"--set {override.source}", 0, problem.key, problem.message)
    source = f"--set {overrides[-1].source}" if len(overrides) == 1 else "--set"
    return Problem(source, 0, problem.key, problem.message)


def _parsed(change: str) -> _Override:
    key, equals, raw = change.partition("=")
    if stray := re.search("[\udc80-\udcff]", change):  # how bytes of an argument that are no text arrive
        message = f"is not UTF-8: byte 0x{ord(stray[0]) - 0xDC00:02x}"
        raise ScenarioError([Problem(f"--set {key}", 0, "", message)])
    if not equals:
        raise ScenarioError([Problem(f"--set {change}", 0, "", "needs the form KEY=VALUE, e.g. limits.steps=4")])
    return _Override(change, _path(key.strip(), change), raw.strip(), parse_value(raw.strip()))


def _path(key: str, change: str) -> Path:
    path: list[str | int] = []
    at = 0
    while at < len(key):
        match = _STEP.match(key, at)
        if match is None:
            break
        bare, basic, literal, index = match.groups()
        path.append(int(index) if index is not None else bare or literal or basic or "")
        at = match.end()
    if at < len(key) or not path or isinstance(path[0], int):
        message = "the key must be a dotted path such as limits.steps or model.reply[0].text"
        raise ScenarioError([Problem(f"--set {change}", 0, "", message)])
    return tuple(path)


def parse_value(raw: str) -> Any:
    try:
        parsed = tomllib.loads(f"value = {raw}")
    except (ValueError, RecursionError):
        return raw
    return parsed["value"] if set(parsed) == {"value"} else raw


def _put(plain: dict[str, Any], override: _Override, value: Any) -> None:
    here: Any = plain
    for depth, part in enumerate(override.path):
        last = depth == len(override.path) - 1
        if isinstance(part, int):
            known = isinstance(here, list) and part < len(here)
        else:
            known = isinstance(here, dict)
        if not known:
            around = dotted(override.path[:depth])
            message = f"has {len(here)} entries, counted from 0" if isinstance(here, list) else "has nothing inside it"
            raise ScenarioError([Problem(f"--set {override.source}", 0, around, message)])
        if last:
            here[part] = value
        elif isinstance(part, int):
            here = here[part]
        else:
            here = here.setdefault(part, {})
