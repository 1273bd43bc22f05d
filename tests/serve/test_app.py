"""The application by itself, spoken to as a server speaks to it: what no well-behaved client does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, MutableMapping
from pathlib import Path
from typing import Any

import pytest

from tests.models.wire.echoes import KEY
from tests.serve.stage import GOAL, says, scenario
from workbench.home import Home, packaged_folder
from workbench.serve import exchange
from workbench.serve.app import App
from workbench.serve.server import Serving, serving

PutOn = Callable[..., "Played"]
BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": GOAL}]}).encode()
SLOW = 'text = "Hello."\ndelay = 60'


class Connection:
    """One request: what the client sends is put into `coming`, what it gets is in `sent`."""

    def __init__(self, app: App, *parts: bytes, path: str = "/v1/chat/completions", **headers: str) -> None:
        self.coming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.sent: list[MutableMapping[str, Any]] = []
        for number, part in enumerate(parts, 1):
            self.coming.put_nowait({"type": "http.request", "body": part, "more_body": number < len(parts)})
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "method": "POST", "path": path, "headers": pairs}
        self.done = asyncio.create_task(app(scope, self.coming.get, self._send))

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        self.sent.append(message)

    def leave(self) -> None:
        self.coming.put_nowait({"type": "http.disconnect"})

    async def status(self) -> int:
        await asyncio.wait_for(self.done, 60)
        status: int = self.sent[0]["status"]
        return status

    @property
    def words(self) -> str:
        words: str = json.loads(self.sent[1]["body"])["error"]["message"]
        return words


class Played:
    """A scenario without a server around it."""

    def __init__(self, served: Serving, log: list[str]) -> None:
        self.served = served
        self.log = log

    def ask(self, *parts: bytes, **headers: str) -> Connection:
        return Connection(self.served.app, *parts, **headers)


@pytest.fixture
def played(tmp_path: Path) -> Iterator[PutOn]:
    all_served = []

    def put_on(text: str, **options: Any) -> Played:
        home, log = Home(root=tmp_path, found="--home", packaged=packaged_folder()), list[str]()
        served = serving(scenario(text), home, name="said", path="said.toml", say=log.append, **options)
        all_served.append(served)
        return Played(served, log)

    yield put_on
    for served in all_served:
        served.close()


def written(folder: Path) -> bytes:
    """All that is in any file."""
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


async def settled() -> None:
    """Everything has run that can."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_an_endless_body_is_refused_before_its_end(played: PutOn) -> None:
    playing = played(says('text = "Hello."'), largest=1000)
    connection = playing.ask(*[b"x" * 400] * 3, b"never asked for")
    assert await connection.status() == 413
    assert connection.words == "the request has more than 1,000 bytes"
    assert connection.coming.qsize() == 1


async def test_who_falls_silent_in_a_body_is_not_waited_for(played: PutOn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "SILENCE", 0.01)
    playing = played(says('text = "Hello."'))
    connection = playing.ask(BODY[:10], b"")
    connection.coming.get_nowait()
    connection.coming.get_nowait()
    await asyncio.wait_for(connection.done, 60)
    assert connection.sent == []
    assert "499" in playing.log[0]


async def test_who_leaves_while_waiting_for_a_turn_waits_no_longer(played: PutOn) -> None:
    playing = played(says(SLOW))
    name = {"x-workbench-session": "one"}
    first = playing.ask(BODY, **name)
    await settled()
    second = playing.ask(BODY, **name)
    await settled()
    assert not second.done.done()
    second.leave()
    await asyncio.wait_for(second.done, 60)
    assert not first.done.done()
    assert (second.sent, len(playing.log)) == ([], 1)
    first.leave()
    await asyncio.wait_for(first.done, 60)


@pytest.mark.parametrize(
    ("host", "public", "status"),
    [
        ("127.0.0.1:8642", False, 200),
        ("[::1]:8642", False, 200),
        ("localhost:8642", False, 200),
        ("agent.localhost", False, 200),
        ("host.docker.internal:8642", False, 200),
        ("", False, 200),
        ("rebound.example.org:8642", False, 403),
        ("localhost.example.org", False, 403),
        ("notlocalhost", False, 403),
        ("[", False, 403),
        ("office.example.org", True, 200),
    ],
)
async def test_a_page_that_has_pointed_its_own_name_here_is_not_answered(
    played: PutOn, host: str, public: bool, status: int
) -> None:
    playing = played(says('text = "Hello."'), public=public)
    connection = playing.ask(BODY, host=host)
    assert await connection.status() == status
    if status == 403:
        assert connection.words.startswith(f"this machine is not called {host} here")


async def test_no_key_of_a_client_is_written_or_said(
    played: PutOn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    playing = played(says('text = "Hello."'))
    key = {"authorization": f"Bearer {KEY}", "x-api-key": KEY}
    statuses = [await playing.ask(BODY, **key).status()]

    def defect(*_: object) -> None:
        raise RuntimeError("a defect of ours")

    monkeypatch.setattr("workbench.serve.app.read_object", defect)
    statuses.append(await playing.ask(BODY, **key).status())
    statuses.append(await playing.ask(BODY, host="elsewhere.example.org", **key).status())
    assert statuses == [200, 500, 403]
    log = "\n".join(playing.log)
    assert "a defect of ours" in log
    assert KEY not in log
    assert GOAL.encode() in written(tmp_path)
    assert KEY.encode() not in written(tmp_path)
