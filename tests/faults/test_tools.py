from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.faults.runs import (
    CUPS,
    MUGS,
    NORTH,
    REFUND,
    SOUTH,
    Memory,
    World,
    counts,
    fault,
    make_run,
    played,
    results,
    said,
)
from tests.strategies import nasty_text
from workbench.clocks import VirtualClock
from workbench.core.events import Held, ModelReply, ToolResult, ToolStarted, UserMessage
from workbench.core.faults import KINDS, NO_RESULT
from workbench.core.ports import ToolOutcome
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.core.values import Call, Fault, GoalCheck, Header, ToolInfo
from workbench.faults.tools import TIME_LIMIT, run_struck
from workbench.models.scripted import Line
from workbench.toolkit.api import tool, workspace
from workbench.toolkit.execute import ToolBox
from workbench.toolkit.loader import load_function
from workbench.toolkit.workspace import Workspace

ONCE = [said("native", MUGS), said("native", answer="done")]
PAID = [said("native", REFUND), said("native", REFUND), said("native", answer="done")]


# ---------------------------------------------------------------- did it run?


@pytest.mark.parametrize("do", [kind for kind in KINDS["tool"] if kind not in ("delay", "stale", "replace")])
async def test_a_fault_of_the_tool_keeps_it_from_running(do: str) -> None:
    world = World()
    run = await played(fault("tool", do, nth=1), lines=PAID, world=world)
    first = results(run)[0]
    assert (first.original, first.original_outcome, first.changed) == ("", "not_run", True)
    assert (first.changed_by, first.faults) == (f"fault {do}", (do,))
    if do == "crash":
        assert (run.status, world.acts) == (Status.TOOL_DEFECT, [])
    elif do == "timeout":
        assert first.outcome == "unknown"
        assert (run.status, world.acts) == (Status.AWAITING_APPROVAL, []), "as after a real one, a person is asked"
    else:
        assert (results(run)[1].outcome, world.acts) == ("ran", ["refund A-17"]), "the second call is not a repeat"


@pytest.mark.parametrize("do", ["crash", "error", "timeout", "drop", "empty"])
async def test_a_fault_of_the_result_comes_after_the_tool_has_acted(do: str) -> None:
    world = World()
    run = await played(fault("result", do, nth=1), lines=PAID, world=world)
    first = results(run)[0]
    assert world.acts == ["refund A-17"], "done once, whatever was told"
    assert first.original == "refunded A-17: 12 EUR"
    assert first.original_outcome == ("" if do == "empty" else "ran")
    if do != "crash":
        again = results(run)[1]
        assert (again.outcome, again.content) == ("stored", "refunded A-17: 12 EUR"), "what it really returned"


async def test_a_tool_that_is_replaced_acts_never() -> None:
    world = World()
    run = await played(fault("tool", "replace", value={"ok": True}), lines=PAID, world=world)
    assert [(result.content, result.value) for result in results(run)] == [('{"ok": true}', '{"ok": true}')] * 2
    assert world.acts == []


async def test_a_cache_answers_with_what_was_returned_last_and_knows_nothing_at_first() -> None:
    world = World()
    lines = [said("native", MUGS), said("native", CUPS), said("native", answer="done")]
    run = await played(fault("tool", "stale"), lines=lines, world=world)
    assert [result.content for result in results(run)] == ["140", "140"]
    assert world.acts == ["count mugs"]
    assert [result.changed for result in results(run)] == [False, True]


# ---------------------------------------------------------------- what is told


@pytest.mark.parametrize("on", ["tool", "result"])
async def test_errors_are_told_as_such(on: str) -> None:
    (dropped,) = results(await played(fault(on, "drop"), lines=ONCE))
    assert (dropped.outcome, dropped.content, dropped.value) == ("failed", NO_RESULT, "")
    (failed,) = results(await played(fault(on, "error"), lines=ONCE))
    assert (failed.outcome, failed.content) == ("failed", "count failed: the service reported an internal error.")
    (worded,) = results(await played(fault(on, "error", text="Use mugs or cups."), lines=ONCE))
    assert (worded.outcome, worded.content) == ("failed", "Use mugs or cups.")


@pytest.mark.parametrize("on", ["tool", "result"])
async def test_a_crash_is_a_defect_whose_detail_only_the_operator_sees(on: str) -> None:
    run = await played(fault(on, "crash", name="boom"), lines=ONCE)
    (result,) = results(run)
    assert run.status is Status.TOOL_DEFECT
    assert (result.outcome, result.retry) == ("defect", False)
    assert "fault boom" in result.detail
    assert "boom" not in result.content


async def test_a_defect_of_the_tool_itself_stays_as_it_is() -> None:
    @tool(risk="read", inline=True)
    def count(thing: str) -> int:
        """Broken."""
        raise KeyError(thing)

    run = make_run([fault("result", "append", text="x")], ONCE)
    run.tools = ToolBox([load_function(count)])
    await run.play()
    assert (results(run)[0].outcome, results(run)[0].changed) == ("defect", False)


