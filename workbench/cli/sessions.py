"""`workbench sessions`: the saved runs, or those that words and filters find."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from workbench.cli.errors import BadInput
from workbench.cli.places import home_of
from workbench.cli.tables import Row, print_listing
from workbench.view.figures import money
from workbench.view.folders import Shelf
from workbench.view.query import read_query
from workbench.view.shelf import Item, Saved, branch_sign
from workbench.view.visible import visible

CHUNK = 256
"""Sessions read before what is known by then is kept, and how many are left is said."""


def sessions(options: argparse.Namespace) -> int:
    """`workbench sessions [WORD…]`."""
    query = read_query(" ".join(options.words))
    if query.problem:
        raise BadInput(query.problem)
    shelf = Shelf(home_of(options))
    try:
        _read(shelf, shelf.list_sessions())
        items = shelf.found(shelf.sessions(time.time()), query)
    finally:
        shelf.close()
    for item in items:
        if item.kind == "bad":
            print(visible(item.why[0]), file=sys.stderr)
    rows = [_row(item, item.saved) for item in items if item.saved is not None]
    columns = ["name", "status", "steps", "title"]
    if any(row["cost"] != 0 for row in rows):
        columns.insert(3, "cost")
    if not options.json:
        rows = [
            {**row, "cost": money(row["cost"]), "title": f"{branch_sign(row['depth'])}{row['title']}"} for row in rows
        ]
    return print_listing(rows, columns, options)


def _read(shelf: Shelf, fresh: Sequence[Path]) -> None:
    """Read what has changed. Where that takes a while, people see how much there is left."""
    told = sys.stderr.isatty() and len(fresh) > CHUNK
    for start in range(0, len(fresh), CHUNK):
        if told:
            print(f"\r{len(fresh) - start:,} sessions to read \x1b[K", end="", file=sys.stderr, flush=True)
        shelf.read_sessions(fresh[start : start + CHUNK])
    if told:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _row(item: Item, saved: Saved) -> Row:
    summary = saved.summary
    return {
        "name": item.path.stem,
        "status": saved.status.value,
        "steps": summary.steps,
        "cost": saved.cost,
        "title": summary.title,
        "created": summary.created,
        "parent": summary.parent,
        "parent_at": summary.parent_at,
        "depth": item.depth,
        "tools": list(saved.tools),
        "file": item.key,
    }
