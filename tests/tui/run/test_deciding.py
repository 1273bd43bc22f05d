from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.tui.run.models import Paced
from tests.tui.run.stage import Stage, opened_scenario, staged, write_scenario
from workbench.core.events import Decided, Notice, ToolResult, ToolStarted
from workbench.core.loop import AskPerson
from workbench.home import Home
from workbench.tui.run.fields.calls import DenyReason, EditArguments


@asynccontextmanager
async def at_the_gate(home: Home, *, size: tuple[int, int] = (120, 40), keys: str = "r") -> AsyncIterator[Stage]:
    """The refund scenario where it asks for the first time; run there, or stepped."""
    async with staged(opened_scenario(home, "refund"), home, size=size) as stage:
        await stage.press(*keys.split())
        assert stage.bar_title.startswith("▲ The model wants to run create_refund")
        yield stage


def decisions(stage: Stage) -> list[Decided]:
    return [event for event in stage.run.events if isinstance(event, Decided)]


def started(stage: Stage) -> list[str]:
    return [event.call for event in stage.run.events if isinstance(event, ToolStarted)]


def results(stage: Stage) -> dict[str, ToolResult]:
    return {event.call: event for event in stage.run.events if isinstance(event, ToolResult)}


# ---------------------------------------------------------------- the question


async def test_the_bar_says_what_is_asked_why_and_what_comes_of_it(home: Home) -> None:
    async with at_the_gate(home) as stage:
        bar = "\n".join(stage.rows[stage.row_of("━━━") :])
        assert "▲ The model wants to run create_refund   call 3 · step 2 of 6" in bar
        assert '{"order": "a-1042", "amount": 6.25}' in bar
        assert 'The tool will refuse this: Unknown order "a-1042".' in bar
        assert "Writes to refunds.toml in this run's sandbox. A refund cannot be taken back." in bar
        assert "Asked because create_refund writes." in bar
        assert stage.sees("▲ waiting for you")


@pytest.mark.parametrize("key", ["enter", "space", "r"])
async def test_only_y_allows(home: Home, key: str) -> None:
    async with at_the_gate(home) as stage:
        await stage.press(key)
        assert decisions(stage) == []
        if key != "enter":
            assert stage.notice == "waiting for you: y, n, e, a"