async def test_an_empty_success_has_the_type_of_the_result() -> None:
    lines = [said("native", NORTH), said("native", MUGS), said("native", answer="done")]
    run = await played(fault("result", "empty"), lines=lines)
    assert [(result.outcome, result.content, result.value) for result in results(run)] == [
        ("ran", "[]", "[]"),
        ("ran", "null", "null"),
    ]


async def test_a_stale_result_is_one_behind_what_the_tool_really_returns() -> None:
    lines = [said("native", MUGS), said("native", CUPS), said("native", MUGS), said("native", answer="done")]
    run = await played(fault("result", "stale"), lines=lines)
    assert [result.content for result in results(run)] == ["140", "140", "95"]
    assert [result.original for result in results(run)] == ["", "95", "140"]


async def test_of_calls_side_by_side_none_is_the_one_before() -> None:
    concurrent = lambda header: replace(header, options=replace(header.options, execute="concurrent"))  # noqa: E731
    lines = [said("native", MUGS, CUPS), said("native", answer="done")]
    stale = fault("result", "stale")
    assert [r.content for r in results(await played(stale, lines=lines))] == ["140", "140"]
    assert [r.content for r in results(await played(stale, lines=lines, header=concurrent))] == ["140", "95"]


async def test_another_record_comes_from_the_list_or_from_the_call_before() -> None:
    lines = [said("native", NORTH), said("native", CUPS), said("native", MUGS), said("native", answer="done")]
    run = await played(fault("result", "wrong_record"), lines=lines)
    listed, first, second = results(run)
    before, after = json.loads(listed.original), json.loads(listed.content)
    assert after[0] in before[1:]
    assert after[1:] == before[1:]
    assert listed.value == listed.content
    assert (first.content, first.changed) == ("95", False), "there is no other one yet"
    assert (second.content, second.original) == ("95", "140")


async def test_the_structured_value_follows_the_content() -> None:
    number, garbled = fault("result", "wrong_number", nth=1), fault("result", "append", text="x", nth=2)
    lines = [said("native", MUGS), said("native", SOUTH), said("native", answer="done")]
    first, second = results(await played(number, garbled, lines=lines))
    assert first.value == first.content != "140"
    assert second.value == "", "no JSON any more"


# ---------------------------------------------------------------- time


@pytest.mark.parametrize("on", ["tool", "result"])
async def test_a_time_out_takes_the_time_limit_and_reads_like_a_real_one(on: str) -> None:
    (struck,) = results(await played(fault(on, "timeout"), lines=ONCE))
    assert (struck.outcome, struck.took, struck.retry) == ("failed", 30, True)

    @tool(risk="read", timeout=0.01)
    async def count(thing: str) -> int:
        """Never comes back."""
        await asyncio.Event().wait()
        return 0

    run = make_run((), ONCE, header=lambda header: replace(header, tools=(load_function(count).info,)))
    run.tools = ToolBox([load_function(count)])
    await run.play()
    (real,) = results(run)
    assert struck.content == real.content.replace("0.01", "30")


async def test_who_may_not_simply_try_again_is_told_so() -> None:
    (struck, _) = results(await played(fault("result", "timeout", nth=1), lines=PAID))
    assert struck.retry is False
    assert struck.content.endswith("Whether it acted is not known, so do not call it again before you have checked.")


async def test_a_delay_within_the_limit_only_takes_time() -> None:
    for on in ("tool", "result"):
        (result,) = results(await played(fault(on, "delay", seconds=5), lines=ONCE))
        assert (result.outcome, result.content, result.took) == ("ran", "140", 5)
        assert (result.changed, result.faults) == (False, ("delay",))


async def test_a_delay_beyond_the_limit_is_a_time_out() -> None:
    world = World()
    (late,) = results(await played(fault("result", "delay", seconds=99), lines=ONCE, world=world))
    assert (late.outcome, late.took, late.original, world.acts) == ("failed", 30, "140", ["count mugs"])
    world = World()
    (never,) = results(await played(fault("tool", "delay", seconds=99), lines=ONCE, world=world))
    assert (never.outcome, never.took, never.original_outcome, world.acts) == ("failed", 30, "not_run", [])


async def test_the_limit_of_a_tool_without_one_is_that_of_the_fault() -> None:
    info = ToolInfo(name="t", timeout=None, risk="read")
    state = State(Header(id="r", goal="g", tools=(info,)))
    for seconds, expected in ((None, TIME_LIMIT), (4.0, 4.0)):
        clock = VirtualClock()
        item = fault("tool", "timeout", **({} if seconds is None else {"seconds": seconds}))
        outcome = await struck_directly(state, item, clock=clock)
        assert (outcome.outcome, clock.now()) == ("failed", expected)


