"""Plans: what a step needs and gives, which route is chosen, and what the fold does not take."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.events import ModelReply, Planned, Stopped, UserMessage
from workbench.core.plan import Place, Plan, Step, filled, plan_of
from workbench.core.state import State, fold
from workbench.core.statuses import Status
from workbench.core.templates import TemplateError
from workbench.core.values import Call, Header


def pipeline(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"loop": "pipeline", "step": list(steps)}


ROUTES = {
    "loop": "router",
    "route": [
        {"name": "Refund", "about": "money back", "step": [{"answer": "paid"}]},
        {"name": "where is it", "step": [{"answer": "on its way"}]},
    ],
}


def plan(scenario: dict[str, Any]) -> Plan:
    made = plan_of(scenario)
    assert made is not None
    return made


def step(table: dict[str, Any], number: int = 1) -> Step:
    return plan(pipeline(*[{"answer": "x"}] * (number - 1), table)).steps[-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${goal}", "14 mugs"),
        ("${last}", "north"),
        ("${result1} ${result2} ${result3}", "7 2.5 north"),
        ("${total}", "9.5"),
        ("${first} of $${goal}", "7 of ${goal}"),
        ("${place}", "orth"),
    ],
)
def test_what_a_template_of_a_step_stands_for(text: str, expected: str) -> None:
    row = plan(pipeline({"answer": "a", "name": "first"}, {"answer": "b"}, {"answer": "c"})).steps
    place = Place(task="14 mugs", given=("7", "2.5", "north"), captures={"place": "orth"})
    assert filled(step({"ask": text}, 4), row, place) == expected


def test_arguments_keep_the_kind_of_what_stands_alone_in_them() -> None:
    due = step({"tool": "add", "arguments": {"a": "${result1}", "b": "${result1} mugs"}}, 2)
    assert filled(due, (), Place(task="x", given=("7",))) == '{"a": 7, "b": "7 mugs"}'


@pytest.mark.parametrize(
    ("table", "given", "sentence"),
    [
        ({"ask": "${result2}"}, ("1",), "${result2} stands for nothing: there is only 1 result so far"),
        ({"ask": "${nothing}"}, (), "${nothing} stands for nothing: no step before this one has that name or captures"),
    ],
)
def test_what_stands_for_nothing_is_said(table: dict[str, Any], given: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(TemplateError) as error:
        filled(step(table, len(given) + 1), (), Place(task="none", given=given))
    assert sentence in str(error.value)


@pytest.mark.parametrize("said", ["Refund", "refund", " REFUND.\n", '"refund"', "**refund**"])
def test_a_route_is_chosen_by_its_name(said: str) -> None:
    chosen = plan(ROUTES).chosen(said)
    assert chosen is not None
    assert chosen.name == "Refund"


@pytest.mark.parametrize("said", ["", "ref", "refund please", "the route is refund", "refund or where is it"])
def test_what_is_no_name_chooses_nothing(said: str) -> None:
    assert plan(ROUTES).chosen(said) is None


def test_a_router_tells_the_model_which_routes_there_are() -> None:
    state = State(Header(id="r", goal="g", system="Be brief.", scenario=ROUTES))
    assert state.system.startswith("Be brief.\n\n")
    assert state.system.endswith("- Refund: money back\n- where is it")


@pytest.mark.parametrize(
    "scenario",
    [
        {"loop": "pipeline"},
        pipeline(),
        pipeline({"name": "idle"}),
        pipeline({"tool": "look", "arguments": {"a": "${"}}),
        {"loop": "router", "route": [{"about": "no name", "step": [{"answer": "x"}]}]},
        {"loop": "pipeline", "step": "look"},
    ],
)
def test_steps_that_cannot_be_read_are_one_sentence(scenario: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="the steps of this run cannot be read"):
        plan_of(scenario)


def test_a_loop_without_a_plan_has_none() -> None:
    assert plan_of({}) is None
    assert plan_of({"loop": "v1", "step": [{"answer": "x"}]}) is None


GOAL = UserMessage(text="go")
TWO = Header(id="r", goal="go", scenario=pipeline({"ask": "one?"}, {"answer": "${last}"}))


def test_a_step_is_taken_only_when_it_is_due() -> None:
    asked = Planned(step=1, does="ask", text="one?")
    reply = ModelReply(text="1", reading="answer", answer="1")
    for events in ([asked.__class__(step=2, does="answer")], [asked, asked], [asked, reply, asked]):
        with pytest.raises(ValueError, match="which is not due"):
            fold(TWO, [GOAL, *events])
    with pytest.raises(ValueError, match="which is not due"):
        fold(TWO, [GOAL, Planned(step=1, does="answer", text="1")])
    call = Planned(step=1, calls=(Call(id="c1", tool="look", arguments="{}", canonical="{}"),))
    with pytest.raises(ValueError, match="which is not due"):
        fold(Header(id="r", goal="go", scenario=pipeline({"tool": "look"})), [GOAL, call, call])
    with pytest.raises(ValueError, match="asks for none"):
        fold(TWO, [GOAL, reply])
    with pytest.raises(ValueError, match="follows no plan"):
        fold(Header(id="r", goal="go"), [GOAL, asked])


def test_a_message_after_the_end_has_the_steps_taken_anew_and_one_on_the_way_does_not() -> None:
    asked, reply = Planned(step=1, does="ask", text="one?"), ModelReply(text="1", reading="answer", answer="1")
    done = [asked, reply, Planned(step=2, does="answer", text="1"), Stopped(status=Status.ANSWERED)]
    more = UserMessage(text="once more")
    assert fold(TWO, [GOAL, *done, more]).place == Place(task="once more")
    assert fold(TWO, [GOAL, asked, reply, more]).place.given == ("1",)
