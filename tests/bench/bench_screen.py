"""The Run screen on a session of 100,000 entries and on one of 1,000, in one run: `python tests/bench/bench_screen.py`.

Times are from the call or the key to the last frame on the terminal, in milliseconds; medians. `cpu` is processor time.
`ratio` is the second size over the first: 1 means that length does not matter. Every figure is of this run and machine.
Goals: usable within 400 ms, a key or an event within 16 ms and 1.25 times the same at 1,000, no pause over 50 ms.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

REPOSITORY = Path(__file__).parents[2]
sys.path.insert(0, str(REPOSITORY))

from textual.pilot import Pilot  # noqa: E402

from tests.tui.run.stage import a_home, opened_scenario, with_run  # noqa: E402
from workbench.core.events import Event, ModelReply, ToolResult, ToolStarted, UserMessage  # noqa: E402
from workbench.core.values import Call  # noqa: E402
from workbench.opening import Opened  # noqa: E402
from workbench.sessions.late import MemoryJournal  # noqa: E402
from workbench.tui.app import WorkbenchApp  # noqa: E402
from workbench.tui.run.screen import RunScreen  # noqa: E402

SIZES = (1_000, 100_000)
ROUNDS = 15


def session(entries: int) -> list[Event]:
    """A run that looks up one city after the other: two entries and three events a step."""
    events: list[Event] = [UserMessage(text="Population of every city?")]
    for number in range(1, entries // 2 + 1):
        raw = f'{{"city": "City number {number}"}}'
        call = Call(id=f"c{number}", tool="lookup_population", arguments=raw, canonical=raw.replace(": ", ":"))
        text = f"Number {number} comes next.\nACTION: lookup_population {raw}"
        events.append(ModelReply(text=text, calls=(call,), reading="calls", input_estimate=number, output_estimate=20))
        events.append(ToolStarted(call=call.id))
        lines = "\n".join(f"line {line} of the answer to number {number}" for line in range(number % 6 + 1))
        events.append(ToolResult(call=call.id, content=lines, source="database", took=0.001))
    return events


class Bench(WorkbenchApp):
    """Notes when frames were drawn."""

    def __init__(self, folder: Path) -> None:
        super().__init__(a_home(folder))
        self.frames: list[float] = []

    def _display(self, screen: Any, renderable: Any) -> None:
        super()._display(screen, renderable)
        self.frames.append(perf_counter())


async def time_of(pilot: Pilot[None], act: Callable[[], Awaitable[None] | None]) -> tuple[float, float]:
    """Milliseconds until what `act` did is on the screen, and milliseconds of processor time."""
    app = pilot.app
    assert isinstance(app, Bench)
    await asyncio.sleep(1 / 30)
    app.frames.clear()
    wall, spent = perf_counter(), process_time()
    waiting = act()
    if waiting is not None:
        await waiting
    await pilot.pause()
    spent = process_time() - spent
    return ((app.frames[-1] - wall) * 1000 if app.frames else 0.0), spent * 1000


async def measure(entries: int) -> dict[str, float]:
    out: dict[str, float] = {}
    events = session(entries)
    with tempfile.TemporaryDirectory() as folder:
        app = Bench(Path(folder))
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause()
            opened = opened_scenario(app.home, "no-termination-uncapped", keep=False)
            start = perf_counter()
            with_run(opened, journal=MemoryJournal(), events=events)
            out["fold, before the screen"] = (perf_counter() - start) * 1000
            gc.collect()
            gc.freeze()  # as the app does with what it has read
            await _open(app, pilot, opened, out)
            await _use(app, pilot, out)
            opened.close()
    return out


async def _open(app: Bench, pilot: Pilot[None], opened: Opened, out: dict[str, float]) -> None:
    await pilot.pause()
    app.frames.clear()
    start = perf_counter()
    await app.push_screen(RunScreen(opened))
    await pilot.press("up")
    out["open, until a key has acted"] = (app.frames[-1] - start) * 1000
    while app.screen.transcript.flow.has_guesses:  # type: ignore[attr-defined]  # noqa: ASYNC110 - a bench looks as a person does
        await asyncio.sleep(0.01)
    out["open, until all is measured"] = (perf_counter() - start) * 1000
    await pilot.pause()


async def _use(app: Bench, pilot: Pilot[None], out: dict[str, float]) -> None:
    screen = app.screen
    assert isinstance(screen, RunScreen)
    run = screen.run_
    gc.collect()
    caps = iter(range(1_000_000, 2_000_000))
    acts: dict[str, tuple[str, Callable[[], Awaitable[None] | None]]] = {
        "an event comes": ("", lambda: run.change({"limits.steps": next(caps)})),
        "up": ("", lambda: pilot.press("up")),
        "page up": ("", lambda: pilot.press("pageup")),
        "down": ("up", lambda: pilot.press("down")),
        "home": ("end", lambda: pilot.press("home")),
        "end": ("home", lambda: pilot.press("end")),
        "← at the end": ("", lambda: pilot.press("left")),
        "→": ("", lambda: pilot.press("right")),
        "shift+←": ("", lambda: pilot.press("shift+left")),
    }
    for name, (before, act) in acts.items():
        await pilot.press("end")
        if name == "→":
            await pilot.press(*["left"] * (ROUNDS + 1))
        rounds = []
        for _ in range(ROUNDS):
            if before:
                await pilot.press(before)  # so that there is something to draw
            rounds.append(await time_of(pilot, act))
        out[name] = statistics.median(wall for wall, _ in rounds)
        out[f"{name}, cpu"] = statistics.median(spent for _, spent in rounds)
    await pilot.press("end")
    out["resize, longest pause"] = await _longest_pause(pilot)


async def _longest_pause(pilot: Pilot[None]) -> float:
    """Milliseconds that the event loop stood still at most while the terminal is made smaller."""
    pauses: list[float] = []

    async def beat() -> None:
        last = perf_counter()
        while True:
            await asyncio.sleep(0.001)
            now = perf_counter()
            pauses.append((now - last) * 1000)
            last = now

    beating = asyncio.create_task(beat())
    await pilot.resize_terminal(80, 24)
    while pilot.app.screen.transcript.flow.has_guesses:  # type: ignore[attr-defined]  # noqa: ASYNC110 - a bench looks as a person does
        await asyncio.sleep(0.002)
    beating.cancel()
    return max(pauses)


def main() -> None:
    small, large = (asyncio.run(measure(entries)) for entries in SIZES)
    print(f"{'':<30}{SIZES[0]:>10,}{SIZES[1]:>10,}{'ratio':>8}")
    for name, value in small.items():
        ratio = large[name] / value if value else float("nan")
        print(f"{name:<30}{value:>10.1f}{large[name]:>10.1f}{ratio:>8.2f}")


if __name__ == "__main__":
    main()
