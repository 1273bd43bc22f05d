"""The fault matrix of a scenario: filled while one looks, and each cell can be opened as the run it is."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from workbench.lab import report
from workbench.lab.filling import Filling
from workbench.lab.matrix import Grid, estimate
from workbench.lab.trials import NoMatrix, open_cell
from workbench.lab.workers import WorkerError
from workbench.tui.actions import bindings
from workbench.tui.blocks import Block, Said, TopLine
from workbench.tui.board import Board
from workbench.tui.dialogs import Prompt
from workbench.tui.keyline import KeyLine
from workbench.tui.matrix.grid import GridView
from workbench.tui.matrix.rows import cell_lines, legend_lines
from workbench.tui.screens import keymap_of, shell_of
from workbench.tui.situation import Phase, Situation
from workbench.view.entries import Span
from workbench.view.lines import heading, wrap

TICK = 0.1
"""Seconds between two looks at what the processes have done."""
FORMS: dict[str, Callable[[Grid], str]] = {
    ".md": report.markdown,
    ".json": lambda grid: json.dumps(report.plain(grid), indent=2) + "\n",
}


class MatrixScreen(Board):
    """One grid, and below it what its signs mean and what became of the picked cell."""

    AUTO_FOCUS = "GridView"
    BINDINGS: ClassVar[list[BindingType]] = bindings("screen", "matrix")
    DEFAULT_CSS = """
    MatrixScreen {
        & GridView { padding: 1 0 0 1; }
        &.-narrow GridView, &.-tiny GridView, &.-low GridView { padding: 0; }
        &.-narrow #caution, &.-tiny #caution, &.-low #caution { display: none; }
        &.-low #legend, &.-tiny #legend { display: none; }
    }
    """

    def __init__(self, filling: Filling) -> None:
        super().__init__()
        self.filling = filling
        self.going = True
        """Whether runs are being made."""
        self.run_title = f"Fault matrix: {filling.subject.scenario.title or filling.subject.scenario.goal}"
        self._began = time.monotonic()
        self._problem = ""

    def compose(self) -> ComposeResult:
        yield TopLine(id="top")
        yield GridView()
        yield Block(id="legend")
        yield Block(id="caution")
        yield Block(id="cell")
        yield Said()
        yield KeyLine(keymap_of(self.app), id="keys")

    def on_mount(self) -> None:
        self.run_worker(self._fill(), group="matrix")

    # ------------------------------------------------------------ pieces

    @property
    def view(self) -> GridView:
        return self.query_one(GridView)

    @property
    def situation(self) -> Situation:
        phase: Phase = "running" if self.going else "idle"
        return Situation(screen="matrix", phase=phase, has_entry=self.filling.grid is not None)

    # ------------------------------------------------------------ filling

    async def _fill(self) -> None:
        filling = self.filling
        try:
            while self.going and not filling.finished:
                if filling.take(await asyncio.to_thread(filling.wait, TICK)):
                    self.draw()
        except (NoMatrix, WorkerError) as error:
            self._problem = str(error)
        finally:
            self.going = False
            await asyncio.to_thread(filling.close)
            self.draw()

    def interrupt(self) -> bool:
        """Make no more runs. Returns whether any were being made."""
        was, self.going = self.going, False
        return was

    async def close_run(self) -> None:
        """End the runs that are being made."""
        self.going = False
        await asyncio.to_thread(self.filling.close)

    # ------------------------------------------------------------ drawing

    def draw(self) -> None:
        if not self.is_attached:
            return
        grid = self.filling.grid
        self._draw_top()
        if grid is not None:
            self.view.show(grid)
            width = self.text_width
            self.block("legend").put([heading("What became of the runs", width), *legend_lines(grid, width)])
            self.block("caution").put(wrap((Span(grid.caution, "quiet"),), width) if grid.caution else [])
            self._draw_cell()
        elif self._problem:
            self.block("cell").put(wrap((Span(f"✗ {self._problem}", "error"),), self.text_width))
        self.draw_keys()

    def _draw_top(self) -> None:
        filling, grid = self.filling, self.filling.grid
        done = f"{filling.done:,} of {filling.total:,} runs"
        where = ""
        if self._problem:
            state, kind = Span("■ no matrix", "error"), "stopped"
        elif filling.finished:
            state, kind = Span("✓ finished", "go"), "answered"
        elif self.going:
            left = estimate(filling.done, filling.total - filling.done, time.monotonic() - self._began)
            state, kind, where = Span(f"▶ {done}" if grid is not None else "▶ the unbroken run", "primary"), "", left
        else:
            state, kind = Span(f"■ stopped at {done}", "wait"), "stopped"
        facts = report.unbroken_words(grid) if grid is not None else ""
        self.query_one(TopLine).show(self.run_title, facts, where, state, kind)

    def _draw_cell(self) -> None:
        grid, place = self.filling.grid, self.view.place
        if grid is not None and place is not None:
            lines = cell_lines(grid, *place, self.text_width)
            self.block("cell").put(lines if self.size.height >= 20 else lines[:2])

    @on(GridView.Picked)
    def _picked(self) -> None:
        self._draw_cell()

    # ------------------------------------------------------------ keys

    def action_cell_up(self) -> None:
        self.view.move(-1, 0)

    def action_cell_down(self) -> None:
        self.view.move(1, 0)

    def action_cell_left(self) -> None:
        self.view.move(0, -1)

    def action_cell_right(self) -> None:
        self.view.move(0, 1)

    def action_next_finding(self) -> None:
        if self.can("next_finding") and not self.view.next_finding():
            self.say("no cell is wrong, endless or a defect")

    @on(GridView.Chosen)
    def action_open_cell(self) -> None:
        """The run of the picked cell, made again from its start: the same scenario and seed make the same run."""
        place, grid = self.view.place, self.filling.grid
        if not self.can("open_cell") or place is None or grid is None:
            return
        fault = next(entry.fault for entry in grid.faults if entry.name == place[0])
        subject, step = self.filling.subject, place[1]
        shell_of(self.app).opener.made(lambda: open_cell(subject, fault, step, keep=True), play=True)

    def action_stop_matrix(self) -> None:
        if self.can("stop_matrix"):
            self.interrupt()

    def action_save_matrix(self) -> None:
        if self.can("save_matrix"):
            path = self.filling.subject.home.root / f"{Path(self.filling.subject.path).stem or 'scenario'}-matrix.md"
            hint = "A name that ends in .md is written as Markdown, one that ends in .json as JSON."
            self.app.push_screen(Prompt("Write the grid to a file", str(path), hint, send="write"), self._write)

    def _write(self, name: str | None) -> None:
        grid = self.filling.grid
        if name is None or not name.strip() or grid is None:
            return
        path = Path(name.strip()).expanduser()
        form = FORMS.get(path.suffix.lower())
        if form is None:
            self.say(f"{path.name} ends in neither .md nor .json, so it is not written", "error")
            return
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(form(grid))
        except FileExistsError:
            self.say(f"{path} is there already; choose another name", "error")
        except OSError as error:
            self.say(f"{path} cannot be written: {error.strerror or error}", "error")
        else:
            self.say(f"written to {path}", "go")

    def action_back(self) -> None:
        """Back to where it was opened; runs that are being made are ended."""
        shell_of(self.app).opener.leave(self)
