"""What is exported to be run again is run again here, and comes to the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.export.runs import NAMES, of, shipped, written
from tests.imports.logs import CALL, LOGS, OTHER_CALL, result, said, user
from tests.imports.logs import one as log
from tests.imports.logs import session as session_of_log
from tests.scenarios_shipped import shipped as scenarios
from tests.scenarios_shipped.shipped import HOME, shipped_tools
from workbench.check import check_file, failure_lines
from workbench.core.events import Decided, Event, UserMessage
from workbench.core.statuses import Status
from workbench.core.values import CLIENT, Header
from workbench.export.forms import CannotExport, Recorded
from workbench.imports.files import read_file
from workbench.scenarios.loader import parse_scenario
from workbench.scenarios.schema import ExpectTable

PLAYED = ("batch-three-decisions", "refund-edited", "refund-denied", "held-result", "follow-up", "untrusted-page")
Play = Callable[[Recorded], None]


@pytest.fixture(params=["scenario", "pytest"])
def play(request: pytest.FixtureRequest, tmp_path: Path) -> Play:
    """Plays what is exported in each of the two forms; fails where it does not come to what it should."""

    def as_scenario(run: Recorded) -> None:
        path = tmp_path / "a.toml"
        path.write_text(written("scenario", run).text, encoding="utf-8")
        verdict = asyncio.run(check_file(path, HOME, shipped_tools()))
        assert verdict.skipped == ""
        assert failure_lines(verdict) == []

    def as_test(run: Recorded) -> None:
        names: dict[str, Any] = {}
        exec(compile(written("pytest", run).text, "test_a.py", "exec"), names)
        (test,) = [value for name, value in names.items() if name.startswith("test_")]
        test()

    return as_scenario if request.param == "scenario" else as_test


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_session(name: str, play: Play) -> None:
    play(shipped(name))


@pytest.mark.parametrize("name", PLAYED)
def test_a_run_with_decisions_and_faults(name: str, play: Play) -> None:
    run = scenarios.played(name).run
    play(of(run.header, run.events))


def test_a_run_of_a_client_that_was_served(play: Play) -> None:
    """Its tools are not ours, and nobody was asked about them."""
    play(of(*served("tour")))


def served(name: str) -> tuple[Header, list[Event]]:
    run = scenarios.played(name).run
    tools = tuple(replace(tool, source=CLIENT, risk="undeclared") for tool in run.header.tools)
    return replace(run.header, tools=tools), [event for event in run.events if not isinstance(event, Decided)]


def test_the_log_of_another_agent(play: Play) -> None:
    """Its tools are nowhere to be had."""
    messages = [user(), said("", CALL, OTHER_CALL), result("5"), result("3", "call_2"), said("North."), user("Sure?")]
    play(of(*session_of_log(log([*messages, said("Yes.")]))))


@pytest.mark.parametrize("path", sorted(LOGS.glob("*.json")), ids=lambda path: path.stem)
def test_a_real_log_is_a_recording_that_needs_no_tool(path: Path) -> None:
    for conversation in read_file(path):
        made = written("scenario", of(*session_of_log(conversation)))
        scenario = parse_scenario(made.text, "a.toml")
        assert scenario.model.use == "recorded"
        assert not any("not here" in note for note in made.notes)


def test_an_answer_that_another_loop_had_from_elsewhere_is_not_expected_and_its_calls_are() -> None:
    run = of(*session_of_log(read_file(LOGS / "mini-swe-agent-local.traj.json")[0]))
    made = written("scenario", run)
    assert parse_scenario(made.text, "a.toml").expect == ExpectTable(
        status=Status.ANSWERED, model_calls=2, tool_calls=1, calls=("bash",)
    )
    assert made.notes == ("the other loop had its answer from elsewhere; here it is the reply that ended the run",)


def test_a_log_that_ends_where_the_model_is_to_reply_is_a_recording_that_runs_out_there() -> None:
    run = of(*session_of_log(read_file(LOGS / "openai-messages-airline-4.json")[0]))
    expect = parse_scenario(written("scenario", run).text, "a.toml").expect
    assert expect is not None
    assert (expect.status, expect.model_calls, len(expect.calls or ())) == (Status.SCRIPT_EXHAUSTED, 13, 6)


def test_a_run_that_is_only_begun_is_no_test() -> None:
    with pytest.raises(CannotExport, match="nothing that a test could expect"):
        written("pytest", of(Header(id="a", goal="g"), [UserMessage(text="g")]))


def test_a_test_says_which_tools_it_lacks() -> None:
    run = replace(shipped("two-cities-answered"), tools_here={})
    with pytest.raises(CannotExport, match="these are not here: "):
        written("pytest", run)
    assert written("scenario", run).notes[-1].startswith("it needs the code of tools that are not here: ")
