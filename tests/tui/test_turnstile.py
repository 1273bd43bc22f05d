"""Keys that come in one burst: what the first one opens gets the rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from tests.tui.run.stage import PATIENT, Stage, a_home, at_home, opened_scenario, staged
from workbench.home import Home
from workbench.tui import turnstile
from workbench.tui.home.screen import HomeScreen
from workbench.tui.run.screen import RunScreen


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return a_home(tmp_path, examples=True)


def field_of(stage: Stage) -> str:
    field = stage.app.focused
    return field.value if isinstance(field, Input) else f"not a field: {field}"


async def test_what_follows_the_slash_is_typed_into_the_filter(home: Home) -> None:
    async with at_home(home) as stage:
        await stage.type("/refund, exit")
        await stage.settle(lambda: field_of(stage) == "refund, exit")
        assert isinstance(stage.app.screen, HomeScreen)


async def test_what_follows_a_key_that_opens_a_dialog_is_typed_into_it(home: Home) -> None:
    async with at_home(home) as stage:
        await stage.type(":quit")
        await stage.settle(lambda: field_of(stage) == "quit")


async def test_a_reason_typed_at_once_is_a_reason_and_stops_nothing(home: Home) -> None:
    async with staged(opened_scenario(home, "refund"), home) as stage:
        while not stage.bar_title.startswith("▲ The model wants to run create_refund"):
            await stage.press("space")
        stage.now += PATIENT
        for key in "nxyqs":
            stage.post(key, stage.now)
        await stage.settle(lambda: field_of(stage) == "xyqs")
        assert stage.kinds.count("decided") == 0
        assert stage.run.state.stopped is None


async def test_keys_that_lead_from_screen_to_screen_do_so_in_their_order(home: Home) -> None:
    async with at_home(home) as stage:
        await stage.type("/blue mugs\n\n")
        await stage.settle(lambda: isinstance(stage.app.screen, RunScreen))
        await stage.type("   /stock\n")
        await stage.settle(lambda: field_of(stage) == "stock")


async def test_a_key_whose_way_is_cut_off_holds_up_the_others_for_a_moment_only(home: Home) -> None:
    async with at_home(home) as stage:
        stage.app.on_came_through = lambda message: None  # type: ignore[method-assign]
        await stage.type("/mug")
        await stage.settle(lambda: field_of(stage) == "mug")


async def test_a_key_that_closes_what_it_went_to_holds_up_nothing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turnstile, "PATIENCE", 1e6)
    async with at_home(home) as stage:
        await stage.type(":")
        for key in ("q", "escape", "slash", "m", "u", "g"):
            stage.post(key, stage.now)
        await stage.settle(lambda: field_of(stage) == "mug")
