from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lab.subjects import FEW, filled, of_text, own_tools, subject
from workbench.faults.catalogue import shipped
from workbench.lab import report
from workbench.lab.filling import Filling, chosen
from workbench.lab.matrix import Verdict
from workbench.lab.trials import NoMatrix
from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.loader import scenario_from_plain

DEADLY = """
import os
from workbench.toolkit.api import tool

@tool(risk="read")
def deadly(how: str) -> int:
    \"\"\"Ends its own process when told to.\"\"\"
    print("a word on the screen")
    if how == "die":
        os._exit(3)
    return 7
"""


def test_the_grid_is_the_same_bytes_whatever_the_number_of_processes() -> None:
    one, two = (filled(subject("refund"), jobs=jobs) for jobs in (1, 2))
    assert one == two
    for form in (report.text_lines, report.markdown, report.plain):
        assert json.dumps(form(one)) == json.dumps(form(two))


def test_the_cells_stand_in_the_order_of_faults_and_steps() -> None:
    grid = filled(subject("two-cities"), FEW)
    assert list(grid.cells) == [(name, step) for name in FEW for step in (1, 2, 3)]
    verdicts = [grid.cells["tool-crash", step].verdict for step in grid.steps]
    assert verdicts == [Verdict.DEFECT, Verdict.DEFECT, Verdict.NOT_STRUCK]
    assert grid.cells["provider-down", 2].verdict is Verdict.STOPPED
    assert grid.cells["provider-blip", 3].verdict is Verdict.RECOVERED


def test_a_tool_that_takes_its_process_down_costs_one_cell(tmp_path: Path) -> None:
    how = 'ACTION: deadly {"how": "die"}'
    scenario = of_text("ACTION: deadly {}", "ANSWER: 1", tools=["deadly"])
    home = own_tools(tmp_path, DEADLY.replace("how: str", 'how: str = "live"'))
    entries = chosen(("forged-answer", "lost-result"), shipped())
    assert filled(subject(scenario, home=home), [entry.name for entry in entries]).counts()[Verdict.RECOVERED] == 2
    with pytest.raises(NoMatrix, match="the unbroken run breaks: its process ended with exit code 3"):
        filled(subject(of_text(how, "ANSWER: 1", tools=["deadly"]), home=home), FEW)
    # Only what the fault makes of the reply calls it in the deadly way.
    reacting = scenario_from_plain(
        {
            "goal": "Go.",
            "tools": ["deadly"],
            "model": {
                "reply": [
                    {"text": "ACTION: deadly {}"},
                    {"text": how, "when": "No result arrived"},
                    {"text": "ANSWER: 1"},
                ]
            },
        }
    )
    grid = filled(subject(reacting, home=home), ("lost-result", "doubled-result"))
    cell = grid.cells["lost-result", 1]
    assert (cell.verdict, cell.sentence) == (Verdict.DEFECT, "its process ended with exit code 3")
    assert grid.cells["doubled-result", 1].verdict is Verdict.RECOVERED


def test_a_run_without_an_end_of_its_own_is_no_subject() -> None:
    endless = scenario_from_plain({"goal": "Go.", "model": {"reply": [{"text": "Hm.", "repeat": "forever"}]}})
    with pytest.raises(NoMatrix, match=r"the unbroken run has no end .*; give it a cap, such as limits\.steps"):
        filled(subject(endless))


def test_a_fault_that_takes_the_end_away_is_told() -> None:
    replies = [
        {"text": 'ACTION: add {"a": 1, "b": 2}'},
        {"text": "Still looking.", "when": "^(?!3)", "repeat": "forever"},
        {"text": "ANSWER: 3"},
    ]
    scenario = scenario_from_plain({"goal": "Go.", "tools": ["add"], "model": {"reply": replies}})
    cell = filled(subject(scenario), ("lost-result",)).cells["lost-result", 1]
    assert cell.verdict is Verdict.ENDLESS
    assert "no cap ended it" in cell.sentence


def test_a_scenario_that_cannot_be_opened_says_so_before_anything_is_started() -> None:
    with pytest.raises(ScenarioError, match="no tool"):
        Filling(subject(of_text("ANSWER: 1", tools=["nowhere"])), chosen(FEW, shipped()), jobs=1)


def test_faults_are_chosen_by_name() -> None:
    assert [entry.name for entry in chosen(("refusal", "lost-result", "refusal"), shipped())] == [
        "refusal",
        "lost-result",
    ]
    assert len(chosen((), shipped())) == len(shipped())
    with pytest.raises(NoMatrix, match='there is no fault "wrong-nubmer"; did you mean "wrong-number"'):
        chosen(("wrong-nubmer",), shipped())
