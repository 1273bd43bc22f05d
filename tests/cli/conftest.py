from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from workbench.cli import main
from workbench.home import make_home

REPOSITORY = Path(__file__).parents[2]


class Done(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workbench folder that is the current one's neighbour, and a user folder of this test's own."""
    folder = tmp_path / "home"
    make_home(folder)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr("workbench.home.user_folder", lambda: tmp_path / "user")
    monkeypatch.setattr("workbench.home.cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setenv("WORKBENCH_HOME", str(folder))
    return folder


@pytest.fixture
def command(home: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Carries a command out in this process."""

    def run(*arguments: str | Path) -> Done:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return run


@pytest.fixture
def scenario(home: Path) -> Callable[[str, str], Path]:
    """Writes a scenario of that name into the folder."""

    def write(name: str, text: str) -> Path:
        path = home / "scripts" / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def tool(home: Path) -> Callable[[str, str], Path]:
    """Writes a file of tools into the folder; the line that imports what a tool needs comes first by itself."""

    def write(name: str, text: str) -> Path:
        path = home / "tools" / f"{name}.py"
        path.write_text(f"from workbench.toolkit.api import ToolError, tool\n\n\n{text}", encoding="utf-8")
        return path

    return write


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a process of its own that uses that folder."""
    user = str(home.parent / "user")
    return {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONUNBUFFERED": "1",
        "WORKBENCH_HOME": str(home),
        "XDG_DATA_HOME": user,
        "XDG_CACHE_HOME": str(home.parent / "cache"),
        **more,
    }


def workbench(*arguments: str | Path) -> list[str]:
    """The command line of a process of its own."""
    return [sys.executable, "-m", "workbench", *map(str, arguments)]
