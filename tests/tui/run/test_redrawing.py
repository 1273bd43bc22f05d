"""Whatever is pressed, what stands on the terminal is as if the whole Run screen were drawn anew."""

from __future__ import annotations

import random

import pytest

from tests.tui.run.stage import opened_scenario, staged
from tests.tui.terminal import Terminal
from workbench.home import Home

KEYS = (
    *("space", "space", "space", "space", "y", "y", "n", "a", "escape", "escape", "h", "+", "c", "m", "l"),
    *("up", "up", "down", "pageup", "pagedown", "home", "end", "enter", "tab", "1", "2", "3"),
    *("left", "left", "left", "right", "right", "shift+left", "shift+right"),
)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (170, 45)])
@pytest.mark.parametrize("scenario", ["two-cities", "batch-three-decisions", "no-termination-uncapped"])
async def test_whatever_is_pressed_the_terminal_shows_what_drawing_anew_would_show(
    home: Home, scenario: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(f"{scenario} {size}")
    async with staged(opened_scenario(home, scenario, keep=False), home, size=size) as stage:
        screen, pressed = stage.screen, []

        def quiet() -> bool:
            return not screen._dirty_widgets and not screen._layout_required and not screen._callbacks

        await stage.settle(quiet)
        terminal = Terminal(stage.app, monkeypatch)
        for _ in range(40):
            pressed.append(chance.choice(KEYS))
            await stage.press(pressed[-1])
            await stage.settle(quiet)
            assert terminal.wrong() is None, pressed
