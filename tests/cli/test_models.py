from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.models.wire.server import Server, chat, http

KEY = "sk-test-0000-not-a-real-key"
SCENARIO = """
goal = "Hi?"
protocol = "native"
tools = []
[[model.reply]]
text = "scripted"
"""


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Starts servers beside a command, which has an event loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    started: list[Server] = []

    def on_loop(work: object) -> None:
        done: Future[object] = asyncio.run_coroutine_threadsafe(work, loop)  # type: ignore[arg-type]
        done.result(5)

    def start(*answers: bytes) -> Server:
        server = Server(*answers)
        on_loop(server.__aenter__())
        started.append(server)
        return server

    yield start
    for server in started:
        on_loop(server.__aexit__())
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture
def hi(scenario: Callable[[str, str], Path]) -> Path:
    """A scenario that any model can play."""
    return scenario("hi", SCENARIO)


def entry(home: Path, url: str, model: str = "m", key_env: str = "SOME_KEY") -> None:
    (home / "models.toml").write_text(
        f'[[model]]\nname = "mine"\nwire = "openai"\nmodel = "{model}"\nbase_url = "{url}/v1"\nkey_env = "{key_env}"\n'
    )


def test_the_wires_are_listed_and_where_ones_own_models_go(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    done = command("models")
    assert done.code == 0
    assert "OPENAI_API_KEY set" in done.out
    assert "ANTHROPIC_API_KEY not set" in done.out
    assert "models.toml" in done.out
    assert KEY not in done.out + done.err


def test_a_model_of_ones_own_with_what_it_lacks(command: Command, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    entry(home, "http://127.0.0.1:1")
    (mine, *_) = json.loads(command("models", "--json").out)
    assert (mine["name"], mine["model"], mine["key"], mine["price"]) == ("mine", "m", "SOME_KEY not set", "unknown")
    assert mine["missing"] == ["no key: set SOME_KEY", "no price: the cost of a run is unknown"]
    done = command("models", "--ping")
    assert (done.code, "mine: not asked, as SOME_KEY is not set" in done.out) == (1, True)


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        (http({"data": [{"id": "m"}]}), 0, "answers, and has the model"),
        (http({"data": [{"id": "other"}]}), 1, "answers, but has no m; what it has: other\n"),
        (
            http({"data": [{"id": f"m{i}"} for i in range(9)]}),
            1,
            "has no m; what it has: m0, m1, m2, m3, m4, m5, m6, m7, …",
        ),
        (http({"data": []}), 1, "answers, but has no model at all"),
        (http({}, 404), 0, "answers, but does not list its models"),
        (http({"error": {"message": f"bad key {KEY}"}}, 401), 1, "the key was not accepted"),
        (http(b"<html>"), 1, "answers, but its list of models is not JSON"),
    ],
)
def test_a_ping(
    command: Command, home: Path, monkeypatch: pytest.MonkeyPatch, serve: Callable[..., Server], answer: bytes, code: int, said: str
) -> None:  # fmt: skip
    monkeypatch.setenv("SOME_KEY", KEY)
    server = serve(answer)
    entry(home, server.url)
    done = command("models", "--ping")
    assert (done.code, said in done.out) == (code, True)
    assert (server.requests[0].method, server.requests[0].path) == ("GET", "/v1/models")
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in done.out + done.err


def test_a_ping_of_nobody(command: Command, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    entry(home, "http://127.0.0.1:1")
    done = command("models", "--ping")
    assert (done.code, "mine: nobody listens there" in done.out) == (1, True)


def test_a_broken_file_is_bad_input(command: Command, home: Path) -> None:
    (home / "models.toml").write_text("[[model]]\nnme = 1\n")
    done = command("models")
    assert (done.code, "models.toml:2" in done.err) == (2, True)


@pytest.mark.usefixtures("hi")
def test_a_run_with_another_model(
    command: Command, home: Path, monkeypatch: pytest.MonkeyPatch, serve: Callable[..., Server]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server = serve(http({}, 503), http(chat("live")))
    done = command("run", "hi", "--model", "openai:gpt-x", "--base-url", f"{server.url}/v1")
    assert done.code == 0
    assert "answer: live" in done.out
    assert "no price is known for gpt-x: the cost is unknown, not 0" in done.err
    assert "the server is not able to answer (503); again in" in done.err
    assert server.bodies[0]["model"] == "gpt-x"
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    (session,) = (home / "sessions").glob("*.toml")
    text = session.read_text()
    assert 'model = "gpt-x"' in text
    assert KEY not in text + done.out + done.err


def test_lines_of_a_script_that_another_model_does_not_read_are_not_missed(
    command: Command, scenario: Callable[[str, str], Path], serve: Callable[..., Server]
) -> None:
    scenario("expecting", f'{SCENARIO}[expect]\nanswer = "scripted"\n')
    server = serve(http(chat("live")))
    done = command("run", "expecting", "--model", "openai:gpt-x", "--base-url", f"{server.url}/v1")
    assert (done.code, 'expected answer "scripted", got "live"' in done.out) == (1, True)
    assert "never used" not in done.out


@pytest.mark.usefixtures("hi")
def test_a_run_with_a_model_of_ones_own(
    command: Command, home: Path, monkeypatch: pytest.MonkeyPatch, serve: Callable[..., Server]
) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    entry(home, serve(http(chat("mine"))).url)
    done = command("run", "hi", "--model", "mine", "--json")
    result = json.loads(done.out.splitlines()[-1])
    assert (done.code, result["answer"], result["cost"]) == (0, "mine", None)


@pytest.mark.usefixtures("hi")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--model", "gemini:x"), "--model gemini:x: needs the form WIRE:NAME"),
        (("--model", "nobody"), 'there is no model "nobody"'),
        (("--model", "gpt-4o"), "; one of a provider has its wire before it, as in --model openai:gpt-4o"),
        (("--model", "openai:x", "--base-url", "nowhere"), "--base-url nowhere: must begin with http://"),
    ],
)
def test_what_no_model_can_be(command: Command, options: tuple[str, ...], said: str) -> None:
    done = command("run", "hi", *options)
    assert (done.code, said in done.err) == (2, True)


@pytest.mark.usefixtures("hi")
def test_a_session_of_a_model_that_is_gone_can_still_be_read(
    command: Command, home: Path, monkeypatch: pytest.MonkeyPatch, serve: Callable[..., Server]
) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    entry(home, serve(http(chat("mine"))).url)
    assert command("run", "hi", "--model", "mine").code == 0
    (home / "models.toml").unlink()
    (session,) = (home / "sessions").glob("*.toml")
    assert "mine" in command("show", str(session)).out
    done = command("resume", str(session), "--message", "Again?")
    assert "its model cannot be asked: " in done.err
    assert "model_rejected" in done.out
