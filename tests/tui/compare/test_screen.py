"""Two sessions compared on the screen, from Home and from a fork."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.tui.places import press, rows, seen, words
from tests.tui.run.pictures import picture
from tests.tui.run.stage import a_home
from tests.tui.run.test_snapshots import SIZES, compare
from tests.tui.settled import settled
from workbench.core.events import Forked, SettingsChanged, ToolResult
from workbench.home import Home
from workbench.sessions.journal import create_session, read_session
from workbench.tui.app import WorkbenchApp
from workbench.tui.compare.screen import CompareScreen
from workbench.tui.home.screen import HomeScreen
from workbench.tui.run.screen import RunScreen
from workbench.tui.viewer import Viewer

JOURNALS = Path(__file__).parents[2] / "data" / "journals"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr("workbench.home.user_folder", lambda: tmp_path / "user")
    made = a_home(tmp_path)
    made.sessions.mkdir()
    return made


def keep(home: Home, name: str) -> Path:
    """A session of that shipped scenario, as it was played."""
    path = home.sessions / f"{name}.toml"
    shutil.copy(JOURNALS / f"{name}.toml", path)
    return path


def fork_of(parent: Path, at: int, text: str) -> Path:
    """A fork that has another result at that event, and has not gone on."""
    session = read_session(parent)
    event = session.events[at - 1]
    assert isinstance(event, ToolResult)
    edited = replace(event, content=text, original=event.content, changed_by="you")
    header = replace(session.header, id="20260201-100000-f0f0", parent=session.header.id, parent_at=at)
    path = parent.with_name("fork.toml")
    with create_session(path, header, durable=False) as journal:
        for each in (*session.events[: at - 1], edited, Forked(parent=session.header.id, at=at)):
            journal.append(each, sync=False)
        journal.append(SettingsChanged(changes={"title": "The other way"}), sync=False)
    return path


@asynccontextmanager
async def started(
    home: Home, size: tuple[int, int] = (120, 40), file: Path | None = None
) -> AsyncIterator[Pilot[None]]:
    app = WorkbenchApp(home, str(file) if file is not None else None)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        yield pilot
        for run in list(app.runs()):
            await run.close_run()
        assert app.failures == []


@asynccontextmanager
async def compared(
    home: Home, a: str, b: str, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[CompareScreen, Pilot[None]]]:
    one, other = keep(home, a), keep(home, b)
    async with started(home, size) as pilot:
        assert isinstance(pilot.app, WorkbenchApp)
        pilot.app.opener.compare(one, other)
        await settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, CompareScreen)
        yield screen, pilot


async def test_on_home_one_session_is_chosen_and_compared_with_another(home: Home) -> None:
    keep(home, "two-cities")
    keep(home, "refund-allowed")
    async with started(home) as pilot:
        await press(pilot, "right", "d")
        assert "on another session d compares the two" in words(pilot)
        first = pilot.app.query_one("#sessions ItemList").noted  # type: ignore[attr-defined]
        await press(pilot, "down")
        assert any(" A " in row.partition("│")[2][:4] for row in rows(pilot))
        assert "d compare with A" in rows(pilot)[-1]
        await press(pilot, "d")
        screen = pilot.app.screen
        assert isinstance(screen, CompareScreen)
        assert str(screen.pair.a.path) == first
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, HomeScreen)
        assert "compares the two" not in words(pilot)


async def test_what_is_chosen_on_home_can_be_let_go(home: Home) -> None:
    keep(home, "two-cities")
    async with started(home) as pilot:
        for again in ("d", "escape"):
            await press(pilot, "right", "d", again)
            assert "compares the two" not in words(pilot)
        assert isinstance(pilot.app.screen, HomeScreen)


async def test_it_opens_where_they_part_and_says_why(home: Home) -> None:
    async with compared(home, "refund-allowed", "refund-answered") as (screen, pilot):
        divergence = screen.pair.found.divergence
        assert divergence is not None
        assert screen.view.row == divergence.row
        assert "They part in step 2. Decision: create_refund was decided about differently" in seen(pilot)
        assert "Downstream of that" in seen(pilot)
        assert "enter open A at event 7" in rows(pilot)[-1]


async def test_keys_go_to_the_differences_and_back_to_the_first(home: Home) -> None:
    async with compared(home, "refund-allowed", "refund-answered") as (screen, pilot):
        first = screen.view.row
        await press(pilot, "n")
        assert screen.view.row == first + 1
        await press(pilot, "end", "n")
        assert screen.view.row == first
        await press(pilot, "home", "p")
        assert screen.view.row == first


async def test_enter_opens_the_chosen_run_at_that_event_and_back_leads_here(home: Home) -> None:
    async with compared(home, "refund-allowed", "refund-answered") as (screen, pilot):
        await press(pilot, "right", "enter")
        run = pilot.app.screen
        assert isinstance(run, RunScreen)
        assert run.session_path == screen.pair.b.path
        assert run.desk.state.n == 7
        assert "past: event 7 of 11" in seen(pilot)
        await press(pilot, "q")
        assert pilot.app.screen is screen


async def test_a_row_that_only_one_of_them_has_opens_that_one(home: Home) -> None:
    async with compared(home, "refund-allowed", "refund-denied") as (screen, pilot):
        assert "enter open B at event 11" in rows(pilot)[-1]
        await press(pilot, "enter")
        run = pilot.app.screen
        assert isinstance(run, RunScreen)
        assert run.session_path == screen.pair.b.path


async def test_the_whole_of_a_row_can_be_viewed(home: Home) -> None:
    async with compared(home, "refund-allowed", "refund-answered") as (_, pilot):
        await press(pilot, "v")
        assert isinstance(pilot.app.screen, Viewer)
        assert "Order numbers are upper case, for example" in words(pilot)
        assert "Nothing is left to refund." in words(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, CompareScreen)


async def test_the_same_twice_parts_nowhere_and_says_so(home: Home) -> None:
    async with compared(home, "two-cities", "two-cities") as (screen, pilot):
        assert "They go the same way: 3 steps, 2 calls" in seen(pilot)
        assert screen.view.row == 0
        await press(pilot, "n")
        assert "they differ nowhere" in seen(pilot)
        await press(pilot, "p")
        assert "they part nowhere" in seen(pilot)


async def test_a_fork_is_compared_with_its_parent_and_enter_leads_back_into_it(home: Home) -> None:
    parent = keep(home, "two-cities")
    fork = fork_of(parent, 4, "1")
    async with started(home, file=fork) as pilot:
        run = pilot.app.screen
        assert isinstance(run, RunScreen)
        await press(pilot, "d")
        screen = pilot.app.screen
        assert isinstance(screen, CompareScreen)
        assert (screen.pair.a.path, screen.pair.b.path) == (parent, fork)
        assert "Decision: the result of lookup_population was changed" in seen(pilot)
        await press(pilot, "right", "enter")
        assert (pilot.app.screen is run, run.desk.state.n) == (True, 4)


async def test_a_fork_whose_parent_is_gone_says_so(home: Home) -> None:
    parent = keep(home, "two-cities")
    fork = fork_of(parent, 4, "1")
    parent.unlink()
    async with started(home, file=fork) as pilot:
        await press(pilot, "d", "q")
        assert "comes from is in no sessions folder any more" in words(pilot)


async def test_a_run_that_is_no_fork_says_how_to_compare_it(home: Home) -> None:
    async with started(home, file=keep(home, "two-cities")) as pilot:
        await press(pilot, "d")
        assert "this run is no fork: on Home d compares any two" in words(pilot)


@pytest.mark.parametrize("theme", ["ink", "paper"])
async def test_pictures(home: Home, theme: str) -> None:
    async with compared(home, "refund-allowed", "refund-answered") as (_, pilot):
        pilot.app.theme = theme
        for size in ("120x40", "80x24", "40x12"):
            await pilot.resize_terminal(*SIZES[size])
            await settled(pilot)
            compare(f"compare-{size}{'' if theme == 'ink' else '-paper'}", picture(pilot.app))
