from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Command, environment, workbench
from workbench.sessions.journal import read_session

FEW = "wrong-number,prose-only,provider-down"


def test_the_matrix_is_printed_as_a_table(command: Command) -> None:
    done = command("matrix", "two-cities", "--faults", FEW)
    assert done.code == 0
    assert done.err == ""
    lines = done.out.splitlines()
    assert lines[0] == "Two cities"
    assert any(line.startswith("provider-down") and line.count("■ no model") == 3 for line in lines)


def test_the_same_bytes_come_out_twice_in_every_form(command: Command) -> None:
    for form in ("--json", "--markdown"):
        one, two = (command("matrix", "refund", "--faults", FEW, form, "--jobs", jobs) for jobs in ("1", "2"))
        assert one.code == two.code == 0
        assert one.out == two.out


def test_json_is_one_document(command: Command) -> None:
    done = command("matrix", "two-cities", "--faults", "wrong-number", "--faults", "refusal", "--json")
    grid = json.loads(done.out)
    assert [fault["name"] for fault in grid["faults"]] == ["wrong-number", "refusal"]
    assert sum(grid["counts"].values()) == 6


def test_keys_of_the_scenario_can_be_changed_for_the_matrix(command: Command) -> None:
    done = command("matrix", "two-cities", "--set", "limits.steps=2", "--faults", "refusal", "--json")
    assert json.loads(done.out)["unbroken"]["status"] == "step_budget_exhausted"


def test_every_run_can_be_kept_as_a_session(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    done = command("matrix", "two-cities", "--faults", "wrong-number", "--save", folder)
    assert done.code == 0
    assert str(folder) in done.err
    names = ["unbroken", "wrong-number-step-1", "wrong-number-step-2"]
    assert sorted(path.stem for path in folder.iterdir()) == names
    assert read_session(folder / "wrong-number-step-2.toml").header.title == "Two cities: wrong-number in step 2"
    assert command("show", folder / "wrong-number-step-2.toml").code == 0
    again = command("matrix", "two-cities", "--faults", "wrong-number", "--save", folder)
    assert again.code == 2
    assert "there is something already" in again.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["two-cites"], "did you mean two-cities"),
        (["two-cities", "--faults", "wrong-nubmer"], 'there is no fault "wrong-nubmer"; did you mean "wrong-number"?'),
        (["two-cities", "--jobs", "0"], "must be a whole number of at least 1"),
        (["two-cities", "--json", "--markdown"], "not allowed with"),
        (["two-cities", "--set", "model.use=openai", "--set", "model.name=m"], "--yes agrees"),
        (["no-termination-uncapped", "--set", "model.reply[0].repeat=forever"], "give it a cap, such as limits.steps"),
        (["two-cities", "--set", "tools=['nowhere']"], "no tool"),
    ],
)
def test_bad_input_is_a_sentence_and_exit_code_2(command: Command, arguments: list[str], words: str) -> None:
    done = command("matrix", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_fault_of_the_users_own_file_is_in_the_matrix(command: Command, home: Path) -> None:
    (home / "faults.toml").write_text('[mine]\nteaches = "Mine."\non = "reply"\ndo = "refusal"\n')
    grid = json.loads(command("matrix", "two-cities", "--faults", "mine", "--json").out)
    assert [cell["verdict"] for cell in grid["faults"][0]["cells"]] == ["stopped"] * 3


def is_gone(group: int) -> bool:
    """Whether nothing of a group of processes is left, at the latest when the last one has noticed."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        select.select([], [], [], 0.02)
    return False


@pytest.mark.skipif(os.name != "posix", reason="signals and terminals")
def test_ctrl_c_ends_it_in_order_and_a_terminal_is_told_how_far_it_has_come(home: Path) -> None:
    long = 'goal = "Go."\ntools = ["add"]\n' + "\n".join(
        f'[[model.reply]]\ntext = \'ACTION: add {{"a": {n}, "b": 1}}\'' for n in range(120)
    )
    path = home / "scripts" / "long.toml"
    path.write_text(long + '\n[[model.reply]]\ntext = "ANSWER: 1"\n')
    terminal, theirs = pty.openpty()
    command = workbench("matrix", path)
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, env=environment(home), start_new_session=True
    )
    os.close(theirs)
    shown = ""
    until = time.monotonic() + 120
    while " s left" not in shown and " min left" not in shown:
        assert time.monotonic() < until, shown
        if select.select([terminal], [], [], 1)[0]:
            shown += os.read(terminal, 4096).decode()
    os.killpg(process.pid, signal.SIGINT)  # to all of them, as a terminal does
    out, _ = process.communicate(timeout=120)
    while select.select([terminal], [], [], 0)[0]:
        try:
            shown += os.read(terminal, 4096).decode()
        except OSError:
            break
    os.close(terminal)
    assert process.returncode == 130
    assert out == b""
    assert "Traceback" not in shown
    assert is_gone(process.pid)
