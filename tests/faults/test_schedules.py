from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.faults.runs import CUPS, MUGS, counts, fault, played, results, said
from workbench.core.faults import FaultError, describe, fault_from, fault_to
from workbench.core.striking import Armed, due, matches
from workbench.core.values import Fault

SEEN = st.integers(1, 200)
STEP = st.integers(1, 50)


def struck(count: int, **schedule: Any) -> list[int]:
    """Which of so many occurrences are struck, from 1; each in a step of its own."""
    item = fault("result", "drop", **schedule)
    return [seen for seen in range(1, count + 1) if due(item, seen, seen, 7, f"c{seen}")]


def test_without_a_schedule_it_strikes_every_time() -> None:
    assert struck(5) == [1, 2, 3, 4, 5]


@given(st.integers(1, 60))
def test_nth_and_step_are_one_each(n: int) -> None:
    assert struck(60, nth=n) == [n]
    assert struck(60, step=n) == [n]


@given(st.integers(1, 60))
def test_every_is_each_multiple(n: int) -> None:
    assert struck(60, every=n) == list(range(n, 61, n))


@given(st.integers(1, 60))
def test_after_is_all_the_rest(n: int) -> None:
    assert struck(60, after=n) == list(range(n + 1, 61))


@given(st.integers(1, 40), st.integers(1, 20))
def test_a_burst_is_a_row(start: int, length: int) -> None:
    assert struck(60, burst={"start": start, "length": length}) == list(range(start, start + length))


@given(SEEN, STEP, st.integers(), st.text(max_size=8))
def test_chance_is_a_function_of_seed_fault_and_occurrence(seen: int, step: int, seed: int, key: str) -> None:
    item = fault("tool", "error", chance=0.5)
    first = due(item, seen, step, seed, key)
    assert first == due(item, seen, step, seed, key)
    assert first == due(item, seen + 1, step + 1, seed, key), "only the key tells occurrences apart"
    assert due(replace(item, chance=1.0), seen, step, seed, key)


@pytest.mark.parametrize("chance", [0.1, 0.3, 0.9])
def test_chance_strikes_about_so_often(chance: float) -> None:
    hits = len(struck(4000, chance=chance)) / 4000
    assert abs(hits - chance) < 0.03


def test_chances_of_two_faults_and_two_seeds_are_independent() -> None:
    one, other = fault("tool", "error", chance=0.5), fault("tool", "error", chance=0.5, name="other")
    keys = [f"c{n}" for n in range(400)]
    by_fault = [[due(item, 1, 1, 7, key) for key in keys] for item in (one, other)]
    by_seed = [[due(one, 1, 1, seed, key) for key in keys] for seed in (1, 2)]
    for first, second in (by_fault, by_seed):
        same = sum(a == b for a, b in zip(first, second, strict=True))
        assert 140 < same < 260


@pytest.mark.parametrize(
    ("schedule", "struck_calls"),
    [
        ({}, "1111"),
        ({"nth": 2}, "0100"),
        ({"step": 3}, "0010"),
        ({"every": 2}, "0101"),
        ({"after": 1}, "0111"),
        ({"burst": {"start": 2, "length": 2}}, "0110"),
        ({"times": 1}, "1000"),
        ({"after": 1, "times": 2}, "0110"),
        ({"chance": 1}, "1111"),
    ],
)
async def test_a_run_is_struck_as_scheduled(schedule: dict[str, Any], struck_calls: str) -> None:
    lines = [said("native", MUGS), said("native", CUPS), said("native", MUGS), said("native", CUPS)]
    item = fault("result", "append", text="!", **schedule)
    run = await played(item, lines=[*lines, said("native", answer="done")])
    assert "".join(str(int(result.changed)) for result in results(run)) == struck_calls
    assert counts(run) == [(4, struck_calls.count("1"))]


async def test_only_calls_that_match_are_counted() -> None:
    lines = [said("native", MUGS), said("native", CUPS), said("native", CUPS), said("native", answer="done")]
    cups = fault("result", "append", text="!", tool="count", where={"thing": {"glob": "c*"}}, nth=2)
    other = fault("result", "append", text="?", tool="routes")
    run = await played(cups, other, lines=lines)
    assert [result.content for result in results(run)] == ["140", "95", "95\n!"]
    assert counts(run) == [(2, 1), (0, 0)]


async def test_of_calls_side_by_side_the_nth_is_the_nth_in_call_order_and_times_holds() -> None:
    lines = [said("native", MUGS, CUPS, ("count", {"thing": "mugs", "x": 1})), said("native", answer="done")]
    second = fault("result", "append", text="2nd", nth=2)
    once = fault("tool", "delay", seconds=9, times=1)
    concurrent = lambda header: replace(header, options=replace(header.options, execute="concurrent"))  # noqa: E731
    run = await played(once, second, lines=lines, header=concurrent)
    by_call = {result.call: result for result in results(run)}
    assert (by_call["c1"].content, by_call["c2"].content) == ("140", "95\n2nd")
    assert (by_call["c1"].took, by_call["c1"].faults) == (9, ("delay",))
    assert by_call["c3"].outcome == "invalid"
    assert counts(run) == [(2, 1), (2, 1)]


async def test_several_faults_strike_in_their_order() -> None:
    lines = [said("native", MUGS), said("native", answer="done")]
    first, then = fault("result", "append", text="a", name="first"), fault("result", "append", text="b", name="then")
    (result,) = results(await played(first, then, lines=lines))
    assert (result.content, result.original) == ("140\na\nb", "140")
    assert result.changed_by == "fault first, fault then"
    assert result.faults == ("first", "then")


