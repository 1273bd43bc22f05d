"""What single events do to a state, where no whole run shows it better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from workbench.core.events import Event, ModelFailed, ModelReply, Outcome, Resumed, ToolResult, ToolStarted, UserMessage
from workbench.core.limits import before_tool
from workbench.core.records import call_signature
from workbench.core.state import State, fold
from workbench.core.statuses import Status
from workbench.core.values import Call, Header, Limits, RepeatLimit, ToolInfo

PAGE = ToolInfo(name="page", risk="read", trust="untrusted")
LOOK = ToolInfo(name="look", risk="read")


def after(events: Sequence[Event], **header: Any) -> State:
    given = {"id": "r", "goal": "g", "protocol": "native", "tools": (PAGE, LOOK), **header}
    return fold(Header(**given), [UserMessage(text="g"), *events])


def call_of(tool: str, call: str = "c1") -> ModelReply:
    return ModelReply(calls=(Call(id=call, tool=tool, arguments="{}", canonical="{}"),), reading="calls")


def called(tool: str, call: str = "c1", outcome: Outcome = "ran", **result: Any) -> list[Event]:
    """A reply with that call, and what came of it."""
    return [call_of(tool, call), ToolStarted(call=call), ToolResult(call=call, outcome=outcome, **result)]


@pytest.mark.parametrize(
    ("outcome", "tainted"), [("ran", True), ("failed", True), ("invalid", False), ("denied", False)]
)
def test_what_a_source_that_nobody_trusts_says_taints_the_run_also_as_an_error(outcome: Outcome, tainted: bool) -> None:
    assert after(called("page", outcome=outcome, trust="untrusted")).tainted is tainted
    assert not after(called("look", outcome=outcome, trust="trusted")).tainted


def test_a_follow_up_of_the_user_begins_to_count_repeats_anew() -> None:
    limits = Limits(repeats=RepeatLimit(match="call", stop=2))
    once = called("look", content="7")
    again = after([*once, call_of("look", "c2")], limits=limits)
    assert again.times_seen(call_signature(again.batch[0])) == 1
    assert before_tool(again, again.batch[0]) is not None
    anew = after([*once, UserMessage(text="And now?"), call_of("look", "c2")], limits=limits)
    assert before_tool(anew, anew.batch[0]) is None


@pytest.mark.parametrize("outcome", ["denied", "cancelled", "not_run"])
def test_a_call_that_did_not_run_for_reasons_outside_the_model_is_no_repeat(outcome: Outcome) -> None:
    twice = [*called("look", "c1", content="7"), *called("look", "c2", content="7")]
    assert after(twice).repeat == 2
    refused = [*twice, call_of("look", "c3"), ToolResult(call="c3", outcome=outcome, content="no")]
    assert after(refused).repeat == 0


@pytest.mark.parametrize(("free", "cost"), [(True, 0.0), (False, None)])
def test_a_reply_without_a_cost_costs_nothing_only_where_the_model_is_free(free: bool, cost: float | None) -> None:
    assert after([ModelReply(text="1", reading="answer", answer="1", cost=None)], free=free).cost == cost


def test_a_run_that_goes_on_after_a_failure_has_none_any_more() -> None:
    failed = after([ModelFailed(failure="unavailable")])
    assert failed.stop is not None
    failed.apply(failed.stop)
    assert (failed.failure, failed.status) == ("unavailable", Status.MODEL_UNAVAILABLE)
    failed.apply(Resumed())
    assert (failed.failure, failed.status) == ("", Status.RUNNING)
