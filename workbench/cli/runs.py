"""Commands that run something: run, check, resume."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from workbench import headless
from workbench.check import check_all, junit, report, scenario_files
from workbench.cli.decisions import settle
from workbench.cli.errors import BadInput
from workbench.cli.output import out
from workbench.cli.places import again, home_of, scenario_file, session_file
from workbench.core.ports import Signal
from workbench.export.files import RecordFile
from workbench.home import Home, written
from workbench.opening import Opened, new_run, reopen
from workbench.results import (
    EXIT_BAD_INPUT,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_OK,
    asks_another,
    differences,
    exit_code,
    person_took_part,
    remarked,
)
from workbench.scenarios.faults import load_catalogue
from workbench.scenarios.loader import load_scenario
from workbench.scenarios.overrides import add_faults, add_hold, apply_overrides
from workbench.view.visible import visible


def run(options: argparse.Namespace) -> int:
    """`workbench run SCENARIO`."""
    home = home_of(options)
    path = scenario_file(options.scenario, home)
    changes = list(options.changes)
    if options.seed is not None:
        changes.append(f"seed={options.seed}")
    if options.approve is not None:
        changes.append(f'approval.default="{options.approve}"')
    scenario = load_scenario(path)
    if options.model or options.base_url:
        from workbench.scenarios.live import with_model

        scenario = with_model(scenario, options.model, options.base_url)
    scenario = apply_overrides(scenario, changes, options.no_limits)
    if options.faults:
        scenario = add_faults(scenario, options.faults, load_catalogue(home.faults).entries)
    if options.hold is not None:
        scenario = add_hold(scenario, options.hold)
    save = Path(options.save) if options.save else None
    with records_of(options) as records:
        opened = new_run(
            scenario,
            home,
            scenario_path=str(path),
            person=True,
            save=save,
            headless=True,
            typed_url=options.base_url,
        )
        for note in opened.notes:
            print(visible(note), file=sys.stderr)
        code = play(opened, options, records)
        if code != EXIT_OK or scenario.expect is None:  # what was expected was meant
            for remark in remarked(opened):
                print(f"≈ {remark}", file=sys.stderr)
        return code


def resume(options: argparse.Namespace) -> int:
    """`workbench resume SESSION`."""
    home = home_of(options)
    with records_of(options) as records:
        opened = reopen(session_file(options.session, home), home, person=True, headless=True)
        try:
            for note in (opened.torn, *opened.notes):
                if note:
                    print(visible(note), file=sys.stderr)
            if opened.told and (options.allow or options.edit):
                print("nothing is decided yet: say it again, if it is to be done once more", file=sys.stderr)
            else:
                settle(opened, options)
            if person_took_part(opened.run.events):
                # What the scenario's person was to say does not fit any more; a question waits for the real one.
                opened.run.person = None
        except BaseException:
            opened.close()
            raise
        return play(opened, options, records)


def check(options: argparse.Namespace) -> int:
    """`workbench check [PATHS…]`."""
    home = home_of(options)
    paths = [Path(path) if os.path.isdir(path) else scenario_file(path, home) for path in options.paths]  # noqa: PTH112
    files = scenario_files(paths, home)
    if not files:
        raise BadInput("there is no scenario to check")
    verdicts = asyncio.run(check_all(files, home))
    for line in report(verdicts):
        out(line)
    if not options.paths:
        print(visible(_where_from(files, home)), file=sys.stderr)
    if options.junit:
        Path(options.junit).write_bytes(junit(verdicts))
    if any(verdict.error for verdict in verdicts):
        return EXIT_BAD_INPUT
    return EXIT_OK if all(verdict.passed for verdict in verdicts) else EXIT_FAILED


def _where_from(files: Sequence[Path], home: Home) -> str:
    """How many of the files are the person's own, and where such are looked for."""
    shipped = sum(map(home.is_shipped, files))
    own = len(files) - shipped
    folder = written(home.own_scripts)
    mine = f"{own} of them in {folder}" if own else f"none of them in {folder}, where your own would be"
    return f"{mine}, {shipped} that come with the workbench; workbench check FOLDER checks what lies there"


@contextmanager
def records_of(options: argparse.Namespace) -> Iterator[RecordFile | None]:
    """The file that `--records` names, before anything is run; None without the option."""
    if not options.records:
        yield None
        return
    records = RecordFile(Path(options.records))
    try:
        yield records
    finally:
        if problem := records.close():
            print(visible(problem), file=sys.stderr)


def play(opened: Opened, options: argparse.Namespace, records: RecordFile | None) -> int:
    """Play a run to where it stops or waits, and print it; returns the exit code."""
    try:
        if records is not None:
            records.follow(opened.run)
        printer = (headless.EventPrinter if options.json else headless.TranscriptPrinter)(opened.run, out)
        if opened.live is not None:
            opened.run.subscribe_signals(_passing)
        interrupted = asyncio.run(headless.play(opened))
        printer.finish()
        expected = _report(opened, options)
        if interrupted:
            return EXIT_INTERRUPTED
        return EXIT_FAILED if opened.run.broken else exit_code(opened.run.status, expected=expected)
    finally:
        opened.close()


def _passing(signal: Signal) -> None:
    """What is no part of the run, but what a person waits for: a pause before another attempt."""
    if signal.kind == "retry":
        print(visible(f"{signal.text}; again in {signal.seconds:.1f} s"), file=sys.stderr, flush=True)


def _report(opened: Opened, options: argparse.Namespace) -> bool | None:
    """Print how the run stands; returns whether its expectations hold, None where it has none."""
    mismatches = differences(opened)
    if options.json:
        headless.print_result(opened, out)
    else:
        out("")
        for line in headless.status_lines(opened, again(options)):
            out(line)
        if opened.session_path is not None:
            out(visible(f"saved as {opened.session_path}"))
    if mismatches and asks_another(opened.run.events):
        print("another model is asked: only status, answer and files are expected of it", file=sys.stderr)
    # An expectation that does not hold is no part of the result object, and must be told all the same.
    for item in mismatches or ():
        line = visible(f"expected {item.key} {item.expected}, got {item.actual}")
        print(line, file=sys.stderr) if options.json else out(line)
    return None if mismatches is None else not mismatches
