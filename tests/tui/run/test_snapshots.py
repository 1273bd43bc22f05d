"""Whole screens, kept as text. After a change that was meant: WORKBENCH_REGENERATE=1 python -m pytest this file."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tui.places import add_script, add_session, make_home
from tests.tui.run.pictures import picture, svg_said
from tests.tui.run.stage import Stage, at_home, opened_scenario, staged
from workbench.home import Home

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
REPOSITORY = Path(__file__).parents[3]
README_PICTURE = SNAPSHOTS / "approval-120x40.svg"
SIZES = {"120x40": (120, 40), "80x24": (80, 24), "60x16": (60, 16), "40x12": (40, 12), "200x60": (200, 60)}
GATE = "space space space space y space"
"""To the second question of the refund scenario: ten times too much."""
STATES = {
    "paused": ("refund", "space space"),
    "approval": ("refund", GATE),
    "scopes": ("refund", f"{GATE} Y"),
    "edit": ("refund", f"{GATE} e"),
    "batch": ("batch-three-decisions", "space"),
    "hold": ("refund", "space h space"),
    "limits": ("refund", "space space l"),
    "stop": ("limit-steps", "r"),
    "answered": ("two-cities", "r"),
    "past": ("refund", f"{GATE} left left left left"),
    "loop": ("refund", f"{GATE} t"),
}
ALSO = {
    "approval": ("60x16", "40x12"),
    "edit": ("40x12",),
    "batch": ("60x16",),
    "stop": ("200x60",),
    "loop": ("40x12",),
}
"""Sizes besides the two that every state is kept at."""


def compare(name: str, now: str) -> None:
    """A picture against the one that is kept."""
    kept = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("WORKBENCH_REGENERATE"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(now, encoding="utf-8")
    assert now.split("\n") == kept.read_text(encoding="utf-8").split("\n"), name


async def look(stage: Stage, state: str, *sizes: str, theme: str = "") -> None:
    """Compare what is shown at those sizes, one after the other."""
    for size in sizes:
        if tuple(stage.app.size) != SIZES[size]:
            await stage.pilot.resize_terminal(*SIZES[size])
        stage.screen.bar.area.cursor_blink = False
        await stage.settle()
        compare(f"{state}-{size}{f'-{theme}' if theme else ''}", picture(stage.app))


@pytest.mark.parametrize("state", list(STATES))
async def test_the_run_screen(home: Home, state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home.root)  # so that the path of the session is the same every time
    scenario, keys = STATES[state]
    async with staged(opened_scenario(home, scenario, ticking=True), home) as stage:
        await stage.press(*keys.split())
        await look(stage, state, "120x40", "80x24", *ALSO.get(state, ()))


@pytest.mark.parametrize(("state", "theme"), [("edit", "paper"), ("hold", "paper"), ("batch", "contrast")])
async def test_other_themes(home: Home, state: str, theme: str) -> None:
    scenario, keys = STATES[state]
    async with staged(opened_scenario(home, scenario, ticking=True), home, theme=theme) as stage:
        await stage.press(*keys.split())
        await look(stage, state, "120x40", "80x24", theme=theme)


async def test_home_settings_and_help(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # so that the folder that is named is called the same every time
    home = replace(make_home(tmp_path), root=Path("root"))
    add_script(home, "a", "Two cities", "Two look-ups and an addition: the loop at its plainest.", "first-steps")
    add_script(home, "b", "Refund for a broken mug", "Paying money back asks a person first.", "approval")
    add_session(home, "two-cities-1", at=time.time() - 3 * 86_400)
    async with at_home(home) as stage:
        for state, keys in (("home", ()), ("settings", ("comma",)), ("help", ("escape", "question_mark"))):
            await stage.press(*keys)
            for size in ("120x40", "80x24"):
                await stage.pilot.resize_terminal(*SIZES[size])
                await stage.settle()
                compare(f"{state}-{size}", picture(stage.app))


async def test_the_picture_in_the_readme_is_one_of_the_app(home: Home) -> None:
    scenario, keys = STATES["approval"]
    async with staged(opened_scenario(home, scenario, ticking=True), home) as stage:
        await stage.press(*keys.split())
        now = stage.app.export_screenshot(title="workbench", simplify=True)
    if os.environ.get("WORKBENCH_REGENERATE"):
        README_PICTURE.write_text(now, encoding="utf-8")
    assert svg_said(now) == svg_said(README_PICTURE.read_text(encoding="utf-8"))
    assert len(svg_said(now)) > 50
    shown = README_PICTURE.relative_to(REPOSITORY).as_posix()
    assert f"({shown})" in (REPOSITORY / "README.md").read_text(encoding="utf-8")
