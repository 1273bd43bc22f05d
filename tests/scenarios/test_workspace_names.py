"""Names of files and folders that no workspace can have are refused with their line, and end no check of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.check import check_file
from workbench.core.paths import MAX_NAME_BYTES, MAX_PATH_CHARS
from workbench.home import find_home
from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.loader import parse_scenario

HEAD = 'goal = "x"\n[[model.reply]]\ntext = "done"\n[expect]\nstatus = "answered"\n[workspace]\n'
NAMES = ["~/x", "file:x", "C:x", "a/" * (MAX_PATH_CHARS // 2) + "x", "n" * (MAX_NAME_BYTES + 1), "../x", "/x"]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_outside_any_workspace_is_refused_with_its_line(name: str) -> None:
    with pytest.raises(ScenarioError, match="must be inside the workspace") as caught:
        parse_scenario(f'{HEAD}files = {{ "{name}" = "1" }}\n', "a.toml")
    assert (caught.value.problems[0].line, caught.value.problems[0].key[:15]) == (7, "workspace.files")


@pytest.mark.parametrize(("root", "why"), [("a\\u0000b", "NUL"), ("~nosuchuser/x", "nobody here")])
def test_a_root_that_can_be_no_folder_is_refused_with_its_line(root: str, why: str) -> None:
    with pytest.raises(ScenarioError, match=why) as caught:
        parse_scenario(f'{HEAD}root = "{root}"\n', "a.toml")
    assert (caught.value.problems[0].line, caught.value.problems[0].key) == (7, "workspace.root")


async def test_a_root_with_too_long_a_name_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(f'{HEAD}root = "{"n" * 300}"\n')
    assert "there is no folder" in (await check_file(tmp_path / "a.toml", find_home(str(tmp_path)))).error
