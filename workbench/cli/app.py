"""Starting the app. Nothing but Textual is imported before its first frame."""

from __future__ import annotations

import argparse
import os
import sys

from workbench.cli.errors import BadInput
from workbench.cli.places import home_of


def run_app(options: argparse.Namespace) -> int:
    """`workbench [FILE]`."""
    home = home_of(options)
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise BadInput("the app needs a terminal; without one there is: workbench run SCENARIO")
    if os.environ.get("TERM", "") in ("", "dumb"):
        raise BadInput("this terminal cannot draw a screen (TERM is dumb); there is: workbench run SCENARIO")
    from workbench.tui.app import WorkbenchApp

    app = WorkbenchApp(home, options.file)
    app.run()
    return int(app.return_code or 0)
