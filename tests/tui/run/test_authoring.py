from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.run.stage import Stage, a_home, at_home, opened_scenario, opened_session, staged
from workbench.check import check_file
from workbench.core.events import ModelReply
from workbench.home import Home
from workbench.tui.editor.screen import EditorScreen
from workbench.tui.run.fields.replies import WriteReply
from workbench.tui.viewer import RequestViewer

HUMAN = """\
title = "You"
goal = "1 + 2?"
protocol = "{protocol}"
tools = ["add"]

[limits]
steps = 6

[model]
use = "human"
"""


def script(folder: Path, protocol: str = "text", more: str = "") -> Path:
    path = folder / "you.toml"
    path.write_text(HUMAN.format(protocol=protocol) + more, encoding="utf-8")
    return path


def replies(stage: Stage) -> list[ModelReply]:
    return [event for event in stage.run.events if isinstance(event, ModelReply)]


async def until_writing(stage: Stage) -> None:
    await stage.settle(lambda: stage.opens(WriteReply))


# ---------------------------------------------------------------- being the model


async def test_the_run_waits_for_each_reply_and_goes_on_with_it(home: Home, tmp_path: Path) -> None:
    async with staged(opened_scenario(home, script(tmp_path)), home) as stage:
        await until_writing(stage)
        assert stage.sees("▲ You are the model")
        assert stage.sees("▲ you are the model")
        assert stage.sees("you reply, to all of the above")
        assert stage.key_row.split("   ")[0].strip() == "ctrl+s send the reply"
        await stage.type('ACTION: add {"a": 1, "b": 2}')
        assert stage.sees("✓ a call of add")
        await stage.press("ctrl+s")
        assert replies(stage)[0].text == 'ACTION: add {"a": 1, "b": 2}'
        assert stage.sees("NEXT")
        await stage.press("space")
        await until_writing(stage)
        assert stage.screen.bar.area.text == ""
        await stage.type("ANSWER: 3")
        await stage.press("ctrl+s")
        assert stage.run.state.answer == "3"
        assert [reply.model for reply in replies(stage)] == ["human", "human"]


async def test_r_runs_on_between_the_replies(home: Home, tmp_path: Path) -> None:
    async with staged(opened_scenario(home, script(tmp_path)), home) as stage:
        await until_writing(stage)
        await stage.press("escape", "r")
        await stage.type('ACTION: add {"a": 1, "b": 2}')
        await stage.press("ctrl+s")
        await until_writing(stage)
        assert stage.kinds[-1] == "tool_result"


async def test_esc_leaves_the_field_with_what_is_in_it_and_space_goes_back(home: Home, tmp_path: Path) -> None:
    async with staged(opened_scenario(home, script(tmp_path)), home) as stage:
        await until_writing(stage)
        await stage.type("ANSWER: 3")
        await stage.press("escape")
        assert stage.sees("written, not sent: ANSWER: 3")
        assert stage.key_row.startswith(" space write the reply   r write and run on   w what it sees")
        await stage.press("left", "right")
        assert stage.screen.bar.question is not None
        await stage.press("space", "ctrl+s")
        assert stage.run.state.answer == "3"


async def test_what_the_model_reads_is_one_key_away_also_while_typing(home: Home, tmp_path: Path) -> None:
    async with staged(opened_scenario(home, script(tmp_path)), home) as stage:
        await until_writing(stage)
        await stage.type("ANS")
        await stage.press("f3")
        assert isinstance(stage.app.screen, RequestViewer)
        assert stage.sees("1 + 2?")
        await stage.press("escape")
        assert stage.screen.bar.area.has_focus
        assert stage.screen.bar.area.text == "ANS"


async def test_f2_puts_in_replies_that_go_right_and_wrong(home: Home, tmp_path: Path) -> None:
    async with staged(opened_scenario(home, script(tmp_path)), home) as stage:
        await until_writing(stage)
        await stage.press("f2")
        assert stage.sees("a tool that is not there")
        await stage.press("4")
        assert stage.sees("✗ get_weather: no tool named 'get_weather'")
        await stage.press("ctrl+s")
        await until_writing(stage)
        assert stage.sees("no tool named 'get_weather'. Available: ['add']")
        await stage.press("f2", "3", "ctrl+s")
        await until_writing(stage)
        assert replies(stage)[-1].calls[0].problem_kind == "malformed"


