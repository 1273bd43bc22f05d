"""At the end of a lesson the next one is a key away."""

from __future__ import annotations

from tests.tui.places import seen
from tests.tui.run.stage import opened_scenario, staged, write_scenario
from tests.tui.settled import settled
from workbench.home import Home

ANSWERS = """
goal = "Add."
[[model.reply]]
text = "ANSWER: 1"
"""


async def test_after_a_lesson_comes_the_next_one_in_its_place(home_with_examples: Home) -> None:
    home = home_with_examples
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await settled(stage.pilot, lambda: stage.app.next_lesson(stage.run.header.scenario_path) is not None)
        await stage.press("N")
        assert "the run has not ended" in seen(stage.pilot)
        await stage.press("r")
        assert "N next: Blue mugs" in seen(stage.pilot)
        first = stage.screen
        await stage.press("N")
        await settled(stage.pilot, lambda: stage.screen is not first)
        assert stage.screen.run_title == "Blue mugs"
        assert stage.run.state.model_calls == 0
        assert first not in stage.app.screen_stack


async def test_a_script_that_is_no_lesson_has_none_after_it(home: Home) -> None:
    async with staged(opened_scenario(home, write_scenario(home, ANSWERS)), home) as stage:
        await stage.press("r", "N")
        assert "no lesson follows this one" in seen(stage.pilot)
