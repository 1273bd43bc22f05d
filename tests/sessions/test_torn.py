"""A session cut anywhere: never a wrong event, always a prefix, and the next event can be read."""

from __future__ import annotations

import mmap
import random
from pathlib import Path

import pytest

from tests.sessions.samples import HEADER, RUN, write
from workbench.core.events import Event, Resumed
from workbench.sessions.errors import SessionError
from workbench.sessions.journal import Extent, open_session, read_session, recover


@pytest.fixture
def session(tmp_path: Path) -> tuple[Path, bytes, list[int]]:
    """The file, its bytes, and where each of its parts ends: the header, then every event."""
    ends = [len(write(tmp_path / f"{n}.toml", RUN[:n])) for n in range(len(RUN) + 1)]
    path = tmp_path / "a.toml"
    return path, write(path), ends


def whole_events(ends: list[int], length: int) -> list[Event]:
    return list(RUN[: sum(end <= length for end in ends[1:])])


def test_cut_at_every_byte_of_the_last_two_events(session: tuple[Path, bytes, list[int]]) -> None:
    path, data, ends = session
    aside = path.with_name("a.toml.torn")
    for length in range(ends[-3], len(data) + 1):
        path.write_bytes(data[:length])
        aside.unlink(missing_ok=True)
        expected = whole_events(ends, length)
        kept = max(end for end in ends if end <= length)

        loaded = read_session(path)
        assert loaded.events == expected
        assert (loaded.torn is None) == (kept == length)

        loaded, journal = open_session(path, durable=False)
        with journal:
            assert loaded.events == expected
            assert journal.last == len(expected)
            journal.append(Resumed(), sync=True)
        assert read_session(path).events == [*expected, Resumed()]
        assert (aside.read_bytes() if aside.exists() else b"") == data[kept:length]


def test_cut_at_random_earlier_bytes(session: tuple[Path, bytes, list[int]]) -> None:
    path, data, ends = session
    for length in random.Random(7).sample(range(ends[0], ends[-3]), 60):
        path.write_bytes(data[:length])
        assert read_session(path).events == whole_events(ends, length)


def test_a_cut_header_is_never_taken_for_a_whole_one(session: tuple[Path, bytes, list[int]]) -> None:
    path, data, ends = session
    for length in range(ends[0]):
        path.write_bytes(data[:length])
        with pytest.raises(SessionError, match=r"^a\.toml: "):
            read_session(path)


@pytest.mark.parametrize(
    "tail",
    [b"\0" * 5000, b"\n", b"#~ 7 00000000\n", b"\n[[event]]\nn = 7\n#~ 7 00000000\n"],
    ids=["zeros", "newline", "trailer", "forged"],
)
def test_whatever_stands_after_the_last_good_event_is_set_aside(
    session: tuple[Path, bytes, list[int]], tail: bytes
) -> None:
    path, data, _ = session
    path.write_bytes(data + tail)
    assert recover(data + tail, HEADER.id) == Extent(len(data), len(RUN))
    loaded, journal = open_session(path, durable=False)
    journal.close()
    assert loaded.events == list(RUN)
    assert loaded.torn == (
        f"the end of a.toml, {len(tail)} bytes after event 6, is not a whole event and was moved to a.toml.torn"
    )
    assert path.read_bytes() == data
    assert path.with_name("a.toml.torn").read_bytes() == tail


def test_what_was_set_aside_is_never_written_over(session: tuple[Path, bytes, list[int]]) -> None:
    path, data, _ = session
    for tail in (b"\n[[event]]\nfirst", b"\n[[event]]\nsecond"):
        path.write_bytes(data + tail)
        open_session(path, durable=False)[1].close()
    assert path.with_name("a.toml.torn").read_bytes() == b"\n[[event]]\nfirst\n[[event]]\nsecond"


def test_every_changed_byte_of_the_last_event_is_noticed(session: tuple[Path, bytes, list[int]]) -> None:
    _, data, ends = session
    for at in range(ends[-2] + 1, len(data)):
        changed = bytearray(data)
        changed[at] ^= 1
        found = recover(bytes(changed), HEADER.id)
        assert found == Extent(ends[-2], len(RUN) - 1)


def test_trailers_of_another_session_prove_nothing(session: tuple[Path, bytes, list[int]]) -> None:
    _, data, _ = session
    assert recover(data, "20260131-100000-0000") is None


def test_recovery_works_on_a_mapped_file(session: tuple[Path, bytes, list[int]]) -> None:
    path, data, ends = session
    path.write_bytes(data[:-3])
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert recover(mapped, HEADER.id) == Extent(ends[-2], len(RUN) - 1)
