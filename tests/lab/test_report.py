from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.lab.subjects import filled, of_text, subject
from workbench.faults.catalogue import shipped
from workbench.lab.matrix import Cell, Grid, Trial, Verdict
from workbench.lab.report import cell_sign, cell_words, markdown, plain, step_words, text_lines
from workbench.view.shelf import OUTCOMES
from workbench.view.visible import cells

HOSTILE = "| x </td>\n[a](b) `c` \x1b[31m\u202e"


@pytest.fixture(scope="module")
def grid() -> Grid:
    return filled(subject("two-cities"), ("wrong-number", "wrong-argument", "provider-down"))


def hostile(of: Grid) -> Grid:
    name = of.faults[0].name
    cell = Cell(verdict=Verdict.WRONG, sentence=HOSTILE, trial=of.cells[name, 1].trial)
    return replace(of, title=HOSTILE, cells={**of.cells, (name, 1): cell})


def test_the_text_has_a_word_for_every_cell(grid: Grid) -> None:
    lines = text_lines(grid)
    assert lines[:2] == ["Two cities", 'unbroken: answered in 3 steps: "11800000"']
    row = next(line for line in lines if line.startswith("wrong-argument"))
    assert row.split() == ["wrong-argument", "·", "·", "✗", "wrong"]
    row = next(line for line in lines if line.startswith("provider-down"))
    assert row.count("■ no model") == 3
    assert ["✗", "wrong", "3", "it"] in [line.split()[:4] for line in lines]
    assert lines[-1].startswith("2 of the 3 scripted replies do not depend on what was read")


def test_a_grid_too_wide_for_words_has_signs_in_columns() -> None:
    calls = [f'ACTION: add {{"a": {n}, "b": 1}}' for n in range(11)]
    lines = text_lines(filled(subject(of_text(*calls, "ANSWER: 1")), ("provider-down",)))
    row = next(line for line in lines if line.startswith("provider-down"))
    assert row == f"provider-down  {'  '.join('■' * 12)}"
    assert next(line for line in lines if line.startswith("step")).split()[1:] == [str(n) for n in range(1, 13)]


def test_a_word_fits_its_column() -> None:
    for status in OUTCOMES:
        cell = Cell(verdict=Verdict.STOPPED, sentence="", trial=Trial(status=status))
        assert cells(cell_words(cell)) <= 14
        assert cell_words(cell).startswith(f"{cell_sign(cell)} ")


def test_a_cell_that_is_not_known_yet_is_no_verdict() -> None:
    assert cell_words(None) == cell_sign(None) == "…"


def test_each_step_is_named_for_what_it_does(grid: Grid) -> None:
    assert [step_words(grid, step) for step in grid.steps] == ["lookup_population", "lookup_population", "answer"]


def test_the_markdown_is_a_table_and_tells_of_what_went_wrong(grid: Grid) -> None:
    lines = markdown(grid).splitlines()
    assert lines[0] == "# Fault matrix: Two cities"
    assert "| wrong-argument | · | · | ✗ wrong |" in lines
    told = lines[lines.index("## Wrong") :]
    assert told[2] == '- wrong-number, step 1: it answered "11710000"; "11800000" is right'
    assert told[4].startswith("- wrong-argument, step 3: it answered ")


def test_no_text_of_a_run_becomes_markup_or_reaches_a_terminal_raw(grid: Grid) -> None:
    text = markdown(hostile(grid))
    assert "\\[a\\](b) \\`c\\`" in text
    assert "</td>" not in text
    for shown in (text, "\n".join(text_lines(hostile(grid)))):
        assert "\x1b" not in shown
        assert "\u202e" not in shown


def test_the_plain_form_has_every_cell_and_survives_json(grid: Grid) -> None:
    values = json.loads(json.dumps(plain(grid)))
    assert values["steps"] == 3
    assert sum(values["counts"].values()) == 9
    (wrong, argument, down) = values["faults"]
    assert wrong["teaches"] == shipped()["wrong-number"].teaches
    assert [cell["verdict"] for cell in argument["cells"]] == ["not_struck", "not_struck", "wrong"]
    assert down["cells"][0]["status"] == "model_unavailable"
    assert "status" not in wrong["cells"][2]
