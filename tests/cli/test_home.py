from __future__ import annotations

from pathlib import Path

import pytest

from workbench.home import Home, HomeError, find_home, make_home, packaged_folder, trust


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "user"
    monkeypatch.setattr("workbench.home.user_folder", lambda: folder)
    return folder


def test_a_folder_that_is_named_comes_first_then_the_variable_then_the_current_one_then_the_users(
    tmp_path: Path, user: Path
) -> None:
    named, variable, current = (tmp_path / name for name in ("named", "variable", "current"))
    for folder in (named, variable, current):
        make_home(folder)
    environment = {"WORKBENCH_HOME": str(variable)}
    assert find_home(str(named), environment=environment, current=current).root == named
    assert find_home(environment=environment, current=current).root == variable
    assert find_home(environment={}, current=current).root == current
    assert find_home(environment={}, current=tmp_path).root == user


@pytest.mark.parametrize("kind", ["scripts", "tools", "themes", "sessions"])
def test_one_of_the_four_folders_makes_the_current_one_a_workbench_folder(tmp_path: Path, kind: str) -> None:
    (tmp_path / kind).mkdir()
    assert find_home(environment={}, current=tmp_path).root == tmp_path


def test_a_folder_that_was_named_and_is_not_there_is_an_error(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    with pytest.raises(HomeError, match="--home: there is no folder"):
        find_home(gone, environment={})
    with pytest.raises(HomeError, match=r"\$WORKBENCH_HOME: there is no folder"):
        find_home(environment={"WORKBENCH_HOME": gone})
    with pytest.raises(HomeError, match="--tools: there is no folder"):
        find_home(environment={}, tools=(gone,), current=tmp_path)


def test_tools_of_a_folder_one_happens_to_be_in_are_loaded_only_when_it_is_trusted(tmp_path: Path) -> None:
    make_home(tmp_path / "strangers")
    current = tmp_path / "strangers"
    assert find_home(environment={}, current=current).tools == (packaged_folder() / "tools",)
    trust(current)
    assert find_home(environment={}, current=current).tools == (current / "tools", packaged_folder() / "tools")


def test_the_packaged_scripts_are_always_there_after_ones_own(tmp_path: Path) -> None:
    make_home(tmp_path)
    home = find_home(str(tmp_path), environment={})
    assert home.scripts == (tmp_path / "scripts", packaged_folder() / "scripts")


def test_new_sessions_never_land_among_the_packaged_ones(user: Path) -> None:
    home = find_home(environment={}, current=packaged_folder())
    assert home.root == packaged_folder()
    assert home.sessions == user / "sessions"
    assert packaged_folder() / "sessions" in home.session_folders


def test_what_a_person_makes_in_a_checkout_is_kept_outside_it_and_found_from_it(user: Path) -> None:
    make_home(user)
    home = find_home(environment={}, current=packaged_folder())
    assert (home.own_scripts, home.settings) == (user / "scripts", user / "workbench.toml")
    assert home.scripts == (user / "scripts", packaged_folder() / "scripts")
    assert home.tools == (user / "tools", packaged_folder() / "tools")


def test_settings_go_with_the_person_unless_the_folder_has_its_own(tmp_path: Path, user: Path) -> None:
    make_home(tmp_path)
    assert find_home(environment={}, current=tmp_path).settings == user / "workbench.toml"
    assert find_home(str(tmp_path), environment={}).settings == tmp_path / "workbench.toml"
    (tmp_path / "workbench.toml").touch()
    assert find_home(environment={}, current=tmp_path).settings == tmp_path / "workbench.toml"


def test_what_comes_with_the_workbench_is_all_that_is_in_its_four_folders(tmp_path: Path) -> None:
    make_home(tmp_path / "shipped")
    make_home(tmp_path / "own")
    home = Home(root=tmp_path / "own", found="--home", packaged=tmp_path / "shipped")
    assert home.is_shipped(tmp_path / "shipped" / "tools" / "any.py")
    assert not home.is_shipped(tmp_path / "own" / "tools" / "any.py")
    assert not home.is_shipped(tmp_path / "shipped" / "elsewhere.py")
