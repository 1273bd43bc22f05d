"""The other sessions of a lineage, as far as they lie in the same folders: what their runs have really done by now.

An effect that one branch had is there for all of them, so whoever is about to act looks here first. A folder may hold
thousands of sessions: of each file only the beginning is read, and of the few that belong to the lineage the
whole, again when they have changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock

from workbench.core.events import SettingsChanged
from workbench.core.ledger import Executed, executed
from workbench.core.values import Header
from workbench.home import Home
from workbench.sessions.errors import SessionError
from workbench.sessions.header import session_table
from workbench.sessions.journal import Session, read_session

_HEAD_BYTES = 16_384
"""Bytes in which the [session] table ends; a title that is longer than that is nobody's."""
_KEY = b"\nkey = "
"""How the idempotency key stands in a file: where there is none, nothing was done that is more than reading."""
Stamp = tuple[int, int]
"""When a file was written, in ns, and its bytes."""


class Lineage:
    """The branches that a run has besides itself. Its methods may be called from any thread, and raise nothing."""

    def __init__(self, folders: Iterable[Path], header: Header, own: Path | None = None) -> None:
        """`own` is the session of the run itself; while it has no file, whatever has its id is taken for it."""
        self._folders = tuple(dict.fromkeys(folder.resolve() for folder in folders))
        self._root, self._id = header.lineage, header.id
        self._own = str(own.resolve()) if own is not None else ""
        self._lock = Lock()
        self._strangers: dict[str, Stamp] = {}
        """Files that are not of the lineage."""
        self._done: dict[str, tuple[Stamp, tuple[Executed, ...]]] = {}

    def begin(self) -> None:
        """Take every session that there is for a stranger: a run that has not begun comes before all its branches."""
        with self._lock:
            self._strangers = self._files()

    def done(self) -> tuple[Executed, ...]:
        """What the other branches have really done, each effect with the title of its session."""
        with self._lock:
            before, known = self._strangers, self._done
            self._strangers, self._done = {}, {}
            for path, stamp in self._files().items():
                if path == self._own:
                    continue
                if before.get(path) == stamp or not (path in known or self._belongs(path)):
                    self._strangers[path] = stamp
                elif path in known and known[path][0] == stamp:
                    self._done[path] = known[path]
                else:
                    self._done[path] = stamp, _done_by(Path(path))
            return tuple(item for _, items in self._done.values() for item in items)

    def _files(self) -> dict[str, Stamp]:
        found = {}
        for folder in self._folders:
            with suppress(OSError), os.scandir(folder) as entries:
                for each in entries:
                    if each.name.endswith(".toml"):
                        with suppress(OSError):
                            status = each.stat()
                            found[each.path] = (status.st_mtime_ns, status.st_size)
        return found

    def _belongs(self, path: str) -> bool:
        """Whether it is of the lineage, and not the run itself."""
        try:
            with Path(path).open("rb") as file:
                head = file.read(_HEAD_BYTES)
            table = session_table(head) if self._root.encode() in head else {}
        except (OSError, ValueError):
            return False
        if not self._own and table.get("id") == self._id:
            return False
        return self._root in (table.get("id"), table.get("root"))


def branches_of(header: Header, home: Home, path: Path | None, *, new: bool = False) -> Lineage:
    """The other branches of a run that is kept in that file, or will be, without one, in the sessions folder.

    Who goes on with a packaged session does so in a copy, which is in that folder, too.
    """
    own = None if path is None or home.is_shipped(path) else path
    found = Lineage((home.sessions, *((own.parent,) if own is not None else ())), header, own)
    if new:
        found.begin()
    return found


def _done_by(path: Path) -> tuple[Executed, ...]:
    """What was done in a session after it was forked. What makes no run has done nothing that could be told."""
    try:
        if _KEY not in path.read_bytes():
            return ()
        session = read_session(path)
        header, title = session.header, _title(session)
        items = executed(header, session.events, header.parent_at)
    except (OSError, ValueError, SessionError):
        return ()
    return tuple(replace(item, branch=title) for item in items if item.call)


def _title(session: Session) -> str:
    titles = (event.changes.get("title") for event in reversed(session.events) if isinstance(event, SettingsChanged))
    given = next((title for title in titles if isinstance(title, str)), session.header.title)
    return given or session.header.goal
