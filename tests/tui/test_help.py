from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.tui.places import app_for, make_home, press, rows, seen, words
from tests.tui.settled import settled
from workbench.home import Home
from workbench.tui.actions import ACTIONS, help_sections
from workbench.tui.help import SIGNS, WORDS, HelpScreen, help_lines, ordered
from workbench.view.entries import line_text


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path)


async def test_help_opens_scrolls_and_closes_with_each_of_its_keys_at_every_size(home: Home) -> None:
    app = app_for(home)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        focus = app.focused
        for key, size in (("escape", (120, 40)), ("q", (80, 24)), ("f1", (60, 16)), ("question_mark", (40, 12))):
            await pilot.resize_terminal(*size)
            await press(pilot, "question_mark")
            assert isinstance(app.screen_stack[-1], HelpScreen)
            first = rows(pilot)[1:5]
            await press(pilot, "pagedown")
            assert rows(pilot)[1:5] != first
            await press(pilot, key)
            assert len(app.screen_stack) == 1
            assert app.focused is focus


async def test_help_says_the_keys_of_the_person(home: Home) -> None:
    home.settings.write_text('[keys]\nopen_and_run = "g"\n')
    app = app_for(home)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "question_mark")
        assert any(row.split()[:4] == ["g", "Open", "it", "and"] for row in rows(pilot))
        assert "g Open it and run." in words(pilot)
        assert seen(pilot).index("Home ─") < seen(pilot).index("Everywhere ─")


@pytest.mark.parametrize("width", [37, 57, 97, 117, 157])
def test_every_action_sign_and_word_is_there_and_nothing_is_too_wide(width: int) -> None:
    lines = [line_text(line) for line in help_lines(ordered(help_sections(), "run"), width)]
    assert max(map(cell_len, lines)) <= width
    text = " ".join(" ".join(lines).split())
    for sentence in (*(action.help for action in ACTIONS), *(row[2] for row in (*SIGNS, *WORDS))):
        assert all(word in text for word in sentence.split())


def test_two_columns_are_of_much_the_same_length() -> None:
    lines = help_lines(ordered(help_sections(), "run"), 117)
    one = help_lines(ordered(help_sections(), "run"), 56)
    assert len(lines) < 0.65 * len(one)


def test_what_helps_here_stands_first() -> None:
    sections = help_sections()
    assert [name for name, _ in ordered(sections, "home")][:4] == ["Home", "Everywhere", "Signs", "Words"]
    on_run = [name for name, _ in ordered(sections, "run")]
    assert on_run[0] == "Everywhere"
    assert on_run[-1] == "Home"
    assert sorted(on_run) == sorted([*sections, "Signs", "Words"])
