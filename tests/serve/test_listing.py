"""What clients and frameworks ask of an endpoint before they ask it for a reply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.serve.stage import GOAL, TOOLS, Play, says

anthropic: Any = pytest.importorskip("anthropic")
ollama: Any = pytest.importorskip("ollama")

PutOn = Callable[..., Play]
HELLO = [{"role": "user", "content": GOAL}]
SCRIPT = says('text = "Hello."\nrepeat = "forever"')


@pytest.fixture
def playing(play: PutOn) -> Play:
    return play(SCRIPT)


def test_the_model_is_listed_and_so_is_any_other_by_name(playing: Play, clients: dict[str, Any]) -> None:
    for vendor in ("openai", "anthropic"):
        models = clients[vendor].models
        assert [model.id for model in models.list()] == ["two-cities"]
        assert models.retrieve("team/gpt-4o").id == "team/gpt-4o"
    assert [model.model for model in clients["ollama"].list().models] == ["two-cities"]
    assert [model.model for model in clients["ollama"].ps().models] == ["two-cities"]
    assert playing.sessions == []


@pytest.mark.parametrize("protocol", ["native", "text"])
def test_what_it_can_do_is_shown(play: PutOn, clients: dict[str, Any], protocol: str) -> None:
    play(says('text = "Hello."', protocol=protocol))
    shown = clients["ollama"].show("llama3.2")
    assert ("tools" in shown.capabilities) == (protocol == "native")
    assert shown.details.family == "script"
    assert shown.modelinfo["script.context_length"] > 100_000


def test_tokens_are_counted_as_the_reply_will_say(playing: Play, clients: dict[str, Any]) -> None:
    messages = clients["anthropic"].messages
    asked: dict[str, Any] = {"model": "claude", "messages": HELLO, "system": "Be brief."}
    asked["tools"] = [{"name": name, "input_schema": schema} for name, schema in TOOLS.items()]
    counted = messages.count_tokens(**asked).input_tokens
    assert playing.sessions == []
    assert counted == messages.create(max_tokens=9, **asked).usage.input_tokens > 10


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"messages": []}, "messages: at least one message is required"),
        ({"max_tokens": 9}, "max_tokens: Extra inputs are not permitted"),
        ({"messages": [*HELLO, {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "add", "input": {}}]}]}, "without `tool_result` blocks"),
    ],
)  # fmt: skip
def test_what_cannot_be_sent_is_not_counted(
    playing: Play, clients: dict[str, Any], change: dict[str, Any], said: str
) -> None:
    with pytest.raises(anthropic.BadRequestError, match=said):
        clients["anthropic"].messages.count_tokens(model="claude", messages=HELLO, extra_body=change)
    assert playing.sessions == []


@pytest.mark.parametrize(("keep_alive", "reason"), [(None, "load"), (0, "unload")])
def test_to_warm_up_a_model_takes_no_reply_of_the_script(
    play: PutOn, clients: dict[str, Any], keep_alive: int | None, reason: str
) -> None:
    playing = play(says('text = "Hello."'))
    reply = clients["ollama"].chat(model="m", messages=[], keep_alive=keep_alive)
    assert (reply.done, reply.done_reason, reply.message.content) == (True, reason, "")
    assert playing.sessions == []
    assert clients["ollama"].chat(model="m", messages=HELLO).message.content == "Hello."


def test_what_is_not_there_is_said_in_each_vendors_words(playing: Play, clients: dict[str, Any]) -> None:
    with pytest.raises(ollama.ResponseError, match="there is no /api/generate here"):
        clients["ollama"].generate(model="m", prompt="x")
    with pytest.raises(anthropic.NotFoundError, match="there is no /v1/messages/batches here"):
        clients["anthropic"].messages.batches.create(requests=[])
    assert playing.statuses(2) == [404, 404]
