"""Reads scenarios: from a file, from text, and from the copy that a session keeps."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError

from workbench.scenarios.checks import check_scenario
from workbench.scenarios.errors import Problem, ScenarioError, dotted
from workbench.scenarios.explain import explain
from workbench.scenarios.locate import Locations, locate
from workbench.scenarios.schema import Scenario

BYTE_ORDER_MARK = "\ufeff"
TOO_DEEP = "is nested too deeply"

_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_GIVEN_TWICE = ("Cannot overwrite", "Cannot declare", "Cannot mutate", "Cannot redefine", "Duplicate inline")
_HINTS = {"Invalid value": "; text is written in quotes", "Illegal character '\\n'": "; a quote is not closed"}


def load_scenario(path: FilePath | str) -> Scenario:
    """The scenario in a file. Raises ScenarioError, also for a file that cannot be read."""
    name = str(path)
    try:
        raw = FilePath(path).read_bytes()
    except OSError as error:
        raise ScenarioError([Problem(name, 0, "", f"cannot be read: {error.strerror or error}")]) from None
    except ValueError as error:
        raise ScenarioError([Problem(name, 0, "", f"is no name of a file: {error}")]) from None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"is not UTF-8: byte 0x{raw[error.start]:02x}"
        raise ScenarioError([Problem(name, line, "", message)]) from None
    return parse_scenario(text, name)


def parse_scenario(text: str, name: str) -> Scenario:
    """The scenario in a TOML text; `name` stands for the file in messages. Raises ScenarioError."""
    text = text.removeprefix(BYTE_ORDER_MARK)
    data = _parsed(text, name)
    _drop_last_newlines(data)
    return validated(data, name, text)


def scenario_from_plain(plain: Mapping[str, Any], name: str = "scenario") -> Scenario:
    """The scenario from its plain form, see `to_plain`. Raises ScenarioError, without lines."""
    return validated(dict(plain), name)


def to_plain(scenario: Scenario) -> dict[str, Any]:
    """The keys that were given, as plain TOML values; `scenario_from_plain` makes an equal scenario of them."""
    return scenario.model_dump(mode="json", exclude_unset=True)


def validated(data: dict[str, Any], name: str, text: str | None = None) -> Scenario:
    """The scenario that `data` holds. Raises ScenarioError, with lines when the text is given."""
    try:
        scenario = Scenario.model_validate(data)
        found = check_scenario(scenario)
    except ValidationError as error:
        locations = locate(text) if text is not None else None
        raise ScenarioError(explain(error, data, Scenario, name, locations)) from None
    except RecursionError:
        raise ScenarioError([Problem(name, 0, "", TOO_DEEP)]) from None
    if found:
        locations = locate(text) if text is not None else None
        problems = [_problem(name, path, message, locations) for path, message in found]
        raise ScenarioError(sorted(problems, key=lambda problem: problem.line))
    return scenario


def _problem(name: str, path: tuple[str | int, ...], message: str, locations: Locations | None) -> Problem:
    return Problem(name, locations.line(path) if locations is not None else 0, dotted(path), message)


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError([_not_toml(str(error), text, name)]) from None
    except ValueError:
        raise ScenarioError([Problem(name, 0, "", "holds a number of more digits than can be read")]) from None
    except RecursionError:
        raise ScenarioError([Problem(name, 0, "", TOO_DEEP)]) from None


def _not_toml(message: str, text: str, name: str) -> Problem:
    if message.startswith(_GIVEN_TWICE) and (twice := locate(text).twice):
        path, first, second = twice[0]
        return Problem(name, second, dotted(path), f"is given twice; the first is on line {first}")
    position = _POSITION.search(message)
    line, where = text.count("\n") + 1, "at the end of the file"
    line_known = position is not None and position.group(1) is not None
    if position is not None and line_known:
        line, where = int(position.group(1)), f"at column {position.group(2)}"
    what = _POSITION.sub("", message)
    hint = _HINTS.get(what, "") if line_known else ""
    return Problem(name, line, "", f"is not TOML {where}: {what[:1].lower()}{what[1:]}{hint}")


def _drop_last_newlines(data: dict[str, Any]) -> None:
    """The newline before the closing quotes of a multi-line text; TOML itself drops the one after the opening."""
    model = data.get("model")
    _drop_in(data, "about", "goal", "system")
    _drop_in(data.get("expect"), "transcript")
    for items in (data.get("fault"), data.get("person"), model.get("reply") if isinstance(model, dict) else None):
        for item in items if isinstance(items, list) else ():
            _drop_in(item, "text", "thinking")


def _drop_in(table: Any, *keys: str) -> None:
    if not isinstance(table, dict):
        return
    for key in keys:
        value = table.get(key)
        if isinstance(value, str):
            table[key] = value.removesuffix("\n")
