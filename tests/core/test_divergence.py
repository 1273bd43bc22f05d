"""Where two runs part, and why: on random runs, and on small ones made for each cause."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.core.planned import any_plans
from tests.core.runs import Plan, drive, examples
from workbench.core.divergence import Cause, Comparison, Side, compare
from workbench.core.events import (
    Decided,
    Event,
    Forked,
    ModelFailed,
    ModelReply,
    Notice,
    Resumed,
    SettingsChanged,
    Stopped,
    StopRequested,
    ToolResult,
    UserMessage,
)
from workbench.core.items import Aspect, items
from workbench.core.statuses import Status
from workbench.core.values import Call, Fault, Header, Limits, ToolInfo

# ---------------------------------------------------------------- any run


def played(plan: Plan) -> Side:
    run = plan.run()
    asyncio.run(drive(run, plan.acts, moves=60))
    return Side(run.header, list(run.events))


def other_figures(event: Event, index: int) -> Event:
    """The event as another run would have it: other times and ids of the provider, other figures."""
    match event:
        case ModelReply():
            return replace(event, took=event.took + index, input_tokens=index, output_tokens=7, attempts=2, cost=0.5)
        case ToolResult():
            return replace(event, took=event.took + index)
        case _:
            return event


@examples(30)
@given(any_plans())
def test_a_run_does_not_part_from_itself_nor_from_one_with_other_figures(plan: Plan) -> None:
    run = played(plan)
    again = Side(
        replace(run.header, id="again", created="2031-01-31T10:00:00Z"),
        list(map(other_figures, run.events, range(9999))),
    )
    for other in (run, again):
        found = compare(run, other)
        assert found.divergence is None
        assert found.settings == ()
        assert all(row.a is not None and row.b is not None and not row.reworded for row in found.rows)


@examples(20)
@given(any_plans(), any_plans())
def test_sides_can_be_changed(one: Plan, other: Plan) -> None:
    a, b = played(one), played(other)
    there, back = compare(a, b), compare(b, a)
    assert [(row.b, row.a, row.aspect) for row in back.rows if row.a and row.b] == [
        (row.a, row.b, row.aspect) for row in there.rows if row.a and row.b
    ]
    assert (there.divergence is None) == (back.divergence is None)
    if there.divergence is not None and back.divergence is not None:
        assert (there.divergence.cause, there.divergence.a, there.divergence.b) == (
            back.divergence.cause,
            back.divergence.b,
            back.divergence.a,
        )


@examples(20)
@given(any_plans(), any_plans())
def test_every_item_of_both_runs_stands_once_and_in_its_order(one: Plan, other: Plan) -> None:
    a, b = played(one), played(other)
    rows = compare(a, b).rows
    assert [row.a for row in rows if row.a] == items(a.events)
    assert [row.b for row in rows if row.b] == items(b.events)


@examples(40)
@given(any_plans(), st.data())
def test_a_fork_parts_from_its_parent_where_it_was_made(plan: Plan, data: st.DataObject) -> None:
    parent = played(plan)
    places = [at for at, event in enumerate(parent.events) if isinstance(event, ToolResult | UserMessage)]
    assume(places)
    at = data.draw(st.sampled_from(places))
    rest = parent.events[at + 1 :] if data.draw(st.booleans()) else []
    edited = with_text(parent.events[at], "something else entirely")
    fork = [*parent.events[:at], edited, Forked(parent=parent.header.id, at=at + 1), *rest]
    divergence = compare(parent, Side(parent.header, fork)).divergence
    assert divergence is not None
    assert divergence.a is not None
    assert divergence.b is not None
    assert at + 1 in (divergence.b.n, divergence.b.result_n)
    assert at + 1 in (divergence.a.n, divergence.a.result_n)


@examples(40)
@given(any_plans(), st.data())
def test_a_fork_that_has_not_gone_on_parts_where_it_ends(plan: Plan, data: st.DataObject) -> None:
    parent = played(plan)
    assume(len(parent.events) > 1)
    at = data.draw(st.integers(1, len(parent.events) - 1))
    fork = [*parent.events[:at], Forked(parent=parent.header.id, at=at)]
    divergence = compare(parent, Side(parent.header, fork)).divergence
    later = [item for item in items(parent.events) if not item.quiet and max(item.n, item.result_n) > at]
    if divergence is None:
        assert not later
    else:
        assert divergence.a is not None
        assert divergence.a in later
        assert divergence.b is None or divergence.b.pending or divergence.a.kind == "call"


def with_text(event: Event, text: str) -> Event:
    if isinstance(event, ToolResult):
        return replace(event, outcome="ran", content=text, original=event.content, changed_by="you")
    assert isinstance(event, UserMessage)
    return replace(event, text=text)


# ---------------------------------------------------------------- each cause


HEADER = Header(id="a", goal="How many?", tools=(ToolInfo(name="add"), ToolInfo(name="look")))
GOAL = UserMessage(text="How many?")


def asks(number: int, tool: str = "look", arguments: str = '{"city":"Paris"}', **fields: Any) -> ModelReply:
    call = Call(id=f"c{number}", tool=tool, arguments=arguments, canonical=arguments)
    return ModelReply(calls=(call,), **fields)


def result(number: int, content: str = "2100000", **fields: Any) -> ToolResult:
    return ToolResult(call=f"c{number}", content=content, **fields)


def answers(text: str = "two million", **fields: Any) -> ModelReply:
    return ModelReply(text=text, reading="answer", answer=text, **fields)


ENDED = Stopped(status=Status.ANSWERED)
RUN = (GOAL, asks(1), result(1), answers(), ENDED)


def against(*events: Event, header: Header = HEADER, run: tuple[Event, ...] = RUN) -> Comparison:
    return compare(Side(HEADER, run), Side(header, events))


def test_the_user_says_something_else() -> None:
    divergence = against(UserMessage(text="Who?"), *RUN[1:]).divergence
    assert divergence is not None
    assert (divergence.cause, divergence.row) == (Cause.MESSAGE, 0)


def test_the_model_calls_something_else() -> None:
    divergence = against(GOAL, asks(1, arguments='{"city":"Lima"}'), result(1), answers(), ENDED).divergence
    assert divergence is not None
    assert (divergence.cause, divergence.aspect, divergence.row) == (Cause.REPLY, Aspect.WHAT, 2)


def test_other_words_for_the_same_calls_are_no_parting() -> None:
    found = against(GOAL, asks(1, text="Let me see.", thinking="hm"), *RUN[2:])
    assert found.divergence is None
    assert found.reworded == 1


def test_the_same_call_comes_to_something_else() -> None:
    divergence = against(GOAL, asks(1), result(1, "2100001"), answers(), ENDED).divergence
    assert divergence is not None
    assert (divergence.cause, divergence.aspect) == (Cause.RESULT, Aspect.RESULT)


def test_a_fault_made_it_something_else_and_is_named() -> None:
    struck = result(1, "21", original="2100000", changed_by="fault wrong-number", faults=("wrong-number",))
    divergence = against(GOAL, asks(1), struck, answers(), ENDED).divergence
    assert divergence is not None
    assert (divergence.cause, divergence.because) == (Cause.FAULT, ("wrong-number",))


def test_a_fault_that_both_have_is_not_why() -> None:
    one, other = (result(1, text, original="2", changed_by="fault garble") for text in ("x", "y"))
    divergence = against(GOAL, asks(1), other, run=(GOAL, asks(1), one)).divergence
    assert divergence is not None
    assert divergence.cause is Cause.RESULT


def test_a_fault_of_the_provider_is_named() -> None:
    divergence = against(GOAL, ModelFailed(failure="timeout", faults=("no-reply",)), *RUN[1:]).divergence
    assert divergence is not None
    assert (divergence.cause, divergence.because) == (Cause.FAULT, ("no-reply",))


@pytest.mark.parametrize("by", ["you", "script", "person"])
def test_a_person_changed_a_result(by: str) -> None:
    divergence = against(GOAL, asks(1), result(1, "0", original="2100000", changed_by=by)).divergence
    assert divergence is not None
    assert divergence.cause is Cause.DECISION


def test_a_person_decided_otherwise() -> None:
    allowed = (GOAL, asks(1), Decided(call="c1", decision="allow"), result(1))
    denied = (GOAL, asks(1), Decided(call="c1", decision="deny", reason="no"), result(1, "denied", outcome="denied"))
    divergence = against(*denied, run=allowed).divergence
    assert divergence is not None
    assert (divergence.cause, divergence.aspect) == (Cause.DECISION, Aspect.DECISION)


def test_who_allowed_a_call_makes_no_difference() -> None:
    by_rule = (GOAL, asks(1), Decided(call="c1", decision="allow", by="rule"), *RUN[2:])
    assert against(*by_rule).divergence is None


def test_a_rule_that_only_one_of_them_has_decided() -> None:
    denied = (GOAL, asks(1), Decided(call="c1", decision="deny", by="rule"), result(1, "no", outcome="denied"))
    divergence = against(*denied, header=replace(HEADER, approval="deny")).divergence
    assert divergence is not None
    assert (divergence.cause, divergence.because) == (Cause.SETTING, ("approval.default",))


def test_a_cap_that_only_one_of_them_has_ended_it() -> None:
    stopped = Stopped(status=Status.STEP_BUDGET_EXHAUSTED, knob="limits.steps", limit=1)
    divergence = against(*RUN[:3], stopped, header=replace(HEADER, limits=Limits(steps=1))).divergence
    assert divergence is not None
    assert (divergence.cause, divergence.because) == (Cause.SETTING, ("limits.steps",))


def test_a_cap_that_was_set_on_the_way_ended_it() -> None:
    capped = SettingsChanged(changes={"limits.steps": 1})
    stopped = Stopped(status=Status.STEP_BUDGET_EXHAUSTED, knob="limits.steps", limit=1)
    divergence = against(*RUN[:2], capped, RUN[2], stopped).divergence
    assert divergence is not None
    assert (divergence.cause, divergence.because) == (Cause.SETTING, ("limits.steps",))


def test_a_person_stopped_it() -> None:
    divergence = against(*RUN[:3], StopRequested(), Stopped(status=Status.CANCELLED)).divergence
    assert divergence is not None
    assert divergence.cause is Cause.DECISION


def test_a_person_stopped_it_while_a_call_was_open() -> None:
    cut = result(1, "cancelled", outcome="cancelled")
    divergence = against(GOAL, asks(1), StopRequested(), cut, Stopped(status=Status.CANCELLED)).divergence
    assert divergence is not None
    assert (divergence.cause, divergence.aspect) == (Cause.DECISION, Aspect.RESULT)


def test_one_has_gone_no_further() -> None:
    divergence = against(*RUN[:3]).divergence
    assert divergence is not None
    assert (divergence.cause, divergence.b) == (Cause.END, None)


def test_a_call_that_still_waits_is_where_one_has_gone_no_further() -> None:
    divergence = against(*RUN[:2]).divergence
    assert divergence is not None
    assert (divergence.cause, divergence.b is not None and divergence.b.pending) == (Cause.END, True)


def test_a_session_without_events_and_one_with_some() -> None:
    divergence = against().divergence
    assert divergence is not None
    assert divergence.cause is Cause.END
    assert against(run=()).divergence is None


def test_the_runtime_says_something_else_and_a_setting_is_why() -> None:
    nudged = (GOAL, asks(1), result(1), Notice(topic="repeat", text="again?"), answers(), ENDED)
    divergence = against(*nudged).divergence
    assert divergence is not None
    assert divergence.cause is Cause.NOTICE


def test_another_model_says_something_else_because_it_is_another_one() -> None:
    live = replace(HEADER, model="openai:large", scenario={"model": {"use": "openai", "name": "large"}})
    divergence = against(GOAL, answers(), ENDED, header=live).divergence
    assert divergence is not None
    assert divergence.cause is Cause.SETTING
    assert divergence.because == ("model", "model.name")


def test_a_model_that_was_changed_on_the_way_is_why_it_says_something_else() -> None:
    changed = SettingsChanged(changes={"model": "ollama:small"})
    divergence = against(*RUN[:3], changed, answers("three"), ENDED).divergence
    assert divergence is not None
    assert (divergence.cause, divergence.because) == (Cause.SETTING, ("model",))


def test_a_setting_that_changes_nothing_is_listed_and_is_no_parting() -> None:
    found = against(*RUN, header=replace(HEADER, limits=Limits(steps=9), faults=(Fault(on="result", do="drop"),)))
    assert found.divergence is None
    assert [setting.name for setting in found.settings] == ["limits.steps", "fault"]


def test_a_stop_after_which_the_run_went_on_is_no_parting() -> None:
    stopped = Stopped(status=Status.STEP_BUDGET_EXHAUSTED, knob="limits.steps", limit=1)
    found = against(*RUN[:3], stopped, SettingsChanged(changes={"limits.steps": 5}), Resumed(), *RUN[3:])
    assert found.divergence is None


def test_what_comes_after_a_detour_is_aligned_again() -> None:
    detour = (GOAL, asks(1, "add", "{}"), result(1, "no"), asks(2), result(2), answers(), ENDED)
    found = against(*detour)
    same = [row for row in found.rows if row.a is not None and row.b is not None and not row.parts]
    assert [row.a.kind for row in same if row.a] == ["message", "reply", "call", "reply", "stop"]


def test_details_of_a_tool_that_both_have_are_settings() -> None:
    tools = (replace(HEADER.tools[0], description="adds"), HEADER.tools[1])
    found = against(*RUN, header=replace(HEADER, tools=tools))
    assert [(setting.name, setting.a, setting.b) for setting in found.settings] == [
        ("tools.add.description", "none", "adds")
    ]
