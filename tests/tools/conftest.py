"""The shipped tools, loaded as a run loads them, over an empty sandbox."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.core.ports import ToolOutcome
from workbench.toolkit.execute import ToolBox
from workbench.toolkit.loader import LoadedFolder, load_folder
from workbench.toolkit.workspace import Workspace


@pytest.fixture(scope="session")
def shipped() -> LoadedFolder:
    return load_folder(Path(__file__).parents[2] / "tools")


@pytest.fixture
def folder(tmp_path: Path) -> Workspace:
    root = tmp_path / "work"
    root.mkdir()
    return Workspace(root)


@pytest.fixture
def box(shipped: LoadedFolder, folder: Workspace) -> ToolBox:
    return ToolBox(list(shipped.tools.values()), folder)


@pytest.fixture
def call(box: ToolBox) -> Callable[..., Any]:
    """Check a call and run it; a call that is refused gives the refusal as its content."""

    async def run(tool: str, **arguments: Any) -> ToolOutcome:
        checked = box.check(tool, json.dumps(arguments))
        if checked.problem:
            return ToolOutcome(outcome="failed", content=checked.problem, detail="refused")
        return await box.run(tool, checked.canonical, within=10, key="", on_late=lambda content, took: None)

    return run


@pytest.fixture
def preview(box: ToolBox) -> Callable[..., str]:
    def show(tool: str, **arguments: Any) -> str:
        return box.preview(tool, box.check(tool, json.dumps(arguments)).canonical)

    return show
