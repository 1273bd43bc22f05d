"""Scenarios as tests: each one with expectations is run, with nobody there, and held against them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from workbench.clocks import SystemClock, VirtualClock
from workbench.core.alignment import parting
from workbench.core.events import Stopped
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.home import Home, packaged_folder
from workbench.opening import Opened, new_run
from workbench.results import outcome_of, remarked
from workbench.runner import CommandError
from workbench.sandbox import TrustNeeded
from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.expectations import Mismatch, check
from workbench.scenarios.loader import load_scenario, parse_scenario
from workbench.scenarios.models import is_live
from workbench.scenarios.schema import ExpectTable, Scenario
from workbench.toolkit.loader import LoadedFolder, load_tools
from workbench.view import words
from workbench.view.excerpt import excerpt
from workbench.view.visible import visible

MOST_MOVES = 10_000
"""A run that has made so many moves has no end of its own: a reply repeated for ever, and no cap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came of one scenario file."""

    path: Path
    title: str = ""
    status: str = ""
    mismatches: tuple[Mismatch, ...] = ()
    error: str = ""
    """Why it could not be run at all."""
    skipped: str = ""
    """Why there is nothing to check."""
    excerpt: tuple[str, ...] = ()
    """The transcript around the first difference."""
    remarks: tuple[str, ...] = ()
    """What may be a slip, where something failed."""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return not self.mismatches and not self.error


def scenario_files(paths: Sequence[Path], home: Home) -> list[Path]:
    """The scenario files that `paths` name, folders searched through; without paths those of the home."""
    folders = list(paths) or list(home.scripts)
    found: dict[Path, None] = {}
    for path in folders:
        for file in sorted(path.rglob("*.toml")) if path.is_dir() else [path]:
            found[file.resolve()] = None
    return list(found)


async def check_all(files: Iterable[Path], home: Home) -> list[Verdict]:
    """Every file, side by side, in the order given."""
    tools = load_tools(home.tools)
    return list(await asyncio.gather(*[check_file(file, home, tools) for file in files]))


async def check_file(path: Path, home: Home, tools: LoadedFolder | None = None, *, model: str = "") -> Verdict:
    """Run one scenario on a virtual clock, in memory, and compare.

    `tools` are those of the home, loaded before; `model` is asked instead of the scenario's own, as for `--model`.
    """
    try:
        scenario = load_scenario(path)
        if scenario.expect is None:
            return Verdict(path=path, title=scenario.title, skipped="it has no [expect]")
        if model:
            from workbench.scenarios.live import with_model  # only for those who need a wire

            scenario = with_model(scenario, model)
        return await _check(scenario, path, home, tools)
    except TrustNeeded as error:
        return Verdict(path=path, error=error.in_a_terminal)
    except ScenarioError as error:
        return Verdict(path=path, error=str(error))
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one file, the others are checked
        return Verdict(path=path, error=f"{path}: {type(error).__name__}: {error}")


def holds(text: str, *, name: str = "scenario.toml", tools: Sequence[str | Path] = ()) -> None:
    """Run the scenario in a TOML text with nobody there, and compare; for tests that bring their scenario along.

    There are the packaged tools, and those in the folders `tools`. Raises AssertionError that says what does not hold.
    """
    home = project_home(Path.cwd(), [Path(folder) for folder in tools])
    try:
        verdict = asyncio.run(_check(parse_scenario(text, name), Path(name), home))
    except (ScenarioError, TrustNeeded) as error:
        raise AssertionError(str(error)) from None
    if not verdict.passed:
        raise AssertionError("\n".join(failure_lines(verdict)))


def project_home(root: Path, tools: Sequence[Path] = ()) -> Home:
    """A project as a home for its tests: nothing of the user's own counts, and only the tools that are named."""
    extra = tuple(folder.resolve() for folder in tools)
    return Home(root=root, found="current folder", packaged=packaged_folder(), extra_tools=extra, tools_trusted=False)


async def _check(scenario: Scenario, path: Path, home: Home, tools: LoadedFolder | None = None) -> Verdict:
    began = time.perf_counter()
    expect = scenario.expect or ExpectTable()
    opened, problem = await played(scenario, path, home, tools)
    try:
        outcome = outcome_of(opened, files=tuple(expect.files or ()))
        mismatches = () if problem else tuple(check(expect, outcome))
        run = opened.run
        around = excerpt(run.events, run.state, _place(mismatches[0], expect, run.state)) if mismatches else ()
        return Verdict(
            path=path,
            title=scenario.title,
            status=outcome.status.value,
            mismatches=mismatches,
            error=problem,
            excerpt=tuple(around),
            remarks=tuple(map(str, remarked(opened))) if mismatches or problem else (),
            seconds=time.perf_counter() - began,
        )
    finally:
        opened.close()


async def played(scenario: Scenario, path: Path, home: Home, tools: LoadedFolder | None = None) -> tuple[Opened, str]:
    """The run of a scenario with nobody there, in memory, and why it cannot be played to its end; "" where it can.

    Whoever asks for it closes it. Raises ScenarioError and TrustNeeded.
    """
    opened = new_run(
        scenario,
        home,
        scenario_path=str(path),
        clock=SystemClock() if is_live(scenario) else VirtualClock(),
        person=True,
        keep=False,
        session_id="check",
        tools=tools,
    )
    try:
        return opened, await _play(opened)
    except BaseException:
        opened.close()
        raise


