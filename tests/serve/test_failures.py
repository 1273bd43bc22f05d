"""What goes wrong on purpose, as it comes out of the vendors' own clients."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import httpx
import pytest

from tests.serve.stage import GOAL, LOOPS, TWO_CITIES, Play, kinds, says
from workbench.core.events import ModelFailed, ModelReply
from workbench.core.statuses import Status
from workbench.sessions.journal import fold_session

anthropic: Any = pytest.importorskip("anthropic")
ollama: Any = pytest.importorskip("ollama")
openai: Any = pytest.importorskip("openai")

PutOn = Callable[..., Play]

USER = [{"role": "user", "content": GOAL}]
HELLO = 'text = "Hello."'
ALL = tuple(LOOPS)


def ask(clients: dict[str, Any], vendor: str, *, stream: bool = False) -> str:
    """One request; the whole text of the reply."""
    client = clients[vendor]
    if vendor == "openai":
        reply = client.chat.completions.create(model="m", messages=USER, stream=stream)
        if not stream:
            return str(reply.choices[0].message.content)
        return "".join(chunk.choices[0].delta.content or "" for chunk in reply)
    if vendor == "responses":
        response = client.responses.create(model="m", input=GOAL, stream=stream)
        if not stream:
            return str(response.output_text)
        return "".join(event.delta for event in response if event.type == "response.output_text.delta")
    if vendor == "anthropic":
        if not stream:
            return "".join(
                block.text for block in client.messages.create(model="m", max_tokens=9, messages=USER).content
            )
        with client.messages.stream(model="m", max_tokens=9, messages=USER) as events:
            return str(events.get_final_text())
    reply = client.chat(model="m", messages=USER, stream=stream)
    return "".join(part.message.content for part in reply) if stream else str(reply.message.content)


STATUSES = [
    ("rate_limited", "RateLimitError", 429, (429, "rate_limit_error"), 429),
    ("unavailable", "InternalServerError", 500, (529, "overloaded_error"), 503),
    ("timeout", "InternalServerError", 504, (504, "timeout_error"), 504),
    ("auth", "AuthenticationError", 401, (401, "authentication_error"), 401),
    ("bad_request", "BadRequestError", 400, (400, "invalid_request_error"), 400),
    ("context_overflow", "BadRequestError", 400, (400, "invalid_request_error"), 400),
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("fail", "error", "by_openai", "by_anthropic", "by_ollama"), STATUSES)
def test_a_failure_of_the_script_is_the_clients_own_error(
    play: PutOn, clients: dict[str, Any], stream: bool, fail: str, error: str, by_openai: int,
    by_anthropic: tuple[int, str], by_ollama: int,
) -> None:  # fmt: skip
    playing = play(says(f'fail = "{fail}"', HELLO))
    with pytest.raises(getattr(openai, error)) as first:
        ask(clients, "openai", stream=stream)
    with pytest.raises(anthropic.APIStatusError) as second:
        ask(clients, "anthropic", stream=stream)
    with pytest.raises(ollama.ResponseError) as third:
        ask(clients, "ollama", stream=stream)
    assert first.value.status_code == by_openai
    body = second.value.body
    assert isinstance(body, dict)
    assert (second.value.status_code, body["error"]["type"]) == by_anthropic
    assert third.value.status_code == by_ollama
    for session in playing.sessions:
        failed, stopped = session.events[1:]
        assert isinstance(failed, ModelFailed)
        assert (failed.failure, stopped.kind) == (fail, "stopped")


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
def test_clients_that_try_again_get_the_next_line(play: PutOn, clients: dict[str, Any], vendor: str) -> None:
    playing = play(
        says('fail = "rate_limited"\nretry_after = 0.001', 'fail = "unavailable"\nretry_after = 0.001', HELLO)
    )
    assert ask({vendor: clients[vendor].with_options(max_retries=2)}, vendor) == "Hello."
    failed = ["model_failed", "stopped", "resumed"]
    assert kinds(playing.session.events) == ["user_message", *failed, *failed, "model_reply", "stopped"]
    assert fold_session(playing.session).status is Status.ANSWERED


def test_a_rate_limit_always_says_how_long(play: PutOn, clients: dict[str, Any]) -> None:
    play(says('fail = "rate_limited"', 'fail = "rate_limited"\nretry_after = 0.5'))
    for seconds in ("1", "0.5"):
        with pytest.raises(openai.RateLimitError) as raised:
            ask(clients, "openai")
        assert raised.value.response.headers["retry-after"] == seconds


def test_what_no_client_asks_again_after_is_met_by_the_next_one_too(play: PutOn, clients: dict[str, Any]) -> None:
    playing = play(says('fail = "auth"', HELLO))
    for _ in range(2):
        with pytest.raises(openai.AuthenticationError):
            ask(clients, "openai")
    assert len(playing.sessions) == 2


def test_a_script_that_is_over_says_so_and_is_not_asked_again(play: PutOn, clients: dict[str, Any]) -> None:
    playing = play(says('text = "$${only}"\nwhen = "never"'))
    patient = {vendor: clients[vendor].with_options(max_retries=2) for vendor in ("openai", "anthropic")}
    with pytest.raises(openai.InternalServerError, match="the script has 1 reply and a further one was asked for"):
        ask(patient, "openai")
    with pytest.raises(anthropic.InternalServerError, match="the script has 1 reply"):
        ask(patient, "anthropic")
    assert playing.statuses(2) == [500, 500]


@pytest.mark.parametrize("vendor", ALL)
@pytest.mark.parametrize("stream", [False, True])
def test_a_cut_stream_is_a_cut_connection(play: PutOn, clients: dict[str, Any], vendor: str, stream: bool) -> None:
    playing = play(says('text = "Hel"\nfail = "cut_stream"', HELLO))
    errors = (openai.APIConnectionError, anthropic.APIConnectionError, httpx.RemoteProtocolError, *_newer_errors())
    with pytest.raises(errors):
        ask(clients, vendor, stream=stream)
    failed = playing.session.events[1]
    assert isinstance(failed, ModelFailed)
    assert (failed.failure, failed.partial) == ("cut_stream", "Hel")
    assert ask(clients, vendor, stream=stream) == "Hello."
    assert len(playing.sessions) == 1


def _newer_errors() -> tuple[type[Exception], ...]:
    """What the vendors' clients let through of the HTTP client that some of them come with."""
    try:
        return (import_module("httpx2").RemoteProtocolError,)
    except ImportError:
        return ()


