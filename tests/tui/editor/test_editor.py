from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.tui.editor.desk import GOOD, at_desk, editing, home_with, own_script
from workbench.check import check_file
from workbench.core.loop import AskModel
from workbench.home import Home
from workbench.scenarios.files import read_script
from workbench.tui.editor.screen import EditorScreen
from workbench.tui.home.screen import HomeScreen
from workbench.tui.run.screen import RunScreen


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr("workbench.home.user_folder", lambda: tmp_path / "user")
    return home_with(tmp_path, "refund")


# ---------------------------------------------------------------- wrong turns

WRONG_TURNS = [
    ("goal =", "gaol =", 2, "gaol = ", 'unknown key "gaol"; did you mean "goal"?'),
    ("steps = 6", "stepz = 6", 6, "limits", 'unknown key "stepz"; did you mean "steps"?'),
    ('["add"]', '["ad"]', 3, "tools[0]", 'no tool "ad"; did you mean "add"?'),
    ("steps = 6", 'steps = 6\ntools = ["add"]', 7, "limits", "it belongs at the top of the file, above the first"),
    ('text = "ANSWER', 'when = "("\ntext = "ANSWER', 12, "model.reply[1].when", "is no regular expression"),
    ('"Combined population?"', '"Combined', 2, "goal", "a quote is not closed"),
    ("'ACTION: add", "'''ACTION: add", 9, "model.reply[0].text", "ends inside this value"),
    ("${last}", "${latest}", 12, "model.reply[1].text", "did you mean ${last}?"),
    ("steps = 6", "steps = six", 6, "limits.steps", "text is written in quotes"),
    ("[limits]", "[[limits]]", 5, "limits", "with one bracket on each side"),
    (
        "[limits]",
        '[model]\nuse = "humen"\n\n[limits]',
        6,
        "model.use",
        'there is no model "humen"; did you mean "human"?',
    ),
]


@pytest.mark.parametrize(("was", "becomes", "line", "key", "sentence"), WRONG_TURNS, ids=[t[1] for t in WRONG_TURNS])
async def test_a_wrong_turn_is_marked_at_its_line_and_names_the_right_key(
    was: str, becomes: str, line: int, key: str, sentence: str, home: Home
) -> None:
    async with editing(home, own_script(home)) as desk:
        assert desk.problems == ["✓ nothing is wrong with it"]
        assert desk.sees("✓ reads well")
        await desk.replace(was, becomes)
        said = " ".join(desk.problems)
        assert sentence in said
        assert f" {line}  " in f" {said} "
        assert key.partition(" =")[0] in said
        assert [row.split("✗")[0].strip() for row in desk.marked] == [str(line)]


async def test_it_is_said_while_it_is_typed_and_gone_when_it_is_right(home: Home) -> None:
    async with editing(home, own_script(home)) as desk:
        await desk.press("down", "x")
        await desk.read()
        assert desk.problems == ['▸ 2  unknown key "xgoal"; did you mean "goal"?']
        assert desk.marked == ['2✗ xgoal = "Combined population?"']
        await desk.press("backspace")
        await desk.read()
        assert desk.problems == ["✓ nothing is wrong with it"]
        assert desk.marked == []


async def test_enter_in_the_list_of_problems_goes_to_the_line(home: Home) -> None:
    wrong = GOOD.replace("steps", "stepz").replace("text = 'ACTION", "txt = 'ACTION")
    async with editing(home, own_script(home, wrong)) as desk:
        assert desk.sees("✗ 2 problems")
        await desk.press("escape", "down", "enter")
        assert desk.caret == (9, 0)
        assert desk.editor.area.has_focus
        await desk.pilot.click("#problems", offset=(6, 1))
        assert desk.caret == (6, 0)


