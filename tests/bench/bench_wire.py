"""What a live model costs beyond the request itself. Run: python tests/bench/bench_wire.py

Prints, for transcripts of 2, 20 and 200 turns, the time of a call through the live model and of a bare httpx request
that carries the same body and parses the same reply, both on one kept connection to a server on loopback; then the
time for each chunk of a stream of 10,000, and of reading the same bytes bare. Medians.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.models.wire.histories import begun, called, request
from tests.models.wire.server import Server, chat, http, sse, stream
from tests.models.wire.test_transcript import body
from workbench.clocks import SystemClock
from workbench.core.ports import Request
from workbench.core.values import RawCall
from workbench.models.live import LiveModel
from workbench.models.wire.endpoint import Endpoint

CALLS = 300
CHUNKS = 10_000


def history(turns: int) -> Request:
    state = begun()
    for index in range(turns):
        called(state, RawCall("read_note", json.dumps({"path": f"{index}.txt"}), f"call_{index}"), text="I look. " * 20)
    return request(state)


async def overhead(turns: int) -> tuple[float, float]:
    """Seconds of a bare request, and of one through the live model."""
    asked = history(turns)
    async with Server(http(chat("done"))) as server, httpx.AsyncClient() as client:
        live = LiveModel(Endpoint(wire="openai", model="m", base_url=server.url, stream=False), clock=SystemClock())
        same: dict[str, Any] = body(asked.state, "openai", stream=False)

        async def bare() -> None:
            reply = await client.post(f"{server.url}/chat/completions", json=same)
            reply.json()["choices"][0]["message"]["content"]

        async def through() -> None:
            await live.reply(asked, lambda _: None)

        times: dict[str, list[float]] = {"bare": [], "through": []}
        for index in range(CALLS):
            for name, work in (("bare", bare), ("through", through)):
                began = perf_counter()
                await work()
                if index > CALLS // 10:
                    times[name].append(perf_counter() - began)
        live.close()
    return median(times["bare"]), median(times["through"])


async def chunks() -> tuple[float, float]:
    """Seconds a chunk, bare and through the live model."""
    events: list[dict[str, Any] | str] = [
        {"choices": [{"index": 0, "delta": {"content": f"word{index} "}, "finish_reason": None}]}
        for index in range(CHUNKS)
    ]
    events += [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, "[DONE]"]
    data = b"".join(b"%x\r\n%b\r\n" % (len(one := sse(event)), one) for event in events)
    head = stream(b"").removesuffix(b"0\r\n\r\n0\r\n\r\n").removesuffix(b"0\r\n\r\n")
    answer = head.split(b"\r\n\r\n")[0] + b"\r\n\r\n" + data + b"0\r\n\r\n"
    bare, through = [], []
    async with Server(answer) as server, httpx.AsyncClient() as client:
        live = LiveModel(Endpoint(wire="openai", model="m", base_url=server.url), clock=SystemClock())
        asked = history(2)
        for _ in range(5):
            began = perf_counter()
            async with client.stream("POST", f"{server.url}/chat/completions", content=b"{}") as reply:
                async for _chunk in reply.aiter_bytes():
                    pass
            bare.append(perf_counter() - began)
            began = perf_counter()
            text = (await live.reply(asked, lambda _: None)).text
            through.append(perf_counter() - began)
            assert text.endswith(f"word{CHUNKS - 1} ")
        live.close()
    return median(bare) / CHUNKS, median(through) / CHUNKS


async def main() -> None:
    for turns in (2, 20, 200):
        bare, through = await overhead(turns)
        extra = (through / bare - 1) * 100
        print(f"{turns:>4} turns   bare {bare * 1e3:6.2f} ms   live model {through * 1e3:6.2f} ms   {extra:+5.1f} %")
    bare, through = await chunks()
    print(f"{CHUNKS:,} chunks   bare {bare * 1e6:5.1f} µs   live model {through * 1e6:5.1f} µs a chunk")


if __name__ == "__main__":
    asyncio.run(main())