async def test_a_native_reply_has_its_calls_as_objects_and_a_slip_is_not_sent(home: Home, tmp_path: Path) -> None:
    async with staged(opened_scenario(home, script(tmp_path, "native")), home) as stage:
        await until_writing(stage)
        await stage.press("f2", "1")
        text = stage.screen.bar.area.text
        stage.screen.bar.area.load_text(text.replace('"calls": [', '"calls": '))
        await stage.press("ctrl+s")
        assert replies(stage) == []
        assert stage.notice == "line 4, column 3: a comma is missing before this, or a closing bracket"
        assert stage.screen.bar.area.cursor_location == (3, 2)
        stage.screen.bar.area.load_text(text)
        await stage.press("ctrl+s")
        assert [(call.tool, call.canonical) for call in replies(stage)[0].calls] == [("add", '{"a":1,"b":1}')]


async def test_an_empty_reply_is_not_sent(home: Home, tmp_path: Path) -> None:
    async with staged(opened_scenario(home, script(tmp_path)), home) as stage:
        await until_writing(stage)
        await stage.press("space", "ctrl+s")
        assert stage.notice == "the reply is empty"
        assert replies(stage) == []


async def test_prepared_replies_are_served_where_the_person_of_the_script_acts(home: Home, tmp_path: Path) -> None:
    prepared = "\n[[person]]\non = 'reply'\ndo = 'answer'\ntext = 'ACTION: add {\"a\": 1, \"b\": 2}'\n"
    async with staged(opened_scenario(home, script(tmp_path, more=prepared)), home) as stage:
        await until_writing(stage)
        assert replies(stage) == []
        await stage.press("escape", "P", "r")
        await stage.reach(lambda: len(replies(stage)) == 1)


async def test_a_session_that_waits_for_a_reply_says_so_on_home_and_goes_on(home: Home, tmp_path: Path) -> None:
    opened = opened_scenario(home, script(tmp_path))
    async with staged(opened, home) as stage:
        await until_writing(stage)
        await stage.type('ACTION: add {"a": 1, "b": 2}')
        await stage.press("ctrl+s", "space", "escape", "q")
        await stage.settle(lambda: stage.sees("▲ waiting"))
        path = opened.session_path
    assert path is not None
    async with staged(opened_session(home, path), home) as stage:
        await until_writing(stage)


@pytest.mark.parametrize("size", [(80, 24), (60, 16), (40, 12)])
async def test_on_a_small_screen_there_is_room_for_the_reply(size: tuple[int, int], home: Home, tmp_path: Path) -> None:
    async with staged(opened_scenario(home, script(tmp_path)), home, size=size) as stage:
        await until_writing(stage)
        await stage.type("ANSWER: 3")
        assert stage.sees("ANSWER: 3")
        assert stage.sees("✓ an answer")
        assert stage.sees("send the reply")


# ---------------------------------------------------------------- the next reply of a script


