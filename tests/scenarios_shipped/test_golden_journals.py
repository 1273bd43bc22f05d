"""Every shipped scenario gives the same journal, byte for byte, on every machine and every day.

When a change of the journals is meant, write them anew and look at what git shows:

    WORKBENCH_REGENERATE=1 python -m pytest tests/scenarios_shipped
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.scenarios_shipped.shipped import CREATED, HOME, NAMES, journal_bytes, opened, played
from workbench import __version__
from workbench.core.state import fold
from workbench.core.statuses import Status
from workbench.opening import new_run
from workbench.sessions.journal import read_session

JOURNALS = Path(__file__).parents[1] / "data" / "journals"
REGENERATE = os.environ.get("WORKBENCH_REGENERATE") == "1"


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_scenario_gives_its_golden_journal(name: str, tmp_path: Path) -> None:
    run = played(name).run
    got = journal_bytes(run.header, run.events, tmp_path)
    golden = JOURNALS / f"{name}.toml"
    if REGENERATE:
        golden.write_bytes(got)
    assert golden.is_file(), f"there is no journal of {name} yet; the top of this file says how to write it"
    assert got.decode() == golden.read_bytes().decode()


def test_every_golden_journal_has_its_scenario() -> None:
    if REGENERATE:
        for path in JOURNALS.glob("*.toml"):
            if path.stem not in NAMES:
                path.unlink()
    assert sorted(path.stem for path in JOURNALS.glob("*.toml")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_journal_reads_back_as_the_run_it_is_of(name: str) -> None:
    session = read_session(JOURNALS / f"{name}.toml")
    assert session.torn is None
    state = fold(session.header, session.events)
    expected = opened(name)
    expected.close()
    assert expected.scenario.expect is not None
    assert state.status is expected.scenario.expect.status


@pytest.mark.parametrize("name", NAMES)
def test_no_gated_tool_of_a_shipped_run_starts_without_a_decision_about_that_call(name: str) -> None:
    session = read_session(JOURNALS / f"{name}.toml")
    state = fold(session.header, session.events)
    for record in state.every_call():
        tool = state.tool(record.call.tool)
        if record.started is not None and tool is not None and tool.gated:
            assert record.decision is not None
            assert record.decision.decision in ("allow", "edit")
        assert record.result is not None or state.status is Status.RUNNING


def test_the_file_that_a_run_writes_is_the_journal_of_its_events(tmp_path: Path) -> None:
    run = opened("refund")
    path = tmp_path / "live.toml"
    live = new_run(
        run.scenario, HOME, scenario_path="scripts/refund.toml", person=True, save=path, headless=True,
        session_id=run.run.header.id, created=CREATED,
    )  # fmt: skip
    run.close()
    try:
        asyncio.run(live.run.play())
    finally:
        live.close()
    assert live.run.header.workbench == __version__
    text = path.read_text("utf-8").partition("#~ 0 ")[2]
    assert text == (JOURNALS / "refund.toml").read_text("utf-8").partition("#~ 0 ")[2]
