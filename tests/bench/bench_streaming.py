"""How soon a streamed token is on the screen, and what it costs there. Run: python tests/bench/bench_streaming.py

Prints the time from the arrival of a token in this process to the end of the write that paints it, for a server that
sends one now and then and for one that sends as fast as it can; then the CPU time of the whole app for each of so many
tokens, which must not grow with their number. Everything is the real app over a socket on loopback.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.models.wire.server import Exchange, Server, sse
from tests.tui.run.stage import Stage, a_home, staged, write_scenario
from workbench.opening import new_run
from workbench.scenarios.loader import load_scenario

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def token(text: str, finish: str | None = None) -> bytes:
    data = sse({"choices": [{"index": 0, "delta": {"content": text} if text else {}, "finish_reason": finish}]})
    return b"%x\r\n%b\r\n" % (len(data), data)


def words(count: int) -> list[str]:
    return [f"word{index} " if index % 12 else f"word{index}.\n" for index in range(count)]


async def streamed(count: int, pause: float, watch: Any = None) -> tuple[float, float]:
    """CPU seconds and seconds for that many tokens."""

    async def answer(exchange: Exchange) -> None:
        await exchange.send(HEAD)
        for text in words(count):
            await exchange.send(token(text))
            await asyncio.sleep(pause)
        await exchange.send(token("", "stop") + b"0\r\n\r\n")

    with tempfile.TemporaryDirectory() as folder:
        home = a_home(Path(folder) / "home")
        async with Server(answer) as server:
            text = f'goal = "g"\nprotocol = "native"\n[model]\nuse = "openai"\nname = "m"\nbase_url = "{server.url}"\n'
            path = write_scenario(home, text)
            async with staged(new_run(load_scenario(path), home, scenario_path=str(path)), home) as stage:
                ended = asyncio.Event()
                stage.run.subscribe(lambda event: ended.set() if event.kind == "stopped" else None)
                if watch is not None:
                    watch(stage)
                cpu, began = process_time(), perf_counter()
                await stage.send("r")
                await ended.wait()
                return process_time() - cpu, perf_counter() - began


class Painted:
    """From each token's arrival to the end of the write that paints it: seconds, and seconds of CPU."""

    def __init__(self) -> None:
        self.waited: list[tuple[float, float]] = []
        self._arrived: list[tuple[float, float]] = []
        self._drawn: list[tuple[float, float]] = []

    def __call__(self, stage: Stage) -> None:
        stage.run.subscribe_signals(lambda _: self._arrived.append((perf_counter(), process_time())))
        draw, display = stage.screen.drawing.draw, stage.app._display

        def drawn() -> None:
            draw()
            self._drawn += self._arrived
            self._arrived.clear()

        def shown(*arguments: Any, **options: Any) -> None:
            display(*arguments, **options)
            self.waited += [(perf_counter() - at, process_time() - cpu) for at, cpu in self._drawn]
            self._drawn.clear()

        stage.screen.drawing.draw = drawn  # type: ignore[method-assign]
        stage.app._display = shown  # type: ignore[method-assign]


async def main() -> None:
    for name, count, pause in (("one every 60 ms", 60, 0.06), ("as fast as it goes", 3000, 0.0)):
        painted = Painted()
        await streamed(count, pause, painted)
        seconds, cpu = zip(*painted.waited, strict=True)
        late = quantiles(seconds, n=20)[18] * 1e3
        print(
            f"{name:<20} to the screen in {median(seconds) * 1e3:5.1f} ms, 95 % in {late:5.1f} ms; "
            f"{median(cpu) * 1e3:5.1f} ms of CPU"
        )
    for count in (1000, 10_000, 20_000):
        used, took = await streamed(count, 0.0)
        print(f"{count:>6,} tokens   {used / count * 1e6:6.1f} µs of CPU each, {took:.1f} s in all")


if __name__ == "__main__":
    asyncio.run(main())
