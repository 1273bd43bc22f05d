"""Where the tools of a run work: a private folder that holds what its events say, or a real one that is trusted."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.core.events import Event, Held, ToolResult
from workbench.home import trusted_folders
from workbench.scenarios.errors import Problem, ScenarioError
from workbench.scenarios.schema import Scenario
from workbench.toolkit.effects import apply_effects
from workbench.toolkit.workspace import Workspace

Folder = tempfile.TemporaryDirectory[str]


class TrustNeeded(Exception):
    """A real folder would be used, or code from it loaded, and nobody has said that this is all right."""

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(f"{folder}: {why}")
        self.folder = folder
        self.why = why

    @property
    def in_a_terminal(self) -> str:
        """What is wrong, and the option that allows it."""
        return f"{self}\nsay that this is all right with: --trust {shlex.quote(str(self.folder))}"


def make_sandbox(scenario: Scenario, events: Sequence[Event], scenario_path: str) -> tuple[Folder | None, Workspace]:
    """The workspace of a run after those events, and its folder where that is a private one, which goes with the run.

    Raises ScenarioError, TrustNeeded, and ValueError for events that no workspace can hold.
    """
    folder = real_folder(scenario, scenario_path)
    if folder is not None:
        return None, Workspace(folder)
    private = tempfile.TemporaryDirectory(prefix="workbench-", ignore_cleanup_errors=True)
    try:
        return private, apply_effects(Path(private.name), scenario.workspace.files, effects_of(events))
    except BaseException:
        private.cleanup()
        raise


def real_folder(scenario: Scenario, scenario_path: str) -> Path | None:
    """The folder of a person in which the tools of a scenario work; None for a private one. Raises TrustNeeded where
    nobody has said that this is all right, ScenarioError where it is not there.
    """
    root = scenario.workspace.root
    if root is None:
        return None
    folder = (Path(scenario_path).parent / Path(root).expanduser()).resolve()
    if not os.path.isdir(folder):  # noqa: PTH112 - Path.is_dir raises for a name that is too long
        raise ScenarioError([Problem(scenario_path or "scenario", 0, "workspace.root", f"there is no folder {folder}")])
    if folder not in trusted_folders():
        raise TrustNeeded(folder, "the tools of this scenario would read and write in this folder")
    return folder


def effects_of(events: Sequence[Event]) -> list[Mapping[str, Any]]:
    """What the calls of a run have changed, in order; what a held result did has happened, whoever reads it when."""
    held: set[str] = set()
    effects: list[Mapping[str, Any]] = []
    for event in events:
        if isinstance(event, Held | ToolResult) and event.call not in held:
            effects.extend(event.effects)
        if isinstance(event, Held):
            held.add(event.call)
    return effects
