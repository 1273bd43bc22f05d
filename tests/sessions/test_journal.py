from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sessions.samples import HEADER, RUN, write
from tests.strategies import events, exactly, headers
from workbench.core.events import Event, Resumed, SettingsChanged, ToolStarted, UserMessage
from workbench.core.plain import to_fields
from workbench.core.values import Header
from workbench.sessions.errors import JournalError, SessionError, SessionExists
from workbench.sessions.journal import create_session, open_session, open_writer, read_session

TOML = Path(__file__).parents[1] / "data" / "toml"


@given(header=headers(), run=st.lists(events(), max_size=4))
@settings(max_examples=40, deadline=None)
def test_any_session_reads_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, header: Header, run: list[Event]
) -> None:
    path = tmp_path_factory.mktemp("any") / "a.toml"
    write(path, run, header)
    session = read_session(path)
    assert session.torn is None
    assert session.header.id == header.id
    assert len(session.events) == len(run)
    assert all(exactly(to_fields(one), to_fields(other)) for one, other in zip(session.events, run, strict=True))


@given(run=st.lists(events(), max_size=4), split=st.integers(0, 4))
@settings(max_examples=20, deadline=None)
def test_going_on_later_gives_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, run: list[Event], split: int
) -> None:
    folder = tmp_path_factory.mktemp("later")
    whole = write(folder / "whole.toml", run)
    path = folder / "parts.toml"
    write(path, run[:split])
    session, journal = open_session(path, durable=False)
    assert (session.torn, journal.last) == (None, len(run[:split]))
    with journal:
        for event in run[split:]:
            journal.append(event, sync=False)
        assert journal.last == len(run)
    assert path.read_bytes() == whole


def test_a_session_is_plain_toml_for_any_other_reader(tmp_path: Path) -> None:
    document = tomllib.loads(write(tmp_path / "a.toml").decode())
    assert document["format"] == 1
    assert document["session"]["id"] == HEADER.id
    assert [event["n"] for event in document["event"]] == [1, 2, 3, 4, 5, 6]
    assert document["event"][0]["text"] == "Combined population of Paris and Lima?"


def test_making_a_session_syncs_and_never_writes_over_another(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with create_session(path, HEADER) as journal:
        journal.append(RUN[0], sync=True)
    before = path.read_bytes()
    with pytest.raises(SessionExists, match=r"a\.toml is there already"):
        create_session(path, replace(HEADER, id="other"))
    assert path.read_bytes() == before
    assert [item.name for item in tmp_path.iterdir()] == ["a.toml"]


# ---------------------------------------------------------------- what cannot be written


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Files of this process cannot grow past `size` bytes: a write that does is cut short, the next one fails."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("room", [0, 1, 40])
def test_a_full_disk_leaves_the_earlier_file_whole(tmp_path: Path, room: int) -> None:
    path = tmp_path / "a.toml"
    before = write(path, RUN[:2])
    _, journal = open_session(path, durable=False)
    with journal:
        with (
            room_for(len(before) + room),
            pytest.raises(JournalError, match=r"a\.toml cannot be written: File too large"),
        ):
            journal.append(RUN[2], sync=True)
        assert path.read_bytes() == before
        assert journal.last == 2
        journal.append(RUN[2], sync=True)
    assert read_session(path).events == list(RUN[:3])


def test_a_full_disk_leaves_no_half_made_session(tmp_path: Path) -> None:
    with room_for(10), pytest.raises(JournalError, match=r"a\.toml cannot be written"):
        create_session(tmp_path / "a.toml", HEADER, durable=False)
    assert list(tmp_path.iterdir()) == []


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("value", [object(), b"bytes", {1, 2}, nested(100_000)])
def test_a_value_that_is_not_plain_is_refused_before_anything_is_written(tmp_path: Path, value: object) -> None:
    path = tmp_path / "a.toml"
    before = write(path, RUN[:1])
    with open_writer(path, durable=False) as journal:
        with pytest.raises(JournalError, match=r"event 2 \(settings_changed\) cannot be written as TOML"):
            journal.append(SettingsChanged(changes={"hold": value}), sync=False)
        assert path.read_bytes() == before
        journal.append(Resumed(), sync=False)
    assert read_session(path).events == [RUN[0], Resumed()]
    with pytest.raises(JournalError, match=r"header of b\.toml cannot be written as TOML"):
        create_session(tmp_path / "b.toml", replace(HEADER, scenario={"a": value}), durable=False)


def test_a_closed_journal_takes_nothing_more(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    before = write(path)
    _, journal = open_session(path, durable=False)
    journal.close()
    journal.close()
    with pytest.raises(JournalError, match=r"a\.toml is closed"):
        journal.append(Resumed(), sync=True)
    assert path.read_bytes() == before


def test_a_session_that_may_not_be_written_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "gone" / "a.toml"
    with pytest.raises(JournalError, match=r"a\.toml cannot be locked for writing: No such file or directory"):
        open_session(path)
    with pytest.raises(SessionError, match=r"a\.toml cannot be read: No such file or directory"):
        read_session(path)


# ---------------------------------------------------------------- files that are no session of ours


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", r"a\.toml: it is not a session"),
        (b"title = 'a scenario'\n", r"a\.toml: it is not a session"),
        (b"\x89PNG\r\n\x1a\n\0\0", r"a\.toml: line 1 is not UTF-8"),
        (b"format = 1\n[session]\nid = 'x'\n[run\n", r"a\.toml: .* \(at line 4"),
        (b"format = 9\n[session]\nid = 'x'\n", r"a\.toml: session format 9 is not known here; .* reads format 1"),
        (b"format = 1\n[session]\nid = 'x'\n[run]\ngoal = 'g'\n", r"a\.toml: its header is not complete"),
        (b"format = 1\n[session]\nid = 'x'\na = " + b"[" * 10_000, r"a\.toml: it is nested too deep"),
    ],
)
def test_a_file_that_is_no_session_is_refused_in_one_sentence(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    with pytest.raises(SessionError, match=complaint):
        read_session(path)
    with pytest.raises(SessionError, match=complaint):
        open_session(path)
    assert path.read_bytes() == content
    assert [item.name for item in tmp_path.iterdir()] == ["a.toml"]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (b'kind = "tool_started"', b'kind = "tool_begun"', r"a\.toml, event 3: unknown event kind 'tool_begun'"),
        (b"n = 3\n", b"n = 4\n", r"a\.toml, event 3: its number is 4"),
        (b'key = "5d', b'kez = "5d', r"a\.toml, event 3: event 'tool_started' has no field 'kez'"),
        (b"[run]", b"[ran]", r"a\.toml: the file has no key 'ran'; did you mean 'run'"),
        (b"\n", b"\r\n", r"a\.toml: its checksums do not fit; something other than the workbench changed it"),
        (b"7f3a", b"7f3b", r"a\.toml: its checksums do not fit"),
    ],
)
def test_a_session_changed_by_something_else_is_refused_and_left_alone(
    tmp_path: Path, old: bytes, new: bytes, complaint: str
) -> None:
    path = tmp_path / "a.toml"
    changed = write(path).replace(old, new)
    path.write_bytes(changed)
    with pytest.raises(SessionError, match=complaint):
        open_session(path)
    assert path.read_bytes() == changed
    assert [item.name for item in tmp_path.iterdir()] == ["a.toml"]


