from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sessions.samples import RUN, write
from workbench.sessions.errors import SessionError, SessionLocked
from workbench.sessions.journal import open_session, read_session
from workbench.sessions.lock import Lock

HOLD = """
import sys
from pathlib import Path
from workbench.sessions.lock import Lock
lock = Lock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
lock.release()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """Another process that holds the lock until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_writer_is_told_who_writes_and_can_still_read(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    before = write(path)
    with holder(path) as process:
        with pytest.raises(
            SessionLocked, match=rf"a\.toml is being written by process {process.pid}: open it to read only, or fork it"
        ):
            open_session(path)
        assert read_session(path).events == list(RUN)
        process.communicate()
    assert path.read_bytes() == before
    open_session(path, durable=False)[1].close()
    assert [item.name for item in tmp_path.iterdir()] == ["a.toml"]


def test_the_lock_of_a_dead_process_is_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    write(path)
    with holder(path) as process:
        process.kill()
    assert (tmp_path / "a.toml.lock").read_text() == str(process.pid)
    open_session(path, durable=False)[1].close()


def test_two_writers_in_one_process_exclude_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    write(path)
    _, journal = open_session(path, durable=False)
    with journal, pytest.raises(SessionLocked, match=r"a\.toml is being written in this process"):
        open_session(path)
    with open_session(path, durable=False)[1]:
        pass


def test_making_a_session_locks_it_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    lock = Lock(path)
    with pytest.raises(SessionLocked):
        write(path)
    lock.release()
    lock.release()
    write(path)


def test_a_failed_opening_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("title = 'no session'\n")
    for _ in range(2):
        with pytest.raises(SessionError, match="not a session"):
            open_session(path)
    assert [item.name for item in tmp_path.iterdir()] == ["a.toml"]


def test_a_lock_file_removed_under_our_hands_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between opening the lock file and locking it, its last holder may remove it."""
    path = tmp_path / "a.toml"
    beside = tmp_path / "a.toml.lock"
    opened = os.open
    removals = iter([True])

    def open_and_lose(*args: object, **kwargs: object) -> int:
        file = opened(*args, **kwargs)  # type: ignore[arg-type]
        if next(removals, False):
            beside.unlink()
        return file

    monkeypatch.setattr(os, "open", open_and_lose)
    lock = Lock(path)
    assert beside.exists()
    with pytest.raises(SessionLocked):
        Lock(path)
    lock.release()
    assert not beside.exists()
