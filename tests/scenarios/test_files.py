from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from workbench.scenarios.files import ScriptFileError, free_path, read_script, save_script, stamp_of


def test_what_is_saved_is_read_and_the_stamp_says_whether_it_is_still_that(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.toml"
    stamp = save_script(path, 'goal = "ü"\n')
    assert read_script(path) == ('goal = "ü"\n', stamp)
    assert stamp_of(path) == stamp
    path.write_text("other words", encoding="utf-8")
    assert stamp_of(path) != stamp
    assert stamp_of(tmp_path / "none.toml") is None


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xef\xbb\xbfgoal = 'g'\r\n")
    assert read_script(path)[0] == "goal = 'g'\r\n"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"goal = 'g'\nx = '\xff'\n", "a.toml:2: is not UTF-8: byte 0xff"),
        ("goal = 'a\u2028b'\n".encode(), "a.toml:1: U+2028 would not survive being edited here; write it as \\u2028"),
    ],
)
def test_what_an_editor_would_spoil_is_not_opened(data: bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(data)
    with pytest.raises(ScriptFileError) as error:
        read_script(path)
    assert str(error.value).endswith(sentence)


def test_a_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ScriptFileError, match=r"none\.toml cannot be read: No such file"):
        read_script(tmp_path / "none.toml")


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    save_script(path, "one")
    with pytest.raises(ScriptFileError, match="holds half of a character"):
        save_script(path, "\ud800")
    with pytest.raises(ScriptFileError, match="cannot be written"):
        save_script(path / "b.toml", "x")
    assert path.read_text(encoding="utf-8") == "one"
    assert [file.name for file in tmp_path.iterdir()] == ["a.toml"]


@pytest.mark.skipif(os.name == "nt", reason="permissions and links are others there")
def test_permissions_and_links_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "a.toml", tmp_path / "link.toml"
    save_script(path, "one")
    assert path.stat().st_mode & stat.S_IRGRP == (~_umask()) & stat.S_IRGRP
    path.chmod(0o640)
    link.symlink_to(path)
    save_script(link, "two")
    assert link.is_symlink()
    assert (path.read_text(encoding="utf-8"), stat.S_IMODE(path.stat().st_mode)) == ("two", 0o640)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    for name in ("two-cities.toml", "two-cities-2.toml", "two-cities-3.toml"):
        path = free_path(tmp_path, "two-cities.toml")
        assert path.name == name
        path.touch()
