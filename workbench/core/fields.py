"""Whether plain values are what the fields of a dataclass say they are. A file may say anything.

Understands what events and calls are made of: str, int, float, bool, None, Literal, unions of these, tuples of one
kind of item, mappings from str, and enums of text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

Check = Callable[[Any], bool]
MEASURES = frozenset({"took", "cost"})
"""Fields whose figures are never below nothing, and never infinite."""


_KNOWN: dict[type[Any], dict[str, tuple[Check, str]]] = {}
"""What has been found out about a class, once for all."""


def wrong_field(cls: type[Any], values: Mapping[str, Any]) -> str:
    """What is wrong with the first field that cannot be so; "" when nothing is. Every name must be one of the class."""
    checks = _checks(cls)
    for name, value in values.items():
        check, wanted = checks[name]
        if not check(value):
            return f"{name} must be {wanted}, not {_shown(value)}"
    return ""


def _checks(cls: type[Any]) -> dict[str, tuple[Check, str]]:
    found = _KNOWN.get(cls)
    if found is None:
        hints = get_type_hints(cls)
        found = _KNOWN[cls] = {}
        for item in fields(cls):
            check, wanted = _check(hints[item.name])
            if item.name in MEASURES:
                check, wanted = _measure(check), f"{wanted}, at least 0"
            found[item.name] = (check, wanted)
    return found


def _check(hint: Any) -> tuple[Check, str]:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        parts = [_check(each) for each in get_args(hint)]
        checks = [check for check, _ in parts]
        return lambda value: any(check(value) for check in checks), " or ".join(wanted for _, wanted in parts)
    if origin is Literal:
        allowed = get_args(hint)
        return lambda value: isinstance(value, str) and value in allowed, f"one of {', '.join(map(str, allowed))}"
    if origin is tuple:
        item, wanted = _check(get_args(hint)[0])
        return lambda value: isinstance(value, (list, tuple)) and all(map(item, value)), f"a list, each item {wanted}"
    if origin is not None and issubclass(origin, Mapping):
        item, wanted = _check(get_args(hint)[1])
        return (
            lambda value: isinstance(value, Mapping) and all(map(_is_text, value)) and all(map(item, value.values())),
            f"a table, each value {wanted}",
        )
    return _plain(hint)


def _plain(hint: Any) -> tuple[Check, str]:
    if hint is Any:
        return lambda _: True, "anything"
    if hint is NoneType:
        return lambda value: value is None, "nothing"
    if hint is bool:
        return lambda value: isinstance(value, bool), "true or false"
    if hint is int:
        return lambda value: isinstance(value, int) and not isinstance(value, bool), "a whole number"
    if hint is float:
        return lambda value: isinstance(value, (int, float)) and not isinstance(value, bool), "a number"
    if isinstance(hint, type) and issubclass(hint, Enum):
        known = frozenset(each.value for each in hint)
        return lambda value: isinstance(value, str) and value in known, f"a {hint.__name__.lower()}"
    if hint is str:
        return _is_text, "text"
    return lambda value: isinstance(value, Mapping), "a table"


def _measure(check: Check) -> Check:
    return lambda value: check(value) and (value is None or (value >= 0 and math.isfinite(value)))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