async def test_a_call_that_cannot_run_is_a_remark_at_its_line_and_stops_nobody(home: Home) -> None:
    slip = GOOD.replace('{"a": 1, "b": 2}', '{"a": 1, "bb": 2}')
    async with editing(home, own_script(home, slip)) as desk:
        assert desk.problems[0].startswith(
            "▸ ≈ 9  model.reply[0].text  nothing runs, and the model reads that: Invalid"
        )
        assert desk.sees("≈ 1 remark")
        assert [row.split()[0] for row in desk.remarked] == ["9≈"]
        assert desk.marked == []
        await desk.press("escape", "enter")
        assert desk.caret == (9, 0)
        await desk.replace("goal =", "gaol =")
        assert [row.split("  ")[0] for row in desk.problems] == ["▸ 2"]
        assert desk.sees("✗ 1 problem")
        await desk.replace("gaol =", "goal =")
        await desk.press("f5")
        await desk.settle(lambda: isinstance(desk.app.screen, RunScreen) and desk.run.state.started)


async def test_the_whole_sentence_of_the_picked_problem_can_be_read_on_a_narrow_screen(home: Home) -> None:
    text = GOOD.replace("goal =", "nothing_like_it = 1\ngoal =")
    async with editing(home, own_script(home, text), size=(60, 24)) as desk:
        said = " ".join(desk.problems)
        assert "unknown key" in said
        assert len(desk.problems) == 3


# ---------------------------------------------------------------- the look of it


async def test_beside_the_text_stands_what_it_would_run_as(home: Home) -> None:
    async with editing(home, own_script(home)) as desk:
        assert desk.sees("As it would run")
        assert desk.sees("✓ add                  reads")
        assert desk.sees("▸  1 ACTION: add")
        await desk.press(*["down"] * 11)
        assert desk.sees("▸  2 ANSWER: ${last}")
        await desk.replace("goal =", "gaol =")
        assert desk.sees("As it was, before it was wrong")
        assert desk.sees("Combined population?")


@pytest.mark.parametrize("size", [(80, 24), (60, 16), (40, 12)])
async def test_a_small_screen_keeps_the_text_the_problems_and_the_keys(size: tuple[int, int], home: Home) -> None:
    async with editing(home, own_script(home, GOOD.replace("steps", "stepz")), size=size) as desk:
        assert not desk.sees("As it would run")
        assert desk.sees('title = "Two cities"')
        assert desk.sees("stepz")
        assert desk.sees("ctrl+s save")
        assert all(len(row) <= size[0] for row in desk.rows)


@pytest.mark.parametrize("theme", ["ink", "paper", "contrast", "nord"])
async def test_keys_texts_numbers_and_comments_have_the_colours_of_the_theme(theme: str, home: Home) -> None:
    async with editing(home, own_script(home, f"# why\n{GOOD}")) as desk:
        desk.app.theme = theme
        await desk.read()
        area = desk.editor.area
        colours = desk.app.theme_variables

        def colour(line: int, column: int) -> str:
            style = area.get_line(line - 1).get_style_at_offset(desk.app.console, column)
            assert style.color is not None
            return style.color.get_truecolor().hex

        assert colour(1, 2) == colours["wb-quiet"].lower()
        assert colour(2, 12) == colours["wb-result"].lower()
        assert colour(7, 8) == colours["wb-changed"].lower()
        assert colour(13, 18) == colours["wb-changed"].lower()


async def test_what_would_steer_the_terminal_is_shown_as_a_sign(home: Home) -> None:
    async with editing(home, own_script(home, f"# \x1b[31mred\x07 \u202ex\n{GOOD}")) as desk:
        assert desk.sees("# ␛[31mred␇ �x")
        assert desk.problems[0].startswith("▸ 1")


async def test_a_long_script_is_shown_without_colours(home: Home) -> None:
    replies = "".join(f'\n[[model.reply]]\ntext = "ANSWER: {number}"\n' for number in range(2000))
    async with editing(home, own_script(home, GOOD + replies)) as desk:
        await desk.press("ctrl+end", "end")
        assert desk.sees("✓ reads well")
        assert desk.sees("Replies ")


# ---------------------------------------------------------------- saving


