"""From a scenario or a session file to a live run: the one place where all rooms are put together.

Opening a session runs nothing. Its sandbox is built anew from the seed files and the recorded effects, in a private
folder that goes away with the run, so a run of the past never sees the files of the future.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench import __version__
from workbench.asking import Asked, asked_again, asked_by, asked_instead, latest_choice, left_out, warned, with_choice
from workbench.clocks import SystemClock, VirtualClock
from workbench.core import sound
from workbench.core.events import Event
from workbench.core.ledger import Executed, elsewhere, executed
from workbench.core.ports import Branches, Clock, Person, Tools
from workbench.core.statuses import SUCCESSES
from workbench.core.values import Header
from workbench.home import Home
from workbench.lineage import branches_of
from workbench.runner import Run
from workbench.sandbox import make_sandbox
from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.faults import load_catalogue
from workbench.scenarios.header import build_header
from workbench.scenarios.loader import scenario_from_plain
from workbench.scenarios.loops import MUSEUM
from workbench.scenarios.person import ScriptedPerson
from workbench.scenarios.recorded import is_recorded, recorded_tools
from workbench.scenarios.schema import Scenario
from workbench.sessions.errors import SessionError
from workbench.sessions.header import stamp
from workbench.sessions.journal import JournalWriter, Session, open_session, read_session
from workbench.sessions.late import LateJournal, MemoryJournal
from workbench.sessions.store import SessionStore, new_id
from workbench.sessions.tail import Tail
from workbench.tooling import keyless, timed, usable_tools, why_missing
from workbench.toolkit.execute import ToolBox
from workbench.toolkit.loader import LoadedFolder, LoadedTool, load_tools
from workbench.toolkit.workspace import Workspace
from workbench.view.effects import elsewhere_words

if TYPE_CHECKING:
    from workbench.models.live import LiveModel

SELF_DRIVEN = frozenset({"scripted", "simulated"})
"""Models that need neither a network nor a person: where nobody looks on, nobody has to wait for their delays."""


@dataclass(slots=True, kw_only=True)
class Opened:
    """A run and what stands around it. Close it when done."""

    run: Run
    scenario: Scenario
    tools: LoadedFolder
    workspace: Workspace
    sandbox: tempfile.TemporaryDirectory[str] | None
    journal: JournalWriter | LateJournal | None
    path: Path | None = None
    """The session file it was opened from; None for a new run."""
    torn: str = ""
    """What was set aside at the end of the file, as a sentence."""
    notes: tuple[str, ...] = ()
    """What a person should know before it goes on, a sentence each: tools that are not what they were, say."""
    told: bool = False
    """Whether another branch has done what this run was about to do, and that was not known before it was opened."""
    read_only: str = ""
    """Why nothing can be recorded (somebody else writes the session); "" when all is well."""
    tail: Tail | None = None
    """What is added to a session that is opened for reading."""
    live: LiveModel | None = None
    """The model, where it is one over the network: it keeps connections."""

    @property
    def session_path(self) -> Path | None:
        """Where the run is kept; None while nothing has happened, or when it is not kept at all."""
        writer = self.journal.writer if isinstance(self.journal, LateJournal) else self.journal
        return writer.path if writer is not None else self.path

    def close(self) -> None:
        if self.live is not None:
            self.live.close()
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
    headless: bool = False,
    session_id: str = "",
    created: datetime | None = None,
    tools: LoadedFolder | None = None,
    typed_url: str = "",
) -> Opened:
    """A new run of a scenario, before its first move.

    `person`: the scenario's person entries answer its questions. `keep`: in the sessions folder of `home`, or in the
    file `save`; without it nothing is written. `headless`: nobody looks on, so scripted delays take no time, and the
    session is there at once. `tools`: those of `home`, for a caller that has loaded them already. `typed_url`: the
    address of a live model that a person has given just now, so that the key may go there. Raises ScenarioError,
    sandbox.TrustNeeded, and SessionError for `save`.
    """
    clock = clock or _clock(scenario, headless)
    tools = tools or load_tools(home.tools)
    now = created or datetime.now(UTC).replace(microsecond=0)
    asked = asked_by(scenario, home, clock, scenario_path, typed_url=typed_url)
    header = _header(
        scenario, home, tools, asked, session_id=session_id or new_id(now), created=stamp(now), path=scenario_path
    )
    return _assembled(
        scenario,
        header,
        home=home,
        asked=asked,
        tools=tools,
        usable=[tools.tools[name] for name in scenario.tools if name in tools.tools],
        make_journal=partial(_new_journal, header, home, keep, save, headless),
        branches=partial(branches_of, header, home, save, new=True),
        clock=clock,
        person=person,
        notes=warned(asked, scenario.limits),
    )


def _header(
    scenario: Scenario, home: Home, tools: LoadedFolder, asked: Asked, *, session_id: str, created: str, path: str
) -> Header:
    """What a new run begins with. Raises ScenarioError, which also tells why a tool or a fault is not there."""
    faults = load_catalogue(home.faults if scenario.fault else None)
    try:
        return build_header(
            scenario,
            [tool.info for tool in tools.tools.values()],
            id=session_id,
            created=created,
            workbench=__version__,
            path=path,
            catalogue=faults.entries,
            endpoint=asked.live.endpoint if asked.live is not None else None,
        )
    except ScenarioError as error:
        raise ScenarioError([*error.problems, *why_missing(error, tools, home, path), *faults.problems]) from None


def _assembled(
    scenario: Scenario,
    header: Header,
    *,
    home: Home,
    asked: Asked,
    tools: LoadedFolder,
    usable: Sequence[LoadedTool],
    make_journal: Callable[[], JournalWriter | LateJournal | None],
    branches: Callable[[], Branches | None],
    clock: Clock,
    person: bool,
    events: Sequence[Event] = (),
    **about: Any,
) -> Opened:
    """The run of a header in its sandbox; `about` is what else there is to say of it, as in `Opened`.

    A run that is not kept has no `branches`. Raises TrustNeeded and ScenarioError, and ValueError for events that make
    no run; then no sandbox is left.
    """
    sandbox, workspace = make_sandbox(scenario, events, header.scenario_path)
    try:
        journal = make_journal()
        run = _run(
            scenario,
            header,
            home=home,
            asked=asked,
            tools=usable,
            workspace=workspace,
            journal=journal or MemoryJournal(),
            clock=clock,
            person=_person(scenario) if person else None,
            branches=branches() if journal is not None else None,
            events=events,
        )
    except BaseException:
        if sandbox is not None:
            sandbox.cleanup()
        raise
    return Opened(
        run=run,
        scenario=scenario,
        tools=tools,
        workspace=workspace,
        sandbox=sandbox,
        journal=journal,
        live=asked.live,
        **about,
    )


def _run(
    scenario: Scenario,
    header: Header,
    *,
    home: Home,
    asked: Asked,
    tools: Sequence[LoadedTool],
    workspace: Workspace,
    clock: Clock,
    events: Sequence[Event] = (),
    branches: Branches | None = None,
    **parts: Any,
) -> Run:
    """The run of a header, by the loop that its scenario names."""
    if scenario.loop not in MUSEUM:
        able = _able(asked, header, tools, workspace, home, clock, events)
        return Run(header, model=asked.model, tools=able, clock=clock, events=events, branches=branches, **parts)
    from workbench.museum.registry import PIECES  # only for those who go there
    from workbench.museum.run import MuseumRun
    from workbench.museum.unchecked import unchecked

    able = timed(ToolBox(list(map(unchecked, tools)), workspace), tools, home, clock)
    able = keyless(able, home, asked.live)
    piece = PIECES[scenario.loop]
    return MuseumRun(piece, header, model=asked.model, tools=able, clock=clock, events=events, **parts)


def _able(
    asked: Asked,
    header: Header,
    tools: Sequence[LoadedTool],
    workspace: Workspace,
    home: Home,
    clock: Clock,
    events: Sequence[Event],
) -> Tools:
    """The tools of a run beside the model that it asks: a recording has its own."""
    if is_recorded(asked.scenario):
        return recorded_tools(asked.scenario, header, clock=clock, here=ToolBox(tools), events=events)
    return keyless(timed(ToolBox(tools, workspace), tools, home, clock), home, asked.live)


def _new_journal(
    header: Header, home: Home, keep: bool, save: Path | None, at_once: bool
) -> JournalWriter | LateJournal | None:
    if save is None and not keep:
        return None
    create = partial(SessionStore(home.sessions).create, header, save=save)
    return create() if at_once or save is not None else LateJournal(create, held_back=1)


def reopen(
    path: Path,
    home: Home,
    *,
    clock: Clock | None = None,
    person: bool = False,
    read_only: bool = False,
    headless: bool = False,
    typed_url: str = "",
) -> Opened:
    """A saved run as it stands; `headless` and `typed_url` as in `new_run`. One of the packaged examples goes on in a
    copy of its own.

    Raises SessionError, SessionLocked, ScenarioError, TrustNeeded.
    """
    journal: JournalWriter | LateJournal | None = None
    if read_only:
        session = read_session(path)
    elif home.is_shipped(path):
        session = read_session(path)
        journal = LateJournal(partial(SessionStore(home.sessions).copy_of, path), held_back=0)
    else:
        session, journal = open_session(path)
    try:
        return _reopened(session, journal, home, clock=clock, person=person, headless=headless, typed_url=typed_url)
    except BaseException:
        if journal is not None:
            journal.close()
        raise


def _reopened(
    session: Session,
    journal: JournalWriter | LateJournal | None,
    home: Home,
    *,
    clock: Clock | None,
    person: bool,
    headless: bool,
    typed_url: str,
) -> Opened:
    header, path = session.header, session.path
    file = header.scenario_path or path.name
    scenario = scenario_from_plain(header.scenario, file)
    tools = load_tools(home.tools)
    usable, notes = usable_tools(header.tools, tools)
    try:
        sound.check(session.events)
        asking = with_choice(scenario, latest_choice(session.events))
        clock = clock or _clock(asking, headless)
        asked = asked_again(asking, home, clock, file, typed_url=typed_url)
        opened = _assembled(
            scenario,
            header,
            home=home,
            asked=asked,
            tools=tools,
            usable=usable,
            make_journal=lambda: journal,
            branches=partial(branches_of, header, home, path),
            clock=clock,
            person=person,
            events=session.events,
            path=path,
            torn=session.torn or "",
            # Of nothing that is only read need anybody be warned, and no tool runs beside a recording.
            notes=(*(() if is_recorded(asking) else notes), *asked.notes) if journal is not None else (),
            read_only="" if journal is not None else "opened for reading only",
            tail=Tail(session) if journal is None else None,
        )
        _tell_of_branches(opened)
        return opened
    except ValueError as error:  # events or effects that were changed by hand, and make no run
        raise SessionError(f"{path.name}: {error}") from None


def _tell_of_branches(opened: Opened) -> None:
    """Let a run, and who goes on with it, know what other branches have done."""
    run = opened.run
    try:
        done = run.branches.done() if run.branches is not None else ()
        opened.notes += _elsewhere(run, done)
        opened.told = isinstance(opened.journal, JournalWriter) and run.told(done)
    except BaseException:
        if opened.sandbox is not None:
            opened.sandbox.cleanup()
        raise


def _elsewhere(run: Run, done: Sequence[Executed]) -> tuple[str, ...]:
    """What other branches have done, for who goes on with a run that has not come to its end."""
    more = elsewhere(executed(run.header, run.events), done) if done and run.state.status not in SUCCESSES else ()
    return (elsewhere_words(more),) if more else ()


def change_model(opened: Opened, home: Home, choice: str, base_url: str = "") -> tuple[str, ...]:
    """Let a run ask another model from here on, as `asking.asked_instead` names it; returns what a person should know.

    Raises ScenarioError, and CommandError where the run cannot change its model now.
    """
    run = opened.run
    file = run.header.scenario_path
    asked = asked_instead(opened.scenario, home, run.clock, file, choice=choice, base_url=base_url)
    usable, _ = usable_tools(run.header.tools, opened.tools)
    run.ask(asked.model, asked.info, _able(asked, run.header, usable, opened.workspace, home, run.clock, run.events))
    if opened.live is not None:
        opened.live.close()
    opened.live = asked.live
    return tuple(filter(None, (*warned(asked, run.state.limits), left_out(run.state, asked))))


def _clock(scenario: Scenario, headless: bool) -> Clock:
    """In a recording the time that everything took is over already."""
    waits = not (is_recorded(scenario) or (headless and scenario.model.use in SELF_DRIVEN))
    return SystemClock() if waits else VirtualClock()


def _person(scenario: Scenario) -> Person | None:
    return ScriptedPerson(scenario.person) if scenario.person else None
