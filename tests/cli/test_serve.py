from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, environment, workbench
from workbench.core.statuses import Status
from workbench.sessions.store import SessionStore

HELLO = 'title = "Hello"\ngoal = "-"\nprotocol = "native"\n[[model.reply]]\ntext = "Hello."\n'
SLOW = "delay = 60\n"
WriteScenario = Callable[[str, str], Path]


@contextmanager
def serving(home: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The command in a process of its own, the address it says it listens at, and what else it says beforehand."""
    process = subprocess.Popen(
        workbench("serve", *arguments, "--port", "0"),
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        said, line = "", "-"
        while line and not line.endswith("ctrl+c ends\n"):
            line = process.stdout.readline()
            said += line
        assert line, said
        yield process, said.partition("host=")[2].split()[0], said
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def ask(url: str) -> dict[str, Any]:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hello?"}], "stream": False}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{url}/api/chat", body)) as reply:
        value: dict[str, Any] = json.load(reply)
        return value


@pytest.mark.skipif(sys.platform == "win32", reason="a process can be sent ctrl+c only where there are signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_told_to_stop(home: Path, scenario: WriteScenario, number: signal.Signals) -> None:
    pytest.importorskip("uvicorn")
    scenario("hello", HELLO)
    with serving(home, "hello") as (process, url, _):
        assert ask(url)["message"]["content"] == "Hello."
        assert list((home / "sessions").glob("*.lock")) != []
        process.send_signal(number)
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "POST /api/chat 200 hello-1: reply 1 (new)" in out
    assert "Traceback" not in out
    assert list((home / "sessions").glob("*.lock")) == []
    (session,) = SessionStore(home / "sessions").list().sessions
    assert (session.title, session.status) == ("Hello", Status.ANSWERED)


@pytest.mark.skipif(sys.platform == "win32", reason="a process can be sent ctrl+c only where there are signals")
def test_a_reply_that_is_going_out_does_not_keep_it_up(home: Path, scenario: WriteScenario) -> None:
    pytest.importorskip("uvicorn")
    scenario("slow", HELLO + SLOW)
    with serving(home, "slow") as (process, url, _):
        host, _, port = url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as waiting:
            body = b'{"model": "m", "messages": [{"role": "user", "content": "x"}]}'
            waiting.sendall(
                b"POST /api/chat HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
            )
            assert waiting.recv(20).startswith(b"HTTP/1.1 200")
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "the server is closing" in out


def test_what_does_not_come_into_play_is_said(home: Path, scenario: WriteScenario) -> None:
    pytest.importorskip("uvicorn")
    limits = '[limits]\nsteps = 6\n[[fault]]\nuse = "wrong-number"\n'
    scenario("hello", HELLO.replace('"native"', '"text"') + limits)
    with serving(home, "hello") as (_, _, out):
        assert "so this fault does not strike: wrong-number on results of any tool" in out
        assert "nothing comes of [limits]" in out
        assert 'as protocol = "text" has the calls in it' in out


def test_a_port_that_is_taken_is_said(command: Command, scenario: WriteScenario) -> None:
    pytest.importorskip("uvicorn")
    scenario("hello", HELLO)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        done = command("serve", "hello", "--port", port)
    assert done.code == 2
    assert done.err.startswith(f"cannot listen on 127.0.0.1, port {port}: ")
    assert done.err.endswith("; --port 0 takes a free one\n")


def test_an_address_that_cannot_be_is_said(command: Command, scenario: WriteScenario) -> None:
    pytest.importorskip("uvicorn")
    scenario("hello", HELLO)
    assert command("serve", "hello", "--port", "70000") == (2, "", "there is no port 70000; they go up to 65535\n")
    done = command("serve", "hello", "--host", "192.0.2.1", "--port", "0")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("cannot listen on 192.0.2.1, port 0: ")


def test_only_what_is_written_down_can_be_served(command: Command, scenario: WriteScenario) -> None:
    pytest.importorskip("uvicorn")
    scenario("me", 'goal = "-"\n[model]\nuse = "human"\n')
    done = command("serve", "me", "--port", "0")
    assert done.code == 2
    assert 'model.use: serve plays a script or a recording, which use = "human" is not' in done.err


def test_a_plan_makes_its_calls_itself_so_there_is_nothing_to_serve(command: Command, scenario: WriteScenario) -> None:
    pytest.importorskip("uvicorn")
    scenario("plan", 'goal = "-"\nloop = "pipeline"\n[[step]]\nask = "?"\n')
    done = command("serve", "plan", "--port", "0")
    assert done.code == 2
    assert "loop: a client has a loop of its own, and in a pipeline the calls are the code's" in done.err


def test_without_its_package_it_says_how_to_get_it(
    command: Command, scenario: WriteScenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario("hello", HELLO)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = command("serve", "hello", "--port", "0")
    assert (done.code, done.err) == (2, "serve needs a package more: pip install 'agent-workbench[serve]'\n")


def test_faults_can_be_armed_for_a_time(home: Path, scenario: WriteScenario) -> None:
    pytest.importorskip("uvicorn")
    scenario("hello", HELLO)
    with serving(home, "hello", "--fault", "provider-blip:nth=1") as (_, url, _):
        with pytest.raises(urllib.error.HTTPError, match="503"):
            ask(url)
        assert ask(url)["message"]["content"] == "Hello."


def test_importing_it_needs_nothing_more(tmp_path: Path) -> None:
    code = "import workbench.cli.serve, sys; sys.exit('uvicorn' in sys.modules or 'httpx' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(Path.cwd())}, check=False
    )
    assert done.returncode == 0