async def test_ctrl_s_saves_what_is_there_also_when_it_is_wrong(home: Home) -> None:
    path = own_script(home)
    async with editing(home, path) as desk:
        await desk.press("x")
        await desk.read()
        assert desk.sees("changed, not saved")
        await desk.press("ctrl+s")
        assert path.read_text("utf-8") == f"x{GOOD}"
        assert desk.sees(", with 1 problem")
        assert desk.sees("saved as scripts/mine.toml")


async def test_an_example_stays_as_it_is_and_a_copy_is_saved(home: Home) -> None:
    example = home.packaged / "scripts" / "refund.toml"
    own_script(home, name="refund")
    before = example.read_bytes()
    async with editing(home, example) as desk:
        copy = home.root / "scripts" / "refund-2.toml"
        assert desk.sees("an example: saved as scripts/refund-2.toml")
        await desk.press("#", "ctrl+s")
        assert desk.sees("   saved as scripts/refund-2.toml")
        assert example.read_bytes() == before
        assert copy.read_bytes() == b"#" + before


async def test_in_a_checkout_an_example_is_copied_to_ones_own_folder(home: Home, tmp_path: Path) -> None:
    checkout = Home(root=home.packaged, found="current folder", packaged=home.packaged)
    example = home.packaged / "scripts" / "refund.toml"
    before = example.read_bytes()
    async with editing(checkout, example) as desk:
        await desk.press("#", "ctrl+s")
        assert example.read_bytes() == before
        assert (tmp_path / "user" / "scripts" / "refund.toml").read_bytes() == b"#" + before


async def test_line_ends_stay_as_they_were(home: Home) -> None:
    path = own_script(home, GOOD.replace("\n", "\r\n"))
    async with editing(home, path) as desk:
        await desk.press("#", "ctrl+s")
        assert path.read_bytes() == b"#" + GOOD.replace("\n", "\r\n").encode()


async def test_who_else_has_written_the_file_is_not_overwritten_unasked(home: Home) -> None:
    path = own_script(home)
    async with editing(home, path) as desk:
        path.write_text("theirs", encoding="utf-8")
        os.utime(path, ns=(1, 1))
        await desk.press("#")
        desk.post("ctrl+s", desk.now)
        await desk.reach(lambda: desk.sees("Overwrite mine.toml?"))
        await desk.press("n")
        assert path.read_text("utf-8") == "theirs"
        desk.post("ctrl+s", desk.now)
        await desk.reach(lambda: desk.sees("Overwrite mine.toml?"))
        await desk.press("y")
        assert path.read_text("utf-8") == f"#{GOOD}"


async def test_a_folder_that_cannot_be_written_is_said(home: Home) -> None:
    path = own_script(home)
    async with editing(home, path) as desk:
        desk.editor.draft.path = path / "below-a-file.toml"
        desk.editor.draft.stamp = None
        await desk.press("#", "ctrl+s")
        assert "cannot be written" in " ".join(desk.text.split())


@pytest.mark.parametrize("data", [b"goal = '\xff'", "goal = 'a\u2028b'".encode()])
async def test_a_file_that_an_editor_would_spoil_is_not_opened(data: bytes, home: Home) -> None:
    path = own_script(home)
    path.write_bytes(data)
    async with at_desk(home) as desk:
        desk.app.editor.file(path)
        await desk.settle(lambda: "mine.toml" in desk.text)
        assert not desk.open


# ---------------------------------------------------------------- leaving


async def test_esc_leaves_the_field_and_q_the_editor(home: Home) -> None:
    async with editing(home, own_script(home)) as desk:
        await desk.press("escape", "q")
        assert isinstance(desk.app.screen, HomeScreen)


@pytest.mark.parametrize(("key", "stays"), [("n", True), ("y", False)])
async def test_changes_that_are_not_saved_are_asked_about(key: str, stays: bool, home: Home) -> None:
    async with editing(home, own_script(home)) as desk:
        await desk.press("#", "escape", "q")
        assert desk.sees("Leave without saving?")
        assert desk.sees("The changes in mine.toml are lost")
        await desk.press(key)
        assert desk.open is stays