def _place(mismatch: Mismatch, expect: ExpectTable, state: State) -> int:
    """The number of the event at which what was expected and what came part; 0 for the end."""
    if mismatch.key == "calls":
        names = [record.call.tool for record in state.every_call()]
        at = parting(expect.calls or (), names)
        return state.every_call()[at].n if at < len(names) else 0
    if mismatch.key == "chars_seen":
        at = parting(expect.chars_seen or (), [mark.chars for mark in state.requests])
        return state.requests[at].n if at < len(state.requests) else 0
    if mismatch.key == "transcript":
        return _message_at(state, parting((expect.transcript or "").split("\n"), _lines(state)))
    return 0


def _lines(state: State) -> list[str]:
    return "\n".join(message.text for message in state.messages).split("\n")


def _message_at(state: State, line: int) -> int:
    """The event of the message that has that line of the transcript."""
    for message in state.messages:
        line -= message.text.count("\n") + 1
        if line < 0:
            return message.n
    return 0


async def _play(opened: Opened) -> str:
    """Play to the end; returns why that cannot be done."""
    run = opened.run
    try:
        for _ in range(MOST_MOVES):
            if not await run.advance():
                return run.broken or _own_failure(run.state.stopped)
            await asyncio.sleep(0)
    except CommandError as error:
        return f"an answer of the scenario's person: {error}"
    return f"it has made {MOST_MOVES:,} moves and has not ended; give it a cap, e.g. limits.steps"


def _own_failure(stop: Stopped | None) -> str:
    """What went wrong in the workbench itself; a loop of the museum that crashed has only shown what it is."""
    ours = stop is not None and stop.status is Status.INTERNAL_ERROR and stop.knob != words.CRASHED
    return stop.detail if stop is not None and ours else ""


def report(verdicts: Sequence[Verdict]) -> list[str]:
    """A table for people; under each scenario that failed, each expectation with both values."""
    names = [visible(verdict.path.stem) for verdict in verdicts]
    width = max(map(len, names), default=0)
    lines = []
    for verdict, name in zip(verdicts, names, strict=True):
        sign, word = _sign(verdict)
        lines.append(f"{sign} {name:<{width}}  {word}".rstrip())
        lines.extend(f"    {line}" for line in _what_failed(verdict))
    checked = [verdict for verdict in verdicts if not verdict.skipped]
    failed = sum(not verdict.passed for verdict in checked)
    skipped = len(verdicts) - len(checked)
    tail = f", {skipped} without [expect]" if skipped else ""
    lines.append(f"{len(checked) - failed} passed, {failed} failed{tail}")
    return lines


def failure_lines(verdict: Verdict) -> list[str]:
    """What failed, and the transcript around the first difference."""
    around = ["", "around the first difference:", *verdict.excerpt] if verdict.excerpt else []
    return [*_what_failed(verdict), *around]


def _what_failed(verdict: Verdict) -> list[str]:
    lines = [line for line in visible(verdict.error).split("\n") if line]
    for mismatch in verdict.mismatches:
        lines.append(mismatch.key)
        lines.append(f"  expected  {visible(mismatch.expected)}")
        lines.append(f"  got       {visible(mismatch.actual)}")
    return [*lines, *(f"≈ {remark}" for remark in verdict.remarks)]


def _sign(verdict: Verdict) -> tuple[str, str]:
    if verdict.error:
        return "✗", "cannot be run"
    if verdict.skipped:
        return "·", verdict.skipped
    return ("✓" if verdict.passed else "✗"), verdict.status


def junit(verdicts: Sequence[Verdict]) -> bytes:
    """The verdicts as a JUnit XML file, one test case a scenario."""
    suite = ET.Element("testsuite", name="workbench check", tests=str(len(verdicts)))
    suite.set("failures", str(sum(bool(verdict.mismatches) for verdict in verdicts)))
    suite.set("errors", str(sum(bool(verdict.error) for verdict in verdicts)))
    suite.set("skipped", str(sum(bool(verdict.skipped) for verdict in verdicts)))
    for verdict in verdicts:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=_xml(verdict.path.parent.name or "workbench"),
            name=_xml(verdict.path.stem),
            time=f"{verdict.seconds:.3f}",
        )
        if verdict.error:
            ET.SubElement(case, "error", message=_xml(verdict.error))
        elif verdict.skipped:
            ET.SubElement(case, "skipped", message=verdict.skipped)
        elif verdict.mismatches:
            texts = [f"{item.key}: expected {item.expected}, got {item.actual}" for item in verdict.mismatches]
            text = "\n".join([*texts, "", *verdict.excerpt])
            ET.SubElement(case, "failure", message=_xml(texts[0])).text = _xml(text)
    document: bytes = ET.tostring(suite, encoding="utf-8", xml_declaration=True)
    return document


def _xml(text: str) -> str:
    """XML has no way to write most control characters; they are shown as signs."""
    return visible(text)
