"""How long a folder of 5,000 sessions takes to be listed: `python tests/bench/bench_sessions.py [--sessions 5000]`.

Every shipped scenario is run headless once, and the sessions that come of it are written again and again, each with a
name, a title and an id of its own. Then a process of its own lists them, without an index and with one, at the command
line and on Home, in a terminal of 120×40. Times are wall time in milliseconds, from the start of the process until it
has ended, or until the whole list is on the screen; CPU time beside them, since the machine may be at other work.
`ratio` is CPU time to that of `workbench where`, which lists nothing. Goal: under a second after the first time.

The first listing on Home shows what it has read all along; the figure is when the last session is there.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import resource
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from workbench.sessions.journal import Session, create_session, read_session

REPOSITORY = Path(__file__).parents[2]
SHIPPED = len(list((REPOSITORY / "sessions").glob("*.toml")))
LONGEST = 300.0
ESCAPE = re.compile(rb"\x1b(\[[0-9;:<=>?]*[ -/]*[@-~]|[\]P_^].*?(\x07|\x1b\\)|[()][0-9A-B]|[=>78cDEHMNOZ])", re.DOTALL)
Figures = tuple[float, float]
"""Wall time and CPU time, in milliseconds."""


def make_sessions(home: Path, count: int) -> None:
    """The folder of sessions of that home."""
    runs = home / "runs"
    runs.mkdir()
    command = [sys.executable, "-m", "workbench", "run", "--home", str(home), "--approve", "allow"]
    for scenario in sorted((REPOSITORY / "scripts").glob("*.toml")):
        subprocess.run(
            [*command, scenario.stem, "--save", str(runs / scenario.name)],
            env=environment(home),
            capture_output=True,
            check=False,
        )
    models = [read_session(path) for path in sorted(runs.glob("*.toml"))]
    folder = home / "sessions"
    folder.mkdir()
    for number in range(count):
        write_again(models[number % len(models)], number, folder)


def write_again(session: Session, number: int, folder: Path) -> None:
    title = f"{session.header.title} {number}"
    header = replace(session.header, id=f"20260131-100000-{number:04x}", root="", parent="", title=title)
    with create_session(folder / f"{session.path.stem}-{number}.toml", header, durable=False) as journal:
        for event in session.events:
            journal.append(event, sync=False)


def environment(home: Path) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        "TERM": "xterm-256color",
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONPYCACHEPREFIX": str(home / "compiled"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_DATA_HOME": str(home / "data"),
    }


def index_of(home: Path) -> Path:
    return home / "cache" / "workbench" / "sessions.sqlite3"


def at_the_command_line(home: Path, *arguments: str) -> Figures:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = perf_counter()
    subprocess.run(
        [sys.executable, "-m", "workbench", *arguments, "--home", str(home)],
        env=environment(home),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    took = perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return took * 1000, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def on_home(home: Path, total: int) -> Figures:
    """Until the heading of the sessions has their number."""
    start = perf_counter()
    process, terminal = pty.fork()
    if process == 0:
        os.execve(sys.executable, [sys.executable, "-m", "workbench", "--home", str(home)], environment(home))
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        wait_for(terminal, f"─ {total:,}".encode())
        return (perf_counter() - start) * 1000, cpu_of(process)
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)


def wait_for(terminal: int, text: bytes) -> None:
    written, start = b"", perf_counter()
    while perf_counter() - start < LONGEST:
        if not select.select([terminal], [], [], 0.05)[0]:
            continue
        written = (written + os.read(terminal, 1 << 16))[-(1 << 18) :]
        if text in ESCAPE.sub(b"", written):
            return
    sys.exit(f"{text.decode()} never came:\n{ESCAPE.sub(b'', written).decode(errors='replace')[-2000:]}")


def cpu_of(process: int) -> float:
    """Milliseconds; nan where the system does not tell of other processes."""
    try:
        ticks = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return float("nan")
    return sum(map(int, ticks)) * 1000 / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sessions", type=int, default=5000)
    count = parser.parse_args().sessions
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        on_home(home, SHIPPED)
        empty = on_home(home, SHIPPED)
        make_sessions(home, count)
        for command in ("where", "where", "sessions"):  # modules are compiled
            at_the_command_line(home, command)
        floor = at_the_command_line(home, "where")
        figures = {"workbench where": floor, "Home, nothing but examples": empty}
        index_of(home).unlink()
        for which in ("first", "second"):
            figures[f"workbench sessions, {which}"] = at_the_command_line(home, "sessions")
        figures["… a word and filters"] = at_the_command_line(
            home, "sessions", "lima", "tool:add", "status:answered", "steps>1"
        )
        on_home(home, count + SHIPPED)
        kept = index_of(home).stat().st_size
        index_of(home).unlink()
        for which in ("first", "second"):
            figures[f"Home, {which}"] = on_home(home, count + SHIPPED)
        size = sum(path.stat().st_size for path in (home / "sessions").iterdir())
    print(f"{count:,} sessions of {size / count / 1024:.1f} KB; the index has {kept / count / 1024:.1f} KB for each")
    print(f"{'':<30}{'ms':>9}{'CPU ms':>9}{'ratio':>8}")
    for name, (wall, cpu) in figures.items():
        print(f"{name:<30}{wall:>9,.0f}{cpu:>9,.0f}{cpu / floor[1]:>8.1f}")


if __name__ == "__main__":
    main()
