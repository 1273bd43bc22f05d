"""Commands that run something: run, check, resume."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from workbench import headless
from workbench.check import check_all, junit, report, scenario_files
from workbench.cli.errors import BadInput
from workbench.cli.places import home_of, scenario_file, session_file
from workbench.clocks import SystemClock, VirtualClock
from workbench.core.ports import Clock
from workbench.core.statuses import Status
from workbench.core.values import LIMIT_NAMES
from workbench.opening import Opened, new_run, reopen
from workbench.results import EXIT_INTERRUPTED, exit_code, outcome_of
from workbench.scenarios.expectations import check as compare
from workbench.scenarios.loader import load_scenario
from workbench.scenarios.overrides import apply_overrides, parse_value
from workbench.scenarios.schema import Scenario
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
    scenario = apply_overrides(load_scenario(path), changes, options.no_limits)
    save = Path(options.save) if options.save else None
    opened = new_run(
        scenario, home, scenario_path=str(path), clock=_clock(scenario), person=True, save=save, keep=True
    )
    return _play(opened, options)


def resume(options: argparse.Namespace) -> int:
    """`workbench resume SESSION`."""
    home = home_of(options)
    opened = reopen(session_file(options.session, home), home, person=True)
    try:
        if opened.torn:
            print(visible(opened.torn), file=sys.stderr)
        _apply(opened, options)
    except BaseException:
        opened.close()
        raise
    return _play(opened, options)


def check(options: argparse.Namespace) -> int:
    """`workbench check [PATHS…]`."""
    home = home_of(options)
    paths = [Path(path) for path in options.paths]
    for path in paths:
        if not path.exists():
            raise BadInput(f"there is no {path}")
    files = scenario_files(paths, home)
    if not files:
        raise BadInput("there is no scenario to check")
    verdicts = asyncio.run(check_all(files, home))
    for line in report(verdicts):
        print(line)
    if options.junit:
        Path(options.junit).write_bytes(junit(verdicts))
    if any(verdict.error for verdict in verdicts):
        return 2
    return 0 if all(verdict.passed for verdict in verdicts) else 1


def _apply(opened: Opened, options: argparse.Namespace) -> None:
    """Carry out what `resume` was told, in the order in which it makes sense: settings, decisions, message."""
    run = opened.run
    settings = {}
    for change in options.changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise BadInput(f"--set {change}: needs the form KEY=VALUE, e.g. limits.steps=9")
        settings[key.strip()] = parse_value(value.strip())
    for name in options.no_limits:
        if name not in LIMIT_NAMES:
            raise BadInput(f"--no-limit {name}: there are {', '.join(LIMIT_NAMES)}")
        settings[f"limits.{name}"] = None
    if settings:
        run.change(settings)
        if run.state.stopped is not None and not options.message:
            run.go_on()
    for call in options.allow:
        for name in _named(opened, call):
            run.decide(name, "allow")
    for call, reason in options.deny:
        for name in _named(opened, call):
            run.decide(name, "deny", reason=reason)
    for call, arguments in options.edit:
        for name in _named(opened, call):
            run.decide(name, "edit", arguments=arguments)
    for call, text in options.answer:
        for name in _named(opened, call):
            run.decide(name, "answer", answer=text)
    if options.message:
        run.message(options.message)


def _named(opened: Opened, call: str) -> list[str]:
    if call != "all":
        return [call]
    waiting = [record.call.id for record in opened.run.state.open_calls() if record.phase in ("proposed", "started")]
    if not waiting:
        raise BadInput("no call is waiting for a decision")
    return waiting


def _clock(scenario: Scenario) -> Clock:
    """Scripted runs with nobody there need not wait for real time, and are the same every time."""
    return VirtualClock() if scenario.model.use in ("scripted", "simulated", "recorded") else SystemClock()


def _play(opened: Opened, options: argparse.Namespace) -> int:
    def out(line: str) -> None:
        print(line, flush=True)

    try:
        if options.json:
            headless.EventPrinter(opened.run, out)
        else:
            headless.TranscriptPrinter(opened.run, out)
        interrupted = asyncio.run(headless.play(opened))
        expected = _report(opened, out, json=options.json)
        if interrupted:
            return EXIT_INTERRUPTED
        return exit_code(opened.run.status, expected=expected)
    finally:
        opened.close()


def _report(opened: Opened, out: headless.Print, *, json: bool) -> bool | None:
    """Print how the run stands; returns whether its expectations hold, None where it has none."""
    expect = opened.scenario.expect
    mismatches = compare(expect, outcome_of(opened, files=tuple(expect.files or ()))) if expect is not None else []
    if json:
        headless.print_result(opened, out)
    else:
        out("")
        for line in headless.status_lines(opened):
            out(line)
        if opened.session_path is not None:
            out(f"saved as {opened.session_path}")
        for item in mismatches:
            out(f"expected {item.key} {visible(item.expected)}, got {visible(item.actual)}")
    if expect is None:
        return None
    suspended = opened.run.status in (Status.AWAITING_APPROVAL, Status.AWAITING_PERSON)
    return None if suspended and mismatches else not mismatches
