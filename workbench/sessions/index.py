"""What was read of session files, kept from one start to the next, so that thousands of sessions list at once.

A cache and nothing else: it may be deleted at any time, and nothing but a list and its search ever rests on it. An
entry counts only while its file has the time and size that it had when it was read. Where the cache cannot be read or
written (it is damaged, the place is read-only, another process holds it for long) it goes on in memory.

SQLite keeps what processes do at the same time apart, and searches texts without loading them.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

from workbench import __version__

T = TypeVar("T")
Stamp = tuple[int, int]
"""When a file was written, in ns, and its bytes."""

FORMAT = 1
"""Goes up when what is kept changes its meaning. Another version of the workbench keeps nothing of this one either."""
PATIENCE = 2.0
"""Seconds to wait for another process that writes."""
_FAILURES = (sqlite3.Error, OSError, TypeError, ValueError)
_OUT_OF_REACH = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
    }
)
_LAYOUT = zlib.crc32(f"{FORMAT} {__version__}".encode()) & 0x7FFFFFFF
_TABLE = """
CREATE TABLE sessions (
    folder BLOB NOT NULL, name BLOB NOT NULL, written INTEGER NOT NULL, size INTEGER NOT NULL,
    facts TEXT NOT NULL, text BLOB NOT NULL, UNIQUE (folder, name)
)
"""


class Entry(NamedTuple):
    """What is kept of a file."""

    stamp: Stamp
    facts: str
    """What a list shows, in whatever form whoever reads it has given it."""


class SessionIndex:
    """The index in one file, for any number of folders. Its methods may be called from any thread, and raise nothing.

    `lost` turns true when what was kept before is not there any more, so that files have to be read again.
    """

    def __init__(self, file: Path | None) -> None:
        """`file` is made when it is needed; None keeps everything in memory."""
        self._file = file
        self._lock = Lock()
        self._database: sqlite3.Connection | None = None
        self._pruned = False
        self.lost = False

    def entries(self, folder: Path) -> dict[Path, Entry]:
        """What is kept of the files of a folder. Other hands may have been at it: the facts may be anything."""

        def read(database: sqlite3.Connection) -> dict[Path, Entry]:
            rows = database.execute(
                "SELECT name, written, size, facts FROM sessions WHERE folder = ?", (os.fsencode(folder),)
            )
            return {
                folder / os.fsdecode(name): Entry((written, size), str(facts)) for name, written, size, facts in rows
            }

        return self._do(read, {})

    def keep(self, entries: Iterable[tuple[Path, Entry, str]]) -> None:
        """Keep what was read of files, in place of what was kept before, each with the text that is searched."""
        rows = [
            (*_key(path), *entry.stamp, entry.facts, text.encode("utf-8", "surrogatepass"))
            for path, entry, text in entries
        ]

        def write(database: sqlite3.Connection) -> None:
            with database:
                database.executemany("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?)", rows)
                if not self._pruned:
                    _prune(database)
                    self._pruned = True

        if rows:
            self._do(write, None)

    def forget(self, paths: Iterable[Path]) -> None:
        """Files that are not there any more."""
        keys = [_key(path) for path in paths]

        def write(database: sqlite3.Connection) -> None:
            with database:
                database.executemany("DELETE FROM sessions WHERE folder = ? AND name = ?", keys)

        if keys:
            self._do(write, None)

    def holding(self, text: str) -> frozenset[Path]:
        """The files in whose text that one is. It has to be in lower case, as they are."""

        def search(database: sqlite3.Connection) -> frozenset[Path]:
            wanted = text.encode("utf-8", "surrogatepass")
            rows = database.execute("SELECT folder, name FROM sessions WHERE instr(text, ?)", (wanted,))
            return frozenset(Path(os.fsdecode(folder), os.fsdecode(name)) for folder, name in rows)

        return self._do(search, frozenset())

    def close(self) -> None:
        """Let the file go. It is opened again when need be."""
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None
                self.lost = self._file is None

    # ------------------------------------------------------------ the database

    def _do(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        with self._lock:
            try:
                return work(self._opened())
            except _FAILURES as error:
                self._begin_again(damaged=_is_damage(error))
            try:
                return work(self._opened())
            except _FAILURES:
                return otherwise

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            if self._file is not None:
                _prepare(self._file)
            self._database = _connected(self._file)
            _lay_out(self._database)
        return self._database

    def _begin_again(self, *, damaged: bool) -> None:
        """With a new file in place of a damaged one; without a file, where that is not to be had."""
        before, self._database = self._database, None
        taken = False
        if not damaged or self._file is None or not _removed(self._file):
            self._file = None
            with suppress(*_FAILURES):
                self._database = _connected(None)
                if before is not None and not damaged:
                    before.backup(self._database)
                    taken = True
                _lay_out(self._database)
        if before is not None:
            before.close()
        self.lost = self.lost or not taken


def _connected(file: Path | None) -> sqlite3.Connection:
    database = sqlite3.connect(file or ":memory:", timeout=PATIENCE, check_same_thread=False)
    database.execute("PRAGMA synchronous = OFF")
    return database


def _is_damage(error: Exception) -> bool:
    """Whether the file is no good, rather than out of reach for now."""
    code = getattr(error, "sqlite_errorcode", None)
    return not isinstance(error, OSError) and (code is None or code & 0xFF not in _OUT_OF_REACH)


def _removed(file: Path) -> bool:
    try:
        file.unlink(missing_ok=True)
        file.with_name(f"{file.name}-journal").unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _prepare(file: Path) -> None:
    """Sessions are private, and so is what is kept of them."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(OSError):
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))


def _lay_out(database: sqlite3.Connection) -> None:
    """An empty table, unless there is one of this layout."""
    (layout,) = database.execute("PRAGMA user_version").fetchone()
    if layout == _LAYOUT:
        return
    with database:
        database.execute("BEGIN IMMEDIATE")
        (layout,) = database.execute("PRAGMA user_version").fetchone()
        if layout != _LAYOUT:
            database.execute("DROP TABLE IF EXISTS sessions")
            database.execute(_TABLE)
            database.execute(f"PRAGMA user_version = {_LAYOUT}")


def _prune(database: sqlite3.Connection) -> None:
    """Forget what is kept of folders that are gone."""
    folders = database.execute("SELECT DISTINCT folder FROM sessions").fetchall()
    gone = [(folder,) for (folder,) in folders if not Path(os.fsdecode(folder)).is_dir()]
    database.executemany("DELETE FROM sessions WHERE folder = ?", gone)


def _key(path: Path) -> tuple[bytes, bytes]:
    return os.fsencode(path.parent), os.fsencode(path.name)
