"""Starting the app. Nothing but Textual is imported before its first frame."""

from __future__ import annotations

import argparse
import gc
import os
import sys

from workbench.cli.errors import BadInput
from workbench.cli.places import home_of, scenario_or_session


def run_app(options: argparse.Namespace) -> int:
    """`workbench [FILE]`."""
    home = home_of(options)
    file = None if options.file is None else str(scenario_or_session(options.file, home))
    # Textual draws on the error stream.
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise BadInput("the app needs a terminal; without one there is: workbench run SCENARIO")
    if os.environ.get("TERM", "dumb" if os.name == "posix" else "") == "dumb":
        raise BadInput("this terminal cannot draw a screen (TERM is dumb); there is: workbench run SCENARIO")
    gc.disable()  # there is nothing to collect among what is imported; the app switches it on when it is ready
    from workbench.tui.app import WorkbenchApp

    app = WorkbenchApp(home, file)
    app.run()
    return int(app.return_code or 0)
