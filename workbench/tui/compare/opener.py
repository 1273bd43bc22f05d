"""From two sessions to what is compared; called in a thread, for it reads and imports."""

from __future__ import annotations

from pathlib import Path

from workbench.core.divergence import Side
from workbench.home import Home
from workbench.opening import Opened
from workbench.sessions.errors import SessionError
from workbench.sessions.journal import read_session
from workbench.sessions.store import session_of_id
from workbench.tui.compare.screen import CompareScreen
from workbench.view.comparing import Compared, Pair, compared


def compare_files(a: Path, b: Path) -> CompareScreen:
    """The comparison of two sessions. Raises SessionError."""
    return _screen(compared(read_session(a)), compared(read_session(b)))


def compare_with_parent(opened: Opened, home: Home) -> CompareScreen:
    """A fork beside the run it comes from, which is A. Raises SessionError where that is not to be found."""
    header = opened.run.header
    path = opened.session_path
    beside = (path.parent,) if path is not None else ()
    parent = session_of_id((*beside, *home.session_folders), header.parent)
    if parent is None:
        raise SessionError(f"the session {header.parent} that this one comes from is in no sessions folder any more")
    run, name = opened.run, path.stem if path is not None else header.id
    fork = Compared(Side(header, tuple(run.events)), run.state.copy(), name, path)
    return _screen(compared(read_session(parent)), fork)


def _screen(a: Compared, b: Compared) -> CompareScreen:
    pair = Pair(a, b)
    assert pair.found is not None  # found out here, where it keeps nobody waiting
    return CompareScreen(pair)