async def test_quitting_asks_about_changes_too(home: Home) -> None:
    async with editing(home, own_script(home)) as desk:
        await desk.press("#", "ctrl+q")
        assert desk.sees("Quit without saving?")
        assert desk.sees("The changes in mine.toml are lost")
        await desk.press("n")
        assert isinstance(desk.app.screen, EditorScreen)


async def test_tab_is_no_trap_and_letters_type_while_the_field_has_focus(home: Home) -> None:
    async with editing(home, own_script(home)) as desk:
        await desk.type("q?:")
        assert desk.editor.area.text.startswith("q?:title")
        await desk.press("tab")
        assert desk.editor.problems.has_focus
        await desk.press("tab")
        assert desk.editor.area.has_focus


async def test_undo_and_redo(home: Home) -> None:
    async with editing(home, own_script(home)) as desk:
        await desk.press("x", "ctrl+z")
        assert desk.editor.area.text == GOOD
        await desk.press("ctrl+y")
        assert desk.editor.area.text == f"x{GOOD}"


# ---------------------------------------------------------------- running


async def test_f5_saves_and_opens_a_run_before_its_first_move(home: Home) -> None:
    path = own_script(home)
    async with editing(home, path) as desk:
        await desk.press("#", "f5")
        await desk.settle(lambda: isinstance(desk.app.screen, RunScreen) and desk.run.state.started)
        assert path.read_text("utf-8") == f"#{GOOD}"
        assert desk.kinds == ["user_message"]
        await desk.press("q")
        await desk.settle(lambda: isinstance(desk.app.screen, EditorScreen))
        assert desk.sees("reads well")


async def test_an_example_that_was_not_changed_is_run_as_it_is(home: Home) -> None:
    example = home.packaged / "scripts" / "refund.toml"
    async with editing(home, example) as desk:
        await desk.press("f5")
        await desk.settle(lambda: isinstance(desk.app.screen, RunScreen) and desk.run.state.started)
        assert desk.run.header.scenario_path == str(example)
        assert list((home.root / "scripts").iterdir()) == []


async def test_what_is_wrong_does_not_run_and_is_not_saved_by_it(home: Home) -> None:
    path = own_script(home)
    async with editing(home, path) as desk:
        await desk.replace("steps = 6", "stepz = 6")
        await desk.press("f5")
        assert isinstance(desk.app.screen, EditorScreen)
        assert desk.sees("it cannot run yet: line 6")
        assert desk.caret == (6, 0)
        assert path.read_text("utf-8") == GOOD


async def test_ctrl_r_runs_up_to_the_reply_under_the_caret(home: Home) -> None:
    async with editing(home, own_script(home)) as desk:
        await desk.press(*["down"] * 11, "ctrl+r")
        await desk.settle(lambda: isinstance(desk.app.screen, RunScreen) and desk.drawn)
        assert desk.kinds == ["user_message", "model_reply", "tool_started", "tool_result"]
        assert isinstance(desk.run.next, AskModel)
        assert desk.sees("paused")
        await desk.press("space")
        assert desk.run.state.answer == "3"


async def test_on_the_way_there_a_question_is_asked_and_the_run_goes_on_after_it(home: Home) -> None:
    async with editing(home, home.packaged / "scripts" / "refund.toml") as desk:
        line = 1 + desk.editor.area.text.split("\n").index(
            'text = "Ada gets 6.25 back, half of what she paid for two mugs."'
        )
        desk.editor.area.go_to(line - 1)
        await desk.press("ctrl+r")
        await desk.settle(lambda: isinstance(desk.app.screen, RunScreen) and desk.sees("wants to run"))
        await desk.press("y")
        await desk.settle(lambda: desk.run.state.script_line == 2)
        await desk.press("y")
        await desk.settle(lambda: isinstance(desk.run.next, AskModel))
        assert desk.run.state.script_line == 2


async def test_where_no_script_is_there_is_nothing_to_run_up_to(home: Home) -> None:
    text = 'goal = "g"\n[model]\nuse = "human"\n'
    async with editing(home, own_script(home, text)) as desk:
        await desk.press("ctrl+r")
        assert desk.sees("there is no script to run up to")


