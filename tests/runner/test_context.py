"""What a context policy does to a run: what is sent, what is recorded, and what happens where a request is too long."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runner.parts import answer, calls, kinds, make, of
from workbench.clocks import VirtualClock
from workbench.core.carried import RECALLED_FROM
from workbench.core.events import ContextChanged, Forked, ModelFailed, ModelReply, Notice, ToolResult
from workbench.core.loop import AskModel
from workbench.core.state import State, fold
from workbench.core.statuses import Status
from workbench.core.values import ContextPolicy, Limits, ModelInfo, Prices
from workbench.models.scripted import Line, ScriptedModel
from workbench.runner import CommandError, Run
from workbench.toolkit.api import ToolError, tool

LONG = "\n".join(f"{number:02} a line of the log" for number in range(30))


@tool(risk="read", inline=True)
def read(page: int) -> str:
    """A long page."""
    return f"page {page}\n{LONG}"


@tool(risk="read", inline=True, source=RECALLED_FROM)
def recall(key: str) -> str:
    """What was folded."""
    raise ToolError(f"nothing is kept under {key}")


def reads(*pages: int) -> list[Line]:
    return [calls(("read", {"page": page})) for page in pages]


def run_with(
    policy: ContextPolicy | None, lines: list[Line], *, summaries: list[Line] | None = None, **more: Any
) -> Run:
    clock = VirtualClock()
    model = ScriptedModel(lines, clock=clock, summaries=summaries or [], file="script.toml")
    return make(lines, read, recall, model=model, clock=clock, context=policy, **more)


def sent(state: State, request: int = -1) -> list[str]:
    """The messages of a request, as role and first word or two."""
    texts = [f"{m.role} {m.text.split(chr(10))[0]}".strip() for m in list(state.requests)[request].sent]
    return [text if len(text) < 80 else text[:80] for text in texts]


WINDOW = ContextPolicy(policy="window", keep=1)


async def test_a_window_keeps_the_goal_and_the_latest_steps_and_says_what_it_left_out() -> None:
    run = run_with(WINDOW, [*reads(1, 2, 3), answer()])
    await run.play()
    assert run.status is Status.ANSWERED
    assert sent(run.state, 1) == ["user go", "assistant", "tool page 1"]
    assert sent(run.state, 2) == ["user go", "notice 2 earlier messages are left out here.", "assistant", "tool page 2"]
    assert sent(run.state, 3) == ["user go", "notice 4 earlier messages are left out here.", "assistant", "tool page 3"]
    assert len(run.state.messages) == 8
    first, second = of(run, ContextChanged)
    assert (first.messages, second.messages) == (2, 2)
    assert first.before - first.after > 200


async def test_what_the_user_said_is_never_left_out() -> None:
    run = run_with(WINDOW, [*reads(1), answer("one"), *reads(2, 3), answer("two")])
    await run.play()
    run.message("and then?")
    await run.play()
    assert [text for text in sent(run.state) if text.startswith("user")] == ["user go", "user and then?"]
    assert sent(run.state)[:3] == ["user go", "notice 5 earlier messages are left out here.", "user and then?"]


async def test_a_window_with_a_threshold_waits_for_it_and_a_change_is_an_event_before_the_request() -> None:
    full = run_with(None, [*reads(1, 2, 3), answer()])
    await full.play()
    second, third = (list(full.state.requests)[n].tokens for n in (1, 2))
    run = run_with(ContextPolicy(policy="window", keep=1, at=(second + third) // 2), [*reads(1, 2, 3), answer()])
    await run.play()
    assert [kind for kind in kinds(run) if kind in ("context_changed", "model_reply")] == [
        *("model_reply", "model_reply", "context_changed", "model_reply"),
        *(["context_changed"] if run.state.requests[2].tokens + third - second > (second + third) // 2 else []),
        "model_reply",
    ]


async def test_a_folded_result_keeps_its_beginning_and_the_whole_of_it_can_be_had_again() -> None:
    run = run_with(
        ContextPolicy(policy="fold", keep=1, chars=20),
        [*reads(1, 2), calls(("recall", {"key": "c1"})), calls(("recall", {"key": "c9"})), answer()],
    )
    await run.play()
    (change, *_) = of(run, ContextChanged)
    assert change.folded["c1"].startswith("page 1\n00 a line of […folded: 19 of ")
    assert 'recall {"key": "c1"} gives all of it' in change.folded["c1"]
    results = {event.call: event for event in of(run, ToolResult)}
    assert results["c3"].content == read(1)
    assert results["c4"].outcome == "failed"
    assert results["c4"].content == "No result is kept under that key; there are c1, c2."
    assert [m.role for m in run.state.sent] == [m.role for m in run.state.messages]
    assert run.state.tool_calls == 4


async def test_what_is_recalled_is_trusted_as_little_as_when_it_was_read_first() -> None:
    @tool(risk="read", inline=True, trust="untrusted")
    def fetch() -> str:
        """A page."""
        return LONG

    lines = [calls(("fetch", {})), *reads(1), calls(("recall", {"key": "c1"})), answer()]
    run = make(lines, read, fetch, recall, context=ContextPolicy(policy="fold", keep=1))
    await run.play()
    assert [event.trust for event in of(run, ToolResult)] == ["untrusted", "trusted", "untrusted"]


async def test_without_the_tool_a_fold_does_not_speak_of_it() -> None:
    run = make([*reads(1, 2), answer()], read, context=ContextPolicy(policy="fold", keep=1))
    await run.play()
    assert "recall" not in of(run, ContextChanged)[0].folded["c1"]


async def test_a_tool_of_somebodys_own_that_is_called_recall_is_theirs() -> None:
    @tool(risk="read", inline=True, source="memory")
    def recall(query: str) -> str:
        """Search the memory."""
        return f"{query}: blue"

    lines = [*reads(1, 2), calls(("recall", {"query": "door"})), answer("${last}")]
    run = make(lines, read, recall, context=ContextPolicy(policy="fold", keep=1))
    await run.play()
    assert run.state.answer == "door: blue"
    assert "recall" not in of(run, ContextChanged)[0].folded["c1"], "it gives no folded result again"


SUMMARISE = ContextPolicy(policy="summarise", keep=1)


async def test_a_summary_is_a_request_of_its_own_and_costs_what_it_costs() -> None:
    run = run_with(
        SUMMARISE,
        [*reads(1, 2), answer()],
        summaries=[Line(text="Page 1 is a log.", delay=2.0)],
        free=False,
        prices=Prices(input=1, output=1),
    )
    await run.play()
    (change,) = of(run, ContextChanged)
    assert change.replacement == "Page 1 is a log."
    assert change.took == 2.0
    assert sent(run.state) == [
        "user go",
        "notice Summary of what was said before, in your own words:",
        "assistant",
        "tool page 2",
    ]
    marks = list(run.state.requests)
    assert [mark.purpose for mark in marks] == ["step", "step", "summary", "step"]
    assert [m.role for m in marks[2].sent] == ["user", "assistant", "tool", "notice"]
    assert run.state.model_calls == 4
    assert run.state.total_steps == 3
    assert run.state.input_tokens == sum(mark.tokens for mark in marks)
    replies = [event.cost or 0.0 for event in of(run, ModelReply)]
    assert change.cost is not None
    assert run.state.cost == pytest.approx(sum(replies) + change.cost)
    assert run.state.seconds == 2.0


async def test_a_later_summary_takes_the_earlier_one_in() -> None:
    run = run_with(SUMMARISE, [*reads(1, 2, 3), answer()], summaries=[Line(text="one"), Line(text="one and two")])
    await run.play()
    assert [m.text.split("\n")[-1] for m in run.state.requests[4].sent][1] == "one"
    assert sent(run.state)[1:3] == ["notice Summary of what was said before, in your own words:", "assistant"]
    assert "one and two" in run.state.sent[1].text


@pytest.mark.parametrize(
    ("summaries", "status"),
    [
        ([], Status.SCRIPT_EXHAUSTED),
        ([Line(fail="auth")], Status.MODEL_REJECTED),
        ([Line(fail="timeout")] * 3, Status.MODEL_UNAVAILABLE),
        ([Line(text=" ")], Status.MODEL_UNAVAILABLE),
        ([Line(text="I will not", finish="refused")], Status.MODEL_UNAVAILABLE),
    ],
)
async def test_a_summary_can_fail_as_any_request(summaries: list[Line], status: Status) -> None:
    run = run_with(SUMMARISE, [*reads(1, 2), answer()], summaries=summaries)
    await run.play()
    assert run.status is status
    assert of(run, ModelFailed)[-1].purpose == "summary"
    assert run.state.requests[-1].purpose == "summary"


async def test_after_a_failed_summary_the_next_one_is_due() -> None:
    run = run_with(SUMMARISE, [*reads(1, 2), answer()], summaries=[Line(fail="auth"), Line(text="a log")])
    await run.play()
    run.go_on()
    await run.play()
    assert run.status is Status.ANSWERED
    assert of(run, ContextChanged)[0].replacement == "a log"


async def test_attempts_that_a_summary_took_are_used_up() -> None:
    summaries = [Line(fail="timeout"), Line(text="one"), Line(text="two")]
    run = run_with(SUMMARISE, [*reads(1, 2, 3), answer()], summaries=summaries)
    await run.play()
    assert [(c.replacement, c.attempts) for c in of(run, ContextChanged)] == [("one", 2), ("two", 1)]


async def test_a_summary_that_was_cut_off_is_used_and_people_are_told() -> None:
    run = run_with(SUMMARISE, [*reads(1, 2), answer()], summaries=[Line(text="Page 1 is a", finish="length")])
    await run.play()
    assert of(run, ContextChanged)[0].notes == ("the summary was cut off by its length limit",)


async def test_a_summary_in_the_words_of_the_protocol_is_read_as_the_answer_it_is() -> None:
    lines = [Line(text=f'ACTION: read {{"page": {n}}}') for n in (1, 2)]
    run = run_with(
        SUMMARISE, [*lines, Line(text="ANSWER: done")], summaries=[Line(text="ANSWER: a log")], protocol="text"
    )
    await run.play()
    assert run.status is Status.ANSWERED
    assert "own words:\na log" in run.state.sent[1].text


async def test_the_task_is_restated_as_the_latest_message_and_is_no_observation() -> None:
    run = run_with(
        ContextPolicy(policy="restate", every=2),
        [*reads(1, 2), Line(text="${last}"), *reads(3), answer()],
        limits=Limits(steps=9),
    )
    await run.play()
    (note,) = of(run, Notice)
    assert note.topic == "restated"
    assert note.text.split("\n") == [
        "The task is still: go",
        "Limits: 7 of 9 steps left",
        "Done: read 2 times",
        'Latest: read {"page":1}; read {"page":2}',
    ]
    assert sent(run.state)[-1].startswith("notice The task is still: go")
    assert run.state.answer == read(2)


# ---------------------------------------------------------------- requests that are too long


OVERFLOW = Line(fail="context_overflow")


@pytest.mark.parametrize("name", ["window", "fold", "summarise"])
async def test_a_request_that_the_provider_refuses_is_made_shorter_and_sent_again(name: Any) -> None:
    policy = ContextPolicy(policy=name, keep=3, at=1_000_000)
    run = run_with(policy, [*reads(1, 2), OVERFLOW, answer()], summaries=[Line(text="a log")])
    await run.play()
    assert run.status is Status.ANSWERED
    (change,) = of(run, ContextChanged)
    assert change.cause == "context_overflow"
    assert kinds(run)[-4:] == ["model_failed", "context_changed", "model_reply", "stopped"]


@pytest.mark.parametrize("name", ["window", "fold", "summarise"])
async def test_it_is_made_shorter_once_and_then_the_run_stops(name: Any) -> None:
    policy = ContextPolicy(policy=name, keep=3, at=1_000_000)
    run = run_with(policy, [*reads(1, 2), OVERFLOW, OVERFLOW, answer()], summaries=[Line(text="a log")])
    await run.play()
    assert run.status is Status.CONTEXT_WINDOW_EXCEEDED
    assert len(of(run, ContextChanged)) == 1


@pytest.mark.parametrize("how", ["go on", "a message", "a fork"])
async def test_a_run_that_stopped_at_it_may_be_made_shorter_once_more_when_it_goes_on(how: str) -> None:
    policy = ContextPolicy(policy="window", keep=3, at=1_000_000)
    lines = [*reads(1, 2, 3, 4), OVERFLOW, OVERFLOW, OVERFLOW, answer()]
    run = run_with(policy, lines)
    await run.play()
    assert run.status is Status.CONTEXT_WINDOW_EXCEEDED
    if how == "go on":
        run.go_on()
    elif how == "a message":
        run.message("and now?")
    else:
        run = run_with(policy, lines, events=[*run.events, Forked(parent="run", at=len(run.events))])
    await run.play()
    assert run.status is Status.ANSWERED
    assert kinds(run)[-4:] == ["model_failed", "context_changed", "model_reply", "stopped"]


@pytest.mark.parametrize("policy", [None, ContextPolicy(policy="restate", every=9), ContextPolicy(policy="window")])
async def test_where_nothing_can_be_taken_out_the_run_stops(policy: ContextPolicy | None) -> None:
    run = run_with(policy, [*reads(1), OVERFLOW, answer()])
    await run.play()
    assert run.status is Status.CONTEXT_WINDOW_EXCEEDED
    assert of(run, ContextChanged) == []


async def test_a_summary_that_does_not_fit_either_ends_the_run() -> None:
    run = run_with(
        ContextPolicy(policy="summarise", keep=1, at=1_000_000), [*reads(1, 2), OVERFLOW], summaries=[OVERFLOW]
    )
    await run.play()
    assert run.status is Status.CONTEXT_WINDOW_EXCEEDED
    assert [event.purpose for event in of(run, ModelFailed)] == ["step", "summary"]


@pytest.mark.parametrize("name", ["window", "fold", "summarise"])
async def test_a_cap_on_the_context_is_a_reason_to_take_something_out_before_it_is_one_to_stop(name: Any) -> None:
    policy = ContextPolicy(policy=name, keep=2, at=1_000_000)
    run = run_with(
        policy, [*reads(1, 2, 3), answer()], summaries=[Line(text="a log")] * 3, limits=Limits(context_tokens=700)
    )
    await run.play()
    assert run.status is Status.ANSWERED
    assert {change.cause for change in of(run, ContextChanged)} == {"limits.context_tokens"}
    assert all(mark.tokens <= 700 for mark in run.state.requests)


# ---------------------------------------------------------------- while it runs, and afterwards


async def test_the_policy_can_be_changed_while_the_run_lives() -> None:
    run = run_with(None, [*reads(1, 2, 3), answer()])
    for _ in range(4):
        await run.step()
    run.change({"context.policy": "window", "context.keep": 1})
    await run.play()
    assert sent(run.state)[1] == "notice 4 earlier messages are left out here."
    with pytest.raises(CommandError, match=r"context.keep must be a whole number above 0, not 0"):
        run.change({"context.keep": 0})
    with pytest.raises(CommandError, match=r"there is no context.size; there are policy, keep, at, chars, every"):
        run.change({"context.size": 3})
    with pytest.raises(CommandError, match="none, window, fold, summarise, restate, not 'compact'"):
        run.change({"context.policy": "compact"})


async def test_what_is_next_is_the_request_for_the_summary() -> None:
    run = run_with(SUMMARISE, [*reads(1, 2), answer()], summaries=[Line(text="a log")])
    for _ in range(4):
        await run.step()
    assert isinstance(run.next, AskModel)
    assert run.next.older is not None
    await run.step()
    assert run.events[-1].kind == "context_changed"
    assert isinstance(run.next, AskModel)
    assert run.next.older is None


@pytest.mark.parametrize("name", ["window", "fold", "summarise", "restate"])
async def test_a_run_that_is_killed_at_any_point_sends_the_same_requests(name: Any) -> None:
    policy = ContextPolicy(policy=name, keep=1, chars=20, every=2)
    lines, summaries = [*reads(1, 2, 3), answer()], [Line(text="one"), Line(text="two")]
    whole = run_with(policy, lines, summaries=summaries)
    await whole.play()
    for cut in range(1, len(whole.events)):
        if whole.events[cut - 1].kind == "tool_started":
            continue  # a person is asked what came of it
        part = run_with(policy, lines, summaries=summaries, events=whole.events[:cut])
        await part.play()
        assert [list(mark.sent) for mark in part.state.requests] == [list(mark.sent) for mark in whole.state.requests]
        assert part.events == whole.events


@pytest.mark.parametrize("name", ["window", "fold", "summarise", "restate"])
async def test_a_fork_sends_what_its_parent_sent_from_there(name: Any) -> None:
    policy = ContextPolicy(policy=name, keep=1, chars=20, every=2)
    lines, summaries = [*reads(1, 2, 3), answer()], [Line(text="one"), Line(text="two")]
    parent = run_with(policy, lines, summaries=summaries)
    await parent.play()
    for mark in parent.state.requests:
        branch = [*parent.events[: mark.n - 1], Forked(parent="run", at=mark.n - 1)]
        fork = run_with(policy, lines, summaries=summaries, events=branch)
        await fork.step()
        texts = [[(m.role, m.text) for m in each.sent] for each in (mark, fork.state.requests[-1])]
        assert texts[0] == texts[1]


async def test_an_event_about_nothing_that_is_sent_cannot_follow() -> None:
    run = run_with(None, [*reads(1), answer()])
    await run.play()
    for event in (
        ContextChanged(policy="window", first=90, last=99),
        ContextChanged(policy="fold", first=1, last=9, folded={"c7": "short"}),
    ):
        with pytest.raises(ValueError, match="that could be"):
            fold(run.header, [*run.events, event])


async def test_a_script_is_counted_anew_when_another_one_is_chosen() -> None:
    run = run_with(SUMMARISE, [*reads(1, 2), answer()], summaries=[Line(text="one")])
    await run.play()
    assert run.state.carried.summaries == 1
    run.ask(run.model, ModelInfo(table={"use": "scripted"}), run.tools)
    assert run.state.carried.summaries == 0
