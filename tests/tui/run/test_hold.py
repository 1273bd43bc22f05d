from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.tui.run.stage import Stage, opened_scenario, staged, write_scenario
from workbench.core.events import Held, ToolResult
from workbench.home import Home


@asynccontextmanager
async def holding(home: Home, *keys: str) -> AsyncIterator[Stage]:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("h", *keys)
        yield stage


async def test_h_holds_results_on_and_off(home: Home) -> None:
    async with holding(home) as stage:
        assert stage.notice == "results stop at the door before the model reads them"
        assert "h stop holding" in stage.key_row
        await stage.press("h")
        assert stage.notice == "nothing is held any more"
        assert not stage.run.state.hold


async def test_a_held_result_waits_and_space_passes_it_on_and_does_no_more(home: Home) -> None:
    async with holding(home, "space", "space") as stage:
        assert stage.bar_title.startswith("◆ Held at the door: the model has not read this result")
        assert stage.sees("2100000")
        assert stage.sees("◆ result held")
        assert stage.sees("the model has not read this yet")
        assert "space pass it on" in stage.key_row
        await stage.press("space")
        assert stage.kinds[-2:] == ["held", "tool_result"]
        assert "space ask the model" in stage.key_row
        assert stage.sees("was held at the door")
        assert not stage.sees("the model has not read this yet")


async def test_copying_an_entry_that_is_held_takes_the_result_and_not_what_is_said_of_it(home: Home) -> None:
    async with holding(home, "space", "space", "end", "C") as stage:
        assert stage.app.clipboard == "2100000"
        assert stage.notice == "7 characters sent to the terminal's clipboard; some terminals do not take them"


async def test_a_search_above_a_held_result_names_the_keys_of_the_door(home: Home) -> None:
    async with holding(home, "space", "space", "slash") as stage:
        assert stage.sees("◆ held at the door: esc, then space or e")
        assert not stage.sees("then y or n")


async def test_r_passes_it_on_and_runs_to_the_next(home: Home) -> None:
    async with holding(home, "r") as stage:
        assert stage.kinds.count("held") == 1
        await stage.press("r")
        assert stage.kinds.count("held") == 2
        assert stage.bar_title.startswith("◆ Held at the door")
        await stage.press("h", "r")
        assert stage.run.state.answer == "11800000"


async def test_sending_an_edited_result_passes_it_on_changed(home: Home) -> None:
    async with holding(home, "r", "e") as stage:
        area = stage.screen.bar.area
        assert area.text == "2100000"
        assert "ctrl+s pass this on" in stage.key_row
        area.load_text("210")
        await stage.settle()
        await stage.press("escape", "e")
        assert area.text == "210"
        await stage.press("ctrl+s")
        result = next(event for event in stage.run.events if isinstance(event, ToolResult))
        assert (result.content, result.original, result.changed_by) == ("210", "2100000", "you")
        assert stage.sees("≠ changed by you, was 2100000")


async def test_a_long_held_result_is_cut_with_how_much_is_left_and_v_shows_all(home: Home) -> None:
    long = "\n".join(f"line {n} [b]of[/b] it" for n in range(1, 101))
    text = f"""
goal = "Read"
protocol = "native"
tools = ["read_file"]

[[model.reply]]
[[model.reply.call]]
tool = "read_file"
arguments = {{ path = "long.txt" }}

[workspace]
files = {{ "long.txt" = '''
{long}
''' }}
"""
    async with staged(opened_scenario(home, write_scenario(home, text)), home, size=(80, 24)) as stage:
        await stage.press("h", "space", "space")
        assert stage.sees("v shows all")
        await stage.press("v", "end")
        assert stage.sees("line 100 [b]of[/b] it")
        await stage.press("escape")
        assert isinstance(stage.run.events[-1], Held)
