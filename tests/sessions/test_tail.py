"""A session that somebody else writes, as it is seen to grow."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sessions.samples import HEADER, RUN, write
from workbench.core.events import UserMessage
from workbench.sessions.errors import SessionError
from workbench.sessions.journal import create_session, open_session, read_session
from workbench.sessions.lock import is_held
from workbench.sessions.tail import Tail


@given(cuts=st.lists(st.integers(0, 10_000), max_size=6).map(sorted), read=st.integers(0, len(RUN)))
@settings(max_examples=60, deadline=None)
def test_however_the_bytes_come_the_events_do(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], read: int
) -> None:
    folder = tmp_path_factory.mktemp("tail")
    whole, path = write(folder / "whole.toml"), folder / "a.toml"
    write(path, RUN[:read])
    tail = Tail(read_session(path))
    begun = path.stat().st_size
    seen = []
    for end in [*(begun + cut for cut in cuts), len(whole)]:
        path.write_bytes(whole[:end])
        seen += tail.read()
    assert tuple(seen) == RUN[read:]
    assert tail.read() == []


def test_a_writer_is_seen_as_long_as_it_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with create_session(path, HEADER, durable=False) as journal:
        tail = Tail(read_session(path))
        assert tail.is_growing()
        journal.append(RUN[0], sync=False)
        assert tail.read() == [RUN[0]]
    assert not tail.is_growing()
    assert not is_held(path)
    with open_session(path, durable=False)[1]:
        assert tail.is_growing()


def test_a_lock_that_nobody_holds_is_no_writer(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    write(path)
    (tmp_path / "a.toml.lock").write_text("12345")
    assert not is_held(path)
    with open_session(path, durable=False)[1] as journal:
        journal.append(UserMessage(text="on"), sync=False)


def test_a_session_without_trailers_gets_them_with_its_first_writer(tmp_path: Path) -> None:
    path = tmp_path / "by-hand.toml"
    lines = write(path).decode().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith("#~ ")), encoding="utf-8")
    tail = Tail(read_session(path))
    more = UserMessage(text="And?")
    with open_session(path, durable=False)[1] as journal:
        journal.append(more, sync=False)
    assert tail.read() == [more]


def test_a_file_that_was_shortened_or_is_gone_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    whole = write(path)
    tail = Tail(read_session(path))
    path.write_bytes(whole[:100])
    with pytest.raises(SessionError, match=r"a\.toml is shorter than it was"):
        tail.read()
    path.unlink()
    with pytest.raises(SessionError, match=r"a\.toml cannot be read: No such file"):
        tail.read()


def test_what_somebody_else_has_put_there_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    whole = write(path, RUN[:1])
    tail = Tail(read_session(path))
    path.write_bytes(whole + b'\n[[event]]\nn = 2\nkind = "user_message"\ntext = "forged"\n#~ 2 00000000\n')
    assert tail.read() == []
