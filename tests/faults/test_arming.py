from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.runs import differences, state_facts
from tests.faults.runs import CUPS, MUGS, NORTH, Memory, counts, fault, make_run, results, said
from workbench.core.events import Event, Forked, SettingsChanged, ToolResult, ToolStarted, UserMessage
from workbench.core.faults import KINDS, fault_to
from workbench.core.state import State, fold
from workbench.core.striking import Armed
from workbench.core.values import Fault, Header, ProtocolName
from workbench.models.scripted import Line
from workbench.runner import CommandError, Run
from workbench.sessions.header import header_from, header_text
from workbench.sessions.journal import create_session, read_session

REQUIRED: dict[str, dict[str, Any]] = {"replace": {"text": "x"}, "append": {"text": "x"}, "delay": {"seconds": 1}}
APPEND = {"on": "result", "do": "append", "text": "!"}


def script(protocol: ProtocolName) -> list[Line]:
    calls = (MUGS, CUPS, NORTH, MUGS, CUPS)
    return [*(said(protocol, call) for call in calls), said(protocol, answer="${total}")]


# ---------------------------------------------------------------- while the run lives


async def test_a_fault_can_be_armed_and_disarmed_while_the_run_lives() -> None:
    run = make_run([], script("native"))
    await run.step()
    await run.step()
    await run.step()
    run.change({"faults": [APPEND | {"nth": 1, "name": "bang"}]})
    assert run.state.faults == (Armed(fault(**APPEND, nth=1, name="bang"), since=run.state.n),)
    await run.step()
    await run.step()
    assert [result.content for result in results(run)] == ["140", "95\n!"]
    assert run.state.faults[0].spent(run.state.total_steps)
    run.change({"faults": []})
    await run.play()
    assert [result.changed for result in results(run)] == [False, True, False, False, False]


async def test_one_that_stays_armed_goes_on_counting() -> None:
    run = make_run([fault(**APPEND, nth=2)], script("native"))
    for _ in range(3):
        await run.step()
    assert counts(run) == [(1, 0)]
    other = {"on": "tool", "do": "drop", "nth": 9}
    run.change({"faults": [other, APPEND | {"nth": 2}, APPEND | {"nth": 2}]})
    assert counts(run) == [(0, 0), (1, 0), (0, 0)], "of two equal ones, one was armed before"
    await run.play()
    assert counts(run) == [(4, 0), (5, 1), (4, 1)]


async def forked_after_the_start(*armed: Fault) -> Run:
    """A fork of a run with these faults, made when its first call had started and nothing had come of it."""
    run = make_run(armed, script("native"))
    await run.play()
    started = next(n for n, event in enumerate(run.events, 1) if isinstance(event, ToolStarted))
    return make_run(armed, script("native"), events=[*run.events[:started], Forked(parent="p", at=started)])


async def test_what_struck_a_call_strikes_it_again_in_a_fork_that_starts_it_once_more() -> None:
    fork = await forked_after_the_start(fault(**APPEND, nth=1), fault(**APPEND, nth=2))
    await fork.play()
    assert [result.content for result in results(fork)][:3] == ["140\n!", "95\n!", results(fork)[2].content]
    assert counts(fork)[0] == (5, 1)


async def test_a_fault_disarmed_in_a_fork_strikes_no_more_though_it_had_struck_before() -> None:
    once = {**APPEND, "text": "?"}
    fork = await forked_after_the_start(fault(**APPEND), fault(**APPEND), fault(**once))
    fork.disarm(0)
    fork.disarm(1)
    await fork.play()
    assert results(fork)[0].content == "140\n!", "of two equal ones, one is armed"
    assert results(fork)[0].faults == ("append",)


async def test_a_fault_armed_in_a_fork_strikes_the_call_that_starts_once_more() -> None:
    fork = await forked_after_the_start(fault(**APPEND, nth=1))
    fork.disarm(0)
    fork.arm(fault(**APPEND, nth=1))
    await fork.play()
    assert [result.changed for result in results(fork)] == [True, False, False, False, False]
    assert counts(fork) == [(5, 1)]


@pytest.mark.parametrize(
    ("faults", "sentence"),
    [
        ("wrong-number", "faults is a list of faults, not 'wrong-number'"),
        (["wrong-number"], "a fault is a table, not 'wrong-number'"),
        ([{"use": "wrong-number"}], 'a fault has no key "use"; there are on, do, name, tool, '),
        ([APPEND | {"nth": 0}], "nth: must be a whole number of at least 1, not 0"),
        ([APPEND | {"on": "reply", "tool": "x"}], 'tool: a fault on = "reply" is not about a call, so it has no tool'),
    ],
)
def test_what_cannot_be_armed_changes_nothing(faults: Any, sentence: str) -> None:
    run = make_run([], [])
    with pytest.raises(CommandError) as caught:
        run.change({"faults": faults})
    assert str(caught.value).startswith(sentence)
    assert (run.events, run.state.faults) == ([], ())


# ---------------------------------------------------------------- a function of the history

