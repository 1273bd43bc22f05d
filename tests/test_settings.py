from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.settings import SettingsError, read_settings, write_theme


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "workbench.toml"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# ---------------------------------------------------------------- reading


def test_without_a_file_everything_is_at_its_default(file: Path) -> None:
    settings = read_settings(file)
    assert (settings.theme, settings.keys, settings.problems) == ("", {}, ())


def test_theme_and_keys_come_with_their_lines(file: Path) -> None:
    file.write_text('# mine\ntheme = "paper"\n\n[keys]\nrun = "g"\nopen = 3\n')
    settings = read_settings(file)
    assert settings.theme == "paper"
    assert settings.keys == {"run": "g", "open": 3}
    assert settings.lines == {"theme": 2, "run": 5, "open": 6}
    assert settings.where("run") == f"{file}:5"
    assert settings.where("nothing") == str(file)
    assert settings.problems == ()


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('theem = "paper"\n', 1, "did you mean theme?"),
        ("\nzoo = 1\n", 2, "there are theme and [keys]"),
        ("theme = 3\n", 1, "in quotes, not 3"),
        ("keys = 3\n", 1, "must be a table"),
        ('[keys]\nrun = "g"\ntheme = "paper"\n', 3, "belongs at the top"),
    ],
)
def test_what_cannot_be_used_is_said_with_file_line_and_key(file: Path, text: str, line: int, said: str) -> None:
    file.write_text(text)
    settings = read_settings(file)
    (problem,) = settings.problems
    assert problem.startswith(f"{file}:{line}: ")
    assert said in problem
    assert settings.theme == ""
    assert "theme" not in settings.keys


@pytest.mark.parametrize("raw", [b"theme =", b'theme = "\xff"', b"a = " + b"[" * 2000, b"a = " + b"1" * 5000])
def test_a_file_that_is_no_toml_gives_one_sentence(file: Path, raw: bytes) -> None:
    file.write_bytes(raw)
    (problem,) = read_settings(file).problems
    assert problem.startswith(str(file))
    assert "\n" not in problem


def test_a_folder_in_its_place_gives_one_sentence(file: Path) -> None:
    file.mkdir()
    assert read_settings(file).problems == (f"{file} cannot be read: Is a directory",)
    with pytest.raises(SettingsError, match="cannot be read"):
        write_theme(file, "ink")


# ---------------------------------------------------------------- writing


def test_a_theme_is_written_where_there_is_nothing_yet(tmp_path: Path) -> None:
    file = tmp_path / "new" / "workbench.toml"
    write_theme(file, "paper")
    assert file.read_text() == 'theme = "paper"\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('# a\ntheme = "ink" # b\n[keys]\nrun = "g"\n', '# a\ntheme = "paper"\n[keys]\nrun = "g"\n'),
        ('[keys] # mine\nrun = "g"\n', 'theme = "paper"\n\n[keys] # mine\nrun = "g"\n'),
        ('[keys]\ntheme = "x"\n', 'theme = "paper"\n\n[keys]\ntheme = "x"\n'),
        ('a = """\ntheme = "x"\n"""\n', 'theme = "paper"\n\na = """\ntheme = "x"\n"""\n'),
    ],
)
def test_everything_else_in_the_file_stays_as_it_is(file: Path, before: str, after: str) -> None:
    file.write_text(before)
    write_theme(file, "paper")
    assert file.read_text() == after


@given(
    st.text(st.characters(codec="utf-8"), max_size=20),
    st.sampled_from(['theme = """\nx"""\n', '"theme" = 1\n', "theme.x = 1\n", "[theme]\nx = 1\n", "a = 1\n"]),
)
def test_whatever_the_name_and_however_it_was_written_it_reads_back(
    tmp_path_factory: pytest.TempPathFactory, name: str, before: str
) -> None:
    file = tmp_path_factory.mktemp("settings") / "workbench.toml"
    file.write_text(before)
    write_theme(file, name)
    wanted = {**tomllib.loads(before), "theme": name}
    assert tomllib.loads(file.read_bytes().decode()) == wanted


def test_a_file_that_cannot_be_read_is_not_written_over(file: Path) -> None:
    file.write_text("theme =")
    with pytest.raises(SettingsError, match="is not changed"):
        write_theme(file, "ink")
    assert file.read_text() == "theme ="


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="nothing is forbidden to root")
def test_a_folder_that_cannot_be_written_is_a_sentence(file: Path) -> None:
    file.parent.chmod(0o500)
    with pytest.raises(SettingsError, match="cannot be written: Permission denied"):
        write_theme(file, "ink")


def test_a_file_in_the_place_of_the_folder_is_a_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("")
    with pytest.raises(SettingsError, match=r"cannot be (read|written)"):
        write_theme(tmp_path / "folder" / "workbench.toml", "ink")
    assert names(tmp_path) == ["folder"]


def test_a_link_and_its_permissions_stay(file: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text('theme = "ink"\n')
    real.chmod(0o644)
    file.symlink_to(real)
    write_theme(file, "paper")
    assert file.is_symlink()
    assert real.read_text() == 'theme = "paper"\n'
    assert real.stat().st_mode & 0o777 == 0o644
    assert names(tmp_path) == ["dotfiles.toml", "workbench.toml"]
