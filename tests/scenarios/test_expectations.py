from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.statuses import Status
from workbench.scenarios.expectations import Mismatch, RunOutcome, check, check_any_model, of_any_model
from workbench.scenarios.loader import scenario_from_plain

OUTCOME = RunOutcome(
    status=Status.ANSWERED,
    answer="11800000",
    steps=3,
    model_calls=3,
    tool_calls=2,
    calls=("lookup", "lookup", "add"),
    chars_seen=(52, 117),
    observations=("2100000", "9700000 people"),
    transcript="QUESTION: x\nANSWER: 11800000",
    files={"f.txt": "content"},
    stopped_by="limits.steps",
)


def mismatches(expect: Mapping[str, Any], outcome: RunOutcome = OUTCOME) -> list[Mismatch]:
    table = scenario_from_plain({"goal": "x", "expect": expect}).expect
    assert table is not None
    return check(table, outcome)


@pytest.mark.parametrize(
    "expect",
    [
        {"status": "answered", "answer": "11800000", "steps": 3, "stopped_by": "limits.steps"},
        {"answer_matches": "^118"},
        {"model_calls": {"min": 2, "max": 4}, "tool_calls": {"max": 2}, "steps": {"min": 3}},
        {"calls": ["lookup", "lookup", "add"]},
        {"calls": ["lookup", "add"], "calls_match": "in_order"},
        {"calls": ["add", "lookup"], "calls_match": "any_order"},
        {"calls": [], "calls_match": "in_order"},
        {"chars_seen": [52, 117]},
        {"observations": ["2100", "people"]},
        {"transcript": "QUESTION: x\nANSWER: 11800000"},
        {"files": {"f.txt": "content"}},
    ],
)
def test_what_holds_gives_nothing(expect: dict[str, Any]) -> None:
    assert mismatches(expect) == []


@pytest.mark.parametrize(
    ("expect", "mismatch"),
    [
        ({"status": "cancelled"}, Mismatch("status", "cancelled", "answered")),
        ({"stopped_by": "limits.cost"}, Mismatch("stopped_by", "limits.cost", "limits.steps")),
        ({"answer": "1"}, Mismatch("answer", '"1"', '"11800000"')),
        ({"answer_matches": "^1$"}, Mismatch("answer_matches", "^1$", '"11800000"')),
        ({"steps": 2}, Mismatch("steps", "2", "3")),
        ({"steps": 0}, Mismatch("steps", "0", "3")),
        ({"model_calls": {"min": 4}}, Mismatch("model_calls", "4 or more", "3")),
        ({"model_calls": {"max": 2}}, Mismatch("model_calls", "2 or fewer", "3")),
        ({"tool_calls": {"min": 3, "max": 5}}, Mismatch("tool_calls", "3 to 5", "2")),
        ({"calls": ["lookup"]}, Mismatch("calls", "lookup", "lookup, lookup, add")),
        ({"calls": []}, Mismatch("calls", "no calls", "lookup, lookup, add")),
        (
            {"calls": ["add", "lookup"], "calls_match": "in_order"},
            Mismatch("calls", "add, lookup (in_order)", "lookup, lookup, add"),
        ),
        (
            {"calls": ["add", "add"], "calls_match": "any_order"},
            Mismatch("calls", "add, add (any_order)", "lookup, lookup, add"),
        ),
        ({"chars_seen": [52]}, Mismatch("chars_seen", "[52]", "[52, 117]")),
        (
            {"observations": ["people", "2100"]},
            Mismatch(
                "observations[1]", '"2100" in an observation after the ones before it', '"2100000 | 9700000 people"'
            ),
        ),
        ({"transcript": "QUESTION: x"}, Mismatch("transcript", "line 2: the end", 'line 2: "ANSWER: 11800000"')),
        ({"files": {"f.txt": "other"}}, Mismatch('files."f.txt"', '"other"', '"content"')),
        ({"files": {"g": ""}}, Mismatch('files."g"', '""', "no such file")),
    ],
)
def test_what_does_not_hold_gives_both_values(expect: dict[str, Any], mismatch: Mismatch) -> None:
    assert mismatches(expect) == [mismatch]


def test_no_answer_is_never_the_expected_one() -> None:
    unanswered = replace(OUTCOME, answer=None, observations=(), stopped_by="")
    assert mismatches({"answer": ""}, unanswered) == [Mismatch("answer", '""', "no answer")]
    assert mismatches({"answer_matches": ""}, unanswered) == [Mismatch("answer_matches", "", "no answer")]
    assert mismatches({"stopped_by": "x"}, unanswered) == [Mismatch("stopped_by", "x", "no knob")]
    assert mismatches({"observations": ["x"]}, unanswered)[0].actual == "no observation"


def test_every_expectation_that_fails_is_named() -> None:
    assert [m.key for m in mismatches({"status": "cancelled", "answer": "1", "steps": 9})] == [
        "status",
        "answer",
        "steps",
    ]


def test_script_lines_and_person_entries_that_were_never_used_fail() -> None:
    outcome = replace(OUTCOME, unused_replies=(2,), unused_person=(0, 1))
    assert [m.key for m in mismatches({"status": "answered"}, outcome)] == ["model.reply[2]", "person[0]", "person[1]"]


def test_long_texts_are_cut_in_a_mismatch() -> None:
    found = mismatches({"answer": "x" * 10_000}, replace(OUTCOME, answer="y" * 10_000))
    assert len(found[0].expected) < 400
    assert len(found[0].actual) < 400


names = st.lists(st.sampled_from("abc"), max_size=5)


@given(names, names)
def test_exact_implies_in_order_implies_any_order(wanted: list[str], actual: list[str]) -> None:
    outcome = replace(OUTCOME, calls=tuple(actual))
    exact, in_order, any_order = (
        not mismatches({"calls": wanted, "calls_match": how}, outcome) for how in ("exact", "in_order", "any_order")
    )
    assert exact == (wanted == actual)
    assert in_order or not exact
    assert any_order or not in_order


@pytest.mark.parametrize(
    ("expect", "answer", "keys"),
    [
        ({"status": "answered", "answer": "11800000", "model_calls": 9, "calls": []}, "It is 11800000.", []),
        ({"status": "answered", "answer": "11800000", "transcript": "x"}, "No idea.", ["answer"]),
        ({"answer_matches": "^118", "files": {"f.txt": "other"}}, "118", ["files"]),
        ({"status": "step_budget_exhausted", "stopped_by": "limits.steps", "answer_matches": "1"}, "1", []),
    ],
)
def test_of_another_model_the_end_is_expected_and_not_the_way(expect: Any, answer: str, keys: list[str]) -> None:
    table = scenario_from_plain({"goal": "x", "expect": expect}).expect
    assert table is not None
    left = of_any_model(table)
    assert left is not None
    found = check_any_model(left, replace(OUTCOME, answer=answer, unused_replies=(1,)))
    assert [item.key.partition(".")[0] for item in found] == keys


def test_where_only_the_way_is_expected_nothing_is_expected_of_another_model() -> None:
    for expect in ({"model_calls": 3, "observations": ["x"]}, {"status": "script_exhausted"}):
        table = scenario_from_plain({"goal": "x", "expect": expect}).expect
        assert table is not None
        assert of_any_model(table) is None
