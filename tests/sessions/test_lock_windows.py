"""The lock as it is taken on Windows, with byte locks of the test's own in place of the system's."""

from __future__ import annotations

import errno
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from workbench.sessions import lock as here
from workbench.sessions.errors import SessionLocked


class ByteLocks(ModuleType):
    """`msvcrt`, as far as it locks: a byte of a file, for whoever has it open, until it is closed."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        super().__init__("msvcrt")
        self.held: dict[tuple[int, int, int], int] = {}

    def locking(self, file: int, mode: int, size: int) -> None:
        assert (mode, size) == (self.LK_NBLCK, 1)
        about = os.fstat(file)
        byte = (about.st_dev, about.st_ino, os.lseek(file, 0, os.SEEK_CUR))
        if self._is_open(self.held.get(byte, file), about) and self.held.get(byte, file) != file:
            raise OSError(errno.EACCES, "Permission denied")
        self.held[byte] = file

    def _is_open(self, file: int, about: os.stat_result) -> bool:
        try:
            return os.path.samestat(os.fstat(file), about)
        except OSError:
            return False


@pytest.fixture
def locks(monkeypatch: pytest.MonkeyPatch) -> ByteLocks:
    found = ByteLocks()
    monkeypatch.setitem(sys.modules, "msvcrt", found)
    return found


@pytest.fixture
def windows(locks: ByteLocks, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, imported as there: a file that is open cannot be removed."""
    spec = importlib.util.spec_from_file_location("lock_on_windows", here.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "win32")
        spec.loader.exec_module(module)

    def refuse(path: Path) -> None:
        raise PermissionError(errno.EACCES, "used by another process", str(path))

    monkeypatch.setattr(Path, "unlink", refuse)
    return module


def test_there_is_one_writer_and_whoever_comes_second_is_told_who_it_is(windows: Any, tmp_path: Path) -> None:
    session = tmp_path / "s.toml"
    first = windows.Lock(session)
    assert windows.is_held(session)
    with pytest.raises(SessionLocked, match=r"s\.toml is being written in this process"):
        windows.Lock(session)
    first.release()
    first.release()
    assert not windows.is_held(session)


def test_the_file_that_stays_can_be_locked_again(windows: Any, tmp_path: Path) -> None:
    session = tmp_path / "s.toml"
    windows.Lock(session).release()
    assert (tmp_path / "s.toml.lock").read_text() == str(os.getpid())
    windows.Lock(session).release()


def test_the_locked_byte_is_none_that_anybody_reads(windows: Any, locks: ByteLocks, tmp_path: Path) -> None:
    held = windows.Lock(tmp_path / "s.toml")
    size = (tmp_path / "s.toml.lock").stat().st_size
    assert all(offset > size for _, _, offset in locks.held)
    held.release()


def test_the_lock_of_somebody_else_is_not_taken(windows: Any, locks: ByteLocks, tmp_path: Path) -> None:
    path = tmp_path / "s.toml.lock"
    path.write_text("4711")
    theirs = os.open(path, os.O_RDWR)
    os.lseek(theirs, 1 << 20, os.SEEK_SET)
    locks.locking(theirs, locks.LK_NBLCK, 1)
    with pytest.raises(SessionLocked, match="is being written by process 4711"):
        windows.Lock(tmp_path / "s.toml")
    os.close(theirs)
    windows.Lock(tmp_path / "s.toml").release()
