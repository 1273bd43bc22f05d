from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.tui.places import press, rows, seen, words
from tests.tui.run.pictures import picture
from tests.tui.run.stage import a_home, opened_scenario, staged
from tests.tui.run.test_snapshots import SIZES, compare
from tests.tui.settled import settled
from workbench.core.events import ModelReply
from workbench.home import Home
from workbench.lab.matrix import Verdict
from workbench.tui.app import WorkbenchApp
from workbench.tui.home.screen import HomeScreen
from workbench.tui.matrix.screen import MatrixScreen
from workbench.tui.run.screen import RunScreen

SCRIPT = """
title = "Two sums"
goal = "Add."
tools = ["add"]

[[model.reply]]
text = 'ACTION: add {"a": 1, "b": 2}'

[[model.reply]]
text = 'ACTION: add {"a": ${last}, "b": 4}'

[[model.reply]]
text = "ANSWER: ${last}"

[expect]
answer = "7"
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr("workbench.home.user_folder", lambda: tmp_path / "user")
    made = a_home(tmp_path)
    (made.root / "scripts").mkdir()
    (made.root / "scripts" / "sums.toml").write_text(SCRIPT)
    return made


@asynccontextmanager
async def matrix(home: Home, size: tuple[int, int] = (120, 40)) -> AsyncIterator[tuple[MatrixScreen, Pilot[None]]]:
    """The finished matrix of the only script, opened from Home."""
    app = WorkbenchApp(home)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "M")
        screen = app.screen
        assert isinstance(screen, MatrixScreen)
        await settled(pilot, lambda: screen.filling.finished)
        yield screen, pilot
        assert app.failures == []


async def pick(screen: MatrixScreen, pilot: Pilot[None], fault: str, step: int) -> None:
    names = [entry.name for entry in screen.filling.faults]
    screen.view.pick(names.index(fault), step)
    await settled(pilot)


async def test_a_script_on_home_has_its_matrix_and_back_leads_there(home: Home) -> None:
    async with matrix(home) as (screen, pilot):
        grid = screen.filling.grid
        assert grid is not None
        assert grid.cells["wrong-number", 2].verdict is Verdict.WRONG
        assert "Fault matrix: Two sums" in rows(pilot)[0]
        assert "✓ finished" in rows(pilot)[0]
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, HomeScreen)


async def test_the_cursor_says_what_became_of_a_cell_and_what_it_teaches(home: Home) -> None:
    async with matrix(home) as (screen, pilot):
        await press(pilot, "down", "right")
        assert screen.view.place == ("tool-error", 2)
        await pick(screen, pilot, "factor-of-ten", 2)
        assert '✗ wrong factor-of-ten in step 2 (add) It answered "70"; "7" is right' in words(pilot)
        assert next(e.teaches for e in screen.filling.faults if e.name == "factor-of-ten") in words(pilot)
        await press(pilot, "end", "pagedown")
        assert screen.view.place == ("context-overflow", 2)
        await press(pilot, "home", "left", "left", "up")
        assert screen.view.place == ("tool-crash", 1)


async def test_the_next_finding_is_one_and_the_last_is_followed_by_the_first(home: Home) -> None:
    async with matrix(home) as (screen, pilot):
        grid = screen.filling.grid
        assert grid is not None
        found = []
        for _ in range(3):
            await press(pilot, "n")
            place = screen.view.place
            assert place is not None
            found.append(grid.cells[place].verdict)
        assert set(found) <= {Verdict.WRONG, Verdict.ENDLESS, Verdict.DEFECT}
        await pick(screen, pilot, "context-overflow", 3)
        await press(pilot, "n")
        assert screen.view.place == ("tool-crash", 1)


async def test_enter_opens_the_run_of_the_cell_and_it_is_the_same_run(home: Home) -> None:
    async with matrix(home) as (screen, pilot):
        await pick(screen, pilot, "factor-of-ten", 2)
        await press(pilot, "enter")
        await settled(pilot, lambda: isinstance(pilot.app.screen, RunScreen))
        run = pilot.app.screen
        assert isinstance(run, RunScreen)
        await settled(pilot, lambda: run.run_.state.answer is not None)
        grid = screen.filling.grid
        assert grid is not None
        trial = grid.cells["factor-of-ten", 2].trial
        assert trial is not None
        assert (run.run_.state.answer, run.run_.status) == (trial.answer, trial.status)
        assert sum(isinstance(event, ModelReply) for event in run.run_.events) == trial.steps
        assert run.run_title == "Two sums: factor-of-ten in step 2"
        await press(pilot, "q")
        await settled(pilot, lambda: pilot.app.screen is screen)
        assert screen.view.place == ("factor-of-ten", 2)


async def test_the_grid_is_written_as_markdown_or_json_and_never_over_a_file(home: Home, tmp_path: Path) -> None:
    async with matrix(home) as (_, pilot):
        await press(pilot, "s", "enter")
        written = home.root / "sums-matrix.md"
        assert written.read_text().startswith("# Fault matrix: Two sums\n")
        assert "written to" in words(pilot)
        written.write_text("mine")
        await press(pilot, "s", "enter")
        assert written.read_text() == "mine"
        assert "is there already" in words(pilot)
        await press(pilot, "s", *["backspace"] * 2, *"json", "enter")
        assert json.loads((home.root / "sums-matrix.json").read_text())["title"] == "Two sums"
        await press(pilot, "s", *["backspace"] * 2, *"txt", "enter")
        assert not (home.root / "sums-matrix.txt").exists()
        assert "ends in neither .md nor .json" in words(pilot)


@pytest.mark.parametrize("keys", ["x", "ctrl+c"])
async def test_it_can_be_stopped_and_keeps_what_is_known(home: Home, keys: str) -> None:
    app = WorkbenchApp(home)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("M")
        async with asyncio.timeout(60):
            while not isinstance(app.screen, MatrixScreen):
                await pilot.pause()
        screen = app.screen
        assert screen.going  # nothing has had the time to start a process and make a run in it
        await pilot.press(keys)
        await settled(pilot, lambda: not screen.going)
        assert "■ stopped at" in rows(pilot)[0]
        assert screen.filling.wait(0.1) == []
        assert app.failures == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ('[workspace]\nroot = "."', "use workspace.files instead"),
        ('[model]\nuse = "human"', "you are the model"),
        ('tools = ["nowhere"]', "no tool"),
    ],
)
async def test_what_has_no_matrix_says_why_and_home_stays(home: Home, change: str, said: str) -> None:
    text = f'goal = "Go."\n{change}\n'
    if "model" not in change:
        text += '[[model.reply]]\ntext = "ANSWER: 1"\n'
    (home.root / "scripts" / "sums.toml").write_text(text)
    app = WorkbenchApp(home)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "M")
        assert isinstance(app.screen, HomeScreen)
        assert said in words(pilot)


async def test_an_unbroken_run_without_an_end_is_said_on_the_screen(home: Home) -> None:
    (home.root / "scripts" / "sums.toml").write_text(
        'goal = "Go."\n[[model.reply]]\ntext = "Hm."\nrepeat = "forever"\n'
    )
    app = WorkbenchApp(home)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "M")
        screen = app.screen
        assert isinstance(screen, MatrixScreen)
        await settled(pilot, lambda: not screen.going)
        assert "give it a cap, such as limits.steps" in words(pilot)
        await press(pilot, "enter", "n", "s")
        assert app.screen is screen
        await press(pilot, "escape")
        assert app.screen is not screen


async def test_a_run_has_the_matrix_of_its_scenario(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("M")
        screen = stage.app.screen
        assert isinstance(screen, MatrixScreen)
        await settled(stage.pilot, lambda: screen.filling.finished)
        assert screen.filling.subject.scenario.title == "Two cities"
        await stage.press("q")
        assert stage.app.screen is stage.screen


async def test_a_click_picks_a_cell_and_the_palette_has_the_actions(home: Home) -> None:
    async with matrix(home) as (screen, pilot):
        row = next(y for y, text in enumerate(rows(pilot)) if "tool-error " in text)
        second = list(re.finditer("[✓✗■!]", rows(pilot)[row]))[1]
        await pilot.click(offset=(second.start(), row))
        await settled(pilot)
        assert screen.view.place == ("tool-error", 2)
        await press(pilot, "colon")
        assert "open its run" in seen(pilot)


async def test_pictures(home: Home) -> None:
    for theme in ("ink", "paper"):
        (home.root / "workbench.toml").write_text(f'theme = "{theme}"\n')
        async with matrix(replace(home)) as (screen, pilot):
            await pick(screen, pilot, "factor-of-ten", 2)
            for size in ("120x40", "80x24", "40x12"):
                await pilot.resize_terminal(*SIZES[size])
                await settled(pilot)
                compare(f"matrix-{size}{'' if theme == 'ink' else '-paper'}", picture(pilot.app))