spelled = st.sampled_from([(on, do) for on, kinds in KINDS.items() for do in kinds if do not in ("crash", "timeout")])
schedules: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.integers(1, 4).flatmap(lambda n: st.sampled_from([{"nth": n}, {"step": n}, {"every": n}, {"after": n}])),
    st.just({"burst": {"start": 2, "length": 2}}),
    st.just({"chance": 0.4}),
)


@st.composite
def faults(draw: st.DrawFn) -> Fault:
    on, do = draw(spelled)
    needed = REQUIRED.get(do, {})
    times: dict[str, Any] = draw(st.sampled_from([{}, {}, {"times": 1}]))
    return fault(on, do, **needed, **draw(schedules), **times)


async def whole_run(armed: Sequence[Fault], protocol: ProtocolName) -> list[Event]:
    run = make_run(armed, script(protocol), protocol=protocol)
    await run.play()
    return run.events


@settings(max_examples=60, deadline=None)
@given(st.lists(faults(), min_size=1, max_size=3), st.sampled_from(["native", "text", "json"]))
async def test_a_run_with_faults_is_the_fold_of_its_journal_and_can_go_on_from_anywhere(
    armed: list[Fault], protocol: ProtocolName
) -> None:
    run = make_run(armed, script(protocol), protocol=protocol)
    at: list[dict[str, str]] = [state_facts(run.state)]
    run.subscribe(lambda _: at.append(state_facts(run.state)))
    await run.play()
    assert run.events == await whole_run(armed, protocol)

    state = State(run.header)
    for n, event in enumerate(run.events, 1):
        state.apply(event)
        assert differences(state_facts(state), at[n]) == {}

    for cut in {1, len(run.events) // 3, len(run.events) // 2, len(run.events) - 1}:
        prefix = run.events[:cut]
        if isinstance(run.events[cut - 1], UserMessage) or not fold(run.header, prefix).open_calls():
            again = make_run(armed, script(protocol), protocol=protocol, events=prefix)
            await again.play()
            assert [(a, b) for a, b in zip(again.events, run.events, strict=True) if a != b] == []
            assert again.state.faults == run.state.faults


@settings(max_examples=40, deadline=None)
@given(st.lists(faults(), min_size=1, max_size=3), st.sampled_from(["native", "text", "json"]))
async def test_what_struck_is_what_the_fold_has_counted(armed: list[Fault], protocol: ProtocolName) -> None:
    run = make_run(armed, script(protocol), protocol=protocol)
    await run.play()
    struck = [name for event in run.events for name in getattr(event, "faults", ())]
    assert len(struck) == sum(item.fired for item in run.state.faults)
    for event in run.events:
        if getattr(event, "changed_by", ""):
            assert set(event.changed_by.replace("fault ", "").split(", ")) <= set(event.faults)  # type: ignore[attr-defined]
    calls = [event.call for event in run.events if isinstance(event, ToolResult)]
    assert len(calls) == len(set(calls)) == run.state.call_count


async def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    armed = [
        fault("result", "wrong_number", chance=0.5, name="some"),
        fault("reply", "garble", every=3),
        fault("provider", "rate_limited", nth=2, seconds=2),
        fault("tool", "delay", seconds=1.5),
        fault("result", "reorder"),
    ]
    written = []
    for name in ("one.toml", "two.toml"):
        header = make_run(armed).header
        journal = create_session(tmp_path / name, header, durable=False)
        with journal:
            run = make_run(armed, script("native"), journal=journal)
            await run.play()
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    session = read_session(tmp_path / "one.toml")
    assert session.header.faults == tuple(armed)
    assert session.events == run.events
    assert fold(session.header, session.events).faults == run.state.faults
    assert any(event.faults for event in session.events if isinstance(event, ToolResult))


def test_a_header_with_faults_comes_back_equal() -> None:
    armed = (
        fault(
            "result", "replace", value={"a": [1, None, "é"]}, where={"x": 1, "y": {"regex": "^a"}, "z": {"glob": "*"}}
        ),
        fault("tool", "error", text="", burst={"start": 2, "length": 3}, tool="t", times=1),
        fault("provider", "unavailable", chance=0.3, seconds=2, name="down"),
    )
    header = Header(id="r", goal="g", faults=armed)
    assert header_from(tomllib.loads(header_text(header))).faults == armed


def test_an_armed_fault_comes_back_from_its_event() -> None:
    state = State(Header(id="r", goal="g"))
    item = fault("result", "replace", value=[1, 2], where={"a": {"glob": "*"}}, chance=0.5)
    state.apply(SettingsChanged(changes={"faults": [fault_to(item)]}))
    assert state.faults == (Armed(item, since=1),)


async def test_a_wrong_first_number_is_carried_into_the_sum() -> None:
    lines = [said("text", MUGS), said("text", CUPS), said("text", answer="${total}")]
    run = make_run([fault("result", "wrong_number", nth=1)], lines, protocol="text", journal=Memory())
    await run.play()
    wrong = int(results(run)[0].content)
    assert wrong in (410, 104)
    assert run.state.answer == str(wrong + 95) != "235"
