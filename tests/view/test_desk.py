from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.planned import any_plans
from tests.core.runs import Plan, differences, drive, examples, state_facts
from tests.view.desks import REFUND, SEARCH, asks, desk_at, entries, on, step
from tests.view.nasty import rows_of
from workbench.core.events import Event, ToolResult, ToolStarted
from workbench.core.items import counts_as_step
from workbench.core.loop import AskModel
from workbench.core.ports import Signal
from workbench.core.state import fold
from workbench.core.values import Limits
from workbench.models.scripted import Line
from workbench.view.desk import Desk
from workbench.view.entries import Span, line_text


def tail_of(desk: Desk, now: float = 0.0) -> tuple[str, str] | None:
    entry = desk.tail(now)
    return None if entry is None else (entry.word, line_text(entry.lines[0]))


# ---------------------------------------------------------------- how things stand


def test_a_run_stands_in_one_way_after_the_other() -> None:
    desk = desk_at(SEARCH, REFUND, Line(text="done"))
    stands = [desk.stand, step(desk).stand, on(desk).stand]
    desk.run.decide("c2", "allow")
    desk.run.change({"hold": True})
    stands.append(on(desk).stand)
    desk.look_at(2)
    stands.append(desk.stand)
    desk.look_now()
    desk.run.release("c2")
    stands.append(on(desk).stand)
    assert stands == ["idle", "paused", "approval", "hold", "past", "answered"]
    assert on(desk_at(SEARCH, limits=Limits(steps=1))).stand == "stopped"


def test_a_run_that_was_interrupted_asks_what_happened() -> None:
    first = on(desk_at(REFUND))
    first.run.decide("c1", "allow")
    desk = desk_at(REFUND, events=[*first.run.events, ToolStarted(call="c1", key="k")])
    assert desk.stand == "interrupted"


# ---------------------------------------------------------------- where we look


def test_looking_back_shows_everything_as_it_was_and_now_is_one_key_away() -> None:
    desk = on(desk_at(SEARCH, REFUND))
    desk.look_at(3)
    assert (desk.looking_back, desk.state.n, len(desk.timeline)) == (True, 3, 2)
    assert tail_of(desk) == ("THEN", "wait for search_orders")
    desk.look_by(-99)
    assert desk.state.n == 1
    desk.look_by(99)
    assert (desk.looking_back, desk.state) == (False, desk.run.state)
    desk.look_at(len(desk.run.events))
    assert not desk.looking_back


def test_whoever_looks_back_goes_on_doing_so_while_the_run_grows() -> None:
    desk = on(desk_at(SEARCH, REFUND))
    desk.look_at(2)
    desk.run.decide("c2", "deny")
    on(desk)
    assert (desk.state.n, len(desk.timeline)) == (2, 2)
    desk.look_now()
    assert desk.state.n == len(desk.run.events)


def test_a_step_back_goes_to_the_reply_before() -> None:
    desk = on(desk_at(SEARCH, SEARCH, Line(text="done")))
    places = []
    for _ in range(4):
        desk.look_by_step(-1)
        places.append(desk.state.n)
    assert places == [8, 5, 2, 1]
    for _ in range(4):
        desk.look_by_step(1)
        places.append(desk.state.n)
    assert places[4:] == [2, 5, 8, 9]
    assert not desk.looking_back


@examples(15)
@given(any_plans(), st.lists(st.tuples(st.sampled_from(["at", "by", "step", "now"]), st.integers(-9, 50)), max_size=12))
def test_every_walk_shows_the_state_of_its_place(plan: Plan, walk: list[tuple[str, int]]) -> None:
    run = plan.run()
    asyncio.run(drive(run, plan.acts))
    desk = Desk(run)
    total = len(run.events)
    for how, by in walk:
        before = desk.state.n
        match how:
            case "at":
                desk.look_at(by)
                wanted = max(1, by)
            case "by":
                desk.look_by(by)
                wanted = max(1, before + by)
            case "step":
                direction = 1 if by > 0 else -1
                desk.look_by_step(direction)
                replies = [n for n, event in enumerate(run.events, 1) if counts_as_step(event)]
                beyond = [n for n in replies if (n > before if direction > 0 else n < before)]
                wanted = (min(beyond) if direction > 0 else max(beyond)) if beyond else total if direction > 0 else 1
            case _:
                desk.look_now()
                wanted = total
        wanted = min(wanted, total)
        assert desk.looking_back == (wanted < total)
        assert desk.state.n == wanted
        assert not differences(state_facts(desk.state), state_facts(fold(plan.header, run.events[:wanted])))
        assert len(desk.timeline) == sum(desk.timeline.number(i) <= wanted for i in range(desk.timeline.refresh()))
        desk.timeline.show(desk.state)


# ---------------------------------------------------------------- what is shown


def test_what_comes_next_stands_after_the_last_entry() -> None:
    desk = step(desk_at(SEARCH, REFUND))
    assert tail_of(desk) == ("NEXT", "run search_orders")
    step(desk)
    assert tail_of(desk) == ("NEXT", "ask the model, with all of the above")
    on(desk)
    assert tail_of(desk) is None
    desk.look_at(2)
    assert tail_of(desk) == ("THEN", "run search_orders")
    desk.run.decide("c2", "deny")
    on(desk)
    desk.look_at(5)
    assert tail_of(desk) == ("THEN", "ask you about create_refund")


