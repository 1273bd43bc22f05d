"""The first part of a session file: the header of the run as TOML, and back.

    format = 1                   which rules the file follows
    [session]                    which session it is: id, title, created, lineage, where its scenario was read from
    [run]                        what a fold needs besides the events: goal, protocol, limits, rules, prices, …
    [[tool]]                     each tool as the run knew it
    [scenario]                   the whole scenario as it was read

Fields are found by looking at the dataclasses, so a new field of a header needs no line here. One that is empty, and
empty by default, is left out; every other one is written, also at its default, so that an old session means the same
when a default has changed. What TOML has no words for is JSON text under `…_json`, as in events.
"""

from __future__ import annotations

import tomllib
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import UTC, date, datetime, time
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import tomli_w

from workbench.core.values import Header
from workbench.sessions.encode import (
    HEAD,
    JSON_SUFFIX,
    TRAILER,
    is_toml_int,
    is_unicode,
    key_lines,
    plain_values,
    to_json,
)

FORMAT = 1

SESSION_FIELDS = ("id", "title", "created", "workbench", "root", "parent", "parent_at", "scenario_path")


# ---------------------------------------------------------------- writing


def header_text(header: Header) -> str:
    """The header as TOML, a newline at its end. Raises TypeError or ValueError for a value that is not plain."""
    values = _fields_of(header)
    identity = {name: values.pop(name) for name in SESSION_FIELDS if name in values}
    session = "".join(_session_line(name, value) for name, value in identity.items() if value or name == "id")
    outer = {"tool": values.get("tools"), "scenario": values.get("scenario")}
    inner = {name: value for name, value in values.items() if name not in ("tools", "scenario")}
    rest = _dumped({"run": inner, **{name: table for name, table in outer.items() if table}})
    if not rest.startswith("["):
        # A scenario with keys that are no Unicode is JSON text, not a table; at the top it would end up in [session].
        rest = _dumped({"run": values})
    return f"format = {FORMAT}\n\n[session]\n{session}\n{rest}"


def _session_line(name: str, value: Any) -> str:
    if name == "created" and _is_stamp(value):
        return f"created = {value}\n"
    return key_lines({name: value})


def _dumped(tables: Mapping[str, Any]) -> str:
    """Text over several lines stays so where that reads back exactly and no line of it looks like one of ours."""
    document = _fitted(tables)
    text = tomli_w.dumps(document, multiline_strings=True)
    if f"\n{HEAD}" in text or f"\n{TRAILER}" in text or tomllib.loads(text) != document:
        return tomli_w.dumps(document)
    return text


def _fields_of(record: Any) -> dict[str, Any]:
    return {
        item.name: _plain(getattr(record, item.name))
        for item in fields(record)
        if not _is_empty(item, getattr(record, item.name))
    }


def _is_empty(item: Field[Any], value: Any) -> bool:
    default = item.default if item.default_factory is MISSING else item.default_factory()
    return value == default and value in (None, "", (), {})


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return _fields_of(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def _fitted(values: Mapping[str, Any]) -> dict[str, Any]:
    """The table with every value that TOML cannot hold turned into JSON text, as deep inside as possible."""
    table = {}
    for key, value in values.items():
        fit = _fit(value)
        if fit is None or key.endswith(JSON_SUFFIX):
            table[key + JSON_SUFFIX] = to_json(value)
        else:
            table[key] = fit
    return table


def _fit(value: Any) -> Any:
    """The value as tomli-w can write it, or None where that needs JSON text further out."""
    if isinstance(value, Mapping):
        return _fitted(value) if all(is_unicode(key) for key in value) else None
    if isinstance(value, list | tuple):
        items = [_fit(item) for item in value]
        return None if any(item is None for item in items) else items
    if isinstance(value, str):
        return value if is_unicode(value) else None
    if isinstance(value, int) and not isinstance(value, bool):
        return value if is_toml_int(value) else None
    return value if isinstance(value, bool | float | datetime | date | time) else None


# ---------------------------------------------------------------- reading


def read_toml(data: bytes) -> dict[str, Any]:
    """Parse a session file or a part of it. Raises ValueError with what is wrong and where."""
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line} is not UTF-8") from None
    except RecursionError:
        raise ValueError("it is nested too deep to be read") from None


def session_table(data: bytes) -> dict[str, Any]:
    """The `[session]` table of a file, as a rule without reading the rest. Raises ValueError."""
    start = data.find(b"[session]")
    end = data.find(b"\n[", start)
    head = data.find(f"\n{HEAD}".encode())
    try:
        document = read_toml(data if min(start, end) < 0 else data[:end])
    except ValueError:
        # In a file made by hand a line of the title, say, may begin like a table.
        document = read_toml(data if head < 0 else data[:head])
    _check_format(document)
    return _session_values(document)


