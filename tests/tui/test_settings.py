from __future__ import annotations

import shutil
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.tui.places import ROOT, app_for, make_home, press, seen, words
from tests.tui.settled import settled
from workbench.home import Home
from workbench.tui.actions import BY_NAME
from workbench.tui.app import WorkbenchApp
from workbench.tui.home.lists import ItemList
from workbench.tui.settings import SettingsScreen


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path)


@asynccontextmanager
async def in_settings(home: Home, size: tuple[int, int] = (120, 40)) -> AsyncIterator[tuple[WorkbenchApp, Pilot[None]]]:
    """The settings, opened from Home."""
    app = app_for(home)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "comma")
        assert isinstance(app.screen, SettingsScreen)
        yield app, pilot
        assert app.failures == []


async def test_a_theme_is_seen_at_once_and_kept_by_enter(home: Home) -> None:
    home.settings.write_text('# mine\n[keys]\nopen_and_run = "g"\n')
    async with in_settings(home) as (app, pilot):
        assert app.theme == "ink"
        await press(pilot, "down")
        assert app.theme == "paper"
        await press(pilot, "up", "up", "j", "j", "enter")
        assert not isinstance(app.screen, SettingsScreen)
        assert app.theme == "paper"
        assert home.settings.read_text() == 'theme = "paper"\n\n# mine\n[keys]\nopen_and_run = "g"\n'
    assert app_for(home).theme == "paper"


@pytest.mark.parametrize("key", ["escape", "q"])
async def test_esc_leaves_everything_as_it_was(home: Home, key: str) -> None:
    async with in_settings(home) as (app, pilot):
        await press(pilot, "down")
        assert app.theme != "ink"
        await press(pilot, key)
        assert app.theme == "ink"
        assert not home.settings.exists()
        assert app.focused is app.screen.query_one("#scripts ItemList")


async def test_our_themes_come_first_and_those_of_the_terminal_are_left_out(home: Home) -> None:
    async with in_settings(home, (80, 24)) as (app, pilot):
        items = app.screen.query_one(ItemList).items
        assert {item.key for item in items if item.group == "themes of the workbench"} == {"ink", "paper", "contrast"}
        assert "themes of the workbench" in seen(pilot)
        groups = list(dict.fromkeys(item.group for item in items))
        assert groups == ["themes of the workbench", "themes of Textual", "keys"]
        assert not any(item.key.startswith("ansi") for item in items)


async def test_a_bad_theme_file_is_listed_with_line_key_and_value_and_hides_none(home: Home) -> None:
    folder = home.root / "themes"
    folder.mkdir()
    text = (ROOT / "themes" / "ink.toml").read_text()
    (folder / "mine.toml").write_text(text.replace('"ink"', '"mine"'))
    (folder / "bad.toml").write_text(text.replace('"ink"', '"bad"').replace('"#', '"[/b]#', 1))
    async with in_settings(home) as (app, pilot):
        assert "mine" in [item.key for item in app.screen.query_one(ItemList).items]
        assert "bad.toml" in words(pilot)
        assert "[/b]" in words(pilot)


async def test_a_file_that_cannot_be_written_is_said_and_the_theme_holds(home: Home) -> None:
    shutil.rmtree(home.root)
    home.root.write_text("a file where the folder was")
    async with in_settings(home) as (app, pilot):
        await press(pilot, "down", "enter")
        assert not isinstance(app.screen, SettingsScreen)
        assert "the theme paper stays until you quit" in words(pilot)
        assert app.theme == "paper"


async def test_no_color_is_said(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with in_settings(home) as (_, pilot):
        assert "NO_COLOR is set" in seen(pilot)


async def test_themes_can_be_picked_on_small_screens(home: Home) -> None:
    async with in_settings(home) as (_, pilot):
        for size in ((80, 24), (60, 16), (40, 12)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert "paper" in seen(pilot)
            assert ("USER" in seen(pilot)) is (size[0] >= 60)
        await press(pilot, "down", "enter")
        assert tomllib.loads(home.settings.read_text()) == {"theme": "paper"}


async def test_every_action_is_listed_with_its_keys_and_how_to_give_it_others(home: Home) -> None:
    home.settings.write_text('[keys]\nopen_and_run = "g"\n')
    async with in_settings(home) as (app, pilot):
        items = app.screen.query_one(ItemList)
        assert {item.key for item in items.items if item.kind == "key"} == set(BY_NAME)
        await press(pilot, "down")
        items.pick_key("open_and_run")
        await settled(pilot)
        assert "≠ g" in seen(pilot)
        assert "Open it and run." in seen(pilot)
        assert f'another key: open_and_run = "…" under [keys] in {home.settings}' in words(pilot)
        assert app.theme == "ink"
        await press(pilot, "enter")
        assert isinstance(app.screen, SettingsScreen)
        assert home.settings.read_text() == '[keys]\nopen_and_run = "g"\n'


async def test_help_opens_over_the_settings(home: Home) -> None:
    async with in_settings(home) as (app, pilot):
        await press(pilot, "question_mark", "escape")
        assert isinstance(app.screen, SettingsScreen)
        assert app.focused is app.screen.query_one(ItemList)
