"""Forks: a new session that has the events of another one up to some point, and goes on from there on its own.

The parent is only read, never locked and never written, so it may be an example, somebody else's, or in use. A fork
holds all of its own events: whatever becomes of its parent, it can be opened.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench import __version__
from workbench.asking import Asked, asked_instead, latest_choice, left_out, warned, with_choice
from workbench.core import commands
from workbench.core.events import Event, Forked, ModelReply, ToolResult, UserMessage
from workbench.core.ledger import Executed, elsewhere, entry_to, executed, since
from workbench.core.model_info import model_to
from workbench.core.ports import Clock, Reply, Tools, Usage
from workbench.core.reading import read_reply
from workbench.core.state import State, fold
from workbench.core.values import Header, RawCall
from workbench.home import Home
from workbench.lineage import Lineage
from workbench.models.rewriting import other_problem, what_it_is
from workbench.models.written import rewritten
from workbench.opening import Opened, reopen
from workbench.performing import goal_met
from workbench.sandbox import real_folder
from workbench.scenarios.answers import loop_of
from workbench.scenarios.loader import scenario_from_plain
from workbench.scenarios.loops import MUSEUM
from workbench.scenarios.schema import Scenario
from workbench.sessions.errors import SessionError
from workbench.sessions.header import stamp
from workbench.sessions.store import SessionStore, new_id
from workbench.tooling import usable_tools
from workbench.toolkit.execute import ToolBox
from workbench.toolkit.loader import load_tools

_PLACE = re.compile(r", from event [0-9,]+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """Where a fork begins, and what is different in it."""

    at: int
    """The last event that it has from its parent, from 1; 0 for none. What was done after it is not known there."""
    text: str | None = None
    """What event `at` says instead: a message, a result, or a whole reply as `models.written` has it."""
    choice: str = ""
    """Another model, as `asking.asked_instead` names it."""
    base_url: str = ""
    """Where that is asked, as a person has typed it just now."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Other settings, as in `settings_changed`."""
    message: str = ""
    """What the user says to begin with."""
    title: str = ""


def fork(
    header: Header,
    events: Sequence[Event],
    branch: Branch,
    home: Home,
    *,
    clock: Clock | None = None,
    person: bool = False,
    headless: bool = False,
    save: Path | None = None,
    session_id: str = "",
    created: datetime | None = None,
) -> Opened:
    """The fork of a run as a session of its own, before its first move, in the sessions folder or in the file `save`.

    `clock`, `person` and `headless` as in `opening.new_run`. Nothing is left where it fails. Raises SessionError,
    ScenarioError, TrustNeeded, and CommandError for a change, a text or a message that cannot be.
    """
    loop = loop_of(header)
    if loop in MUSEUM:
        raise SessionError(f"the loop {loop} cannot go on from the middle: it can only be run again")
    _check_place(events, branch)
    shared = events[: branch.at - (branch.text is not None)]
    scenario = scenario_from_plain(header.scenario, header.scenario_path or header.title or "session")
    real_folder(scenario, header.scenario_path)
    asked = _other_model(scenario, shared, branch, home, clock)
    try:
        state = fold(header, shared)
        done = known_of(header, events, branch.at, state.title, home)
    except ValueError as error:
        raise SessionError(f"the session makes no run: {error}") from None
    new = _beginning(state, events, branch, asked, done, _tool_box(header, home))
    own = _own_header(header, branch, state.title, session_id, created)
    with SessionStore(home.sessions).create(own, [*shared, *new], save) as journal:
        path = journal.path
    try:
        opened = reopen(path, home, clock=clock, person=person, headless=headless, typed_url=branch.base_url)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    if asked is not None:
        notes = (*opened.notes, *warned(asked, state.limits), left_out(state, asked))
        opened.notes = tuple(filter(None, notes))
    return opened


def branch_title(title: str, at: int) -> str:
    """The name of a fork that was given none."""
    return f"{_PLACE.sub('', title)}, from event {at:,}"


# ---------------------------------------------------------------- parts


def known_of(header: Header, events: Sequence[Event], at: int, title: str, home: Home) -> list[Executed]:
    """What a fork is told: what its parent has done after event `at`, and what other branches of the lineage have."""
    own = executed(header, events)
    mine = (replace(item, branch=item.branch or title or header.goal) for item in since(own, at))
    return [*mine, *elsewhere(own, Lineage((home.sessions,), header).done())]


def _check_place(events: Sequence[Event], branch: Branch) -> None:
    """Raises SessionError for a place that is not there, or where no other text can be given."""
    if not 0 <= branch.at <= len(events):
        raise SessionError(f"there is no event {branch.at}: the session has {len(events)}")
    if branch.text is not None and (branch.at == 0 or not what_it_is(events[branch.at - 1])):
        what = events[branch.at - 1].kind.replace("_", " ") if branch.at else "the beginning"
        raise SessionError(f"event {branch.at} is {what}: another text can be given to a message, a reply or a result")


