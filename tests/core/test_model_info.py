from __future__ import annotations

from typing import Any

import pytest

from workbench.core.events import ModelReply, SettingsChanged
from workbench.core.limits import before_request
from workbench.core.model_info import model_from, model_to
from workbench.core.state import State
from workbench.core.values import Header, Limits, ModelInfo, Prices

LIVE = ModelInfo(
    use="openai",
    name="m-1",
    base_url="http://127.0.0.1:1/v1",
    shown="m-1",
    free=False,
    prices=Prices(input=3.0, output=15.0, cache_read=0.3),
    context_window=100,
)


SCRIPT = ModelInfo(shown="the script then", table={"use": "scripted", "reply": [{"text": "a"}]})


@pytest.mark.parametrize("info", [LIVE, SCRIPT, ModelInfo(), ModelInfo(use="human", shown="human")])
def test_the_plain_form_reads_back(info: ModelInfo) -> None:
    assert model_from(model_to(info)) == info


@pytest.mark.parametrize(
    "values",
    [
        5,
        {},
        {"use": 5},
        {"use": "x", "nonsense": 1},
        {"use": "x", "free": "yes"},
        {"use": "x", "table": "reply"},
        {"use": "x", "context_window": True},
        {"use": "x", "prices": 5},
        {"use": "x", "prices": {"input": 1}},
        {"use": "x", "prices": {"input": "1", "output": 2}},
    ],
)
def test_what_is_no_model_is_refused(values: Any) -> None:
    state = State(Header(id="r", goal="g"))
    with pytest.raises(ValueError, match="model"):
        state.apply(SettingsChanged(changes={"model": values}))


def test_a_run_asks_the_model_of_its_header_until_another_is_chosen() -> None:
    table = {"use": "anthropic", "name": "m-0", "base_url": "http://127.0.0.1:2"}
    header = Header(id="r", goal="g", model="m-0", free=False, context_window=50, scenario={"model": table})
    state = State(header)
    assert state.model == ModelInfo(
        use="anthropic", name="m-0", base_url="http://127.0.0.1:2", shown="m-0", free=False, context_window=50
    )
    state.apply(SettingsChanged(changes={"model": model_to(LIVE)}))
    assert state.model == LIVE


def test_cost_goes_on_at_the_prices_of_the_new_model_and_is_unknown_where_it_has_none() -> None:
    state = State(Header(id="r", goal="g"))
    state.apply(ModelReply(text="free", cost=0.0))
    state.apply(SettingsChanged(changes={"model": model_to(LIVE)}))
    state.apply(ModelReply(text="paid", cost=0.25))
    assert state.cost == 0.25
    state.apply(SettingsChanged(changes={"model": {"use": "openai", "name": "m-2", "free": False}}))
    state.apply(ModelReply(text="nobody knows"))
    assert state.cost is None


def test_the_window_is_that_of_the_model_that_is_asked() -> None:
    state = State(Header(id="r", goal="g", system="x" * 2000, limits=Limits()))
    assert before_request(state) is None
    state.apply(SettingsChanged(changes={"model": model_to(LIVE)}))
    breach = before_request(state)
    assert breach is not None
    assert (breach.knob, breach.limit) == ("model.context_window", 100)


def test_a_script_is_said_from_its_first_line_wherever_the_one_before_it_was() -> None:
    state = State(Header(id="r", goal="g"))
    for line in (0, 1, -1):
        state.apply(ModelReply(text="x", reading="malformed", problem="say ANSWER", line=line))
    state.apply(SettingsChanged(changes={"model": model_to(LIVE)}))
    state.apply(ModelReply(text="y", reading="malformed", problem="say ANSWER"))
    assert (state.script_line, state.replies_elsewhere) == (1, 1)
    state.apply(SettingsChanged(changes={"model": model_to(SCRIPT)}))
    assert (state.script_line, state.script_served, state.replies_elsewhere) == (-1, 0, 0)
