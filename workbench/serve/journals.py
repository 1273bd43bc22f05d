"""Many sessions being written at once, with few files open."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

from workbench.core.events import Event
from workbench.core.values import Header
from workbench.sessions.errors import JournalError
from workbench.sessions.journal import JournalWriter, open_writer
from workbench.sessions.store import SessionStore

MOST_OPEN = 64
"""Sessions that are open for writing at a time; each takes two files."""


class ServedJournal:
    """The journal of one conversation. Between two events its file may be closed, and anybody may open it."""

    def __init__(self, journals: Journals, writer: JournalWriter) -> None:
        self.path: Path = writer.path
        self.written = writer.last
        """How many events there are in the file, as far as this server knows."""
        self._journals = journals

    def append(self, event: Event, *, sync: bool) -> None:  # noqa: ARG002 - see Journals
        """Write one event. Raises SessionError where the file cannot be written, or somebody else has written it."""
        self._journals.writer(self).append(event, sync=False)
        self.written += 1


class Journals:
    """Makes sessions in a folder, and keeps at most so many of them open.

    Nothing is synced to the disk: what the tools of a client do is the client's, and nothing is ever repeated, or not,
    on the strength of these files.
    """

    def __init__(self, folder: Path, *, most_open: int = MOST_OPEN) -> None:
        self._store = SessionStore(folder, durable=False)
        self._most_open = most_open
        self._open: OrderedDict[ServedJournal, JournalWriter] = OrderedDict()

    def create(self, header: Header) -> ServedJournal:
        """The journal of a new session. Raises JournalError."""
        writer = self._store.create(header)
        journal = ServedJournal(self, writer)
        self._hold(journal, writer)
        return journal

    def writer(self, journal: ServedJournal) -> JournalWriter:
        """The open file of a journal. Raises SessionError."""
        writer = self._open.get(journal)
        if writer is None:
            writer = open_writer(journal.path, durable=False)
            if writer.last != journal.written:
                writer.close()
                raise JournalError(f"{journal.path.name} has been written by somebody else in the meantime")
        self._hold(journal, writer)
        return writer

    def close(self, journal: ServedJournal) -> None:
        """Close the file of a journal, which may be opened again."""
        writer = self._open.pop(journal, None)
        if writer is not None:
            writer.close()

    def close_all(self) -> None:
        """Close every file."""
        for journal in list(self._open):
            self.close(journal)

    def _hold(self, journal: ServedJournal, writer: JournalWriter) -> None:
        self._open[journal] = writer
        self._open.move_to_end(journal)
        if len(self._open) > self._most_open:
            self.close(next(iter(self._open)))
