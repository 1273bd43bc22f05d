"""A folder of sessions: new ones get a name, all are listed at a glance, a bad file never hides the good ones."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from workbench.core.events import Event, Forked, Resumed, SettingsChanged, Stopped, UserMessage
from workbench.core.statuses import SUCCESSES, Status
from workbench.core.values import Header
from workbench.sessions.encode import HEAD, event_from
from workbench.sessions.errors import JournalError, SessionError, SessionExists, SessionLocked
from workbench.sessions.header import read_toml, session_table
from workbench.sessions.journal import (
    JournalWriter,
    Session,
    create_session,
    extent,
    open_session,
    open_writer,
    read_bytes,
    read_session,
)
from workbench.sessions.lock import Lock

_EVENT = re.compile(rb'\n\[\[event\]\]\nn = \d+\nkind = "(\w+)"\n')
_NEXT_EVENT = f"\n{HEAD}".encode()
_HEAD_BYTES = 16_384
"""Bytes in which the [session] table ends; a title that is longer than that is nobody's."""
_TELLING = {cls.kind for cls in (UserMessage, SettingsChanged, Stopped, Resumed, Forked)}
"""The kinds of event that can change a session's status or title. There are few of them in a session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """What a list shows of a session."""

    path: Path
    id: str
    title: str
    created: str
    """UTC, ISO 8601."""
    modified: float
    """Seconds since 1970, of the last write."""
    status: Status
    events: int
    steps: int
    """Replies of the model, in all."""
    model_calls: int
    """Requests, failed ones included."""
    parent: str
    """The id of the session it was forked from; "" for none."""
    parent_at: int
    root: str
    """The id of the session at the root of its lineage; "" for itself."""
    scenario_path: str
    torn: bool
    """Whether its end was cut off; opening it for writing sets that part aside."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that is in the folder and cannot be listed, with the reason as a sentence."""

    path: Path
    why: str


class Listing(NamedTuple):
    """What is in a folder; the session written last comes first."""

    sessions: list[SessionSummary]
    problems: list[Problem]


