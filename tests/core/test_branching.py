"""A fork at any event of any run: it knows what its parent knew there, and nothing that was only decided."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.planned import any_plans
from tests.core.runs import Plan, World, assert_whole, differences, drive, examples, results_of, state_facts
from tests.models.wire.test_transcript import ALL, body
from workbench.core.door import passed
from workbench.core.events import (
    Decided,
    Event,
    Forked,
    Held,
    ModelReply,
    SettingsChanged,
    Stopped,
    StopRequested,
    ToolResult,
    ToolStarted,
    UserMessage,
)
from workbench.core.ledger import entry_to, executed
from workbench.core.loop import AskModel, AskPerson, Finished, Record, RunTools, next_move
from workbench.core.ports import Model, OnSignal, Question, Reply, Request
from workbench.core.state import State, fold
from workbench.core.statuses import SUCCESSES, Status
from workbench.core.values import Call, Header, ToolInfo
from workbench.models.wire.anthropic.validate import problem as anthropic_problem
from workbench.models.wire.ollama.validate import problem as ollama_problem
from workbench.models.wire.openai.validate import problem as openai_problem
from workbench.runner import Run

PROBLEMS = {"openai": openai_problem, "anthropic": anthropic_problem, "ollama": ollama_problem}


class Willing:
    """Allows whatever is asked, and lets every result through."""

    def answer(self, question: Question, state: State) -> Sequence[Event] | None:
        record = question.calls[0] if question.calls else None
        if question.on == "approval" and record is not None:
            return [Decided(call=record.call.id, decision="allow", by="script")]
        if question.on == "hold" and record is not None and record.held is not None:
            return [passed(record.held)]
        return None


class Listening:
    """Passes requests on, and keeps what they carried."""

    def __init__(self, model: Model) -> None:
        self.name = model.name
        self._model = model
        self.requests: list[tuple[int, tuple[Any, ...]]] = []
        """How many events there were, and all that the model got."""
        self.states: list[State] = []

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
        messages = [replace(message, n=0) for message in request.messages]
        carried = (request.system, messages, request.tools, request.options)
        self.requests.append((request.state.n, carried))
        self.states.append(request.state.copy())
        return await self._model.reply(request, on_signal)


def listened(plan: Plan, world: World, events: Sequence[Event] = ()) -> tuple[Run, Listening]:
    run = plan.run(world=world, events=events)
    run.model = model = Listening(run.model)
    asyncio.run(drive(run))
    return run, model


def branch(plan: Plan, events: Sequence[Event], at: int) -> tuple[Plan, list[Event]]:
    """The plan of a fork there, and the events that it begins with."""
    header = plan.header
    effects = tuple(map(entry_to, executed(header, events, at)))
    own = replace(header, id="fork", root=header.lineage, parent=header.id, parent_at=at)
    return replace(plan, header=own), [*events[:at], Forked(parent=header.id, at=at, effects=effects)]


@examples(60)
@given(any_plans(), st.data())
def test_the_first_request_of_a_fork_is_the_next_one_of_its_parent(plan: Plan, data: st.DataObject) -> None:
    plan = replace(plan, person=Willing(), acts={})  # type: ignore[arg-type]
    run, model = listened(plan, World())
    at = data.draw(st.integers(0, len(run.events)), label="forked after event")
    _, forked = listened(*_with_world(branch(plan, run.events, at)))
    following = [carried for n, carried in model.requests if n >= at]
    if following and not any(isinstance(event, Stopped) for event in run.events[:at]):
        assert forked.requests[0][1] == following[0]


def _with_world(fork: tuple[Plan, list[Event]]) -> tuple[Plan, World, list[Event]]:
    return fork[0], World(), fork[1]


@examples(60)
@given(any_plans(), st.data())
def test_a_fork_goes_on_whole_and_every_wire_takes_what_it_sends(plan: Plan, data: st.DataObject) -> None:
    run = plan.run()
    asyncio.run(drive(run, plan.acts))
    at = data.draw(st.integers(0, len(run.events)), label="forked after event")
    fork, model = listened(*_with_world(branch(plan, run.events, at)))
    results = results_of(fork.events)
    assert len(results) == len(set(results))
    if fork.state.status is not Status.RUNNING:
        assert_whole(fork.state)
    for state in model.states:
        assert_whole(state)
        for wire in ALL:
            assert PROBLEMS[wire](body(state, wire)) == ""


@examples(40)
@given(any_plans(), st.data())
def test_a_fork_of_a_fork_still_knows_what_was_done_above(plan: Plan, data: st.DataObject) -> None:
    run = plan.run()
    asyncio.run(drive(run, plan.acts))
    at = data.draw(st.integers(0, len(run.events)), label="forked after event")
    below, events = branch(plan, run.events, at)
    again, twice = branch(below, [*events], data.draw(st.integers(0, at), label="and again after event"))
    keys = {item.key for item in executed(plan.header, run.events, at) if item.fate != "undone"}
    state = fold(again.header, twice)
    assert keys <= {*state.elsewhere, *state.unsure_keys}
    assert state.header.lineage == plan.header.id


@examples(40)
@given(any_plans(), st.data())
def test_nothing_that_was_decided_and_not_done_comes_along(plan: Plan, data: st.DataObject) -> None:
    run = plan.run()
    asyncio.run(drive(run, plan.acts))
    at = data.draw(st.integers(0, len(run.events)), label="forked after event")
    below, events = branch(plan, run.events, at)
    before, state = fold(plan.header, events[:-1]), fold(below.header, events)
    assert state.grants == ()
    for record in state.open_calls():
        assert record.phase == ("held" if record.held is not None else "proposed")
        assert not record.interrupted
    assert list(state.messages) == list(before.messages)
    ended = {"stop"} if before.status in SUCCESSES else {"status", "stop", "stopped", "failure"}
    decided = {"batch", "grants", "tool_calls", "script_decisions", "elsewhere", "unsure_keys"}
    changed = differences(state_facts(before), state_facts(state))
    assert set(changed) <= {"n", "header", *decided, *ended}


# ---------------------------------------------------------------- by hand

MAIL = ToolInfo(name="mail", risk="outward")


def state_of(*events: Event, **header: Any) -> State:
    return fold(Header(id="r", goal="g", tools=(MAIL,), **header), events)


def asks(count: int = 1) -> list[Event]:
    calls = tuple(Call(id=f"c{n}", tool="mail", arguments="{}", canonical=f'{{"n":{n}}}') for n in range(1, count + 1))
    return [UserMessage(text="g"), ModelReply(calls=calls)]


STARTED = ToolStarted(call="c1", key="k")


def test_a_call_that_had_started_is_asked_about_as_if_it_never_had() -> None:
    events = [*asks(), Decided(call="c1", decision="allow"), STARTED]
    state = state_of(*events, Forked(parent="p", at=4))
    move = next_move(state)
    assert isinstance(move, AskPerson)
    assert move.question.on == "approval"
    assert state.tool_calls == 0


@pytest.mark.parametrize(("outcome", "known"), [("ran", True), ("unknown", False)])
def test_what_the_parent_did_is_asked_about_also_where_everything_is_allowed(outcome: str, known: bool) -> None:
    state = State(Header(id="r", goal="g", tools=(MAIL,), approval="allow"))
    key = state.effect_key("mail", '{"n":1}')
    effect = {"tool": "mail", "key": key, "outcome": outcome, "result": "sent"}
    for event in [*asks(), Forked(parent="p", at=2, effects=(effect,))]:
        state.apply(event)
    assert isinstance(next_move(state), AskPerson)
    results = {key: done.result for key, done in state.elsewhere.items()}
    assert (results, state.unsure_keys) == (({key: "sent"}, frozenset()) if known else ({}, {key}))


def test_what_is_undone_is_not_asked_about() -> None:
    state = State(Header(id="r", goal="g", tools=(MAIL,), approval="allow"))
    effect = {"tool": "mail", "key": state.effect_key("mail", '{"n":1}'), "fate": "undone"}
    for event in [*asks(), Forked(parent="p", at=2, effects=(effect,))]:
        state.apply(event)
    assert isinstance(next_move(state), Record)


def test_what_waits_at_the_door_goes_on_waiting_there() -> None:
    state = state_of(*asks(), STARTED, Held(call="c1", content="sent"), Forked(parent="p", at=4))
    move = next_move(state)
    assert isinstance(move, AskPerson)
    assert move.question.on == "hold"


def test_a_stop_that_was_asked_for_is_not_taken_along() -> None:
    state = state_of(*asks(), StopRequested(), Forked(parent="p", at=3), approval="allow")
    assert isinstance(next_move(state), Record)
    assert state.stop is None


@pytest.mark.parametrize("status", [Status.STEP_BUDGET_EXHAUSTED, Status.CANCELLED, Status.MODEL_UNAVAILABLE])
def test_a_run_that_was_stopped_goes_on(status: Status) -> None:
    state = state_of(UserMessage(text="g"), Stopped(status=status), Forked(parent="p", at=2))
    assert isinstance(next_move(state), AskModel)


@pytest.mark.parametrize("recorded", [True, False])
def test_a_run_that_had_answered_has_answered(recorded: bool) -> None:
    end = [Stopped(status=Status.ANSWERED)] if recorded else []
    events = [UserMessage(text="g"), ModelReply(reading="answer", answer="5"), *end]
    state = state_of(*events, Forked(parent="p", at=len(events)))
    move = next_move(state)
    assert move == (Finished(Status.ANSWERED) if recorded else Record(Stopped(status=Status.ANSWERED)))
    state.apply(UserMessage(text="and then?"))
    assert isinstance(next_move(state), AskModel)


def test_the_scripted_person_is_asked_again_about_what_was_decided_and_not_done() -> None:
    allowed = Decided(call="c1", decision="allow", by="script")
    state = state_of(*asks(2), allowed, replace(allowed, call="c2"), STARTED, ToolResult(call="c1"))
    assert state.script_decisions == 2
    state.apply(Forked(parent="p", at=6))
    assert state.script_decisions == 1


def test_a_call_that_starts_once_more_is_struck_by_the_same_faults() -> None:
    fault = {"on": "result", "do": "drop", "nth": 1}
    events = [*asks(2), SettingsChanged(changes={"faults": [fault]}), STARTED]
    state = state_of(*events, Forked(parent="p", at=4), approval="allow")
    for call in ("c1", "c2"):
        state.apply(Decided(call=call, decision="allow"))
    move = next_move(state)
    assert isinstance(move, RunTools)
    state.apply(STARTED)
    state.apply(ToolStarted(call="c2", key="k2"))
    assert [len(record.faults) for record in state.batch] == [1, 0]
