"""`workbench diff A B`: two runs laid side by side by their calls, and where they part first."""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sys
from pathlib import Path

from workbench.check import played
from workbench.cli.errors import BadInput
from workbench.cli.output import out
from workbench.cli.places import home_of, session_or_scenario
from workbench.core.divergence import Side
from workbench.home import Home
from workbench.results import EXIT_FAILED, EXIT_OK
from workbench.scenarios.loader import load_scenario
from workbench.scenarios.models import is_live
from workbench.sessions.journal import read_session
from workbench.view.comparing import (
    NAMES,
    Compared,
    Pair,
    compared,
    counter_lines,
    headline,
    parting_lines,
    plain,
    setting_lines,
)
from workbench.view.entries import Span, line_text
from workbench.view.folders import glimpse
from workbench.view.lines import clip, cut_line, wrap
from workbench.view.side_by_side import text_lines
from workbench.view.visible import visible

NARROWEST, PIPED = 40, 120
"""Columns: at least, and where nothing says how many there are."""
SETTINGS = 12
"""Settings that are listed; how many more there are is said."""


def diff(options: argparse.Namespace) -> int:
    """`workbench diff A B`."""
    home = home_of(options)
    pair = Pair(*(_compared(name, home) for name in (options.a, options.b)))
    if options.json:
        out(json.dumps(plain(pair), indent=2))
    else:
        width = max(NARROWEST, shutil.get_terminal_size((PIPED, 24)).columns)
        for line in _lines(pair, width):
            out(line)
    return EXIT_OK if pair.found.divergence is None else EXIT_FAILED


def _compared(name: str, home: Home) -> Compared:
    """The session of that name as it stands, or a run of that scenario."""
    path = session_or_scenario(name, home)
    if glimpse(path).session:
        session = read_session(path)
        if session.torn:
            print(visible(session.torn), file=sys.stderr)
        return compared(session)
    return _of_scenario(path, home)


def _of_scenario(path: Path, home: Home) -> Compared:
    scenario = load_scenario(path)
    if is_live(scenario):
        raise BadInput(f"{path.name}: its model is asked over a network; run it first, then compare the sessions")
    opened, problem = asyncio.run(played(scenario, path, home))
    opened.close()
    if problem:
        raise BadInput(f"{path.name}: {problem}")
    return Compared(Side(opened.run.header, opened.run.events), opened.run.state, path.stem)


def _lines(pair: Pair, width: int) -> list[str]:
    names = [cut_line(f"{name}  {run.title}  ({run.name})", width) for name, run in zip(NAMES, pair.both, strict=True)]
    lines = [*names, "", *(line_text(clip(line, width)) for line in counter_lines(pair))]
    if settings := setting_lines(pair.found.settings, SETTINGS, width - 2):
        lines += ["", "set differently", *(f"  {line_text(clip(line, width - 2))}" for line in settings)]
    lines += ["", *(line_text(line) for line in wrap((Span(f"{headline(pair)}."),), width))]
    lines += [line_text(clip(line, width)) for line in parting_lines(pair)]
    return [*lines, "", *text_lines(pair, width)]
