from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.run.stage import a_home
from workbench.home import Home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A workbench folder and a user folder of the test's own."""
    monkeypatch.setattr("workbench.home.user_folder", lambda: tmp_path / "user")
    return a_home(tmp_path)


@pytest.fixture
def home_with_examples(home: Home, tmp_path: Path) -> Home:
    """The same, with all examples on its shelves."""
    return a_home(tmp_path / "whole", examples=True)