async def test_y_allows_once_and_the_next_call_of_the_same_tool_asks_again(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("y")
        assert [(d.call, d.decision, d.by) for d in decisions(stage)] == [("c3", "allow", "person")]
        assert stage.bar_title.startswith("▲ The model wants to run create_refund   call 4")
        assert stage.sees("✓ allowed by you, once")


async def test_stepping_y_runs_the_call_and_makes_no_further_move(home: Home) -> None:
    async with at_the_gate(home, keys="space space space space") as stage:
        await stage.press("y")
        assert stage.kinds[-3:] == ["decided", "tool_started", "tool_result"]
        assert "space ask the model" in stage.key_row


async def test_stepping_a_denial_is_recorded_and_makes_no_further_move(home: Home) -> None:
    async with at_the_gate(home, keys="space space space space") as stage:
        await stage.press("escape")
        assert stage.kinds[-2:] == ["decided", "tool_result"]
        assert "space ask the model" in stage.key_row
        assert started(stage) == ["c1", "c2"]


async def test_n_denies_with_a_reason_that_the_model_reads(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("n")
        assert stage.opens(DenyReason)
        await stage.type("a yes? no: too much")
        await stage.press("enter")
        assert [(d.decision, d.reason) for d in decisions(stage)] == [("deny", "a yes? no: too much")]
        assert "a yes? no: too much" in results(stage)["c3"].content
        assert stage.focus_is(stage.transcript)


async def test_arrows_in_the_reason_do_nothing_and_esc_goes_back(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("n")
        await stage.type("why")
        await stage.press("down", "up", "escape")
        assert decisions(stage) == []
        assert stage.bar_title.startswith("▲ The model wants to run")
        assert stage.focus_is(stage.transcript)


async def test_esc_denies_without_a_reason_after_what_is_inside_it(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("left", "escape")
        assert decisions(stage) == []
        assert not stage.screen.desk.looking_back
        await stage.press("escape")
        assert [(d.decision, d.reason) for d in decisions(stage)] == [("deny", "")]


async def test_a_answers_in_place_of_the_tool(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("a")
        assert stage.sees("The tool does not run. The model reads your text as its result.")
        await stage.type("done\nby hand")
        await stage.press("ctrl+s")
        assert [d.decision for d in decisions(stage)] == ["answer"]
        assert results(stage)["c3"].content == "done\nby hand"
        assert results(stage)["c3"].outcome == "answered"
        assert started(stage) == ["c1", "c2"]


# ---------------------------------------------------------------- edit


async def edit(stage: Stage, text: str) -> None:
    """Put another text in the area that is open."""
    area = stage.screen.bar.area
    area.select_all()
    await stage.press("delete")
    area.insert(text)
    await stage.settle()


async def test_e_edits_the_arguments_and_the_model_is_told_what_ran(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("e")
        assert json.loads(stage.screen.bar.area.text) == {"order": "a-1042", "amount": 6.25}
        assert stage.sees("✓ valid")
        await edit(stage, '{"order": "A-1042", "amount": 6.25}')
        assert stage.sees('✓ valid   order was "a-1042"')
        await stage.press("ctrl+s")
        decided = decisions(stage)[0]
        assert (decided.decision, json.loads(decided.arguments)) == ("edit", {"order": "A-1042", "amount": 6.25})
        assert results(stage)["c3"].content == "Refunded 6.25 for order A-1042."
        told = [event.text for event in stage.run.events if isinstance(event, Notice)]
        assert any('it ran with {"amount":6.25,"order":"A-1042"}' in text for text in told)
        assert stage.sees("≠ you changed order to")


async def test_bad_json_is_said_while_typing_and_ctrl_s_moves_the_caret_there(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("e")
        await edit(stage, '{\n  "order": "A-1042",\n  "amount": \n}')
        assert stage.sees("✗ this is no JSON: line 4, column 1: a value is missing here")
        stage.screen.bar.area.move_cursor((0, 0))
        await stage.press("ctrl+s")
        assert decisions(stage) == []
        assert stage.text.count("a value is missing here") == 1
        assert stage.notice == "not sent: what is wrong with it stands below the text"
        assert stage.screen.bar.area.cursor_location == (3, 0)


async def test_arguments_that_the_tool_does_not_take_are_said_and_do_not_run(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("e")
        await edit(stage, '{"order": "A-1042", "amount": -1}')
        assert stage.sees("✗ ")
        assert stage.sees("amount")
        await stage.press("ctrl+s")
        assert decisions(stage) == []
        assert stage.opens(EditArguments)


async def test_esc_keeps_the_text_for_that_call_and_that_field_only(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("e")
        await edit(stage, '{"order": "A-1042"')
        await stage.press("escape")
        assert stage.bar_title.startswith("▲ The model wants to run")
        await stage.press("a")
        assert stage.screen.bar.area.text == ""
        await stage.press("escape", "e")
        assert json.loads(stage.screen.bar.area.text) == {"order": "a-1042", "amount": 6.25}
        await edit(stage, "{}")
        await stage.press("escape", "e")
        assert stage.screen.bar.area.text == "{}"
        await stage.press("escape", "y")
        assert stage.bar_title.startswith("▲ The model wants to run create_refund   call 4")
        await stage.press("e")
        assert json.loads(stage.screen.bar.area.text) == {"order": "A-1042", "amount": 62.5}


async def test_what_would_come_of_it_follows_the_edit(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("e")
        assert stage.sees('The tool will refuse this: Unknown order "a-1042".')
        await edit(stage, '{"order": "A-1042", "amount": 62.5}')
        assert stage.sees("The tool will refuse this: 62.50 is more than order A-1042 paid. At most 12.50")
        await edit(stage, '{"order": "A-1042", "amount": 6.25}')
        assert stage.sees("Refunds 6.25 to Ada Byron. Order A-1042 paid 12.50.")
        await edit(stage, '{"order": "A-1042", "amount": }')
        assert not stage.sees("Refunds 6.25 to")


async def test_ctrl_o_gives_the_text_as_it_was_and_undo_the_edit_again(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("e")
        area = stage.screen.bar.area
        original = area.text
        await stage.press("ctrl+o")
        assert stage.notice == "it is as it was"
        await edit(stage, '{"order": ')
        await stage.press("ctrl+o")
        assert area.text == original
        assert stage.sees("✓ valid")
        await stage.press("ctrl+z")
        assert area.text == '{"order": '


async def test_an_edit_that_was_not_sent_is_told_at_the_question_and_can_be_undone_later(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("e")
        original = stage.screen.bar.area.text
        await stage.press("escape")
        assert not stage.sees("not sent")
        await stage.press("e")
        await edit(stage, '{"order": ')
        await stage.press("escape")
        assert stage.sees('≠ your edit, not sent: {"order":')
        assert stage.sees("e goes on with it; y runs what the model wrote")
        await stage.press("e")
        assert stage.screen.bar.area.text == '{"order": '
        await stage.press("ctrl+z")
        assert stage.screen.bar.area.text == original
        await stage.press("escape")
        assert not stage.sees("not sent")


async def test_what_cannot_be_seen_is_edited_by_its_number(home: Home) -> None:
    text = r"""
goal = "Write"
protocol = "native"
tools = ["write_file"]

[[model.reply]]
[[model.reply.call]]
tool = "write_file"
arguments = '{"path": "a.txt", "text": "\u202e\u009b31m\u001b[2J\u200b"}'
"""
    async with staged(opened_scenario(home, write_scenario(home, text)), home) as stage:
        await stage.press("r", "e")
        assert stage.sees(r"\u202e\u009b31m\u001b[2J\u200b")
        assert stage.sees("✓ valid")


# ---------------------------------------------------------------- a batch


async def test_one_yes_is_for_one_call_and_the_rest_wait(home: Home) -> None:
    async with staged(opened_scenario(home, "batch-three-decisions"), home) as stage:
        await stage.press("r")
        assert stage.bar_title.startswith("▲ The model wants to run 3 tools: one decision each")
        assert "y allow this one" in stage.key_row
        await stage.press("y")
        assert [d.call for d in decisions(stage)] == ["c1"]
        assert started(stage) == []
        assert "▲ The model wants to run 2 tools" in stage.bar_title
        await stage.press("escape", "y")
        assert [(d.call, d.decision) for d in decisions(stage)] == [("c1", "allow"), ("c2", "deny"), ("c3", "allow")]
        assert started(stage) == ["c1", "c3"]


async def test_tab_and_arrows_choose_the_call_that_is_decided(home: Home) -> None:
    async with staged(opened_scenario(home, "batch-three-decisions"), home) as stage:
        await stage.press("r", "tab", "down", "down")
        assert "3 set_ticket_status" in stage.rows[stage.row_of("▸ 3")]
        await stage.press("y")
        assert [d.call for d in decisions(stage)] == ["c3"]
        await stage.press("up", "up")
        assert stage.sees("▸ 1 create_refund")
        await stage.press("down", "n")
        await stage.type("no mail")
        await stage.press("enter", "y")
        assert [(d.call, d.decision) for d in decisions(stage)] == [("c3", "allow"), ("c2", "deny"), ("c1", "allow")]


async def test_y_upper_case_allows_exactly_the_calls_that_wait(home: Home) -> None:
    async with staged(opened_scenario(home, "batch-three-decisions"), home) as stage:
        await stage.press("r", "Y")
        assert stage.sees("▸ 1  these 3 calls, once")
        assert "y grant what is marked" in stage.key_row
        await stage.press("enter", "space")
        assert decisions(stage) == []
        await stage.press("y")
        assert [(d.call, d.decision) for d in decisions(stage)] == [(f"c{n}", "allow") for n in (1, 2, 3)]
        assert stage.run.state.grants == ()


# ---------------------------------------------------------------- grants


async def test_a_grant_says_its_scope_holds_for_that_and_can_be_withdrawn(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("Y")
        assert stage.sees("▲ Allow more, in this run only")
        assert stage.sees(
            '▸ 1  exactly these arguments, from now on: create_refund where amount = 6.25, order = "a-1042"'
        )
        await stage.press("9", "2")
        assert stage.sees('▸ 2  this order, any amount: create_refund where order = "a-1042"')
        await stage.press("y")
        assert [rule.tool for rule in stage.run.state.grants] == ["create_refund"]
        assert decisions(stage)[0].by == "rule"
        # The next call is about another order: it asks again.
        assert stage.bar_title.startswith("▲ The model wants to run create_refund   call 4")
        await stage.press("g")
        assert stage.sees('1  create_refund where order = "a-1042"')
        await stage.press("7")
        assert stage.notice == "there is no such grant"
        await stage.press("1")
        assert stage.run.state.grants == ()
        assert stage.sees("nothing; Y at a question allows more")
        await stage.press("escape")
        assert stage.bar_title.startswith("▲ The model wants to run create_refund   call 4")


async def test_esc_in_the_scopes_grants_and_denies_nothing(home: Home) -> None:
    async with at_the_gate(home) as stage:
        await stage.press("Y", "escape")
        assert decisions(stage) == []
        assert stage.run.state.grants == ()
        assert stage.bar_title.startswith("▲ The model wants to run")


# ---------------------------------------------------------------- a question and other things


async def test_a_question_does_not_take_the_focus_of_a_field(home: Home) -> None:
    opened = opened_scenario(home, "send-email-denied")
    model = opened.run.model = Paced(opened.run.model)
    async with staged(opened, home) as stage:
        await stage.send("r")
        await stage.reach(lambda: stage.run.in_flight is not None)
        await stage.send("slash")
        model.go()
        await stage.reach(lambda: isinstance(stage.run.next, AskPerson))
        await stage.settle()
        assert stage.focus_is(stage.field)
        assert stage.sees("▲ waiting for you: esc, then y or n")
        await stage.type("yn")
        assert stage.field.value == "yn"
        assert decisions(stage) == []
        await stage.press("escape")
        assert stage.bar_title.startswith("▲ The model wants to run send_email")
        await stage.send("y")
        await stage.reach(lambda: bool(decisions(stage)))
        assert [d.decision for d in decisions(stage)] == ["allow"]
        model.go()


@pytest.mark.parametrize("opening", ["l", "g", "s", "slash"])
async def test_a_list_or_a_field_above_a_question_decides_nothing(home: Home, opening: str) -> None:
    async with at_the_gate(home) as stage:
        await stage.press(opening)
        if opening in ("l", "g"):
            await stage.press("space", "r", "y", "n", "e", "a", "Y")
            assert stage.notice == "a question waits: esc goes back to it"
        else:
            await stage.type(" rynea")
        assert stage.sees("▲ waiting for you: esc, then y or n")
        await stage.press("escape")
        assert stage.bar_title.startswith("▲ The model wants to run")
        assert decisions(stage) == []
        assert not stage.run.playing


async def test_quitting_with_a_question_open_leaves_it_waiting(home: Home) -> None:
    async with at_the_gate(home) as stage:
        path = stage.screen.opened.session_path
        assert path is not None
        before = path.read_bytes()
        await stage.press("q")
        await stage.settle(lambda: len(stage.app.screen_stack) == 1)
        assert path.read_bytes() == before
