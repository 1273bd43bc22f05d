"""What somebody else adds to a session while it is looked at."""

from __future__ import annotations

import re
from pathlib import Path

from workbench.core.events import Event
from workbench.sessions.encode import Seal, event_from
from workbench.sessions.errors import SessionError
from workbench.sessions.header import read_toml
from workbench.sessions.journal import Session
from workbench.sessions.lock import is_held

_TRAILER = re.compile(rb"^#~ (\d{1,18}) ([0-9a-f]{8})\n", re.MULTILINE)


class Tail:
    """The events after those of a session that was read. Reading changes nothing and needs no lock."""

    def __init__(self, session: Session) -> None:
        self.path: Path = session.path
        self._seal = Seal(session.header.id)
        self._last = len(session.events)
        self._length = session.length

    def is_growing(self) -> bool:
        """Whether somebody has the session open for writing."""
        return is_held(self.path)

    def read(self) -> list[Event]:
        """The events that have been added since, as far as they are whole. O(what was added).

        Raises SessionError where the file is not the one that was read any more.
        """
        try:
            length = self.path.stat().st_size
            if length == self._length:
                return []
            with self.path.open("rb") as file:
                file.seek(self._length)
                data = file.read()
        except OSError as error:
            raise SessionError(f"{self.path.name} cannot be read: {error.strerror}") from error
        if length < self._length:
            raise SessionError(f"{self.path.name} is shorter than it was; it is not what was opened")
        return self._events(data)

    def _events(self, data: bytes) -> list[Event]:
        """A trailer that does not fit is that of an event which is still being written."""
        events, start = [], 0
        for line in _TRAILER.finditer(data):
            n, body = int(line[1]), data[start : line.start()].lstrip(b"\n")
            if n == self._last and not body:
                start = line.end()  # a session that was written by hand gets its first trailer with its first writer
            elif n == self._last + 1 and self._seal.of(n, body) == line[2].decode():
                events.append(self._event(n, body))
                self._last, start = n, line.end()
        self._length += start
        return events

    def _event(self, n: int, body: bytes) -> Event:
        try:
            return event_from(read_toml(body)["event"][0])[1]
        except (ValueError, KeyError, IndexError) as error:
            raise SessionError(f"{self.path.name}, event {n}: {error}") from None
