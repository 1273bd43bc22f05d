"""`workbench fork SESSION --at N`: a new session that has the events of another one up to there, and goes on."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from workbench.cli.decisions import settings_of
from workbench.cli.errors import BadInput
from workbench.cli.output import out
from workbench.cli.places import home_of, session_file
from workbench.cli.runs import play, records_of
from workbench.cli.show import ledger
from workbench.core.events import Event, Forked
from workbench.forking import Branch, fork
from workbench.lineage import branches_of
from workbench.models.rewriting import what_it_is
from workbench.opening import Opened
from workbench.results import person_took_part
from workbench.scenarios.loader import scenario_from_plain
from workbench.sessions.journal import read_session
from workbench.view.visible import visible

TEXTS = ("result", "reply", "user")
"""Options that give event N another text."""
KIND = {"result": "result", "reply": "reply", "user": "message"}


def fork_session(options: argparse.Namespace) -> int:
    """`workbench fork SESSION --at N`."""
    home = home_of(options)
    path = session_file(options.session, home)
    session = read_session(path)
    header, events = session.header, session.events
    at = len(events) if options.at is None else options.at
    if not 0 <= at <= len(events):
        raise BadInput(f"--at {at}: the session has {len(events)} events")
    if session.torn:
        print(visible(session.torn), file=sys.stderr)
    scenario = scenario_from_plain(header.scenario, header.scenario_path or path.name)
    changes = settings_of(scenario, options)
    title = options.title or str(changes.pop("title", ""))
    branch = Branch(
        at=at,
        text=_other_text(options, events, at),
        choice=options.model,
        base_url=options.base_url,
        changes=changes,
        title=title,
        message=options.message,
    )
    others = branches_of(header, home, path).done()
    with records_of(options) as records:
        opened = fork(
            header,
            events,
            branch,
            home,
            # Where a real person took part, what was written beforehand does not fit any more.
            person=not person_took_part(events[:at]),
            headless=True,
            save=Path(options.save) if options.save else None,
        )
        for note in opened.notes:
            print(visible(note), file=sys.stderr)
        for line in (*_beginning(opened, path), *ledger(header, events, at, others), ""):
            if options.json:
                print(line, file=sys.stderr)
            else:
                out(line)
        return play(opened, options, records)


def _beginning(opened: Opened, parent: Path) -> list[str]:
    """Where it comes from."""
    at = next(event.at for event in reversed(opened.run.events) if isinstance(event, Forked))
    return [visible(f"forked from {parent.stem} at event {at}; that session stays as it is")]


def _other_text(options: argparse.Namespace, events: Sequence[Event], at: int) -> str | None:
    """What the event says instead, where one of the options says so and is about such an event."""
    given = [name for name in TEXTS if getattr(options, name) is not None]
    if len(given) > 1:
        raise BadInput(f"--{given[0]} and --{given[1]}: a fork has another text for one event")
    if not given:
        return None
    name = given[0]
    if at == 0 or what_it_is(events[at - 1]) != KIND[name]:
        places = [str(n) for n, event in enumerate(events, 1) if what_it_is(event) == KIND[name]]
        is_ = f"event {at} is {events[at - 1].kind.replace('_', ' ')}" if at else "there is no event 0"
        where = f"--at {' or '.join(places[-8:])}" if places else "the session has none"
        raise BadInput(f"--{name}: {is_}, not a {KIND[name]}; {where}")
    text: str = getattr(options, name)
    return text
