"""The cost of a step: the engine with every check on, against the bare loop of fifteen statements, in one run.

    PYTHONPATH=. python tests/bench/bench_loop.py [--rounds 3]

All make N calls of `add(a=i, b=1)`, one a reply, and then answer. The bare loop keeps a list of messages and nothing
else; the engine validates, gates, counts, guards against repeats, checks every cap before each step and records each
event. Then the same with a scripted model, and with a session file to which each event is written before the next.
Building the agent is part of a run. Only ratios inside a round mean something: machines drift.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import math
import multiprocessing
import resource
import statistics
import tempfile
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

from workbench.clocks import VirtualClock
from workbench.core.ports import Journal, Model, OnSignal, Reply, Request
from workbench.core.values import Header, Limits, RawCall, RepeatLimit
from workbench.models.scripted import Line, ScriptedCall, ScriptedModel
from workbench.runner import Run
from workbench.sessions.journal import create_session
from workbench.sessions.late import MemoryJournal
from workbench.toolkit.api import tool
from workbench.toolkit.execute import ToolBox
from workbench.toolkit.loader import load_function

SIZES = (100, 1000, 10_000)


@tool(risk="read", inline=True)
def add(a: float, b: float) -> float:
    """Add two numbers.

    a: the first number
    b: the second number"""
    return a + b


# ---------------------------------------------------------------- the bare loop


class StepLimit(Exception):
    """The bare loop has no other way to say that it ran out of steps."""


def bare_loop(goal: str, tools: dict[str, Callable[..., Any]], model: Callable[[Any], Any], max_steps: int) -> str:
    messages: list[dict[str, Any]] = [{"role": "user", "content": goal}]
    for _ in range(max_steps):
        reply = model(messages)
        calls = reply.get("tool_calls")
        if not calls:
            return str(reply["content"])
        messages.append(reply)
        for call in calls:
            function = call["function"]
            try:
                content = str(tools[function["name"]](**json.loads(function["arguments"])))
            except Exception as error:  # noqa: BLE001 - as bare as it is, it tells the model
                content = f"error: {error}"
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    raise StepLimit(goal)


def arguments(number: int) -> str:
    return json.dumps({"a": number, "b": 1})


def run_bare(steps: int) -> object:
    made = 0

    def model(messages: list[dict[str, Any]]) -> dict[str, Any]:
        nonlocal made
        made += 1
        if made > steps:
            return {"role": "assistant", "content": f"done {steps}"}
        function = {"name": "add", "arguments": arguments(made)}
        call = {"id": f"c{made}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    answer = bare_loop("add", {"add": add}, model, steps + 1)
    assert answer == f"done {steps}"
    return answer


# ---------------------------------------------------------------- the engine


class Counting:
    """Makes its replies as it goes, as the model of the bare loop does."""

    name = "counting"

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.made = 0

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
        self.made += 1
        if self.made > self.steps:
            return Reply(text=f"done {self.steps}")
        return Reply(calls=(RawCall("add", arguments(self.made)),), finish="tool_calls")


def run_engine(steps: int, *, model: Model | None = None, journal: Journal | None = None) -> Run:
    """A run with every cap on and the repeat guard; none of them is reached."""
    run = Run(
        header(steps),
        model=model if model is not None else Counting(steps),
        tools=ToolBox([load_function(add)]),
        journal=journal if journal is not None else MemoryJournal(),
        clock=VirtualClock(),
    )
    asyncio.run(run.play())
    assert run.state.answer == f"done {steps}", run.state.stopped
    assert run.state.tool_calls == steps
    return run


def run_scripted(steps: int) -> Run:
    """The same with a script, which is made ready first: the price of templates, captures and conditions not used."""
    script = [Line(calls=(ScriptedCall(tool="add", arguments=arguments(n)),)) for n in range(1, steps + 1)]
    return run_engine(steps, model=ScriptedModel([*script, Line(text=f"done {steps}")], clock=VirtualClock()))


def header(steps: int) -> Header:
    far = 10**12
    return Header(
        id="bench",
        goal="add",
        tools=(load_function(add).info,),
        limits=Limits(
            steps=steps + 1,
            model_calls=far,
            tool_calls=far,
            input_tokens=far,
            output_tokens=far,
            total_tokens=far,
            context_tokens=far,
            cost=1.0,
            seconds=far,
            failures=5,
            protocol_errors=5,
            denials=5,
            repeats=RepeatLimit(),
        ),
    )


def run_toml(steps: int) -> Run:
    """The same with a session file: each event is written and flushed before the next move, but not synced."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.toml"
        with closing(create_session(path, header(steps), durable=False)) as journal:
            return run_engine(steps, journal=journal)


# ---------------------------------------------------------------- measuring

CONTESTANTS: dict[str, Callable[[int], object]] = {
    "bare loop": run_bare,
    "engine": run_engine,
    "with a script": run_scripted,
    "with a session": run_toml,
}


def microseconds(run: Callable[[int], object], steps: int) -> float:
    """Microseconds a step: the best of a few runs, for what disturbs a run only ever adds."""
    took: list[float] = []
    while len(took) < 3 or (len(took) < 15 and sum(took) < 0.3):
        gc.collect()
        began = perf_counter()
        run(steps)
        took.append(perf_counter() - began)
    return min(took) / steps * 1e6


def kilobytes(name: str) -> float:
    """Resident memory that a run adds in a fresh process, in kB a step."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(grown, (name,))


def grown(name: str) -> float:
    run = CONTESTANTS[name]
    run(2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run(SIZES[-1])
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / SIZES[-1]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=3)
    rounds: int = options.parse_args().rounds

    # Memory first: a process takes the peak of the one that began it for its own.
    memory = {name: kilobytes(name) for name in CONTESTANTS}
    figures: dict[tuple[str, int], list[float]] = {}
    for _ in range(rounds):
        for steps in SIZES:
            for name, run in CONTESTANTS.items():
                figures.setdefault((name, steps), []).append(microseconds(run, steps))

    print(f"{'':<15}" + "".join(f"{f'N={steps}':>19}" for steps in SIZES) + f"{'exponents':>13}{'kB a step':>11}")
    for name in CONTESTANTS:
        cells = []
        for steps in SIZES:
            own, bare = figures[name, steps], figures["bare loop", steps]
            ratio = statistics.median(mine / floor for mine, floor in zip(own, bare, strict=True))
            cells.append(f"{statistics.median(own):>8.1f} µs {ratio:>6.1f}x")
        medians = [statistics.median(figures[name, steps]) for steps in SIZES]
        exponents = [1 + math.log10(after / before) for before, after in pairwise(medians)]
        shown = " ".join(f"{exponent:.2f}" for exponent in exponents)
        print(f"{name:<15}" + "".join(f"{cell:>19}" for cell in cells) + f"{shown:>13}{memory[name]:>11.2f}")


if __name__ == "__main__":
    main()
