"""Scenarios to be broken, and a grid of one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.faults.catalogue import shipped
from workbench.home import Home, packaged_folder
from workbench.lab.filling import Filling, chosen
from workbench.lab.matrix import Grid
from workbench.lab.trials import Subject
from workbench.scenarios.loader import load_scenario, scenario_from_plain
from workbench.scenarios.schema import Scenario

PACKAGED = packaged_folder()
HOME = Home(root=PACKAGED, found="--home", packaged=PACKAGED)
FEW = ("tool-crash", "wrong-number", "lost-result", "prose-only", "provider-blip", "provider-down")


def shipped_scenario(name: str) -> Scenario:
    return load_scenario(PACKAGED / "scripts" / f"{name}.toml")


def subject(scenario: Scenario | str, **more: Any) -> Subject:
    """A scenario of the package by its name, or one of one's own."""
    if isinstance(scenario, str):
        return Subject(scenario=shipped_scenario(scenario), home=HOME, path=f"scripts/{scenario}.toml", **more)
    return Subject(scenario=scenario, **{"home": HOME, **more})


def of_text(*texts: str, **keys: Any) -> Scenario:
    """A scenario with these replies."""
    replies = [{"text": text} for text in texts]
    return scenario_from_plain({"goal": "Go.", "tools": ["add"], "model": {"reply": replies}, **keys})


def own_tools(folder: Path, source: str) -> Home:
    """A home with a tool of its own."""
    (folder / "tools").mkdir()
    (folder / "tools" / "own.py").write_text(source)
    return Home(root=folder, found="--home", packaged=PACKAGED)


def filled(broken: Subject, names: Sequence[str] = FEW, *, jobs: int = 1) -> Grid:
    """The whole grid."""
    filling = Filling(broken, chosen(names, shipped()), jobs=jobs)
    try:
        while not filling.finished:
            filling.poll(1.0)
    finally:
        filling.close()
    assert filling.grid is not None
    return filling.grid
