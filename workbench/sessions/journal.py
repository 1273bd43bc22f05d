"""The journal of a session: append-only, whole after a crash, the only truth of a run.

A file is a header and then events, each ended by a trailer line (`workbench.sessions.encode`); the header's is number
0. An event and its trailer go out in one write. What comes after the last good trailer was being written when something
went wrong: reading leaves it out and says so, and before anything is appended again it is moved to `<file>.torn`. A cut
file can be valid TOML with a wrong last event, so it is the checksum that decides, never a parser.

A file without any trailer was not written by the workbench, or was made by hand. It is taken as it parses, without
its last event where that is what does not parse; opening it for writing gives its last event a trailer.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workbench.core import sound
from workbench.core.events import Event
from workbench.core.state import State, fold
from workbench.core.values import Header
from workbench.sessions.encode import HEAD, TRAILER, Seal, event_body, event_from
from workbench.sessions.errors import JournalError, SessionError, SessionExists
from workbench.sessions.header import header_from, header_text, read_toml, session_table
from workbench.sessions.lock import Lock

_HEAD = f"\n{HEAD}".encode()
_TRAILER = f"\n{TRAILER}".encode()
_BINARY = getattr(os, "O_BINARY", 0)
_TRAILER_LINE = re.compile(rb"#~ (\d{1,18}) ([0-9a-f]{8})\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session as it was read."""

    path: Path
    header: Header
    events: list[Event]
    torn: str | None = None
    """What was left out at the end of the file, as a sentence; None when the file is whole."""
    length: int = 0
    """Bytes of the file up to the end of the last event."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a file is good: its length in bytes up to there, and the number of the last event (0: the header)."""

    length: int
    last: int
    sealed: bool = True
    """False when the file has no trailers."""


# ---------------------------------------------------------------- reading


def recover(data: bytes | mmap.mmap, session_id: str) -> Extent | None:
    """The good part of a journal, found from its end in O(1) of its length; None when no checksum fits.

    Steps further back only past what is torn.
    """
    seal = Seal(session_id)
    end = len(data)
    while (mark := data.rfind(_TRAILER, 0, end)) >= 0:
        end = mark
        line = _TRAILER_LINE.match(data, mark + 1)
        if line is None:
            continue
        n = int(line[1])
        start = data.rfind(_HEAD, 0, mark + 1) + 1 if n else 0
        if seal.of(n, data[start : mark + 1]) == line[2].decode():
            return Extent(line.end(), n)
    return None


def read_session(path: Path) -> Session:
    """The whole session; needs no lock and changes nothing. Raises SessionError: one sentence naming the file."""
    data = read_bytes(path)
    good = extent(path, data)
    return _parsed(path, data, good, _torn(path, data, good, "is left out"))


def fold_session(session: Session) -> State:
    """The state after the events of a session. Raises SessionError for events that make no run."""
    try:
        sound.check(session.events)
        return fold(session.header, session.events)
    except ValueError as error:
        raise SessionError(f"{session.path.name}: {error}") from None


def extent(path: Path, data: bytes) -> Extent:
    """How far the file is good, with or without trailers. Raises SessionError when it is no session at all."""
    try:
        found = recover(data, session_table(data)["id"])
        if found is not None:
            return found
        if _TRAILER in data:
            raise ValueError("its checksums do not fit; something other than the workbench changed it")
        return _extent_by_parsing(data)
    except ValueError as error:
        raise SessionError(f"{path.name}: {error}") from None


def _extent_by_parsing(data: bytes) -> Extent:
    try:
        whole = len(data)
        document = read_toml(data)
    except ValueError:
        whole = data.rfind(_HEAD) + 1
        if not whole:
            raise
        document = read_toml(data[:whole])
    events = document.get("event", [])
    if not events:
        raise ValueError("its header is not complete, and it has no events")
    return Extent(whole, len(events), sealed=False)


def read_bytes(path: Path) -> bytes:
    """The file's bytes. Raises SessionError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SessionError(f"{path.name} cannot be read: {error.strerror}") from error


def _parsed(path: Path, data: bytes, good: Extent, torn: str | None) -> Session:
    events: list[Event] = []
    where = path.name
    try:
        document = read_toml(data[: good.length])
        header = header_from(document)
        for n, table in enumerate(document.get("event", []), 1):
            where = f"{path.name}, event {n}"
            number, event = event_from(table)
            if number != n:
                raise ValueError(f"its number is {number}")
            events.append(event)
    except ValueError as error:
        raise SessionError(f"{where}: {error}") from None
    return Session(path=path, header=header, events=events, torn=torn, length=good.length)


def _torn(path: Path, data: bytes, good: Extent, fate: str) -> str | None:
    length = len(data) - good.length
    if not length:
        return None
    after = f"event {good.last}" if good.last else "the header"
    return f"the end of {path.name}, {length} bytes after {after}, is not a whole event and {fate}"


# ---------------------------------------------------------------- writing


class JournalWriter:
    """Appends events to one session. `create_session` and `open_session` give one; close it when done.

    An event is in the file, whole, when `append` returns, and on the disk when it was asked to sync and the writer is
    durable. Whether the file is still as this writer left it is then looked at first. After an error it is as it was
    before.
    """

    __slots__ = ("_durable", "_file", "_last", "_length", "_lock", "_seal", "path")

    def __init__(self, path: Path, session_id: str, good: Extent, lock: Lock, *, durable: bool) -> None:
        """`good` is all there is in the file. Raises OSError."""
        self.path = path
        self._seal = Seal(session_id)
        self._last = good.last
        self._length = good.length
        self._durable = durable
        self._lock = lock
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | _BINARY)

    @property
    def last(self) -> int:
        """The number of the last event in the file; 0 for none."""
        return self._last

    def append(self, event: Event, *, sync: bool) -> None:
        """Write one event. Raises JournalError, with the file as it was, when that cannot be done."""
        n = self._last + 1
        try:
            body = event_body(n, event)
        except (TypeError, ValueError, RecursionError) as error:
            raise JournalError(f"event {n} ({event.kind}) cannot be written as TOML: {error}") from error
        if self._file < 0:
            raise JournalError(f"{self.path.name} is closed; nothing more is written to it")
        if sync:
            self._check_place()
        data = b"\n" + body + self._seal.line(n, body)
        try:
            _write_all(self._file, data)
            if sync and self._durable:
                os.fsync(self._file)
        except BaseException as error:
            self._undo()
            if isinstance(error, OSError):
                raise JournalError(f"{self.path.name} cannot be written: {error.strerror}") from error
            raise
        self._length += len(data)
        self._last = n

    def close(self) -> None:
        """Let the session go, for other writers too. A second time does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        self._lock.release()

    def __enter__(self) -> JournalWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_place(self) -> None:
        """That the file is still the one at its path, and ends where this writer left it. Raises JournalError."""
        try:
            ours, there = os.fstat(self._file), os.stat(self.path)  # noqa: PTH116 - half the time of Path.stat
        except OSError as error:
            raise JournalError(f"{self.path.name} is not there any more: {error.strerror}") from error
        if (ours.st_ino, ours.st_dev) != (there.st_ino, there.st_dev):
            raise JournalError(f"{self.path.name} was replaced by another file; nothing more is written to it")
        if ours.st_size != self._length:
            raise JournalError(f"{self.path.name} was changed by something else; nothing more is written to it")

    def _undo(self) -> None:
        """Back to the last whole event. Where even that fails nothing may follow: it would land in a torn event."""
        try:
            os.ftruncate(self._file, self._length)
        except OSError:
            self.close()


