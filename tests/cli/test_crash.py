"""Runs in a process of their own that is interrupted or killed, and gone on with from what is on the disk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Done, environment, workbench
from tests.cli.test_run import REFUND
from workbench.sessions.journal import read_session

Write = Callable[[str, str], Path]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")

SLOW = """
import os
import time

@tool(risk='write', timeout=None)
def slow_write(text: str) -> str:
    '''Writes a line to a file, and takes its time.

    text: the line.
    '''
    with open(os.environ["MARKS"], "a") as file:
        file.write(text + "\\n")
    time.sleep(float(os.environ["SECONDS"]))
    return "written"
"""
SLOWLY = """
title = "Slowly"
goal = "Write it down"
protocol = "text"
tools = ["slow_write"]

[approval]
default = "allow"

[[model.reply]]
text = 'ACTION: slow_write {"text": "once"}'

[[model.reply]]
text = "ANSWER: ${last}"
"""


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    return tmp_path / "marks.txt"


@contextmanager
def _process(command: list[str], home: Path, **more: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command, env=environment(home, **more), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def _until(process: subprocess.Popen[str], mark: str) -> None:
    """Read what the process prints until a line holds the mark."""
    assert process.stdout is not None
    assert any(mark in line for line in process.stdout), "the process ended before"


def _done(*arguments: str | Path, home: Path, **more: str) -> Done:
    result = subprocess.run(
        workbench(*arguments), env=environment(home, **more), capture_output=True, text=True, timeout=30, check=False
    )
    return Done(result.returncode, result.stdout, result.stderr)


def _results(session: Path) -> list[str]:
    events: list[Any] = read_session(session).events
    return [event.outcome for event in events if event.kind == "tool_result"]


def test_ctrl_c_while_a_tool_runs_stops_the_run_in_order(scenario: Write, tool: Write, home: Path, marks: Path) -> None:
    tool("slow", SLOW)
    scenario("slowly", SLOWLY)
    with _process(workbench("run", "slowly", "--json"), home, MARKS=str(marks), SECONDS="30") as process:
        _until(process, '"kind": "tool_started"')
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (130, "")
    assert json.loads(out.splitlines()[-1])["status"] == "cancelled"
    session = read_session(home / "sessions" / "slowly-1.toml")
    assert [event.kind for event in session.events][-3:] == ["stop_requested", "tool_result", "stopped"]
    assert _results(session.path) == ["cancelled"]


def test_ctrl_c_ends_a_run_that_never_waits_for_anything(scenario: Write, home: Path) -> None:
    scenario(
        "forever",
        """
        title = "Forever"
        goal = "Loop forever"
        protocol = "text"
        tools = ["add"]
        [[model.reply]]
        text = 'ACTION: add {"a": 1, "b": 1}'
        repeat = "forever"
        """,
    )
    with _process(workbench("run", "forever"), home) as process:
        _until(process, "20 MODEL")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (130, "")
    assert "A person stopped the run (cancelled)" in out


def test_killed_right_after_a_tool_started_nothing_runs_twice_and_the_person_is_asked(
    scenario: Write, tool: Write, home: Path, marks: Path
) -> None:
    tool("slow", SLOW)
    scenario("slowly", SLOWLY)
    session = home / "sessions" / "slowly-1.toml"
    with _process(workbench("run", "slowly", "--json"), home, MARKS=str(marks), SECONDS="30") as process:
        _until(process, '"kind": "tool_started"')
        process.kill()
    ran = marks.read_text() if marks.exists() else ""
    assert ran in ("", "once\n")

    asked = _done("resume", session, home=home, MARKS=str(marks), SECONDS="0")
    assert asked.code == 3
    assert "(awaiting_person)" in asked.out
    assert "whether it took effect is unknown" in asked.out
    assert (marks.read_text() if marks.exists() else "") == ran

    told = _done("resume", session, "--deny", "c1", "it may have run", home=home, MARKS=str(marks), SECONDS="0")
    assert told.code == 0
    assert "slow_write was interrupted after it had started" in told.out
    assert _results(session) == ["unknown"]
    assert (marks.read_text() if marks.exists() else "") == ran


def test_an_interrupted_call_runs_again_when_the_person_says_so(
    scenario: Write, tool: Write, home: Path, marks: Path
) -> None:
    tool("slow", SLOW)
    scenario("slowly", SLOWLY)
    session = home / "sessions" / "slowly-1.toml"
    with _process(workbench("run", "slowly", "--json"), home, MARKS=str(marks), SECONDS="30") as process:
        _until(process, '"kind": "tool_started"')
        process.kill()
    ran = len(marks.read_text().splitlines()) if marks.exists() else 0
    again = _done("resume", session, "--allow", "c1", home=home, MARKS=str(marks), SECONDS="0")
    assert again.code == 0
    assert len(marks.read_text().splitlines()) == ran + 1
    assert _results(session) == ["ran"]


AT_THE_GATE = """
import asyncio, sys
from pathlib import Path
from workbench.home import find_home
from workbench.opening import new_run
from workbench.scenarios.loader import load_scenario

path = Path(sys.argv[1])
opened = new_run(load_scenario(path), find_home(), scenario_path=str(path), headless=True)
asyncio.run(opened.run.play())
print(opened.run.status, flush=True)
sys.stdin.read()
"""


def test_killed_at_the_gate_the_question_is_still_there_and_the_call_runs_once(scenario: Write, home: Path) -> None:
    path = scenario("refund", REFUND)
    session = home / "sessions" / "refund-1.toml"
    with _process([sys.executable, "-c", AT_THE_GATE, str(path)], home) as process:
        _until(process, "awaiting_approval")
        busy = _done("resume", session, "--allow", "c1", home=home)
        process.kill()
    assert (busy.code, busy.err) == (
        2,
        f"refund-1.toml is being written by process {process.pid}: open it to read only, or fork it\n",
    )

    asked = _done("resume", session, home=home)
    assert (asked.code, "(awaiting_approval)" in asked.out) == (3, True)
    assert _results(session) == []

    done = _done("resume", session, "--allow", "c1", home=home)
    assert done.code == 0
    assert _results(session) == ["ran"]
    events: list[Any] = read_session(session).events
    effects = [effect for event in events if event.kind == "tool_result" for effect in event.effects]
    assert [effect["path"] for effect in effects] == ["refunds.toml"]


SMALL_DISK = """
import resource, sys
from workbench.cli import main

resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, 8_000))
sys.exit(main(["run", "no-termination-uncapped"]))
"""


def test_a_disk_that_is_full_stops_the_run_and_leaves_a_whole_file(home: Path) -> None:
    with _process([sys.executable, "-c", SMALL_DISK], home) as process:
        out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (1, "")
    assert "nothing more could be recorded: " in out
    assert "File too large" in out
    session = read_session(home / "sessions" / "it-never-answers-and-nobody-stops-it-1.toml")
    assert session.torn is None
    assert len(session.events) > 10


def test_a_reader_who_goes_away_does_not_touch_the_run(home: Path) -> None:
    with _process(workbench("run", "no-termination-uncapped"), home) as process:
        _until(process, "USER")
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        err = process.stderr.read()
        assert (process.wait(timeout=10), err) == (0, "")
    session = read_session(home / "sessions" / "it-never-answers-and-nobody-stops-it-1.toml")
    assert getattr(session.events[-1], "status", "") == "script_exhausted"


def test_signs_that_the_output_cannot_write_are_written_as_escapes(home: Path) -> None:
    done = _done("run", "two-cities", home=home, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.code, done.err) == (0, "")
    assert "\\u2192 lookup_population" in done.out
