from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given

from tests.sessions.samples import FORGED, HEADER, RUN, write
from tests.strategies import nasty_text
from workbench.core.events import Event, Forked, ModelFailed, ModelReply, Resumed, SettingsChanged, Stopped, UserMessage
from workbench.core.state import fold
from workbench.core.statuses import Status
from workbench.sessions.errors import JournalError, SessionError, SessionLocked
from workbench.sessions.journal import read_session
from workbench.sessions.lock import Lock
from workbench.sessions.store import SessionStore, new_id, slug, summary

TOML = Path(__file__).parents[1] / "data" / "toml"


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "sessions", durable=False)


def test_sessions_are_named_after_their_title_and_numbered(store: SessionStore) -> None:
    header = replace(HEADER, title="Refund for a broken mug")
    names = []
    for _ in range(3):
        with store.create(header) as journal:
            names.append(journal.path.name)
    assert names == [f"refund-for-a-broken-mug-{n}.toml" for n in (1, 2, 3)]
    store.delete(store.folder / names[0])
    with store.create(header) as journal:
        assert journal.path.name == "refund-for-a-broken-mug-4.toml"
    with store.create(replace(HEADER, title="")) as journal:
        assert journal.path.name == "combined-population-of-paris-and-lima-1.toml"


@given(nasty_text())
def test_a_title_never_leads_out_of_the_folder(title: str) -> None:
    name = slug(title)
    assert 0 < len(name) <= 48
    assert name.strip("abcdefghijklmnopqrstuvwxyz0123456789-") == ""
    assert not name.startswith("-")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("../../etc/passwd", "etc-passwd"),
        ("Dòs  cities!", "dos-cities"),
        ("漢字", "session"),
        ("", "session"),
        ("\0", "session"),
        ("CON", "con"),
        ("a" * 400, "a" * 48),
        ("a" * 47 + " b", "a" * 47),
    ],
)
def test_odd_titles_make_plain_names(store: SessionStore, title: str, name: str) -> None:
    assert slug(title) == name
    with store.create(replace(HEADER, title=title, goal=title)) as journal:
        assert journal.path == store.folder / f"{name}-1.toml"
    assert read_session(journal.path).header.title == title


def test_sessions_made_at_the_same_time_get_names_of_their_own(store: SessionStore) -> None:
    code = (
        "import sys; from pathlib import Path; from workbench.core.values import Header\n"
        "from workbench.sessions.store import SessionStore\n"
        "store = SessionStore(Path(sys.argv[1]), durable=False)\n"
        "for n in range(10):\n"
        "    with store.create(Header(id=f'{sys.argv[2]}-{n}', goal='g', title='Same')): pass\n"
    )
    makers = [subprocess.Popen([sys.executable, "-c", code, str(store.folder), name]) for name in ("a", "b")]
    assert [maker.wait() for maker in makers] == [0, 0]
    listing = store.list()
    assert listing.problems == []
    assert {item.id for item in listing.sessions} == {f"{name}-{n}" for name in "ab" for n in range(10)}


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match=r"file/sessions cannot hold sessions: Not a directory"):
        SessionStore(tmp_path / "file" / "sessions").create(HEADER)
    assert SessionStore(tmp_path / "nowhere").list() == ([], [])


def test_a_session_is_opened_and_goes_on(store: SessionStore) -> None:
    with store.create(HEADER) as journal:
        journal.append(RUN[0], sync=True)
    session, journal = store.open(journal.path)
    with journal:
        assert session.header == HEADER
        journal.append(Stopped(status=Status.CANCELLED), sync=True)
    assert read_session(journal.path).events == [RUN[0], Stopped(status=Status.CANCELLED)]


# ---------------------------------------------------------------- the list


def test_a_list_shows_the_good_sessions_and_says_why_of_each_bad_one(store: SessionStore) -> None:
    store.folder.mkdir()
    write(store.folder / "good.toml", header=replace(HEADER, parent="20260130-100000-0001", parent_at=4))
    (store.folder / "torn.toml").write_bytes((store.folder / "good.toml").read_bytes()[:-5])
    (store.folder / "hand-made.toml").write_bytes((TOML / "journal-torn-tail.toml").read_bytes())
    (store.folder / "empty.toml").write_bytes(b"")
    (store.folder / "future.toml").write_bytes(b"format = 2\n")
    (store.folder / "binary.toml").write_bytes(b"\xff\xfe\0")
    (store.folder / "folder.toml").mkdir()
    (store.folder / "notes.txt").write_text("not a session, and not called one")

    listing = store.list()
    assert {problem.path.name: problem.why for problem in listing.problems} == {
        "binary.toml": "binary.toml: line 1 is not UTF-8",
        "empty.toml": "empty.toml: it is not a session: it does not begin with format = 1",
        "folder.toml": "folder.toml cannot be read: Is a directory",
        "future.toml": "future.toml: session format 2 is not known here; this workbench reads format 1",
    }
    found = {item.path.name: item for item in listing.sessions}
    assert set(found) == {"good.toml", "torn.toml", "hand-made.toml"}
    good = found["good.toml"]
    assert (good.id, good.title, good.created) == (HEADER.id, "Two cities", "2026-01-31T10:00:00Z")
    assert (good.status, good.events, good.steps, good.model_calls) == (Status.ANSWERED, 6, 2, 2)
    assert (good.parent, good.parent_at, good.torn) == ("20260130-100000-0001", 4, False)
    assert (found["torn.toml"].status, found["torn.toml"].events, found["torn.toml"].torn) == (Status.RUNNING, 5, True)
    assert (found["hand-made.toml"].title, found["hand-made.toml"].events) == ("How many mugs", 2)
    assert found["hand-made.toml"].steps == 1


