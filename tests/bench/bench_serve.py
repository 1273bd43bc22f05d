"""What a served request costs. Run: python tests/bench/bench_serve.py

Prints requests a second over kept connections on loopback, for first requests (each a new session) and for further
ones; then, without a network, the CPU time of one request with 10, 100 and 1,000 messages of history: to parse its body
(what any server does), to judge it, to read and find it, and to answer and record it. The last is flat; the others go
through the history once, and the exponent of their sum says so. Medians.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from math import log
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.serve.stage import Play, says, scenario, staged
from workbench.home import Home, packaged_folder
from workbench.models.wire.body import read_object, to_json
from workbench.scenarios.models import build_model
from workbench.serve.answer import Answer
from workbench.serve.conversations import Conversations
from workbench.serve.dialects.openai import OPENAI
from workbench.serve.journals import Journals
from workbench.serve.server import header_of

SCRIPT = says('text = "Looking."\nrepeat = "forever"\n[[model.reply.call]]\ntool = "add"\narguments = { a = 1, b = 2 }')
TOOLS = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]
REQUESTS = 1000
CLIENTS = 4
LENGTHS = (10, 100, 1000)
TIMES = 15


class Client:
    """One connection, and the history of its conversation."""

    def __init__(self, url: str) -> None:
        self.there = HTTPConnection(urlsplit(url).netloc)
        self.messages: list[dict[str, Any]] = []

    def ask(self, *, anew: bool) -> None:
        if anew:
            self.messages = [{"role": "user", "content": "Go."}]
        body = json.dumps({"model": "m", "messages": self.messages, "tools": TOOLS})
        self.there.request("POST", "/v1/chat/completions", body)
        message = json.loads(self.there.getresponse().read())["choices"][0]["message"]
        self.messages.append({name: message[name] for name in ("role", "content", "tool_calls")})
        call = message["tool_calls"][0]["id"]
        self.messages.append({"role": "tool", "tool_call_id": call, "content": "3"})


def per_second(play: Play, *, anew: bool) -> float:
    clients = [Client(play.url) for _ in range(CLIENTS)]
    for client in clients:
        client.ask(anew=True)

    def work(client: Client) -> None:
        for index in range(REQUESTS // CLIENTS):
            client.ask(anew=anew or index % 10 == 0)

    began = perf_counter()
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(work, clients))
    took = perf_counter() - began
    for client in clients:
        client.there.close()
    return REQUESTS / took


async def costs(folder: Path) -> dict[int, dict[str, float]]:
    """CPU seconds of the parts of one request, by the messages in its history."""
    plain = scenario(SCRIPT)
    home = Home(root=folder, found="--home", packaged=packaged_folder())
    header = header_of(plain, home, "")
    conversations = Conversations(header, lambda clock: build_model(plain, clock), Journals(folder / "sessions"))
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go."}]
    spent: dict[str, list[float]] = {}
    found: dict[int, dict[str, float]] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        began = process_time()
        result = work()
        spent.setdefault(name, []).append(process_time() - began)
        return result

    while len(messages) < max(LENGTHS) + 2 * TIMES:
        data = json.dumps({"model": "m", "messages": messages, "tools": TOOLS}).encode()
        body = timed("parse", lambda data=data: read_object(data, "the body"))  # type: ignore[misc]
        assert timed("judge", lambda body=body: OPENAI.problem(body, {})) == ""  # type: ignore[misc]
        asked = timed("read", lambda body=body: OPENAI.read(body))  # type: ignore[misc]
        began = process_time()
        place = await conversations.find(OPENAI, asked)
        spent.setdefault("find", []).append(process_time() - began)
        began = process_time()
        event = await place.conversation.run.ask()
        conversations.keep(place, event)
        call = event.calls[0].provider_id  # type: ignore[union-attr]
        answer = Answer(
            id="x" * 24, model="m", created=0, text="Looking.", calls=event.calls, finish="tool_calls", input=9, output=9  # type: ignore[union-attr]
        )  # fmt: skip
        to_json(OPENAI.whole(answer))
        spent.setdefault("answer", []).append(process_time() - began)
        for length in LENGTHS:
            if len(messages) >= length + TIMES and length not in found:
                found[length] = {name: median(times[-TIMES:]) for name, times in spent.items()}
        messages.append(
            {
                "role": "assistant",
                "content": "Looking.",
                "tool_calls": [
                    {"id": call, "type": "function", "function": {"name": "add", "arguments": '{"a":1,"b":2}'}}
                ],
            }
        )
        messages.append({"role": "tool", "tool_call_id": call, "content": "3"})
    return found


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as name,
        staged() as stage,
        stage.play(SCRIPT, Path(name)) as play,
    ):
        print(f"first requests    {per_second(play, anew=True):8,.0f} a second, each a new session")
        print(f"further requests  {per_second(play, anew=False):8,.0f} a second, in histories of up to 20 messages")
    with tempfile.TemporaryDirectory() as name:
        found = asyncio.run(costs(Path(name)))
    parts = ("parse", "judge", "read", "find", "answer")
    print(f"{'messages':>8}  " + "".join(f"{part:>10}" for part in parts) + f"{'all':>10}   µs of CPU")
    for length, times in found.items():
        row = [*(times[part] for part in parts), sum(times.values())]
        print(f"{length:>8}  " + "".join(f"{seconds * 1e6:>10,.0f}" for seconds in row))
    short, long = found[LENGTHS[1]], found[LENGTHS[2]]
    ratio = log(LENGTHS[2] / LENGTHS[1])
    for part in parts:
        print(f"{part:>8}  exponent {log(long[part] / short[part]) / ratio:.2f}")
    print(f"{'all':>8}  exponent {log(sum(long.values()) / sum(short.values())) / ratio:.2f}")


if __name__ == "__main__":
    main()
