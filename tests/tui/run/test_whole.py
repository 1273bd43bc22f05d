"""Long arguments: nothing of them stays unseen, and nothing is allowed before they were shown whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tui.run.stage import Stage, opened_scenario, staged, write_scenario
from workbench.core.events import Decided
from workbench.home import Home
from workbench.tui.guard import DRAWN
from workbench.tui.run.whole import WholeCall

SIZES = [(120, 40), (80, 24), (60, 16), (40, 12)]
TOOL = """
from workbench.toolkit.api import tool

@tool(risk="write", source="shell")
def run_command(command: str) -> str:
    \"\"\"Run a command of the shell.

    command: what to run.\"\"\"
    return "done"
"""
HIDDEN = "ls" + " " * 300 + "; rm -r data"
LINES = "\n".join(f"line {number} of the file" for number in range(1, 201))


def scenario(home: Home, tool: str, **arguments: str) -> Path:
    tools = home.root / "tools"
    tools.mkdir(exist_ok=True)
    (tools / "shell.py").write_text(TOOL, encoding="utf-8")
    text = f"""
goal = "Do it"
protocol = "native"
tools = ["{tool}"]

[[model.reply]]
[[model.reply.call]]
tool = "{tool}"
arguments = '''{json.dumps(arguments)}'''

[[model.reply]]
text = "Done."
"""
    return write_scenario(home, text)


def decided(stage: Stage) -> list[str]:
    return [event.decision for event in stage.run.events if isinstance(event, Decided)]


async def read_whole(stage: Stage) -> str:
    """Every row of the viewer, from the first page to the last."""
    seen = list(stage.rows)
    await stage.press("home")
    for _ in range(300):
        before = stage.rows
        seen += before
        await stage.press("pagedown", apart=0)
        if stage.rows == before:
            break
    return "\n".join(dict.fromkeys(row.strip(" ▁▂▃▄▅▆▇█▊▎") for row in seen))


@pytest.mark.parametrize("size", SIZES)
async def test_runs_of_blanks_are_visible_and_what_is_past_them_is_seen_before_y_decides(
    home: Home, size: tuple[int, int]
) -> None:
    async with staged(opened_scenario(home, scenario(home, "run_command", command=HIDDEN)), home, size=size) as stage:
        await stage.press("r")
        assert stage.sees("··········")
        if not stage.sees("; rm -r data"):
            assert stage.sees("v shows all")
            await stage.press("y")
            assert decided(stage) == []
            assert isinstance(stage.app.screen, WholeCall)
            assert stage.sees("y allow once")
            await stage.press("end")
            if not stage.sees("; rm -r data"):
                await stage.press(*["up"] * 4)
            assert stage.sees("; rm -r data")
        await stage.press("y")
        assert decided(stage) == ["allow"]


@pytest.mark.parametrize("size", SIZES)
async def test_a_long_text_is_cut_with_how_much_is_left_and_can_be_read_to_its_end(
    home: Home, size: tuple[int, int]
) -> None:
    opened = opened_scenario(home, scenario(home, "write_file", path="a.txt", text=LINES))
    async with staged(opened, home, size=size) as stage:
        await stage.press("r")
        assert stage.sees("v shows all")
        assert "y allow" in stage.key_row
        await stage.press("y")
        assert decided(stage) == []
        assert isinstance(stage.app.screen, WholeCall)
        await stage.press("end")
        assert stage.sees("Asked because write_file")
        await stage.press("escape")
        assert decided(stage) == []
        assert stage.bar_title.startswith("▲ The model wants to run write_file")
        await stage.press("v", "y")
        assert decided(stage) == ["allow"]


async def test_all_of_it_can_be_read_with_keys(home: Home) -> None:
    opened = opened_scenario(home, scenario(home, "write_file", path="a.txt", text=LINES))
    async with staged(opened, home, size=(60, 16)) as stage:
        await stage.press("r", "v")
        whole = await read_whole(stage)
        for number in range(1, 201):
            assert f"line {number} of the file" in whole


async def test_a_press_too_soon_does_not_decide_there_either(home: Home) -> None:
    opened = opened_scenario(home, scenario(home, "write_file", path="a.txt", text=LINES))
    async with staged(opened, home) as stage:
        await stage.press("r", "y")
        screen = stage.app.screen
        assert isinstance(screen, WholeCall)
        drawn = screen._guard._drawn
        assert drawn is not None
        stage.post("y", drawn + DRAWN / 2)
        await stage.settle()
        assert decided(stage) == []
        assert stage.sees("press y again")
        await stage.press("space", "enter", "n")
        assert decided(stage) == []
        await stage.press("y")
        assert decided(stage) == ["allow"]
        assert stage.focus_is(stage.transcript)


async def test_a_chosen_call_of_a_batch_is_the_one_that_is_shown_and_allowed(home: Home) -> None:
    calls = "".join(
        f"[[model.reply.call]]\ntool = 'write_file'\narguments = '{json.dumps({'path': f'{n}.txt', 'text': 'x' * 500})}'\n"
        for n in range(1, 15)
    )
    text = f'goal = "Write"\nprotocol = "native"\ntools = ["write_file"]\n[[model.reply]]\n{calls}'
    async with staged(opened_scenario(home, write_scenario(home, text)), home, size=(80, 24)) as stage:
        await stage.press("r", "tab", *["down"] * 12)
        assert stage.sees("▸ 13 write_file")
        await stage.press("y")
        assert stage.sees('"path": "13.txt"')
        await stage.press("y")
        assert [event.call for event in stage.run.events if isinstance(event, Decided)] == ["c13"]