def create_session(path: Path, header: Header, events: Sequence[Event] = (), *, durable: bool = True) -> JournalWriter:
    """A new session at that path, with the right to write it. It appears whole, with these events, or not at all.

    Raises SessionExists when something is there already, SessionLocked when somebody else is just making it,
    JournalError when it cannot be written.
    """
    what = "the header"
    try:
        head, bodies = header_text(header).encode(), []
        for n, event in enumerate(events, 1):
            what = f"event {n}"
            bodies.append(event_body(n, event))
    except (TypeError, ValueError, RecursionError) as error:
        raise JournalError(f"{what} of {path.name} cannot be written as TOML: {error}") from error
    seal = Seal(header.id)
    data = b"".join(
        [head, seal.line(0, head), *(b"\n" + body + seal.line(n, body) for n, body in enumerate(bodies, 1))]
    )
    unfinished = path.with_name(f"{path.name}.new")
    with _locked(path) as lock:
        if path.exists():
            raise SessionExists(f"{path.name} is there already; a session is never written over another")
        try:
            _write_file(unfinished, data, os.O_TRUNC, durable=durable)
            unfinished.rename(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
        if durable:
            _sync_folder(path.parent)
        return JournalWriter(path, header.id, Extent(len(data), len(bodies)), lock, durable=durable)


def open_session(path: Path, *, durable: bool = True) -> tuple[Session, JournalWriter]:
    """Read a session and go on writing it. A torn end is moved to `<file>.torn`, and `Session.torn` says so.

    Raises SessionLocked when somebody else writes it, SessionError when it cannot be read, JournalError when it cannot
    be written.
    """
    with _locked(path) as lock:
        data = read_bytes(path)
        good = extent(path, data)
        session = _parsed(path, data, good, _torn(path, data, good, f"was moved to {path.name}.torn"))
        return session, _writer(path, data, session.header.id, good, lock, durable=durable)


def open_writer(path: Path, *, durable: bool = True) -> JournalWriter:
    """Like `open_session`, without reading the events: for appending to a session that nobody looks at."""
    with _locked(path) as lock:
        data = read_bytes(path)
        good = extent(path, data)
        return _writer(path, data, session_table(data)["id"], good, lock, durable=durable)


@contextmanager
def _locked(path: Path) -> Iterator[Lock]:
    """The lock of the session; it stays when all goes well. What the system refuses is a JournalError."""
    lock = Lock(path)
    try:
        yield lock
    except OSError as error:
        lock.release()
        raise JournalError(f"{path.name} cannot be written: {error.strerror}") from error
    except BaseException:
        lock.release()
        raise


def _writer(path: Path, data: bytes, session_id: str, good: Extent, lock: Lock, *, durable: bool) -> JournalWriter:
    """A writer at the good end of the file; what stands after that end is set aside first."""
    body, rest = data[: good.length], data[good.length :]
    if rest:
        _write_file(path.with_name(f"{path.name}.torn"), rest, os.O_APPEND, durable=durable)
        os.truncate(path, good.length)
    if not good.sealed:
        gap = b"" if body.endswith(b"\n") else b"\n"
        last = (body + gap)[body.rfind(_HEAD) + 1 :]
        seal = gap + Seal(session_id).line(good.last, last)
        _write_file(path, seal, os.O_APPEND, durable=durable)
        good = Extent(good.length + len(seal), good.last)
    return JournalWriter(path, session_id, good, lock, durable=durable)


def _write_file(path: Path, data: bytes, how: int, *, durable: bool) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | how | _BINARY, 0o644)
    try:
        _write_all(file, data)
        if durable:
            os.fsync(file)
    finally:
        os.close(file)


def _write_all(file: int, data: bytes) -> None:
    written = os.write(file, data)
    while written < len(data):
        written += os.write(file, data[written:])


def _sync_folder(folder: Path) -> None:
    """Make a new name in the folder survive a power cut, where the system has a way to ask for that."""
    if os.name == "nt":
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
