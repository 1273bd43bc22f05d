"""A wrong loop on the Run screen that every run is shown by."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.places import ROOT, app_for, press, seen, words
from tests.tui.settled import settled
from workbench.home import Home


@asynccontextmanager
async def shown(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Pilot[Any]]:
    """The app with that shipped scenario open, before its first move; in the end the run is left, and so closed."""
    monkeypatch.setattr("workbench.home.user_folder", lambda: folder / "user")
    home = Home(root=folder, found="--home", packaged=ROOT)
    app = app_for(home, str(ROOT / "scripts" / f"{name}.toml"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot, lambda: "Museum" in seen(pilot))
        yield pilot
        await press(pilot, "q")


async def test_a_crash_of_v1_is_seen_move_by_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with shown("museum-v1", tmp_path, monkeypatch) as pilot:
        assert "ask the model" in words(pilot)
        await press(pilot, "space")
        assert 'ACTION: add {"a": 1, "b":}' in words(pilot)
        assert "The loop crashed, no answer" in words(pilot)
        assert "JSONDecodeError: Expecting value: line 1 column 14 (char 13)" in words(pilot)
        assert "The workbench itself failed" not in words(pilot)


async def test_a_refused_request_and_the_way_back_to_what_led_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shown("museum-some-calls-answered", tmp_path, monkeypatch) as pilot:
        await press(pilot, "space")
        assert "run stock_level" in words(pilot)
        await press(pilot, "space", "space")
        assert "did not have response messages: c2" in words(pilot)
        await press(pilot, "left", "left", "left")
        assert "ask the model, with all of the above" in words(pilot)


async def test_a_cap_that_the_loop_has_read_already_cannot_be_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shown("museum-catch-all", tmp_path, monkeypatch) as pilot:
        await press(pilot, "r")
        assert "Stopped by the step cap" in words(pilot)
        await press(pilot, "plus")
        assert "catch-all reads its cap once, at the start" in words(pilot)


async def test_the_loop_view_of_a_wrong_loop_shows_its_own_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shown("museum-v1", tmp_path, monkeypatch) as pilot:
        await press(pilot, "r", "t")
        assert "async def loop(model: TextModel, question: str" in seen(pilot)
        assert "▸         kwargs = json.loads(arguments)  # the bug" in seen(pilot)
        assert "noqa" not in seen(pilot)
        assert "JSONDecodeError: Expecting value: line 1 column 14 (char 13)" in words(pilot)
        await press(pilot, "left")
        assert "▸         reply = await model(transcript)" in seen(pilot)
        assert "The loop asks the model, with 1 entry." in words(pilot)
        await press(pilot, "escape")


async def test_beside_the_run_there_is_the_same_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with shown("museum-v1", tmp_path, monkeypatch) as pilot:
        await pilot.resize_terminal(200, 60)
        await press(pilot, "r")
        assert "▸         kwargs = json.loads(arguments)" in seen(pilot)
