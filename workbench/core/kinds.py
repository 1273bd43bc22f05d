"""What kind of value each field of a dataclass holds, to tell plain values from a file that were changed by hand."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

Kind = Callable[[Any], bool]
"""Whether a plain value can stand in a field."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_PLAIN: dict[Any, tuple[Kind, str]] = {
    Any: (lambda _: True, "anything"),
    str: (lambda value: isinstance(value, str), "text"),
    bool: (lambda value: isinstance(value, bool), "true or false"),
    int: (lambda value: _is_number(value) and isinstance(value, int), "a whole number"),
    float: (_is_number, "a number"),
}


_KNOWN: dict[type[Any], dict[str, tuple[Kind, str]]] = {}


def kinds_of(cls: type[Any]) -> dict[str, tuple[Kind, str]]:
    """By field: whether a plain value fits, and what it has to be, in words."""
    known = _KNOWN.get(cls)
    if known is None:
        hints = get_type_hints(cls)
        known = _KNOWN[cls] = {item.name: _kind(hints[item.name]) for item in fields(cls)}
    return known


def misfit(cls: type[Any], values: Mapping[str, Any]) -> str:
    """What is wrong with the first value that cannot stand in its field, or has none; "" when all can."""
    kinds = kinds_of(cls)
    for name, value in values.items():
        kind = kinds.get(name)
        if kind is None:
            return f"has no field {name!r}"
        if not kind[0](value):
            return f"has {name} = {value!r:.60}, which has to be {kind[1]}"
    return ""


def _kind(hint: Any) -> tuple[Kind, str]:
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        arms = [_kind(arm) for arm in arguments if arm is not types.NoneType]
        return (lambda value: value is None or any(fits(value) for fits, _ in arms)), " or ".join(w for _, w in arms)
    if origin is Literal:
        return (lambda value: isinstance(value, str) and value in arguments), f"one of {', '.join(arguments)}"
    if origin is tuple:
        fits, words = _kind(arguments[0])
        return (lambda value: isinstance(value, list | tuple) and all(map(fits, value))), f"a list, each item {words}"
    if isinstance(hint, type) and issubclass(hint, Enum):
        known = [member.value for member in hint]
        return (lambda value: value in known), f"one of {', '.join(known)}"
    return (lambda value: isinstance(value, Mapping)), "a table"
