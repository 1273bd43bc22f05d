"""A pipeline and a router on the Run screen."""

from __future__ import annotations

from pathlib import Path

from tests.tui.run.stage import opened_scenario, staged
from workbench.core.statuses import Status
from workbench.home import Home

PIPELINE = """
goal = "Give five back for R-1002."
loop = "pipeline"
tools = ["create_refund"]
[[step]]
ask = "Which order? ${goal}"
[[step]]
tool = "create_refund"
arguments = { order = "${last}", amount = 5 }
[[step]]
answer = "Done: ${last}"
[[model.reply]]
text = "R-1002"
"""
ROUTER = """
goal = "Where is it?"
loop = "router"
tools = ["project_field"]
[[route]]
name = "figures"
[[route.step]]
tool = "project_field"
arguments = { code = "FHQ-22", field = "staff" }
[[model.reply]]
text = "weather"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return path


async def test_a_pipeline_is_made_step_by_step_and_its_gate_asks(home: Home, tmp_path: Path) -> None:
    async with staged(opened_scenario(home, written(tmp_path, PIPELINE)), home) as stage:
        assert stage.sees("pipeline · scripted model")
        for said, next_one in (
            ("take the step", "step 1 of the plan: ask the model"),
            ("ask the model", "ask the model, with what it was told"),
            ("take the step", "step 2 of the plan: run create_refund"),
        ):
            assert f"space {said}" in stage.key_row
            assert next_one in stage.rows[stage.row_of("NEXT")]
            await stage.press("space")
        assert stage.bar_title.startswith("▲ Step 2 of the plan wants to run create_refund")
        await stage.press("t")
        assert stage.sees("▸ result2 = create_refund")
        assert stage.sees("A gate stands before the step. Nothing has run yet.")
        await stage.press("escape")
        await stage.press("n")
        await stage.press("enter")
        assert stage.run.status is Status.STEP_FAILED
        assert stage.sees("■ step failed")
        assert stage.bar_title.startswith("■ A step of the plan failed")


async def test_what_is_decided_about_a_step_is_told_to_no_model(home: Home, tmp_path: Path) -> None:
    async with staged(opened_scenario(home, written(tmp_path, PIPELINE)), home, size=(80, 24)) as stage:
        await stage.press("r")
        for key, said in (
            ("e", "the step is taken with these"),
            ("a", "The tool does not run. The step gives your text."),
            ("n", "the run ends with your reason; enter denies, esc goes back"),
        ):
            await stage.press(key)
            assert said in stage.bar_title
            await stage.press("escape")


async def test_a_router_without_a_route_says_which_there_are(home: Home, tmp_path: Path) -> None:
    async with staged(opened_scenario(home, written(tmp_path, ROUTER)), home) as stage:
        assert stage.sees("router · scripted model")
        await stage.press("r")
        assert stage.run.status is Status.NO_ROUTE
        assert stage.bar_title.startswith("■ The model chose none of the routes that there are")
        assert stage.sees('"weather" is no route; there are figures')


async def test_a_step_that_failed_is_taken_again_by_the_key_that_asks_again(home: Home, tmp_path: Path) -> None:
    async with staged(opened_scenario(home, written(tmp_path, PIPELINE)), home) as stage:
        await stage.press("r")
        await stage.press("escape")
        assert stage.run.status is Status.STEP_FAILED
        assert "r take the step again" in stage.key_row
        await stage.press("r")
        assert stage.bar_title.startswith("▲ Step 2 of the plan wants to run create_refund")


async def test_a_quiz_waits_for_whoever_is_there_and_the_scripts_person_can_answer_it(home: Home) -> None:
    async with staged(opened_scenario(home, "quiz-growth"), home) as stage:
        assert stage.sees("▲ you are the model")
        await stage.press("escape")
        await stage.press("P")
        await stage.press("r")
        assert stage.run.status is Status.ANSWERED
        assert stage.sees("Right.")
