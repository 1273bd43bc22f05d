"""Whole tool loops by the vendors' own clients, over real sockets, and the sessions that are left of them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.serve.stage import ANSWER, GOAL, LOOPS, TWO_CITIES, Play, kinds, says
from workbench.core.events import ModelReply, ToolResult
from workbench.core.statuses import Status
from workbench.sessions.journal import fold_session

openai: Any = pytest.importorskip("openai")
PutOn = Callable[..., Play]
ALL = tuple(LOOPS)

THE_LOOP = [
    "user_message",
    "model_reply", "tool_started", "tool_started", "tool_result", "tool_result",
    "model_reply", "tool_started", "tool_result",
    "model_reply", "stopped",
]  # fmt: skip


def said_by(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("vendor", ALL)
def test_a_whole_loop_is_a_session(play: PutOn, clients: dict[str, Any], vendor: str, stream: bool) -> None:
    playing = play(TWO_CITIES)
    history = LOOPS[vendor](clients[vendor], stream=stream)
    assert said_by(history[-1]) == ANSWER
    session = playing.session
    assert kinds(session.events) == THE_LOOP
    results = [event.content for event in session.events if isinstance(event, ToolResult)]
    assert results == ["2100000", "10000000", "12100000"]
    state = fold_session(session)
    assert (state.status, state.answer, state.model_calls) == (Status.ANSWERED, ANSWER, 3)
    assert session.header.goal == GOAL
    assert [tool.name for tool in session.header.tools] == ["population", "add"]
    assert playing.statuses(3) == [200, 200, 200]


@pytest.mark.parametrize("vendor", ALL)
def test_the_same_again_is_a_conversation_of_its_own(play: PutOn, clients: dict[str, Any], vendor: str) -> None:
    playing = play(TWO_CITIES)
    for _ in range(2):
        assert said_by(LOOPS[vendor](clients[vendor], stream=False)[-1]) == ANSWER
    assert [kinds(session.events) for session in playing.sessions] == [THE_LOOP, THE_LOOP]
    assert len({session.header.id for session in playing.sessions}) == 2


def test_many_go_on_side_by_side(play: PutOn, clients: dict[str, Any]) -> None:
    playing = play(TWO_CITIES)

    def one(number: int) -> str:
        vendor = ALL[number % len(ALL)]
        return said_by(LOOPS[vendor](clients[vendor], stream=number % 2 == 0)[-1])

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(one, range(24))) == {ANSWER}
    assert [kinds(session.events) for session in playing.sessions] == [THE_LOOP] * 24


@pytest.mark.parametrize("stream", [False, True])
def test_figures_are_those_of_the_script(play: PutOn, clients: dict[str, Any], stream: bool) -> None:
    play(says('text = "Hello."\nusage = { input = 900, output = 40, cache_read = 600, cache_write = 100 }\nrepeat = 9'))
    hello = [{"role": "user", "content": "Hello?"}]
    if stream:
        chunks = clients["openai"].chat.completions.create(
            model="m", messages=hello, stream=True, stream_options={"include_usage": True}
        )
        usage = list(chunks)[-1].usage
        parts = list(clients["ollama"].chat(model="m", messages=hello, stream=True))
        with clients["anthropic"].messages.stream(model="m", max_tokens=9, messages=hello) as events:
            message = events.get_final_message()
    else:
        usage = clients["openai"].chat.completions.create(model="m", messages=hello).usage
        parts = [clients["ollama"].chat(model="m", messages=hello)]
        message = clients["anthropic"].messages.create(model="m", max_tokens=9, messages=hello)
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (900, 40, 940)
    assert usage.prompt_tokens_details.cached_tokens == 600
    assert (parts[-1].prompt_eval_count, parts[-1].eval_count, parts[-1].done_reason) == (900, 40, "stop")
    figures = message.usage
    assert (figures.input_tokens, figures.output_tokens) == (200, 40)
    assert (figures.cache_read_input_tokens, figures.cache_creation_input_tokens) == (600, 100)


@pytest.mark.parametrize("stream", [False, True])
def test_thinking_goes_to_who_asks_for_it_and_comes_back_as_it_was(
    play: PutOn, clients: dict[str, Any], stream: bool
) -> None:
    playing = play(TWO_CITIES.replace('text = "Looking at both."', 'thinking = "Two look-ups first."'))
    history = LOOPS["anthropic"](clients["anthropic"], stream=stream, thinking={"type": "adaptive"})
    assert history[1]["content"][0]["thinking"] == "Two look-ups first."
    plain = LOOPS["anthropic"](clients["anthropic"], stream=stream)
    assert [block["type"] for block in plain[1]["content"]] == ["tool_use", "tool_use"]
    first = next(event for event in playing.sessions[0].events if isinstance(event, ModelReply))
    assert first.thinking == "Two look-ups first."


@pytest.mark.parametrize("vendor", ALL)
def test_a_script_may_call_what_the_client_does_not_offer(play: PutOn, clients: dict[str, Any], vendor: str) -> None:
    playing = play(TWO_CITIES.replace('"add"', '"multiply"'))
    ran_anyway = LOOPS[vendor](clients[vendor], stream=False)
    assert said_by(ran_anyway[-1]) == ANSWER
    assert "calls multiply; the client does not offer multiply" in playing.log.lines(3)[1]
    events = playing.session.events
    assert "the client offers no tool named 'multiply'" in [
        call.problem for event in events if isinstance(event, ModelReply) for call in event.calls
    ]


@pytest.mark.parametrize(
    ("finish", "openai", "anthropic", "ollama", "status"),
    [
        ("length", "length", "max_tokens", "length", Status.REPLY_CUT_OFF),
        ("refused", "stop", "refusal", "refused", Status.REPLY_BLOCKED),
        ("blocked", "content_filter", "refusal", "blocked", Status.REPLY_BLOCKED),
    ],
)
def test_a_finish_reason_is_in_the_words_of_the_vendor(
    play: PutOn, clients: dict[str, Any], finish: str, openai: str, anthropic: str, ollama: str, status: Status
) -> None:
    playing = play(says(f'text = "No."\nfinish = "{finish}"\nrepeat = 9'))
    hello = [{"role": "user", "content": "Hello?"}]
    choice = clients["openai"].chat.completions.create(model="m", messages=hello).choices[0]
    assert choice.finish_reason == openai
    assert (choice.message.refusal or choice.message.content) == "No."
    message = clients["anthropic"].messages.create(model="m", max_tokens=9, messages=hello)
    assert message.stop_reason == anthropic
    assert clients["ollama"].chat(model="m", messages=hello).done_reason == ollama
    assert [fold_session(session).status for session in playing.sessions] == [status] * 3


def test_the_models_are_listed(play: PutOn, clients: dict[str, Any]) -> None:
    play(TWO_CITIES)
    assert [model.id for model in clients["openai"].models.list()] == ["two-cities"]
    assert [model.id for model in clients["anthropic"].models.list()] == ["two-cities"]
    assert [model.model for model in clients["ollama"].list().models] == ["two-cities"]


def test_a_protocol_of_texts_goes_out_as_plain_text(play: PutOn, clients: dict[str, Any]) -> None:
    action, answer = 'ACTION: population {"city": "Lima"}', "ANSWER: ${last} people"
    playing = play(says(f"text = '{action}'", f"text = '{answer}'", protocol="text"))
    messages = [{"role": "user", "content": GOAL}]
    ask = clients["openai"].chat.completions.create
    assert ask(model="m", messages=messages).choices[0].message.content == action
    messages += [{"role": "assistant", "content": action}, {"role": "user", "content": "OBSERVATION: 10000000"}]
    reply = ask(model="m", messages=messages).choices[0]
    assert (reply.message.content, reply.message.tool_calls) == ("ANSWER: 10000000 people", None)
    assert reply.finish_reason == "stop"
    state = fold_session(playing.session)
    assert (state.answer, list(state.results)) == ("10000000 people", ["10000000"])


RECORDING = """
title = "Recorded"
goal = "-"
protocol = "native"
[model]
use = "recorded"
name = "m"
match = "messages"
[[model.exchange]]
finish = "tool_calls"
[[model.exchange.message]]
role = "user"
text = "How many people live there?"
[[model.exchange.call]]
tool = "population"
arguments = '{"city": "Paris"}'
[[model.exchange.result]]
call = "c1"
content = "2100000"
[[model.exchange]]
text = "Two million."
[[model.exchange.message]]
role = "tool"
call = "c1"
"""


def test_a_recording_is_played_to_another_agent_and_says_where_that_one_differs(
    play: PutOn, clients: dict[str, Any]
) -> None:
    playing = play(RECORDING)
    assert said_by(LOOPS["anthropic"](clients["anthropic"], stream=True)[-1]) == "Two million."
    hello = [{"role": "user", "content": "Hello?"}]
    with pytest.raises(openai.InternalServerError, match="How many people live there"):
        clients["openai"].chat.completions.create(model="m", messages=hello)
    assert playing.statuses(3) == [200, 200, 500]