async def test_what_is_being_done_and_what_comes_in_stand_there_too() -> None:
    desk = desk_at(SEARCH)
    desk.run.in_flight = AskModel()
    assert tail_of(desk) == ("NOW", "asking the model …")
    assert tail_of(desk, 2.5) == ("NOW", "asking the model … 0:02")
    desk.incoming.take(Signal("delta", "I need\nher order"), 2.5)
    entry = desk.tail()
    assert entry is not None
    assert (entry.word, entry.step, rows_of(entry.lines)) == ("MODEL", 1, ["I need", "her order"])


def test_entries_and_calls_find_each_other() -> None:
    desk = on(desk_at(SEARCH, REFUND))
    assert [desk.call_of_entry(index) for index in range(len(desk.timeline))] == ["", "c1", "c1", "c2"]
    assert [desk.entry_of_call(call) for call in ("c1", "c2", "c9", "")] == [2, 3, -1, -1]
    picked = [desk.selected_call(index) for index in range(len(desk.timeline))]
    assert [record.call.id if record else "" for record in picked] == ["c2", "c1", "c1", "c2"]
    assert desk_at(SEARCH).selected_call(-1) is None
    ended = on(desk_at(SEARCH, Line(text="done")))
    last = ended.selected_call(0)
    assert last is not None
    assert last.call.id == "c1"


def test_every_entry_of_a_step_belongs_to_the_request_of_that_step() -> None:
    desk = on(desk_at(SEARCH, SEARCH, REFUND))
    words = [word for word, _ in entries(desk)]
    assert words == ["USER", "MODEL", "RESULT", "MODEL", "RESULT", "MODEL"]
    # The last entry of a run that goes on belongs to the request that comes next.
    assert [desk.request_of_entry(index) for index in range(6)] == [0, 0, 0, 1, 1, 3]
    assert desk.request_of_entry(99) == 3
    ended = on(desk_at(SEARCH, Line(text="done")))
    assert [desk.request_of_entry(index) for index in range(6)][:5] == [0, 0, 0, 1, 1]
    assert [ended.request_of_entry(index) for index in range(4)] == [0, 0, 0, 1]


# ---------------------------------------------------------------- whole entries


def whole(desk: Desk, index: int) -> list[str]:
    return rows_of(desk.whole(index))


def test_a_whole_result_has_the_colours_of_its_language() -> None:
    desk = on(desk_at(SEARCH, asks("fetch"), Line(text="done")))
    assert Span('"A-1042"', "result") in desk.whole(2)[1]
    assert whole(desk, 4) == ["fetch · web · not trusted", "# A page", "", "buy mugs"]
    assert desk.whole(4)[1] == (Span("# A page", bold=True),)


def test_a_whole_reply_has_its_arguments_thinking_and_letter() -> None:
    arguments = '{"order": "A-1042", "amount": 62.5}'
    text = f"<think>half of it</think>\nACTION: create_refund {arguments}"
    desk = on(desk_at(Line(text=text), protocol="text"))
    assert whole(desk, 1)[2:] == [
        "  ▲ waiting for you",
        "",
        "thinking",
        "half of it",
        "",
        "to the letter",
        "<think>half of it</think>",
        f"ACTION: create_refund {arguments}",
    ]
    long = on(desk_at(asks("send_email", to="ada@example.com, grace@example.com, annie@example.com, hedy@example.com")))
    assert whole(long, 1)[2:5] == ["", "arguments of send_email", "{"]


def test_what_only_people_see_of_a_broken_tool() -> None:
    lines = whole(on(desk_at(asks("broken"))), 2)
    assert "for you only; the model did not see it" in lines
    assert "KeyError: 'a bug'" in lines


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (
            ToolResult(call="c1", content="5", original="4", changed_by="you"),
            ["5", "≠ changed by you, was 4", "", "before it was changed", "4"],
        ),
        (
            ToolResult(call="c1", content="5", original="", changed_by="you"),
            ["5", "≠ changed by you   o original", "", "before it was changed", "(nothing)"],
        ),
    ],
)
def test_what_a_changed_result_was(event: Event, lines: list[str]) -> None:
    first = on(desk_at(SEARCH)).run.events[:3]
    desk = desk_at(events=[*first, event])
    assert whole(desk, 2)[1:] == lines
    assert desk.original(2) == getattr(event, "original", None)
    assert desk.original(0) is None


def test_what_is_held_and_what_had_come_of_a_reply() -> None:
    desk = step(desk_at(SEARCH))
    desk.run.change({"hold": True})
    on(desk)
    assert whole(desk, 3)[-2:] == ["what is held", '{"orders": [{"order": "A-1042", "customer": "Ada Byron"}]}']
    failed = on(desk_at(Line(text="I was about to", fail="auth")))
    assert whole(failed, 1)[-2:] == ["what had come of the reply", "I was about to"]


@examples(10)
@given(any_plans())
def test_every_entry_can_be_seen_whole(plan: Plan) -> None:
    run = plan.run()
    asyncio.run(drive(run, plan.acts))
    desk = Desk(run)
    for index in range(len(desk.timeline)):
        shown: list[Any] = desk.whole(index)
        text = desk.timeline.text(index)
        assert "\n".join(rows_of(shown)).startswith(text)
        assert not any("\n" in span.text for line in shown for span in line)
        assert 0 <= desk.request_of_entry(index) <= len(run.state.requests)
        assert desk.entry_of_call(desk.call_of_entry(index)) < len(desk.timeline)
