"""`workbench faults [NAME]`: the fault catalogue, or one of its faults explained."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from workbench.cli.errors import BadInput
from workbench.cli.output import out
from workbench.cli.places import home_of
from workbench.core.faults import FaultError, fault_to, when
from workbench.faults.catalogue import Entry, named
from workbench.scenarios.faults import load_catalogue
from workbench.view.visible import cells, visible

TARGETS = {
    "tool": "the tool itself: it does not run, or not at once",
    "result": "a result: the tool has run and has acted",
    "reply": "a reply of the model",
    "provider": "a request to the provider",
}


def faults(options: argparse.Namespace) -> int:
    """`workbench faults [NAME]`."""
    loaded = load_catalogue(home_of(options).faults)
    for problem in loaded.problems:
        print(visible(str(problem)), file=sys.stderr)
    entries = list(loaded.entries.values())
    if options.name is not None:
        try:
            entries = [named(options.name, loaded.entries)]
        except FaultError as error:
            raise BadInput(error.message) from None
    if options.json:
        out(json.dumps([_row(entry) for entry in entries], indent=2))
        return 0
    for line in _explained(entries[0]) if options.name is not None else _listed(entries):
        out(visible(line))
    return 0


def _row(entry: Entry) -> Mapping[str, Any]:
    return {"name": entry.name, "group": entry.group, "teaches": entry.teaches, **fault_to(entry.fault)}


def _listed(entries: list[Entry]) -> list[str]:
    width = max(cells(visible(entry.name)) for entry in entries)
    groups: dict[str, list[str]] = {}
    for entry in entries:
        blanks = " " * (width - cells(visible(entry.name)))
        groups.setdefault(entry.group or "others", []).append(f"  {entry.name}{blanks}  {entry.teaches}".rstrip())
    lines = [line for group, rows in groups.items() for line in ("", group, *rows)]
    return [*lines[1:], "", "explained: workbench faults NAME"]


def _explained(entry: Entry) -> list[str]:
    fault = entry.fault
    plain = fault_to(fault)
    about_calls = fault.on in ("tool", "result")
    lines = [f"{entry.name}: {entry.teaches}" if entry.teaches else entry.name, ""]
    lines.append(f"  where     {TARGETS[fault.on]}")
    lines.append(f"  what      {fault.do}")
    given = {key: plain[key] for key in ("text", "value", "seconds", "size") if key in plain}
    lines += [f"  {key:<9} {value if isinstance(value, str) else json.dumps(value)}" for key, value in given.items()]
    lines += [f"  when      {when(fault)}", "", "in a scenario:", "  [[fault]]", f'  use = "{entry.name}"']
    if about_calls:
        lines.append('  tool = "…"                  # and where = { argument = … }')
    lines.append("  nth = 1                     # or step, every, after, burst, chance; times = how often at most")
    example = "tool=…,nth=1" if about_calls else "nth=1"
    return [*lines, "", "on the command line:", f"  workbench run SCENARIO --fault {entry.name}:{example}"]
