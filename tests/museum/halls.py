"""Runs of museum scenarios for tests: as they are shipped, or with some keys changed, the loop among them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from workbench.clocks import VirtualClock
from workbench.core.ports import Clock
from workbench.home import Home, packaged_folder
from workbench.opening import Opened, new_run
from workbench.results import transcript_text
from workbench.runner import Run
from workbench.scenarios.loader import load_scenario, parse_scenario
from workbench.scenarios.overrides import apply_overrides
from workbench.scenarios.schema import Scenario
from workbench.toolkit.loader import LoadedFolder, load_tools

PACKAGED = packaged_folder()
HOME = Home(root=PACKAGED, found="--home", packaged=PACKAGED)
SCRIPTS = PACKAGED / "scripts"
MUSEUM_SCRIPTS = sorted(path.stem for path in SCRIPTS.glob("museum-*.toml"))


@cache
def tools() -> LoadedFolder:
    return load_tools(HOME.tools)


def shipped(name: str, *changes: str) -> Scenario:
    """The shipped scenario of that name, with `key=value` changes."""
    return apply_overrides(load_scenario(SCRIPTS / f"{name}.toml"), changes)


def written(text: str) -> Scenario:
    return parse_scenario(text, "test.toml")


def opened(scenario: Scenario, *, person: bool = True, save: Path | None = None, clock: Clock | None = None) -> Opened:
    return new_run(
        scenario,
        HOME,
        scenario_path="scripts/test.toml",
        clock=clock or VirtualClock(),
        person=person,
        keep=save is not None,
        save=save,
        session_id="20260131-100000-0000",
        created=datetime(2026, 1, 31, 10, tzinfo=UTC),
        tools=tools(),
    )


def played(scenario: Scenario, *, person: bool = True) -> Run:
    """The run after its last move; its sandbox is gone."""
    there = opened(scenario, person=person)
    try:
        asyncio.run(there.run.play())
    finally:
        there.close()
    return there.run


def file_after(scenario: Scenario, path: str) -> str | None:
    """The text of a file of the sandbox when the run has been played."""
    there = opened(scenario)
    try:
        asyncio.run(there.run.play())
        return there.run.tools.file_text(path)
    finally:
        there.close()


def on_engine(name: str, *changes: str) -> Run:
    """The same scenario, script and all, on the engine."""
    return played(shipped(name, "loop=engine", *changes))


def detail(run: Run) -> str:
    assert run.state.stopped is not None
    return run.state.stopped.detail


def knob(run: Run) -> str:
    assert run.state.stopped is not None
    return run.state.stopped.knob


def observations(run: Run) -> Sequence[str]:
    return [message.text for message in run.state.messages if message.role in ("tool", "notice")]


__all__ = ["transcript_text"]
