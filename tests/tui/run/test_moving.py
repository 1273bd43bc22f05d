from __future__ import annotations

import pytest

from tests.tui.run.models import Paced
from tests.tui.run.stage import Stage, opened_scenario, staged
from workbench.core.carried import POLICY_KEYS
from workbench.core.events import SettingsChanged, Stopped
from workbench.core.statuses import Status
from workbench.home import Home
from workbench.view.meters import gauges


def changes(stage: Stage) -> list[dict[str, object]]:
    return [dict(event.changes) for event in stage.run.events if isinstance(event, SettingsChanged)]


async def test_space_makes_the_move_that_next_names(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        for said, recorded in (
            ("ask the model", ["model_reply"]),
            ("run lookup_population", ["tool_started", "tool_result"]),
            ("ask the model", ["model_reply"]),
        ):
            assert f"space {said}" in stage.key_row
            assert said in stage.rows[stage.row_of("NEXT")]
            before = len(stage.kinds)
            await stage.press("space")
            assert stage.kinds[before:] == recorded


async def test_r_runs_to_the_answer(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("r")
        assert stage.bar_title.startswith("✓ Answered in 3 steps")
        assert stage.sees("✓ answered")
        assert stage.run.state.answer == "11800000"
        await stage.press("space")
        assert stage.notice == "the run has ended: m sends a message"


async def test_a_scenario_can_be_opened_running(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home, play=True) as stage:
        await stage.settle(lambda: stage.run.status is Status.ANSWERED)
        assert stage.kinds[0] == "user_message"


async def test_r_pauses_after_the_move_and_space_says_so_meanwhile(home: Home) -> None:
    opened = opened_scenario(home, "two-cities")
    model = opened.run.model = Paced(opened.run.model)
    async with staged(opened, home) as stage:
        await stage.send("r")
        await stage.reach(lambda: stage.sees("▶ running") and stage.sees("asking the model …"))
        assert stage.key_row.split()[:4] == ["r", "pause", "x", "stop"]
        await stage.send("space")
        assert stage.notice == "the run is going: r pauses it"
        await stage.send("left")
        assert stage.notice == "the run is going: r pauses it, then ← looks back"
        await stage.send("shift+left")
        assert not stage.screen.desk.looking_back
        await stage.send("r")
        model.go()
        await stage.settle()
        assert stage.kinds == ["user_message", "model_reply"]
        assert stage.sees("‖ paused")


async def test_x_stops_a_request_at_once(home: Home) -> None:
    opened = opened_scenario(home, "two-cities")
    opened.run.model = Paced(opened.run.model)
    async with staged(opened, home) as stage:
        await stage.send("r")
        await stage.reach(lambda: stage.run.in_flight is not None)
        await stage.press("x")
        stopped = stage.run.events[-1]
        assert isinstance(stopped, Stopped)
        assert stopped.status is Status.CANCELLED
        assert stage.sees("■ cancelled")


async def test_x_stops_a_paused_run_and_answers_its_open_calls(home: Home) -> None:
    async with staged(opened_scenario(home, "refund"), home) as stage:
        await stage.press("space", "x")
        assert stage.run.status is Status.CANCELLED
        assert [event.outcome for event in stage.events("tool_result")] == ["cancelled", "cancelled"]  # type: ignore[attr-defined]


async def test_text_streams_in_before_the_reply_is_recorded(home: Home) -> None:
    opened = opened_scenario(home, "two-cities")
    model = opened.run.model = Paced(opened.run.model, "THOUGHT: I am", " thinking [b]aloud")
    async with staged(opened, home) as stage:
        await stage.send("space")
        await stage.reach(lambda: stage.sees("THOUGHT: I am thinking [b]aloud"))
        assert stage.kinds == ["user_message"]
        model.go()
        await stage.settle()
        assert not stage.sees("thinking [b]aloud")


# ---------------------------------------------------------------- caps


async def test_plus_raises_the_cap_that_stopped_the_run_and_goes_on(home: Home) -> None:
    async with staged(opened_scenario(home, "limit-steps"), home) as stage:
        await stage.press("r")
        assert stage.bar_title.startswith("■ Stopped by the step cap: 2 of 2 steps used, no answer")
        assert stage.sees("■ stopped: step cap")
        assert stage.key_row.strip().startswith("+ raise to 4, go on")
        await stage.press("plus")
        assert changes(stage) == [{"limits.steps": 4}]
        assert stage.run.status is Status.ANSWERED


async def test_plus_raises_the_repeat_guard_and_keeps_its_other_figures(home: Home) -> None:
    async with staged(opened_scenario(home, "limit-repeats"), home) as stage:
        await stage.press("r")
        guard = stage.run.state.limits.repeats
        assert guard is not None
        await stage.press("equals_sign")
        raised = stage.run.state.limits.repeats
        assert raised is not None
        assert (raised.nudge, raised.match) == (guard.nudge, guard.match)
        assert raised.stop == (guard.stop or 0) * 2


async def test_c_lifts_the_step_cap_and_sets_it_again(home: Home) -> None:
    async with staged(opened_scenario(home, "refund"), home) as stage:
        assert "c lift cap" in stage.key_row
        await stage.press("c")
        assert stage.notice == "step cap lifted (was 6); c sets it again"
        assert stage.sees("0, no cap")
        assert "c set cap" in stage.key_row
        await stage.press("plus")
        assert stage.notice == "there is no step cap to raise: c sets one"
        await stage.press("c")
        assert changes(stage) == [{"limits.steps": None}, {"limits.steps": 6}]
        await stage.press("plus")
        assert changes(stage)[-1] == {"limits.steps": 10}


# ---------------------------------------------------------------- the list of limits


async def test_the_list_of_limits(home: Home) -> None:
    async with staged(opened_scenario(home, "refund"), home) as stage:
        await stage.press("l")
        assert stage.focus_is(stage.screen.bar.limits)
        assert stage.sees("▸ step cap")
        assert stage.key_row.split()[:3] == ["enter", "on", "or"]
        await stage.press("enter")
        assert changes(stage) == [{"limits.steps": None}]
        await stage.press("enter", "plus", "minus")
        assert [change["limits.steps"] for change in changes(stage)] == [None, 6, 10, 5]
        await stage.press("down", "1", "2")
        assert stage.sees("12▏")
        await stage.press("backspace", "enter")
        assert changes(stage)[-1] == {"limits.model_calls": 1}
        await stage.press("0", "enter")
        assert stage.notice == "a cap of 0 would allow nothing: enter switches it off"
        assert changes(stage)[-1] == {"limits.model_calls": 1}
        await stage.press("escape")
        assert stage.focus_is(stage.transcript)
        assert stage.is_shut
        assert stage.screen.drawing.shown == "transcript"


async def test_fractions_are_for_money_and_time_only(home: Home) -> None:
    async with staged(opened_scenario(home, "refund"), home) as stage:
        await stage.press("l", *["down"] * 7, *"0.5", "enter")
        assert changes(stage)[-1] == {"limits.cost": 0.5}
        await stage.press("minus")
        assert changes(stage)[-1] == {"limits.cost": 0.25}
        await stage.press("up", *"7.9", "enter")
        assert changes(stage)[-1] == {"limits.context_tokens": 7}


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 16), (40, 12)])
async def test_every_limit_can_be_reached_at_any_size(home: Home, size: tuple[int, int]) -> None:
    async with staged(opened_scenario(home, "refund"), home, size=size) as stage:
        await stage.press("l", *["up"] * (len(POLICY_KEYS) + 1))
        assert any("▸ repeat" in row for row in stage.rows)
        assert stage.key_row.split()[0] == "enter"
        await stage.press("enter")
        assert stage.run.state.limits.repeats is not None


async def test_meters_follow_the_run(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("space", "space")
        used = {gauge.name: gauge.used for gauge in gauges(stage.run.state)}
        assert (used["steps"], used["model_calls"], used["tool_calls"]) == (1, 1, 1)
        assert "1 of 6" in stage.rows[stage.row_of("steps ")]
        assert "1 model, 1 tool" in stage.rows[stage.row_of("calls ")]
