"""What is held with nobody there: `run --hold`, and `resume` that says what becomes of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from workbench.core.events import Event, Held, HeldReply, ModelReply, ToolResult
from workbench.sessions.journal import read_session

Write = Callable[[str, str], Path]

CITIES = """
title = "Cities"
goal = "Combined population of Paris and Lima?"
tools = ["lookup_population"]

[[model.reply]]
text = 'ACTION: lookup_population {"city": "Paris"}'

[[model.reply]]
text = 'ACTION: lookup_population {"city": "Lima"}'

[[model.reply]]
text = "ANSWER: ${total}"
"""


@pytest.fixture
def held(command: Command, scenario: Write, home: Path) -> Callable[[str], Path]:
    """A session that waits at the door."""

    def hold(filter_: str) -> Path:
        scenario("cities", CITIES)
        done = command("run", "cities", "--hold", filter_)
        assert done.code == 3, done.err
        return home / "sessions" / "cities-1.toml"

    return hold


def events(session: Path, kind: type[Event]) -> list[Event]:
    return [event for event in read_session(session).events if isinstance(event, kind)]


def test_what_the_filter_holds_waits_with_how_to_go_on(command: Command, held: Callable[[str], Path]) -> None:
    session = held("arg:city=Lima")
    assert [event.call for event in events(session, Held) if isinstance(event, Held)] == ["c2"]
    shown = command("resume", "cities-1")
    assert shown.code == 3
    assert "  9700000\n" in shown.out
    assert "--pass c2, --replace c2 TEXT, --error c2 TEXT, --drop c2 or --delay c2 SECONDS" in shown.out


@pytest.mark.parametrize(
    ("options", "content", "outcome", "original", "took"),
    [
        (["--pass", "c2"], "9700000", "ran", "", 0.0),
        (["--replace", "c2", "970000"], "970000", "ran", "9700000", 0.0),
        (["--error", "c2", "no such city"], "no such city", "failed", "9700000", 0.0),
        (["--drop", "c2"], "No result arrived.", "failed", "9700000", 0.0),
        (["--delay", "c2", "4.5"], "9700000", "ran", "", 4.5),
    ],
)
def test_a_held_result_is_let_through_as_it_is_said(
    command: Command,
    held: Callable[[str], Path],
    options: list[str],
    content: str,
    outcome: str,
    original: str,
    took: float,
) -> None:
    session = held("arg:city=Lima")
    assert command("resume", session, *options).code == 0
    result = events(session, ToolResult)[1]
    assert isinstance(result, ToolResult)
    assert (result.content, result.outcome, result.original, result.took) == (content, outcome, original, took)
    assert result.changed_by == ("you" if original else "")


def test_what_a_fault_made_of_a_held_result_is_put_back(command: Command, scenario: Write, home: Path) -> None:
    scenario("cities", CITIES)
    run = command("run", "cities", "--hold", "arg:city=Lima", "--fault", "wrong-number:nth=2")
    assert "--drop c2, --revert c2 or --delay" in run.out
    session = home / "sessions" / "cities-1.toml"
    assert command("resume", session, "--revert", "c2").code == 0
    result = events(session, ToolResult)[1]
    assert isinstance(result, ToolResult)
    assert (result.content, result.changed, result.faults) == ("9700000", False, ("wrong-number",))


def test_a_held_reply_is_let_in_or_written_anew(command: Command, held: Callable[[str], Path]) -> None:
    session = held("reply step:1-2")
    first = command("resume", session, "--replace", "reply", 'ACTION: lookup_population {"city": "Lagos"}')
    assert first.code == 3, "the next one waits as well"
    assert "--pass reply, --replace reply TEXT or --delay reply SECONDS" in first.out
    assert command("resume", session, "--delay", "reply", "2").code == 0
    one, two, _ = events(session, ModelReply)
    assert isinstance(one, ModelReply)
    assert isinstance(two, ModelReply)
    assert (one.original, one.changed_by) == ('ACTION: lookup_population {"city": "Paris"}', "you")
    assert (two.changed_by, two.took, two.passed_by) == ("", 2.0, "person")
    assert len(events(session, HeldReply)) == 3


def test_nothing_more_is_held_when_that_is_said(command: Command, held: Callable[[str], Path]) -> None:
    session = held("result or reply")
    assert command("resume", session, "--pass", "reply", "--hold", "off").code == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--pass", "c1"], "--pass c1: c1 is not held; held: c2"),
        (["--pass", "reply"], "--pass reply: no reply is held; held: c2"),
        (["--pass", "c2", "--drop", "c2"], "c2 is let through twice"),
        (["--revert", "c2"], "--revert c2: nothing was changed here; held: c2"),
        (["--delay", "c2", "soon"], "--delay c2: needs a number of seconds above 0, not 'soon'"),
        (["--delay", "c2", "nan"], "--delay c2: needs a number of seconds above 0, not 'nan'"),
        (["--error", "reply", "x"], "--error reply: a reply that has come can neither fail nor be lost"),
        (["--hold", "tol:x"], '--hold: column 1: nothing is called "tol" here; did you mean tool:?'),
        (
            ["--hold", "tool:look_population"],
            '--hold: this run has no tool "look_population"; did you mean "lookup_population"?',
        ),
        (["--message", "hm"], "--message can be given when no call is open"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_recorded(
    command: Command, held: Callable[[str], Path], options: list[str], sentence: str
) -> None:
    session = held("arg:city=Lima")
    before = session.read_bytes()
    done = command("resume", session, *options)
    assert done.code == 2
    assert sentence in done.err
    assert session.read_bytes() == before


def test_a_filter_that_is_none_and_a_loop_without_a_door_are_told(command: Command, scenario: Write) -> None:
    scenario("cities", CITIES)
    wrong = command("run", "cities", "--hold", "step:0")
    assert wrong.code == 2
    assert "--hold step:0: is no filter: column 1: there is no step in 0" in wrong.err
    missing = command("run", "cities", "--hold", "tool:lookup_populations")
    assert missing.code == 2
    assert 'this scenario has no tool "lookup_populations"; did you mean "lookup_population"?' in missing.err
    assert "knows no door" in command("run", "museum-v1", "--hold", "reply").err


def test_the_person_of_a_scenario_answers_at_the_door(command: Command, scenario: Write, home: Path) -> None:
    person = """
[[person]]
on = "step"
do = "set"
set = { hold = "reply step:1 or arg:city=Lima" }

[[person]]
on = "hold"
do = "replace"
nth = 1
text = 'ACTION: lookup_population {"city": "Lagos"}'

[[person]]
on = "hold"
do = "delay"
tool = "lookup_population"
seconds = 3

[expect]
status = "answered"
answer = "25100000"
"""
    path = scenario("cities", CITIES + person)
    assert command("check", path).code == 0
    assert command("run", "cities").code == 0
    session = home / "sessions" / "cities-1.toml"
    replies = events(session, ModelReply)
    assert [event.passed_by for event in replies if isinstance(event, ModelReply)] == ["script", "", ""]
    results = [event.took for event in events(session, ToolResult) if isinstance(event, ToolResult)]
    assert results == [0.0, 3.0]
