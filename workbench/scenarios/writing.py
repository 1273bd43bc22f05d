"""A scenario as a TOML text that people like to read: keys in the order of the format, texts over several lines.

Reading what is written gives the same values again; what TOML cannot hold (lone surrogates) is replaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import tomli_w

from workbench.scenarios.loader import TEXTS

Pattern = tuple[str, ...]
"""Path of a table, without indices."""

ORDER = (
    "title", "about", "goal", "system", "protocol", "tools", "tags", "lesson", "seed", "loop", "protocol_options",
    "limits", "step", "route", "model", "fault", "workspace", "context", "authority", "approval", "person",
    "goal_check", "expect",
)  # fmt: skip
TABLES: frozenset[Pattern] = frozenset(
    {
        *((name,) for name in ("protocol_options", "limits", "model", "workspace", "context", "authority")),
        *((name,) for name in ("approval", "goal_check", "expect")),
        ("workspace", "files"),
        ("expect", "files"),
    }
)
"""Tables with a header of their own; every other one stands inside a line."""
ARRAYS: frozenset[Pattern] = frozenset(
    {
        *(("model", name) for name in ("reply", "tool", "exchange")),
        ("model", "reply", "call"),
        *(("model", "exchange", name) for name in ("message", "call", "result")),
        *((name,) for name in ("fault", "person", "step", "route")),
        ("route", "step"),
        ("approval", "rule"),
    }
)
"""Lists whose items have a header each."""
WIDTH = 110
"""Characters of a line above which a list has an item a line."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_LITERAL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
"""What no literal string of TOML may hold, newline and tab apart."""


def scenario_text(plain: Mapping[str, Any]) -> str:
    """The text for a scenario in its plain form, see `loader.to_plain`."""
    known = {name: plain[name] for name in ORDER if name in plain}
    return "\n".join(_table((), {**known, **plain})).lstrip("\n") + "\n"


def _table(path: Pattern, table: Mapping[str, Any]) -> Iterator[str]:
    inner = [key for key in table if (*path, key) in TABLES or ((*path, key) in ARRAYS and table[key])]
    for key, value in table.items():
        if key not in inner:
            yield f"{_key(key)} = {_value((*path, key), value)}"
    for key in inner:
        name = ".".join(map(_key, (*path, key)))
        if (*path, key) in ARRAYS:
            for item in table[key]:
                yield from _headed(f"[[{name}]]", (*path, key), item)
        else:
            yield from _headed(f"[{name}]", (*path, key), table[key])


def _headed(header: str, path: Pattern, table: Mapping[str, Any]) -> Iterator[str]:
    lines = list(_table(path, table))
    # A table that only holds other tables needs no header; a call stands close to its reply.
    if header.startswith("[[") or not lines or not lines[0].startswith(("[", "\n[")):
        yield header if path == ("model", "reply", "call") else f"\n{header}"
    yield from lines


# ---------------------------------------------------------------- values


def _value(path: Pattern, value: Any) -> str:
    if isinstance(value, str):
        return _text(value, path in TEXTS)
    if isinstance(value, list | tuple):
        items = [_inline(item) for item in value]
        line = f"[{', '.join(items)}]"
        return line if len(line) <= WIDTH else "\n".join(["[", *(f"    {item}," for item in items), "]"])
    return _inline(value)


def _inline(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, str):
        return _one_line(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_inline(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(_inline, value))}]"
    return _dumped(value)


def _text(value: str, drops: bool) -> str:
    """A text over several lines where that can be read better, and read back.

    Where the reader `drops` the last newline, the closing quotes stand on a line of their own.
    """
    if "\n" not in value or "'''" in value or value.endswith("'") or _NOT_LITERAL.search(value):
        return _one_line(f"{value}\n" if drops and value.endswith("\n") else value)
    return f"'''\n{value}\n'''" if drops else f"'''\n{value}'''"


def _one_line(value: str) -> str:
    literal = "'" not in value and "\n" not in value and ('"' in value or "\\" in value)
    return f"'{_encodable(value)}'" if literal and not _NOT_LITERAL.search(value) else _dumped(value)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(_encodable(key), ensure_ascii=False).replace("\x7f", "\\u007F")


def _dumped(value: Any) -> str:
    if isinstance(value, str):
        value = _encodable(value)
    return tomli_w.dumps({"v": value}).removeprefix("v = ").rstrip("\n")


def _encodable(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text)
