"""Kills runs with SIGKILL at random moments, forks each and goes on with each, and looks at what the world has seen.

    python killed.py FOLDER COUNT SEED

Prints one JSON object: how many runs were killed, how they stood afterwards, and everything that was not as it must be.
Each run is a process of its own, made from this one, which has imported all there is to import.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

from workbench.core.events import ToolResult, ToolStarted
from workbench.core.records import CallRecord
from workbench.core.statuses import SUSPENDED
from workbench.forking import Branch, fork
from workbench.home import Home, packaged_folder
from workbench.opening import Opened, new_run, reopen
from workbench.scenarios.loader import parse_scenario
from workbench.sessions.journal import read_session

STEPS = 6
TOOLS = '''
import os
import time

from workbench.toolkit.api import tool, workspace


@tool(risk="outward")
def act(number: int) -> str:
    """Acts on the world outside, and takes a moment before and after.

    number: which act.
    """
    time.sleep(0.0005)
    world = os.open(os.environ["WORLD"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(world, f"{number}\\n".encode())
    os.close(world)
    time.sleep(0.0005)
    return f"acted {number}"


@tool(risk="write")
def note(number: int) -> str:
    """Adds a line to a file of the sandbox.

    number: which line.
    """
    workspace().append("notes.txt", f"{number}\\n")
    return f"noted {number}"
'''
REPLY = """
[[model.reply]]
[[model.reply.call]]
tool = "act"
arguments = {{ number = {n} }}
[[model.reply.call]]
tool = "note"
arguments = {{ number = {n} }}
"""
SCENARIO = """
title = "Killed"
goal = "Act and note."
protocol = "native"
tools = ["act", "note"]

[protocol_options]
execute = "{execute}"

