"""What can go wrong with a session file. Every message is one sentence for people and names the file."""

from __future__ import annotations


class SessionError(Exception):
    """A session that cannot be read, found, opened or changed."""


class JournalError(SessionError):
    """An event or a header that could not be written. What was in the file before is still there, whole."""


class SessionExists(JournalError):
    """A new session was to get a name that is taken."""


class SessionLocked(SessionError):
    """Somebody else is writing this session. It can be read, or forked."""
