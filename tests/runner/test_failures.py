"""What raises what it should not: the run ends in order, nothing is lost, and the app lives."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.core.runs import assert_whole
from tests.runner.parts import answer, calls, kinds, make, of, outcomes
from workbench.core.events import Event, ToolResult
from workbench.core.ports import OnLate, OnSignal, Reply, Request, ToolOutcome
from workbench.core.statuses import Status
from workbench.core.values import ProtocolOptions
from workbench.models.scripted import Line
from workbench.runner import JournalBroken, Run
from workbench.toolkit.api import tool
from workbench.toolkit.execute import ToolBox
from workbench.toolkit.loader import load_function


class Odd(BaseException):
    """Not even an Exception."""


RAISED = [ZeroDivisionError("a bug"), SystemExit(3), Odd("odd"), TimeoutError("of its own"), RuntimeError("x")]
each_error = pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)


@tool(risk="read", inline=True)
def look(number: int = 1) -> int:
    """Gives the number back."""
    return number


class Failing:
    """A model that raises at one request, and is well before and after."""

    name = "failing"

    def __init__(self, error: BaseException, at: int = 1) -> None:
        self.error = error
        self.left = at

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
        self.left -= 1
        if self.left == 0:
            raise self.error
        return Reply(text="done")


@each_error
async def test_a_model_that_raises_what_it_should_not(error: BaseException) -> None:
    run = make([], model=Failing(error))
    await run.play()
    stopped = run.state.stopped
    assert stopped is not None
    assert stopped.status is Status.INTERNAL_ERROR
    assert type(error).__name__ in stopped.detail
    assert kinds(run) == ["user_message", "stop_requested", "stopped"]
    run.go_on()
    await run.play()
    assert run.state.answer == "done"


async def test_a_model_that_is_cancelled_from_within_is_a_defect_and_not_the_end_of_the_driver() -> None:
    run = make([], model=Failing(asyncio.CancelledError()))
    driver = asyncio.create_task(run.play())
    await driver
    assert run.status is Status.INTERNAL_ERROR
    assert "cancelled from within" in (run.state.stopped.detail if run.state.stopped else "")


@each_error
@pytest.mark.parametrize("kind", ["inline", "thread", "async"])
async def test_a_tool_that_raises_what_it_should_not(error: BaseException, kind: str) -> None:
    @tool(name="bad", risk="read", inline=True)
    def inline() -> None:
        """Raises."""
        raise error

    @tool(name="bad", risk="read")
    def thread() -> None:
        """Raises."""
        raise error

    @tool(name="bad", risk="read")
    async def waits() -> None:
        """Raises."""
        raise error

    functions = {"inline": inline, "thread": thread, "async": waits}
    run = make([calls(("bad", {}), ("look", {})), answer()], functions[kind], look)
    await run.play()
    assert run.status is Status.TOOL_DEFECT
    assert outcomes(run) == {"c1": "defect", "c2": "not_run"}
    assert type(error).__name__ in of(run, ToolResult)[0].detail
    assert_whole(run.state)
    run.go_on()
    await run.play()
    assert run.state.answer == "done"


class BrokenBox(ToolBox):
    """Where our own code around the tools fails."""

    def __init__(self, error: BaseException) -> None:
        super().__init__([load_function(look)])
        self.error = error

    async def run(self, tool: str, canonical: str, *, within: float | None, key: str, on_late: OnLate) -> ToolOutcome:
        raise self.error


@pytest.mark.parametrize("execute", ["sequential", "concurrent"])
@pytest.mark.parametrize("error", [ZeroDivisionError("a bug"), Odd("odd")], ids=["exception", "worse"])
async def test_our_own_failure_around_a_tool_leaves_its_outcome_unknown(error: BaseException, execute: Any) -> None:
    run = make([calls(("look", {}), ("look", {"number": 2})), answer()], look, options=ProtocolOptions(execute=execute))
    run.tools = BrokenBox(error)
    await run.play()
    assert run.status is Status.INTERNAL_ERROR
    assert outcomes(run) == {"c1": "unknown", "c2": "not_run" if execute == "sequential" else "unknown"}
    assert_whole(run.state)


# ---------------------------------------------------------------- the journal


class Full:
    """A journal that takes so many events."""

    def __init__(self, room: int, error: BaseException | None = None) -> None:
        self.events: list[Event] = []
        self.room = room
        self.error = error if error is not None else OSError("no space left on device")

    def append(self, event: Event, *, sync: bool) -> None:
        if len(self.events) == self.room:
            raise self.error
        self.events.append(event)


@pytest.mark.parametrize("room", range(6))
@pytest.mark.parametrize("execute", ["sequential", "concurrent"])
async def test_a_journal_that_fails_ends_all_that_could_not_be_recorded(room: int, execute: Any) -> None:
    journal = Full(room)
    options = ProtocolOptions(execute=execute)
    run = make([calls(("look", {}), ("look", {"number": 2})), answer()], look, journal=journal, options=options)
    with pytest.raises(JournalBroken, match="no space left"):
        await run.play()
    assert run.broken == "the session cannot be written: no space left on device"
    assert run.events == journal.events
    assert run.state.n == len(journal.events) == room
    assert (run.playing, run.in_flight) == (False, None)
    assert not await run.advance(), "nothing more happens"
    assert not await run.step()
    with pytest.raises(JournalBroken):
        run.change({"title": "x"})
    assert run.status in (Status.RUNNING, Status.AWAITING_PERSON)


async def test_a_journal_that_is_interrupted_is_not_trusted_any_more() -> None:
    run = make([answer()], journal=Full(1, KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        await run.play()
    assert run.broken
    assert not await run.advance()


async def test_a_late_result_that_cannot_be_recorded_is_lost_quietly() -> None:
    gone = asyncio.Event()

    @tool(risk="read", timeout=0.01)
    async def stubborn() -> str:
        """Does not end when it should."""
        try:
            await asyncio.Event().wait()
        finally:
            await gone.wait()
            raise ValueError("late")

    journal = Full(100)
    run = make([calls(("stubborn", {})), answer()], stubborn, journal=journal)
    await run.play()
    assert run.status is Status.ANSWERED
    journal.room = len(journal.events)
    unheard: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unheard.append(context))
    gone.set()
    for _ in range(10):
        await asyncio.sleep(0)
    assert run.broken
    assert unheard == []


# ---------------------------------------------------------------- who watches, and who answers


@pytest.mark.parametrize("on", ["user_message", "model_reply", "tool_started", "tool_result"])
async def test_a_listener_that_raises_is_not_called_again_and_the_run_says_so(on: str) -> None:
    run = make([calls(("look", {})), answer()], look)
    heard: list[str] = []

    def broken(event: Event) -> None:
        if event.kind == on:
            raise ZeroDivisionError("a screen")

    stop = run.subscribe(broken)
    run.subscribe(lambda event: heard.append(event.kind))
    await run.play()
    assert run.status is Status.INTERNAL_ERROR
    assert "a screen" in (run.state.stopped.detail if run.state.stopped else "")
    assert heard == kinds(run)
    assert_whole(run.state)
    stop()
    run.go_on()
    await run.play()
    assert run.state.answer == "done"


async def test_a_listener_that_raises_at_the_end_is_heard_of_and_the_end_stays() -> None:
    run = make([answer()])

    def broken(event: Event) -> None:
        if event.kind == "stopped":
            raise ZeroDivisionError("a screen")

    run.subscribe(broken)
    with pytest.raises(ZeroDivisionError):
        await run.play()
    assert run.status is Status.ANSWERED
    assert run.state.stopped is run.events[-1]
    assert not await run.advance()


async def test_a_command_is_done_also_when_a_listener_raises() -> None:
    run = make([answer()])

    def broken(event: Event) -> None:
        raise ZeroDivisionError("a screen")

    run.subscribe(broken)
    run.change({"title": "x"})
    assert run.state.title == "x"
    await run.play()
    assert run.status is Status.INTERNAL_ERROR


async def test_a_person_who_raises_is_a_defect_of_ours() -> None:
    class Mad:
        def answer(self, question: Any, state: Any) -> None:
            raise ZeroDivisionError("a bug")

    run = make([answer()], person=Mad())
    with pytest.raises(ZeroDivisionError):  # asked again about the stop
        await run.play()
    assert run.status is Status.INTERNAL_ERROR


async def test_events_that_are_no_run_are_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"event 1 is about call 'c9', which is not open"):
        make([], events=[ToolResult(call="c9")])


async def test_the_app_can_make_another_run_after_each_failure() -> None:
    for broken in (make([], model=Failing(ZeroDivisionError())), make([Line(fail="auth")])):
        await broken.play()
        fine: Run = make([answer()])
        await fine.play()
        assert fine.status is Status.ANSWERED
