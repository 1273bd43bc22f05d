"""What is on the screen before anything has been read in earnest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.places import add_script, add_session, app_for, make_home, press, seen
from tests.tui.settled import LONGEST, settled
from workbench.home import Home
from workbench.tui import opener
from workbench.tui.app import WorkbenchApp
from workbench.tui.glimpse import GlimpseScreen
from workbench.tui.help import HelpScreen
from workbench.tui.home.screen import HomeScreen
from workbench.tui.run.screen import RunScreen
from workbench.view.folders import Shelf


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr("workbench.home.user_folder", lambda: tmp_path / "user")
    return make_home(tmp_path)


@pytest.fixture
def go_on(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """Reading in earnest waits for this."""
    let, read, made = Event(), Shelf.read_scripts, opener._made

    def read_scripts(shelf: Shelf) -> None:
        let.wait(LONGEST)
        read(shelf)

    def make(*arguments: Any) -> Any:
        let.wait(LONGEST)
        return made(*arguments)

    monkeypatch.setattr(Shelf, "read_scripts", read_scripts)
    monkeypatch.setattr(opener, "_made", make)
    yield let
    let.set()


def stack(pilot: Pilot[None]) -> list[type]:
    return [type(screen) for screen in pilot.app.screen_stack]


async def reached(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    """Until the first frame is there, and the worker that waits has begun."""
    while not app.workers:
        await pilot.pause()
    await pilot.pause()


async def test_the_scripts_are_there_before_they_are_read(home: Home, go_on: Event) -> None:
    add_script(home, "cities", "Of cities")
    app = app_for(home)
    async with app.run_test(size=(120, 40)) as pilot:
        await reached(app, pilot)
        assert "Of cities" in seen(pilot)
        go_on.set()
        await settled(pilot)


@pytest.mark.parametrize("kind", ["scenario", "session"])
async def test_title_and_goal_of_a_file_stand_there_until_its_run_does(home: Home, go_on: Event, kind: str) -> None:
    file = add_script(home, "cities", "Of cities") if kind == "scenario" else add_session(home, "s", title="Of cities")
    app = app_for(home, str(file))
    async with app.run_test(size=(120, 40)) as pilot:
        await reached(app, pilot)
        assert stack(pilot) == [HomeScreen, GlimpseScreen]
        assert "Of cities" in seen(pilot)
        assert f"reading the {kind}" in seen(pilot)
        go_on.set()
        await settled(pilot)
        assert stack(pilot) == [HomeScreen, RunScreen]
        assert "Of cities" in seen(pilot)
        await press(pilot, "q")
        assert stack(pilot) == [HomeScreen]


async def test_help_that_was_opened_meanwhile_gives_way_to_the_run(home: Home, go_on: Event) -> None:
    app = app_for(home, str(add_script(home, "cities")))
    async with app.run_test(size=(120, 40)) as pilot:
        await reached(app, pilot)
        await pilot.press("f1")
        assert stack(pilot) == [HomeScreen, GlimpseScreen, HelpScreen]
        go_on.set()
        await settled(pilot)
        assert stack(pilot) == [HomeScreen, RunScreen]
        await press(pilot, "q")


async def test_a_file_that_makes_no_run_leads_back_to_home(home: Home, go_on: Event, tmp_path: Path) -> None:
    file = tmp_path / "odd.toml"
    file.write_text('title = "Odd"\ngoal = "x"\nstepz = 3\n', encoding="utf-8")
    app = app_for(home, str(file))
    async with app.run_test(size=(120, 40)) as pilot:
        await reached(app, pilot)
        assert stack(pilot) == [HomeScreen, GlimpseScreen]
        go_on.set()
        await settled(pilot)
        assert stack(pilot) == [HomeScreen]
        assert "stepz" in seen(pilot)


async def test_a_long_session_has_one_too_when_it_is_opened_from_home(
    home: Home, go_on: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = add_session(home, "s", title="Of cities")
    app = app_for(home)
    async with app.run_test(size=(120, 40)) as pilot:
        await reached(app, pilot)
        app.opener.session(path)
        await pilot.pause()
        assert stack(pilot) == [HomeScreen]
        go_on.set()
        await settled(pilot)
        await press(pilot, "q")
        go_on.clear()
        monkeypatch.setattr(opener, "LONG", path.stat().st_size - 1)
        app.opener.session(path)
        await pilot.pause()
        assert stack(pilot) == [HomeScreen, GlimpseScreen]
        go_on.set()
        await settled(pilot)
        assert stack(pilot) == [HomeScreen, RunScreen]
        await press(pilot, "q")
