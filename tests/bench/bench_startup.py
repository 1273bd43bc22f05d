"""From the start of the process to text on the terminal: `python tests/bench/bench_startup.py`.

Three programs in turn, each in a terminal of its own of 120×40: an empty app of Textual, the workbench on its shelves,
and the workbench on a scenario. Times are from the start to the moment when the text that is waited for has arrived, in
milliseconds, medians; `ratio` is that to the empty app, of the same run and this machine; of the least times, because
whatever else the machine does only adds. Goal: at most 1.6 to the first text that is of use, which is the list of
scripts, or the goal of the scenario; the run, ready to be stepped, follows when what it needs has been imported.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
from pathlib import Path
from time import perf_counter

ROUNDS = 7
LONGEST = 20.0
REPOSITORY = Path(__file__).parents[2]
ESCAPE = re.compile(rb"\x1b(\[[0-9;:<=>?]*[ -/]*[@-~]|[\]P_^].*?(\x07|\x1b\\)|[()][0-9A-B]|[=>78cDEHMNOZ])", re.DOTALL)
EMPTY = """
from textual.app import App
from textual.widgets import Static

class Empty(App):
    def compose(self):
        yield Static("Hello, world")

Empty().run()
"""


def programs(home: str) -> dict[str, tuple[list[str], str]]:
    """Command and the text to wait for."""
    workbench = [sys.executable, "-m", "workbench", "--home", home]
    return {
        "empty app of Textual": ([sys.executable, "-c", EMPTY], "Hello, world"),
        "workbench, first frame": (workbench, "Scripts"),
        "workbench, the scripts": (workbench, "Two cities"),
        "a scenario, its goal": ([*workbench, "two-cities"], "Combined population"),
        "a scenario, ready": ([*workbench, "two-cities"], "ask the model"),
    }


def time_to(command: list[str], text: str, caches: str) -> float:
    """Milliseconds until the program has written that text. Modules are compiled once, into the folder `caches`."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"TERM": "xterm-256color", "PYTHONPATH": str(REPOSITORY), "PYTHONPYCACHEPREFIX": caches}
    start = perf_counter()
    process, terminal = pty.fork()
    if process == 0:
        os.execve(command[0], command, environment)
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        return _until(terminal, text.encode(), start)
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)


def _until(terminal: int, text: bytes, start: float) -> float:
    written = b""
    while perf_counter() - start < LONGEST:
        if not select.select([terminal], [], [], 0.05)[0]:
            continue
        try:
            written += os.read(terminal, 1 << 16)
        except OSError:
            break
        if text in ESCAPE.sub(b"", written):
            return (perf_counter() - start) * 1000
    sys.exit(f"{text.decode()} never came:\n{ESCAPE.sub(b'', written).decode(errors='replace')[-2000:]}")


def main() -> None:
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as caches:
        times: dict[str, list[float]] = {name: [] for name in programs(home)}
        for turn in range(ROUNDS + 1):
            for name, (command, text) in programs(home).items():
                took = time_to(command, text, caches)
                if turn:  # the first round compiles
                    times[name].append(took)
    floor = min(times["empty app of Textual"])
    print(f"{'':<26}{'ms':>7}{'least':>7}{'most':>7}{'ratio':>7}")
    for name, taken in times.items():
        median = statistics.median(taken)
        print(f"{name:<26}{median:>7.0f}{min(taken):>7.0f}{max(taken):>7.0f}{min(taken) / floor:>7.2f}")


if __name__ == "__main__":
    main()
