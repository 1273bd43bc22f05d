"""What holds for every run, held for runs that follow a plan: random steps, routes, faults, people and interruptions."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from tests.core.planned import planned
from tests.core.runs import (
    Plan,
    World,
    assert_whole,
    differences,
    drive,
    examples,
    results_of,
    state_facts,
)
from workbench.core.events import Event, Forked, ModelReply, Planned, Stopped, ToolResult
from workbench.core.ledger import entry_to, executed, since
from workbench.core.loop import Finished, next_move
from workbench.core.state import State, fold
from workbench.core.statuses import Status
from workbench.sessions.journal import create_session, open_session, read_session


@examples(60)
@given(planned())
def test_a_state_is_the_fold_of_its_events_live_and_after_loading_at_every_point(plan: Plan) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.toml"
        live: list[dict[str, str]] = []
        with create_session(path, plan.header, durable=False) as journal:
            run = plan.run(journal)
            run.subscribe(lambda _: live.append(state_facts(run.state)))
            asyncio.run(drive(run, plan.acts))
        session = read_session(path)
    assert session.header == plan.header
    assert session.events == run.events
    loaded = State(session.header)
    for n, event in enumerate(session.events):
        loaded.apply(event)
        assert not differences(live[n], state_facts(loaded)), f"after event {n + 1}, {event}"


@examples(60)
@given(planned())
def test_calls_have_one_result_each_and_nothing_gated_runs_undecided(plan: Plan) -> None:
    run = plan.run()  # its model and tools check both at every request and start
    asyncio.run(drive(run, plan.acts))
    results = results_of(run.events)
    assert len(results) == len(set(results))
    assert not [event for event in run.events if isinstance(event, Stopped) and event.status is Status.INTERNAL_ERROR]
    if run.state.status is not Status.RUNNING:
        assert_whole(run.state)
        assert set(results) == {record.call.id for record in run.state.every_call()}
        assert isinstance(next_move(run.state), Finished)


@examples(60)
@given(planned(), st.data())
def test_every_prefix_loads_and_goes_on_and_nothing_happens_twice(plan: Plan, data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.toml"
        begun = World()
        marks: list[tuple[int, int]] = []
        with create_session(path, plan.header, durable=False) as journal:
            run = plan.run(journal, world=begun)
            run.subscribe(lambda _: marks.append((path.stat().st_size, len(begun.acts))))
            asyncio.run(drive(run, plan.acts))
        if not marks:
            return
        at = data.draw(st.integers(1, len(marks)), label="killed after event")
        whole, acted = marks[at - 1][0], marks[min(at, len(marks) - 1)][1]
        path.write_bytes(path.read_bytes()[:whole])
        # Up to the event that was never written, the tools may have acted.
        world = World(begun.acts[:acted])
        session, journal = open_session(path, durable=False)
        with journal:
            assert session.events == run.events[:at]
            again = plan.run(journal, world=world, events=session.events)
            asyncio.run(drive(again))
        assert read_session(path).events == again.events
    results = results_of(again.events)
    assert len(results) == len(set(results))
    assert max((world.times(act) for act in world.acts if act[0] == "refund"), default=0) <= 1


@examples(40)
@given(planned(), st.data())
def test_a_fork_at_any_event_goes_on_and_does_not_pay_twice(plan: Plan, data: st.DataObject) -> None:
    world = World()
    run = plan.run(world=world)
    asyncio.run(drive(run, plan.acts))
    at = data.draw(st.integers(0, len(run.events)), label="forked after event")
    done = executed(plan.header, run.events)
    branch = Forked(parent=plan.header.id, at=at, effects=tuple(map(entry_to, since(done, at))))
    again = plan.run(world=world, events=[*run.events[:at], branch])
    asyncio.run(drive(again))
    assert max((world.times(act) for act in world.acts if act[0] == "refund"), default=0) <= 1
    assert not [event for event in again.events if isinstance(event, Stopped) and event.status is Status.INTERNAL_ERROR]
    assert fold(plan.header, again.events).place == again.state.place


@examples(60)
@given(planned())
def test_steps_are_taken_in_their_order_and_none_that_went_well_twice(plan: Plan) -> None:
    run = plan.run()
    asyncio.run(drive(run, plan.acts))
    at, due = 0, 1
    failed: set[str] = set()
    for event in run.events:
        if isinstance(event, ToolResult) and event.is_error:
            failed.add(event.call)
    for event in _until_it_begins_anew(run.events):
        if isinstance(event, Planned):
            assert event.step in (due, at), "a step was left out, or one that was behind us was taken"
            at = event.step
            taken = not event.problem and not failed & {call.id for call in event.calls}
            due = event.step + 1 if taken else event.step
        assert not (isinstance(event, ModelReply) and event.calls)


def _until_it_begins_anew(events: list[Event]) -> list[Event]:
    ends = [n for n, event in enumerate(events) if n and event.kind == "user_message"]
    return events[: ends[0]] if ends else events
