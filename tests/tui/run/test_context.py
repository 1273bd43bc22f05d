from __future__ import annotations

import pytest

from tests.tui.run.stage import Stage, opened_scenario, staged
from workbench.core.events import ContextChanged, SettingsChanged
from workbench.home import Home


def shown_row(stage: Stage, text: str) -> str:
    return stage.rows[stage.row_of(text)]


async def test_a_change_stands_in_the_transcript_with_what_it_made_of_how_much(home: Home) -> None:
    async with staged(opened_scenario(home, "notes-window"), home, size=(120, 60)) as stage:
        await stage.press("r")
        (first, *_) = [event for event in stage.run.events if isinstance(event, ContextChanged)]
        assert f"2 messages left out · ~{first.before} → ~{first.after} tokens" in shown_row(
            stage, "CONTEXT 2 messages"
        )
        assert stage.sees("2 earlier messages are left out here.")


async def test_w_shows_exactly_what_is_sent_with_the_gap_marked(home: Home) -> None:
    async with staged(opened_scenario(home, "notes-window"), home, size=(120, 60)) as stage:
        await stage.press("r", "w")
        assert stage.sees("Request 6 of 6   6 messages")
        assert stage.sees("┄ in place of 6 messages")
        assert stage.sees("Thursday. Stock was counted")
        assert not stage.sees("4417")
        await stage.press("left", "left", "left")
        assert stage.sees("Request 3 of 6")
        assert stage.sees("4417")


async def test_a_summary_is_a_move_of_its_own_and_its_request_can_be_looked_at(home: Home) -> None:
    async with staged(opened_scenario(home, "notes-summary-with"), home, size=(120, 60)) as stage:
        await stage.press(*["space"] * 8)
        assert "ask the model to sum up the older part" in shown_row(stage, "NEXT")
        assert "space ask for a summary" in stage.key_row
        await stage.press("w")
        assert stage.sees("The next request, for a summary   6 messages")
        await stage.press("escape", "space")
        assert stage.kinds[-1] == "context_changed"
        assert stage.sees("4 messages summed up")
        assert stage.sees("Back door: 4417 (note-1.txt).")
        assert "ask the model, with what is left of the above" in shown_row(stage, "NEXT")
        await stage.press("w", "left")
        assert stage.sees("Request 5 of 5, for a summary")


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_the_policy_can_be_chosen_in_the_list_of_limits(home: Home, size: tuple[int, int]) -> None:
    async with staged(opened_scenario(home, "notes-whole"), home, size=size) as stage:
        await stage.press(*["space"] * 6, "l", *["up"] * 5)
        assert shown_row(stage, "▸ context policy").split()[-1] == "none"
        await stage.press("enter")
        assert shown_row(stage, "▸ context policy").split()[-1] == "window"
        await stage.press("down", "minus", "minus", "down", "9", "0", "0", "0", "enter")
        assert "above 9,000" in shown_row(stage, "▸ tokens from which on")
        changes = [dict(event.changes) for event in stage.run.events if isinstance(event, SettingsChanged)]
        assert changes == [{"context.policy": "window"}, {"context.keep": 3}, {"context.keep": 2}, {"context.at": 9000}]
        await stage.press("enter", "escape", "space", "space", "space")
        assert stage.kinds[-1] == "model_reply"
        assert "context_changed" in stage.kinds


async def test_the_meter_shows_what_the_next_request_carries(home: Home) -> None:
    async with staged(opened_scenario(home, "notes-window"), home, size=(120, 60)) as stage:
        await stage.press(*["space"] * 9)
        assert f"~{stage.run.state.context_tokens} tokens" in shown_row(stage, "context ")
        assert stage.run.state.context_tokens < sum(message.tokens for message in stage.run.state.messages)
