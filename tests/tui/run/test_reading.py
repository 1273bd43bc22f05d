from __future__ import annotations

import pytest

from tests.tui.run.stage import Stage, opened_scenario, staged, write_scenario
from workbench.core.state import State
from workbench.home import Home
from workbench.tui.run.frame import SideColumn
from workbench.tui.run.loop_view import LoopView
from workbench.tui.viewer import RequestViewer, Viewer

LONG = """
goal = "Read it"
protocol = "native"
tools = ["read_file"]

[[model.reply]]
[[model.reply.call]]
tool = "read_file"
arguments = {{ path = "long.txt" }}

[[model.reply]]
text = "Read."

[workspace]
files = {{ "long.txt" = '''
{lines}
''' }}
""".format(lines="\n".join(f"row {n} of a hundred" for n in range(1, 101)))


def copied(stage: Stage) -> str:
    return stage.app.clipboard


# ---------------------------------------------------------------- entries


async def test_arrows_pick_entries_and_the_calls_follow(home: Home) -> None:
    async with staged(opened_scenario(home, "refund"), home) as stage:
        await stage.press(*["space"] * 3)
        assert stage.transcript.cursor == 3
        assert stage.sees("▸ 2 read_file")
        await stage.press("up")
        assert stage.sees("▸ 1 search_orders")
        await stage.press("k", "k", "home")
        assert stage.transcript.cursor == 0
        await stage.press("j", "end")
        assert stage.transcript.cursor == 3
        assert stage.transcript.follows


async def test_picking_a_call_picks_its_entry(home: Home) -> None:
    async with staged(opened_scenario(home, "refund"), home) as stage:
        await stage.press(*["space"] * 3)
        row = stage.row_of("1 search_orders")
        await stage.pilot.click(offset=(stage.rows[row].index("1 search_orders"), row))
        await stage.settle()
        assert stage.transcript.cursor == 2
        assert stage.sees("▸ 1 search_orders")
        assert stage.focus_is(stage.screen.query_one(SideColumn).calls)
        await stage.press("down")
        assert stage.transcript.cursor == 3
        await stage.press("down", "up", "up", "up")
        assert stage.transcript.cursor == 2
        await stage.press("escape")
        assert stage.focus_is(stage.transcript)


async def test_enter_unfolds_and_folds(home: Home) -> None:
    async with staged(opened_scenario(home, write_scenario(home, LONG)), home) as stage:
        await stage.press("space", "space")
        assert stage.sees("more lines")
        await stage.press("enter")
        assert stage.transcript.flow.height(2) == 101
        assert stage.sees("more · end follows")
        await stage.press("enter")
        assert stage.transcript.flow.height(2) == 9


async def test_v_shows_the_whole_entry_and_focus_returns(home: Home) -> None:
    async with staged(opened_scenario(home, write_scenario(home, LONG)), home) as stage:
        await stage.press("space", "space", "v")
        assert isinstance(stage.app.screen, Viewer)
        await stage.press("end")
        assert stage.sees("row 100 of a hundred")
        await stage.press("C")
        assert "row 1 of a hundred\nrow 2" in copied(stage)
        await stage.press("escape")
        assert stage.focus_is(stage.transcript)
        await stage.press("C")
        assert copied(stage).startswith("row 1 of a hundred\n")
        assert "characters sent to the terminal's clipboard" in stage.notice


async def test_while_the_reader_is_up_the_view_stays_and_says_what_is_below(home: Home) -> None:
    async with staged(opened_scenario(home, "refund"), home, size=(80, 24)) as stage:
        await stage.press("r", "home")
        top = stage.rows[2]
        assert any(row.strip().startswith("▼") and "end follows" in row for row in stage.rows)
        await stage.press("y")
        assert stage.rows[2] == top
        await stage.press("end")
        assert stage.transcript.follows


# ---------------------------------------------------------------- what was changed


