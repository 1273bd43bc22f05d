"""What the screens with one view share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tui.matrix.test_screen import SCRIPT, matrix
from tests.tui.run.stage import a_home
from workbench.tui.blocks import Said


class Waiting:
    """A timer that goes off when a test says so, unless it was stopped."""

    def __init__(self, _seconds: float, callback: Callable[[], object]) -> None:
        self._callback = callback
        self._stopped = False

    def stop(self) -> None:
        self._stopped = True

    def go_off(self) -> None:
        if not self._stopped:
            self._callback()


async def test_what_was_said_before_does_not_take_away_what_is_said_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.home.user_folder", lambda: tmp_path / "user")
    home = a_home(tmp_path)
    (home.root / "scripts").mkdir()
    (home.root / "scripts" / "sums.toml").write_text(SCRIPT)
    async with matrix(home) as (screen, _):
        timers: list[Waiting] = []

        def wait(seconds: float, callback: Callable[[], object]) -> Waiting:
            timers.append(Waiting(seconds, callback))
            return timers[-1]

        said = screen.query_one(Said)
        monkeypatch.setattr(said, "set_timer", wait)
        screen.say("first")
        screen.say("second")
        timers[0].go_off()
        assert said.display
        timers[1].go_off()
        assert not said.display