async def test_tools_that_nobody_trusted_yet_are_asked_about_when_it_runs(home: Home) -> None:
    (home.root / "tools").mkdir()
    (home.root / "tools" / "mine.py").write_text(
        'from workbench.toolkit.api import tool\n\n\n@tool(risk="read")\ndef dice() -> int:\n    """A number."""\n    return 4\n'
    )
    home = Home(root=home.root, found="current folder", packaged=home.packaged, tools_trusted=False)
    async with editing(home, own_script(home, GOOD.replace('["add"]', '["add", "dice"]'))) as desk:
        assert "are loaded when you run it and trust them" in " ".join(desk.problems)
        await desk.press("f5")
        await desk.settle(lambda: desk.sees("Load the tools in "))
        await desk.press("y")
        await desk.settle(lambda: isinstance(desk.app.screen, RunScreen) and desk.run.state.started)
        await desk.press("q")
        await desk.settle(lambda: isinstance(desk.app.screen, EditorScreen) and desk.sees("reads well"))


# ---------------------------------------------------------------- beginning


async def test_n_on_home_begins_a_script_from_a_template(home: Home) -> None:
    async with at_desk(home) as desk:
        await desk.press("n")
        assert desk.sees("be the model")
        await desk.press("down", "down", "enter")
        await desk.type("My refund\n")
        await desk.settle(lambda: desk.open and desk.editor.area.reading.text == desk.editor.area.text)
        assert desk.editor.area.text.startswith('title = "My refund"\n')
        assert desk.sees("not saved yet: goes to scripts/my-refund.toml")
        await desk.press("ctrl+s")
        assert read_script(home.root / "scripts" / "my-refund.toml")[0] == desk.editor.area.text
        await desk.press("escape", "q")
        await desk.settle(lambda: desk.sees("My refund"))


@pytest.mark.parametrize("keys", [["n", "escape"], ["n", "1", "escape"], ["n", "1", "enter"]])
async def test_beginning_a_script_can_be_called_off(keys: list[str], home: Home) -> None:
    async with at_desk(home) as desk:
        await desk.press(*keys)
        assert isinstance(desk.app.screen, HomeScreen)


async def test_e_on_home_edits_a_script_also_one_that_cannot_be_read(home: Home) -> None:
    own_script(home, "goal = ", name="bad")
    async with at_desk(home) as desk:
        await desk.press("end", "e")
        await desk.settle(lambda: desk.open and desk.editor.area.reading.text is not None)
        assert desk.editor.draft.path.name == "bad.toml"
        assert "ends inside this value" in desk.problems[0]


async def test_a_session_is_not_edited(home: Home) -> None:
    async with at_desk(home) as desk:
        await desk.press("e")
        await desk.settle(lambda: desk.open)
        await desk.press("f5")
        await desk.settle(lambda: isinstance(desk.app.screen, RunScreen) and desk.run.state.started)
        await desk.press("space", "q")
        await desk.settle(lambda: isinstance(desk.app.screen, EditorScreen))
        await desk.press("escape", "q", "right", "e")
        assert desk.sees("a session is a record: opened, S makes a script of it")


async def test_the_caret_goes_to_both_ends_of_the_text(home: Home) -> None:
    async with editing(home, own_script(home)) as desk:
        await desk.press("ctrl+end")
        assert desk.caret[0] == desk.editor.area.document.line_count
        await desk.press("ctrl+home")
        assert desk.caret == (1, 0)


async def test_esc_leaves_the_text_and_then_says_how_to_go_on(home: Home) -> None:
    async with editing(home, own_script(home)) as desk:
        assert "esc out of the text" in desk.key_row
        await desk.press("escape", "escape")
        assert desk.open
        assert desk.sees("q leaves the editor, enter goes back to the text")


async def test_what_was_said_of_saving_goes_with_the_next_change(home: Home) -> None:
    async with editing(home, own_script(home)) as desk:
        await desk.press("ctrl+s")
        await desk.settle(lambda: desk.sees("saved as /"))
        await desk.press("#")
        assert not desk.sees("saved as /")
        assert desk.sees("changed, not saved")


