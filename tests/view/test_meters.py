from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.view.desks import REFUND, SEARCH, desk_at, on
from tests.view.nasty import assert_drawable, rows_of
from workbench.core.records import Context
from workbench.core.state import State
from workbench.core.values import LIMIT_NAMES, Limits, RepeatLimit
from workbench.models.scripted import Line
from workbench.view.entries import Span, line_text
from workbench.view.meters import Gauge, budget, gauges, health_line, meter, share_of, sparkline, strip


def ended(**header: Any) -> State:
    return on(desk_at(SEARCH, SEARCH, Line(text="One mug."), **header)).run.state


def test_the_budget_of_a_run_on_its_way() -> None:
    state = on(desk_at(SEARCH, REFUND, limits=Limits(steps=6, tool_calls=4, cost=0.5), context_window=8000)).run.state
    state.context = Context(system=180, user=24, model=31, results=106)
    state.input_tokens = 204
    rows = rows_of(budget(state, 45))
    assert rows == [
        "Budget ───────────────────────────── l limits",
        "steps     ━━━━━━━───────────────       2 of 6",
        "context   ━━━━──────────────────   ~341 of 8k",
        "    tools 180  user 24  model 31  results 106",
        rows[4],
        "          the next call reads ~341 again",
        "tool runs ━━━━━━────────────────       1 of 4",
        "calls                         2 model, 1 tool",
        "cost      ──────────────────── $0.00 of $0.50",
        "time                                     0:00",
        "health    ● steady",
    ]
    assert rows[4].startswith("input     ")
    assert rows[4].endswith(" ~204 so far")


def test_a_run_without_caps_has_no_meters() -> None:
    rows = rows_of(budget(ended(), 45))
    assert rows[1] == "steps                               3, no cap"
    assert not any("next call" in row for row in rows)
    assert (rows[2].split(), "━" in rows[2]) == (["context", "~257", "tokens"], False)


def test_a_cap_that_is_reached_is_drawn_in_the_colour_of_errors() -> None:
    state = on(desk_at(SEARCH, limits=Limits(steps=1, input_tokens=10**6))).run.state
    lines = budget(state, 45)
    assert lines[1][1] == Span("━" * 22, "error")
    assert line_text(lines[4]).endswith(" of 1,000,000")


def test_provider_figures_wear_no_tilde_and_unknown_says_unknown() -> None:
    state = ended(free=False)
    state.estimated, state.input_tokens = False, 1420
    rows = rows_of(budget(state, 45))
    assert any(row.endswith(" 1,420 so far") for row in rows)
    assert "cost                                  unknown" in rows
    state.limits = replace(state.limits, cost=5.0)
    assert any(row.endswith("unknown of $5.00") and "━" not in row for row in rows_of(budget(state, 45)))


@pytest.mark.parametrize(
    ("same", "since", "errors", "row"),
    [
        (0, 0, 0, "health    ● steady"),
        (1, 0, 1, "health    ● steady  1 error, recovered"),
        (2, 0, 0, "health    ◐ circling?  same call twice"),
        (4, 0, 0, "health    ◐ circling?  same call 4 times"),
        (0, 3, 3, "health    ◐ circling?  3 in a row without success"),
        (2, 2, 2, "health    ◐ circling?  same call twice, 2 in a row without success"),
    ],
)
def test_the_word_for_health_never_stands_alone(same: int, since: int, errors: int, row: str) -> None:
    state = ended()
    state.repeat, state.steps_since_success, state.errors = same, since, errors
    assert line_text(health_line(state, 80)) == row
    assert_drawable([health_line(state, 30)], 30)


def test_the_strip_gives_up_the_cost_first_and_the_health_never() -> None:
    state = ended(limits=Limits(steps=6), context_window=8000)
    state.repeat = 2
    wide = line_text(strip(state, 120))
    assert wide.startswith("steps ━━━━──── 3 of 6   context ~")
    assert wide.endswith("   cost $0.00   ◐ circling?  same call twice")
    narrower = [line_text(strip(state, len(wide) - cut)) for cut in (1, 14, 23)]
    assert ["cost" in text for text in narrower] == [False, False, False]
    assert ["━" in text for text in narrower] == [True, False, False]
    for width in range(44, 120):
        assert line_text(strip(state, width)).endswith("◐ circling?  same call twice")
        assert_drawable([strip(state, width)], width)


def test_a_gauge_for_every_limit_in_the_order_of_the_format() -> None:
    state = ended(limits=Limits(steps=6, repeats=RepeatLimit(stop=5)))
    found = gauges(state)
    assert [gauge.name for gauge in found] == list(LIMIT_NAMES)
    assert [(gauge.used, gauge.cap, gauge.share, gauge.full) for gauge in found[:2]] == [
        (3, 6, 0.5, False),
        (3, None, 0.0, False),
    ]
    assert (found[-1].cap, found[-1].used) == (5, 2)


def test_shares_of_odd_figures() -> None:
    nan = float("nan")
    shares = [share_of(*each) for each in ((3, 6), (9, 6), (0, 6), (3, None), (nan, 6), (0.5, 10**400), (-1, 6))]
    assert shares == [0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert not Gauge("cost", "cost", nan, 5.0).full


@pytest.mark.parametrize(("share", "drawn"), [(0.0, "────"), (0.01, "━───"), (0.5, "━━──"), (1.0, "━━━━")])
def test_a_meter_shows_that_something_is_used(share: float, drawn: str) -> None:
    assert line_text(tuple(meter(share, 4))) == drawn
    assert line_text(tuple(meter(share, 0))) == ""


def test_a_sparkline_is_drawn_against_its_largest_value() -> None:
    assert sparkline([1, 50, 99, 100]) == "▁▄██"
    assert sparkline([]) == sparkline([0, 0]) == ""


@given(st.integers(20, 60), st.data())
def test_figures_of_any_size_stay_in_the_width(width: int, data: st.DataObject) -> None:
    state = ended(limits=Limits(steps=6, tool_calls=4, input_tokens=5, cost=0.5, seconds=1, failures=2))
    for name in ("steps", "model_calls", "tool_calls", "input_tokens", "errors", "repeat", "steps_since_success"):
        setattr(state, name, data.draw(st.integers(0, 10**12) | st.just(10**400)))
    state.seconds = data.draw(st.floats())
    state.cost = data.draw(st.none() | st.floats())
    state.context = Context(*(data.draw(st.integers(0, 10**9)) for _ in range(5)))
    assert_drawable(budget(state, width), width)
    assert_drawable([strip(state, width)], width)