async def test_o_shows_the_original_of_what_was_changed(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("h", "r", "o")
        assert stage.notice == "this entry was not changed"
        await stage.press("e")
        stage.screen.bar.area.load_text("42")
        await stage.settle()
        await stage.press("ctrl+s", "left", "end")
        entry = next(i for i in range(len(stage.screen.desk.timeline)) if stage.screen.desk.original(i) is not None)
        while stage.transcript.cursor > entry:
            await stage.press("up")
        assert stage.sees("≠ changed by you, was 2100000")
        await stage.press("o")
        row = stage.row_of("≠ changed by you   o changed")
        assert "▎ 2100000" in stage.rows[row + 1]
        await stage.press("o")
        assert stage.sees("≠ changed by you, was 2100000")


# ---------------------------------------------------------------- search


async def test_search_goes_from_place_to_place_and_esc_stays(home: Home) -> None:
    async with staged(opened_scenario(home, write_scenario(home, LONG)), home) as stage:
        await stage.press("space", "space", "slash")
        await stage.type("row 7")
        place = stage.transcript.finder
        assert place is not None
        assert place.found is not None
        first = place.found
        await stage.press("enter")
        assert place.found > first
        await stage.press("down", "up", "up")
        assert place.found == first
        await stage.press("up")
        assert stage.sees("round the end, from the start")
        await stage.type("q nothing [b]")
        assert stage.sees("nothing found")
        await stage.press("escape")
        assert stage.focus_is(stage.transcript)
        assert stage.transcript.finder is None
        assert stage.transcript.cursor == 2


async def test_letters_type_in_every_field(home: Home) -> None:
    letters = "rxcqhlyn eav oCw123?:,/"
    async with staged(opened_scenario(home, "send-email-denied"), home) as stage:
        await stage.press("r")
        for opening in ("slash", "s", "n"):
            await stage.press(opening)
            stage.field.value = ""
            await stage.type(letters)
            assert stage.field.value == letters, opening
            await stage.press("escape")
        for opening in ("e", "a"):
            await stage.press(opening)
            stage.screen.bar.area.clear()
            await stage.type(letters)
            assert stage.screen.bar.area.text == letters, opening
            await stage.press("escape")
        assert stage.kinds[-1] == "model_reply"
        assert stage.app.screen is stage.screen


# ---------------------------------------------------------------- panes


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_1_2_3_show_transcript_calls_and_budget(home: Home, size: tuple[int, int]) -> None:
    async with staged(opened_scenario(home, "refund"), home, size=size) as stage:
        await stage.press(*["space"] * 3)
        assert stage.sees("▎")
        await stage.press("2")
        assert not stage.sees("▎")
        assert stage.sees("▸ 2 read_file")
        await stage.press("up")
        assert stage.sees("▸ 1 search_orders")
        await stage.press("3")
        assert stage.sees("context")
        assert stage.sees("health") or stage.sees("… 2 more, l shows all limits")
        await stage.press("1")
        assert stage.transcript.cursor == 2
        assert stage.focus_is(stage.transcript)
        await stage.press("2", "escape")
        assert stage.focus_is(stage.transcript)
        assert stage.sees("▎")


async def test_on_a_wide_screen_2_goes_to_the_calls(home: Home) -> None:
    async with staged(opened_scenario(home, "refund"), home) as stage:
        await stage.press(*["space"] * 3, "2")
        assert stage.focus_is(stage.screen.query_one(SideColumn).calls)
        assert stage.sees("RESULT")
        await stage.press("1")
        assert stage.focus_is(stage.transcript)


async def test_tab_goes_round_the_panes(home: Home) -> None:
    async with staged(opened_scenario(home, "refund"), home) as stage:
        calls, bar = stage.screen.query_one(SideColumn).calls, stage.screen.bar
        await stage.press("r", "tab")
        assert stage.focus_is(bar.scroll)
        await stage.press("tab")
        assert stage.focus_is(calls)
        await stage.press("tab")
        assert stage.focus_is(stage.transcript)
        await stage.press("shift+tab")
        assert stage.focus_is(calls)
        await stage.press("l", "tab", "shift+tab")
        assert stage.focus_is(bar.limits)
        await stage.press("escape", "y")
        assert stage.run.events[-1].kind != "decided"
        assert stage.focus_is(stage.transcript)


# ---------------------------------------------------------------- what the model sees


def carried(state: State, request: int) -> list[str]:
    """The text of every message that request carried, line by line."""
    sent = state.requests[request].sent if request < len(state.requests) else state.sent
    return [line for message in sent for line in message.text.split("\n")]


async def test_w_shows_every_request_to_the_letter(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home, size=(160, 60)) as stage:
        await stage.press("r")
        state = stage.run.state
        await stage.press("home", "w")
        screen = stage.app.screen
        assert isinstance(screen, RequestViewer)
        assert stage.sees("Request 1 of 3")
        for request in range(4):
            title = f"Request {request + 1} of 3" if request < 3 else "The next request"
            assert stage.sees(title)
            shown = screen._lines.whole()
            assert shown.endswith("\n".join(carried(state, request)))
            assert state.system.split("\n")[0] in shown
            await stage.press("right")
        await stage.press("left")
        assert stage.sees("Request 3 of 3")
        await stage.press("w")
        assert stage.focus_is(stage.transcript)


async def test_w_in_the_past_knows_no_later_request(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("r", "shift+left", "shift+left", "w")
        assert stage.sees("The next request")
        await stage.press("left")
        assert stage.sees("Request 2 of 2")


@pytest.mark.parametrize("size", [(200, 60), (120, 40), (80, 24), (60, 16), (40, 12)])
async def test_t_lays_the_loop_open(home: Home, size: tuple[int, int]) -> None:
    async with staged(opened_scenario(home, "two-cities"), home, size=size) as stage:
        await stage.press("r", "t")
        assert isinstance(stage.app.screen, LoopView)
        assert stage.sees("▸   if reply is an answer: return it")
        assert stage.sees("The reply is an answer, so the loop")
        assert stage.sees("frame 6 of 6")
        await stage.press("left")
        assert stage.sees("frame 5 of 6")
        assert stage.sees("▸   history += result")
        await stage.press("escape")
        assert stage.focus_is(stage.transcript)
