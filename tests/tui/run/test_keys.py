"""The key of a live model is nowhere on the screen, in its pictures, in what is copied, or in what is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import TextArea

from tests.models.wire.echoes import KEY, echoed, refused
from tests.models.wire.server import Server
from tests.models.wire.test_runs import TOOLS
from tests.tui.run.stage import Stage, staged
from workbench.clocks import VirtualClock
from workbench.core.statuses import Status
from workbench.home import Home
from workbench.opening import new_run
from workbench.scenarios.loader import load_scenario


class Seen:
    """Everything that was on the terminal, as text and as picture, and everything that was copied or said."""

    def __init__(self, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stage = stage
        self.parts: list[str] = []
        monkeypatch.setattr(stage.app, "copy_to_clipboard", self.parts.append)
        draw = stage.screen.drawing.draw

        def drawn() -> None:
            draw()
            self.parts.append(stage.text)

        monkeypatch.setattr(stage.screen.drawing, "draw", drawn)

    def look(self) -> None:
        self.parts.append(self.stage.text)
        self.parts += [str(toast.message) for toast in self.stage.app._notifications]

    @property
    def text(self) -> str:
        return "\n".join(self.parts)


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_the_screen_never_shows_it(home: Home, wire: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(variable, KEY)
    (home.root / "tools").mkdir()
    (home.root / "tools" / "notes.py").write_text(TOOLS)
    async with Server(*echoed(wire, KEY, streams=True), refused(KEY)) as server:
        path = home.root / "echo.toml"
        (home.root / "models.toml").write_text(
            f'[[model]]\nname = "echo"\nwire = "{wire}"\nmodel = "m"\nbase_url = "{server.url}"\n'
            'key_env = "OPENAI_API_KEY"\n'
        )
        path.write_text('goal = "g"\nprotocol = "native"\ntools = ["read_note"]\n[model]\nuse = "echo"\nretries = 3\n')
        opened = new_run(load_scenario(path), home, scenario_path=str(path), clock=VirtualClock())
        async with staged(opened, home) as stage:
            seen = Seen(stage, monkeypatch)
            await stage.press("r")
            assert stage.run.state.answer == "done: [key]"
            for keys in (
                ["up"] * 3,
                ["v", "escape"],
                ["C"],
                ["w"],
                ["left"],
                ["escape"],
                ["t", "right", "escape"],
                ["l", "escape"],
            ):
                await stage.press(*keys)
                seen.look()
            seen.parts.append(stage.app.export_screenshot())
            await stage.press("end", "m")
            await stage.type("Once more.")
            await stage.press("ctrl+s")
            await stage.settle(lambda: stage.run.status is Status.MODEL_REJECTED)
            seen.look()
            for keys in (["v", "escape"], ["C"], ["p"], ["r"], ["left", "left", "end"]):
                await stage.press(*keys)
                seen.look()
            await stage.press("S")
            await stage.settle(lambda: bool(stage.app.screen.query(TextArea)))
            seen.parts.append(stage.app.screen.query_one(TextArea).text)
            seen.look()
            await stage.press("ctrl+s")
            seen.look()
            seen.parts.append(stage.app.export_screenshot())
        key = exchange_key(server)
    assert key == KEY
    assert "[key]" in seen.text
    assert 'use = "recorded"' in seen.text
    assert KEY not in seen.text
    assert_not_in_files(home.root)


def exchange_key(server: Server) -> str:
    """The key that was really sent."""
    headers = server.requests[0].headers
    return headers.get("x-api-key") or headers["authorization"].removeprefix("Bearer ")


def assert_not_in_files(folder: Path) -> None:
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert any(file.parent.name == "sessions" for file in files)
    assert any("as-played" in file.name for file in files)
    for file in files:
        assert KEY.encode() not in file.read_bytes(), file
        assert json.dumps(KEY).encode() not in file.read_bytes(), file