async def test_the_next_reply_of_a_script_is_changed_for_this_run(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("T")
        assert stage.sees("What the script says next")
        assert 'lookup_population {"city": "Paris"}' in stage.screen.bar.area.text
        stage.screen.bar.area.load_text('ACTION: get_weather {"city": "Paris"}')
        await stage.press("ctrl+s")
        assert stage.sees("you put another reply in place")
        assert stage.sees("ask the model: it says what you put in place")
        await stage.press("space")
        first = replies(stage)[0]
        assert first.text == 'ACTION: get_weather {"city": "Paris"}'
        assert "lookup_population" in first.original
        assert first.changed_by == "you"
        assert stage.sees("≠ changed by you")
        await stage.press("up", "o")
        assert stage.sees("THOUGHT: I need Paris first.")
        await stage.press("r")
        assert replies(stage)[1].changed_by == ""


async def test_what_was_put_in_place_can_be_changed_again_and_taken_back(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("T")
        script_says = stage.screen.bar.area.text
        stage.screen.bar.area.load_text("ANSWER: 1")
        await stage.press("ctrl+s", "T")
        assert stage.screen.bar.area.text == "ANSWER: 1"
        stage.screen.bar.area.load_text(script_says)
        await stage.press("ctrl+s")
        assert stage.sees("the reply that is due is the script's again")
        assert stage.run.state.next_reply is None


async def test_esc_changes_nothing(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("T", "x", "escape")
        assert stage.kinds == ["user_message"]
        assert stage.is_shut


async def test_only_a_reply_that_is_due_can_be_changed(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home, size=(160, 50)) as stage:
        assert "T change the next reply" in stage.key_row
        await stage.press("space", "T")
        assert stage.notice == "the next move asks for no reply of a script"
        assert "change the next reply" not in stage.key_row
        await stage.press("left", "T")
        assert stage.notice == "this is the past: end goes back to now"


async def test_a_request_that_is_to_fail_has_no_text(home: Home) -> None:
    async with staged(opened_scenario(home, "status-unavailable"), home) as stage:
        await stage.press("T")
        assert stage.notice == "the next move asks for no reply of a script"


# ---------------------------------------------------------------- scripts of runs


async def test_what_was_played_becomes_a_script_that_holds(home: Home, tmp_path: Path) -> None:
    async with staged(opened_scenario(home, script(tmp_path)), home) as stage:
        await until_writing(stage)
        await stage.press("f2", "4", "ctrl+s")
        await until_writing(stage)
        await stage.type("ANSWER: 3")
        await stage.press("ctrl+s")
        await stage.press("S")
        await stage.settle(lambda: isinstance(stage.app.screen, EditorScreen) and stage.sees("≈ 1 remark"))
        assert stage.sees("not saved yet: goes to scripts/you-as-played.toml")
        await stage.press("ctrl+s", "escape", "q", "S")
        await stage.settle(lambda: isinstance(stage.app.screen, EditorScreen) and stage.sees("≈ 1 remark"))
        assert stage.sees("not saved yet: goes to scripts/you-as-played-2.toml")
        assert stage.sees('title = "You, as played 2"')
    verdict = await check_file(home.root / "scripts" / "you-as-played.toml", home)
    assert (verdict.status, verdict.passed) == ("answered", True)


async def test_the_scenario_of_a_run_is_edited_where_it_is(home: Home, tmp_path: Path) -> None:
    path = script(tmp_path, "native")
    async with staged(opened_scenario(home, path), home) as stage:
        await until_writing(stage)
        await stage.press("escape", "E")
        await stage.settle(lambda: isinstance(stage.app.screen, EditorScreen) and stage.sees("reads well"))
        assert stage.sees("you.toml")
        await stage.press("escape", "q")
        assert stage.app.screen is stage.screen


async def test_a_scenario_whose_file_is_gone_is_edited_as_it_was(home: Home, tmp_path: Path) -> None:
    path = script(tmp_path)
    opened = opened_scenario(home, path)
    path.unlink()
    async with staged(opened, home) as stage:
        await until_writing(stage)
        await stage.press("escape", "E")
        await stage.settle(lambda: isinstance(stage.app.screen, EditorScreen) and stage.sees("reads well"))
        assert stage.sees("not saved yet: goes to scripts/you.toml")
        assert stage.sees('use = "human"')


async def test_no_script_is_made_while_the_run_is_going(tmp_path: Path) -> None:
    home = a_home(tmp_path)
    path = tmp_path / "slow.toml"
    path.write_text('goal = "g"\n[[model.reply]]\ntext = "ANSWER: 1"\ndelay = 60\n', encoding="utf-8")
    async with at_home(home) as stage:
        stage.app.opener.scenario(path, play=True)
        await stage.reach(lambda: any(True for _ in stage.app.runs()) and stage.screen.going)
        await stage.send("S")
        assert stage.notice == "the run is going: r pauses it"
        await stage.send("x")
        await stage.settle(lambda: not stage.screen.going)
        await stage.screen.close_run()
