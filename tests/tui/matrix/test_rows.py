from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.statuses import Status
from workbench.faults.catalogue import shipped
from workbench.lab.matrix import Cell, Grid, Trial, Verdict
from workbench.tui.matrix.rows import MARGIN, cell_lines, cell_row, columns, head_lines, legend_lines
from workbench.view.entries import line_text
from workbench.view.lines import line_cells

NAMES = ("wrong-number", "sometimes-wrong-number", "refusal")
STEPS = 12
TRIAL = Trial(status=Status.ANSWERED, answer="7", steps=STEPS, asked=STEPS, tools=(("add",),) * (STEPS - 1))
GRID = Grid(
    title="Twelve steps",
    unbroken=TRIAL,
    faults=tuple(shipped()[name] for name in NAMES),
    cells={
        ("wrong-number", 1): Cell(verdict=Verdict.WRONG, sentence="it answered [/b] \x1b[31m", trial=TRIAL),
        ("wrong-number", 2): Cell(
            verdict=Verdict.STOPPED, sentence="too long", trial=Trial(status=Status.CONTEXT_WINDOW_EXCEEDED)
        ),
        ("refusal", 12): Cell(verdict=Verdict.NOT_STRUCK, sentence="nothing"),
    },
)


def test_there_are_words_where_all_steps_have_room_for_them() -> None:
    assert columns(NAMES, 5, 120, 1).words
    assert not columns(NAMES, 12, 120, 1).words
    assert columns(NAMES, 12, 120, 1).shown == range(1, 13)
    assert not columns(NAMES, 4, 80, 1).words


@given(
    st.integers(1, 2000),
    st.integers(20, 250),
    st.data(),
)
def test_the_picked_step_is_always_shown_and_a_row_fits(steps: int, width: int, data: st.DataObject) -> None:
    picked = data.draw(st.integers(1, steps))
    first = data.draw(st.integers(1, steps))
    at = columns(NAMES, steps, width, picked, first)
    assert picked in at.shown
    assert at.shown[0] >= 1
    assert at.shown[-1] <= steps
    assert MARGIN + at.name + at.count * at.size <= width
    again = columns(NAMES, steps, width, picked, at.first)
    assert again == at


@given(st.integers(20, 250), st.integers(1, STEPS))
def test_head_and_rows_stand_in_the_same_columns(width: int, picked: int) -> None:
    at = columns(NAMES, STEPS, width, picked)
    edge = MARGIN + at.name + at.count * at.size
    head, _ = head_lines(GRID, at, picked)
    assert line_cells(head) - head[-1].text.count("→") == edge
    for name in NAMES:
        assert line_cells(cell_row(GRID, name, at, picked=picked)) == edge
        assert line_cells(cell_row(GRID, name, at, picked=None)) == edge
    for index, step in enumerate(at.shown):
        x = MARGIN + at.name + index * at.size
        assert at.step_at(x) == at.step_at(x + at.size - 1) == step
    assert at.step_at(0) is None
    assert at.step_at(edge) is None


def test_a_cell_is_a_sign_and_a_word_and_one_not_run_yet_is_neither() -> None:
    wide = columns(NAMES, STEPS, 250, 1)
    text = line_text(cell_row(GRID, "wrong-number", wide, picked=1))
    assert text.split()[:8] == ["▸", "wrong-number", "✗", "wrong", "■", "context", "full", "…"]
    narrow = columns(NAMES, STEPS, 80, 1)
    assert line_text(cell_row(GRID, "wrong-number", narrow, picked=None)).split()[:4] == ["wrong-number", "✗", "■", "…"]


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_the_legend_names_every_verdict_at_every_width(width: int) -> None:
    text = " ".join(line_text(line) for line in legend_lines(GRID, width))
    for words in ("✓ recovered 0", "✗ wrong 1", "■ stopped 1", "∞ endless 0", "! defect 0", "· not struck 1"):
        assert words in text


@pytest.mark.parametrize("width", [20, 40, 120])
def test_what_is_said_of_a_cell_fits_and_names_fault_step_verdict_and_lesson(width: int) -> None:
    lines = cell_lines(GRID, "wrong-number", 1, width)
    assert all(line_cells(line) <= width for line in lines)
    text = " ".join(line_text(line) for line in cell_lines(GRID, "wrong-number", 1, 120))
    assert text.startswith("✗ wrong   wrong-number in step 1 (add)")
    assert "It answered [/b] " in text
    assert "\x1b" not in text
    assert shipped()["wrong-number"].teaches in text
    assert line_text(cell_lines(GRID, "refusal", 3, 120)[0]) == "… not run yet   refusal in step 3 (add)"
