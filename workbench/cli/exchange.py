"""`workbench export` and `workbench import`: runs for others, and runs of others."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from workbench.cli.output import out
from workbench.cli.places import home_of
from workbench.imports.keeping import import_file
from workbench.view.visible import visible


def import_log(options: argparse.Namespace) -> int:
    """`workbench import FILE`."""
    made = import_file(
        Path(options.file),
        home_of(options),
        only=options.only,
        model=options.model,
        base_url=options.base_url,
        save=Path(options.save) if options.save else None,
    )
    for session in made:
        out(visible(session.what))
        for note in session.notes:
            print(visible(f"  {note}"), file=sys.stderr)
        out(visible(f"saved as {session.path}"))
    return 0
