"""The kinds of values a parameter can have: each with its JSON Schema, its name in a sentence, and its check.

Plain kinds (text, numbers, booleans, fixed choices, bounds, optional ones) are checked here, in about a microsecond.
Everything else is pydantic's, which is imported when the first tool asks for it. Both are strict: "1" is no number and
`true` is no 1.
"""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from workbench.toolkit.paths import quoted


class SchemaError(Exception):
    """A function that cannot be offered as a tool; the message says which parameter and why."""


class Refused(Exception):
    """A value that is not of the kind. `problems` are pairs: where in it ("" for all of it), and what is wrong."""

    def __init__(self, *problems: tuple[str, str]) -> None:
        super().__init__(problems)
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of value."""

    words: str
    """As in "must be …": "a whole number from 1 to 20"."""
    schema: dict[str, Any]
    take: Callable[[Any], Any]
    """The JSON value as the function gets it. Raises Refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The range of a number or the length of a text: `Annotated[int, Bounds(ge=1, le=20)]`."""

    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    min_length: int | None = None
    max_length: int | None = None

    # The two members by which pydantic knows a group of constraints; without them it would pass over the bounds.
    @property
    def __is_annotated_types_grouped_metadata__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[object]:
        import annotated_types as constraints

        for name, limit in _limits(self):
            yield getattr(constraints, _CONSTRAINTS[name])(limit)


_CONSTRAINTS = {"ge": "Ge", "gt": "Gt", "le": "Le", "lt": "Lt", "min_length": "MinLen", "max_length": "MaxLen"}
"""Our names of the constraints, and those of the `annotated_types` that hold one each."""
_NUMERIC: dict[str, tuple[Callable[[Any, Any], bool], str, str]] = {
    "ge": (operator.ge, "minimum", "at least {:g}"),
    "gt": (operator.gt, "exclusiveMinimum", "greater than {:g}"),
    "le": (operator.le, "maximum", "at most {:g}"),
    "lt": (operator.lt, "exclusiveMaximum", "less than {:g}"),
}
_LENGTH: dict[str, tuple[Callable[[Any, Any], bool], str, str]] = {
    "min_length": (lambda text, limit: len(text) >= limit, "minLength", "length at least {:,}"),
    "max_length": (lambda text, limit: len(text) <= limit, "maxLength", "length at most {:,}"),
}


def kind_of(annotation: Any) -> Kind:
    """The kind that a type annotation means. Raises SchemaError for one that JSON cannot carry."""
    return _plain(annotation) or _from_pydantic(annotation)


def shown(value: Any) -> str:
    """A JSON value as a sentence names it, shortened."""
    match value:
        case str():
            return f"the text {quoted(value, 60)}"
        case list():
            return "a list"
        case dict():
            return "an object"
        case None | bool():
            return json.dumps(value)
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write out whole numbers of thousands of digits
        return "a number that long"
    return text if len(text) <= 40 else "a number that long"


def listed(items: Iterable[str], word: str) -> str:
    """The items as a list in a sentence: `"a", "b" or "c"`."""
    *head, last = items
    return f"{', '.join(head)} {word} {last}" if head else last


# ---------------------------------------------------------------- plain kinds


def _take_text(value: Any) -> str:
    if type(value) is not str:
        raise _refused("text", value)
    if not value.isascii() and value != value.encode("utf-8", "replace").decode():
        raise Refused(("", "holds half a character (a lone surrogate); leave it out"))
    return value


def _take_whole(value: Any) -> int:
    if type(value) is not int:
        if type(value) is float and value.is_integer() and abs(value) < 1e15:
            raise Refused(("", f"must be a whole number without a decimal point: write {int(value)}, not {value}"))
        raise _refused("a whole number", value)
    return value


def _take_number(value: Any) -> int | float:
    """A whole number stays one, so that sums of whole numbers are shown as such."""
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return value
    raise _refused("a number", value)


def _take_flag(value: Any) -> bool:
    if type(value) is not bool:
        raise _refused("true or false", value)
    return value


_PLAIN = {
    str: Kind("text", {"type": "string"}, _take_text),
    int: Kind("a whole number", {"type": "integer"}, _take_whole),
    float: Kind("a number", {"type": "number"}, _take_number),
    bool: Kind("true or false", {"type": "boolean"}, _take_flag),
}
_JSON_TYPES = {str: "string", int: "integer", bool: "boolean", float: "number", NoneType: "null"}


def _plain(annotation: Any) -> Kind | None:
    """The kind if it is one of those checked here, else None."""
    origin = get_origin(annotation)
    if origin is Annotated:
        base, *metadata = get_args(annotation)
        inner = _PLAIN.get(base)
        limits = [limit for item in metadata for limit in _limits(item)] if all(map(_understood, metadata)) else []
        return _bounded(inner, limits) if inner is not None and limits else None
    if origin in (Union, UnionType):
        rest = [item for item in get_args(annotation) if item is not NoneType]
        inner = _plain(rest[0]) if len(rest) == 1 else None
        return _optional(inner) if inner is not None else None
    if origin is Literal:
        return _choice([(value, value) for value in get_args(annotation)])
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _choice([(member.value, member) for member in annotation])
    return _PLAIN.get(annotation)


def _choice(choices: list[tuple[Any, Any]]) -> Kind | None:
    """One of fixed JSON values, each with what the function gets for it."""
    values = [value for value, _ in choices]
    types = list(dict.fromkeys(_JSON_TYPES.get(type(value), "") for value in values))
    if not values or "" in types:
        return None
    words = listed([json.dumps(value, ensure_ascii=False) for value in values], "or")
    # Looked up with its type, or `true` would be found as 1.
    table = {(type(value), value): taken for value, taken in choices}

    def take(value: Any) -> Any:
        try:
            return table[type(value), value]
        except (KeyError, TypeError):
            raise _refused(words, value) from None

    return Kind(words, {"type": types[0] if len(types) == 1 else types, "enum": values}, take)


def _optional(inner: Kind) -> Kind:
    types = inner.schema["type"]
    schema = inner.schema | {"type": [*(types if isinstance(types, list) else [types]), "null"]}
    if "enum" in schema:
        schema["enum"] = [*schema["enum"], None]
    words, plain_take = f"{inner.words}, or null", inner.take

    def take(value: Any) -> Any:
        if value is None:
            return None
        try:
            return plain_take(value)
        except Refused as refused:
            raise Refused(*((at, text.replace(inner.words, words, 1)) for at, text in refused.problems)) from None

    return Kind(words, schema, take)


def _understood(metadata: object) -> bool:
    if isinstance(metadata, Bounds):
        return True
    kind = type(metadata)
    return kind.__module__ == "annotated_types" and kind.__name__ in (*_CONSTRAINTS.values(), "Interval", "Len")


def _limits(metadata: object) -> Iterator[tuple[str, Any]]:
    for name in _CONSTRAINTS:
        limit = getattr(metadata, name, None)
        if limit is not None:
            yield name, limit


def _bounded(inner: Kind, limits: list[tuple[str, Any]]) -> Kind | None:
    table = _LENGTH if inner is _PLAIN[str] else _NUMERIC
    if inner is _PLAIN[bool] or any(name not in table for name, _ in limits):
        return None
    tests = [(table[name][0], limit) for name, limit in limits]
    words = f"{inner.words}, {' and '.join(table[name][2].format(limit) for name, limit in limits)}"
    schema = inner.schema | {table[name][1]: limit for name, limit in limits}
    plain_take = inner.take

    def take(value: Any) -> Any:
        value = plain_take(value)
        for holds, limit in tests:
            if not holds(value, limit):
                raise _refused(words, value)
        return value

    return Kind(words, schema, take)


def _refused(words: str, value: Any) -> Refused:
    return Refused(("", f"must be {words}; {shown(value)} is not"))


# ---------------------------------------------------------------- everything else


def _from_pydantic(annotation: Any) -> Kind:
    from pydantic import TypeAdapter, ValidationError

    try:
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        schema = adapter.json_schema()
    except Exception as error:  # noqa: BLE001 - pydantic has a family of errors for types it cannot describe
        raise SchemaError(f"has a type that JSON cannot carry: {str(error).splitlines()[0]}") from None

    def take(value: Any) -> Any:
        try:
            # As JSON text: there, strict still lets text be a date or a member of an Enum.
            return adapter.validate_json(json.dumps(value), strict=True)
        except ValidationError as error:
            raise Refused(*map(_problem, error.errors(include_url=False, include_context=False))) from None
        except Exception as error:  # noqa: BLE001 - a validator of the tool's own; checking never raises
            raise Refused(("", f"cannot be checked ({type(error).__name__})")) from None

    return Kind("a value of its schema", schema, take)


def _problem(error: Any) -> tuple[str, str]:
    where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error["loc"])
    text = error["msg"].removeprefix("Input ")
    text = text[:1].lower() + text[1:]
    return where, text if error["type"] == "missing" else f"{text}; {shown(error['input'])} is not"
