"""What the tests of the toolkit share: a workspace, and boxes of tools made from plain functions."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.core.ports import OnLate, ToolOutcome
from workbench.toolkit.execute import ToolBox
from workbench.toolkit.loader import load_function
from workbench.toolkit.workspace import Workspace

Boxed = Callable[..., ToolBox]
Call = Callable[..., Awaitable[ToolOutcome]]


@pytest.fixture
def folder(tmp_path: Path) -> Workspace:
    root = tmp_path / "work"
    root.mkdir()
    return Workspace(root)


@pytest.fixture
def boxed(folder: Workspace) -> Boxed:
    """A box of the given functions, over the workspace."""

    def make(*functions: Callable[..., Any]) -> ToolBox:
        return ToolBox([load_function(function) for function in functions], folder)

    return make


@pytest.fixture
def call() -> Call:
    """Check a call as a run does, then run it."""

    async def run(
        box: ToolBox,
        tool: str,
        within: float | None = None,
        key: str = "",
        on_late: OnLate = lambda content, took: None,
        **arguments: Any,
    ) -> ToolOutcome:
        checked = box.check(tool, json.dumps(arguments))
        assert not checked.problem, checked.problem
        return await box.run(tool, checked.canonical, within=within, key=key, on_late=on_late)

    return run
