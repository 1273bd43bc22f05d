"""What a journal costs, as ratios: this machine's microseconds are for scale only.

python -m tests.bench.bench_journal [--dir DIR] [--events 100000]      DIR: on the disk whose fsync is to be measured
"""

from __future__ import annotations

import argparse
import mmap
import os
import statistics
import tempfile
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

import tomli_w

from workbench.core.events import Event, ModelReply, ToolResult, ToolStarted, UserMessage
from workbench.core.plain import to_fields
from workbench.core.values import Call, Header
from workbench.sessions.encode import Seal, event_body
from workbench.sessions.journal import JournalWriter, create_session, open_writer, read_session, recover
from workbench.sessions.store import summary

HEADER = Header(id="20260131-100000-7f3a", goal="Combined population of Paris and Lima?")
ARGUMENTS = '{"city": "Paris"}'
STEP: tuple[Event, ...] = (
    ModelReply(
        text=f"THOUGHT: I need Paris first.\nACTION: lookup_population {ARGUMENTS}",
        calls=(Call(id="c1", tool="lookup_population", arguments=ARGUMENTS, canonical='{"city":"Paris"}'),),
        model="scripted",
        took=0.0123,
        input_estimate=120,
        output_estimate=22,
        line=0,
        served=1,
    ),
    ToolStarted(call="c1", key="5d41402abc4b2a76"),
    ToolResult(call="c1", content="2100000", value="2100000", source="table", took=0.00012),
)
PAGE = ToolResult(call="c1", content='line of a page, with a number: 2100000 and "quotes"\n' * 16, source="workspace")
LONG = ToolResult(call="c1", content='a line of "text" with [brackets]\n' * 240)


def cost(action: Callable[[], object], times: int, rounds: int = 7) -> float:
    """Median seconds of one call."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(times):
            action()
        taken.append((time.perf_counter() - start) / times)
    return statistics.median(taken)


def in_turn(*actions: Callable[[], object], times: int) -> list[float]:
    """Median seconds of each of them, called one after the other so that a change of the machine hits all."""
    taken: list[list[float]] = [[] for _ in actions]
    for _ in range(times):
        for action, seconds in zip(actions, taken, strict=True):
            start = time.perf_counter()
            action()
            seconds.append(time.perf_counter() - start)
    return [statistics.median(seconds) for seconds in taken]


def make(path: Path, count: int) -> None:
    """A session of that many events, some 450 bytes each."""
    with create_session(path, HEADER, durable=False) as journal:
        journal.append(UserMessage(text=HEADER.goal), sync=False)
        for n in range(count - 1):
            journal.append((STEP[0], STEP[1], PAGE)[n % 3], sync=False)


def encoding() -> None:
    seal = Seal(HEADER.id)

    def ours(event: Event) -> bytes:
        body = event_body(7, event)
        return body + seal.line(7, body)

    def through_tomli_w(event: Event) -> bytes:
        body = tomli_w.dumps({"event": [{"n": 7, "kind": event.kind, **to_fields(event)}]}).encode()
        return body + seal.line(7, body)

    def compare(name: str, events: tuple[Event, ...], times: int) -> None:
        one = cost(lambda: [ours(event) for event in events], times)
        other = cost(lambda: [through_tomli_w(event) for event in events], times)
        print(f"encode {name}: {one * 1e6:.1f} us; through tomli-w x{other / one:.1f}")

    compare("the three events of a step", STEP, 500)
    compare("a result of 8,000 characters", (LONG,), 50)


def appending(folder: Path, short: Path, long: Path) -> None:
    def step(journal: JournalWriter) -> None:
        for event in STEP:
            journal.append(event, sync=False)

    with open_writer(short, durable=False) as one, open_writer(long, durable=False) as other:
        few, many = in_turn(lambda: step(one), lambda: step(other), times=1000)
    print(f"append a step, no fsync: {few * 1e6:.1f} us; in the long file x{many / few:.2f}")
    bare = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def byte() -> None:
        os.write(bare, b"\n")
        os.fsync(bare)

    with open_writer(short) as one, open_writer(long) as other:
        floor, few, many = in_turn(
            byte, lambda: one.append(STEP[2], sync=True), lambda: other.append(STEP[2], sync=True), times=300
        )
    os.close(bare)
    print(
        f"append + fsync: x{few / floor:.2f} of a bare byte + fsync ({floor * 1e6:.0f} us); long file x{many / floor:.2f}"
    )


def reading(short: Path, long: Path) -> None:
    for path in (short, long):
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            torn = data[:-7]
            whole = cost(lambda data=data: recover(data, HEADER.id), 50)  # type: ignore[misc]
        cut = cost(lambda torn=torn: recover(torn, HEADER.id), 50)  # type: ignore[misc]
        print(f"recover {path.stat().st_size / 1e6:.2f} MB: {whole * 1e6:.1f} us whole, {cut * 1e6:.1f} us torn")
        text = path.read_text(encoding="utf-8")
        times, rounds = (20, 5) if path is short else (1, 1)
        parser = cost(lambda text=text: tomllib.loads(text), times, rounds)  # type: ignore[misc]
        ours = cost(lambda path=path: read_session(path), times, rounds)  # type: ignore[misc]
        glance = cost(lambda path=path: summary(path), times, rounds)  # type: ignore[misc]
        print(f"  read whole: {ours * 1e3:.1f} ms, x{ours / parser:.2f} of tomllib; summary {glance * 1e3:.2f} ms")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--dir", type=Path)
    arguments.add_argument("--events", type=int, default=100_000)
    given = arguments.parse_args()
    encoding()
    with tempfile.TemporaryDirectory(dir=given.dir) as name:
        folder = Path(name)
        short, long = folder / "short.toml", folder / "long.toml"
        make(short, 100)
        make(long, given.events)
        reading(short, long)
        appending(folder, short, long)


if __name__ == "__main__":
    main()
