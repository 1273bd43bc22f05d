from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.core.values import ToolInfo
from workbench.home import packaged_folder
from workbench.scenarios.loader import load_scenario, scenario_from_plain
from workbench.view.entries import line_text
from workbench.view.lines import line_cells
from workbench.view.preview import preview

TOOLS = (ToolInfo(name="add", risk="read"), ToolInfo(name="pay", risk="write"), ToolInfo(name="odd"))
SCRIPTS = sorted((packaged_folder() / "scripts").glob("*.toml"))


def shown(plain: dict[str, Any], *, rows: int = 40, here: int = 0, width: int = 60) -> list[str]:
    scenario = scenario_from_plain({"goal": "g", **plain})
    return [line_text(line).rstrip() for line in preview(scenario, TOOLS, width, rows, here)]


def test_it_says_which_tools_are_there_and_what_they_may_do() -> None:
    lines = shown({"tools": ["add", "pay", "odd", "ad"]})
    assert "✓ add                  reads" in lines
    assert "▲ pay                  writes, asks you" in lines
    assert "▲ odd                  unknown, asks you" in lines
    assert "✗ ad                   is not there" in lines


def test_a_gate_that_is_open_is_said() -> None:
    assert "✓ pay                  writes, allowed" in shown({"tools": ["pay"], "approval": {"default": "allow"}})


def test_limits_that_are_on_are_listed_and_their_absence_is_said() -> None:
    lines = shown({"limits": {"steps": 6, "cost": 0.5, "repeats": {"nudge": 2, "stop": 3}}})
    assert [line for line in lines if line.startswith(("steps", "cost", "repeats"))] == [
        "steps           6",
        "cost            $0.50",
        "repeats         told at 2, stopped at 3",
    ]
    assert "none: only the end of the script stops it" in shown({})


def test_replies_are_numbered_with_what_they_do_and_their_templates_coloured() -> None:
    replies = [
        {"text": "THOUGHT: why\nACTION: add {}", "repeat": 2},
        {"text": "ANSWER: ${last} and $${last}", "when": "x"},
        {"fail": "timeout"},
        {"text": ""},
    ]
    lines = shown({"model": {"reply": replies}}, here=1)
    assert "   1 ACTION: add {} ↵ THOUGHT: why ×2" in lines
    assert "▸  2 ANSWER: ${last} and $${last} if" in lines
    assert "   3 ✗ fails: timeout" in lines
    assert "   4 (empty)" in lines
    scenario = scenario_from_plain({"goal": "g", "model": {"reply": replies}})
    spans = [span for line in preview(scenario, TOOLS, 60, 40) for span in line if span.role == "changed"]
    assert [span.text for span in spans] == ["${last}"]


def test_native_calls_stand_under_their_reply() -> None:
    call = {"tool": "add", "arguments": {"a": 1}}
    lines = shown(
        {"protocol": "native", "model": {"reply": [{"text": "Both.", "call": [call, {**call, "arguments": "{"}]}]}}
    )
    at = lines.index("▸  1 Both.")
    assert lines[at + 1 : at + 3] == ['     → add {"a": 1}', "     → add {"]


def test_of_a_long_script_the_replies_around_the_marked_one_are_shown() -> None:
    lines = shown({"model": {"reply": [{"text": f"ANSWER: {n}"} for n in range(1000)]}}, rows=20, here=500)
    assert "▸501 ANSWER: 500" in lines
    assert any(line.startswith("  … ") and line.endswith(" above") for line in lines)
    assert any(line.startswith("  … ") and line.endswith(" more") for line in lines)
    assert len(lines) < 30


def test_what_the_person_does_what_goes_wrong_and_what_is_expected_are_listed() -> None:
    lines = shown(
        {
            "tools": ["pay"],
            "fault": [{"use": "wrong-number", "tool": "pay", "nth": 1}, {"on": "reply", "do": "prose"}],
            "person": [{"on": "approval", "do": "deny", "tool": "pay", "text": "no\nno"}],
            "expect": {"status": "answered", "model_calls": {"min": 2}},
        }
    )
    assert "≠ wrong-number, pay, nth 1" in lines
    assert "≠ prose on reply" in lines
    assert "approval  deny pay: no↵no" in lines
    assert lines[-2:] == ["status          answered", "model calls     min 2"]


def test_a_person_who_is_the_model_needs_no_replies() -> None:
    lines = shown({"model": {"use": "human"}})
    assert "model     you type each reply" in lines
    assert not any(line.startswith("Replies") for line in lines)


@pytest.mark.parametrize("path", SCRIPTS, ids=[path.stem for path in SCRIPTS])
@pytest.mark.parametrize("width", [20, 46, 100])
def test_every_shipped_script_fits_the_width(path: Path, width: int) -> None:
    lines = preview(load_scenario(path), TOOLS, width, 34, 1)
    assert all(line_cells(line) <= width for line in lines)


def test_a_recording_shows_what_was_said_and_needs_no_tools() -> None:
    call = {"tool": "gone", "arguments": "{}"}
    exchanges = [{"text": "I look.", "call": [call]}, {"fail": "timeout"}, {"text": "140\nmugs"}]
    tool = {"name": "gone", "parameters": "{}", "risk": "read"}
    model = {"use": "recorded", "name": "m", "tool": [tool], "exchange": exchanges}
    lines = shown({"protocol": "native", "tools": ["gone"], "model": model})
    assert "model     recorded: m" in lines
    assert "✓ gone                 reads" in lines
    assert [line.strip() for line in lines if line.startswith("   ")] == [
        "1 → gone",
        "2 ✗ failed: timeout",
        "3 140 mugs",
    ]
