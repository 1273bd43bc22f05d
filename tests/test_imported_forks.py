"""Logs of real agents, forked, and forks of those forks: with a script, and with a model of each wire."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.imports.logs import LOGS
from tests.models.wire.server import Server
from tests.models.wire.test_runs import ENDS, PROBLEM
from tests.models.wire.test_runs import home as wire_home
from tests.models.wire.test_runs import key as wire_key
from workbench.core.events import Event, Forked, ToolResult
from workbench.core.ledger import executed
from workbench.core.statuses import Status
from workbench.forking import Branch, fork
from workbench.home import Home
from workbench.imports.keeping import import_file
from workbench.opening import Opened, reopen
from workbench.runner import Run
from workbench.scenarios.errors import ScenarioError
from workbench.sessions.journal import Session, read_session
from workbench.view.entries import line_text
from workbench.view.figures import counted
from workbench.view.forks import acted, undone_lines

home, key = wire_home, wire_key

SCRIPT = """
title = "What comes then"
goal = "Go on."
protocol = "native"
tools = ["add"]

[[model.reply]]
text = "Let me add that."
[[model.reply.call]]
tool = "add"
arguments = { a = 1, b = 2 }

[[model.reply]]
text = "That was it."
"""


@pytest.fixture(params=["openai-messages-airline-2.json", "mini-swe-agent-local.traj.json"])
def log(request: pytest.FixtureRequest, home: Home) -> Session:
    """A log of a real agent as a session."""
    [made] = import_file(LOGS / request.param, home)
    return read_session(made.path)


def twice(session: Session, home: Home, at: int, **branch: Any) -> Opened:
    """A fork at an event, and a fork of that with something else."""
    first = fork(session.header, session.events, Branch(at=at), home, headless=True)
    first.close()
    second = fork(first.run.header, first.run.events, Branch(at=len(first.run.events), **branch), home, headless=True)
    assert second.run.header.root == session.header.id
    return second


async def played(run: Run) -> None:
    """To its end. What the log's tools would have said is answered by hand: they are not here."""
    await run.play()
    while run.status is Status.AWAITING_APPROVAL:
        for record in run.state.open_calls():
            run.decide(record.call.id, "answer", answer="nothing found")
        await run.play()


def places(events: list[Event]) -> list[int]:
    """After the message, after each of the first calls, between a call and its result, and at the end."""
    first = next(n for n, event in enumerate(events) if isinstance(event, ToolResult))
    return [first - 2, first - 1, first, first + 1, len(events) // 2, len(events)]


def test_a_fork_of_a_fork_of_a_log_says_a_script_from_its_first_line_on(
    log: Session, home: Home, tmp_path: Path
) -> None:
    script = tmp_path / "then.toml"
    script.write_text(SCRIPT)
    before = log.path.read_bytes()
    for at in places(log.events):
        made = twice(log, home, at, choice=str(script))
        assert made.run.state.model.shown == "the script then"
        if made.run.state.status is not Status.RUNNING:
            made.run.message("And then?")
        asyncio.run(played(made.run))
        made.close()
        assert made.run.status is Status.ANSWERED
        assert made.run.state.answer == "That was it."
        assert made.session_path is not None
        again = reopen(made.session_path, home)
        assert again.run.state.model == made.run.state.model
        again.close()
    assert log.path.read_bytes() == before


async def bodies_sent(wire: str, log: Session, home: Home) -> list[dict[str, Any]]:
    """What forks of forks of a log send to a model, each that answers at once."""
    async with Server(ENDS[wire]) as server:
        for at in places(log.events):
            made = twice(log, home, at, choice=f"{wire}:m", base_url=server.url)
            if made.run.state.status is not Status.RUNNING:
                made.run.message("And then?")
            await played(made.run)
            made.close()
            assert made.run.status is Status.ANSWERED
    assert len(server.bodies) == len(places(log.events))
    return server.bodies


@pytest.mark.parametrize("wire", PROBLEM)
async def test_a_fork_of_a_fork_of_a_log_asks_a_real_model(wire: str, log: Session, home: Home) -> None:
    for body in await bodies_sent(wire, log, home):
        assert PROBLEM[wire](body) == ""


@pytest.mark.parametrize("wire", PROBLEM)
async def test_the_vendors_types_take_what_it_is_sent(wire: str, log: Session, home: Home) -> None:
    official = pytest.importorskip("tests.models.wire.official")
    for body in await bodies_sent(wire, log, home):
        official.CHECKS[wire](body)


def test_what_the_tools_of_a_log_did_is_told_in_a_fork_before_it(log: Session, home: Home) -> None:
    """Nothing ran here, and nothing is known of what they may do."""
    did = executed(log.header, log.events, 0)
    assert did
    assert {item.fate for item in did} == {"logged"}
    (title,) = undone_lines(log.header, log.events, 0, 200)[:1]
    assert line_text(title).startswith(f"The log tells of {counted(len(did), 'call')} of another agent")
    assert not acted(log.header, log.events, 0)
    made = twice(log, home, 2)
    made.close()
    forks = [event for event in made.run.events if isinstance(event, Forked)]
    assert len(forks[0].effects) == len(did)


@pytest.mark.parametrize(
    ("choice", "said"),
    [("nowhere.toml", "there is no such scenario file"), ("person.toml", "has no script to say: its model is human")],
)
def test_a_file_that_has_no_script_is_told(log: Session, home: Home, choice: str, said: str) -> None:
    (home.root / "scripts").mkdir()
    (home.root / "scripts" / "person.toml").write_text(f'{SCRIPT.partition("[[")[0]}\n[model]\nuse = "human"\n')
    with pytest.raises(ScenarioError, match=said):
        fork(log.header, log.events, Branch(at=3, choice=choice), home)
