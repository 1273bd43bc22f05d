"""Runs to export: the shipped sessions, and some made here."""

from __future__ import annotations

from collections.abc import Sequence

from tests.scenarios_shipped.shipped import HOME, PACKAGED, shipped_tools
from workbench.core.events import Event
from workbench.core.state import State
from workbench.core.values import Header
from workbench.export.files import folders_of
from workbench.export.forms import BY_NAME, Recorded, Written, recorded
from workbench.export.palette import palettes
from workbench.sessions.journal import read_session

SESSIONS = sorted((PACKAGED / "sessions").glob("*.toml"), key=lambda path: path.stem)
NAMES = [path.stem for path in SESSIONS]


def of(header: Header, events: Sequence[Event], theme: str = "") -> Recorded:
    return recorded(
        header, events, palettes=palettes(HOME.themes, theme), tools_here=folders_of(shipped_tools(), PACKAGED)
    )


def shipped(name: str) -> Recorded:
    """The shipped session of that name."""
    session = read_session(PACKAGED / "sessions" / f"{name}.toml")
    return of(session.header, session.events)


def standing(state: State) -> Recorded:
    """A run of which only the state is known."""
    return Recorded(header=state.header, events=(), state=state)


def written(form: str, run: Recorded) -> Written:
    return BY_NAME[form].write(run)
