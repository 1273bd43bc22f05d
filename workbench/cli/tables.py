"""Tables for people, and the same as JSON for programs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.cli.output import out
from workbench.view.visible import cells, visible

Row = Mapping[str, Any]


def print_listing(rows: Sequence[Row], columns: Sequence[str], options: argparse.Namespace) -> int:
    """Those rows as JSON, with all that is known, or those columns of them as a table."""
    if options.json:
        out(json.dumps(list(rows), indent=2))
    else:
        print_rows(rows, columns)
    return 0


def print_rows(rows: Sequence[Row], columns: Sequence[str]) -> None:
    """Those columns of the rows as a table under their names, for people."""
    if not rows:
        out("none")
        return
    heads = [column.upper().replace("_", " ") for column in columns]
    table = [heads, *([_text(row[column]) for column in columns] for row in rows)]
    widths = [max(map(cells, column)) for column in zip(*table, strict=True)]
    for line in table:
        padded = [text + " " * (width - cells(text)) for text, width in zip(line, widths, strict=True)]
        out("  ".join(padded).rstrip())


def _text(value: Any) -> str:
    """A value of a row on one line; nothing for None."""
    return "" if value is None else visible(str(value)).replace("\n", " ")