# ---------------------------------------------------------------- what is spent


@pytest.mark.parametrize(
    ("schedule", "armed", "spent"),
    [
        ({}, Armed(fault("tool", "drop"), 9, 9), False),
        ({"times": 2}, Armed(fault("tool", "drop", times=2), 9, 2), True),
        ({"nth": 2}, Armed(fault("tool", "drop", nth=2), 1, 0), False),
        ({"nth": 2}, Armed(fault("tool", "drop", nth=2), 2, 1), True),
        ({"burst": 1}, Armed(fault("tool", "drop", burst={"start": 2, "length": 2}), 2, 1), False),
        ({"burst": 1}, Armed(fault("tool", "drop", burst={"start": 2, "length": 2}), 3, 2), True),
        ({"step": 4}, Armed(fault("tool", "drop", step=4), 0, 0), False),
        ({"step": 4}, Armed(fault("tool", "drop", step=3), 0, 0), True),
    ],
)
def test_a_fault_that_cannot_strike_any_more_is_spent(schedule: Any, armed: Armed, spent: bool) -> None:
    assert armed.spent(4) is spent


# ---------------------------------------------------------------- plain form


plain_faults = st.fixed_dictionaries(
    {"on": st.just("result"), "do": st.sampled_from(["drop", "replace", "delay"]), "text": st.text()},
    optional={
        "seconds": st.floats(0, 1e6),
        "name": st.text(),
        "tool": st.text(),
        "where": st.dictionaries(st.text(), st.integers() | st.text() | st.just({"glob": "a*"}) | st.booleans()),
        "value": st.integers() | st.text() | st.lists(st.integers()),
        "size": st.integers(1, 99),
        "times": st.integers(1, 9),
        "nth": st.integers(1, 9),
    },
).filter(lambda plain: plain["do"] != "delay" or "seconds" in plain)


@given(plain_faults)
def test_the_plain_form_comes_back_equal(plain: dict[str, Any]) -> None:
    item = fault_from(plain)
    assert fault_from(json.loads(json.dumps(fault_to(item)))) == item
    assert describe(item)


@pytest.mark.parametrize(
    ("plain", "key", "message"),
    [
        (3, "", "a fault is a table, not 3"),
        ({"on": "result"}, "", "a fault needs do"),
        ({"on": "result", "do": "drop", "nht": 1}, "", 'a fault has no key "nht"; did you mean "nth"?'),
        ({"on": "results", "do": "drop"}, "on", 'there is no target "results"; did you mean "result"?'),
        ({"on": "result", "do": "dorp"}, "do", 'there is no kind of fault "dorp"; did you mean "drop"?'),
        ({"on": "tool", "do": "inject"}, "do", 'on = "tool" knows no "inject", which is for on = "result" or on = "reply"; there are crash, error, timeout, delay, drop, empty, stale, replace'),
        ({"on": "reply", "do": "prose", "tool": "x"}, "tool", 'a fault on = "reply" is not about a call, so it has no tool'),
        ({"on": "result", "do": "append"}, "", 'do = "append" needs text'),
        ({"on": "result", "do": "drop", "nth": 1, "chance": 0.5}, "chance", "there is one schedule for a fault, and this one has nth already"),
        ({"on": "result", "do": "drop", "nth": 0}, "nth", "must be a whole number of at least 1, not 0"),
        ({"on": "result", "do": "drop", "nth": True}, "nth", "must be a whole number of at least 1, not True"),
        ({"on": "result", "do": "drop", "chance": 0}, "chance", "must be a number above 0 and at most 1, not 0"),
        ({"on": "result", "do": "delay", "seconds": float("nan")}, "seconds", "must be a number of at least 0, not nan"),
        ({"on": "result", "do": "drop", "tool": 3}, "tool", "must be text, not 3"),
        ({"on": "result", "do": "drop", "burst": {"start": 1}}, "burst", "must be a table with start and length, not {'start': 1}"),
        ({"on": "result", "do": "drop", "burst": {"start": 0, "length": 1}}, "burst.start", "must be a whole number of at least 1, not 0"),
        ({"on": "result", "do": "drop", "where": ["a"]}, "where", "must be a table of arguments, not ['a']"),
        ({"on": "result", "do": "drop", "where": {"a": {"regex": "("}}}, "where", "is no regular expression: missing ), unterminated subpattern at position 0"),
    ],
)  # fmt: skip
def test_what_is_no_fault_is_refused_with_a_sentence(plain: Any, key: str, message: str) -> None:
    with pytest.raises(FaultError) as caught:
        fault_from(plain)
    assert (caught.value.key, caught.value.message) == (key, message)


@given(
    st.recursive(
        st.none() | st.integers() | st.floats() | st.text(max_size=4), lambda inner: st.lists(inner, max_size=2)
    )
    | st.dictionaries(
        st.sampled_from(["on", "do", "nth", "where", "burst", "seconds", "text", "chance", "x"]),
        st.sampled_from(["result", "drop", "tool", 1, 0, -1, 0.5, None, {}, {"a": 1}, {"start": 1, "length": 2}]),
    )
)
def test_nothing_is_raised_but_a_fault_error(plain: Any) -> None:
    with suppress(FaultError):
        assert isinstance(fault_from(plain), Fault)


def test_a_fault_without_a_tool_matches_every_call() -> None:
    assert matches(fault("tool", "drop"), "anything", {})
    assert not matches(fault("tool", "drop", where={"a": 1}), "anything", {})
    assert matches(fault("tool", "drop", where={"a": 1}), "anything", {"a": 1, "b": 2})
