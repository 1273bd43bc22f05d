"""Processes that make the runs of a matrix side by side. Each is a fresh interpreter, so it matters to nobody whether
the one that asks has a screen, threads or a loop; and a run that hangs or takes its process down costs one cell.
"""

from __future__ import annotations

import asyncio
import math
import os
import signal
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from dataclasses import dataclass, field
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from workbench.faults.catalogue import Entry
from workbench.lab.matrix import End, Trial
from workbench.lab.trials import Subject, try_out

PATIENCE = 60.0
"""Seconds on the wall that one run may take; what takes longer is cut off. Scripted runs take milliseconds."""
BATCH = 8
"""Runs that a process is given at a time."""
ALONE = 0.3
"""Seconds that the first process works by itself: what is done by then is not worth the start of others."""
START = 120.0
"""Seconds that a process may take until it can begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A run to be made: `entry` is None for the unbroken one."""

    number: int
    entry: Entry | None = None
    step: int = 0
    most: int
    """Moves after which it is given up."""


class WorkerError(Exception):
    """The processes cannot be used; the message is a sentence for people."""


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    connection: Connection
    ready: bool = False
    given: deque[Task] = field(default_factory=deque)
    """What it is to do, the run it makes now first."""
    since: float = field(default_factory=time.monotonic)
    """When it began with that, or was started."""


class Workers:
    """Makes runs in at most `jobs` processes. `put` tasks, then `poll` until nothing is `left`; `close` in any case.

    All methods may be called from any thread; `close` may be called while another one polls.
    """

    def __init__(self, subject: Subject, *, jobs: int) -> None:
        self._subject = subject
        self._jobs = max(1, jobs)
        self._waiting: deque[Task] = deque()
        self._workers: list[_Worker] = []
        self._alone_until = math.inf
        self._lock = threading.Lock()
        self._closed = False
        self._scratch = tempfile.TemporaryDirectory(prefix="workbench-matrix-", ignore_cleanup_errors=True)
        """Where the runs have their sandboxes: a process that is ended does not clear up after itself."""

    @property
    def left(self) -> int:
        """Runs that have been asked for and not made."""
        return len(self._waiting) + sum(len(worker.given) for worker in self._workers)

    def put(self, tasks: Iterable[Task]) -> None:
        """Ask for these runs."""
        with self._lock:
            self._waiting.extend(tasks)

    def poll(self, seconds: float) -> list[tuple[int, Trial]]:
        """The runs made since, by the number of their task; waits so long for the first one. Raises WorkerError."""
        with self._lock:
            if self._closed:
                return []
            self._start()
            for worker in self._workers:
                self._give(worker)
            done = []
            by_connection = {worker.connection: worker for worker in self._workers}
            for ready in connection.wait(list(by_connection), seconds):
                done += self._read(by_connection[ready])  # type: ignore[index]
            for worker in list(self._workers):
                done += self._overdue(worker)
            return done

    def close(self) -> None:
        """End all processes, whatever they do."""
        self._closed = True
        for worker in self._workers:
            worker.process.terminate()
        with self._lock:
            for worker in self._workers:
                worker.process.join()
                worker.connection.close()
            self._workers = []
            self._waiting.clear()
            self._scratch.cleanup()

    # ------------------------------------------------------------ processes

    def _start(self) -> None:
        wanted = self._jobs if time.monotonic() > self._alone_until else 1
        while self._waiting and len(self._workers) < wanted:
            context = get_context("spawn")
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, self._subject, self._scratch.name), daemon=True)
            # Where a screen has taken sys.stderr, what stands there is no file that a process could be given.
            with _deaf_to_ctrl_c(), redirect_stderr(sys.__stderr__):
                process.start()
            theirs.close()
            self._workers.append(_Worker(process, ours))

    def _give(self, worker: _Worker) -> None:
        if not worker.ready or worker.given or not self._waiting:
            return
        share = -(-len(self._waiting) // (2 * len(self._workers)))
        tasks = [self._waiting.popleft() for _ in range(min(BATCH, share))]
        with suppress(OSError):  # one that has ended is found out when it is read from
            worker.connection.send(tasks)
        worker.given.extend(tasks)
        worker.since = time.monotonic()
        self._alone_until = min(self._alone_until, worker.since + ALONE)

    def _read(self, worker: _Worker) -> list[tuple[int, Trial]]:
        """What a worker has to say: that it is ready, that a run is made, or that it is no more."""
        done = []
        try:
            while worker.connection.poll():
                trial = worker.connection.recv()
                worker.since = time.monotonic()
                if worker.ready:
                    done.append((worker.given.popleft().number, trial))
                worker.ready = True
        except (EOFError, OSError):
            worker.process.join()
            code = worker.process.exitcode
            return [*done, *self._lost(worker, "broken", f"its process ended with exit code {code}")]
        return done

    def _overdue(self, worker: _Worker) -> list[tuple[int, Trial]]:
        limit = PATIENCE if worker.ready else START
        if (worker.ready and not worker.given) or time.monotonic() - worker.since < limit:
            return []
        worker.process.terminate()
        worker.process.join()
        return self._lost(worker, "endless", f"given up after {limit:g} s")

    def _lost(self, worker: _Worker, end: End, detail: str) -> list[tuple[int, Trial]]:
        """A worker is no more: what it was at is a trial of its own, the rest is for another one."""
        self._workers.remove(worker)
        worker.connection.close()
        if not worker.ready:
            raise WorkerError(f"a process for the runs cannot be started: {detail}")
        if not worker.given:
            return []
        task = worker.given.popleft()
        self._waiting.extendleft(reversed(worker.given))
        return [(task.number, Trial(end=end, detail=detail))]


def processors() -> int:
    """How many this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """What is started meanwhile never hears ctrl+c: whoever started it does, and ends it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(there: Connection, subject: Subject, scratch: str) -> None:
    """What a process does: say that it is ready, then make the runs it is given, until nobody listens."""
    from workbench.toolkit.loader import load_tools

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _say_nothing()
    tempfile.tempdir = scratch
    tools = load_tools(subject.home.tools)
    with suppress(EOFError, OSError), asyncio.Runner() as runner:
        there.send(None)
        while True:
            for task in there.recv():
                try:
                    trial = runner.run(try_out(subject, task.entry, task.step, most=task.most, tools=tools))
                except Exception as error:  # noqa: BLE001 - whoever asked is told, as of any run that broke
                    trial = Trial(end="broken", detail=f"it cannot be run: {error}")
                there.send(trial)
    # A tool that hangs in a thread of its own would keep an ordinary end waiting.
    os._exit(0)


def _say_nothing() -> None:
    """What a tool prints must not end up on somebody's screen."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
