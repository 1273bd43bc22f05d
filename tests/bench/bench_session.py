"""A session of 100,000 events, opened in the app and walked through: `python tests/bench/bench_session.py [--events N]`.

The session is made by the engine: a thought and a call, a result of a few lines, now and then a long one. Opening is
from the call to the first key that acts, against parsing the same file with `tomllib` in the same process; a walk is
key by key, from the key to the last frame. In milliseconds of processor time, the least of several for the parsing,
medians for the keys. Goals: opened in 3 times the parsing, a key within 16.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import sys
import tempfile
import tomllib
from pathlib import Path
from time import perf_counter, process_time

REPOSITORY = Path(__file__).parents[2]
sys.path.insert(0, str(REPOSITORY))

from textual.pilot import Pilot  # noqa: E402

from tests.tui.run.stage import a_home  # noqa: E402
from workbench.clocks import VirtualClock  # noqa: E402
from workbench.core.ports import OnSignal, Reply, Request  # noqa: E402
from workbench.core.values import RawCall  # noqa: E402
from workbench.home import Home  # noqa: E402
from workbench.runner import Run  # noqa: E402
from workbench.scenarios.header import build_header  # noqa: E402
from workbench.scenarios.loader import parse_scenario  # noqa: E402
from workbench.sessions.journal import create_session, read_session  # noqa: E402
from workbench.toolkit.api import tool  # noqa: E402
from workbench.toolkit.execute import ToolBox  # noqa: E402
from workbench.toolkit.loader import load_function, load_tools  # noqa: E402
from workbench.tui.app import WorkbenchApp  # noqa: E402
from workbench.tui.run.screen import RunScreen  # noqa: E402

SCENARIO = """
title = "A long search"
goal = "Read the log of every day and say where it broke."
protocol = "native"
tools = ["read_file"]

[[model.reply]]
text = "There was nothing to see."
"""
WALKED = 40
EVENTS_A_STEP = 3


@tool(risk="read", inline=True, source="workspace")
def read_file(path: str) -> str:
    """The log of one day.

    path: its file"""
    number = int(path.removeprefix("day-").removesuffix(".log"))
    lines = 60 if number % 50 == 0 else number % 6 + 2
    return "\n".join(
        f"2026-01-{line % 28 + 1:02} 10:{line:02}:07 INFO worker={number} handled 'request' in {line * 7} ms"
        for line in range(lines)
    )


class Reader:
    """A model that reads one file after the other."""

    name = "reader"

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.made = 0

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
        self.made += 1
        if self.made > self.steps:
            return Reply(text="Day 3 broke first.\nNothing came after it.")
        text = f"Day {self.made - 1} was quiet, so now to 'day {self.made}'.\nIts log is in a file of its own."
        return Reply(
            text=text, calls=(RawCall("read_file", f'{{"path": "day-{self.made}.log"}}'),), finish="tool_calls"
        )


def write(path: Path, home: Home, events: int) -> None:
    """A session of about that many events, by the engine."""
    tools = load_tools(home.tools)
    header = build_header(
        parse_scenario(SCENARIO, "long.toml"),
        [each.info for each in tools.tools.values()],
        id="20260131-100000-7f3a",
        created="2026-01-31T10:00:00Z",
        workbench="0",
        path="long.toml",
    )
    steps = events // EVENTS_A_STEP
    with create_session(path, header, durable=False) as journal:
        toolbox = ToolBox([load_function(read_file)])
        asyncio.run(Run(header, model=Reader(steps), tools=toolbox, journal=journal, clock=VirtualClock()).play())


def parsed(path: Path, rounds: int) -> float:
    """Milliseconds that tomllib takes, at least."""
    text = path.read_text(encoding="utf-8")
    taken = []
    for _ in range(rounds):
        gc.collect()
        spent = process_time()
        tomllib.loads(text)
        taken.append((process_time() - spent) * 1000)
    return min(taken)


async def used(path: Path, home: Home) -> dict[str, float]:
    """Milliseconds of opening it, and of the keys."""
    app = WorkbenchApp(home)
    out: dict[str, float] = {}
    async with app.run_test(size=(120, 40)) as pilot:
        while any(not worker.is_finished for worker in app.workers):  # noqa: ASYNC110 - Home is reading
            await asyncio.sleep(0.01)
        wall, spent = perf_counter(), process_time()
        app.opener.session(path)
        while not isinstance(app.screen, RunScreen):  # noqa: ASYNC110 - a bench looks as a person does
            await asyncio.sleep(0.005)
        await pilot.press("up")
        out["opened, until a key has acted"] = (process_time() - spent) * 1000
        out["the same, on the clock"] = (perf_counter() - wall) * 1000
        screen = app.screen
        await pilot.press("left")
        out["the first ←, whatever is ready"] = await _key(pilot, "left")
        while screen.transcript.flow.has_guesses:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        for key in ("left", "right"):
            out[f"{key}, near the end"] = statistics.median([await _key(pilot, key) for _ in range(WALKED)])
        screen.look(screen.run_.state.n // 2)
        await pilot.pause()
        for key in ("left", "right"):
            taken = [await _key(pilot, key) for _ in range(WALKED * 3)]
            out[f"{key}, in the middle"] = statistics.median(taken)
            out[f"{key}, in the middle, the worst"] = max(taken)
        await pilot.press("q")
        await pilot.pause()
    return out


async def _key(pilot: Pilot[None], key: str) -> float:
    await asyncio.sleep(1 / 30)
    spent = process_time()
    await pilot.press(key)
    await pilot.pause()
    return (process_time() - spent) * 1000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--events", type=int, default=100_000)
    count: int = options.parse_args().events
    with tempfile.TemporaryDirectory() as name:
        home = a_home(Path(name))
        path = home.sessions / "long.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, home, count)
        print(f"{path.stat().st_size / 1e6:.1f} MB")
        floor = parsed(path, 2)
        print(f"{'tomllib alone':<32}{floor:>9.0f} ms")
        spent = process_time()
        events = len(read_session(path).events)
        took = (process_time() - spent) * 1000
        print(f"{f'read as {events:,} events':<32}{took:>9.0f} ms{took / floor:>7.2f} of tomllib")
        out = asyncio.run(used(path, home))
    for name, value in out.items():
        share = f"{value / floor:>7.2f} of tomllib" if "opened" in name else ""
        print(f"{name:<32}{value:>9.1f} ms{share}")


if __name__ == "__main__":
    main()
