from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Command

JOURNALS = Path(__file__).parents[1] / "data" / "journals"

TWO = """
title = "Two"
goal = "How many people live in Paris?"
protocol = "text"
tools = ["lookup_population"]
[limits]
steps = {steps}
[[model.reply]]
text = 'ACTION: lookup_population {{"city": "Paris"}}'
[[model.reply]]
text = 'ANSWER: ${{last}}'
{more}
"""


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal that has room."""
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture
def saved(command: Command, scenario: Callable[[str, str], Path], tmp_path: Path) -> Callable[..., Path]:
    """A session of a small scenario, with other limits, faults or decisions."""

    def save(name: str, *options: str, steps: int = 6, more: str = "") -> Path:
        scenario(name, TWO.format(steps=steps, more=more))
        path = tmp_path / f"{name}.toml"
        command("run", name, "--save", path, *options)
        return path

    return save


def test_two_runs_of_the_same_go_the_same_way(command: Command, saved: Callable[..., Path]) -> None:
    done = command("diff", saved("one"), saved("other"))
    assert (done.code, done.err) == (0, "")
    assert "They go the same way: 2 steps, 1 call." in done.out
    assert "… 4 the same" in done.out


def test_a_fault_is_named_with_what_it_made_of_the_result(command: Command, saved: Callable[..., Path]) -> None:
    fault = ("--fault", "wrong-number:tool=lookup_population,nth=1")
    done = command("diff", saved("whole"), saved("broken", *fault))
    assert done.code == 1
    assert "They part in step 1. Fault wrong-number, in the result of lookup_population." in done.out
    assert "A  = 2100000" in done.out
    assert "B  ≠ changed by fault wrong-number: " in done.out
    assert "Downstream of that" in done.out


def test_another_limit_is_why_one_of_them_stops(command: Command, saved: Callable[..., Path]) -> None:
    done = command("diff", saved("long"), saved("short", steps=1))
    assert done.code == 1
    assert "They part in step 2. Setting limits.steps: A 6, B 1." in done.out


def test_another_limit_that_is_never_reached_made_no_difference(command: Command, saved: Callable[..., Path]) -> None:
    done = command("diff", saved("six"), saved("nine", steps=9))
    assert done.code == 0
    assert "limits.steps   A 6   B 9" in done.out
    assert "what is set differently made no difference." in done.out


def test_scenarios_are_run_and_compared_by_name(command: Command) -> None:
    done = command("diff", "refund-allowed", "refund-answered")
    assert done.code == 1
    assert "Decision: create_refund was decided about differently." in done.out


def test_json_says_where_they_part_and_why(command: Command, saved: Callable[..., Path]) -> None:
    one, other = saved("one"), saved("other", "--fault", "wrong-number:nth=1")
    done = command("diff", one, other, "--json")
    found = json.loads(done.out)
    assert done.code == 1
    assert found["same"] is False
    assert found["a"]["session"] == str(one)
    assert (found["a"]["steps"], found["b"]["tool_calls"]) == (2, 1)
    divergence = found["divergence"]
    assert (divergence["cause"], divergence["because"], divergence["differs"]) == ("fault", ["wrong-number"], "result")
    assert divergence["a"]["result_event"] == divergence["b"]["result_event"] == 4
    assert [row["downstream"] for row in found["rows"]] == [False, False, False, True, True]


def test_what_is_no_session_and_no_scenario_is_bad_input(command: Command) -> None:
    done = command("diff", "two-cities", "two-citys")
    assert (done.code, done.out) == (2, "")
    assert done.err == "there is no session or scenario two-citys; did you mean two-cities?\n"


def test_a_scenario_with_a_live_model_is_not_run_for_it(command: Command, scenario: Callable[[str, str], Path]) -> None:
    scenario("live", 'goal = "x"\n[model]\nuse = "openai"\nname = "m"\n')
    done = command("diff", "two-cities", "live")
    assert done.code == 2
    assert "run it first, then compare the sessions" in done.err


def test_a_scenario_that_has_no_end_of_its_own_is_bad_input(
    command: Command, scenario: Callable[[str, str], Path]
) -> None:
    scenario("endless", 'goal = "x"\nprotocol = "text"\n[[model.reply]]\ntext = "hm"\nrepeat = "forever"\n')
    done = command("diff", "two-cities", "endless")
    assert done.code == 2
    assert "has not ended" in done.err


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal(command: Command, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    done = command("diff", JOURNALS / "refund-allowed.toml", JOURNALS / "refund-denied.toml")
    assert max(map(len, done.out.splitlines())) <= columns
