"""The list of limits: what each key asks for, whatever is picked and typed."""

from __future__ import annotations

import pytest

from tests.view.desks import SEARCH, desk_at, on
from workbench.core.carried import POLICY_KEYS
from workbench.core.state import State
from workbench.core.values import LIMIT_NAMES, Limits, RepeatLimit
from workbench.models.scripted import Line
from workbench.view.entries import line_text
from workbench.view.limit_list import LimitList, ZeroCap


def run_with(limits: Limits) -> State:
    return on(desk_at(SEARCH, Line(text="One."), limits=limits)).run.state


def at(name: str, digits: str = "") -> LimitList:
    """The list with that limit picked, and these digits typed."""
    limits = LimitList()
    limits.go(LIMIT_NAMES.index(name))
    assert all(limits.type(digit) for digit in digits)
    return limits


SOME = Limits(steps=6, cost=0.5, repeats=RepeatLimit(nudge=2, stop=4, match="call"))


@pytest.mark.parametrize(
    ("name", "digits", "toggled", "raised", "lowered"),
    [
        ("steps", "", None, 10, 3),
        ("steps", "9", 9, 10, 3),
        ("cost", "", None, 1.0, 0.25),
        ("cost", "0.75", 0.75, 1.0, 0.25),
        ("seconds", "2.5", 2.5, 10.0, 10.0),
        ("tool_calls", "2.9", 2, 2, 2),
        ("tool_calls", "..", 2, 2, 2),
        ("failures", "", 10, 10, 10),
    ],
)
def test_what_each_key_asks_for(name: str, digits: str, toggled: float | None, raised: float, lowered: float) -> None:
    state = run_with(SOME)
    assert at(name, digits).toggled(state) == {f"limits.{name}": toggled}
    assert at(name).raised(state) == {f"limits.{name}": raised}
    assert at(name).lowered(state) == {f"limits.{name}": lowered}


@pytest.mark.parametrize(("digits", "at"), [("900", 900), ("12.5", 12), (".", 4000), ("1.2.3", 4000)])
def test_what_is_typed_for_a_key_of_the_policy_may_be_no_number(digits: str, at: int) -> None:
    limits = LimitList()
    limits.go(len(LIMIT_NAMES) + POLICY_KEYS.index("at"))
    assert all(limits.type(digit) for digit in digits)
    assert limits.toggled(run_with(SOME)) == {"context.at": at}
    assert limits.digits == ""


def test_the_repeat_guard_keeps_its_other_figures() -> None:
    state = run_with(SOME)
    assert at("repeats", "9").toggled(state) == {"limits.repeats": {"nudge": 2, "stop": 9, "match": "call"}}
    assert at("repeats").toggled(state) == {"limits.repeats": None}
    assert at("repeats", "2").toggled(run_with(Limits())) == {
        "limits.repeats": {"nudge": 2, "stop": 2, "match": "call+result"}
    }


def test_a_cap_that_stays_asks_for_nothing_and_none_of_0_is_made() -> None:
    state = run_with(SOME)
    assert at("steps", "6").toggled(state) == {}
    with pytest.raises(ZeroCap):
        at("steps", "0").toggled(state)


def test_what_was_typed_is_shown_and_goes_with_the_next_limit() -> None:
    limits, state = at("steps", "12"), run_with(SOME)
    assert not limits.type("x")
    assert line_text(limits.lines(state, 100)[limits.at]).endswith("  12▏")
    limits.erase()
    assert limits.digits == "1"
    at_first = limits.at
    limits.go(1)
    assert (limits.at, limits.digits) == (at_first + 1, "")