def _own_header(header: Header, branch: Branch, title: str, session_id: str, created: datetime | None) -> Header:
    """The header of the fork of a run that is called `title` by now."""
    now = created or datetime.now(UTC).replace(microsecond=0)
    return replace(
        header,
        id=session_id or new_id(now),
        title=branch.title or branch_title(title or header.goal, branch.at),
        created=stamp(now),
        workbench=__version__,
        root=header.lineage,
        parent=header.id,
        parent_at=branch.at,
    )


def _other_model(
    scenario: Scenario, events: Sequence[Event], branch: Branch, home: Home, clock: Clock | None
) -> Asked | None:
    """The model that the fork asks instead; None for the same. Raises ScenarioError."""
    if not branch.choice and not branch.base_url:
        return None
    from workbench.clocks import SystemClock

    known = scenario if branch.choice else with_choice(scenario, latest_choice(events))
    clock = clock or SystemClock()
    return asked_instead(known, home, clock, branch.choice, choice=branch.choice, base_url=branch.base_url)


def _tool_box(header: Header, home: Home) -> ToolBox:
    usable, _ = usable_tools(header.tools, load_tools(home.tools))
    return ToolBox(usable)


def _beginning(
    state: State,
    events: Sequence[Event],
    branch: Branch,
    asked: Asked | None,
    done: Sequence[Executed],
    tools: ToolBox,
) -> list[Event]:
    """The first events of the fork's own, after those that it shares; `state` is taken to where they end."""
    new: list[Event] = []

    def add(event: Event) -> None:
        try:
            state.apply(event)
        except ValueError as error:
            raise commands.CommandError(str(error)) from None
        new.append(event)

    header, title = state.header, state.title
    if branch.text is not None:
        add(edited(state, events[branch.at - 1], branch.text, tools))
    add(Forked(parent=header.id, at=branch.at, title=title, effects=tuple(map(entry_to, done))))
    changes = dict(branch.changes)
    if title != header.title:
        # The run was named on the way here, and the name of a fork is its own.
        changes.setdefault("title", branch.title or branch_title(title, branch.at))
    if asked is not None and asked.info != state.model:
        changes["model"] = model_to(asked.info)
    if changes:
        add(commands.changed(state, changes))
    if branch.message:
        add(commands.message(state, branch.message))
    return new


def edited(state: State, event: Event, text: str, tools: Tools) -> Event:
    """The event with another text, as it follows `state`. Raises CommandError for a text that it cannot have."""
    if problem := other_problem(event, text, native=state.protocol.native_tools):
        raise commands.CommandError(problem)
    match event:
        case UserMessage():
            return UserMessage(text=text)
        case ToolResult():
            return _other_result(state, event, text, tools)
        case ModelReply():
            return _other_reply(state, event, text, tools)
        case _:
            raise commands.CommandError(f"a {event.kind} has no text to change")


def _other_result(state: State, event: ToolResult, text: str, tools: Tools) -> ToolResult:
    """What the model reads in place of a result. What the tool did is done, and stays with it."""
    record = state.record(event.call)
    really = event.original_outcome or event.outcome
    outcome = "ran" if record is not None and record.started is not None and really != "stored" else "answered"
    check = state.header.goal_check
    met = event.goal_met
    if check is not None and not check.file and record is not None:
        met = goal_met(check, tools, record.call.tool, text)
    return replace(
        event,
        outcome=outcome,  # type: ignore[arg-type]  # one of two words
        content=text,
        value="",
        full_chars=0,
        cursor="",
        original=event.original if event.changed_by else event.content,
        original_outcome=really if really != outcome else "",
        changed_by="you",
        goal_met=met,
        retry=True,
    )


def _other_reply(state: State, event: ModelReply, text: str, tools: Tools) -> ModelReply:
    """What the model said instead. It cost what the reply has cost, and stands at its place in the script."""
    native = state.protocol.native_tools
    said = Reply(
        text=event.text,
        calls=tuple(RawCall(call.tool, call.arguments) for call in event.calls) if native else (),
        thinking=event.thinking,
        usage=Usage(
            input=event.input_tokens,
            output=event.output_tokens,
            cache_read=event.cache_read,
            cache_write=event.cache_write,
        ),
        model=event.model,
        attempts=event.attempts,
        line=event.line,
        served=event.served,
        captures=event.captures,
        notes=event.notes,
        original=event.original,
        changed_by=event.changed_by,
        faults=event.faults,
    )
    reply = rewritten(said, text, "you", native=native)
    if reply is said:
        return event
    return replace(read_reply(state, reply, tools.check, event.took), cost=event.cost, asked=event.asked)
