"""The scenarios that come with the workbench, played as `workbench check` plays them, and their journals as bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from workbench.clocks import VirtualClock
from workbench.core.events import Event, ToolResult
from workbench.core.values import Header
from workbench.home import Home, packaged_folder
from workbench.opening import Opened, new_run
from workbench.scenarios.loader import load_scenario
from workbench.sessions.journal import create_session
from workbench.toolkit.loader import LoadedFolder, load_tools

PACKAGED = packaged_folder()
HOME = Home(root=PACKAGED, found="--home", packaged=PACKAGED)
SCRIPTS = sorted((PACKAGED / "scripts").glob("*.toml"), key=lambda path: path.stem)
NAMES = [path.stem for path in SCRIPTS]
CREATED = datetime(2026, 1, 31, 10, tzinfo=UTC)


@cache
def shipped_tools() -> LoadedFolder:
    return load_tools(HOME.tools)


def opened(name: str, *, person: bool = True, session_id: str = "20260131-100000-0000") -> Opened:
    """A run of the shipped scenario of that name, before its first move, that keeps no file."""
    return new_run(
        load_scenario(PACKAGED / "scripts" / f"{name}.toml"),
        HOME,
        scenario_path=f"scripts/{name}.toml",
        clock=VirtualClock(),
        person=person,
        keep=False,
        session_id=session_id,
        created=CREATED,
        tools=shipped_tools(),
    )


def played(name: str) -> Opened:
    """The run after its last move. It is closed: its folder is gone, its events are there."""
    run = opened(name)
    try:
        asyncio.run(run.run.play())
    finally:
        run.close()
    return run


def journal_bytes(header: Header, events: Sequence[Event], folder: Path) -> bytes:
    """The session file of a run, without what differs from one machine or version to the next."""
    path = folder / "session.toml"
    with create_session(path, replace(header, workbench="0.1.0"), durable=False) as journal:
        for event in events:
            if isinstance(event, ToolResult) and event.detail.startswith("Traceback"):
                # The traceback of a defect holds the paths of this machine.
                journal.append(replace(event, detail="(a traceback)"), sync=False)
            else:
                journal.append(event, sync=False)
    return path.read_bytes()
