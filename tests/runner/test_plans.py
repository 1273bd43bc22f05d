"""Runs that follow a plan, with everything that any run has: gate, door, faults, caps, messages, kills."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.runner.parts import Kept, answer, kinds, make, of, outcomes
from workbench.core.events import Decided, Held, ModelReply, Notice, Planned, ToolResult, ToolStarted
from workbench.core.loop import AskPerson, TakeStep
from workbench.core.ports import OnSignal, Reply, Request
from workbench.core.statuses import Status
from workbench.core.values import Fault, GoalCheck, Limits, RawCall
from workbench.runner import CommandError, Run
from workbench.toolkit.api import ToolError, tool

PAID: list[str] = []


@pytest.fixture(autouse=True)
def nobody_is_paid_yet() -> None:
    PAID.clear()


@tool(risk="read", inline=True)
def look(number: int = 1) -> int:
    """Gives the number back."""
    return number


@tool(risk="read", inline=True)
def odd(number: int) -> int:
    """Takes odd numbers only."""
    if number % 2 == 0:
        raise ToolError(f"{number} is even")
    return number


@tool(risk="outward", inline=True)
def pay(order: str) -> str:
    """Pays."""
    PAID.append(order)
    return f"paid {order}"


def pipeline(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"loop": "pipeline", "step": list(steps)}


LOOK = {"tool": "look", "arguments": {"number": 3}}
PAY = {"tool": "pay", "arguments": {"order": "A-${last}"}}
ASK = {"ask": "Which? ${last}", "capture": {"n": r"(\d+)"}}
ROUTER = {
    "loop": "router",
    "route": [{"name": "look", "step": [LOOK]}, {"name": "pay", "step": [LOOK, PAY]}],
}


def planned(scenario: dict[str, Any], *said: str, **parts: Any) -> Run:
    return make([answer(text) for text in said], look, odd, pay, scenario=scenario, **parts)


async def test_a_pipeline_without_a_question_asks_no_model() -> None:
    run = planned(pipeline(LOOK, {"answer": "it is ${last}"}))
    await run.play()
    assert (run.status, run.state.answer, run.state.model_calls, run.state.steps) == (Status.ANSWERED, "it is 3", 0, 1)
    assert [message.text for message in run.state.messages] == ["go"]


async def test_without_an_answer_the_last_step_gives_it() -> None:
    run = planned(pipeline(LOOK, ASK), "I take 7 of them")
    await run.play()
    assert run.state.answer == "I take 7 of them"
    assert [message.text for message in run.state.messages] == ["go", "Which? 3", "I take 7 of them"]


async def test_a_model_that_is_asked_is_offered_no_tools_and_what_it_calls_does_not_run() -> None:

    class Eager:
        name = "eager"
        offered: object = None

        async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
            self.offered = request.tools
            return Reply(text="7", calls=(RawCall("pay", '{"order": "B"}'),), finish="tool_calls")

    model = Eager()
    run = make([], look, pay, model=model, scenario=pipeline(ASK, LOOK))
    await run.play()
    assert (model.offered, PAID, run.status) == ((), [], Status.ANSWERED)
    assert [event.calls for event in of(run, ModelReply)] == [()]


async def test_a_step_waits_at_the_gate_as_any_call_and_is_told_by_no_model() -> None:
    run = planned(pipeline(LOOK, PAY))
    await run.play()
    assert run.status is Status.AWAITING_APPROVAL
    assert isinstance(run.next, AskPerson)
    assert PAID == []
    run.decide("c2", "edit", arguments='{"order": "B-9"}')
    await run.play()
    assert (PAID, run.state.answer) == (["B-9"], "paid B-9")
    assert not of(run, Notice), "there is no model to be told that the arguments were changed"


async def test_what_a_step_gives_is_text_where_its_tool_takes_text() -> None:
    run = planned(pipeline({"ask": "Which order?"}, {"tool": "pay", "arguments": {"order": "${last}"}}), "1042")
    await run.play()
    run.decide("c1", "allow")
    await run.play()
    assert (run.state.answer, PAID) == ("paid 1042", ["1042"])


async def test_a_denied_step_ends_the_run_and_stays_due() -> None:
    run = planned(pipeline(LOOK, PAY, LOOK))
    await run.play()
    run.decide("c2", "deny", reason="not today")
    await run.play()
    stopped = run.state.stopped
    assert stopped is not None
    assert (stopped.status, stopped.knob, stopped.limit) == (Status.STEP_FAILED, "step", 2)
    assert stopped.detail == "step 2, pay: Denied by a person: not today"
    run.go_on()
    await run.play()
    run.decide("c3", "allow")
    await run.play()
    assert (run.status, PAID) == (Status.ANSWERED, ["A-3"])
    assert [event.step for event in of(run, Planned)] == [1, 2, 2, 3]


async def test_a_plan_knows_no_context_policy_and_takes_none_while_it_lives() -> None:
    run = planned(pipeline(LOOK, PAY))
    with pytest.raises(CommandError, match=r'loop = "pipeline" knows no context.policy: a change would do nothing'):
        run.change({"context.policy": "window"})


async def test_a_step_that_somebody_answers_for_gives_that() -> None:
    run = planned(pipeline(PAY, {"answer": "so: ${last}"}))
    await run.play()
    run.decide("c1", "answer", answer="paid by hand")
    await run.play()
    assert (run.state.answer, PAID) == ("so: paid by hand", [])


async def test_the_result_of_a_step_is_held_and_what_is_passed_on_is_what_later_steps_have() -> None:
    run = planned(pipeline(LOOK, {"answer": "${last}"}))
    run.change({"hold": "tool:look"})
    await run.play()
    assert run.status is Status.AWAITING_PERSON
    assert isinstance(of(run, Held)[0], Held)
    run.release("c1", content="eleven")
    await run.play()
    assert run.state.answer == "eleven"


async def test_a_reply_to_a_step_is_held_and_another_one_can_be_let_in() -> None:
    run = planned(ROUTER, "nowhere")
    run.change({"hold": "reply"})
    await run.play()
    assert run.state.held_reply is not None
    run.let_in("look")
    await run.play()
    assert (run.status, run.state.place.route) == (Status.ANSWERED, "look")


async def test_a_fault_strikes_a_step_as_it_strikes_a_call_of_a_model() -> None:
    faults = (Fault(on="result", do="error", text="no such luck", nth=1),)
    run = planned(pipeline(LOOK, LOOK), faults=faults)
    await run.play()
    assert run.state.status is Status.STEP_FAILED
    assert of(run, ToolResult)[0].changed_by.startswith("fault")
    run.go_on()
    await run.play()
    assert run.status is Status.ANSWERED


async def test_the_step_cap_counts_calls_and_replies_and_forbids_no_answer() -> None:
    steps = pipeline(LOOK, LOOK, {"answer": "done"})
    capped = planned(steps, limits=Limits(steps=1))
    await capped.play()
    assert (capped.status, outcomes(capped)) == (Status.STEP_BUDGET_EXHAUSTED, {"c1": "ran"})
    enough = planned(steps, limits=Limits(steps=2))
    await enough.play()
    assert (enough.status, enough.state.answer) == (Status.ANSWERED, "done")


@pytest.mark.parametrize(
    ("steps", "said", "why"),
    [
        ([{"tool": "odd", "arguments": {"number": 2}}], (), "step 1, odd: 2 is even"),
        ([{"tool": "odd", "arguments": {"number": "${goal}"}}], (), "step 1, odd: "),
        ([ASK], ("none",), "step 1, capture n = '(\\\\d+)' finds nothing in \"none\""),
        ([ASK], ("",), "step 1, the model said nothing"),
        ([{"answer": "${result1}"}], (), "step 1, ${result1} stands for nothing: there is no result so far"),
    ],
)
async def test_a_step_that_cannot_go_on_says_which_it_is_and_why(
    steps: list[dict[str, Any]], said: tuple[str, ...], why: str
) -> None:
    run = planned(pipeline(*steps, LOOK), *said)
    await run.play()
    stopped = run.state.stopped
    assert stopped is not None
    assert (stopped.status, stopped.limit) == (Status.STEP_FAILED, 1)
    assert stopped.detail.startswith(why)
    assert run.state.answer is None


async def test_a_choice_that_is_no_route_can_be_asked_for_again() -> None:
    run = planned(ROUTER, "the second one", "look")
    await run.play()
    stopped = run.state.stopped
    assert stopped is not None
    assert (stopped.status, stopped.knob) == (Status.NO_ROUTE, "route")
    assert stopped.detail == '"the second one" is no route; there are look, pay'
    run.go_on()
    await run.play()
    assert (run.status, run.state.answer) == (Status.ANSWERED, "3")


async def test_a_message_after_the_end_has_the_steps_taken_anew() -> None:
    run = planned(ROUTER, "look", "nowhere")
    await run.play()
    run.message("and now?")
    assert run.state.place.task == "and now?"
    await run.play()
    assert run.status is Status.NO_ROUTE
    assert [event.step for event in of(run, Planned)] == [1]


async def test_an_answer_that_does_not_hold_is_the_end_of_a_plan() -> None:
    run = planned(pipeline(LOOK), goal_check=GoalCheck(answer_matches="4"))
    await run.play()
    stopped = run.state.stopped
    assert stopped is not None
    assert (stopped.status, stopped.knob) == (Status.STEP_FAILED, "goal_check")


async def test_a_run_that_was_killed_takes_up_its_step_and_pays_once(tmp_path: Path) -> None:
    kept = Kept(tmp_path, [answer("4")], look, pay, scenario=pipeline(ASK, {**PAY, "arguments": {"order": "A-${n}"}}))
    run = kept.open()
    await run.play()
    run = kept.open()
    assert run.status is Status.AWAITING_APPROVAL
    run.decide("c1", "allow")
    kept.write(ToolStarted(call="c1", key=run.state.effect_key("pay", '{"order":"A-4"}')))
    run = kept.open()
    assert run.status.value == "awaiting_person"
    run.decide("c1", "deny")
    await run.play()
    assert (run.status, PAID, outcomes(run)) == (Status.STEP_FAILED, [], {"c1": "unknown"})
    run.go_on()
    await run.play()
    assert run.status.value == "awaiting_approval", "the same payment may have gone out already, so it is asked about"
    kept.close()


async def test_what_was_paid_is_not_paid_again_by_a_plan_that_is_run_anew() -> None:
    run = planned(pipeline({"tool": "pay", "arguments": {"order": "A-1"}}), approval="allow")
    await run.play()
    run.message("again")
    await run.play()
    assert (PAID, outcomes(run)) == (["A-1"], {"c1": "ran", "c2": "stored"})


async def test_a_run_stopped_while_a_step_is_open_goes_on_with_it() -> None:
    run = planned(pipeline(LOOK, PAY))
    await run.play()
    run.stop()
    await run.play()
    assert (run.status, outcomes(run)) == (Status.CANCELLED, {"c1": "ran", "c2": "cancelled"})
    run.go_on()
    assert isinstance(run.next, TakeStep)
    await run.play()
    assert kinds(run)[-1] == "planned"
    assert not of(run, Decided)


async def test_a_filter_knows_the_step_of_a_plan() -> None:
    run = planned(pipeline(LOOK, LOOK))
    run.change({"hold": "step:2"})
    await run.play()
    assert [event.call for event in of(run, Held)] == ["c2"]
