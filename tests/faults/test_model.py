from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.faults.runs import MUGS, counts, failures, fault, make_run, played, replies, said
from workbench.core.faults import KINDS
from workbench.core.ports import ModelFailure, NobodyThere, OnSignal, Reply, Request, Signal
from workbench.core.statuses import Status
from workbench.core.values import Header
from workbench.faults.model import RETRIED, RETRIES
from workbench.models.scripted import Line

LINES = [said("native", MUGS), said("native", answer="140 mugs")]


@pytest.mark.parametrize("do", [kind for kind in KINDS["provider"] if kind in RETRIED])
async def test_a_passing_failure_is_retried_inside_the_call(do: str) -> None:
    run = await played(fault("provider", do, nth=1), lines=LINES)
    first, second = replies(run)
    assert (first.attempts, first.faults, first.changed) == (2, (do,), False)
    assert (second.attempts, second.faults) == (1, ())
    assert (run.status, run.state.model_calls, run.state.steps) == (Status.ANSWERED, 2, 2)
    assert counts(run) == [(3, 1)], "each attempt is an occurrence"


@pytest.mark.parametrize("do", [kind for kind in KINDS["provider"] if kind in RETRIED])
async def test_a_failure_that_does_not_pass_stops_the_run_after_the_retries(do: str) -> None:
    run = await played(fault("provider", do), lines=LINES)
    (failure,) = failures(run)
    assert (failure.failure, failure.attempts, failure.faults) == (do, RETRIES + 1, (do,) * (RETRIES + 1))
    assert run.status is Status.MODEL_UNAVAILABLE
    assert counts(run) == [(RETRIES + 1, RETRIES + 1)]


@pytest.mark.parametrize(
    ("do", "status"),
    [
        ("auth", Status.MODEL_REJECTED),
        ("quota", Status.MODEL_REJECTED),
        ("bad_request", Status.MODEL_REJECTED),
        ("context_overflow", Status.CONTEXT_WINDOW_EXCEEDED),
    ],
)
async def test_what_no_retry_helps_stops_the_run_at_once(do: str, status: Status) -> None:
    run = await played(fault("provider", do, name="x"), lines=LINES)
    (failure,) = failures(run)
    assert (failure.failure, failure.attempts, failure.detail) == (do, 1, "made by fault x")
    assert run.status is status


async def test_how_often_is_tried_again_is_the_scenarios_to_say() -> None:
    def never(header: Header) -> Header:
        return replace(header, scenario={"model": {"retries": 0}})

    run = await played(fault("provider", "unavailable", nth=1), lines=LINES, header=never)
    assert [failure.attempts for failure in failures(run)] == [1]


async def test_a_run_that_was_stopped_goes_on_where_the_model_was_not_heard() -> None:
    run = await played(fault("provider", "unavailable", times=3), lines=LINES)
    assert run.status is Status.MODEL_UNAVAILABLE
    run.go_on()
    await run.play()
    assert (run.status, run.state.answer) == (Status.ANSWERED, "140 mugs")


async def test_waiting_takes_time_and_is_shown() -> None:
    run = make_run([fault("provider", "rate_limited", nth=1, seconds=2)], LINES)
    signals: list[Signal] = []
    run.subscribe_signals(signals.append)
    await run.play()
    assert replies(run)[0].took == 2
    assert signals[0] == Signal("retry", "rate_limited: trying again", 2.0)
    assert [reply.took for reply in replies(await played(fault("provider", "timeout", nth=1), lines=LINES))] == [60, 0]
    slow = await played(fault("provider", "delay", seconds=10, every=2), lines=LINES)
    assert [(reply.took, reply.faults) for reply in replies(slow)] == [(0, ()), (10, ("delay",))]


