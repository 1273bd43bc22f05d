"""Whole runs that follow a plan, made up at random: steps and routes in the place of a loop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from tests.core.runs import Plan, plans
from workbench.models.scripted import Line

SAID = ("3", "A-1", "pay", "elsewhere", "", "look ${last}")


def steps() -> st.SearchStrategy[list[dict[str, Any]]]:
    """A row of steps for the tools of the random runs."""
    number = st.sampled_from([{"number": 2}, {"number": 3}, {"number": "${last}"}, {"number": "${total}"}])
    order = st.sampled_from([{"order": "A-1"}, {"order": "${last}"}, {"order": "${goal}"}])
    call = st.one_of(
        st.builds(lambda tool, given: {"tool": tool, "arguments": given}, st.sampled_from(["look", "flaky"]), number),
        st.builds(lambda tool, given: {"tool": tool, "arguments": given}, st.sampled_from(["refund", "murky"]), order),
        st.just({"tool": "note", "arguments": {"text": "after ${last}"}}),
        st.just({"tool": "poll"}),
        st.just({"tool": "fetch", "arguments": {"number": 1}}),
    )
    ask = st.sampled_from([{"ask": "What of ${last}?"}, {"ask": "Which?", "capture": {"n": r"\d"}}])
    row = st.lists(st.one_of(call, call, ask), min_size=1, max_size=5)
    end = st.sampled_from([[], [{"answer": "it is ${last}"}]])
    return st.builds(lambda row, end: [*row, *end], row, end)


@st.composite
def planned(draw: st.DrawFn) -> Plan:
    """A random run with a plan in the place of its loop."""
    base = draw(plans())
    if draw(st.booleans()):
        scenario: dict[str, Any] = {"loop": "pipeline", "step": draw(steps())}
    else:
        scenario = {"loop": "router", "route": [{"name": name, "step": draw(steps())} for name in ("pay", "look")]}
    said = draw(st.lists(st.sampled_from(SAID), min_size=3, max_size=6))
    first = [Line(text=draw(st.sampled_from(["pay", "Look.", "elsewhere"])))] if scenario["loop"] == "router" else []
    odd = draw(st.sampled_from([[], [], [Line(fail="timeout")], [Line(text="half", finish="length")]]))
    return replace(
        base,
        header=replace(base.header, scenario=scenario, protocol="native"),
        lines=(*first, *odd, *(Line(text=text) for text in said)),
    )


def any_plans() -> st.SearchStrategy[Plan]:
    """A random run, of a loop or of a plan."""
    return st.one_of(plans(), plans(), planned())
