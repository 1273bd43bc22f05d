"""`workbench matrix SCENARIO`: every step of a run against every fault."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from workbench.cli.errors import BadInput
from workbench.cli.output import out
from workbench.cli.places import home_of, scenario_file
from workbench.lab import report
from workbench.lab.filling import Filling, chosen
from workbench.lab.matrix import Grid, estimate
from workbench.lab.trials import NoMatrix, Subject, check_subject
from workbench.lab.workers import WorkerError, processors
from workbench.results import EXIT_OK
from workbench.scenarios.faults import load_catalogue
from workbench.scenarios.loader import load_scenario
from workbench.scenarios.overrides import apply_overrides
from workbench.view.visible import visible

TICK = 0.1
"""Seconds between two looks at what the processes have done."""
CLEAR = "\r\x1b[K"


def matrix(options: argparse.Namespace) -> int:
    """`workbench matrix SCENARIO`."""
    home = home_of(options)
    path = scenario_file(options.scenario, home)
    scenario = apply_overrides(load_scenario(path), options.changes, options.no_limits)
    loaded = load_catalogue(home.faults)
    for problem in loaded.problems:
        print(visible(str(problem)), file=sys.stderr)
    names = [name.strip() for given in options.faults for name in given.split(",") if name.strip()]
    subject = Subject(scenario=scenario, home=home, path=str(path))
    try:
        check_subject(scenario, paid=options.yes)
        faults = chosen(names, loaded.entries)
        if options.save:
            now = datetime.now(UTC).replace(microsecond=0)
            subject = replace(subject, keep=_new_folder(Path(options.save)), created=now)
        grid = _filled(Filling(subject, faults, jobs=options.jobs or processors()))
    except (NoMatrix, WorkerError) as error:
        raise BadInput(str(error)) from None
    if options.json:
        print(json.dumps(report.plain(grid), indent=2))
    elif options.markdown:
        print(report.markdown(grid), end="")
    else:
        for line in report.text_lines(grid):
            out(line)
    if subject.keep is not None:
        print(visible(f"the runs are kept in {subject.keep}"), file=sys.stderr)
    return EXIT_OK


def _new_folder(folder: Path) -> Path:
    """The folder for the runs, made, or there and empty: what somebody keeps in one is not mixed with anything."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"--save {folder}: there is something already; name a new folder, or an empty one")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _filled(filling: Filling) -> Grid:
    """The whole grid. Where somebody watches, how far it has come is said meanwhile."""
    watched, began = sys.stderr.isatty(), time.monotonic()
    try:
        while not filling.finished:
            filling.poll(TICK)
            if watched and time.monotonic() - began > 1:
                print(f"{CLEAR}{_progress(filling, time.monotonic() - began)}", end="", file=sys.stderr, flush=True)
    finally:
        filling.close()
        if watched:
            print(CLEAR, end="", file=sys.stderr, flush=True)
    assert filling.grid is not None
    return filling.grid


def _progress(filling: Filling, seconds: float) -> str:
    if filling.grid is None:
        return "the unbroken run"
    left = estimate(filling.done, filling.total - filling.done, seconds)
    return f"{filling.done:,} of {filling.total:,} runs{f', {left}' if left else ''}"
