"""Of a run that was closed nothing stays, however many are opened after it."""

from __future__ import annotations

from weakref import ref

from tests.tui.run.stage import opened_scenario, staged
from tests.tui.settled import settled
from workbench.home import Home
from workbench.tui.run.screen import RunScreen


async def test_a_run_in_whose_place_others_came_is_let_go(home_with_examples: Home) -> None:
    home = home_with_examples
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("r")
        screens: list[ref[RunScreen]] = []
        for _ in range(3):
            assert isinstance(stage.screen, RunScreen)
            screens.append(ref(stage.screen))
            await stage.press("R")
            await settled(stage.pilot, lambda: stage.app.screen is not screens[-1]())
            await settled(stage.pilot, lambda: stage.run.state.started)
        assert [screen() for screen in screens[:1]] == [None]
