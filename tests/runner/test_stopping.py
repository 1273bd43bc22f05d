"""Stopping, pausing and talking to a run, also in the middle of a move."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import Any

import pytest

from tests.core.runs import assert_whole
from tests.runner.parts import answer, calls, kill, kinds, make, of, outcomes, until
from workbench.clocks import SystemClock
from workbench.core.events import LateResult, StopRequested, ToolResult, UserMessage
from workbench.core.ports import OnSignal, Reply, Request
from workbench.core.statuses import Status
from workbench.core.values import ProtocolOptions
from workbench.models.scripted import Line
from workbench.runner import CommandError
from workbench.toolkit.api import tool


@tool(risk="read", inline=True)
def look(number: int = 1) -> int:
    """Gives the number back."""
    return number


@tool(risk="read")
async def forever() -> str:
    """Never ends by itself."""
    await asyncio.Event().wait()
    return "never"


class Slow:
    """A model that waits until it is let go, and may not care about being cancelled."""

    name = "slow"

    def __init__(self, *, stubborn: bool = False) -> None:
        self.asked = asyncio.Event()
        self.go = asyncio.Event()
        self.stubborn = stubborn

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
        self.asked.set()
        if self.stubborn:
            with suppress(asyncio.CancelledError):
                await self.go.wait()
        else:
            await self.go.wait()
        return Reply(text="done")


@pytest.mark.parametrize("execute", ["sequential", "concurrent"])
async def test_cancel_while_calls_run_answers_every_call_and_the_conversation_goes_on(execute: Any) -> None:
    batch = calls(("look", {"number": 7}), ("forever", {}), ("look", {"number": 8}))
    options = ProtocolOptions(execute=execute)
    run = make([batch, answer("after all")], look, forever, options=options)
    driver = asyncio.create_task(run.play())
    await until(lambda: kinds(run).count("tool_started") >= 2 and "tool_result" in kinds(run))
    run.stop()
    await driver
    assert run.status is Status.CANCELLED
    assert outcomes(run) == {"c1": "ran", "c2": "cancelled", "c3": "cancelled" if execute == "sequential" else "ran"}
    assert (run.state.stop, run.in_flight, driver.cancelled()) == (None, None, False)
    assert_whole(run.state)
    run.message("and then?")
    await run.play()
    assert run.state.answer == "after all"


async def test_cancel_while_the_model_thinks_ends_the_request_at_once() -> None:
    model = Slow()
    run = make([], model=model)
    driver = asyncio.create_task(run.play())
    await model.asked.wait()
    run.stop()
    await driver
    assert run.status is Status.CANCELLED
    assert kinds(run) == ["user_message", "stop_requested", "stopped"]


async def test_a_model_that_does_not_care_about_being_cancelled_does_not_undo_the_stop() -> None:
    model = Slow(stubborn=True)
    run = make([], model=model)
    driver = asyncio.create_task(run.play())
    await model.asked.wait()
    run.stop()
    await driver
    assert run.status is Status.CANCELLED
    assert run.state.answer is None
    assert driver.cancelling() == 0


@pytest.mark.parametrize("on", ["model_reply", "tool_started", "tool_result"])
async def test_a_stop_out_of_the_middle_of_a_move_ends_the_run_and_not_its_driver(on: str) -> None:
    run = make([calls(("look", {})), answer()], look)
    stop = run.subscribe(lambda event: run.stop() if event.kind == on else None)
    driver = asyncio.create_task(run.play())
    await driver
    assert run.status is Status.CANCELLED
    assert driver.cancelling() == 0
    stop()
    run.message("again")
    await run.play()
    assert run.state.answer == "done"


async def test_whoever_is_cancelled_with_the_run_is_cancelled() -> None:
    model = Slow()
    run = make([], model=model)
    driver = asyncio.create_task(run.play())
    await model.asked.wait()
    run.stop()
    await kill(driver)
    assert driver.cancelled()
    assert (run.playing, run.in_flight) == (False, None)
    await run.play()
    assert run.status is Status.CANCELLED


async def test_stop_before_the_first_move_and_go_on_gives_the_goal_after_all() -> None:
    run = make([answer()])
    run.stop()
    await run.play()
    assert kinds(run) == ["stop_requested", "stopped"]
    run.go_on()
    await run.play()
    assert of(run, UserMessage) == [UserMessage(text="go")]
    assert run.state.answer == "done"


async def test_a_run_is_stopped_once() -> None:
    run = make([calls(("look", {})), answer()], look)
    await run.step()
    run.stop()
    run.stop()
    await run.play()
    assert len(of(run, StopRequested)) == 1
    with pytest.raises(CommandError, match="stopped already"):
        run.stop()


async def test_pause_lets_the_move_finish_and_makes_no_other() -> None:
    model = Slow()
    run = make([], model=model)
    driver = asyncio.create_task(run.play())
    await model.asked.wait()
    assert run.playing
    run.pause()
    model.go.set()
    await driver
    assert kinds(run) == ["user_message", "model_reply"]
    await run.play()
    assert run.status is Status.ANSWERED


async def test_a_run_has_one_driver() -> None:
    model = Slow()
    run = make([], model=model)
    driver = asyncio.create_task(run.play())
    await model.asked.wait()
    for drive in (run.play, run.step, run.advance):
        with pytest.raises(CommandError):
            await drive()
    assert run.playing, "the first driver is not disturbed"
    model.go.set()
    await driver
    assert run.status is Status.ANSWERED


async def test_a_step_is_a_request_or_a_call_with_what_is_written_around_it() -> None:
    run = make([calls(("look", {}), ("nothing", {})), answer()], look)
    steps: list[list[str]] = []
    while await run.step():
        steps.append(kinds(run)[sum(len(step) for step in steps) :])
    assert steps == [
        ["user_message", "model_reply", "tool_result"],
        ["tool_started", "tool_result"],
        ["model_reply", "stopped"],
    ]


async def test_others_have_their_turn_while_a_run_plays() -> None:
    """Neither this model nor its tool ever waits for anything."""
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    run = make([calls(("look", {}), repeat=400), answer()], look)
    beside = asyncio.create_task(other())
    await run.play()
    await kill(beside)
    assert run.status is Status.ANSWERED
    assert turns > 2


@pytest.mark.parametrize(
    ("text", "says"),
    [("", "empty"), ("  \n", "empty"), ("hello", "it begins with its goal")],
    ids=["", "blank", "early"],
)
def test_messages_that_cannot_be_given(text: str, says: str) -> None:
    run = make([answer()])
    with pytest.raises(CommandError, match=says):
        run.message(text)


async def test_no_message_while_calls_are_open_or_a_move_is_made() -> None:
    @tool(risk="write", inline=True)
    def note() -> str:
        """Write."""
        return ""

    run = make([calls(("note", {})), answer()], note)
    await run.play()
    with pytest.raises(CommandError, match="no call is open"):
        run.message("hello")
    model = Slow()
    run = make([], model=model)
    driver = asyncio.create_task(run.play())
    await model.asked.wait()
    with pytest.raises(CommandError, match="no move is being made"):
        run.message("hello")
    with pytest.raises(CommandError, match="has not stopped"):
        run.go_on()
    await kill(driver)


# ---------------------------------------------------------------- time limits of tools


async def test_a_blocking_tool_is_given_up_at_its_limit_and_its_late_result_goes_nowhere() -> None:
    end = threading.Event()
    left: list[str] = []

    @tool(risk="write", timeout=0.05)
    def stuck(name: str) -> str:
        """Blocks a thread."""
        end.wait(60)
        left.append(name)
        return f"late {name}"

    run = make([calls(("stuck", {"name": "x"})), calls(("look", {"number": 5})), answer("${last}")], stuck, look,
               approval="allow", clock=SystemClock())  # fmt: skip
    ticks = 0

    async def screen() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.001)

    beside = asyncio.create_task(screen())
    await run.play()
    assert left == [], "the tool is still at it"
    assert ticks > 5, "the screen stays alive"
    await kill(beside)
    assert outcomes(run) == {"c1": "unknown", "c2": "ran"}
    assert "did not finish within 0.05 s" in of(run, ToolResult)[0].content
    assert "do not call it again before you have checked" in of(run, ToolResult)[0].content
    end.set()
    await until(lambda: of(run, LateResult))
    assert [(late.call, late.content) for late in of(run, LateResult)] == [("c1", "late x")]
    assert run.state.answer == "5"
    assert run.state.tool_calls == 2


async def test_a_result_that_comes_in_the_very_moment_of_the_stop_is_not_lost() -> None:
    @tool(risk="outward")
    async def pay() -> str:
        """Ends as the person stops."""
        asyncio.get_running_loop().call_soon(run.stop)
        return "paid"

    run = make([calls(("pay", {})), answer()], pay, approval="allow")
    await run.play()
    await until(lambda: of(run, LateResult))
    assert outcomes(run) == {"c1": "cancelled"}
    assert [late.content for late in of(run, LateResult)] == ["paid"]
    assert run.state.unsure_keys


async def test_a_request_that_fails_is_repeated_and_the_calls_before_it_are_not() -> None:
    ran: list[str] = []

    @tool(risk="write", inline=True)
    def write_note(text: str) -> str:
        """Write."""
        ran.append(text)
        return "ok"

    script = [calls(("write_note", {"text": "a"})), Line(fail="unavailable"), answer()]
    run = make(script, write_note, approval="allow")
    await run.play()
    assert run.status is Status.ANSWERED
    assert ran == ["a"]
    assert run.state.model_calls == 2
    assert kinds(run).count("model_failed") == 0


async def test_deltas_add_up_to_the_reply() -> None:
    text = "THOUGHT: déjà 漢字 🙂\n" * 7
    run = make([Line(text=text, delay=1.0)])
    heard: list[str] = []
    run.subscribe_signals(lambda signal: heard.append(signal.text) if signal.kind == "delta" else None)
    await run.play()
    assert len(heard) > 1
    assert "".join(heard) == text
