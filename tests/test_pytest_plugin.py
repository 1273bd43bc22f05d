"""The plugin in a project of its own, in a process of its own, as pytest runs it there."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
INSTALLED = any(point.name == "workbench" for point in entry_points(group="pytest11"))
"""Where the package is installed pytest finds the plugin by itself."""
CONFIGURATION = "[pytest]\nworkbench_files = scenarios/**/*.toml\n"
SHOUT = """
goal = "Shout hi"
protocol = "text"
tools = ["shout"]

[[model.reply]]
text = 'ACTION: shout {"text": "hi"}'

[[model.reply]]
text = "ANSWER: ${last}"

[expect]
status = "answered"
answer = "HI"
"""
TOOL = '''
from workbench.toolkit.api import tool


@tool(risk="read")
def shout(text: str) -> str:
    """Loud. Call this to shout."""
    return text.upper()
'''
FAILURE = """
answer
  expected  "ho"
  got       "HI"

around the first difference:
      USER    Shout hi
    1 MODEL   → shout {"text": "hi"}
      RESULT  │ shout
              │ HI
▸   2 ANSWER  HI
"""
Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs pytest in a project with a folder of tools; gives its result."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    pytester.makefile(".ini", pytest=f"{CONFIGURATION}workbench_tools = mytools\n")
    write(pytester, "mytools/shout.py", TOOL)
    plugin = () if INSTALLED else ("-p", "workbench.pytest_plugin")
    return lambda *arguments: pytester.runpytest_subprocess("-p", "no:cacheprovider", *plugin, *arguments)


def write(pytester: pytest.Pytester, name: str, text: str) -> None:
    path = pytester.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_what_holds_passes_and_what_does_not_says_both_values_and_where(pytester: pytest.Pytester, run: Run) -> None:
    write(pytester, "scenarios/good.toml", SHOUT)
    write(pytester, "scenarios/deep/bad.toml", SHOUT.replace('"HI"', '"ho"'))
    write(pytester, "scenarios/unchecked.toml", SHOUT.partition("[expect]")[0])
    write(pytester, "elsewhere/other.toml", "not a scenario")
    result = run()
    result.assert_outcomes(passed=1, failed=1)
    assert FAILURE in re.sub(r" · [\d.]+ m?s$", "", result.stdout.str(), flags=re.MULTILINE)
    result.stdout.no_fnmatch_line("*Traceback*")


def test_it_runs_over_several_processes(pytester: pytest.Pytester, run: Run) -> None:
    pytest.importorskip("xdist")
    for number in range(4):
        write(pytester, f"scenarios/s{number}.toml", SHOUT)
    run("-n", "2").assert_outcomes(passed=4)


def test_a_file_that_is_no_scenario_fails_with_its_line(pytester: pytest.Pytester, run: Run) -> None:
    write(pytester, "scenarios/torn.toml", 'goal = "x"\ntools = [')
    write(pytester, "scenarios/wrong.toml", SHOUT.replace("protocol", "protokol"))
    result = run()
    result.assert_outcomes(failed=2)
    assert "torn.toml:2: tools: is not TOML" in result.stdout.str()
    assert 'wrong.toml:3: unknown key "protokol"; did you mean "protocol"?' in result.stdout.str()


def test_another_model_is_asked_on_demand(pytester: pytest.Pytester, run: Run) -> None:
    """And the script, which nobody reads then, need not be used up."""
    write(pytester, "scenarios/good.toml", SHOUT)
    result = run("--workbench-model", "openai:gpt-x")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*there is no key for openai: set OPENAI_API_KEY"])
    result.stdout.no_fnmatch_line("*never used*")


def test_a_folder_of_tools_that_is_not_there_is_said(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makefile(".ini", pytest=f"{CONFIGURATION}workbench_tools = nowhere\n")
    write(pytester, "scenarios/good.toml", SHOUT)
    result = run()
    assert result.ret != 0
    assert "workbench_tools: there is no folder" in result.stdout.str() + result.stderr.str()


def test_testpaths_need_not_name_the_scenarios(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makefile(".ini", pytest=f"{CONFIGURATION}workbench_tools = mytools\ntestpaths = tests\n")
    write(pytester, "scenarios/good.toml", SHOUT)
    write(pytester, "tests/test_own.py", "def test_own():\n    pass\n")
    run().assert_outcomes(passed=2)
    run("tests").assert_outcomes(passed=1)
