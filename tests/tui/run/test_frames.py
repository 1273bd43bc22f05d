"""What a key changes is seen in one frame, and nothing is laid out anew where everything keeps its place."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tui.run.stage import opened_scenario, staged
from workbench.home import Home


@pytest.mark.parametrize(
    ("before", "key"),
    [
        ("up up", "up"),
        ("pageup pageup", "pageup"),
        ("left left", "left"),
        ("left left left", "right"),
        ("left left", "shift+left"),
        ("pageup", "home"),
        ("end", "home"),
        ("home", "end"),
    ],
)
async def test_a_key_is_one_frame_without_a_layout(
    home: Home, monkeypatch: pytest.MonkeyPatch, before: str, key: str
) -> None:
    async with staged(opened_scenario(home, "no-termination-uncapped", keep=False), home) as stage:
        stage.run.change({"limits.steps": 40})
        await stage.press("r", *before.split())
        screen = stage.screen
        await stage.settle(lambda: not screen._dirty_widgets and not screen._layout_required)
        frames: list[object] = []
        layouts: list[object] = []
        draw = stage.app._display

        def drawn(screen: Any, renderable: Any) -> None:
            frames.append(renderable)
            draw(screen, renderable)

        monkeypatch.setattr(stage.app, "_display", drawn)
        screen.screen_layout_refresh_signal.subscribe(screen, layouts.append, immediate=True)
        await stage.press(key)
        assert (len(frames), len(layouts)) == (1, 0)