class SessionStore:
    """The sessions of one folder. The folder is made when the first session is."""

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        self.folder = folder
        self._durable = durable

    def create(self, header: Header, events: Sequence[Event] = (), save: Path | None = None) -> JournalWriter:
        """A new session that begins with these events, in a file named after its title, e.g.
        `refund-for-a-broken-mug-3.toml`, or in the file `save` wherever that is. Raises JournalError.
        """
        if save is not None:
            save.parent.mkdir(parents=True, exist_ok=True)
            return create_session(save, header, events, durable=self._durable)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            names = [path.name for path in self.folder.iterdir()]
        except OSError as error:
            raise JournalError(f"{self.folder} cannot hold sessions: {error.strerror}") from error
        stem = slug(header.title or header.goal)
        numbered = re.compile(rf"{stem}-([0-9]{{1,9}})\.toml")
        number = max((int(match[1]) for name in names if (match := numbered.match(name))), default=0)
        while True:
            number += 1
            with suppress(SessionExists, SessionLocked):
                return create_session(self.folder / f"{stem}-{number}.toml", header, events, durable=self._durable)

    def copy_of(self, session: Path) -> JournalWriter:
        """Goes on with a session of another folder in a copy here: that one stays as it is. Raises SessionError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        number = 1
        while (copy := self.folder / f"{session.stem}-{number}.toml").exists():
            number += 1
        copy.write_bytes(session.read_bytes())
        return open_writer(copy, durable=self._durable)

    def open(self, path: Path) -> tuple[Session, JournalWriter]:
        """See `open_session`."""
        return open_session(path, durable=self._durable)

    def rename(self, path: Path, title: str) -> None:
        """Give a session that nobody is writing another title; its file keeps its name. Raises SessionError."""
        with open_writer(path, durable=self._durable) as journal:
            journal.append(SettingsChanged(changes={"title": title}), sync=True)

    def delete(self, path: Path) -> None:
        """Remove a session that nobody is writing, and what was set aside of it. Raises SessionError."""
        if path.suffix != ".toml" or path.parent.resolve() != self.folder.resolve():
            raise SessionError(f"{path.name} is no session of {self.folder}; it is not deleted")
        lock = Lock(path)
        try:
            path.unlink()
            path.with_name(f"{path.name}.torn").unlink(missing_ok=True)
        except OSError as error:
            raise SessionError(f"{path.name} cannot be deleted: {error.strerror}") from error
        finally:
            lock.release()

    def list(self) -> Listing:
        """Every session of the folder, and every file that should be one and is not. Raises nothing."""
        listing = Listing([], [])
        for path in sorted(self.folder.glob("*.toml")):
            try:
                listing.sessions.append(summary(path))
            except SessionError as error:
                listing.problems.append(Problem(path, str(error)))
        listing.sessions.sort(key=lambda item: item.modified, reverse=True)
        return listing


def summary(path: Path) -> SessionSummary:
    """A session at a glance: only its [session] table and the events that change status or title are parsed.

    Raises SessionError.
    """
    data = read_bytes(path)
    good = extent(path, data)
    try:
        modified = path.stat().st_mtime
        table = session_table(data)
        kinds, telling = _kinds(data[: good.length]) if good.sealed else _kinds_by_parsing(path)
    except OSError as error:
        raise SessionError(f"{path.name} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SessionError(f"{path.name}: {error}") from None
    status, title = _status_and_title(telling, table.get("title", ""))
    steps = kinds["model_reply"]
    return SessionSummary(
        path=path,
        id=table["id"],
        title=title,
        created=table.get("created", ""),
        modified=modified,
        status=status,
        events=good.last,
        steps=steps,
        model_calls=steps + kinds["model_failed"],
        parent=table.get("parent", ""),
        parent_at=table.get("parent_at", 0),
        root=table.get("root", ""),
        scenario_path=table.get("scenario_path", ""),
        torn=good.length < len(data),
    )


def session_of_id(folders: Iterable[Path], session_id: str) -> Path | None:
    """The session with that id in one of these folders; None where it is in none. Reads only the beginning of files."""
    for folder in folders:
        for path in sorted(folder.glob("*.toml")):
            with suppress(OSError, ValueError), path.open("rb") as file:
                head = file.read(_HEAD_BYTES)
                if session_id.encode() in head and session_table(head).get("id") == session_id:
                    return path
    return None


def _kinds(data: bytes) -> tuple[Counter[str], list[Event]]:
    """How many events of each kind there are, and the telling ones."""
    kinds: Counter[str] = Counter()
    telling = []
    for kind, read in scan(data):
        kinds[kind] += 1
        if kind in _TELLING:
            telling.append(read())
    return kinds, telling


def scan(data: bytes) -> Iterator[tuple[str, Callable[[], Event]]]:
    """The kind of each event of a sealed file, and what parses that event. A line `[[event]]` is never text.

    Parsing raises ValueError.
    """
    for match in _EVENT.finditer(data):
        yield match[1].decode(), partial(_event_at, data, match.start(), match.end())


def _event_at(data: bytes, start: int, after: int) -> Event:
    end = data.find(_NEXT_EVENT, after)
    return event_from(read_toml(data[start : end if end >= 0 else len(data)])["event"][0])[1]


def _kinds_by_parsing(path: Path) -> tuple[Counter[str], list[Event]]:
    events = read_session(path).events
    return Counter(event.kind for event in events), events


def _status_and_title(events: Iterable[Event], title: str) -> tuple[Status, str]:
    status = Status.RUNNING
    for event in events:
        match event:
            case Stopped():
                status = event.status
            case UserMessage() | Resumed():
                status = Status.RUNNING
            case Forked() if status not in SUCCESSES:
                status = Status.RUNNING
            case SettingsChanged():
                title = str(event.changes.get("title", title))
    return status, title


def new_id(created: datetime, token: str = "") -> str:
    """The id of a session: when it was created, in UTC, and four hex digits, e.g. "20260131-100000-7f3a".

    `token` replaces the random digits.
    """
    return f"{created.astimezone(UTC):%Y%m%d-%H%M%S}-{token or os.urandom(2).hex()}"


def slug(title: str) -> str:
    """A file name for a title: at most 48 of a-z, 0-9 and single hyphens; "session" when nothing else is left."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub("[^a-z0-9]+", "-", plain)[:48].strip("-") or "session"