def test_the_session_written_last_comes_first(store: SessionStore) -> None:
    store.folder.mkdir()
    for name, when in (("a", 100), ("b", 300), ("c", 200)):
        write(store.folder / f"{name}.toml")
        os.utime(store.folder / f"{name}.toml", (when, when))
    assert [item.path.stem for item in store.list().sessions] == ["b", "c", "a"]
    assert [item.modified for item in store.list().sessions] == [300, 200, 100]


@pytest.mark.parametrize(
    "events",
    [
        [],
        [UserMessage(text="a")],
        [UserMessage(text=FORGED), ModelReply(text=FORGED), Stopped(status=Status.CANCELLED, detail=FORGED)],
        [UserMessage(text="a"), Stopped(status=Status.ANSWERED), UserMessage(text="b"), ModelReply()],
        [UserMessage(text="a"), Stopped(status=Status.AWAITING_APPROVAL)],
        [UserMessage(text="a"), Stopped(status=Status.CANCELLED), Resumed()],
        [UserMessage(text="a"), Stopped(status=Status.CANCELLED), Forked(parent="p", at=1)],
        [UserMessage(text="a"), Stopped(status=Status.ANSWERED), Forked(parent="p", at=2)],
        [UserMessage(text="a"), ModelFailed(failure="timeout"), Stopped(status=Status.MODEL_UNAVAILABLE)],
        [
            Stopped(status=Status.CANCELLED),
            SettingsChanged(changes={"title": "x\n[y]"}),
            SettingsChanged(changes={"hold": True}),
        ],
    ],
)
def test_a_summary_says_what_the_whole_fold_says(tmp_path: Path, events: list[Event]) -> None:
    write(tmp_path / "a.toml", events)
    found, state = summary(tmp_path / "a.toml"), fold(HEADER, events)
    assert (found.status, found.title) == (state.status, state.title)
    assert (found.steps, found.model_calls, found.events) == (state.total_steps, state.model_calls, state.n)


# ---------------------------------------------------------------- renaming and deleting


def test_a_session_gets_another_title_and_keeps_its_file(store: SessionStore) -> None:
    store.folder.mkdir()
    path = store.folder / "a.toml"
    before = write(path)
    store.rename(path, "A better title")
    assert path.read_bytes().startswith(before)
    (found,) = store.list().sessions
    assert (found.title, found.status) == ("A better title", Status.ANSWERED)
    assert read_session(path).header.title == "Two cities"


def test_deleting_removes_the_session_and_what_was_set_aside(store: SessionStore) -> None:
    store.folder.mkdir()
    path = store.folder / "a.toml"
    write(path)
    path.with_name("a.toml.torn").write_bytes(b"x")
    store.delete(path)
    assert list(store.folder.iterdir()) == []
    with pytest.raises(SessionError, match=r"a\.toml cannot be deleted: No such file"):
        store.delete(path)
    assert list(store.folder.iterdir()) == []


def test_only_sessions_of_the_folder_are_deleted(store: SessionStore, tmp_path: Path) -> None:
    store.folder.mkdir()
    outside = tmp_path / "a.toml"
    write(outside)
    with pytest.raises(SessionError, match=r"a\.toml is no session of .*sessions; it is not deleted"):
        store.delete(store.folder / ".." / "a.toml")
    notes = store.folder / "notes.txt"
    notes.write_text("mugs")
    with pytest.raises(SessionError, match=r"notes\.txt is no session of"):
        store.delete(notes)
    assert outside.exists()
    assert notes.exists()


def test_a_session_that_somebody_writes_is_neither_renamed_nor_deleted(store: SessionStore) -> None:
    store.folder.mkdir()
    path = store.folder / "a.toml"
    before = write(path)
    lock = Lock(path)
    with pytest.raises(SessionLocked):
        store.delete(path)
    with pytest.raises(SessionLocked):
        store.rename(path, "x")
    lock.release()
    assert path.read_bytes() == before


# ---------------------------------------------------------------- ids


def test_an_id_is_the_time_in_utc_and_four_hex_digits() -> None:
    created = datetime(2026, 1, 31, 12, 0, tzinfo=timezone(timedelta(hours=2)))
    assert new_id(created, "7f3a") == "20260131-100000-7f3a"
    ids = {new_id(datetime(2026, 1, 31, 10, tzinfo=UTC)) for _ in range(20)}
    assert len(ids) > 10
    assert all(item.startswith("20260131-100000-") and int(item[16:], 16) >= 0 and len(item) == 20 for item in ids)
