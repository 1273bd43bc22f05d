"""A fault matrix as text for people, as Markdown, and as plain values for JSON. The same grid gives the same bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from workbench.core.statuses import SUCCESSES
from workbench.lab.matrix import MEANINGS, SIGNS, WORDS, Cell, Grid, Trial, Verdict, quoted, started
from workbench.view.shelf import OUTCOMES
from workbench.view.visible import cells, visible

COLUMN = 15
"""Cells of a column with a sign and a word."""
MOST_WORDS = 5
"""Columns up to which there is room for words."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")
_TOLD = (Verdict.WRONG, Verdict.ENDLESS, Verdict.DEFECT)
"""Verdicts of which Markdown tells each cell."""


def cell_words(cell: Cell | None) -> str:
    """A cell in sign and word, at most 14 cells; of a run that was stopped, by what. "…" while nothing is known."""
    if cell is None:
        return "…"
    if cell.verdict is Verdict.NOT_STRUCK:
        return SIGNS[cell.verdict]
    word = WORDS[cell.verdict]
    if cell.verdict is Verdict.STOPPED and cell.trial is not None:
        word = OUTCOMES[cell.trial.status][1]
    return f"{SIGNS[cell.verdict]} {word}"


def cell_sign(cell: Cell | None) -> str:
    """A cell in one sign."""
    return "…" if cell is None else SIGNS[cell.verdict]


def step_words(grid: Grid, step: int) -> str:
    """What the unbroken run does in a step: the tools it starts, or that it answers."""
    tools = list(dict.fromkeys(started(grid.unbroken, step)))
    if tools:
        return ", ".join(tools)
    last = step == grid.unbroken.asked and grid.unbroken.status in SUCCESSES
    return "answer" if last else "no tool"


def unbroken_words(grid: Grid) -> str:
    """How the run ends when nothing is broken."""
    trial = grid.unbroken
    count = "1 step" if trial.steps == 1 else f"{trial.steps:,} steps"
    answer = f": {quoted(trial.answer)}" if trial.answer is not None else ""
    return f"unbroken: {trial.status.value} in {count}{answer}"


# ---------------------------------------------------------------- text


def text_lines(grid: Grid) -> list[str]:
    """The grid as a table, what its signs mean and how often each stands in it."""
    with_words = len(grid.steps) <= MOST_WORDS
    width = max(cells(visible(entry.name)) for entry in grid.faults) + 2
    size = COLUMN if with_words else 3
    lines = [grid.title, unbroken_words(grid), "", _row("step", width, [str(step) for step in grid.steps], size)]
    if with_words:
        lines.append(_row("", width, [_cut(step_words(grid, step), size - 1) for step in grid.steps], size))
    drawn = cell_words if with_words else cell_sign
    group = None
    for entry in grid.faults:
        if entry.group != group:
            group = entry.group
            lines += ["", group or "others"]
        row = [drawn(grid.cells.get((entry.name, step))) for step in grid.steps]
        lines.append(_row(entry.name, width, row, size))
    lines += ["", *_legend(grid)]
    return [visible(line) for line in [*lines, *(["", grid.caution] if grid.caution else [])]]


def _legend(grid: Grid) -> Iterator[str]:
    for verdict, count in grid.counts().items():
        yield f"{SIGNS[verdict]} {WORDS[verdict]:<11}{count:>6,}   {MEANINGS[verdict]}"


def _row(head: str, width: int, columns: list[str], size: int) -> str:
    padded = (text + " " * (size - cells(text)) for text in columns)
    return f"{head}{' ' * (width - cells(visible(head)))}{''.join(padded)}".rstrip()


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"


# ---------------------------------------------------------------- markdown


def markdown(grid: Grid) -> str:
    """The grid as a Markdown document. Texts of models and tools are letters in it, never markup."""
    heads = [f"{step}: {_letters(step_words(grid, step))}" for step in grid.steps]
    lines = [f"# Fault matrix: {_letters(grid.title)}", "", f"{_letters(unbroken_words(grid))}", ""]
    lines += [f"| fault | {' | '.join(heads)} |", f"|---{'|---' * len(heads)}|"]
    for entry in grid.faults:
        row = (cell_words(grid.cells.get((entry.name, step))) for step in grid.steps)
        lines.append(f"| {_letters(entry.name)} | {' | '.join(row)} |")
    lines += ["", "| | | cells | |", "|---|---|---|---|"]
    for verdict, count in grid.counts().items():
        lines.append(f"| {SIGNS[verdict]} | {WORDS[verdict]} | {count} | {MEANINGS[verdict]} |")
    if grid.caution:
        lines += ["", grid.caution]
    for verdict in _TOLD:
        told = [(place, cell) for place, cell in grid.cells.items() if cell.verdict is verdict]
        if told:
            lines += ["", f"## {WORDS[verdict].capitalize()}", ""]
            lines += [f"- {_letters(name)}, step {step}: {_letters(cell.sentence)}" for (name, step), cell in told]
    return "\n".join([*lines, ""])


def _letters(text: str) -> str:
    """The text on one line, with every sign that Markdown would obey written as itself."""
    return _SPECIAL.sub(r"\\\1", visible(" ".join(text.split())))


# ---------------------------------------------------------------- plain values


def plain(grid: Grid) -> dict[str, Any]:
    """The grid for JSON."""
    return {
        "title": grid.title,
        "steps": len(grid.steps),
        "unbroken": _trial(grid.unbroken),
        "counts": {verdict.value: count for verdict, count in grid.counts().items()},
        "caution": grid.caution,
        "faults": [
            {
                "name": entry.name,
                "group": entry.group,
                "teaches": entry.teaches,
                "cells": [_cell(grid.cells[entry.name, step], step) for step in grid.steps],
            }
            for entry in grid.faults
        ],
    }


def _cell(cell: Cell, step: int) -> dict[str, Any]:
    told = {"step": step, "verdict": cell.verdict.value, "sentence": cell.sentence}
    return told if cell.trial is None else {**told, **_trial(cell.trial)}


def _trial(trial: Trial) -> dict[str, Any]:
    return {
        "status": trial.status.value if trial.end == "ended" else trial.end,
        "stopped_by": trial.knob,
        "answer": trial.answer,
        "steps": trial.steps,
        "model_calls": trial.model_calls,
        "tool_calls": trial.tool_calls,
        "errors": trial.errors,
        "files": list(trial.files),
    }
