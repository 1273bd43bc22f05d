from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import nasty_text
from workbench.sessions import index as module
from workbench.sessions.index import Entry, SessionIndex

STAMP = (1_770_000_000_000_000_000, 4321)
ENTRY = Entry(STAMP, '{"a": 1}')


def add(index: SessionIndex, path: Path, text: str = "some words") -> None:
    index.keep([(path, ENTRY, text)])


def test_what_is_kept_is_there_after_a_new_start(tmp_path: Path) -> None:
    file, path = tmp_path / "deep" / "index", tmp_path / "a.toml"
    add(SessionIndex(file), path)
    again = SessionIndex(file)
    assert again.entries(tmp_path) == {path: ENTRY}
    assert again.entries(tmp_path / "other") == {}
    assert again.holding("me wo") == {path}
    assert again.holding("nothing") == frozenset()
    assert not again.lost
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_is_kept_once_as_it_was_read_last_until_it_is_forgotten(tmp_path: Path) -> None:
    index, path = SessionIndex(tmp_path / "index"), tmp_path / "a.toml"
    add(index, path)
    index.keep([(path, Entry((2, 2), "{}"), "others")])
    assert index.entries(tmp_path) == {path: Entry((2, 2), "{}")}
    assert index.holding("some") == frozenset()
    index.forget([path])
    assert index.entries(tmp_path) == {}


@given(st.lists(nasty_text(), min_size=1, max_size=4), nasty_text())
def test_any_text_is_found_as_it_is(texts: list[str], looked_for: str) -> None:
    index = SessionIndex(None)
    paths = [Path(f"/{number}.toml") for number in range(len(texts))]
    index.keep((path, ENTRY, text) for path, text in zip(paths, texts, strict=True))
    for wanted in (looked_for, texts[0]):
        if wanted:
            whole = {path for path, text in zip(paths, texts, strict=True) if wanted in text}
            assert index.holding(wanted) == whole
    index.close()


def test_a_name_that_is_no_unicode_is_kept(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.toml"))
    index = SessionIndex(tmp_path / "index")
    add(index, path)
    assert set(index.entries(tmp_path)) == {path}


@pytest.mark.parametrize("damage", [b"nonsense" * 500, b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, damage: bytes) -> None:
    file, path = tmp_path / "index", tmp_path / "a.toml"
    file.write_bytes(damage)
    index = SessionIndex(file)
    assert index.entries(tmp_path) == {}
    assert index.lost
    add(index, path)
    assert SessionIndex(file).entries(tmp_path) == {path: ENTRY}


def test_a_file_cut_anywhere_is_no_problem(tmp_path: Path) -> None:
    file, path = tmp_path / "index", tmp_path / "a.toml"
    index = SessionIndex(file)
    add(index, path, "words " * 5000)
    index.close()
    whole = file.read_bytes()
    for length in range(0, len(whole), 1013):
        file.write_bytes(whole[:length])
        cut = SessionIndex(file)
        assert cut.entries(tmp_path) in ({}, {path: ENTRY})
        add(cut, path)
        assert cut.holding("words") == {path}
        cut.close()


def test_tables_of_somebody_else_are_replaced(tmp_path: Path) -> None:
    file, path = tmp_path / "index", tmp_path / "a.toml"
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE sessions (folder, name)")
        database.execute(f"PRAGMA user_version = {module._LAYOUT}")
    index = SessionIndex(file)
    add(index, path)
    assert SessionIndex(file).entries(tmp_path) == {path: ENTRY}


def test_another_version_keeps_nothing_of_this_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, path = tmp_path / "index", tmp_path / "a.toml"
    add(SessionIndex(file), path)
    monkeypatch.setattr(module, "_LAYOUT", module._LAYOUT ^ 1)
    assert SessionIndex(file).entries(tmp_path) == {}


@pytest.mark.parametrize("place", ["folder", "below a file", "nowhere"])
def test_where_no_file_can_be_it_works_in_memory(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").write_text("")
    file = {"folder": tmp_path / "folder", "below a file": tmp_path / "plain" / "index", "nowhere": None}[place]
    index, path = SessionIndex(file), tmp_path / "a.toml"
    add(index, path)
    assert index.entries(tmp_path) == {path: ENTRY}
    assert index.holding("words") == {path}


def test_what_another_process_holds_is_taken_along_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    file, before, new = tmp_path / "index", tmp_path / "a.toml", tmp_path / "b.toml"
    index = SessionIndex(file)
    add(index, before)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        add(index, new)
        assert set(index.entries(tmp_path)) == {before, new}
        assert not index.lost
    assert set(SessionIndex(file).entries(tmp_path)) == {before}


def test_a_file_that_is_deleted_at_will_is_missed_by_nobody(tmp_path: Path) -> None:
    file, path = tmp_path / "index", tmp_path / "a.toml"
    index = SessionIndex(file)
    add(index, path)
    file.unlink()
    assert index.holding("words") == {path}
    index.close()
    assert index.entries(tmp_path) == {}


def test_folders_that_are_gone_are_forgotten(tmp_path: Path) -> None:
    file, gone, kept = tmp_path / "index", tmp_path / "gone" / "a.toml", tmp_path / "b.toml"
    gone.parent.mkdir()
    add(SessionIndex(file), gone)
    gone.parent.rmdir()
    index = SessionIndex(file)
    add(index, kept)
    assert index.entries(gone.parent) == {}
    assert index.entries(tmp_path) == {kept: ENTRY}