async def test_somebody_comes_back_from_a_run_to_the_same_place(home: Home) -> None:
    async with editing(home, own_script(home)) as desk:
        await desk.press("ctrl+end", "#", "f5")
        await desk.settle(lambda: isinstance(desk.app.screen, RunScreen) and desk.run.state.started)
        text, caret = desk.editor.area.text, desk.caret
        await desk.press("q")
        await desk.settle(lambda: isinstance(desk.app.screen, EditorScreen))
        assert (desk.editor.area.text, desk.caret) == (text, caret)
        assert text.endswith("#")
        assert desk.editor.area.has_focus
        assert not desk.sees("saved as /")


async def test_the_end_of_a_run_says_that_q_goes_back_to_the_editor(home: Home) -> None:
    async with editing(home, own_script(home)) as desk:
        await desk.press("f5")
        await desk.settle(lambda: isinstance(desk.app.screen, RunScreen) and desk.run.state.started)
        await desk.press("r")
        await desk.settle(lambda: desk.run.state.answer is not None and desk.sees("q to the editor"))
        assert not desk.sees("q home")


async def test_what_is_put_in_is_typed_over_where_it_is_open(home: Home) -> None:
    look_up = GOOD.replace('["add"]', '["lookup_population"]')
    async with editing(home, own_script(home, look_up)) as desk:
        await desk.press("ctrl+end", "f2", "1")
        await desk.type("Paris")
        assert desk.editor.area.text.count('ACTION: lookup_population {"city": "Paris"}') == 1
        await desk.press("f2", "2")
        await desk.type("!")
        assert 'text = "ANSWER: the answer!"' in desk.editor.area.text


async def test_somebody_writes_from_the_editor_alone_how_a_made_up_tool_is_corrected(home: Home) -> None:
    async with at_desk(home) as desk:
        await desk.press("n", "7")
        await desk.type("Weather\n")
        await desk.settle(lambda: desk.open)
        await desk.press("down", "down")
        await desk.type('tool = ["lookup_population"]\n')
        await desk.read()
        assert 'unknown key "tool"; did you mean "tools"?' in " ".join(desk.problems)
        await desk.replace("tool =", "tools =")
        await desk.read()
        await desk.press("f2")
        assert desk.sees("Insert, in protocol text")
        assert desk.sees("3  a reply that calls a made-up tool")
        await desk.press("3", "f2", "1")
        await desk.replace('{"city": "…"}', '{"city": "Paris"}')
        await desk.press("f2", "2")
        await desk.replace("ANSWER: the answer", "ANSWER: ${last}")
        await desk.replace('\n[[model.reply]]\ntext = "ANSWER: this"\n', "")
        await desk.press("f2", "up", "enter")
        await desk.replace('status = "answered"', 'status = "answered"\nanswer = "2100000"')
        assert desk.problems[0].startswith('▸ ≈ 6  model.reply[0].text  there is no tool "get_weather" in this script')
        assert desk.sees("≈ 1 remark")
        await desk.press("f5")
        await desk.settle(lambda: isinstance(desk.app.screen, RunScreen) and desk.run.state.started)
        await desk.press("r")
        await desk.settle(lambda: desk.run.state.answer is not None)
        assert desk.sees("no tool named 'get_weather'")
        assert desk.run.state.answer == "2100000"
    verdict = await check_file(home.root / "scripts" / "weather.toml", home)
    assert verdict.passed


async def test_a_script_that_follows_a_plan_gets_steps_and_shows_them_beside_the_text(home: Home) -> None:
    async with at_desk(home) as desk:
        await desk.press("n", "8")
        await desk.type("Steps\n")
        await desk.settle(lambda: desk.open)
        await desk.read()
        assert desk.sees("one = project_field")
        await desk.press("f2")
        assert desk.sees("Insert, into a pipeline")
        assert desk.sees("a step that asks the model")