[approval]
default = "allow"
"""


def scenario(execute: str) -> str:
    replies = "".join(REPLY.format(n=n) for n in range(STEPS))
    return f'{SCENARIO.format(execute=execute)}{replies}\n[[model.reply]]\ntext = "All of it."\n'


class Trial:
    """One run: its session, the world it acts on, and what is not as it must be."""

    def __init__(self, folder: Path, number: int) -> None:
        self.home = Home(root=folder, found="--home", packaged=packaged_folder())
        self.parent = self.session = folder / "sessions" / f"trial-{number}.toml"
        self.world = folder / f"world-{number}"
        self.report = folder / f"report-{number}.json"
        self.execute = ("sequential", "concurrent")[number % 2]

    def forked(self) -> Trial:
        """A fork of it, in a home and with a world of its own that have seen what these have."""
        made = copy(self)
        root = self.home.root / "forks"
        made.home = Home(root=root, found="--home", packaged=packaged_folder())
        made.parent = root / "sessions" / self.session.name
        made.parent.write_bytes(self.session.read_bytes())
        made.session = made.parent.with_name(f"{self.session.stem}-fork.toml")
        made.world = self.world.with_name(f"{self.world.name}-fork")
        if self.world.exists():
            made.world.write_bytes(self.world.read_bytes())
        return made

    # ------------------------------------------------------------ in a process of its own

    def begin(self) -> None:
        parsed = parse_scenario(scenario(self.execute), "killed.toml")
        self._play(new_run(parsed, self.home, save=self.session, headless=True))

    def go_on(self) -> None:
        self._play(reopen(self.session, self.home, headless=True))

    def fork(self) -> None:
        """From the latest event that is whole."""
        parent = read_session(self.parent)
        branch = Branch(at=len(parent.events))
        self._play(fork(parent.header, parent.events, branch, self.home, save=self.session, headless=True))

    def give_up_what_is_unknown(self) -> None:
        """A person says that nobody knows; what had not begun goes on."""
        opened = reopen(self.session, self.home, headless=True)
        while opened.run.status in SUSPENDED:
            for record in asked_about(opened):
                opened.run.decide(record.call.id, "deny", reason="nobody knows")
            asyncio.run(opened.run.play())
        self._play(opened)

    def _play(self, opened: Opened) -> None:
        asyncio.run(opened.run.play())
        state = opened.run.state
        found = {
            "status": opened.run.status.value,
            "answer": state.answer,
            "notes": opened.run.tools.file_text("notes.txt"),
            "asked": [record.call.tool for record in asked_about(opened)],
        }
        self.report.write_text(json.dumps(found))
        opened.close()

    # ------------------------------------------------------------ what must hold

    def acts(self) -> list[int]:
        return [int(line) for line in self.world.read_text().split()] if self.world.exists() else []

    def journal(self) -> tuple[list[int], list[int]]:
        """The acts that were recorded as started, and those that were recorded as done."""
        calls: dict[str, int] = {}
        started, done = [], []
        for event in read_session(self.session).events:
            for call in getattr(event, "calls", ()):
                if call.tool == "act":
                    calls[call.id] = json.loads(call.arguments)["number"]
            if isinstance(event, ToolStarted) and event.call in calls:
                started.append(calls[event.call])
            elif isinstance(event, ToolResult) and event.call in calls and event.outcome == "ran":
                done.append(calls[event.call])
        return started, done

    def wrong(self, found: dict[str, Any]) -> list[str]:
        """Everything that is not as it must be of a run that has been gone on with."""
        acts, (started, done) = self.acts(), self.journal()
        problems = []
        if len(acts) != len(set(acts)):
            problems.append(f"done twice: {acts}")
        if not set(done) <= set(acts):
            problems.append(f"recorded and lost: {set(done) - set(acts)}")
        if not set(acts) <= set(started):
            problems.append(f"done and never recorded as begun: {set(acts) - set(started)}")
        if found["status"] == "answered" and "unknown" not in found:
            whole = list(range(STEPS))
            if (acts, done) != (whole, whole) or found["notes"] != "".join(f"{n}\n" for n in whole):
                problems.append(f"answered, and not as if nothing had been: {acts} {found}")
        return [f"{self.session.name} ({self.execute}): {problem}" for problem in problems]


def asked_about(opened: Opened) -> list[CallRecord]:
    """The calls that may have been made already."""
    state = opened.run.state
    return [
        record
        for record in state.open_calls()
        if record.interrupted or state.effect_key(record.call.tool, record.arguments) in state.unsure_keys
    ]


def in_a_process(work: Callable[[], None]) -> int:
    """The id of a process that does that and nothing else."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def ended(child: int) -> int:
    """How the process ended: its exit code, or minus the signal that killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def gone_on_with(trial: Trial, work: Callable[[], None]) -> dict[str, Any]:
    trial.report.unlink(missing_ok=True)
    if ended(in_a_process(work)) != 0:
        return {"status": "crashed"}
    found: dict[str, Any] = json.loads(trial.report.read_text())
    return found


def main(folder: Path, count: int, seed: int) -> dict[str, Any]:
    chance = random.Random(seed)
    for root in (folder, folder / "forks"):
        (root / "tools").mkdir(parents=True)
        (root / "tools" / "world.py").write_text(TOOLS)
        (root / "sessions").mkdir()
    stood: Counter[str] = Counter()
    problems: list[str] = []
    killed = number = 0
    longest = 0.0
    while killed < count and number < 20 * count + 20:
        trial = Trial(folder, number)
        number += 1
        os.environ["WORLD"] = str(trial.world)
        begun = time.monotonic()
        child = in_a_process(trial.begin)
        if longest:
            time.sleep(chance.uniform(0, longest))
            os.kill(child, signal.SIGKILL)
        if ended(child) == 0:
            longest = longest or time.monotonic() - begun
            continue
        if not trial.session.exists():
            problems += [f"{trial.session.name}: acted before there was a session"] if trial.acts() else []
            continue
        killed += 1
        stood["torn"] += read_session(trial.session).torn is not None
        branch = trial.forked()
        problems += to_the_end(branch, branch.fork, stood, "forked: ")
        if branch.parent.read_bytes() != trial.session.read_bytes():
            problems.append(f"{trial.session.name}: a fork has changed it")
        problems += to_the_end(trial, trial.go_on, stood)
    return {"killed": killed, "stood": dict(stood), "problems": problems}


def to_the_end(trial: Trial, work: Callable[[], None], stood: Counter[str], how: str = "") -> list[str]:
    """Goes on, and says that nobody knows where it asks; returns what is not as it must be."""
    os.environ["WORLD"] = str(trial.world)
    found = gone_on_with(trial, work)
    stood[f"{how}{found['status']}"] += 1
    problems = trial.wrong(found)
    if found["status"] in ("awaiting_person", "awaiting_approval"):
        stood[f"{how}asked about {' and '.join(found['asked'])}"] += 1
        found = {**gone_on_with(trial, trial.give_up_what_is_unknown), "unknown": True}
        problems += trial.wrong(found)
    if found["status"] != "answered":
        problems.append(f"{trial.session.name}: {found}")
    return problems


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
