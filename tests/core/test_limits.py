"""Where exactly a cap forbids the next step: what just fits is done, and what is full is full."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.events import ModelReply, UserMessage
from workbench.core.limits import before_request, changed
from workbench.core.state import State, fold
from workbench.core.statuses import Status
from workbench.core.values import Header, Limits, Prices


def state_with(limits: Limits | None = None, **header: Any) -> State:
    """A run that has been given its goal and asked nothing yet."""
    given = {"id": "r", "goal": "Count the mugs.", "limits": limits or Limits(), **header}
    return fold(Header(**given), [UserMessage(text="Count the mugs.")])


COMING = state_with().context_tokens
"""Estimated tokens of the first request."""


@pytest.mark.parametrize("name", ["input_tokens", "total_tokens", "context_tokens"])
def test_a_request_that_just_fits_is_sent(name: str) -> None:
    assert before_request(state_with(changed(Limits(), name, COMING))) is None
    breach = before_request(state_with(changed(Limits(), name, COMING - 1)))
    assert breach is not None
    assert (breach.knob, breach.limit) == (f"limits.{name}", COMING - 1)


def test_a_request_that_just_fits_the_window_of_the_model_is_sent() -> None:
    assert before_request(state_with(context_window=COMING)) is None
    breach = before_request(state_with(context_window=COMING - 1))
    assert breach is not None
    assert (breach.status, breach.knob) == (Status.CONTEXT_WINDOW_EXCEEDED, "model.context_window")


@pytest.mark.parametrize(("cost", "sent"), [(0.009, True), (0.01, False), (0.011, False)])
def test_money_that_is_spent_is_spent_also_where_reading_costs_nothing(cost: float, sent: bool) -> None:
    state = state_with(Limits(cost=0.01), free=False, prices=Prices(input=0, output=1))
    state.apply(ModelReply(text="?", reading="malformed", problem="no", cost=cost))
    state.apply(state.due[0])
    breach = before_request(state)
    assert (breach is None) is sent
    assert breach is None or breach.status is Status.COST_BUDGET_EXHAUSTED
