from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from workbench.core.statuses import Status
from workbench.home import find_home, packaged_folder
from workbench.opening import Opened, new_run, reopen
from workbench.scenarios.loader import load_scenario, parse_scenario
from workbench.sessions.errors import SessionExists
from workbench.sessions.journal import read_session

PACKAGED = packaged_folder()


@pytest.fixture
def opened(home: Path) -> Opened:
    return new_run(load_scenario(PACKAGED / "scripts" / "two-cities.toml"), find_home())


async def test_to_open_a_scenario_keeps_nothing_until_something_comes_after_the_goal(
    opened: Opened, home: Path
) -> None:
    await opened.run.advance()
    assert (opened.session_path, list((home / "sessions").iterdir())) == (None, [])
    await opened.run.advance()
    assert opened.session_path == home / "sessions" / "two-cities-1.toml"
    await opened.run.play()
    opened.close()
    assert read_session(home / "sessions" / "two-cities-1.toml").events == opened.run.events


def test_a_run_with_nobody_there_is_kept_from_the_beginning(home: Path) -> None:
    scenario = load_scenario(PACKAGED / "scripts" / "two-cities.toml")
    opened = new_run(scenario, find_home(), headless=True)
    assert opened.session_path is not None
    assert read_session(opened.session_path).events == []
    opened.close()


async def test_scripted_delays_take_no_time_where_nobody_looks_on(home: Path) -> None:
    opened = new_run(load_scenario(PACKAGED / "scripts" / "limit-seconds.toml"), find_home(), headless=True)
    await opened.run.play()
    opened.close()
    assert opened.run.status is Status.DEADLINE_EXCEEDED
    assert opened.run.state.total_seconds >= 60


SLOW = """
import time

from workbench.toolkit.api import tool


@tool(risk="read")
def slow() -> str:
    \"\"\"Takes its time.\"\"\"
    time.sleep(0.02)
    return "done"
"""


async def test_the_time_that_a_tool_of_ones_own_really_takes_counts_where_nobody_looks_on(home: Path) -> None:
    (home / "tools").mkdir(exist_ok=True)
    (home / "tools" / "slow.py").write_text(SLOW, "utf-8")
    text = """
        goal = "g"
        tools = ["slow", "add"]
        limits = { seconds = 0.01 }
        [[model.reply]]
        text = 'ACTION: add {"a": 1, "b": 2}'
        [[model.reply]]
        text = "ACTION: slow {}"
        repeat = "forever"
    """
    opened = new_run(parse_scenario(text, "s.toml"), find_home(), headless=True)
    await opened.run.play()
    opened.close()
    assert opened.run.status is Status.DEADLINE_EXCEEDED
    add, *slow = (record.result.took for record in opened.run.state.every_call() if record.result is not None)
    assert add == 0.0
    assert sum(slow) >= 0.01


def test_the_folder_of_a_run_goes_away_with_it(opened: Opened) -> None:
    assert opened.sandbox is not None
    folder = Path(opened.sandbox.name)
    assert folder.is_dir()
    opened.close()
    assert not folder.exists()


def test_a_file_that_is_taken_leaves_no_folder_behind(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, temporary = tmp_path / "taken.toml", tmp_path / "temporary"
    taken.touch()
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with pytest.raises(SessionExists):
        new_run(load_scenario(PACKAGED / "scripts" / "two-cities.toml"), find_home(), save=taken)
    assert list(temporary.iterdir()) == []


def test_a_session_opened_for_reading_cannot_be_changed_on_disk(command: Command, home: Path) -> None:
    command("run", "limit-failures")
    path = home / "sessions" / "cap-on-failures-in-a-row-1.toml"
    before = path.read_bytes()
    opened = reopen(path, find_home(), read_only=True)
    opened.run.change({"limits.failures": 9})
    opened.close()
    assert opened.read_only == "opened for reading only"
    assert path.read_bytes() == before


async def test_a_reopened_run_finds_the_files_as_its_calls_left_them(home: Path) -> None:
    scenario = parse_scenario(
        """
        title = "Two refunds"
        goal = "x"
        protocol = "native"
        tools = ["create_refund"]
        [[model.reply]]
        [[model.reply.call]]
        tool = "create_refund"
        arguments = { order = "A-1042", amount = 1 }
        [[model.reply]]
        [[model.reply.call]]
        tool = "create_refund"
        arguments = { order = "A-1042", amount = 2 }
        [[model.reply]]
        text = "done"
        """,
        "two-refunds.toml",
    )
    opened = new_run(scenario, find_home(), headless=True)
    for call in ("c1", "c2"):
        await opened.run.play()
        assert opened.run.status is Status.AWAITING_APPROVAL
        path = opened.session_path
        assert path is not None
        opened.close()
        opened = reopen(path, find_home(), headless=True)
        opened.run.decide(call, "allow")
    await opened.run.play()
    ledger = opened.run.tools.file_text("refunds.toml")
    opened.close()
    assert opened.run.status is Status.ANSWERED
    assert ledger is not None
    assert [line for line in ledger.splitlines() if "amount" in line] == ["amount = 1.00", "amount = 2.00"]


def test_a_packaged_session_is_copied_when_something_is_recorded_and_no_earlier(home: Path) -> None:
    example = PACKAGED / "sessions" / "refund-waiting-for-you.toml"
    before = example.read_bytes()
    opened = reopen(example, find_home())
    assert (opened.session_path, opened.read_only) == (example, "")
    assert list((home / "sessions").iterdir()) == []
    opened.run.decide("c4", "deny", reason="ten times too high")
    assert opened.session_path == home / "sessions" / "refund-waiting-for-you-1.toml"
    opened.close()
    assert read_session(home / "sessions" / "refund-waiting-for-you-1.toml").events == opened.run.events
    assert example.read_bytes() == before
    assert {path.suffix for path in example.parent.iterdir()} == {".toml"}
