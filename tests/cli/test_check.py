from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from workbench.check import Verdict

Write = Callable[[str, str], Path]

RIGHT = 'goal = "x"\nprotocol = "text"\n[[model.reply]]\ntext = "ANSWER: 1"\n[expect]\nanswer = "1"\n'
WRONG = (
    'goal = "x"\nprotocol = "text"\n[[model.reply]]\ntext = "ANSWER: 1"\n[[model.reply]]\ntext = "ANSWER: 2"\n'
    '[expect]\nstatus = "cancelled"\nanswer = "2"\nmodel_calls = { min = 2 }\n'
)
WITHOUT = 'goal = "x"\nprotocol = "text"\n[[model.reply]]\ntext = "ANSWER: 1"\n'


def test_check_runs_every_scenario_of_the_folder_and_the_packaged_ones(
    command: Command, scenario: Write, home: Path
) -> None:
    scenario("mine", RIGHT)
    done = command("check")
    assert done.code == 0
    assert "✓ mine" in done.out
    assert "✓ two-cities" in done.out
    assert done.out.splitlines()[-1].endswith(" passed, 0 failed")
    assert done.err.startswith(f"1 of them in {home / 'scripts'}, ")
    assert command("check", "mine").err == ""


def test_check_says_where_own_scenarios_would_be(command: Command, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.cli.runs.check_all", nothing_is_run)
    done = command("check")
    assert done.err.startswith(f"none of them in {home / 'scripts'}, where your own would be, ")


async def nothing_is_run(*_: object) -> list[Verdict]:
    return []


def test_scenarios_are_named_as_run_takes_them(command: Command, scenario: Write) -> None:
    scenario("mine", RIGHT)
    assert command("check", "mine", "two-cities").out.splitlines() == [
        "✓ mine        answered",
        "✓ two-cities  answered",
        "2 passed, 0 failed",
    ]
    done = command("check", "two-citys")
    assert (done.code, done.err) == (2, "there is no scenario two-citys; did you mean two-cities?\n")


def test_what_may_be_a_slip_is_said_of_a_scenario_that_fails_and_of_no_other(command: Command, scenario: Write) -> None:
    made_up = "[[model.reply]]\ntext = 'ACTION: ad {}'\n[[model.reply]]"
    slip = RIGHT.replace("[[model.reply]]", made_up)
    assert "≈" not in command("check", scenario("meant", slip)).out
    path = scenario("slip", slip.replace('answer = "1"', 'answer = "2"'))
    said = f'    ≈ {path}:4: model.reply[0].text: there is no tool "ad" in this script: nothing runs'
    assert [line for line in command("check", path).out.splitlines() if line.startswith(said)] != []


def test_check_keeps_no_session(command: Command, scenario: Write, home: Path) -> None:
    command("check", scenario("mine", RIGHT))
    assert list((home / "sessions").iterdir()) == []


def test_each_expectation_that_failed_is_named_with_both_values(command: Command, scenario: Write) -> None:
    done = command("check", scenario("wrong", WRONG))
    assert done.code == 1
    assert done.out.splitlines() == [
        "✗ wrong  answered",
        "    status",
        "      expected  cancelled",
        "      got       answered",
        "    answer",
        '      expected  "2"',
        '      got       "1"',
        "    model_calls",
        "      expected  2 or more",
        "      got       1",
        "    model.reply[1]",
        "      expected  used",
        "      got       never used",
        "0 passed, 1 failed",
    ]


def test_a_scenario_that_cannot_be_run_is_bad_input_and_hides_no_other(command: Command, scenario: Write) -> None:
    bad = scenario("bad", 'goal = "x"\npace = 3\n')
    done = command("check", bad.parent)
    assert done.code == 2
    scenario("right", RIGHT)
    done = command("check", bad.parent)
    assert done.code == 2
    assert "✗ bad    cannot be run" in done.out
    assert f'{bad}:2: unknown key "pace"' in done.out
    assert "✓ right  answered" in done.out
    assert "1 passed, 1 failed" in done.out


def test_a_scenario_without_expectations_is_told_and_not_counted(command: Command, scenario: Write) -> None:
    done = command("check", scenario("bare", WITHOUT), scenario("right", RIGHT))
    assert done.code == 0
    assert "· bare   it has no [expect]" in done.out
    assert done.out.splitlines()[-1] == "1 passed, 0 failed, 1 without [expect]"


def test_a_person_who_is_not_asked_fails_the_check(command: Command, scenario: Write) -> None:
    done = command("check", scenario("asked", RIGHT + '[[person]]\non = "approval"\ndo = "allow"\n'))
    assert done.code == 1
    assert "person[0]" in done.out


def test_an_answer_of_the_person_that_cannot_be_used_is_told(command: Command, scenario: Write) -> None:
    path = scenario(
        "edit",
        """
        goal = "x"
        protocol = "native"
        tools = ["create_refund"]
        [[model.reply]]
        [[model.reply.call]]
        tool = "create_refund"
        arguments = { order = "A-1042", amount = 1 }
        [[person]]
        on = "approval"
        do = "edit"
        arguments = { order = "A-1042" }
        [expect]
        status = "answered"
        """,
    )
    done = command("check", path)
    assert done.code == 2
    assert "an answer of the scenario's person: " in done.out
    assert "amount" in done.out


def test_a_run_without_an_end_ends_the_check_of_it(command: Command, scenario: Write) -> None:
    path = scenario(
        "forever",
        """
        goal = "x"
        protocol = "text"
        tools = ["add"]
        [[model.reply]]
        text = 'ACTION: add {"a": 1, "b": 1}'
        repeat = "forever"
        [expect]
        status = "answered"
        """,
    )
    done = command("check", path)
    assert done.code == 2
    assert "it has made 10,000 moves and has not ended; give it a cap, e.g. limits.steps" in done.out


def test_the_verdicts_can_be_written_as_junit(command: Command, scenario: Write, tmp_path: Path) -> None:
    scenario("bad", 'goal = "x"\npace = 3\n')
    scenario("bare", WITHOUT)
    scenario("right", RIGHT)
    scenario("wrong", WRONG)
    report = tmp_path / "report.xml"
    assert command("check", tmp_path / "home" / "scripts", "--junit", report).code == 2
    suite = ET.parse(report).getroot()
    assert [suite.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["4", "1", "1", "1"]
    cases = {case.get("name"): case for case in suite}
    assert {name: [child.tag for child in case] for name, case in cases.items()} == {
        "bad": ["error"],
        "bare": ["skipped"],
        "right": [],
        "wrong": ["failure"],
    }
    failure = cases["wrong"].find("failure")
    assert failure is not None
    assert failure.get("message") == "status: expected cancelled, got answered"
    assert "answer: expected" in (failure.text or "")


def test_what_xml_cannot_hold_is_written_as_signs(command: Command, scenario: Write, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    done = command("check", scenario("o\x1bd\x07d", RIGHT), "--junit", report)
    assert done.code == 0
    assert done.out.startswith("✓ o␛d␇d  answered")
    assert ET.parse(report).getroot()[0].get("name") == "o␛d␇d"


@pytest.mark.parametrize("path", ["gone.toml", "gone"])
def test_a_path_that_is_not_there_is_bad_input(command: Command, path: str) -> None:
    done = command("check", path)
    assert (done.code, done.err) == (2, f"there is no scenario {path}; workbench scripts lists those there are\n")


def test_a_folder_without_scenarios_is_bad_input(command: Command, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = command("check", tmp_path / "empty")
    assert (done.code, done.err) == (2, "there is no scenario to check\n")


def test_a_junit_file_that_cannot_be_written_is_bad_input(command: Command, scenario: Write, tmp_path: Path) -> None:
    report = tmp_path / "gone" / "report.xml"
    done = command("check", scenario("right", RIGHT), "--junit", report)
    assert (done.code, done.err) == (2, f"{report}: No such file or directory\n")
