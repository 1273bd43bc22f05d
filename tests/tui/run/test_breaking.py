"""Breaking a run on purpose: faults from the picker, and what is held by a filter, results and replies alike."""

from __future__ import annotations

import pytest
from textual.widgets import Static

from tests.tui.run.stage import Stage, opened_scenario, staged
from workbench.core.events import HeldReply, ModelReply, ToolResult
from workbench.home import Home
from workbench.runner import Run
from workbench.tui.run.breaker import Breaker, FaultField
from workbench.tui.run.fields.sessions import HoldSome


def armed(run: Run) -> list[tuple[str, int | None, int | None, str]]:
    """Name, nth, step and tool of what is armed."""
    return [(item.fault.name, item.fault.nth, item.fault.step, item.fault.tool) for item in run.state.faults]


def results(stage: Stage) -> list[ToolResult]:
    return [event for event in stage.run.events if isinstance(event, ToolResult)]


def strikes(stage: Stage) -> str:
    """The row that says where the picked fault strikes."""
    return str(stage.app.screen.query_one("#strikes", Static).visual)


# ---------------------------------------------------------------- armed


async def test_a_wrong_first_result_reaches_the_answer_with_both_values_on_the_screen(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("f")
        await stage.type("wrong-number")
        assert stage.sees("▸   wrong-number")
        await stage.press("enter")
        assert stage.notice == "armed: wrong-number on results of any tool, the next one"
        assert stage.sees("wrong-number · the next one")
        await stage.press("r")
        assert stage.run.state.answer == "11710000"
        assert stage.sees("▎ 2010000")
        assert stage.sees("≠ changed by fault wrong-number, was 2100000")
        assert stage.sees("2010000 + 9700000 = 11710000")


async def test_after_the_end_it_is_said_where_a_fault_can_strike(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("r", "f")
        assert not isinstance(stage.app.screen, Breaker)
        assert stage.notice == "the run has ended: R runs it again, or ← and F go on from earlier; break it there"


async def test_armed_ones_stand_first_and_delete_disarms_the_picked_one(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("f", "enter", "f")
        assert armed(stage.run) == [("tool-crash", 1, None, "")]
        assert stage.sees("≠ tool-crash")
        await stage.press("delete")
        assert len(armed(stage.run)) == 1, "the first that can be chosen is picked, not what is armed"
        await stage.press("up", "enter")
        assert isinstance(stage.app.screen, Breaker), "what is armed is not armed again"
        await stage.press("delete")
        assert armed(stage.run) == []
        await stage.press("escape")
        assert stage.sees("disarmed: tool-crash")


async def test_tab_goes_round_the_places(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("space", "f")
        await stage.type("wrong-number")
        shown = []
        for _ in range(5):
            shown.append(strikes(stage).partition("▸")[2].partition("  ")[0])
            await stage.press("tab")
        assert shown == [
            "the next result",
            "the next result of lookup_population",
            "in step 1",
            "every time",
            "every result of lookup_population",
        ]
        await stage.press("shift+tab", "shift+tab", "shift+tab", "enter")
        assert armed(stage.run) == [("wrong-number", None, 1, "")]


async def test_a_fault_can_be_spelled_out_and_what_is_wrong_with_it_is_said(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("f")
        await stage.type("wrong-number:nht=2")
        assert 'no key "nht"' in strikes(stage)
        await stage.press("enter")
        assert isinstance(stage.app.screen, Breaker)
        stage.app.screen.query_one(FaultField).value = "wrong-number:nth=2"
        await stage.settle()
        await stage.press("enter", "r")
        assert [result.changed for result in results(stage)] == [False, True]


async def test_nothing_is_armed_by_going_back(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("f")
        await stage.type("no such fault")
        assert stage.sees("no fault of that name, and none that says so")
        await stage.press("enter", "escape")
        assert (stage.app.screen, armed(stage.run)) == (stage.screen, [])


async def test_a_click_picks_a_row(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("f")
        row = stage.row_of("flaky-tool")
        await stage.pilot.click(offset=(10, row))
        await stage.settle()
        assert stage.sees("▸   flaky-tool")


async def test_the_list_stays_where_it_is_while_a_filter_is_typed(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home, size=(80, 24)) as stage:
        await stage.press("f")
        before = stage.row_of("≠ Break it")
        await stage.type("wrong-number")
        assert stage.row_of("≠ Break it") == before


@pytest.mark.parametrize("key", ["f", "h", "H"])
async def test_a_run_that_has_ended_says_why_it_cannot_be_broken(home: Home, key: str) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("r", key)
        assert stage.app.screen is stage.screen
        assert stage.notice


# ---------------------------------------------------------------- struck at the door


async def test_f_and_enter_make_an_error_of_a_held_result_and_u_takes_it_back(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("h", "r", "f", "enter")
        assert stage.sees("✗ failed")
        assert stage.sees("≠ changed by fault error   was 2100000")
        await stage.press("u")
        assert stage.notice == "the result is as it came"
        assert not stage.sees("≠ changed by fault error   was 2100000")
        assert stage.text.count("the model has not read this yet") == 1, "what was put back waits no more"
        await stage.press("f", "down", "down", "enter", "space")
        assert (results(stage)[0].content, results(stage)[0].original) == ("No result arrived.", "2100000")


async def test_a_delay_at_the_door_is_time_of_the_run_for_which_nobody_waits(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("h", "r", "f")
        await stage.type("delay:seconds=12")
        await stage.press("enter", "space")
        assert results(stage)[0].took >= 12
        assert results(stage)[0].content == "2100000"


# ---------------------------------------------------------------- held by a filter


async def test_what_the_filter_says_is_held_and_nothing_else(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("H")
        assert stage.sees("tool:NAME")
        await stage.type("arg:city=Lima")
        assert stage.sees("✓ results")
        await stage.press("enter", "r")
        assert stage.kinds.count("held") == 1
        assert [result.content for result in results(stage)] == ["2100000"]
        await stage.press("H")
        assert stage.field.value == "arg:city=Lima"
        stage.field.value = ""
        await stage.settle()
        await stage.press("enter")
        assert stage.notice == "nothing is held any more"


async def test_a_wrong_filter_stays_in_the_field_with_what_is_wrong(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("H")
        await stage.type("tol:add")
        await stage.press("enter")
        assert stage.opens(HoldSome)
        assert stage.sees("✗ column 1")
        assert stage.run.state.hold is None
        await stage.press("escape")
        assert not stage.sees("Hold at the door")


async def holding_replies(stage: Stage) -> HeldReply:
    """Hold replies, and run to the first."""
    await stage.press("H")
    await stage.type("reply")
    await stage.press("enter", "r")
    held = stage.run.events[-1]
    assert isinstance(held, HeldReply)
    return held


async def test_a_held_reply_is_passed_on_rewritten(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await holding_replies(stage)
        assert stage.bar_title.startswith("◆ Held at the door: nothing in this reply is believed yet")
        assert stage.run.state.model_calls == 0
        await stage.press("e")
        stage.screen.bar.area.load_text("ANSWER: 7")
        await stage.settle()
        assert stage.sees("✓ an answer ends the run")
        await stage.press("ctrl+s")
        reply = next(event for event in stage.run.events if isinstance(event, ModelReply))
        assert (reply.answer, reply.changed_by) == ("7", "you")
        assert 'lookup_population {"city": "Paris"}' in reply.original


async def test_a_held_reply_is_struck_and_put_back(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await holding_replies(stage)
        await stage.press("f")
        await stage.type("malformed-json")
        await stage.press("enter")
        assert stage.sees("≠ changed by fault malformed-json")
        assert stage.text.count("nothing in this reply is believed yet   reply of step 1") == 1
        assert (
            stage.text.count("▎ nothing") + stage.text.count("             nothing in this reply is believed yet") == 1
        )
        await stage.press("u")
        assert stage.notice == "the reply is as it came"
        await stage.press("space")
        replies = [event for event in stage.run.events if isinstance(event, ModelReply)]
        assert [(reply.changed, reply.reading) for reply in replies] == [(False, "calls")]
