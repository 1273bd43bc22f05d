"""Every cap: off when absent, read before the step it forbids, changed while the run lives, raised to go on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.runner.parts import answer, calls, kinds, make, of, outcomes
from workbench.core.events import Event, ModelReply, Notice, SettingsChanged, ToolStarted
from workbench.core.limits import changed
from workbench.core.statuses import Status
from workbench.core.values import LIMIT_NAMES, Limits, Prices, ProtocolOptions, RepeatLimit
from workbench.models.scripted import Line
from workbench.runner import CommandError, Run
from workbench.toolkit.api import ToolError, tool


@tool(risk="read", inline=True)
def look(number: int) -> int:
    """Gives the number back."""
    return number


@tool(risk="read", inline=True)
def fail() -> None:
    """Always fails."""
    raise ToolError("not today")


@tool(risk="write", inline=True)
def note(text: str) -> str:
    """Writes."""
    return text


LOOKS = [calls(("look", {"number": n})) for n in range(4)]


@dataclass(frozen=True)
class Cap:
    """A script that a cap of `value` stops in the middle, and that answers without one."""

    value: Any
    status: Status
    counter: str
    """What of a state the cap is about."""
    lines: list[Line] = field(default_factory=lambda: LOOKS)
    parts: dict[str, Any] = field(default_factory=dict)

    def run(self, limits: Limits) -> Run:
        return make([*self.lines, answer("140 mugs")], look, fail, note, limits=limits, **self.parts)


CAPS: dict[str, Cap] = {
    "steps": Cap(2, Status.STEP_BUDGET_EXHAUSTED, "steps"),
    "model_calls": Cap(2, Status.CALL_BUDGET_EXHAUSTED, "model_calls"),
    "tool_calls": Cap(2, Status.CALL_BUDGET_EXHAUSTED, "tool_calls"),
    "input_tokens": Cap(500, Status.TOKEN_BUDGET_EXHAUSTED, "input_tokens"),
    "output_tokens": Cap(12, Status.TOKEN_BUDGET_EXHAUSTED, "output_tokens"),
    "total_tokens": Cap(500, Status.TOKEN_BUDGET_EXHAUSTED, "input_tokens"),
    "context_tokens": Cap(110, Status.CONTEXT_WINDOW_EXCEEDED, "context_tokens"),
    "cost": Cap(
        0.0005, Status.COST_BUDGET_EXHAUSTED, "cost", parts={"prices": Prices(input=1, output=1), "free": False}
    ),
    "seconds": Cap(3.0, Status.DEADLINE_EXCEEDED, "seconds", [replace(line, delay=1.5) for line in LOOKS]),
    "failures": Cap(2, Status.TOO_MANY_FAILURES, "failures_in_a_row", [calls(("fail", {}), repeat=4)]),
    "protocol_errors": Cap(2, Status.PROTOCOL_ERRORS, "protocol_errors_in_a_row", [Line(repeat=4)]),
    "denials": Cap(
        2,
        Status.TOO_MANY_FAILURES,
        "denials_in_a_row",
        [calls(("note", {"text": "x"}), repeat=4)],
        {"approval": "deny"},
    ),
    "repeats": Cap(RepeatLimit(stop=3), Status.REPEATED_ACTION, "repeat", [replace(LOOKS[0], repeat=4)]),
}

each_cap = pytest.mark.parametrize("name", LIMIT_NAMES)


def plain(value: Any) -> Any:
    return {"nudge": value.nudge, "stop": value.stop} if isinstance(value, RepeatLimit) else value


def measure(cap: Cap) -> float:
    return float(cap.value.stop or 0) if isinstance(cap.value, RepeatLimit) else float(cap.value)


@each_cap
async def test_a_cap_that_is_not_there_stops_nothing(name: str) -> None:
    run = CAPS[name].run(Limits())
    await run.play()
    assert run.state.answer == "140 mugs"


@each_cap
async def test_a_cap_stops_before_the_step_that_would_break_it(name: str) -> None:
    cap = CAPS[name]
    run = cap.run(Limits(**{name: cap.value}))
    before: list[float] = []
    forbidden = ToolStarted if name == "tool_calls" else ModelReply

    def note_down(event: Event) -> None:
        if isinstance(event, forbidden):
            before.append(used)

    used = 0.0
    run.subscribe(note_down)
    while await run.advance():
        used = getattr(run.state, cap.counter)
    assert run.status is cap.status
    assert run.state.answer is None
    assert 1 <= run.state.model_calls < 5
    assert max(before) < measure(cap)
    assert not run.state.open_calls()


@each_cap
async def test_a_run_goes_on_when_its_cap_is_raised_or_lifted(name: str) -> None:
    cap = CAPS[name]
    for value in (plain(replace(cap.value, stop=9)) if name == "repeats" else cap.value * 10, None):
        run = cap.run(Limits(**{name: cap.value}))
        await run.play()
        before = run.state.model_calls
        run.change({f"limits.{name}": value})
        run.go_on()
        await run.play()
        assert run.state.answer == "140 mugs"
        assert run.state.model_calls > before


@each_cap
async def test_going_on_without_raising_the_cap_stops_at_once(name: str) -> None:
    cap = CAPS[name]
    run = cap.run(Limits(**{name: cap.value}))
    await run.play()
    calls_made = run.state.tool_calls
    run.go_on()
    await run.play()
    if name == "tool_calls":  # the next reply is asked for, and its call is not run
        assert run.state.tool_calls == calls_made
    else:
        assert kinds(run)[-2:] == ["resumed", "stopped"]
    assert run.status is cap.status


@each_cap
async def test_a_cap_can_be_set_while_the_run_lives(name: str) -> None:
    cap = CAPS[name]
    run = cap.run(Limits())
    await run.step()
    await run.step()
    run.change({f"limits.{name}": plain(cap.value)})
    await run.play()
    assert run.status is cap.status
    assert getattr(run.state.limits, name) == cap.value


# ---------------------------------------------------------------- steps


@pytest.mark.parametrize(("cap", "answers_on", "requests"), [(3, 3, 3), (3, 4, 3), (1, 1, 1), (1, 2, 1)])
async def test_the_last_step_is_used_and_no_further_one(cap: int, answers_on: int, requests: int) -> None:
    run = make([*LOOKS[: answers_on - 1], answer("140")], look, limits=Limits(steps=cap))
    await run.play()
    assert run.state.model_calls == requests
    assert run.status is (Status.ANSWERED if answers_on <= cap else Status.STEP_BUDGET_EXHAUSTED)
    assert (run.state.answer == "140") == (answers_on <= cap)
    assert set(outcomes(run).values()) <= {"ran"}


async def test_a_message_resets_steps_seconds_and_counts_in_a_row_but_no_totals() -> None:
    lines = [calls(("fail", {}), delay=2.0), answer(), calls(("fail", {}), delay=2.0), answer()]
    run = make(lines, fail, limits=Limits(steps=2, seconds=4.5, failures=2))
    await run.play()
    run.message("again")
    state = run.state
    assert (state.steps, state.seconds, state.failures_in_a_row) == (0, 0.0, 0)
    assert (state.total_steps, state.total_seconds, state.model_calls, state.tool_calls) == (2, 2.0, 2, 1)
    await run.play()
    assert run.state.status is Status.ANSWERED
    assert (state.total_steps, state.total_seconds, state.errors) == (4, 4.0, 2)


# ---------------------------------------------------------------- repeats


@pytest.mark.parametrize(
    ("polling", "results"),
    [(False, ["pending", "running", "linking", "testing", "done"]), (True, ["pending"] * 4 + ["done"])],
)
async def test_looking_again_and_again_is_no_circling(polling: bool, results: list[str]) -> None:
    left = list(results)

    @tool(risk="read", polling=polling, inline=True)
    def check_build() -> str:
        """How the build stands."""
        return left.pop(0)

    run = make(
        [calls(("check_build", {}), repeat=5), answer()],
        check_build,
        limits=Limits(repeats=RepeatLimit(nudge=2, stop=3)),
    )
    await run.play()
    assert run.status is Status.ANSWERED
    assert "notice" not in kinds(run)


async def test_the_same_call_with_the_same_result_is_told_and_then_stopped_whatever_the_order_of_keys() -> None:
    @tool(risk="read", inline=True)
    def stock(store: str, item: str) -> int:
        """Pieces."""
        return 140

    spellings = [
        '{"store": "north", "item": "mug"}',
        '{"item":"mug","store":"north"}',
        '{ "item": "mug", "store": "north" }',
    ]
    run = make(
        [*[calls(("stock", text)) for text in spellings], answer()],
        stock,
        limits=Limits(repeats=RepeatLimit(nudge=2, stop=3)),
    )
    await run.play()
    assert run.status is Status.REPEATED_ACTION
    assert run.state.model_calls == 3
    (nudge,) = of(run, Notice)
    assert (nudge.topic, "2" in nudge.text) == ("repeat", True)


@pytest.mark.parametrize("execute", ["sequential", "concurrent"])
async def test_with_match_call_the_same_call_is_stopped_before_it_runs(execute: Any) -> None:
    ran: list[int] = []

    @tool(risk="read", inline=True)
    def count() -> int:
        """Another number each time."""
        ran.append(1)
        return len(ran)

    run = make(
        [calls(*[("count", {})] * 4), answer()],
        count,
        limits=Limits(repeats=RepeatLimit(nudge=None, stop=3, match="call")),
        options=ProtocolOptions(execute=execute),
    )
    await run.play()
    assert run.status is Status.REPEATED_ACTION
    assert len(ran) == 2
    assert list(outcomes(run).values()) == ["ran", "ran", "not_run", "not_run"]


@pytest.mark.parametrize("cap", [1, 2, 3])
async def test_calls_side_by_side_keep_to_the_cap_on_calls(cap: int) -> None:
    batch = calls(*[("look", {"number": n}) for n in range(4)])
    run = make([batch, answer()], look, limits=Limits(tool_calls=cap), options=ProtocolOptions(execute="concurrent"))
    await run.play()
    assert run.state.tool_calls == cap
    assert list(outcomes(run).values()) == ["ran"] * cap + ["not_run"] * (4 - cap)


# ---------------------------------------------------------------- cost


async def test_a_cost_that_nobody_knows_is_not_nothing() -> None:
    run = make([*LOOKS, answer()], look, free=False, limits=Limits(cost=0.01))
    await run.play()
    stopped = run.state.stopped
    assert stopped is not None
    assert (stopped.status, stopped.knob) == (Status.COST_BUDGET_EXHAUSTED, "limits.cost")
    assert run.state.model_calls == 0
    assert run.state.cost is None


async def test_without_a_cap_an_unknown_cost_stays_unknown_and_a_free_model_costs_nothing() -> None:
    for free, cost in ((False, None), (True, 0.0)):
        run = make([*LOOKS, answer()], look, free=free)
        await run.play()
        assert run.status is Status.ANSWERED
        assert run.state.cost == cost


# ---------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"limits.steps": 0}, "limits.steps must be a number above 0"),
        ({"limits.steps": -1}, "above 0"),
        ({"limits.steps": 2.5}, "whole number"),
        ({"limits.steps": True}, "above 0"),
        ({"limits.steps": "3"}, "above 0"),
        ({"limits.steps": float("inf")}, "whole number"),
        ({"limits.seconds": float("nan")}, "above 0"),
        ({"limits.cost": 0.0}, "above 0"),
        ({"limits.step": 3}, "there is no limit 'step'; there are steps"),
        ({"limits.repeats": 5}, "is a table of nudge, stop, match"),
        ({"limits.repeats": {"stop": 0}}, "limits.repeats.stop must be a whole number above 0"),
        ({"limits.repeats": {"often": 3}}, "is a table of nudge, stop, match"),
        ({"limits.repeats": {"match": "name"}}, 'is "call" or "call+result"'),
        ({"approval.default": "maybe"}, "approval.default is ask, allow or deny"),
        ({"hold": 1}, "hold is true, false or a filter, not 1"),
        ({"hold": "tol:add"}, 'column 1: nothing is called "tol" here; did you mean tool:?'),
        ({"arm": {"on": "result"}}, "a fault needs do"),
        ({"disarm": 0}, "what is disarmed is a table with at and fault, not 0"),
        (
            {"disarm": {"at": 0, "fault": {"on": "result", "do": "drop"}}},
            "there is no armed fault number 0; there are 0, counted from 0",
        ),
        ({"title": 3}, "title is a text"),
        ({"grants": "all"}, "grants is a list of rules"),
        ({"grants": [{"where": {}}]}, "is no rule"),
        ({"grants": [{"tool": "look", "where": {"number": {"regex": "("}}}]}, "is no rule"),
        ({"grants": [{"tool": "look", "decide": "always"}]}, "decides ask, allow, deny"),
        ({"limits.steps": 3, "colour": "red"}, "there is no setting 'colour'"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_in_words_and_not_recorded(changes: dict[str, Any], says: str) -> None:
    run = make([answer()], look)
    with pytest.raises(CommandError, match=says.replace("(", r"\(").replace("+", r"\+")):
        run.change(changes)
    assert run.events == []
    assert run.state.limits == Limits()


async def test_settings_before_the_first_move_do_not_take_the_goal_away() -> None:
    run = make([*LOOKS, answer()], look)
    run.change({"limits.steps": 2, "title": "Mugs"})
    await run.play()
    assert isinstance(run.events[0], SettingsChanged)
    assert run.state.messages[0].text == "go"
    assert run.status is Status.STEP_BUDGET_EXHAUSTED
    assert run.state.title == "Mugs"


def test_figures_may_be_large() -> None:
    limits = changed(Limits(), "total_tokens", 10**400)
    assert changed(limits, "steps", 3.0) == Limits(total_tokens=10**400, steps=3)
    assert changed(limits, "repeats", {"stop": 4, "nudge": None}).repeats == RepeatLimit(nudge=None, stop=4)