def header_from(document: Mapping[str, Any]) -> Header:
    """The header of a parsed session file. Raises ValueError naming the table and key at fault."""
    _check_format(document)
    _check_keys(document, ("format", "session", "run", "tool", "scenario", "event"), "the file")
    session = _session_values(document)
    tables = _read({name: document[name] for name in ("run", "tool", "scenario") if name in document})
    run = _expect(tables.get("run", {}), dict, "[run]")
    _check_keys(run, [name for name in _hints(Header) if name not in SESSION_FIELDS], "[run]")
    outer = {name: tables[table] for table, name in (("tool", "tools"), ("scenario", "scenario")) if table in tables}
    header = _record(Header, {**run, **outer, **session}, "the header")
    assert isinstance(header, Header)
    return header


def _check_format(document: Mapping[str, Any]) -> None:
    number = document.get("format")
    if number is None:
        raise ValueError(f"it is not a session: it does not begin with format = {FORMAT}")
    if number != FORMAT:
        raise ValueError(f"session format {number!r} is not known here; this workbench reads format {FORMAT}")


def _session_values(document: Mapping[str, Any]) -> dict[str, Any]:
    table = plain_values(_expect(document.get("session", {}), dict, "[session]"))
    created = table.get("created")
    if isinstance(created, datetime):
        table["created"] = stamp(created if created.tzinfo else created.replace(tzinfo=UTC))
    _expect(table.get("id"), str, "'id' of [session]")
    _check_keys(table, SESSION_FIELDS, "[session]")
    hints = _hints(Header)
    return {name: _value(hints[name], value, f"{name!r} of [session]") for name, value in table.items()}


def _read(value: Any) -> Any:
    """Undo `_fitted`, all the way down."""
    if isinstance(value, dict):
        return plain_values({key: item if key.endswith(JSON_SUFFIX) else _read(item) for key, item in value.items()})
    if isinstance(value, list):
        return [_read(item) for item in value]
    return value


def _record(cls: Any, values: Mapping[str, Any], where: str) -> Any:
    hints = _hints(cls)
    _check_keys(values, hints, where)
    missing = [item.name for item in fields(cls) if _is_required(item) and item.name not in values]
    if missing:
        raise ValueError(f"{where} has no {missing[0]!r}")
    return cls(**{name: _value(hints[name], value, f"{name!r} of {where}") for name, value in values.items()})


def _is_required(item: Field[Any]) -> bool:
    return item.default is MISSING and item.default_factory is MISSING


@cache
def _hints(cls: Any) -> dict[str, Any]:
    hints = get_type_hints(cls)
    return {item.name: hints[item.name] for item in fields(cls)}


def _value(hint: Any, value: Any, where: str) -> Any:
    """The value as its type in the dataclass asks for it: lists become tuples, tables become records."""
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return value
    if origin in (Union, types.UnionType):
        some = next(arm for arm in args if arm is not types.NoneType)
        return None if value is None and types.NoneType in args else _value(some, value, where)
    if origin is Literal:
        if value not in args:
            raise ValueError(f"{where} is {value!r}; it can be {', '.join(map(repr, args))}")
        return value
    if origin is tuple:
        items = _expect(value, list, where)
        arms = [args[0]] * len(items) if args[-1] is Ellipsis else args
        if len(arms) != len(items):
            raise ValueError(f"{where} has {len(items)} items, not {len(arms)}")
        return tuple(_value(arm, item, where) for arm, item in zip(arms, items, strict=True))
    if is_dataclass(hint):
        return _record(hint, _expect(value, dict, where), where)
    if origin is not None:
        return _expect(value, dict, where)
    return _expect(value, hint, where)


_TYPE_NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


def _expect(value: Any, kind: type[Any], where: str) -> Any:
    fits = isinstance(value, (int, float) if kind is float else kind)
    if not fits or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{where} has to be {_TYPE_NAMES[kind]}, not {value!r:.60}")
    return value


def _check_keys(values: Mapping[str, Any], known: Any, where: str) -> None:
    for key in values:
        if key not in known:
            near = get_close_matches(key, list(known), 1)
            raise ValueError(f"{where} has no key {key!r}" + (f"; did you mean {near[0]!r}?" if near else ""))


# ---------------------------------------------------------------- time


def stamp(moment: datetime) -> str:
    """The moment in UTC as headers have it: "2026-01-31T10:00:00Z"."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _is_stamp(text: str) -> bool:
    try:
        return stamp(datetime.fromisoformat(text)) == text
    except (ValueError, OverflowError):
        return False
