from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.fixture
def session(command: Command, home: Path) -> Path:
    command("run", "growth")
    return home / "sessions" / "a-transcript-that-only-grows-1.toml"


def test_show_prints_what_the_run_printed(command: Command, home: Path) -> None:
    ran = command("run", "two-cities").out
    shown = command("show", "two-cities-1")
    assert shown.code == 0
    assert shown.out.splitlines()[:-2] == ran.splitlines()[: ran.splitlines().index("")]
    assert shown.out.splitlines()[-1] == "Answered in 3 steps"


def test_show_at_an_event_is_the_run_as_it_was_then(command: Command, session: Path) -> None:
    done = command("show", session, "--at", "4")
    assert "2100000" in done.out
    assert "9700000" not in done.out
    assert done.out.splitlines()[-1] == "The run has not stopped."
    assert command("show", session, "--at", "0").out.splitlines()[-1] == "The run has not stopped."


@pytest.mark.parametrize("at", ["99", "-1"])
def test_an_event_that_is_not_there_is_bad_input(command: Command, session: Path, at: str) -> None:
    done = command("show", session, "--at", at)
    assert (done.code, done.err) == (2, f"--at {at}: the session has 12 events\n")


def test_show_as_json_is_one_event_a_line(command: Command, session: Path) -> None:
    events = [json.loads(line) for line in command("show", session, "--as", "json", "--at", "3").out.splitlines()]
    assert [(event["n"], event["kind"]) for event in events] == [
        (1, "user_message"),
        (2, "model_reply"),
        (3, "tool_started"),
    ]


def test_show_as_requests_is_every_request_as_it_was_sent(command: Command, session: Path) -> None:
    lines = command("show", session, "--as", "requests").out.splitlines()
    heads = [line for line in lines if line.startswith("request ")]
    assert [head.partition(" characters")[0] for head in heads] == [
        "request 1: 1 messages, 52",
        "request 2: 3 messages, 117",
        "request 3: 5 messages, 181",
        "request 4: 7 messages, 247",
    ]
    assert lines[0] == "system"
    assert "  user      QUESTION: Total population of Paris, Lima and Lagos?" in lines


def test_show_as_cost_adds_up_what_was_read(command: Command) -> None:
    command("run", "limit-cost")
    lines = command("show", "cap-on-cost-1", "--as", "cost").out.splitlines()
    assert [line.split() for line in lines[1:3]] == [
        ["1", "100,000", "2,000", "100,000"],
        ["2", "100,000", "2,000", "200,000"],
    ]
    assert lines[3] == "cost $0.66, 0.00 s of work"


def test_estimated_figures_wear_a_sign(command: Command, session: Path) -> None:
    first = command("show", session, "--as", "cost").out.splitlines()[1].split()
    assert first[1].startswith("~")


def test_a_packaged_example_is_shown_by_its_name(command: Command) -> None:
    done = command("show", "refund-waiting-for-you")
    assert done.code == 0
    assert "▲ waiting for you" in done.out


def test_a_torn_session_is_shown_up_to_its_last_whole_event_and_not_changed(command: Command, session: Path) -> None:
    torn = session.read_bytes()[:-10]
    session.write_bytes(torn)
    done = command("show", session)
    assert done.code == 0
    assert "is not a whole event and is left out" in done.err
    assert session.read_bytes() == torn


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"format = 1\n", b"format = 9\n[session]\nid='x'\n"])
def test_what_is_no_session_is_one_sentence(command: Command, home: Path, content: bytes) -> None:
    path = home / "sessions" / "odd.toml"
    path.write_bytes(content)
    done = command("show", path)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("odd.toml: ")


@pytest.mark.parametrize("command_line", [["show"], ["resume"]])
def test_events_that_make_no_run_are_one_sentence(command: Command, home: Path, command_line: list[str]) -> None:
    path = home / "sessions" / "odd.toml"
    path.write_text(
        'format = 1\n[session]\nid = "x"\n[run]\ngoal = "x"\n[scenario]\ngoal = "x"\n\n'
        '[[event]]\nn = 1\nkind = "user_message"\ntext = "x"\n\n[[event]]\nn = 2\nkind = "tool_result"\ncall = "c9"\n'
    )
    done = command(*command_line, path)
    assert (done.code, done.err) == (2, "odd.toml: event 2 is about call 'c9', which is not open\n")
    assert command("sessions").code == 0
