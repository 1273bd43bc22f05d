"""What a long run costs to be looked at: its transcript loaded, its side column drawn, a walk back through its events.

    PYTHONPATH=. python tests/bench/bench_view.py [--entries 100000]

The run asks for one call a reply, and every tenth is decided by a person. Texts of all entries are what the transcript
needs to know its height; drawing takes place once a frame.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Callable
from time import perf_counter

from workbench.core.events import Decided, Event, ModelReply, ToolResult, ToolStarted, UserMessage
from workbench.core.state import fold
from workbench.core.values import Call, Header, Limits, ProtocolName, ToolInfo
from workbench.recording import Recording
from workbench.sessions.late import MemoryJournal
from workbench.view import meters, panes
from workbench.view.timeline import Timeline

TOOLS = (
    ToolInfo(name="search_orders", risk="read", source="orders"),
    ToolInfo(name="create_refund", risk="write", source="ledger", dedupe=False),
)
PROTOCOLS: tuple[ProtocolName, ...] = ("native", "text", "json")
STEPS_BACK = 300


def a_run(entries: int, protocol: ProtocolName) -> list[Event]:
    """Events that make so many entries: a goal, then a reply and a result in turn."""
    events: list[Event] = [UserMessage(text="Refund it")]
    for n in range(1, entries // 2 + 1):
        tool = "create_refund" if n % 10 == 0 else "search_orders"
        arguments = f'{{"customer": "Ada Byron {n}"}}'
        call = Call(id=f"c{n}", tool=tool, arguments=arguments, canonical=arguments.replace(": ", ":"))
        text = {
            "native": f"I need order {n}.",
            "text": f"THOUGHT: I need order {n}.\nACTION: {tool} {arguments}",
            "json": f'{{"type": "tool", "tool": "{tool}", "input": {arguments}}}',
        }[protocol]
        events.append(ModelReply(text=text, calls=(call,), input_estimate=50 + n, output_estimate=20, took=0.01))
        if tool == "create_refund":
            events.append(Decided(call=call.id, decision="allow", arguments=call.canonical))
        events.append(ToolStarted(call=call.id))
        events.append(ToolResult(call=call.id, content=f'{{"orders": ["A-{n}"]}}', source="orders", took=0.002))
    return events


def milliseconds(work: Callable[[], object], rounds: int = 5) -> float:
    """The median of a few rounds, in ms."""
    took = []
    for _ in range(rounds):
        began = perf_counter()
        work()
        took.append(perf_counter() - began)
    return statistics.median(took) * 1e3


def measure(entries: int, protocol: ProtocolName) -> dict[str, float]:
    header = Header(id="bench", goal="Refund it", protocol=protocol, tools=TOOLS, limits=Limits(steps=10**6))
    events = a_run(entries, protocol)
    state = fold(header, events)
    timeline = Timeline(events, state)

    def load() -> None:
        for index in range(len(timeline)):
            timeline.text(index), timeline.data(index), timeline.fold_at(index)

    past = Recording(header, MemoryJournal(), events)
    back = [milliseconds(lambda n=n: past.at(n), 1) for n in range(len(events) - 1, len(events) - STEPS_BACK, -1)]  # type: ignore[misc]
    places = random.Random(1).sample(range(len(events)), 40)
    return {
        "all texts": milliseconds(load, 3),
        "budget": milliseconds(lambda: meters.budget(state, 45)),
        "calls": milliseconds(lambda: panes.calls(state, 45, rows=12)),
        "step back": statistics.median(back),
        "worst step": max(back),
        "jump": statistics.median(milliseconds(lambda n=n: past.at(n), 1) for n in places),  # type: ignore[misc]
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--entries", type=int, default=100_000)
    entries: int = options.parse_args().entries
    print(f"ms, for {entries:,} entries")
    for protocol in PROTOCOLS:
        figures = measure(entries, protocol)
        if protocol == PROTOCOLS[0]:
            print(f"{'':<8}" + "".join(f"{name:>12}" for name in figures))
        print(f"{protocol:<8}" + "".join(f"{figure:>12.3f}" for figure in figures.values()))


if __name__ == "__main__":
    main()
