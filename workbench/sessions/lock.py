"""One writer for a session: a lock of the operating system beside the file, gone by itself when its process is gone.

The lock lies on `<file>.lock`, which holds the writer's process id for whoever comes second. Reading needs no lock.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from workbench.sessions.errors import JournalError, SessionLocked

_FAR = 1 << 20
"""Windows locks bytes, and a locked byte cannot be read: this one is past everything that is."""


class Lock:
    """The right to write one session, held until `release`. Raises SessionLocked where somebody else has it."""

    __slots__ = ("_file", "_path")

    def __init__(self, session: Path) -> None:
        self._path = session.with_name(f"{session.name}.lock")
        self._file = -1
        while self._file < 0:
            self._file = self._take(session)

    def release(self) -> None:
        """Give the right back; a second time does nothing."""
        if self._file < 0:
            return
        # Removed while it is still held, so that nobody's lock is removed but ours. Windows cannot: there it stays.
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._file)
        self._file = -1

    def _take(self, session: Path) -> int:
        """The locked file, or -1 when it was removed under our hands and has to be made again."""
        file = -1
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            _lock(file)
        except BlockingIOError:
            owner = os.read(file, 20).decode("ascii", "replace")
            os.close(file)
            raise SessionLocked(_sentence(session, owner)) from None
        except OSError as error:
            if file >= 0:
                os.close(file)
            raise JournalError(f"{session.name} cannot be locked for writing: {error.strerror}") from error
        if not _is_at(file, self._path):
            os.close(file)
            return -1
        with contextlib.suppress(OSError):  # A full disk: the lock holds without saying whose it is.
            os.ftruncate(file, 0)
            os.write(file, str(os.getpid()).encode())
        return file


def is_held(session: Path) -> bool:
    """Whether somebody has the right to write that session now."""
    try:
        file = os.open(session.with_name(f"{session.name}.lock"), os.O_RDWR)
    except OSError:
        return False
    try:
        _lock(file)
    except OSError:
        return True
    finally:
        os.close(file)
    return False


def _sentence(session: Path, owner: str) -> str:
    who = "in this process" if owner == str(os.getpid()) else f"by process {owner}" if owner.isdigit() else "elsewhere"
    return f"{session.name} is being written {who}: open it to read only, or fork it"


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":

    def _lock(file: int) -> None:
        import msvcrt

        os.lseek(file, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError from error
        finally:
            os.lseek(file, 0, os.SEEK_SET)

else:

    def _lock(file: int) -> None:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
