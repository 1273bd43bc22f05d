"""Fills a fault matrix: the unbroken run first, then a run for each cell, in other processes."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.faults.catalogue import Catalogue, Entry
from workbench.lab.matrix import Cell, Grid, Place, Trial, caution, idle_cells, judged
from workbench.lab.trials import MOST_MOVES, NoMatrix, Subject, open_cell
from workbench.lab.workers import Task, Workers
from workbench.scenarios.errors import unknown

ROOM = 20
"""A broken run may make so many times the moves of the unbroken one, and a few hundred more, until it is given up."""
_FIRST = -1

Arrived = Sequence[tuple[int, Trial]]
"""Number of the run, and what it came to."""


def chosen(names: Sequence[str], catalogue: Catalogue) -> tuple[Entry, ...]:
    """The faults of those names, each once; without names the whole catalogue. Raises NoMatrix."""
    for name in names:
        if name not in catalogue:
            raise NoMatrix(unknown(name, list(catalogue), "there is no fault").partition("; there is ")[0])
    return tuple(catalogue[name] for name in dict.fromkeys(names)) if names else tuple(catalogue.values())


class Filling:
    """A matrix that is being filled. Call `poll` (or `wait`, then `take`) until it is `finished`; `close` in any case.

    The order in which runs are made is nobody's business: the finished grid is the same whatever it was.
    """

    def __init__(self, subject: Subject, faults: Sequence[Entry], *, jobs: int) -> None:
        """Raises ScenarioError and TrustNeeded for a scenario that cannot be opened."""
        open_cell(subject, None, 0).close()
        self.subject = subject
        self.faults = tuple(faults)
        self.grid: Grid | None = None
        """What is known; None until the unbroken run is over."""
        self.total = 0
        """Runs to be made beside the unbroken one; known with the grid."""
        self.done = 0
        self._cells: dict[Place, Cell] = {}
        self._places: list[tuple[Entry, int]] = []
        self._workers = Workers(subject, jobs=jobs)
        self._workers.put([Task(number=_FIRST, most=MOST_MOVES)])

    @property
    def finished(self) -> bool:
        return self.grid is not None and self.done == self.total

    def poll(self, seconds: float) -> bool:
        """Wait so long for something new. Returns whether there was. Raises NoMatrix and WorkerError."""
        return self.take(self.wait(seconds))

    def wait(self, seconds: float) -> Arrived:
        """Wait so long for something new; in any thread, also while another one looks at the grid."""
        return self._workers.poll(seconds)

    def take(self, arrived: Arrived) -> bool:
        """Put what has arrived into the grid. Returns whether there was anything."""
        for number, trial in arrived:
            if number == _FIRST:
                self._begin(trial)
            elif self.grid is not None:
                entry, step = self._places[number]
                expect = self.subject.scenario.expect
                self._cells[entry.name, step] = judged(trial, self.grid.unbroken, expect)
                self.done += 1
        if arrived and self.finished:
            self._in_order()
        return bool(arrived)

    def close(self) -> None:
        """End the runs that are being made."""
        self._workers.close()

    def _begin(self, unbroken: Trial) -> None:
        if unbroken.end == "endless":
            raise NoMatrix(f"the unbroken run has no end ({unbroken.detail}); give it a cap, such as limits.steps")
        if unbroken.end == "broken":
            raise NoMatrix(f"the unbroken run breaks: {unbroken.detail}")
        if not unbroken.asked:
            raise NoMatrix(f"the unbroken run makes no step: {unbroken.detail or unbroken.status.value}")
        scenario = self.subject.scenario
        self._cells.update(idle_cells(unbroken, self.faults))
        self.grid = Grid(
            title=scenario.title or scenario.goal,
            caution=caution(scenario),
            unbroken=unbroken,
            faults=self.faults,
            cells=self._cells,
        )
        everything = [(entry, step) for entry in self.faults for step in self.grid.steps]
        self._places = [(entry, step) for entry, step in everything if (entry.name, step) not in self._cells]
        self.total = len(self._places)
        most = 200 + ROOM * unbroken.moves
        self._workers.put(
            Task(number=number, entry=entry, step=step, most=most) for number, (entry, step) in enumerate(self._places)
        )

    def _in_order(self) -> None:
        """Cells by fault and step, as they are listed, not as they came."""
        assert self.grid is not None
        ordered = {(e.name, step): self._cells[e.name, step] for e in self.faults for step in self.grid.steps}
        self._cells.clear()
        self._cells.update(ordered)
