"""What the transcript costs at 100,000 entries and at 1,000, in one run: `python tests/bench/bench_transcript.py`.

Times are from the call to the last frame on the screen, and the processor time of it, in milliseconds; medians. `ratio`
is the second size over the first: 1 means that length does not matter. Every figure is of this run and this machine.
"""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import random
import resource
import statistics
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from textual.pilot import Pilot

from workbench.view.entries import Entry, lines_of

SIZES = (1_000, 100_000)
ROUNDS = 15
HERE = Path(__file__).parent

_spec = importlib.util.spec_from_file_location("host", HERE.parent / "tui" / "transcript" / "conftest.py")
assert _spec is not None
assert _spec.loader is not None
host = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(host)


class Texts:
    """A source as a run has one: texts are there, entries are made to be drawn."""

    def __init__(self, count: int) -> None:
        chance = random.Random(1)
        words = [
            "the",
            "loop",
            "asks",
            "a",
            "model",
            "and",
            "runs",
            "the",
            "tool",
            "it",
            "names",
            "until",
            "a",
            "limit",
        ]
        self.texts: list[str] = []
        for number in range(count):
            lines = 200 if number % 200 == 0 else chance.randint(1, 6)
            self.texts.append("\n".join(" ".join(chance.choices(words, k=chance.randint(3, 30))) for _ in range(lines)))

    def __len__(self) -> int:
        return len(self.texts)

    def text(self, index: int) -> str:
        return self.texts[index]

    def data(self, index: int) -> bool:
        return index % 2 == 1

    def fold_at(self, index: int) -> int | None:
        return 12

    def entry(self, index: int) -> Entry:
        word = "RESULT" if index % 2 else "MODEL"
        return Entry(index, index, word, "result", lines_of(self.texts[index]), "", index % 2 == 1, self.fold_at(index))


class Bench(host.Host):  # type: ignore[misc, name-defined]
    """Notes when frames were drawn."""

    def __init__(self) -> None:
        super().__init__(spaced=True)
        self.frames: list[float] = []

    def _display(self, screen: Any, renderable: Any) -> None:
        super()._display(screen, renderable)
        self.frames.append(perf_counter())


async def time_of(pilot: Pilot[None], act: Callable[[], Awaitable[None] | None]) -> tuple[float, float]:
    """Milliseconds until what `act` did is on the screen, and milliseconds of processor time."""
    frames = pilot.app.frames  # type: ignore[attr-defined]
    await asyncio.sleep(1 / 30)
    frames.clear()
    wall, spent = perf_counter(), process_time()
    waiting = act()
    if waiting is not None:
        await waiting
    await pilot.pause()
    spent = process_time() - spent
    return ((frames[-1] - wall) * 1000 if frames else 0.0), spent * 1000


async def measure(count: int) -> dict[str, float]:
    source = Texts(count)
    app = Bench()
    out: dict[str, float] = {}
    async with app.run_test(size=(120, 40)) as pilot:
        view = app.transcript
        await pilot.pause()
        gc.collect()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        wall, spent = perf_counter(), process_time()
        view.load(source)
        out["load, call"] = (perf_counter() - wall) * 1000
        app.frames.clear()
        out["load, all measured"] = await settled(view, wall)
        await pilot.pause()
        out["load, first frame"] = (app.frames[0] - wall) * 1000
        out["load, all measured, cpu"] = (process_time() - spent) * 1000
        out["memory of it, MB"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        gc.collect()
        gc.freeze()

        def append() -> None:
            source.texts.append("one more entry\nof two lines")
            view.appended()

        reply = [""]

        def stream() -> None:
            reply[0] += "token " * 5 + ("\n" if len(reply[0]) % 7 == 0 else "")
            view.show_tail(Entry(0, 9, "MODEL", "model", lines_of(reply[0])))

        acts: dict[str, Callable[[], Awaitable[None] | None]] = {
            "append": append,
            "stream a token": stream,
            "change an entry": lambda: view.changed(count // 2),
            "up": lambda: pilot.press("up"),
            "page up": lambda: pilot.press("pageup"),
            "page down": lambda: pilot.press("pagedown"),
            "home": lambda: pilot.press("home"),
            "fold": lambda: pilot.press("enter"),
            "end": lambda: pilot.press("end"),
            "truncate": lambda: view.truncate(random.randrange(1, count)),
        }
        for name, act in acts.items():
            rounds = [await time_of(pilot, act) for _ in range(ROUNDS)]
            out[name] = statistics.median(wall for wall, _ in rounds)
            out[f"{name}, cpu"] = statistics.median(cpu for _, cpu in rounds)
        view.truncate(None)
        view.show_tail(None)
        out.update(await resize(pilot, view))
        wall = perf_counter()
        view.search("there is no such text")
        await app.workers.wait_for_complete()
        out["search, nothing found"] = (perf_counter() - wall) * 1000
    return out


async def resize(pilot: Pilot[None], view: object) -> dict[str, float]:
    """A resize, and the longest time the event loop stood still in it."""
    pauses: list[float] = []

    async def beat() -> None:
        last = perf_counter()
        while True:
            await asyncio.sleep(0.001)
            now = perf_counter()
            pauses.append((now - last) * 1000)
            last = now

    beating = asyncio.create_task(beat())
    frames = pilot.app.frames  # type: ignore[attr-defined]
    frames.clear()
    wall = perf_counter()
    await pilot.resize_terminal(80, 24)
    done = await settled(view, wall)
    await pilot.pause()
    beating.cancel()
    first = (frames[0] - wall) * 1000
    return {"resize, first frame": first, "resize, all measured": done, "resize, longest pause": max(pauses)}


async def settled(view: object, since: float) -> float:
    while view.flow.has_guesses:  # type: ignore[attr-defined]  # noqa: ASYNC110 - nothing tells that it is done
        await asyncio.sleep(0.002)
    return (perf_counter() - since) * 1000


def main() -> None:
    small, large = (asyncio.run(measure(count)) for count in SIZES)
    print(f"{'':<28}{SIZES[0]:>10,}{SIZES[1]:>10,}{'ratio':>8}")
    for name, value in small.items():
        ratio = large[name] / value if value else float("nan")
        print(f"{name:<28}{value:>10.1f}{large[name]:>10.1f}{ratio:>8.1f}")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1]))
    main()
