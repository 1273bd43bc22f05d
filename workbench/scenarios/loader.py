"""Reads scenarios: from a file, from text, and from the copy that a session keeps."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Mapping
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError

from workbench.scenarios.checks import check_scenario
from workbench.scenarios.errors import Problem, ScenarioError, dotted
from workbench.scenarios.explain import explain, lists_of_tables
from workbench.scenarios.locate import Locations, locate
from workbench.scenarios.schema import Scenario
from workbench.scenarios.syntax import not_toml

BYTE_ORDER_MARK = "\ufeff"
TOO_DEEP = "is nested too deeply"
TEXTS: frozenset[tuple[str, ...]] = frozenset(
    {
        *((name,) for name in ("about", "goal", "system")),
        *(("model", "reply", name) for name in ("text", "thinking")),
        *((*row, name) for row in (("step",), ("route", "step")) for name in ("ask", "answer")),
        ("model", "summary", "text"),
        ("fault", "text"),
        ("person", "text"),
        ("expect", "transcript"),
    }
)
"""Texts, by their path without indices, that are without the newline at their end."""

_AROUND_TEXTS = frozenset(path[:end] for path in TEXTS for end in range(1, len(path)))


def load_scenario(path: FilePath | str) -> Scenario:
    """The scenario in a file. Raises ScenarioError, also for a file that cannot be read."""
    return parse_scenario(_text_of(path), str(path))


def read_toml(path: FilePath | str) -> tuple[dict[str, Any], str]:
    """The values of any TOML file, and its text. Raises ScenarioError, also for a file that cannot be read."""
    text = _text_of(path).removeprefix(BYTE_ORDER_MARK)
    return _parsed(text, str(path)), text


def _text_of(path: FilePath | str) -> str:
    name = str(path)
    try:
        raw = FilePath(path).read_bytes()
    except OSError as error:
        raise ScenarioError([Problem(name, 0, "", f"cannot be read: {error.strerror or error}")]) from None
    except ValueError as error:
        raise ScenarioError([Problem(name, 0, "", f"is no name of a file: {error}")]) from None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"is not UTF-8: byte 0x{raw[error.start]:02x}"
        raise ScenarioError([Problem(name, line, "", message)]) from None


def parse_scenario(text: str, name: str) -> Scenario:
    """The scenario in a TOML text; `name` stands for the file in messages. Raises ScenarioError."""
    text = text.removeprefix(BYTE_ORDER_MARK)
    data = _parsed(text, name, lists_of_tables(Scenario))
    _drop_last_newlines(data)
    return validated(data, name, text)


def scenario_from_plain(plain: Mapping[str, Any], name: str = "scenario") -> Scenario:
    """The scenario from its plain form, see `to_plain`. Raises ScenarioError, without lines."""
    return validated(dict(plain), name)


def line_in(file: str, path: tuple[str | int, ...]) -> int:
    """The line on which the file has that path; 0 where it has not, or cannot be read, or is no file at all."""
    locations = _located(file)
    place = locations.places.get(path) if locations is not None else None
    return place.line if place is not None else 0


def line_near(file: str, path: tuple[str | int, ...]) -> int:
    """As `line_in`; where the file has not that path, the line of the nearest table around it."""
    locations = _located(file)
    return locations.line(path) if locations is not None else 0


def _located(file: str) -> Locations | None:
    try:
        return locate(FilePath(file).read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError):
        return None


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
        raise ScenarioError([_too_deep(text or "", name)]) from None
    if found:
        locations = locate(text) if text is not None else None
        problems = [_problem(name, path, message, locations) for path, message in found]
        raise ScenarioError(sorted(problems, key=lambda problem: problem.line))
    return scenario


def _problem(name: str, path: tuple[str | int, ...], message: str, locations: Locations | None) -> Problem:
    return Problem(name, locations.line(path) if locations is not None else 0, dotted(path), message)


def _parsed(text: str, name: str, several: Container[tuple[str, ...]] = ()) -> dict[str, Any]:
    """The values of the text; of the tables `several` there may be more than one."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError([not_toml(str(error), text, name, several)]) from None
    except ValueError:
        longest = max(re.finditer("[0-9_]+", text), key=lambda digits: len(digits[0]))
        line = text.count("\n", 0, longest.start()) + 1
        raise ScenarioError([Problem(name, line, "", "holds a number of more digits than can be read")]) from None
    except RecursionError:
        raise ScenarioError([_too_deep(text, name)]) from None


def _too_deep(text: str, name: str) -> Problem:
    """The problem with the line of the deepest value, as far as the text has been followed."""
    places = locate(text).places
    return Problem(name, places[max(places, key=len)].line if places else 0, "", TOO_DEEP)


def _drop_last_newlines(table: dict[str, Any], pattern: tuple[str, ...] = ()) -> None:
    """The newline before the closing quotes of a multi-line text; TOML itself drops the one after the opening."""
    for key, value in table.items():
        here = (*pattern, key)
        if here in TEXTS and isinstance(value, str):
            table[key] = value.removesuffix("\n")
        elif here in _AROUND_TEXTS:
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict):
                    _drop_last_newlines(item, here)