def test_a_title_changed_by_hand_is_taken_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(write(path).replace(b'title = "Two cities"', b'title = "Two \xc3\xa9 cities"'))
    session, journal = open_session(path, durable=False)
    with journal:
        assert session.header == replace(HEADER, title="Two é cities")
        journal.append(Resumed(), sync=True)
    assert read_session(path).events == [*RUN, Resumed()]


# ---------------------------------------------------------------- files made by hand


def test_a_hand_made_journal_torn_in_its_last_event_loads_without_it_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "torn.toml"
    whole = (TOML / "journal-torn-tail.toml").read_bytes()
    path.write_bytes(whole)
    session = read_session(path)
    assert [event.kind for event in session.events] == ["user_message", "model_reply"]
    assert session.torn is not None
    assert "after event 2, is not a whole event and is left out" in session.torn
    assert path.read_bytes() == whole

    session, journal = open_session(path, durable=False)
    with journal:
        assert journal.last == 2
        assert "torn.toml.torn" in str(session.torn)
        journal.append(ToolStarted(call="c1"), sync=True)
    again = read_session(path)
    assert again.torn is None
    assert again.events == [*session.events, ToolStarted(call="c1")]
    torn = (tmp_path / "torn.toml.torn").read_bytes()
    assert torn.startswith(b"[[event]]\nn = 3\n")
    assert whole.endswith(torn)


def test_a_hand_made_journal_is_safe_against_cuts_once_it_has_been_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes((TOML / "journal-call-started-not-finished.toml").read_bytes().rstrip())
    session, journal = open_session(path, durable=False)
    assert isinstance(session.events[-1], ToolStarted)
    assert session.torn is None
    with journal:
        journal.append(UserMessage(text="a\nb\n"), sync=True)
    data = path.read_bytes()
    for length in range(data.rindex(b"\n[[event]]"), len(data)):
        path.write_bytes(data[:length])
        assert read_session(path).events == session.events


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xef\xbb\xbf" + (TOML / "journal-call-started-not-finished.toml").read_bytes())
    assert len(read_session(path).events) == 4


def test_nothing_is_written_to_a_file_that_another_writer_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with create_session(path, HEADER, durable=False) as journal:
        journal.append(RUN[0], sync=True)
        with path.open("ab") as other:
            other.write(b"# mine\n")
        before = path.read_bytes()
        with pytest.raises(JournalError, match=r"^a\.toml was changed by something else"):
            journal.append(RUN[1], sync=True)
        assert (path.read_bytes(), journal.last) == (before, 1)


def test_nothing_is_written_to_a_file_that_is_gone_or_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with create_session(path, HEADER, durable=False) as journal:
        copy = path.read_bytes()
        path.rename(tmp_path / "moved.toml")
        with pytest.raises(JournalError, match=r"^a\.toml is not there any more"):
            journal.append(RUN[0], sync=True)
        path.write_bytes(copy)
        with pytest.raises(JournalError, match=r"^a\.toml was replaced"):
            journal.append(RUN[0], sync=True)
        assert (tmp_path / "moved.toml").read_bytes() == path.read_bytes() == copy
