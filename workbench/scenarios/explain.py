"""Turns what the schema rejects into sentences for the person who wrote the file."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from workbench.scenarios.errors import Path, Problem, dotted, nearest, one_of, shown
from workbench.scenarios.locate import Locations
from workbench.scenarios.meant import AROUND, NO_TOOLS_HERE, elsewhere, meant, other_name
from workbench.scenarios.schema import RangeTable

ALMOST = 0.85
"""How like a key must be to one of its table to be a slip, though it is a key of another table."""
RECORDED = (("model", "exchange"), ("model", "tool"))
"""Tables of a recording."""
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


@dataclass(frozen=True, slots=True)
class _Text:
    """What is explained: the values of a file, what they should be, and where they stand."""

    data: Mapping[str, Any]
    schema: type[BaseModel]
    locations: Locations | None

    def at(self, path: Path) -> Any:
        here: Any = self.data
        for part in path:
            here = here[part]
        return here

    @property
    def is_scenario(self) -> bool:
        """Whether it is a scenario and no other file with tables."""
        return "goal" in self.schema.model_fields

    def is_dotted(self, path: Path) -> bool:
        return self.locations is not None and self.locations.is_dotted(path)

    def is_pair(self, path: Path) -> bool:
        """Whether the value stands behind a = and not below a header."""
        place = self.locations.places.get(path) if self.locations is not None else None
        return place is not None and place.how == "key"


def explain(
    error: ValidationError, data: Mapping[str, Any], schema: type[BaseModel], file: str, locations: Locations | None
) -> list[Problem]:
    """One problem for each thing that is wrong with `data`, in the order of the file."""
    text = _Text(data, schema, locations)
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
        problems.append(Problem(file, line, dotted(table), _sentence(path, group, text)))
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
    if missing.name == stranger.name:
        return True
    other = other_name(pattern_of(stranger.path), stranger.name) == missing.name
    return missing.path == stranger.path and (other or bool(nearest(stranger.name, [missing.name])))


def _sentence(path: Path, group: list[_Finding], text: _Text) -> str:
    first = group[0]
    if first.kind == "extra_forbidden":
        return _unknown_key(path, first, text)
    if first.kind == "missing":
        return f"is missing{_missing_hint(path, text.schema)}"
    for finding in group:
        if finding.kind == "value_error":
            return str(finding.error["ctx"]["error"])
    if first.kind == "float_type" and type(first.value) is int:
        return f"is too large a number: {shown(first.value)}"
    return f"must be {' or '.join(map(_expected, group))}, not {shown(first.value)}{_hint(path, group, text)}"


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


def _missing_hint(path: Path, schema: type[BaseModel]) -> str:
    """What to write for a key that must be there: one of its words, or some text."""
    annotation = _annotation(pattern_of(path), schema)
    words = [word for part in _parts_of(annotation) if get_origin(part) is Literal for word in get_args(part)]
    if words:
        return f"; it is {one_of(words)}"
    plain = str in _parts_of(annotation)
    where = f" {TOP}" if len(path) == 1 else ""
    return f'; write {path[-1]} = "…"{where}' if plain else ""


def _hint(path: Path, group: list[_Finding], text: _Text) -> str:
    kinds, value = {finding.kind for finding in group}, group[0].value
    pattern = pattern_of(path)
    if isinstance(value, Mapping):
        if "tuple_type" in kinds:
            if not _is_table(pattern, text.schema):
                return f"; {NO_TOOLS_HERE}" if pattern == ("tools",) else ""
            brackets = f"; for a list of tables write {_header(pattern, text.schema)}, with two brackets on each side"
            return brackets + (f", or {path[-1]} = [{{ … }}]" if text.is_pair(path) else "")
        return f"; {NO_TOOLS_HERE}" if pattern == ("tools",) else _quoting(path, value, text)
    if counts := _counting(path, value, pattern, text):
        return counts
    if isinstance(value, list) and "model_type" in kinds:
        return f"; write [{'.'.join(pattern)}], with one bracket on each side"
    if _is_table(pattern, text.schema) and kinds <= {"model_type", "tuple_type"}:
        keys = list(_models_at(pattern, text.schema)[0].model_fields)[:2]
        return f"; write {_header(pattern, text.schema)}, and below it {' or '.join(keys)}"
    if isinstance(value, str):
        return _hint_for_text(value, kinds, [word for finding in group for word in _choices(finding)])
    if kinds == {"string_type"} and isinstance(value, int | float) and not isinstance(value, bool):
        return f'; write it in quotes: "{value}"'
    return ""


def _counting(path: Path, value: Any, pattern: tuple[str, ...], text: _Text) -> str:
    """The hint for a number, or its bounds, in place of something else, and the other way round."""
    if pattern == ("expect", "calls") and isinstance(value, int):
        return f"; it has the names of the tools. How many calls there are is tool_calls = {shown(value)}"
    if not {int, RangeTable} <= set(_parts_of(_annotation(pattern, text.schema))):
        return ""
    if isinstance(value, list):
        return f"; the names of the tools are calls = {json.dumps(value)}" if path[-1] == "tool_calls" else ""
    if isinstance(value, str) and not value.isdecimal():
        return f"; write {path[-1]} = 2, or {path[-1]} = {{ min = 1, max = 3 }}"
    return ""


def _hint_for_text(value: str, kinds: set[str], words: Sequence[str]) -> str:
    if near := nearest(value, words):
        return f'; did you mean "{near}"?'
    if "tuple_type" in kinds:
        return f"; write [{shown(value)}]"
    if kinds & {"int_type", "float_type"} and re.fullmatch(r"-?\d+(\.\d+)?", value):
        return f"; write it without quotes: {value}"
    return f"; write {value.lower()}" if "bool_type" in kinds and value.lower() in ("true", "false") else ""


def _unknown_key(path: Path, finding: _Finding, text: _Text) -> str:
    name, value, schema = finding.name, finding.value, text.schema
    sentence = f"unknown key {json.dumps(name, ensure_ascii=False)}"
    if quoting := _quoting(path, value, text):
        return sentence + quoting
    here = pattern_of(path[:-1])
    is_table = isinstance(value, Mapping) or (isinstance(value, list) and any(isinstance(v, Mapping) for v in value))
    choices = [key for key, tables in _homes(schema).items() if here in tables]
    # A plain value is hardly meant to be a table where a key of just that name stands elsewhere.
    at_home = not is_table and name in _homes(schema)
    slips = [key for key in choices if _is_table((*here, key), schema) == is_table or not (is_table or at_home)]
    if slip := get_close_matches(name.lower(), slips, n=1, cutoff=ALMOST):
        return f"{sentence}; {_did_you_mean((*here, slip[0]), schema)}"
    protocol = text.data.get("protocol")
    known = meant(here, name, value, text.at(path[:-1]), protocol) if text.is_scenario else ""
    if known:
        return f"{sentence}; {known}"
    if homes := [home for home in _homes(schema).get(name, ()) if home != here and _written_by_hand(home, here)]:
        homes.sort(key=lambda home: -_shared(home, here))
        if is_table and _is_table((*homes[0], name), schema):
            return f"{sentence}; write {_header((*homes[0], name), schema)}"
        places = " or ".join(_place(home, schema) for home in homes[:3])
        late = "; a key below a [table] header is part of that table" if () in homes[:3] and here else ""
        return f"{sentence}; it belongs {places}{late}"
    if text.is_scenario and here in ((), *AROUND) and (path := elsewhere(name, here)):
        return f'{sentence}; it is called "{path[-1]}" and belongs {_place(path[:-1], schema)}'
    if near := nearest(name, slips):
        return f"{sentence}; {_did_you_mean((*here, near), schema)}"
    return f"{sentence}; known here: {', '.join(sorted(choices, key=lambda key: _written_order(here, key, schema)))}"


def _did_you_mean(pattern: tuple[str, ...], schema: type[BaseModel]) -> str:
    tables = _is_table(pattern, schema) and not _plain_kinds(pattern, schema)
    return f"did you mean {_header(pattern, schema) if tables else json.dumps(pattern[-1])}?"


def _plain_kinds(pattern: tuple[str, ...], schema: type[BaseModel]) -> list[Any]:
    """The types of the key that are written behind a =, apart from tables and lists of tables."""
    parts = _parts_of(_annotation(pattern, schema))
    return [part for part in parts if isinstance(part, type) and not issubclass(part, (BaseModel, types.NoneType))]


def _written_by_hand(home: tuple[str, ...], here: tuple[str, ...]) -> bool:
    """Whether somebody who is at `here` may have meant that table; what a recording holds is written by no person."""
    return home[:2] not in RECORDED or here[:2] in RECORDED


def _written_order(here: tuple[str, ...], key: str, schema: type[BaseModel]) -> int:
    return list(_models_at(here, schema)[0].model_fields).index(key)


def _quoting(path: Path, value: Any, text: _Text) -> str:
    """The hint for a name with dots that was written without quotes, and so became tables in tables."""
    if not text.is_dotted(path):
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


def _place(home: tuple[str, ...], schema: type[BaseModel]) -> str:
    return f"in {_header(home, schema)}" if home else TOP


def _header(pattern: tuple[str, ...], schema: type[BaseModel]) -> str:
    """The header of a table as it is written: with two brackets where there may be several."""
    name = ".".join(pattern)
    return f"[[{name}]]" if _is_list(_annotation(pattern, schema)) else f"[{name}]"


def _is_table(pattern: tuple[str, ...], schema: type[BaseModel]) -> bool:
    return bool(_models_at(pattern, schema))


def _models_at(pattern: tuple[str, ...], schema: type[BaseModel]) -> list[type[BaseModel]]:
    """What the tables of that path are; none where it is no path of tables."""
    return list(_models_in(_annotation(pattern, schema))) if pattern else [schema]


def _annotation(pattern: tuple[str, ...], schema: type[BaseModel]) -> Any:
    """The type of the key of that path; None where there is no such key."""
    tables = _models_at(pattern[:-1], schema)
    fields = [table.model_fields[pattern[-1]] for table in tables if pattern[-1] in table.model_fields]
    return fields[0].annotation if fields else None


def _is_list(annotation: Any) -> bool:
    return any(get_origin(part) is tuple for part in _parts_of(annotation))


def _parts_of(annotation: Any) -> list[Any]:
    """The types that an annotation allows, unions and marks taken apart."""
    if get_origin(annotation) in (Union, types.UnionType, Annotated):
        return [part for inner in get_args(annotation) for part in _parts_of(inner)]
    return [annotation]


@cache
def lists_of_tables(schema: type[BaseModel]) -> frozenset[tuple[str, ...]]:
    """The paths of tables of which there may be several, each with a header of its own."""
    return frozenset(home for home, _ in _tables(schema, ()) if home and _is_list(_annotation(home, schema)))


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
