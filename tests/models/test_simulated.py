from __future__ import annotations

from typing import Any

import pytest

from workbench.clocks import VirtualClock
from workbench.core.events import ModelReply
from workbench.core.ports import Reply, Request, Signal
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.core.values import Header, ProtocolName
from workbench.home import Home, packaged_folder
from workbench.models.scripted import Line, ScriptedCall, ScriptedModel
from workbench.models.simulated import Noise, SimulatedModel
from workbench.opening import Opened, new_run
from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.loader import parse_scenario

CALL = 'ACTION: lookup_population {"city": "Paris", "year": 2020}'
NATIVE = ScriptedCall(tool="lookup_population", arguments={"city": "Paris", "year": 2020})


def model(*lines: Line, noise: Noise = Noise(), seed: int = 1) -> SimulatedModel:  # noqa: B008 - it is frozen
    script = ScriptedModel(lines, clock=VirtualClock(), name="simulated")
    return SimulatedModel(script, noise, seed)


def always(*kinds: str) -> Noise:
    chances: dict[str, Any] = dict.fromkeys(kinds, 1.0)
    return Noise(**chances)


def fresh(protocol: ProtocolName = "text") -> State:
    return State(Header(id="r", goal="g", protocol=protocol))


async def said(simulated: SimulatedModel, state: State, deltas: list[str] | None = None) -> Reply:
    """One turn: the reply, recorded."""

    def on_signal(signal: Signal) -> None:
        if deltas is not None and signal.kind == "delta":
            deltas.append(signal.text)

    request = Request(system="", messages=state.messages, tools=(), options=state.header.options, state=state)
    reply = await simulated.reply(request, on_signal)
    state.apply(ModelReply(text=reply.text, line=reply.line, served=reply.served, captures=reply.captures))
    return reply


@pytest.mark.parametrize(
    ("noise", "text"),
    [
        ("unknown_tool", 'ACTION: lookupPopulation {"city": "Paris", "year": 2020}'),
        ("malformed", 'ACTION: lookup_population {"city": "Paris", "year": 2020'),
    ],
)
async def test_a_slip_that_is_noticed_leaves_the_line_due(noise: str, text: str) -> None:
    state = fresh()
    lines = (Line(text=CALL), Line(text="ANSWER: 7"))
    assert (await said(model(*lines, noise=always(noise)), state)).text == text
    assert (await said(model(*lines), state)).text == CALL
    assert (await said(model(*lines), state)).text == "ANSWER: 7"


async def test_a_wrong_value_is_one_digit_and_the_script_goes_on() -> None:
    state = fresh()
    lines = (Line(text=CALL), Line(text="ANSWER: 7"))
    reply = await said(model(*lines, noise=always("wrong_value")), state)
    assert len(reply.text) == len(CALL)
    assert sum(one != other for one, other in zip(reply.text, CALL, strict=True)) == 1
    assert (await said(model(*lines), state)).text == "ANSWER: 7"


async def test_a_wrong_sum_is_one_digit_of_the_answer_whatever_stands_before_it() -> None:
    reply = await said(model(Line(text="THOUGHT: 12 and 3\nANSWER: 15"), noise=always("wrong_sum")), fresh())
    head, _, answer = reply.text.rpartition(" ")
    assert head == "THOUGHT: 12 and 3\nANSWER:"
    assert answer not in ("15", "")
    assert len(answer) == 2


@pytest.mark.parametrize("noise", ["wrong_value", "wrong_sum", "unknown_tool", "malformed", "repeat", "not_stopping"])
async def test_where_there_is_nothing_to_get_wrong_the_reply_is_right(noise: str) -> None:
    text = "ANSWER: none" if noise in ("wrong_sum", "not_stopping") else "just prose"
    assert (await said(model(Line(text=text), noise=always(noise)), fresh())).text == text


