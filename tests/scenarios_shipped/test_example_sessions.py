"""The example sessions are real runs of shipped scenarios, and stay what these recipes give.

They are written anew like the golden journals: WORKBENCH_REGENERATE=1 python -m pytest tests/scenarios_shipped
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.scenarios_shipped.shipped import PACKAGED, journal_bytes, opened
from workbench.core.state import fold
from workbench.sessions.journal import read_session
from workbench.sessions.store import SessionStore

SESSIONS = PACKAGED / "sessions"
REGENERATE = os.environ.get("WORKBENCH_REGENERATE") == "1"


class Recipe(NamedTuple):
    scenario: str
    id: str
    created: str
    allowed: tuple[str, ...] = ()
    """Calls that a person allows; at the next question the run is left waiting."""


RECIPES = {
    "two-cities-answered": Recipe("two-cities", "20260131-100000-7f3a", "2026-01-31T10:00:00Z"),
    "blue-mugs-out-of-steps": Recipe("blue-mugs-cap-2", "20260131-101500-02be", "2026-01-31T10:15:00Z"),
    "growth-in-four-requests": Recipe("growth", "20260131-110000-c4d1", "2026-01-31T11:00:00Z"),
    "refund-waiting-for-you": Recipe("refund", "20260202-093000-51e8", "2026-02-02T09:30:00Z", ("c3",)),
}


def _made(recipe: Recipe, folder: Path) -> bytes:
    run = opened(recipe.scenario, person=False, session_id=recipe.id)

    async def play() -> None:
        await run.run.play()
        for call in recipe.allowed:
            run.run.decide(call, "allow")
            await run.run.play()

    try:
        asyncio.run(play())
    finally:
        run.close()
    return journal_bytes(replace(run.run.header, created=recipe.created), run.run.events, folder)


@pytest.mark.parametrize("name", RECIPES)
def test_an_example_session_is_what_its_recipe_gives(name: str, tmp_path: Path) -> None:
    made = _made(RECIPES[name], tmp_path)
    path = SESSIONS / f"{name}.toml"
    if REGENERATE:
        SESSIONS.mkdir(exist_ok=True)
        path.write_bytes(made)
    assert path.read_bytes().decode() == made.decode()


def test_there_are_no_other_example_sessions() -> None:
    assert sorted(path.name for path in SESSIONS.iterdir()) == sorted(f"{name}.toml" for name in RECIPES)


def test_the_example_sessions_are_listed_without_a_problem() -> None:
    listing = SessionStore(SESSIONS).list()
    assert listing.problems == []
    assert {item.path.stem for item in listing.sessions} == set(RECIPES)


@pytest.mark.parametrize(
    ("name", "status", "steps"),
    [
        ("two-cities-answered", "answered", 3),
        ("blue-mugs-out-of-steps", "step_budget_exhausted", 2),
        ("growth-in-four-requests", "answered", 4),
        ("refund-waiting-for-you", "running", 3),
    ],
)
def test_an_example_session_stands_where_its_name_says(name: str, status: str, steps: int) -> None:
    session = read_session(SESSIONS / f"{name}.toml")
    state = fold(session.header, session.events)
    assert (state.status.value, state.steps) == (status, steps)
