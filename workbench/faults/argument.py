"""A fault as it is given in one argument: `wrong-number:tool=lookup_population,where.city=Paris,nth=1`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from workbench.core.faults import FaultError
from workbench.core.values import Fault
from workbench.faults.catalogue import Catalogue, armed, named

FORM = "NAME:key=value,key=value, e.g. wrong-number:tool=lookup_population,nth=1"
KEYS = tuple(item.name for item in fields(Fault) if item.name not in ("name", "on", "do"))

_TABLES = ("where", "burst")
_TEXTS = ("tool", "text")
# A comma divides two items where a key follows, and never inside quotes or braces.
_PIECE = re.compile(
    r"""(?P<comma>,(?=\s*+[A-Za-z_][\w.-]*+\s*+=))|"(?:[^"\\]|\\.)*+"|'[^']*+'|\{[^{}]*+\}|.""", re.DOTALL
)


def parse_fault(text: str, catalogue: Catalogue) -> Fault:
    """The fault that the argument names. Raises FaultError, whose message is one sentence."""
    table = fault_table(text)
    entry = named(table.pop("use"), catalogue)
    return armed(entry, table)


def fault_table(text: str) -> dict[str, Any]:
    """The argument as a `[[fault]]` table of a scenario has it. Raises FaultError."""
    name, colon, rest = text.partition(":")
    table: dict[str, Any] = {"use": name.strip()}
    for item in _items(rest) if colon else ():
        key, equals, raw = item.partition("=")
        key, _, inner = key.strip().partition(".")
        if not equals or not key:
            raise FaultError("", f'"{item.strip()}" is no key with a value; a fault is written {FORM}')
        if key not in KEYS:
            raise FaultError("", _unknown(key))
        if inner and key not in _TABLES:
            raise FaultError(key, f"has no {inner} inside it")
        holder = table.setdefault(key, {}) if inner else table
        if not isinstance(holder, dict) or (inner or key) in holder:
            raise FaultError(key, "is given twice")
        holder[inner or key] = _value(key, raw.strip())
    return table


def _items(text: str) -> Iterator[str]:
    start = 0
    for piece in _PIECE.finditer(text):
        if piece["comma"]:
            yield text[start : piece.start()]
            start = piece.end()
    yield text[start:]


def _value(key: str, raw: str) -> Any:
    """A value is TOML, or else plain text."""
    try:
        parsed = tomllib.loads(f"value = {raw}")
    except (ValueError, RecursionError):
        return raw
    value = parsed["value"] if set(parsed) == {"value"} else raw
    return raw if key in _TEXTS and not isinstance(value, str) else value


def _unknown(key: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(key, KEYS, n=1)
    hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(KEYS)}"
    return f'a fault has no key "{key}"; {hint} A text that looks like one is put in quotes.'
