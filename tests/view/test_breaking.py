"""What can be broken: the list of faults, where one strikes, and what is said of those that are armed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.view.desks import REFUND, SEARCH, desk_at, on, step
from tests.view.nasty import LONG, WIDE, rows_of
from workbench.core.striking import Armed
from workbench.core.values import Fault, Limits
from workbench.models.scripted import Line
from workbench.scenarios.faults import load_catalogue
from workbench.view import breaking
from workbench.view.breaking import Door, Offer
from workbench.view.entries import line_text
from workbench.view.lines import line_cells

CATALOGUE = load_catalogue(None).entries
WRONG = CATALOGUE["wrong-number"].fault


def names(offers: Sequence[Offer]) -> list[str]:
    return [offer.fault.name for offer in offers]


# ---------------------------------------------------------------- the list


def test_without_a_query_all_of_the_catalogue_is_there_in_its_order() -> None:
    assert names(breaking.offers((), CATALOGUE, "")) == list(CATALOGUE)


def test_the_armed_ones_stand_first_and_know_their_place() -> None:
    armed = (Armed(WRONG), Armed(CATALOGUE["prose-only"].fault))
    found = breaking.offers(armed, CATALOGUE, "")
    assert [(offer.fault.name, offer.at) for offer in found[:3]] == [
        ("wrong-number", 0),
        ("prose-only", 1),
        (next(iter(CATALOGUE)), -1),
    ]
    first = breaking.offers(armed, CATALOGUE, "prose-only")[0]
    assert (first.fault.name, first.at) == ("prose-only", 1)


@pytest.mark.parametrize("query", ["wrong-number", "WRONG-number", "wrong number", "wrong-number:tool=add"])
def test_the_name_itself_comes_before_what_only_speaks_of_it(query: str) -> None:
    assert names(breaking.offers((), CATALOGUE, query))[0] == "wrong-number"


def test_all_words_are_looked_for_in_name_target_and_lesson() -> None:
    found = breaking.offers((), CATALOGUE, "reply json")
    assert "malformed-json" in names(found)
    assert all(offer.fault.on == "reply" for offer in found if "reply" not in offer.teaches)
    assert breaking.offers((), CATALOGUE, "no such thing at all") == []


@pytest.mark.parametrize("door", ["result", "reply"])
def test_what_is_held_can_be_struck_by_what_comes_after_the_tool_or_the_model(door: Door) -> None:
    found = breaking.with_door(CATALOGUE, door)
    first = {"result": ["error", "delay", "drop"], "reply": ["delay"]}[door]
    assert list(found)[: len(first)] == first
    assert {entry.fault.on for entry in found.values()} == {door}
    assert len(found) > 10
    assert breaking.with_door(CATALOGUE, "") is CATALOGUE


# ---------------------------------------------------------------- spelled out


def test_a_fault_can_be_spelled_out() -> None:
    found = breaking.spelled_out("wrong-number:tool=add,nth=2", CATALOGUE)
    assert isinstance(found, Fault)
    assert (found.name, found.tool, found.nth) == ("wrong-number", "add", 2)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("wrong-numbre:nth=1", 'there is no fault "wrong-numbre"; did you mean "wrong-number"?'),
        ("wrong-number:nht=1", 'a fault has no key "nht"; did you mean "nth"?'),
    ],
)
def test_what_is_wrong_with_it_is_one_sentence(query: str, sentence: str) -> None:
    found = breaking.spelled_out(query, CATALOGUE)
    assert isinstance(found, str)
    assert found.startswith(sentence)


def test_words_to_look_for_are_not_spelled_out() -> None:
    assert breaking.spelled_out("wrong number", CATALOGUE) is None


# ---------------------------------------------------------------- where it strikes


def test_the_next_one_comes_first_and_the_picked_tool_is_offered() -> None:
    state = on(desk_at(SEARCH, Line(text="found"))).run.state
    found = {place.words: place.fault for place in breaking.places(WRONG, state, "search_orders")}
    assert list(found) == [
        "the next result",
        "the next result of search_orders",
        "in step 3",
        "every time",
        "every result of search_orders",
    ]
    assert found["the next result"].nth == 1
    assert (found["the next result of search_orders"].tool, found["in step 3"].step) == ("search_orders", 3)
    assert found["every result of search_orders"].nth is None


def test_a_call_that_has_not_started_is_of_this_step() -> None:
    state = step(desk_at(SEARCH)).run.state
    assert [record.started for record in state.open_calls()] == [None]
    assert any(place.words == "in step 1" for place in breaking.places(WRONG, state, ""))
    assert any(place.words == "in step 2" for place in breaking.places(CATALOGUE["prose-only"].fault, state, ""))


def test_replies_and_requests_are_of_no_tool() -> None:
    state = desk_at(SEARCH).run.state
    for name in ("prose-only", "rate-limited"):
        assert not any(
            "search_orders" in place.words for place in breaking.places(CATALOGUE[name].fault, state, "search_orders")
        )


def test_a_schedule_that_is_part_of_the_fault_comes_first() -> None:
    state = desk_at(SEARCH).run.state
    fault = CATALOGUE["tool-outage"].fault
    assert fault.burst is not None
    assert breaking.places(fault, state, "")[0].fault == fault
    assert breaking.places(fault, state, "")[1].fault.burst is None


# ---------------------------------------------------------------- in words


@pytest.mark.parametrize(
    ("armed", "steps", "words"),
    [
        (Armed(Fault(on="result", do="drop", nth=1)), 0, "the next one · not struck yet"),
        (Armed(Fault(on="result", do="drop", nth=1), seen=1, fired=1), 1, "struck once, it is over"),
        (Armed(Fault(on="result", do="drop", step=2)), 3, "missed, it is over"),
        (Armed(Fault(on="result", do="drop"), seen=2, fired=2), 3, "every time · struck twice"),
        (Armed(Fault(on="result", do="drop"), seen=7, fired=7), 9, "every time · struck 7 times"),
    ],
)
def test_when_an_armed_fault_strikes_and_how_often_it_has(armed: Armed, steps: int, words: str) -> None:
    assert breaking.armed_words(armed, steps) == words


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(on="result", do="drop"), "results of any tool"),
        (Fault(on="tool", do="drop", tool="add"), "add itself"),
        (Fault(on="reply", do="empty"), "replies"),
        (Fault(on="provider", do="auth"), "requests"),
    ],
)
def test_what_it_is_about(fault: Fault, words: str) -> None:
    assert breaking.about(fault) == words


@pytest.mark.parametrize("width", [30, 76, 116])
@pytest.mark.parametrize("name", ["wrong-number", LONG, WIDE])
def test_no_row_is_wider_than_there_is_room(name: str, width: int) -> None:
    fault = Fault(on="result", do="drop", name=name, tool=name)
    armed = (Armed(fault),)
    offers = [Offer(fault, at=0), Offer(fault, teaches=LONG)]
    rows = [breaking.offer_line(offer, armed, 0, width, picked=True) for offer in offers]
    rows.append(breaking.place_line(breaking.places(fault, desk_at(SEARCH).run.state, name), 0, width))
    rows += [row for offer in offers for row in breaking.teaching(offer, width)]
    assert all(line_cells(row) <= width for row in rows)


def test_where_there_is_no_room_for_all_places_the_chosen_one_is_shown_with_its_number() -> None:
    found = breaking.places(WRONG, desk_at(SEARCH).run.state, "search_orders")
    assert line_text(breaking.place_line(found, 1, 50)) == "strikes ▸the next result of search_orders  2 of 5"
    assert "▸every time" in line_text(breaking.place_line(found, 3, 200))


def test_the_side_column_lists_those_that_can_still_strike() -> None:
    faults = tuple(Fault(on="result", do="drop", nth=1, name=f"f{n}") for n in range(5))
    desk = desk_at(SEARCH, faults=(*faults, Fault(on="result", do="drop", step=1, name="missed")))
    assert rows_of(breaking.armed_lines(desk.run.state, 40, 3)) == [
        "f0 · the next one",
        "f1 · the next one",
        "f2 · the next one",
        "3 more",
    ]
    assert breaking.armed_lines(on(desk_at(REFUND, limits=Limits(steps=1))).run.state, 40, 3) == []


def test_a_catalogue_of_ones_own_is_offered_too(tmp_path: Path) -> None:
    path = tmp_path / "faults.toml"
    path.write_text('[mine]\non = "result"\ndo = "drop"\nteaches = "Nothing comes."\n', encoding="utf-8")
    found = breaking.offers((), load_catalogue(path).entries, "nothing comes")
    assert "mine" in names(found)
