"""What validators of all wires say of a value that is not of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KINDS: dict[type, str] = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a decimal",
    type(None): "null",
}


def kind_of(value: object) -> str:
    """The kind of a JSON value, with its article."""
    return _KINDS.get(type(value), "something else")


def is_kind(value: object, kind: type | tuple[type, ...]) -> bool:
    """Whether a JSON value is of that kind; a boolean is no number, and a whole number is a decimal, too."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return type(value) in kinds or (type(value) is int and float in kinds)


def strangers(value: Mapping[str, Any], known: frozenset[str]) -> list[str]:
    """The keys that are not known, in their order."""
    return [key for key in value if key not in known]
