"""`workbench export` and `workbench import`: runs for others, and runs of others."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from workbench.cli.errors import BadInput
from workbench.cli.output import out
from workbench.cli.places import home_of, session_file
from workbench.export.files import folders_of, save
from workbench.export.forms import form_named, recorded
from workbench.export.palette import palettes
from workbench.imports.keeping import import_file
from workbench.sessions.errors import SessionError
from workbench.sessions.journal import read_session
from workbench.toolkit.loader import load_tools
from workbench.view.visible import visible


def export(options: argparse.Namespace) -> int:
    """`workbench export SESSION --to FORM`."""
    home = home_of(options)
    form = form_named(options.to)
    if options.theme and not form.coloured:
        raise BadInput(f"--theme: {form.name} has no colours")
    session = read_session(session_file(options.session, home))
    if session.torn:
        print(visible(session.torn), file=sys.stderr)
    try:
        run = recorded(
            session.header,
            session.events,
            palettes=palettes(home.themes, options.theme) if form.coloured else (),
            tools_here=folders_of(load_tools(home.tools), home.packaged) if form.runs else None,
        )
    except ValueError as error:
        raise SessionError(f"{session.path.name}: {error}") from None
    written = form.write(run)
    for note in written.notes:
        print(visible(f"note: {note}"), file=sys.stderr)
    if options.output:
        save(Path(options.output), written.text, force=options.force)
        print(f"written to {visible(options.output)}", file=sys.stderr)
    else:
        # What is safe in a file may steer a terminal.
        sys.stdout.write(visible(written.text) if sys.stdout.isatty() else written.text)
    return 0


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
        if session.notes:
            print("  what is not read is kept in the session, as it was", file=sys.stderr)
        out(visible(f"saved as {session.path}"))
    return 0
