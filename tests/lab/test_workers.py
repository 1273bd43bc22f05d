from __future__ import annotations

import multiprocessing
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lab.subjects import of_text, own_tools, subject
from workbench.faults.catalogue import shipped
from workbench.lab import workers
from workbench.lab.matrix import Trial
from workbench.lab.workers import Task, WorkerError, Workers, processors
from workbench.scenarios.loader import scenario_from_plain

ENDLESS = """
from workbench.toolkit.api import tool

@tool(risk="read", inline=True)
def endless(how: str = "short") -> int:
    \"\"\"Comes to no end when told so.\"\"\"
    while how == "long":
        pass
    return 7
"""


def task(number: int, fault: str = "lost-result", step: int = 1) -> Task:
    return Task(number=number, entry=shipped()[fault], step=step, most=500)


def test_a_run_that_hangs_is_cut_off_and_the_others_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 0.5)
    replies = [
        {"text": "ACTION: endless {}"},
        {"text": 'ACTION: endless {"how": "long"}', "when": "No result arrived"},
        {"text": "ANSWER: 1"},
    ]
    scenario = scenario_from_plain({"goal": "Go.", "tools": ["endless"], "model": {"reply": replies}})
    crew = Workers(subject(scenario, home=own_tools(tmp_path, ENDLESS)), jobs=1)
    try:
        crew.put([task(0, "doubled-result"), task(1, "lost-result"), task(2, "garbled-result"), task(3)])
        found: dict[int, Trial] = {}
        while crew.left:
            found.update(crew.poll(0.1))
    finally:
        crew.close()
    assert [found[number].end for number in range(4)] == ["ended", "endless", "ended", "endless"]
    assert found[1].detail == "given up after 0.5 s"


def test_closing_ends_what_is_being_made_and_clears_up() -> None:
    crew = Workers(subject("two-cities"), jobs=2)
    crew.put(task(number) for number in range(400))
    while not crew.poll(0.1):
        assert crew.left
    scratch = Path(crew._scratch.name)
    mine = [worker.process for worker in crew._workers]
    assert scratch.is_dir()
    crew.close()
    assert [process.is_alive() for process in mine] == [False] * len(mine)
    assert not scratch.exists()
    assert crew.poll(0.1) == []
    crew.close()


def test_a_process_that_cannot_begin_is_said_and_not_started_for_ever() -> None:
    class Unreadable:
        """Can be sent, and cannot be read there."""

        def __reduce__(self) -> tuple[object, tuple[int]]:
            return sys.exit, (5,)

    crew = Workers(subject(of_text("ANSWER: 1"), home=Unreadable()), jobs=1)
    try:
        crew.put([task(0)])
        with pytest.raises(WorkerError, match="a process for the runs cannot be started"):
            while True:
                crew.poll(1.0)
    finally:
        crew.close()


def test_there_is_at_least_one_processor() -> None:
    assert 1 <= processors() <= multiprocessing.cpu_count()


def test_a_process_that_makes_runs_loads_neither_a_screen_nor_the_network() -> None:
    code = "import workbench.lab.workers, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"textual", "rich", "pygments", "httpx"}
