"""Output that cannot be written: one sentence, and what was being done is done."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.core.events import Stopped
from workbench.core.statuses import Status
from workbench.sessions.journal import read_session

FULL = Path("/dev/full")
pytestmark = pytest.mark.skipif(not FULL.exists(), reason="needs a device that is full")


def _on_a_full_disk(*arguments: str | Path) -> tuple[int, str]:
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "workbench", *map(str, arguments)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
    return done.returncode, done.stderr


def test_a_run_is_recorded_truthfully_though_nothing_of_it_can_be_shown(home: Path, tmp_path: Path) -> None:
    script, save = tmp_path / "a.toml", tmp_path / "run.toml"
    script.write_text('goal = "x"\n[[model.reply]]\ntext = "ANSWER: done"\n')
    sentence = "the output cannot be written: No space left on device\n"
    assert _on_a_full_disk("run", script, "--save", save) == (1, sentence)
    last = read_session(save).events[-1]
    assert isinstance(last, Stopped)
    assert last.status is Status.ANSWERED
    assert _on_a_full_disk("show", save) == (1, sentence)
