from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.scenarios_shipped.shipped import HOME, shipped_tools
from workbench.check import check_file
from workbench.scenarios.review import Known, review
from workbench.scenarios.templates import FOLDER, Template, file_name, pieces, templates

KNOWN = Known(tools=tuple(tool.info for tool in shipped_tools().tools.values()))
BY_NAME = {template.name: template for template in templates()}


def test_every_template_of_the_folder_is_offered() -> None:
    assert set(BY_NAME) == {path.stem for path in FOLDER.glob("*.toml")} - {"pieces"}


@pytest.mark.parametrize("template", templates(), ids=BY_NAME)
def test_a_new_script_has_its_title_and_nothing_wrong(template: Template) -> None:
    found = review(template.text('My "own" script'), "new.toml", KNOWN)
    assert found.problems == ()
    assert found.scenario is not None
    assert found.scenario.title == 'My "own" script'


@pytest.mark.parametrize(
    "name", ["text-loop", "json-loop", "native-gate", "made-up-tool", "pipeline", "router", "faults"]
)
def test_what_a_new_script_promises_holds(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.toml"
    file.write_text(BY_NAME[name].text("mine"), encoding="utf-8")
    verdict = asyncio.run(check_file(file, HOME, shipped_tools()))
    assert (verdict.error, verdict.mismatches, verdict.skipped) == ("", (), "")


@pytest.mark.parametrize("piece", pieces(), ids=[piece.title for piece in pieces()])
def test_a_piece_is_a_table_that_can_be_read(piece: object) -> None:
    text = f'goal = "g"\nprotocol = "native"\n\n{piece.text}'  # type: ignore[attr-defined]
    problems = review(text, "new.toml", KNOWN).problems
    assert problems == ()


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Two cities!", "two-cities.toml"),
        ("../../etc/passwd", "etc-passwd.toml"),
        ("Größe 3", "größe-3.toml"),
        ("…", "script.toml"),
        ("x" * 99, f"{'x' * 60}.toml"),
    ],
)
def test_the_file_is_named_after_the_title_and_stays_in_its_folder(title: str, name: str) -> None:
    assert file_name(title) == name
