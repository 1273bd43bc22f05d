from __future__ import annotations

import asyncio
from pathlib import Path

from tests.tui.run.stage import opened_scenario, staged, write_scenario
from workbench.check import check_file
from workbench.core.events import Decided, SettingsChanged, ToolResult
from workbench.home import Home
from workbench.scenarios.played import played
from workbench.tui.guard import APART

HELD = """
goal = "How many mugs in north?"
protocol = "native"
tools = ["stock_level"]

[[model.reply]]
[[model.reply.call]]
tool = "stock_level"
arguments = { warehouse = "north" }

[[model.reply]]
text = "There are ${result1}."

[[person]]
on = "step"
do = "set"
nth = 1
set = { hold = true }

[[person]]
on = "hold"
do = "replace"
text = "141"

[[person]]
on = "stop"
do = "message"
text = "And in south?"

[expect]
status = "answered"
answer = "There are 141."
"""


def held(home: Home, text: str = HELD) -> Path:
    return write_scenario(home, text)


async def test_the_person_of_the_script_acts_from_the_press_on_and_it_ends_as_in_a_check(home: Home) -> None:
    text = HELD.replace('text = "There are ${result1}."', 'text = "There are ${result1}."\nrepeat = 2')
    path = held(home, text)
    verdict = await check_file(path, home)
    assert (verdict.error, verdict.mismatches) == ("", ())
    async with staged(opened_scenario(home, path), home) as stage:
        assert "P as scripted: hold = true" in stage.key_row
        await stage.press("P")
        assert stage.notice == "the script's person acts from here on; P: you decide"
        assert "P decide yourself" in stage.key_row
        await stage.press("r")
        assert stage.run.state.answer == "There are 141."
        assert stage.sees("✓ as expected")
        assert stage.run.state.script_decisions == 3


async def test_space_makes_their_acts_one_by_one_and_names_each(home: Home) -> None:
    async with staged(opened_scenario(home, held(home)), home) as stage:
        await stage.press("P")
        assert "space as scripted: hold = true" in stage.key_row
        await stage.press("space")
        assert stage.run.state.hold is not None
        await stage.press("space", "space")
        assert "space as scripted: replace it: 141" in stage.key_row
        await stage.press("space")
        assert isinstance(stage.run.events[-1], ToolResult)
        await stage.press("space")
        assert "r as scripted: say: And in south?" in stage.key_row


async def test_a_question_that_waits_is_answered_by_the_press(home: Home) -> None:
    async with staged(opened_scenario(home, "refund-denied"), home) as stage:
        await stage.press("r")
        assert "P as scripted: allow it" in stage.key_row
        await stage.press("P")
        decided = next(event for event in stage.run.events if isinstance(event, Decided))
        assert (decided.decision, decided.by) == ("allow", "script")


async def test_a_key_that_is_held_down_lets_nobody_decide(home: Home) -> None:
    async with staged(opened_scenario(home, "refund-denied"), home) as stage:
        await stage.press("r", "Q")
        stage.screen.guard.pressed("P", stage.now)
        await stage.press("P", apart=APART / 2)
        assert stage.notice == "press P again"
        assert not stage.events("decided")


async def test_who_decides_by_hand_is_told_that_the_rest_of_the_script_does_not_fit(home: Home) -> None:
    async with staged(opened_scenario(home, held(home)), home) as stage:
        await stage.press("P", "space", "space", "space", "e")
        stage.screen.bar.area.load_text("142")
        await stage.press("ctrl+s")
        assert stage.notice == "you have decided yourself, so the script's person acts no more"
        await stage.press("P")
        assert stage.notice == "you have decided here yourself: R starts anew, P lets the script's person act"
        assert "P" not in stage.key_row.split()


async def test_what_is_armed_or_raised_changes_no_question(home: Home) -> None:
    async with staged(opened_scenario(home, held(home)), home) as stage:
        await stage.press("c", "P")
        assert isinstance(stage.run.events[-1], SettingsChanged)
        assert stage.notice == "the script's person acts from here on; P: you decide"
        await stage.press("P")
        assert stage.notice == "you decide again"
        assert stage.run.person is None


async def test_a_run_that_ended_otherwise_without_them_says_so(home: Home) -> None:
    async with staged(opened_scenario(home, held(home)), home) as stage:
        await stage.press("r")
        assert stage.sees("≠ not as expected")
        assert stage.sees("its person did not act: R starts anew, and P lets them")
        assert "as scripted" not in stage.key_row, "it is not their turn"
        await stage.press("R", "P", "r")
        assert stage.run.state.results[0] == "141"


async def test_a_script_without_a_person_has_no_such_key(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        assert "as scripted" not in stage.key_row
        await stage.press("P")
        assert stage.notice == "the script says nothing of what its person does"


async def test_a_run_with_a_result_edited_at_the_door_becomes_a_script_that_ends_the_same(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("h", "r", "e")
        stage.screen.bar.area.load_text("210")
        await stage.press("ctrl+s", "h", "r")
        answer, header, events = stage.run.state.answer, stage.run.header, list(stage.run.events)
    path = write_scenario(home, played(header, events).text, "played")
    verdict = await asyncio.wait_for(check_file(path, home), 60)
    assert (verdict.error, verdict.mismatches) == ("", ())
    async with staged(opened_scenario(home, path, keep=False), home) as stage:
        await stage.press("P", "r")
        assert stage.run.state.answer == answer
        assert stage.sees("✓ as expected")
