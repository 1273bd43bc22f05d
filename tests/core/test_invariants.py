"""What holds for every run, however it goes: the invariants (a) to (f) of the design, on random runs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.runs import (
    Plan,
    World,
    assert_whole,
    differences,
    drive,
    examples,
    plans,
    results_of,
    state_facts,
)
from workbench import recording
from workbench.core.events import Event, Forked, Held, HeldReply, ModelReply, Stopped, ToolResult, ToolStarted
from workbench.core.loop import Finished, next_move
from workbench.core.state import State, fold
from workbench.core.statuses import Status
from workbench.sessions.journal import create_session, open_session, read_session


def played(plan: Plan, path: Path, world: World | None = None) -> list[Event]:
    """Drive the plan with a real journal at that path."""
    with create_session(path, plan.header, durable=False) as journal:
        run = plan.run(journal, world=world)
        asyncio.run(drive(run, plan.acts))
        return list(run.events)


@examples(40)
@given(plans())
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


@examples(25)
@given(plans(), st.data())
def test_a_copy_of_a_state_goes_its_own_way(plan: Plan, data: st.DataObject) -> None:
    run = plan.run()
    asyncio.run(drive(run, plan.acts))
    at = data.draw(st.integers(0, len(run.events)))
    state = fold(plan.header, run.events[:at])
    before, copy, bystander = state_facts(state), state.copy(), state.copy()
    assert state_facts(copy) == before
    for event in run.events[at:]:
        state.apply(event)
    assert state_facts(copy) == before
    copy.apply(Forked(parent=plan.header.id, at=at, effects=({"tool": "refund", "key": "k"},)))
    if copy.open_calls():
        copy.apply(ToolStarted(call=copy.open_calls()[0].call.id, key="k"))
    else:
        copy.apply(ModelReply(text="elsewhere", reading="answer", answer="elsewhere"))
    assert state_facts(bystander) == before
    for event in run.events[at:]:
        bystander.apply(event)
    assert not differences(state_facts(bystander), state_facts(run.state))
    assert not differences(state_facts(state), state_facts(run.state))


@examples(15)
@given(plans(), st.lists(st.integers(-2, 60), max_size=8))
def test_a_run_gives_every_point_of_its_past(plan: Plan, points: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recording, "KEYFRAME_EVERY", 7)
        run = plan.run()
        asyncio.run(drive(run, plan.acts))
        for point in points:
            n = max(0, min(point, len(run.events)))
            state = run.at(point)
            assert not differences(state_facts(state), state_facts(fold(plan.header, run.events[:n])))
            if not state.open_calls():
                # Whoever gets a state may go on from it without harm to anybody else.
                state.apply(ModelReply(text="elsewhere", reading="answer", answer="elsewhere"))


@examples(60)
@given(plans())
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


@examples(15)
@given(plans())
def test_the_same_scenario_seed_and_clock_give_the_same_bytes(plan: Plan) -> None:
    with TemporaryDirectory() as folder:
        one, other = Path(folder) / "one.toml", Path(folder) / "other.toml"
        played(plan, one)
        played(plan, other)
        assert one.read_bytes() == other.read_bytes()


@examples(30)
@given(plans(), st.data())
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
        torn = data.draw(st.integers(0, 40), label="bytes of the next event")
        whole, acted = marks[at - 1][0], marks[min(at, len(marks) - 1)][1]
        path.write_bytes(path.read_bytes()[: whole + torn])
        # Up to the event that was never written, the tools may have acted.
        world = World(begun.acts[:acted])
        session, journal = open_session(path, durable=False)
        with journal:
            assert session.events == run.events[: len(session.events)]
            assert len(session.events) >= at
            again = plan.run(journal, world=world, events=session.events)
            asyncio.run(drive(again))
        assert read_session(path).events == again.events
    results = results_of(again.events)
    assert len(results) == len(set(results))
    assert max((world.times(act) for act in world.acts if act[0] == "refund"), default=0) <= 1


WHILE_HELD = frozenset({"held_reply", "settings_changed", "stop_requested", "late_result"})


@examples(60)
@given(plans())
def test_what_is_held_waits_and_what_it_was_stays_in_the_journal(plan: Plan) -> None:
    run = plan.run()
    asyncio.run(drive(run, plan.acts))
    came: HeldReply | None = None
    held: dict[str, Held] = {}
    for event in run.events:
        if isinstance(event, HeldReply):
            came = came or event
        elif isinstance(event, ModelReply) and came is not None:
            assert event.passed_by or event.reading == "blocked"
            assert event.changed or event.text == came.text
            assert event.asked == came.asked
            came = None
        elif came is not None:
            assert event.kind in WHILE_HELD, f"{event.kind} while a reply is held"
        if isinstance(event, Held):
            held.setdefault(event.call, event)
        elif isinstance(event, ToolResult) and event.call in held:
            first = held[event.call]
            truth = first.original if first.changed_by else first.content
            assert truth in (event.content, event.original)
            assert (event.original_outcome or event.outcome) == (first.original_outcome or first.outcome)
            assert event.effects == first.effects
