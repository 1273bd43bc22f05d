from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Command

REFUND = """
title = "Refund it"
goal = "Refund order A-1042."
protocol = "text"
tools = ["create_refund", "add"]

[[model.reply]]
text = 'ACTION: add {"a": 1, "b": 2}'

[[model.reply]]
text = 'ACTION: create_refund {"order": "A-1042", "amount": 3}'

[[model.reply]]
text = "ANSWER: as the desk says"
"""


@pytest.fixture(autouse=True)
def _runs(command: Command, scenario: Callable[[str, str], Path]) -> None:
    command("run", "two-cities")
    command("run", scenario("refund-it", REFUND))


def names(command: Command, *words: str) -> list[str]:
    done = command("sessions", "--json", *words)
    assert (done.code, done.err) == (0, "")
    return [row["name"] for row in json.loads(done.out) if row["name"] in ("refund-it-1", "two-cities-1")]


def test_own_runs_and_examples_are_listed(command: Command, home: Path) -> None:
    (home / "sessions" / "odd.toml").write_text("nothing")
    for _ in range(2):  # the second time from the index
        done = command("sessions")
        assert done.code == 0
        assert "two-cities-1 " in done.out
        assert "refund-waiting-for-you" in done.out
        assert done.err.startswith("odd.toml: ")
        rows = {row["name"]: row for row in json.loads(command("sessions", "--json").out)}
        cities = rows["two-cities-1"]
        assert (cities["status"], cities["steps"], cities["cost"]) == ("answered", 3, 0)
        assert cities["tools"] == ["lookup_population"]
        assert rows["refund-waiting-for-you"]["status"] == "awaiting_approval"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["11800000"], ["two-cities-1"]),
        (["tool:create_refund"], ["refund-it-1"]),
        (["status:waiting", "steps>1"], ["refund-it-1"]),
        (["status:answered lima"], ["two-cities-1"]),
        (["cost>0"], []),
        (["--", "-tool:add", "11800000"], ["two-cities-1"]),
    ],
)
def test_words_and_filters_find_some(command: Command, words: list[str], found: list[str]) -> None:
    assert names(command, *words) == found


def test_a_filter_that_is_none_is_one_sentence(command: Command) -> None:
    done = command("sessions", "statos:answered")
    assert (done.code, done.out, done.err) == (2, "", "there is no filter statos; did you mean status?\n")


def test_a_run_that_goes_on_is_read_again(command: Command) -> None:
    assert names(command, "status:waiting") == ["refund-it-1"]
    command("resume", "refund-it-1", "--deny", "all", "no")
    assert names(command, "status:waiting") == []


def test_where_names_the_index_and_it_may_be_deleted(command: Command, tmp_path: Path) -> None:
    before = command("sessions")
    index = tmp_path / "cache" / "sessions.sqlite3"
    assert str(index) in command("where").out
    index.unlink()
    assert command("sessions") == before
    index.write_bytes(b"no index at all" * 1000)
    assert command("sessions") == before


def test_a_cost_is_shown_where_there_is_one(command: Command, home: Path) -> None:
    path = home / "sessions" / "two-cities-1.toml"
    assert " cost" not in command("sessions").out
    text = path.read_text("utf-8").replace("cost = 0.0\n", "cost = 0.25\n")
    bare = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#~ "))
    path.write_text(bare, encoding="utf-8")
    assert "$0.75" in command("sessions", "cost>0.5").out