async def test_a_stream_that_is_cut_was_seen_half_and_is_kept_whole_for_people() -> None:
    lines = [said("text", answer="one hundred and forty")]
    run = make_run([fault("provider", "cut_stream", times=3)], lines, protocol="text")
    streamed: list[str] = []
    run.subscribe_signals(lambda signal: streamed.append(signal.text) if signal.kind == "delta" else None)
    await run.play()
    (failure,) = failures(run)
    whole = "THOUGHT: that is all.\nANSWER: one hundred and forty"
    assert failure.original == whole
    assert failure.partial == whole[: len(whole) // 2]
    assert streamed == [failure.partial] * 3
    assert (failure.line, failure.served) == (-1, 0), "the line has not been said"
    run.go_on()
    await run.play()
    assert run.state.answer == "one hundred and forty"


async def test_what_is_streamed_is_what_is_read() -> None:
    run = make_run([fault("reply", "prose", text="no idea", nth=1)], [said("text", MUGS)], protocol="text")
    streamed: list[str] = []
    run.subscribe_signals(lambda signal: streamed.append(signal.text) if signal.kind == "delta" else None)
    await run.step()
    assert "".join(streamed) == replies(run)[0].text == "no idea"


async def test_failures_of_the_model_itself_come_on_top() -> None:
    lines = [Line(fail="rate_limited"), said("native", answer="x")]
    run = await played(fault("provider", "unavailable", nth=1), lines=lines)
    assert (replies(run)[0].attempts, run.status) == (3, Status.ANSWERED)
    assert counts(run) == [(3, 1)]
    run = await played(fault("provider", "unavailable", nth=1), lines=[Line(fail="auth")])
    (failure,) = failures(run)
    assert (failure.failure, failure.attempts, failure.faults) == ("auth", 2, ("unavailable",))
    run = await played(fault("provider", "cut_stream", nth=1), lines=[])
    assert (run.status, failures(run)[0].attempts) == (Status.SCRIPT_EXHAUSTED, 1)


async def test_reply_faults_count_replies_and_not_failures() -> None:
    down, prose = fault("provider", "unavailable", times=3), fault("reply", "prose", nth=1)
    run = await played(down, prose, lines=LINES)
    assert counts(run) == [(3, 3), (0, 0)]
    run.go_on()
    await run.play()
    assert replies(run)[0].changed_by == "fault prose"
    assert counts(run) == [(4, 3), (1, 1)]


async def test_a_fault_that_is_armed_during_a_request_begins_with_the_next() -> None:
    class Arming:
        name = "arming"

        async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
            if request.state.total_steps == 0:
                first = {"on": "provider", "do": "delay", "seconds": 0, "name": "there"}
                late: dict[str, Any] = {"on": "provider", "do": "bad_request", "nth": 1, "name": "late"}
                prose = {"on": "reply", "do": "prose", "nth": 1, "name": "prose"}
                run.change({"faults": [first, late, prose]})
            return Reply(text="", finish="stop")

    run = make_run([fault("provider", "delay", seconds=0, name="there")], [])
    run.model = Arming()
    await run.step()
    assert (replies(run)[0].faults, replies(run)[0].asked) == (("there",), 1)
    assert counts(run) == [(1, 1), (0, 0), (0, 0)]
    await run.play()
    assert failures(run)[0].faults == ("there", "late")
    assert counts(run) == [(2, 2), (1, 1), (0, 0)]


async def test_a_model_that_is_a_person_who_is_not_there_is_asked_again() -> None:
    class Absent:
        name = "absent"

        async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
            raise NobodyThere

    run = make_run([fault("provider", "unavailable", nth=1)], [])
    run.model = Absent()
    await run.play()
    assert (run.status, counts(run)) == (Status.AWAITING_PERSON, [(0, 0)])


async def test_without_faults_the_model_is_asked_directly() -> None:
    class Failing:
        name = "failing"

        async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
            raise ModelFailure("auth", "no")

    run = make_run([], [])
    run.model = Failing()
    await run.play()
    assert failures(run)[0].faults == ()
