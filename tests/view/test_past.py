from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import events
from tests.view.desks import REFUND, SEARCH, bar_of, body, desk_at, on, title
from workbench.core.events import (
    Decided,
    Event,
    Forked,
    Held,
    LateResult,
    ModelFailed,
    ModelReply,
    Notice,
    Remark,
    Resumed,
    SettingsChanged,
    Stopped,
    StopRequested,
    ToolResult,
    ToolStarted,
    UserMessage,
)
from workbench.core.statuses import Status
from workbench.models.scripted import Line
from workbench.view.entries import line_text
from workbench.view.lines import line_cells
from workbench.view.past import event_sign, event_strip, event_words
from workbench.view.visible import visible

STEP: list[Event] = [ModelReply(), ToolStarted(call="c1"), ToolResult(call="c1")]


def test_the_bar_says_where_we_look_and_where_the_run_waits() -> None:
    desk = on(desk_at(SEARCH, REFUND))
    desk.look_at(4)
    bar = bar_of(desk)
    assert (bar.kind, bar.role) == ("past", "past")
    assert title(bar) == "◀ You are looking at event 4 of 5: search_orders returned   the run waits at event 5"
    assert body(bar) == ["U───1───→───=───2"]
    assert [span.text for span in bar.body[0] if span.role == "here"] == ["="]


def test_a_run_that_has_ended_does_not_wait() -> None:
    desk = on(desk_at(SEARCH, Line(text="One mug.")))
    desk.look_at(4)
    total = len(desk.run.events)
    assert title(bar_of(desk)).endswith(f"   the run ended at event {total}")


def test_what_was_really_done_since_is_said() -> None:
    desk = on(desk_at(SEARCH, REFUND, Line(text="Paid."), approval="allow"))
    paid = next(n for n, event in enumerate(desk.run.events, 1) if isinstance(event, ToolStarted) and event.key)
    for at, said in (
        (paid - 1, f"After event {paid - 1}: 1 call really acted; 1 cannot be undone"),
        (paid, f"After event {paid}: 1 call really acted; 1 cannot be undone"),
        (paid + 1, ""),
    ):
        desk.look_at(at)
        assert body(bar_of(desk))[1:] == (["", said] if said else [])


def test_signs_stand_closer_together_when_there_are_more() -> None:
    run: list[Event] = [UserMessage(text="g"), *STEP * 4]
    assert line_text(event_strip(run, 1, 30)) == "U─1─→─=─2─→─=─3─→─=─4─→─="
    assert line_text(event_strip(run, 1, 14)) == "U1→=2→=3→=4→="
    assert line_text(event_strip([ModelReply()] * 12, 1, 12)) == "123456789012"
    assert line_text(event_strip([ModelReply()] * 12, 1, 24)).endswith("9─101112")


def test_a_run_longer_than_the_strip_has_ticks_at_its_steps() -> None:
    run: list[Event] = [UserMessage(text="g"), *([ModelReply(), *[Notice(topic="dropped", text="x")] * 9] * 4)]
    strip = event_strip(run, 22, 20)
    assert line_text(strip) == "┴────┴────◆────┴────"
    assert [span.role for span in strip] == ["past", "here", "rule"]
    assert line_text(event_strip(run * 20, 1, 20)) == "◆" + "─" * 19
    assert line_text(event_strip(run, len(run), 20)).endswith("◆")


SOME: list[Event] = [*STEP, UserMessage(text="g"), Notice(topic="dropped", text="x")]


@given(st.lists(st.sampled_from(SOME), max_size=60), st.integers(-1, 60), st.integers(0, 90))
def test_the_strip_stays_in_its_width(run: list[Event], at: int, width: int) -> None:
    at = max(0, min(at, len(run)))
    strip = event_strip(run, at, width)
    assert line_cells(strip) <= width
    if at and width:
        assert sum(span.role == "here" for span in strip) == 1


SAMPLES: list[tuple[Event, str, str]] = [
    (UserMessage(text="x"), "U", "the user spoke"),
    (ModelReply(reading="answer"), "7", "the model answered"),
    (ModelReply(reading="malformed"), "7", "the model replied"),
    (ModelFailed(failure="auth"), "✗", "the request failed"),
    (Decided(call="c1", decision="allow"), "▲", "search_orders was allowed"),
    (Decided(call="c1", decision="deny"), "⊘", "search_orders was denied"),
    (Decided(call="c1", decision="edit"), "▲", "search_orders was changed"),
    (Decided(call="c1", decision="answer"), "▲", "search_orders was answered for"),
    (ToolStarted(call="c1"), "→", "search_orders started"),
    (ToolResult(call="c1"), "=", "search_orders returned"),
    (ToolResult(call="c1", outcome="failed"), "✗", "search_orders failed"),
    (ToolResult(call="c1", outcome="denied"), "⊘", "search_orders was denied"),
    (ToolResult(call="c1", outcome="stored"), "=", "search_orders was not run again"),
    (ToolResult(call="c1", outcome="unknown"), "✗", "search_orders was left unknown"),
    (Held(call="c1"), "◆", "the result of search_orders was held"),
    (LateResult(call="c1"), "·", "a result of search_orders came too late"),
    (Notice(topic="repeat", text="x"), "·", "a note to the model"),
    (Remark(text="x"), "·", "a remark for people"),
    (SettingsChanged(changes={}), "·", "a setting changed"),
    (StopRequested(), "·", "a stop was asked for"),
    (Stopped(status=Status.STEP_BUDGET_EXHAUSTED), "■", "the run stopped: step budget exhausted"),
    (Resumed(), "·", "the run went on"),
    (Forked(parent="r0", at=1200), "·", "forked from r0 at event 1,200"),
    (ToolStarted(call="c99"), "→", "c99 started"),
]


@pytest.mark.parametrize(("event", "sign", "words"), SAMPLES, ids=lambda value: getattr(value, "kind", None))
def test_every_event_has_a_sign_and_words(event: Event, sign: str, words: str) -> None:
    state = on(desk_at(SEARCH, Line(text="done"))).run.state
    assert (event_sign(event, 7), event_words(event, state)) == (sign, words)


def test_many_calls_are_named_in_part() -> None:
    state = on(desk_at(SEARCH, Line(text="done"))).run.state
    call = state.calls[0].call
    assert event_words(ModelReply(calls=(call,) * 5), state) == (
        "the model asked for search_orders, search_orders, search_orders and 2 more"
    )


@given(events())
def test_any_event_has_words_that_can_be_drawn(event: Event) -> None:
    words = event_words(event, on(desk_at(SEARCH, Line(text="done"))).run.state)
    assert words
    assert visible(words) == words
    assert "\n" not in words