async def struck_directly(state: State, item: Fault, *, clock: VirtualClock, content: str = "x") -> ToolOutcome:
    """The outcome of a call of tool t that returns `content`."""
    state = state.copy()
    state.apply(UserMessage(text="g"))
    state.apply(ModelReply(calls=(Call(id="c1", tool="t", arguments="{}", canonical="{}"),)))
    state.apply(ToolStarted(call="c1"))
    record = state.batch[0]
    record.faults = (item,)

    class Tools(ToolBox):
        async def run(self, *_: object, **__: object) -> ToolOutcome:
            return ToolOutcome(outcome="ran", content=content, value=content)

    return await run_struck(Tools([]), state, record, clock, within=None, key="", on_late=lambda *_: None)


REQUIRED: dict[str, dict[str, Any]] = {"replace": {"text": "x"}, "append": {"text": "x"}, "delay": {"seconds": 1}}


@given(st.sampled_from([(on, do) for on in ("tool", "result") for do in KINDS[on]]), nasty_text())
async def test_whatever_the_result_there_is_one_outcome(where: tuple[str, str], content: str) -> None:
    on, do = where
    item = fault(on, do, **REQUIRED.get(do, {}))
    state = State(Header(id="r", goal="g", tools=(ToolInfo(name="t"),)))
    outcome = await struck_directly(state, item, clock=VirtualClock(), content=content)
    assert outcome == await struck_directly(state, item, clock=VirtualClock(), content=content)
    assert outcome.faults == (do,)
    if on == "result" and outcome.changed_by:
        assert outcome.original == content


# ---------------------------------------------------------------- what stands around it


async def test_what_grows_is_cut_like_any_result() -> None:
    (result,) = results(await played(fault("result", "flood", size=50_000), lines=ONCE))
    assert result.full_chars == 50_000
    assert len(result.content) < 8200
    assert "… cut: showing 400 of " in result.content
    assert result.original == "140"


@pytest.mark.parametrize("person", ["pass", "replace"])
async def test_a_held_result_keeps_what_the_fault_did(person: str) -> None:
    run = make_run([fault("result", "append", text="!", name="bang")], ONCE)
    run.change({"hold": True})
    await run.play()
    held = next(event for event in run.events if isinstance(event, Held))
    assert (held.content, held.original, held.changed_by, held.faults) == ("140\n!", "140", "fault bang", ("bang",))
    run.release("c1", content=None if person == "pass" else "7")
    (result,) = results(run)
    assert (result.original, result.faults, result.changed) == ("140", ("bang",), True)
    assert (result.content, result.changed_by) == (
        ("140\n!", "fault bang") if person == "pass" else ("7", "fault bang, you")
    )


async def test_a_goal_is_met_in_the_world_whatever_was_told(tmp_path: Path) -> None:
    @tool(risk="write", inline=True)
    def write() -> str:
        """Writes."""
        workspace().write("out.txt", "ok")
        return "written"

    loaded = load_function(write)
    check = GoalCheck(file="out.txt", contains="ok")
    run = make_run(
        [fault("result", "drop")],
        [said("native", ("write", {}))],
        header=lambda header: replace(header, tools=(loaded.info,), goal_check=check),
    )
    run.tools = ToolBox([loaded], Workspace(tmp_path))
    await run.play()
    assert run.status is Status.GOAL_REACHED
    assert results(run)[0].content == NO_RESULT
    assert results(run)[0].effects[0]["path"] == "out.txt"


async def test_calls_that_do_not_run_are_not_struck() -> None:
    lines: list[Line] = [said("native", ("count", {"thing": 3}), ("nothing", {})), said("native", answer="done")]
    run = await played(fault("result", "drop"), fault("tool", "crash"), lines=lines)
    assert [result.outcome for result in results(run)] == ["invalid", "invalid"]
    assert counts(run) == [(0, 0), (0, 0)]


async def test_a_wait_can_be_cancelled_and_then_nothing_was_done() -> None:
    world = World()
    run = make_run([fault("result", "delay", seconds=5)], PAID, world=world, journal=Memory())
    waiting = asyncio.Event()

    class Clock(VirtualClock):
        async def sleep(self, seconds: float) -> None:
            waiting.set()
            await asyncio.Event().wait()

    run.clock = Clock()
    playing = asyncio.create_task(run.play())
    await waiting.wait()
    run.stop()
    await playing
    assert (run.status, world.acts) == (Status.CANCELLED, [])
    assert [result.outcome for result in results(run)] == ["cancelled"]


def test_a_result_that_was_passed_on_as_it_was_is_not_changed() -> None:
    assert not ToolResult(call="c1", content="a", original="a", changed_by="you").changed
    assert ToolResult(call="c1", content="", original="", original_outcome="not_run", changed_by="fault x").changed
