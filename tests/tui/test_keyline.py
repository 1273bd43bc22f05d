from __future__ import annotations

from itertools import product
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.content import Content
from textual.style import Style

from tests.tui.settled import settled
from workbench.tui.actions import bindings
from workbench.tui.keyline import KeyLine, key_line
from workbench.tui.situation import Phase, Situation


def plain(situation: Situation, width: int) -> list[str]:
    return key_line(situation, width).plain.split("\n")


def clicks(content: Content) -> dict[str, str]:
    """Text to the action that a click on it runs."""
    return {
        content.plain[span.start : span.end].strip(): span.style.meta["@click"]
        for span in content.spans
        if isinstance(span.style, Style) and "@click" in span.style.meta
    }


def test_the_line_of_an_approval_on_a_wide_screen() -> None:
    (line,) = plain(Situation(phase="approval"), 120)
    assert line.startswith(" y allow once   n deny…   e edit…   a answer for it…   Y allow more…   v view all   ")
    assert line.endswith("   ? help")
    assert len(line) == 119


def test_a_narrow_screen_has_short_words() -> None:
    (line,) = plain(Situation(phase="approval"), 80)
    assert line.startswith(" y allow  n deny…  e edit…  a answer…  Y more…  v all  ")
    assert len(line) == 79


def test_below_sixty_columns_there_are_two_rows() -> None:
    first, second = plain(Situation(phase="approval"), 40)
    assert first.strip() == "y allow  n deny…  e edit…  a answer…"
    assert second.split() == ["Y", "more…", "v", "all", "?", "help"]
    assert second.endswith("? help")


def test_while_typing_help_has_a_key_that_types_nothing() -> None:
    (line,) = plain(Situation(phase="edit", submit="run with these"), 100)
    assert line.split("   ")[0] == " ctrl+s run with these"
    assert [part.split()[0] for part in line.split("   ") if part] == ["ctrl+s", "esc", "ctrl+o", "f1"]


def test_two_keys_that_go_opposite_ways_stand_together() -> None:
    (line,) = plain(Situation(phase="past"), 120)
    assert line.startswith(" ← → event   shift+← → step   end now   w what it saw   t the loop   r play")


def test_own_keys_are_shown() -> None:
    line = key_line(Situation(phase="approval"), 120, {"allow": "z", "help": "f2"})
    assert line.plain.startswith(" z allow once")
    assert line.plain.endswith(" f2 help")


def test_a_click_is_a_press_of_the_key() -> None:
    found = clicks(key_line(Situation(phase="past"), 120))
    assert found["now"] == "app.simulate_key('end')"
    assert found["→"] == "app.simulate_key('shift+right')"
    assert found["help"] == "app.simulate_key('question_mark')"


def test_the_name_of_a_tool_is_text_and_never_long() -> None:
    situation = Situation(next_move="run [@click=app.quit]x[/]\x1b[2J\n" + "y" * 200)
    (line,) = plain(situation, 120)
    assert line.startswith(" space run [@click=app.quit]x[/]␛[2")
    assert "…   r run" in line
    assert "app.quit" not in " ".join(clicks(key_line(situation, 120)).values())


@pytest.mark.parametrize(("phase", "width"), list(product(get_args(Phase), (40, 59, 60, 80, 99, 100, 200))))
def test_the_line_fits_and_ends_with_help(phase: Phase, width: int) -> None:
    for situation in (Situation(phase=phase, raise_to="raise to 8, go on"), Situation(phase=phase, calls_waiting=3)):
        lines = plain(situation, width)
        assert len(lines) == (2 if width < 60 else 1)
        assert all(cell_len(line) <= width for line in lines)
        assert lines[-1].endswith(" help")


@given(st.text(max_size=60), st.integers(20, 130))
def test_it_fits_whatever_the_next_move_is(words: str, width: int) -> None:
    assert all(cell_len(line) <= width for line in plain(Situation(next_move=words), width))


async def test_a_click_on_the_line_reaches_the_binding_and_keys_keep_their_colour() -> None:
    class Probe(App[None]):
        BINDINGS = bindings("run")
        pressed: list[str] = []

        def compose(self) -> ComposeResult:
            line = KeyLine()
            line.situation = Situation(phase="approval")
            yield line

        def action_deny(self) -> None:
            self.pressed.append("deny")

    app = Probe()
    async with app.run_test(size=(120, 5)) as pilot:
        await pilot.click(KeyLine, offset=(16, 0))
        await pilot.pause()
        line = app.query_one(KeyLine)
        assert app.pressed == ["deny"]
        key = next(segment for segment in line.render_line(0) if segment.text == "n")
        label = next(segment for segment in line.render_line(0) if "deny" in segment.text)
        assert key.style is not None
        assert label.style is not None
        assert key.style.bold
        assert key.style.color != label.style.color
        await pilot.resize_terminal(50, 5)
        await settled(pilot, lambda: line.size.height == 2)
