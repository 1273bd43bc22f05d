"""Two runs drawn beside or under each other, whatever runs they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.runs import examples
from tests.view.nasty import NastyRun, assert_drawable, nasty_runs
from workbench.core.divergence import Side
from workbench.core.events import ModelReply
from workbench.core.state import fold
from workbench.sessions.journal import read_session
from workbench.view.comparing import (
    Compared,
    Pair,
    compared,
    counter_lines,
    headline,
    parting_lines,
    plain,
    setting_lines,
)
from workbench.view.entries import line_text
from workbench.view.item_lines import height, item_lines
from workbench.view.side_by_side import Layout, layout, text_lines

JOURNALS = Path(__file__).parents[1] / "data" / "journals"


def journal(name: str) -> Compared:
    return compared(read_session(JOURNALS / f"{name}.toml"))


def nasty(run: NastyRun) -> Compared:
    return Compared(Side(run.header, run.events), fold(run.header, run.events), "nasty")


def texts(made: Layout) -> list[str]:
    return [line_text(made.draw(line)).rstrip() for line in range(made.lines)]


@examples(15)
@given(nasty_runs(), nasty_runs(), st.sampled_from([40, 60, 80, 99, 100, 120, 161]))
def test_any_two_runs_can_be_drawn(one: NastyRun, other: NastyRun, width: int) -> None:
    pair = Pair(nasty(one), nasty(other))
    made = layout(pair, width)
    assert_drawable([made.draw(line, picked=line % 2 == 0) for line in range(made.lines)], width)
    assert_drawable(counter_lines(pair), 400)
    assert_drawable(setting_lines(pair.found.settings, 5, width), 10_000)
    assert_drawable(parting_lines(pair), 10_000)
    assert "\n" not in headline(pair)
    assert plain(pair)["same"] == (pair.found.divergence is None)


@examples(10)
@given(nasty_runs(), nasty_runs())
def test_an_item_has_as_many_lines_as_it_says(one: NastyRun, other: NastyRun) -> None:
    for row in Pair(nasty(one), nasty(other)).found.rows:
        for item in (row.a, row.b):
            if item is not None:
                assert len(item_lines(item, one.header.protocol)) == height(item)


@pytest.mark.parametrize("width", [80, 120])
def test_every_line_belongs_to_its_row(width: int) -> None:
    pair = Pair(journal("refund-allowed"), journal("refund-denied"))
    made = layout(pair, width)
    places = [made.place(line) for line in range(made.lines)]
    assert [place.row for place in places] == sorted(place.row for place in places)
    assert {place.row for place in places} == set(range(len(pair.found.rows)))
    headed = [place.row for place in places if place.line < 0]
    divergence = pair.found.divergence
    assert divergence is not None
    assert headed == [divergence.row, divergence.row + 1]


def test_beside_each_other_both_say_what_they_do() -> None:
    lines = texts(layout(Pair(journal("refund-allowed"), journal("refund-answered")), 120))
    at = next(index for index, line in enumerate(lines) if line.startswith("They part here"))
    assert lines[at + 2].split("≠", 1)[0].strip() == "✓ allowed by the scenario's person"
    assert "≠ answered by the scenario's person" in lines[at + 2]
    assert lines[at + 4].startswith("Downstream of that ")


def test_under_each_other_what_is_the_same_stands_once() -> None:
    lines = texts(layout(Pair(journal("refund-allowed"), journal("refund-answered")), 80))
    assert sum("I need her order and the refund policy." in line for line in lines) == 1
    assert sum("create_refund" in line and line.startswith("  A ") for line in lines) == 2
    assert any(line.startswith("  B ") and "ANSWER" in line for line in lines)


def test_the_same_in_other_words_is_shown_and_parts_nothing() -> None:
    one = journal("two-cities")
    events = [
        replace(event, text="THOUGHT: Hm.") if isinstance(event, ModelReply) and event.calls else event
        for event in one.side.events
    ]
    pair = Pair(one, replace(one, side=Side(one.side.header, events)))
    assert headline(pair) == "They go the same way: 3 steps, 2 calls; 2 replies are in other words"
    assert sum(" ≈ " in line for line in text_lines(pair, 120)) == 2


def test_what_is_the_same_is_left_out_of_the_text_and_counted() -> None:
    one = journal("growth")
    lines = text_lines(Pair(one, one), 100)
    assert lines[0].strip() == f"… {len(Pair(one, one).found.rows) - 1} the same"
    assert len(lines) == 2


def test_long_values_are_shown_where_they_part() -> None:
    one = journal("two-cities")
    start = "Answer briefly. " * 30
    sides = [replace(one, side=Side(replace(one.side.header, system=f"{start}{end}"), one.side.events)) for end in "xy"]
    (line,) = setting_lines(Pair(*sides).found.settings, 5, 80)
    assert line_text(line).startswith("system   A …")
    assert "briefly. x   B …" in line_text(line)
    assert line_text(line).endswith("briefly. y")
