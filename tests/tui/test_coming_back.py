"""What Home says and picks when somebody comes back to it, and what it lets go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tui.editor.desk import GOOD, Desk, at_desk, home_with, own_script
from workbench.home import Home
from workbench.tui.dialogs import Prompt
from workbench.tui.home.screen import HomeScreen
from workbench.tui.run.screen import RunScreen


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr("workbench.home.user_folder", lambda: tmp_path / "user")
    return home_with(tmp_path)


def home_screen(desk: Desk) -> HomeScreen:
    screen = desk.app.screen
    assert isinstance(screen, HomeScreen)
    return screen


def picked(desk: Desk) -> tuple[str, str]:
    """The names of the files of the script and of the session that are picked."""
    lists = (home_screen(desk).shelves.scripts.list, home_screen(desk).shelves.sessions.list)
    script, session = (each.item.path.stem if each.item is not None else "" for each in lists)
    return script, session


async def test_the_script_and_the_session_of_a_run_are_picked_after_it(home: Home) -> None:
    for number in range(1, 4):
        lesson = f'lesson = {number}\ntags = ["course"]\n{GOOD}'.replace("Two cities", f"Lesson {number}")
        own_script(home, lesson, f"l{number}")
    async with at_desk(home) as desk:
        await desk.settle(lambda: picked(desk)[0] == "l1")
        await desk.press("enter")
        await desk.settle(lambda: isinstance(desk.app.screen, RunScreen) and desk.run.state.started)
        await desk.press("r", "N")
        await desk.settle(lambda: desk.run.state.title == "Lesson 2" and desk.run.state.answer is None)
        await desk.press("r", "q")
        await desk.settle(lambda: isinstance(desk.app.screen, HomeScreen) and picked(desk)[1] == "lesson-2-1")
        assert picked(desk)[0] == "l2"
        assert desk.app.focused is home_screen(desk).shelves.scripts.list
        await desk.press("right", "down", "enter")
        await desk.settle(lambda: isinstance(desk.app.screen, RunScreen))
        assert desk.run.state.title == "Lesson 1"
        await desk.press("R", "r", "q")
        await desk.settle(lambda: isinstance(desk.app.screen, HomeScreen) and picked(desk)[1] == "lesson-1-2")


async def test_a_script_that_was_written_meanwhile_is_picked_when_it_is_read(home: Home) -> None:
    own_script(home, name="a")
    async with at_desk(home) as desk:
        await desk.settle(lambda: picked(desk)[0] == "a")
        fresh = own_script(home, GOOD.replace("Two cities", "Fresh"), "z")
        desk.app.opener.scenario(fresh)
        await desk.settle(lambda: isinstance(desk.app.screen, RunScreen) and desk.run.state.started)
        await desk.press("q")
        await desk.settle(lambda: isinstance(desk.app.screen, HomeScreen) and picked(desk)[0] == "z")
        await desk.press("up")
        home_screen(desk).shelves.read_again()
        await desk.settle()
        assert picked(desk)[0] == "a"


async def test_what_went_wrong_is_said_until_somebody_moves_on(home: Home) -> None:
    own_script(home, name="a")
    own_script(home, "goal = ", name="b")
    async with at_desk(home) as desk:
        await desk.press("end", "enter")
        assert desk.sees("✗ ")
        desk.app.report("the door was shut")
        await desk.settle(lambda: desk.sees("✗ the door was shut"))
        home_screen(desk).shelves.read_again()
        await desk.settle()
        assert desk.sees("✗ the door was shut")
        await desk.press("up")
        assert not desk.sees("the door was shut")


async def test_a_path_that_cannot_be_imported_stays_in_its_field(home: Home, tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    async with at_desk(home) as desk:
        await desk.press("i")
        await desk.type(f"{log}\n")
        await desk.settle(lambda: desk.sees("✗ "))
        assert isinstance(desk.app.screen, Prompt)
        assert "No such file" in desk.text
        log.write_text(json.dumps([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]), "utf-8")
        await desk.press("enter")
        await desk.settle(lambda: isinstance(desk.app.screen, HomeScreen))
        await desk.settle(lambda: picked(desk)[1] != "")
        assert not desk.sees("No such file")