@pytest.mark.parametrize("vendor", ALL)
@pytest.mark.parametrize("stream", [False, True])
def test_a_malformed_body_is_half_a_body(play: PutOn, clients: dict[str, Any], vendor: str, stream: bool) -> None:
    playing = play(says('fail = "malformed_body"', HELLO))
    with pytest.raises(Exception) as raised:
        ask(clients, vendor, stream=stream)
    assert "JSON" in repr(raised.getrepr(chain=True)) or isinstance(raised.value, ValueError)
    assert playing.statuses(1) == [200]
    assert ask(clients, vendor, stream=stream) == "Hello."


@pytest.mark.parametrize("vendor", ALL)
@pytest.mark.parametrize("stream", [False, True])
def test_faults_of_the_reply_and_of_the_provider_strike(
    play: PutOn, clients: dict[str, Any], vendor: str, stream: bool
) -> None:
    faults = """
    [[fault]]
    on = "provider"
    do = "unavailable"
    nth = 1
    [[fault]]
    on = "reply"
    do = "append"
    text = " And more."
    [[fault]]
    use = "wrong-number"
    """
    playing = play(says(HELLO, 'text = "Never."') + faults)
    with pytest.raises(Exception, match=r"\((made by fault unavailable|.*fault unavailable)"):
        ask(clients, vendor, stream=stream)
    assert "Hello. And more." in ask(clients, vendor, stream=stream).replace("\n", "")
    reply = next(event for event in playing.session.events if isinstance(event, ModelReply))
    assert (reply.original, reply.changed_by) == ("Hello.", "fault append")
    assert [note for note in playing.served.notes if "wrong-number" in note]
    assert [fault.do for fault in playing.session.header.faults] == ["unavailable", "append"]


def test_arguments_that_are_no_json_arrive_as_each_wire_can_carry_them(play: PutOn, clients: dict[str, Any]) -> None:
    text = 'text = ""\nrepeat = 9\n[[model.reply.call]]\ntool = "add"\narguments = \'{"a": 1, "b"\''
    play(says(text))
    choice = clients["openai"].chat.completions.create(model="m", messages=USER).choices[0]
    assert choice.message.tool_calls[0].function.arguments == '{"a": 1, "b"'
    message = clients["anthropic"].messages.create(model="m", max_tokens=9, messages=USER)
    assert message.content[0].input == {}
    events = clients["anthropic"].messages.create(model="m", max_tokens=9, messages=USER, stream=True)
    pieces = [event.delta.partial_json for event in events if event.type == "content_block_delta"]
    assert "".join(pieces) == '{"a": 1, "b"'
    assert clients["ollama"].chat(model="m", messages=USER).message.tool_calls[0].function.arguments == {}


def test_one_server_lives_on_whatever_fails(
    play: PutOn, clients: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    playing = play(TWO_CITIES)
    with monkeypatch.context() as patched:
        patched.setattr("workbench.serve.dialects.openai._usage", lambda answer: 1 / 0)
        with pytest.raises(openai.InternalServerError, match="ZeroDivisionError"):
            ask(clients, "openai")
    assert any("Traceback" in line for line in playing.log.lines(2))
    assert ask(clients, "openai") == "Looking at both."
