"""The catalogue: faults with a name, and a sentence on what each teaches. Data, packaged; a user's file adds to it.

[wrong-number]
group   = "wrong values"
teaches = "…"
on      = "result"
do      = "wrong_number"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from workbench.core.faults import SCHEDULES, FaultError, fault_from, fault_to
from workbench.core.values import Fault

FILE = Path(__file__).with_name("catalogue.toml")
OWN_KEYS = ("group", "teaches")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A fault of the catalogue."""

    fault: Fault
    """With the entry's name; matches every call, and strikes every time unless the entry says when."""
    group: str = ""
    teaches: str = ""

    @property
    def name(self) -> str:
        return self.fault.name


Catalogue = Mapping[str, Entry]


class EntryError(Exception):
    """An entry that cannot be used: the path of the key at fault, and a sentence for people."""

    def __init__(self, path: tuple[str, ...], message: str) -> None:
        super().__init__(f"{'.'.join(path)}: {message}")
        self.path = path
        self.message = message


@cache
def shipped() -> Catalogue:
    """The packaged catalogue, by name, in the order of its file."""
    entries, problems = read_entries(tomllib.loads(FILE.read_text(encoding="utf-8")))
    assert not problems, problems
    return MappingProxyType(entries)


def read_entries(data: Mapping[str, Any]) -> tuple[dict[str, Entry], list[EntryError]]:
    """The entries of a parsed catalogue file that can be used, and what is wrong with each other one."""
    entries: dict[str, Entry] = {}
    problems: list[EntryError] = []
    for name, table in data.items():
        try:
            entries[name] = _entry(name, table)
        except EntryError as error:
            problems.append(error)
    return entries, problems


def _entry(name: str, table: Any) -> Entry:
    if not isinstance(table, Mapping):
        raise EntryError((name,), "belongs to no fault; one begins with its name in brackets: [wrong-number]")
    if not _NAME.fullmatch(name):
        raise EntryError((name,), "the name of a fault has small letters, digits and single hyphens: wrong-number")
    own = {key: table.get(key, "") for key in OWN_KEYS}
    for key, value in own.items():
        if not isinstance(value, str):
            raise EntryError((name, key), f"must be text, not {value!r:.60}")
    if "name" in table:
        raise EntryError((name, "name"), "the name of a fault is that of its table")
    try:
        fault = fault_from({key: value for key, value in table.items() if key not in OWN_KEYS} | {"name": name})
    except FaultError as error:
        raise EntryError((name, *error.path), error.message) from None
    return Entry(fault=fault, **own)


def armed(entry: Entry, given: Mapping[str, Any]) -> Fault:
    """The fault of the entry with keys of one's own; a schedule takes the place of the entry's. Raises FaultError."""
    plain = fault_to(entry.fault)
    if any(key in given for key in SCHEDULES):
        plain = {key: value for key, value in plain.items() if key not in SCHEDULES}
    if "text" in given or "value" in given:
        plain = {key: value for key, value in plain.items() if key not in ("text", "value")}
    return fault_from({**plain, **given})


def named(name: str, catalogue: Catalogue) -> Entry:
    """The entry of that name. Raises FaultError that names the nearest one."""
    from difflib import get_close_matches

    entry = catalogue.get(name)
    if entry is None:
        near = get_close_matches(name.lower().replace("_", "-"), catalogue, n=1)
        hint = f'did you mean "{near[0]}"?' if near else "workbench faults lists those there are"
        raise FaultError("use", f'there is no fault "{name}"; {hint}')
    return entry
