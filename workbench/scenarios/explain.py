"""Turns what the schema rejects into sentences for the person who wrote the file."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from workbench.scenarios.errors import Path, Problem, dotted, nearest, one_of, shown
from workbench.scenarios.locate import Locations

ALMOST = 0.85
"""How like a key must be to one of its table to be a slip, though it is a key of another table."""
TOP = "at the top of the file, above the first [table]"

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_unicode": "text in UTF-8",
    "tuple_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "finite_number": "a finite number",
    "string_too_short": "text that is not empty",
    "string_pattern_mismatch": "text that is not empty",
}
_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "above"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "below"),
}


@dataclass(frozen=True, slots=True)
class _Finding:
    path: Path
    value: Any
    error: ErrorDetails

    @property
    def kind(self) -> str:
        return self.error["type"]

    @property
    def name(self) -> str:
        return str(self.error["loc"][-1])

    @property
    def full_path(self) -> Path:
        """With the key that should not be there, or is not."""
        return (*self.path, self.name) if self.kind in ("missing", "extra_forbidden") else self.path


def explain(
    error: ValidationError, data: Mapping[str, Any], schema: type[BaseModel], file: str, locations: Locations | None
) -> list[Problem]:
    """One problem for each thing that is wrong with `data`, in the order of the file."""
    findings = [_found(data, item) for item in error.errors(include_url=False)]
    inside = {finding.full_path[:end] for finding in findings for end in range(len(finding.full_path))}
    strangers = [finding for finding in findings if finding.kind == "extra_forbidden"]
    grouped: dict[Path, list[_Finding]] = {}
    for finding in findings:
        if finding.kind in _EXPECTED and finding.path in inside:
            continue  # another form of the value was meant, and what is wrong lies deeper in it
        if finding.kind == "missing" and any(_is_meant(finding, stranger) for stranger in strangers):
            continue  # it is there, misspelt or in the wrong place, and that is said already
        grouped.setdefault(finding.full_path, []).append(finding)
    problems = []
    for path, group in grouped.items():
        table = path[:-1] if group[0].kind == "extra_forbidden" else path
        line = locations.line(path) if locations is not None else 0
        problems.append(Problem(file, line, dotted(table), _sentence(path, group, schema, locations)))
    return sorted(problems, key=lambda problem: problem.line)


def _found(data: Any, error: ErrorDetails) -> _Finding:
    """The error with its path in the data: parts of `loc` that name a branch of a union are no part of it."""
    path: list[str | int] = []
    here = data
    loc = error["loc"][:-1] if error["type"] == "extra_forbidden" else error["loc"]
    for part in loc:
        inside = isinstance(here, Mapping) and part in here
        if inside or (isinstance(here, list) and isinstance(part, int) and part < len(here)):
            path.append(part)
            here = here[part]
    return _Finding(tuple(path), error["input"], error)


def _is_meant(missing: _Finding, stranger: _Finding) -> bool:
    same_table = missing.path == stranger.path
    return missing.name == stranger.name or (same_table and bool(nearest(stranger.name, [missing.name])))


def _sentence(path: Path, group: list[_Finding], schema: type[BaseModel], locations: Locations | None) -> str:
    first = group[0]
    if first.kind == "extra_forbidden":
        return _unknown_key(path, first, schema, locations)
    if first.kind == "missing":
        return "is missing"
    for finding in group:
        if finding.kind == "value_error":
            return str(finding.error["ctx"]["error"])
    if first.kind == "float_type" and type(first.value) is int:
        return f"is too large a number: {shown(first.value)}"
    return f"must be {' or '.join(map(_expected, group))}, not {shown(first.value)}{_hint(path, group, locations)}"


def _expected(finding: _Finding) -> str:
    kind = finding.kind
    if kind == "literal_error":
        return one_of(_choices(finding))
    if kind in _BOUNDS:
        bound, words = _BOUNDS[kind]
        return f"{words} {finding.error['ctx'][bound]:g}"
    return _EXPECTED.get(kind) or f"different ({finding.error['msg']})"


def _choices(finding: _Finding) -> list[str]:
    """The words that were possible; none where the schema did not expect a word."""
    if finding.kind != "literal_error":
        return []
    return re.findall(r"'([^']*)'", finding.error["ctx"]["expected"])


def _hint(path: Path, group: list[_Finding], locations: Locations | None) -> str:
    kinds, value = {finding.kind for finding in group}, group[0].value
    if isinstance(value, Mapping):
        if "tuple_type" in kinds:
            return f"; for a list of tables write [[{dotted(path)}]], with two brackets on each side"
        return _quoting(path, value, locations)
    if isinstance(value, list) and "model_type" in kinds:
        return f"; write [{dotted(path)}], with one bracket on each side"
    if kinds == {"string_type"} and isinstance(value, int | float) and not isinstance(value, bool):
        return f'; write it in quotes: "{value}"'
    if isinstance(value, str):
        near = nearest(value, [word for finding in group for word in _choices(finding)])
        return f'; did you mean "{near}"?' if near else ""
    return ""


def _unknown_key(path: Path, finding: _Finding, schema: type[BaseModel], locations: Locations | None) -> str:
    name, value = finding.name, finding.value
    sentence = f"unknown key {json.dumps(name, ensure_ascii=False)}"
    if quoting := _quoting(path, value, locations):
        return sentence + quoting
    here = pattern_of(path[:-1])
    choices = [key for key, tables in _homes(schema).items() if here in tables]
    if slip := get_close_matches(name.lower(), choices, n=1, cutoff=ALMOST):
        return f'{sentence}; did you mean "{slip[0]}"?'
    if homes := [home for home in _homes(schema).get(name, ()) if home != here]:
        homes.sort(key=lambda home: -_shared(home, here))
        places = " or ".join(map(_place, homes[:3]))
        late = "; a key below a [table] header is part of that table" if () in homes[:3] and here else ""
        return f"{sentence}; it belongs {places}{late}"
    near = nearest(name, choices)
    return f'{sentence}; did you mean "{near}"?' if near else f"{sentence}; known here: {', '.join(choices)}"


def _quoting(path: Path, value: Any, locations: Locations | None) -> str:
    """The hint for a name with dots that was written without quotes, and so became tables in tables."""
    if locations is None or not locations.is_dotted(path):
        return ""
    names = [str(path[-1])]
    while isinstance(value, Mapping) and len(value) == 1:
        name, value = next(iter(value.items()))
        names.append(name)
    return f"; a name with a dot in it is written in quotes: {json.dumps('.'.join(names), ensure_ascii=False)}"


# ---------------------------------------------------------------- where keys belong


def pattern_of(path: Path) -> tuple[str, ...]:
    """The path of a table without its indices."""
    return tuple(part for part in path if isinstance(part, str))


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _place(home: tuple[str, ...]) -> str:
    return f"in [{'.'.join(home)}]" if home else TOP


@cache
def _homes(schema: type[BaseModel]) -> dict[str, list[tuple[str, ...]]]:
    """Every key of the schema with the tables that have it."""
    homes: dict[str, list[tuple[str, ...]]] = {}
    for home, table in _tables(schema, ()):
        for name in table.model_fields:
            homes.setdefault(name, []).append(home)
    return homes


def _tables(schema: type[BaseModel], home: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], type[BaseModel]]]:
    yield home, schema
    for name, item in schema.model_fields.items():
        for inner in _models_in(item.annotation):
            yield from _tables(inner, (*home, name))


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) in (Union, types.UnionType, Annotated, tuple):
        for part in get_args(annotation):
            yield from _models_in(part)
