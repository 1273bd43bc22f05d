"""From a scenario or a session file to a live run: the one place where all rooms are put together.

Opening a session runs nothing. Its sandbox is built anew from the seed files and the recorded effects, in a private
folder that goes away with the run, so a run of the past never sees the files of the future.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench import __version__
from workbench.clocks import SystemClock
from workbench.core.events import Event, Held, ToolResult
from workbench.core.ports import Clock, Person
from workbench.core.values import Header
from workbench.home import Home, trusted_folders
from workbench.runner import Run
from workbench.scenarios.header import build_header
from workbench.scenarios.loader import scenario_from_plain
from workbench.scenarios.models import build_model
from workbench.scenarios.person import ScriptedPerson
from workbench.scenarios.schema import Scenario
from workbench.sessions.journal import JournalWriter, create_session, open_session, read_session
from workbench.sessions.store import SessionStore, new_id
from workbench.toolkit.effects import apply_effects
from workbench.toolkit.execute import ToolBox
from workbench.toolkit.loader import LoadedFolder, load_tools
from workbench.toolkit.workspace import Workspace


class TrustNeeded(Exception):
    """A real folder would be used, or code from it loaded, and nobody has said that this is all right."""

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(f"{folder}: {why}")
        self.folder = folder
        self.why = why


class MemoryJournal:
    """A journal that keeps nothing: the events of the run are in the run."""

    def append(self, event: Event, *, sync: bool) -> None:
        """Nothing to do."""


class LateJournal:
    """A journal whose file is made with the first event after the goal: to open a scenario is not yet to run it."""

    def __init__(self, store: SessionStore, header: Header) -> None:
        self._store = store
        self._header = header
        self._waiting: list[Event] = []
        self.writer: JournalWriter | None = None

    def append(self, event: Event, *, sync: bool) -> None:
        if self.writer is None:
            if not self._waiting:
                self._waiting.append(event)
                return
            self.writer = self._store.create(self._header)
            for earlier in self._waiting:
                self.writer.append(earlier, sync=False)
        self.writer.append(event, sync=sync)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()


@dataclass(slots=True, kw_only=True)
class Opened:
    """A run and what stands around it. Close it when done."""

    run: Run
    scenario: Scenario
    tools: LoadedFolder
    sandbox: tempfile.TemporaryDirectory[str] | None
    journal: JournalWriter | LateJournal | None
    path: Path | None = None
    """The session file, when it was opened from one."""
    torn: str = ""
    """What was set aside at the end of the file, as a sentence."""
    read_only: str = ""
    """Why nothing can be recorded (somebody else writes the session); "" when all is well."""

    @property
    def session_path(self) -> Path | None:
        """Where the run is kept; None while nothing has happened, or when it is not kept at all."""
        if self.path is not None:
            return self.path
        if isinstance(self.journal, LateJournal):
            return self.journal.writer.path if self.journal.writer is not None else None
        return self.journal.path if self.journal is not None else None

    def close(self) -> None:
        if self.journal is not None:
            self.journal.close()
        if self.sandbox is not None:
            self.sandbox.cleanup()


def new_run(
    scenario: Scenario,
    home: Home,
    *,
    scenario_path: str = "",
    clock: Clock | None = None,
    person: bool = False,
    keep: bool = True,
    save: Path | None = None,
    session_id: str = "",
) -> Opened:
    """A new run of a scenario, before its first move.

    `person`: the scenario's person entries answer its questions. `keep`: in the sessions folder of `home`, or in the
    file `save`; without it nothing is written. Raises ScenarioError, TrustNeeded, and SessionError for `save`.
    """
    clock = clock if clock is not None else SystemClock()
    tools = load_tools(home.tools)
    now = datetime.now(UTC)
    header = build_header(
        scenario,
        [tool.info for tool in tools.tools.values()],
        id=session_id or new_id(now),
        created=now.isoformat(timespec="seconds"),
        workbench=__version__,
        path=scenario_path,
    )
    model = build_model(scenario, clock, scenario_path)
    sandbox, workspace = _sandbox(scenario, (), scenario_path)
    journal: JournalWriter | LateJournal | None = None
    if save is not None:
        save.parent.mkdir(parents=True, exist_ok=True)
        journal = create_session(save, header)
    elif keep:
        journal = LateJournal(SessionStore(home.sessions), header)
    run = Run(
        header,
        model=model,
        tools=ToolBox([tools.tools[name] for name in scenario.tools], workspace),
        journal=journal or MemoryJournal(),
        clock=clock,
        person=_person(scenario) if person else None,
    )
    return Opened(run=run, scenario=scenario, tools=tools, sandbox=sandbox, journal=journal)


def reopen(
    path: Path, home: Home, *, clock: Clock | None = None, person: bool = False, read_only: bool = False
) -> Opened:
    """A saved run as it stands. Raises SessionError, SessionLocked, ScenarioError, TrustNeeded."""
    journal: JournalWriter | None = None
    if read_only:
        session = read_session(path)
    else:
        session, journal = open_session(path)
    try:
        return _reopened(path, home, session.header, session.events, journal, clock, person, session.torn or "")
    except BaseException:
        if journal is not None:
            journal.close()
        raise


def _reopened(
    path: Path,
    home: Home,
    header: Header,
    events: Sequence[Event],
    journal: JournalWriter | None,
    clock: Clock | None,
    person: bool,
    torn: str,
) -> Opened:
    clock = clock if clock is not None else SystemClock()
    scenario = scenario_from_plain(header.scenario, header.scenario_path or path.name)
    tools = load_tools(home.tools)
    sandbox, workspace = _sandbox(scenario, events, header.scenario_path)
    present = [tools.tools[info.name] for info in header.tools if info.name in tools.tools]
    run = Run(
        header,
        model=build_model(scenario, clock, header.scenario_path or path.name),
        tools=ToolBox(present, workspace),
        journal=journal or MemoryJournal(),
        clock=clock,
        person=_person(scenario) if person else None,
        events=events,
    )
    return Opened(
        run=run, scenario=scenario, tools=tools, sandbox=sandbox, journal=journal, path=path, torn=torn,
        read_only="" if journal is not None else "opened for reading only",
    )  # fmt: skip


def _person(scenario: Scenario) -> Person | None:
    return ScriptedPerson(scenario.person) if scenario.person else None


def _sandbox(
    scenario: Scenario, events: Sequence[Event], scenario_path: str
) -> tuple[tempfile.TemporaryDirectory[str] | None, Workspace]:
    root = scenario.workspace.root
    if root is not None:
        folder = (Path(scenario_path).parent / root).expanduser().resolve()
        if folder not in trusted_folders():
            raise TrustNeeded(folder, "the tools of this scenario would read and write in this folder")
        return None, Workspace(folder)
    sandbox = tempfile.TemporaryDirectory(prefix="workbench-", ignore_cleanup_errors=True)
    return sandbox, apply_effects(Path(sandbox.name), scenario.workspace.files, _effects(events))


def _effects(events: Sequence[Event]) -> list[Mapping[str, Any]]:
    """What the calls of a run have changed, in order; what a held result did has happened, whoever reads it when."""
    held: set[str] = set()
    effects: list[Mapping[str, Any]] = []
    for event in events:
        if isinstance(event, Held):
            held.add(event.call)
            effects.extend(event.effects)
        elif isinstance(event, ToolResult) and event.call not in held:
            effects.extend(event.effects)
    return effects


