"""What holds of everything that is shown of a run, whatever run it is and whichever moment of it is looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.planned import any_plans
from tests.core.runs import Plan, drive, examples
from tests.view.nasty import NastyRun, assert_drawable, nasty_runs
from workbench.core.events import Event
from workbench.core.ledger import executed
from workbench.core.loop import next_move
from workbench.core.ports import Checked
from workbench.core.state import State, fold
from workbench.core.values import Header
from workbench.view import meters, panes
from workbench.view.bars import bar_for
from workbench.view.entries import plain
from workbench.view.past import past_bar
from workbench.view.requests import request_count, request_page
from workbench.view.timeline import Timeline

WIDTHS = st.sampled_from([20, 36, 45, 53, 116])


def assert_entries(timeline: Timeline) -> None:
    """Entries agree with what is said of them beforehand, and can be laid out."""
    assert timeline.index_of(0) == -1
    for index in range(len(timeline)):
        entry = timeline.entry(index)
        assert timeline.text(index) == plain(entry)
        assert (timeline.data(index), timeline.fold_at(index)) == (entry.data, entry.fold_at)
        assert timeline.index_of(timeline.number(index)) == index
        assert entry.key == timeline.number(index)
        assert 0 < len(entry.word) <= 7
        assert not any("\n" in span.text for line in entry.lines for span in line)
        assert "\n" not in entry.meta


def _preview(tool: str, arguments: str) -> str:
    return f"{tool}\n{arguments}"[:300]


def _check(tool: str, arguments: str) -> Checked:
    return Checked(problem=f"{tool}\n{arguments}"[:300], problem_kind="invalid")


def assert_all_drawn(state: State, events: Sequence[Event], width: int, rows: int) -> None:
    move = next_move(state)
    assert_drawable(meters.budget(state, width), width)
    assert_drawable([meters.strip(state, width)], width)
    selected = panes.call_at(state, 0).call.id if panes.call_count(state) else ""
    for limit in (None, rows):
        lines, ids = panes.calls(state, width, selected=selected, rows=limit, move=move)
        assert_drawable(lines, width)
        assert len(ids) == min(panes.call_count(state), limit or 10**6)
    for record in state.every_call():
        detail = panes.call_detail(state, record, width, rows)
        assert_drawable(detail, width)
        assert len(detail) <= rows + 22
    assert_drawable(panes.request_lines(state, width, "What the model reads next", rows=rows), width)
    bar = bar_for(state, move, width=width, rows=rows, preview=_preview, check=_check)
    past = past_bar(events, state, width, executed(state.header, events))
    for each in (bar, past):
        if each is not None:
            assert_drawable(each.body, width)
            assert_drawable([each.title], 400)
    for index in range(request_count(state)):
        title, body = request_page(state, index)
        assert not any("\n" in span.text for line in (title, *body) for span in line)


def every_moment(header: Header, events: Sequence[Event], width: int, rows: int) -> None:
    latest = fold(header, events)
    timeline = Timeline(events, latest)
    whole = len(timeline)
    texts = [timeline.text(index) for index in range(whole)]
    state = State(header)
    for n in range(len(events) + 1):
        if n:
            state.apply(events[n - 1])
        timeline.show(state)
        assert_entries(timeline)
        # What comes later is measured as it is going to be read.
        assert [timeline.text(index) for index in range(len(timeline), whole)] == texts[len(timeline) :]
        for index in range(len(timeline)):
            if timeline.toggle_original(index):
                assert_entries(timeline)
        assert_all_drawn(state, events, width, rows)
    assert timeline.show(latest) == whole


@examples(40)
@given(nasty_runs(), WIDTHS, st.integers(3, 12))
def test_a_nasty_run_is_shown_at_every_moment(run: NastyRun, width: int, rows: int) -> None:
    every_moment(run.header, run.events, width, rows)


@examples(15)
@given(any_plans(), WIDTHS, st.integers(3, 12))
def test_a_real_run_is_shown_at_every_moment(plan: Plan, width: int, rows: int) -> None:
    run = plan.run()
    asyncio.run(drive(run, plan.acts))
    every_moment(plan.header, run.events, width, rows)


@examples(15)
@given(any_plans())
def test_a_timeline_that_grows_is_the_one_that_is_made_at_once(plan: Plan) -> None:
    run = plan.run()
    growing = Timeline(run.events, run.state)
    counts: list[int] = []
    run.subscribe(lambda _: counts.append(growing.refresh()))
    asyncio.run(drive(run, plan.acts))
    once = Timeline(run.events, run.state)
    assert counts == sorted(counts)
    assert [growing.text(i) for i in range(len(growing))] == [once.text(i) for i in range(len(once))]
    with pytest.raises(IndexError):
        once.number(len(once))
