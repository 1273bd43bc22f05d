"""Every way in which a run can come to stand, one run each, with the knob and the value that stopped it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.core.runs import assert_whole
from tests.runner.parts import answer, calls, kinds, make, of, outcomes
from workbench.clocks import SystemClock
from workbench.core.events import ToolResult
from workbench.core.loop import Finished
from workbench.core.ports import NobodyThere, OnSignal, Reply, Request, Usage
from workbench.core.statuses import SENTENCES, SUCCESSES, SUSPENDED, Status
from workbench.core.values import GoalCheck, Limits, Prices, RepeatLimit
from workbench.models.scripted import Line
from workbench.runner import Run
from workbench.toolkit.api import ToolError, tool


@tool(risk="read", inline=True)
def look(number: int = 1) -> int:
    """Gives the number back."""
    return number


@tool(risk="read", inline=True)
def fail() -> None:
    """Always fails."""
    raise ToolError("not today")


@tool(risk="read", inline=True)
def broken() -> None:
    """Raises what no tool should."""
    raise KeyError("a bug with a secret in it")


@tool(risk="write", inline=True)
def note(text: str) -> str:
    """Writes."""
    return text


@tool(risk="read", trust="untrusted", inline=True)
def fetch() -> str:
    """Text of others."""
    return "page"


@tool(risk="outward", inline=True)
def mail() -> str:
    """Reaches others."""
    return "sent"


class Absent:
    """A model that is a person who is not there."""

    name = "human"

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
        raise NobodyThere


class Mad:
    """A model with a bug."""

    name = "mad"

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
        raise ZeroDivisionError("a bug")


class Waiting:
    """A model that never replies."""

    name = "waiting"

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")


LOOK = calls(("look", {"number": 1}))
LOOKS = [calls(("look", {"number": n})) for n in range(9)]
PRICED: dict[str, Any] = {"prices": Prices(input=1.0, output=1.0), "free": False}


@dataclass(frozen=True)
class Case:
    """How to get there."""

    status: Status
    lines: list[Line] = field(default_factory=list)
    knob: str = ""
    limit: float | None = None
    parts: dict[str, Any] = field(default_factory=dict)
    do: Callable[[Run], Awaitable[None]] | None = None
    name: str = ""


def capped(status: Status, knob: str, value: float, lines: list[Line], **parts: Any) -> Case:
    limits = Limits(**{knob: value})  # type: ignore[arg-type]
    return Case(status, lines, f"limits.{knob}", value, {"limits": limits, **parts}, name=knob)


async def stop_first(run: Run) -> None:
    await run.advance()
    run.stop()
    await run.play()


CASES = [
    Case(Status.ANSWERED, [answer()]),
    Case(Status.GOAL_REACHED, [LOOK], "goal_check", parts={"goal_check": GoalCheck(result_of="look", contains="1")}),
    Case(
        Status.GOAL_REACHED,
        [answer("no"), answer("done: 140")],
        "goal_check",
        parts={"goal_check": GoalCheck(answer_matches="140")},
        name="answer_matches",
    ),
    capped(Status.STEP_BUDGET_EXHAUSTED, "steps", 2, LOOKS),
    capped(Status.CALL_BUDGET_EXHAUSTED, "model_calls", 2, LOOKS),
    capped(Status.CALL_BUDGET_EXHAUSTED, "tool_calls", 2, LOOKS),
    capped(Status.TOKEN_BUDGET_EXHAUSTED, "input_tokens", 900, LOOKS),
    capped(Status.TOKEN_BUDGET_EXHAUSTED, "output_tokens", 20, LOOKS),
    capped(Status.TOKEN_BUDGET_EXHAUSTED, "total_tokens", 900, LOOKS),
    capped(Status.CONTEXT_WINDOW_EXCEEDED, "context_tokens", 150, [answer()], system="word " * 200),
    Case(
        Status.CONTEXT_WINDOW_EXCEEDED,
        [answer()],
        "model.context_window",
        150,
        {"context_window": 150, "system": "word " * 200},
        name="window",
    ),
    Case(Status.CONTEXT_WINDOW_EXCEEDED, [Line(fail="context_overflow")], name="overflow"),
    capped(Status.COST_BUDGET_EXHAUSTED, "cost", 0.0004, LOOKS, **PRICED),
    capped(Status.DEADLINE_EXCEEDED, "seconds", 5.0, [replace(line, delay=2.0) for line in LOOKS]),
    capped(Status.REPEATED_ACTION, "repeats", 3, [replace(LOOK, repeat=None)]),
    capped(Status.TOO_MANY_FAILURES, "failures", 2, [calls(("fail", {}), repeat=None)]),
    capped(Status.TOO_MANY_FAILURES, "denials", 2, [calls(("note", {"text": "x"}), repeat=None)], approval="deny"),
    capped(Status.PROTOCOL_ERRORS, "protocol_errors", 2, [Line(repeat=None)]),
    Case(
        Status.STEP_FAILED,
        knob="step",
        limit=2,
        parts={"scenario": {"loop": "pipeline", "step": [{"tool": "look"}, {"tool": "fail"}, {"tool": "look"}]}},
    ),
    Case(
        Status.STEP_FAILED,
        knob="goal_check",
        parts={
            "scenario": {"loop": "pipeline", "step": [{"tool": "look"}]},
            "goal_check": GoalCheck(answer_matches="two"),
        },
        name="goal_check",
    ),
    Case(
        Status.NO_ROUTE,
        [answer("elsewhere")],
        "route",
        parts={"scenario": {"loop": "router", "route": [{"name": "here", "step": [{"tool": "look"}]}]}},
    ),
    Case(Status.REPLY_CUT_OFF, [replace(LOOK, finish="length")]),
    Case(Status.REPLY_BLOCKED, [Line(text="half", finish="blocked")]),
    Case(Status.REPLY_BLOCKED, [Line(text="I will not", finish="refused")], name="refused"),
    Case(Status.REPLY_BLOCKED, [Line(text="?", finish="moonlight")], name="unknown finish"),
    Case(Status.SCRIPT_EXHAUSTED, [LOOK]),
    Case(Status.MODEL_UNAVAILABLE, [Line(fail="timeout", repeat=None)]),
    Case(Status.MODEL_REJECTED, [Line(fail="auth")]),
    Case(
        Status.POLICY_DENIED,
        [calls(("fetch", {}), ("mail", {}))],
        "authority.split",
        parts={"split": True, "approval": "allow"},
    ),
    Case(Status.AWAITING_APPROVAL, [calls(("note", {"text": "x"}))]),
    Case(Status.AWAITING_PERSON, parts={"model": Absent()}, name="reply"),
    Case(Status.CANCELLED, [LOOK], do=stop_first),
    Case(Status.TOOL_DEFECT, [calls(("broken", {}))]),
    Case(Status.INTERNAL_ERROR, parts={"model": Mad()}),
]


async def came_to(case: Case) -> Run:
    parts = dict(case.parts)
    limits = parts.get("limits")
    if limits is not None and limits.repeats is not None:
        parts["limits"] = replace(limits, repeats=RepeatLimit(nudge=2, stop=limits.repeats))
    run = make(case.lines, look, fail, broken, note, fetch, mail, **parts)
    await (case.do or Run.play)(run)
    return run


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.status.value} {case.name}".strip())
async def test_a_run_can_come_to(case: Case) -> None:
    run = await came_to(case)
    assert run.status is case.status
    if case.status in SUSPENDED:
        return
    stopped = run.state.stopped
    assert stopped is not None
    knob = "limits.repeats.stop" if case.knob == "limits.repeats" else case.knob
    assert (stopped.knob, stopped.limit) == (knob, case.limit)
    assert isinstance(run.next, Finished)
    assert kinds(run).count("stopped") == 1
    assert_whole(run.state)
    assert run.state.answer is None or case.status in SUCCESSES


def test_every_status_is_come_to_and_has_its_sentence() -> None:
    assert {case.status for case in CASES} == set(Status) - {Status.RUNNING}
    assert set(SENTENCES) == set(Status)


async def test_an_answer_that_does_not_hold_is_no_end() -> None:
    run = make([answer("maybe"), answer("140 mugs")], goal_check=GoalCheck(answer_matches=r"\d+"))
    await run.play()
    assert run.status is Status.GOAL_REACHED
    assert run.state.answer == "140 mugs"
    assert kinds(run).count("notice") == 1


async def test_a_cut_off_reply_runs_nothing_and_its_calls_are_answered() -> None:
    run = make([replace(LOOK, finish="length")], look)
    await run.play()
    assert outcomes(run) == {"c1": "not_run"}
    assert run.state.tool_calls == 0
    assert run.state.answer is None


async def test_a_model_that_never_replies_is_cut_off_at_the_deadline() -> None:
    run = make([], model=Waiting(), clock=SystemClock(), limits=Limits(seconds=0.05))
    await run.play()
    stopped = run.state.stopped
    assert stopped is not None
    assert (stopped.status, stopped.knob, stopped.limit) == (Status.DEADLINE_EXCEEDED, "limits.seconds", 0.05)
    assert run.state.seconds == 0.05


async def test_a_deadline_holds_for_each_request_anew() -> None:
    """One timer serves all requests of a run; it must not go off for one that is long over."""

    class Quick:
        name = "quick"
        asked = 0

        async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
            self.asked += 1
            await asyncio.sleep(0)
            return Reply(text="" if self.asked < 6 else "done", usage=Usage(input=1, output=1))

    run = make([], model=Quick(), clock=SystemClock(), limits=Limits(seconds=60))
    await run.play()
    assert run.status is Status.ANSWERED
    run.change({"limits.seconds": 0.01})
    run.model = Waiting()
    run.message("again")
    await run.play()
    assert run.state.status is Status.DEADLINE_EXCEEDED


async def test_the_detail_of_a_defect_never_reaches_the_model() -> None:
    run = make([calls(("broken", {})), answer()], broken)
    await run.play()
    assert "secret" not in "".join(message.text for message in run.state.messages)
    assert "secret" in of(run, ToolResult)[0].detail
