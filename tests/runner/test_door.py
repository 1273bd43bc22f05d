"""What is held at the door: results and replies, what is done to them there, and what is left of it afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.runner.parts import Kept, answer, calls, kinds, make, of, outcomes
from workbench.core.events import Held, HeldReply, ModelReply, ToolResult
from workbench.core.loop import AskPerson
from workbench.core.statuses import Status
from workbench.core.values import Fault, Limits, RawCall
from workbench.models.scripted import Line
from workbench.runner import CommandError, Run
from workbench.toolkit.api import ToolError, tool


@tool(risk="read", source="shelf", inline=True)
def count(shelf: str) -> int:
    """Books on a shelf."""
    if shelf == "none":
        raise ToolError("there is no such shelf")
    return len(shelf) * 10


@tool(risk="outward", timeout=20.0, inline=True)
def pay(order: str) -> str:
    """Pays once."""
    return f"paid {order}"


def a_count(shelf: str) -> tuple[str, dict[str, Any]]:
    return "count", {"shelf": shelf}


async def holding(hold: bool | str, *lines: Line, **header: Any) -> Run:
    """A run that has come to what it holds first, or to its end."""
    run = make(lines, count, pay, **header)
    await run.advance()
    run.change({"hold": hold})
    await run.play()
    return run


def asked(run: Run) -> str:
    """What a person is asked about: a call, or "reply"."""
    move = run.next
    if not isinstance(move, AskPerson) or move.question.on != "hold":
        return ""
    return move.question.calls[0].call.id if move.question.calls else "reply"


# ---------------------------------------------------------------- which

TWO = calls(a_count("north"), a_count("none"))


@pytest.mark.parametrize(
    ("hold", "stops"),
    [
        (True, ["c1", "c2"]),
        (False, []),
        ("arg:shelf=north", ["c1"]),
        ("error", ["c2"]),
        ("tool:pay", []),
        ("reply", ["reply", "reply"]),
        ("reply tool:count", ["reply"]),
        ("reply or result step:1", ["reply", "c1", "c2", "reply"]),
        ("text:shelf not error", []),
    ],
)
async def test_what_the_filter_says_waits(hold: bool | str, stops: list[str]) -> None:
    run = await holding(hold, TWO, answer("80"))
    seen = []
    while what := asked(run):
        assert run.status is Status.AWAITING_PERSON
        seen.append(what)
        run.let_in() if what == "reply" else run.release(what)
        await run.play()
    assert seen == stops
    assert (run.state.answer, outcomes(run)) == ("80", {"c1": "ran", "c2": "failed"})


async def test_what_is_decided_when_it_comes_counts_not_what_held_when_it_was_asked_for() -> None:
    run = make([answer("50")], count)
    await run.advance()
    run.subscribe_signals(lambda _: run.change({"hold": "reply"}) if run.state.hold is None else None)
    await run.play()
    assert asked(run) == "reply"
    assert of(run, HeldReply)[0].asked == 1


# ---------------------------------------------------------------- a reply


async def test_nothing_of_a_held_reply_is_believed_before_it_is_let_in() -> None:
    run = await holding("reply", calls(a_count("a"), text="Looking.", delay=2.0))
    state = run.state
    assert kinds(run)[-1] == "held_reply"
    assert (state.steps, state.model_calls, state.call_count, len(state.messages)) == (0, 0, 0, 1)
    held = of(run, HeldReply)[0]
    assert (held.text, held.calls, held.took, held.line) == ("Looking.", (RawCall("count", '{"shelf": "a"}'),), 2.0, 0)
    run.let_in()
    reply = of(run, ModelReply)[0]
    assert (reply.text, reply.calls[0].id, reply.took, reply.asked) == ("Looking.", "c1", 2.0, held.asked)
    assert (reply.changed, reply.passed_by) == (False, "person")
    assert state.held_reply is None


async def test_a_held_reply_that_is_rewritten_keeps_what_the_model_said() -> None:
    run = await holding("reply", calls(a_count("a"), text="Looking."))
    run.let_in("140 books")
    reply = of(run, ModelReply)[0]
    assert (reply.reading, reply.answer, reply.finish, reply.changed_by) == ("answer", "140 books", "stop", "you")
    assert '"tool": "count", "arguments": {"shelf": "a"}' in reply.original
    assert (run.state.script_line, run.state.script_served) == (0, 1)
    await run.play()
    assert (run.status, run.state.answer) == (Status.ANSWERED, "140 books")


async def test_a_reply_that_was_cut_off_is_believed_when_a_person_writes_it_anew() -> None:
    run = await holding("reply", Line(text="14", finish="length"))
    run.let_in("140")
    await run.play()
    assert run.state.answer == "140"


async def test_a_fault_can_strike_a_held_reply_and_be_taken_back() -> None:
    run = await holding("reply", answer("140"))
    run.strike(Fault(on="reply", do="prose"))
    run.strike(Fault(on="reply", do="delay", seconds=3.0))
    changed = run.state.held_reply
    assert changed is not None
    assert (changed.original, changed.changed_by, changed.took) == ("140", "fault prose", 3.0)
    assert changed.faults == ("prose", "delay")
    assert asked(run) == "reply"
    run.put_back()
    assert run.state.held_reply == run.state.held_replies[0]
    run.strike(Fault(on="reply", do="prose"))
    run.let_in("ANSWER: 7")
    reply = of(run, ModelReply)[0]
    assert (reply.original, reply.changed_by) == ("140", "fault prose, you")


async def test_a_run_that_is_stopped_while_a_reply_is_held_knows_what_it_cost_and_runs_nothing() -> None:
    run = await holding("reply", calls(a_count("a"), a_count("b")))
    run.stop()
    await run.play()
    assert run.status is Status.CANCELLED
    assert outcomes(run) == {"c1": "not_run", "c2": "not_run"}
    reply = of(run, ModelReply)[0]
    assert (reply.reading, reply.changed, run.state.model_calls, run.state.tool_calls) == ("blocked", False, 1, 0)
    assert reply.problem.startswith("The run was stopped while this reply was held")
    run.message("And now?")
    assert run.state.status is Status.RUNNING


async def test_a_held_reply_survives_a_crash_and_is_not_asked_for_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path, [calls(a_count("north")), answer("${result1}")], count)
    run = kept.open()
    await run.advance()
    run.change({"hold": "reply"})
    await run.play()
    run.strike(Fault(on="reply", do="delay", seconds=1.0))
    again = kept.open()
    assert asked(again) == "reply"
    assert again.state.held_replies == run.state.held_replies
    again.let_in()
    again.change({"hold": False})
    await again.play()
    assert (again.state.answer, again.state.model_calls, again.state.seconds) == ("50", 2, 1.0)
    kept.close()


async def test_what_is_armed_while_a_reply_is_held_strikes_the_next_one() -> None:
    run = await holding("reply", calls(a_count("north")), answer("50"), answer("51"))
    run.arm(Fault(on="reply", do="prose", nth=1))
    run.let_in()
    run.change({"hold": False})
    await run.play()
    first, second = of(run, ModelReply)
    assert (first.faults, second.faults) == ((), ("prose",))


async def test_no_message_comes_between_a_request_and_its_held_reply() -> None:
    run = await holding("reply", answer("1"))
    with pytest.raises(CommandError, match="no reply is held"):
        run.message("psst")


# ---------------------------------------------------------------- a result


async def test_what_a_fault_makes_of_a_held_result_can_be_taken_back() -> None:
    run = await holding(True, calls(a_count("north")), answer("${result1}"))
    run.strike(Fault(on="result", do="error", text="no"), "c1")
    run.strike(Fault(on="result", do="delay", seconds=4.0), "c1")
    held = run.state.batch[0].held
    assert held is not None
    assert (held.outcome, held.content, held.original, held.original_outcome) == ("failed", "no", "50", "ran")
    assert (held.took, held.changed_by, held.faults) == (4.0, "fault error", ("error", "delay"))
    run.put_back("c1")
    run.release("c1")
    result = of(run, ToolResult)[0]
    assert (result.outcome, result.content, result.changed, result.took) == ("ran", "50", False, 4.0)
    assert [held.content for held in of(run, Held)] == ["50", "no", "no", "50"]
    await run.play()
    assert run.state.answer == "50"


async def test_a_delay_at_the_door_that_outlasts_the_tool_is_one_that_was_given_up() -> None:
    run = await holding(True, calls(("pay", {"order": "A"})), calls(("pay", {"order": "A"})), approval="allow")
    run.strike(Fault(on="result", do="delay", seconds=30.0), "c1")
    held = run.state.batch[0].held
    assert held is not None
    assert (held.outcome, held.took, held.original_outcome) == ("unknown", 20.0, "ran")
    run.release("c1")
    await run.play()
    assert outcomes(run) == {"c1": "unknown", "c2": "stored"}, "what it did is known here, so it is done once"


async def test_a_delay_counts_as_time_of_the_run() -> None:
    run = await holding(True, calls(a_count("a")), answer("1"), limits=Limits(seconds=5))
    run.strike(Fault(on="result", do="delay", seconds=6.0), "c1")
    run.release("c1")
    await run.play()
    assert run.status is Status.DEADLINE_EXCEEDED


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (lambda run: run.let_in(), "no reply is held"),
        (lambda run: run.put_back(), "no reply is held"),
        (lambda run: run.put_back("c1"), "nothing was changed here"),
        (lambda run: run.release("c2"), "c2 is not held"),
        (lambda run: run.strike(Fault(on="result", do="drop"), "c9"), "c9 is not held"),
        (lambda run: run.strike(Fault(on="result", do="drop")), "no reply is held"),
        (lambda run: run.strike(Fault(on="tool", do="drop"), "c1"), "drop cannot strike a result that is there already"),
        (lambda run: run.strike(Fault(on="result", do="crash"), "c1"), "crash cannot strike a result"),
        (lambda run: run.strike(Fault(on="result", do="reorder"), "c1"), "reorder finds nothing to change in this result"),
        (lambda run: run.disarm(0), "there is no such armed fault"),
    ],
)  # fmt: skip
async def test_what_cannot_be_done_at_the_door_is_said_and_not_recorded(act: Any, sentence: str) -> None:
    run = await holding(True, calls(a_count("north")))
    before = list(run.events)
    with pytest.raises(CommandError, match=sentence):
        act(run)
    assert run.events == before


async def test_a_call_that_a_fault_kept_from_running_gave_nothing_to_go_back_to() -> None:
    fault = Fault(on="tool", do="error", text="down")
    run = await holding(True, calls(a_count("north")), faults=(fault,))
    with pytest.raises(CommandError, match="the tool gave nothing to go back to"):
        run.put_back("c1")
    run.release("c1")
    assert (of(run, ToolResult)[0].content, of(run, ToolResult)[0].original_outcome) == ("down", "not_run")


# ---------------------------------------------------------------- given up


async def test_a_call_that_acts_and_was_given_up_is_asked_about_before_it_is_made_again() -> None:
    fault = Fault(on="tool", do="timeout", seconds=3.0, nth=1)
    twice = calls(("pay", {"order": "A"}))
    run = make([twice, twice, answer()], count, pay, approval="allow", faults=(fault,))
    await run.play()
    assert (run.status, outcomes(run)) == (Status.AWAITING_APPROVAL, {"c1": "unknown"})
    run.decide("c2", "allow")
    await run.play()
    assert outcomes(run) == {"c1": "unknown", "c2": "ran"}


async def test_a_call_that_only_reads_and_was_given_up_is_made_again() -> None:
    fault = Fault(on="tool", do="timeout", seconds=3.0, nth=1)
    run = make([calls(a_count("a")), calls(a_count("a")), answer()], count, faults=(fault,))
    await run.play()
    assert outcomes(run) == {"c1": "failed", "c2": "ran"}