async def test_what_was_said_is_said_again_in_place_of_a_call_or_of_the_answer() -> None:
    other = 'ACTION: add {"a": 1, "b": 2}'
    lines = (Line(text=CALL), Line(text=other), Line(text="ANSWER: 3"))
    state = fresh()
    noisy = model(*lines, noise=always("repeat", "not_stopping"))
    assert [(await said(noisy, state)).text for _ in range(3)] == [CALL] * 3
    assert (await said(model(*lines), state)).text == other
    assert (await said(noisy, state)).text == other
    assert (await said(model(*lines), state)).text == "ANSWER: 3"


@pytest.mark.parametrize(
    ("noise", "tool", "arguments"),
    [
        ("unknown_tool", "lookupPopulation", '{"city": "Paris", "year": 2020}'),
        ("malformed", "lookup_population", '{"city": "Paris", "year": 2020'),
    ],
)
async def test_native_calls_slip_alike(noise: str, tool: str, arguments: str) -> None:
    reply = await said(model(Line(calls=(NATIVE,)), noise=always(noise)), fresh("native"))
    assert (reply.calls[0].tool, reply.calls[0].arguments, reply.finish) == (tool, arguments, "tool_calls")


async def test_what_is_streamed_is_what_is_said() -> None:
    deltas: list[str] = []
    reply = await said(model(Line(text=CALL), noise=always("malformed")), fresh(), deltas)
    assert "".join(deltas) == reply.text


async def test_slips_come_as_often_as_they_should_and_the_same_every_time() -> None:
    async def slips(seed: int) -> list[bool]:
        state, simulated = fresh(), model(Line(text=CALL, repeat=None), seed=seed, noise=Noise(unknown_tool=0.25))
        return [(await said(simulated, state)).text != CALL for _ in range(400)]

    first = await slips(1)
    assert first == await slips(1)
    assert first != await slips(2)
    assert 60 < sum(first) < 140


# ---------------------------------------------------------------- in a scenario

SCRIPT = """
goal = "Population of Paris?"
tools = ["lookup_population"]
limits = {{ steps = 30 }}
seed = {seed}
[model]
use = "simulated"
noise = {{ {noise} }}
[[model.reply]]
text = 'ACTION: lookup_population {{"city": "Paris"}}'
[[model.reply]]
capture = {{ paris = '\\d+' }}
text = 'ACTION: lookup_population {{"city": "Lima"}}'
[[model.reply]]
text = "ANSWER: ${{paris}}"
"""


async def played(tmp_path: Any, noise: str, seed: int) -> Opened:
    home = Home(root=tmp_path, found="--home", packaged=packaged_folder())
    scenario = parse_scenario(SCRIPT.format(noise=noise, seed=seed), "s.toml")
    opened = new_run(scenario, home, headless=True, keep=False, session_id="s")
    await opened.run.play()
    opened.close()
    return opened


@pytest.mark.parametrize("seed", range(12))
async def test_what_was_captured_before_a_slip_is_known_after_it(tmp_path: Any, seed: int) -> None:
    opened = await played(tmp_path, "malformed = 0.4, unknown_tool = 0.4", seed)
    state = opened.run.state
    assert (state.status, state.answer) == (Status.ANSWERED, "2100000")


async def test_who_never_stops_comes_to_the_cap(tmp_path: Any) -> None:
    opened = await played(tmp_path, "not_stopping = 1.0", 1)
    assert opened.run.state.status is Status.STEP_BUDGET_EXHAUSTED
    assert opened.run.header.free


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ('use = "simulated"\nnoise = { repeat = 1.5 }', "model.noise.repeat: must be at most 1, not 1.5"),
        ('use = "simulated"\nnoise = { repaet = 0.5 }', 'model.noise: unknown key "repaet"; did you mean "repeat"?'),
        ("noise = { repeat = 0.5 }", 'model.noise: needs use = "simulated", not "scripted"'),
    ],
)
def test_noise_that_is_wrong_is_one_sentence(table: str, sentence: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        parse_scenario(f'goal = "g"\n[model]\n{table}\n', "s.toml")
    assert str(refused.value).partition(": ")[2] == sentence
