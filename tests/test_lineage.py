"""What one branch of a lineage has done is known in every other one, before it does the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.models.wire.test_runs import home as wire_home
from workbench.core.events import Decided, DoneElsewhere, ToolStarted
from workbench.core.loop import AskPerson
from workbench.core.statuses import Status
from workbench.core.values import Header
from workbench.forking import Branch, fork
from workbench.home import Home
from workbench.lineage import Lineage
from workbench.opening import Opened, new_run, reopen
from workbench.runner import Run
from workbench.scenarios.loader import parse_scenario
from workbench.sessions.journal import create_session, read_session

home = wire_home

MAIL = """
title = "Mail"
goal = "Tell Ada."
protocol = "native"
tools = ["send_email", "read_note"]

[[model.reply]]
text = "First I read."
[[model.reply.call]]
tool = "read_note"
arguments = { path = "a.txt" }

[[model.reply]]
text = "I tell her."
[[model.reply.call]]
tool = "send_email"
arguments = { to = "ada@example.com", subject = "Hi", body = "Hello" }

[[model.reply]]
text = "Told: ${last}"
"""
SENT = "Sent to ada@example.com; a copy is in outbox/001-8ed7abc2.txt."
ALLOWED = f'{MAIL}\n[approval]\ndefault = "allow"\n'


def opened(home: Home, text: str = MAIL) -> Opened:
    return new_run(parse_scenario(text, "mail.toml"), home, headless=True)


def plays(made: Opened, *, allow: bool = False) -> Run:
    """To where it stops or waits; what waits is allowed first."""

    async def play() -> None:
        await made.run.play()
        if allow:
            for record in made.run.state.open_calls():
                made.run.decide(record.call.id, "allow")
            await made.run.play()

    asyncio.run(play())
    return made.run


def goes_on(made: Opened, *, allow: bool = False) -> Run:
    """The same, and it is closed."""
    run = plays(made, allow=allow)
    made.close()
    return run


def ended(made: Opened, *, allow: bool = False) -> Path:
    """Its file, when it has come to where it stops or waits and is closed."""
    goes_on(made, allow=allow)
    assert made.session_path is not None
    return made.session_path


def forked(path: Path, home: Home, at: int | None = None, **branch: Any) -> Opened:
    session = read_session(path)
    at = len(session.events) if at is None else at
    return fork(session.header, session.events, Branch(at=at, **branch), home, headless=True)


def mails(*runs: Run) -> int:
    """How often a mail was sent."""
    return sum(
        isinstance(event, ToolStarted) and bool(event.key)
        for run in runs
        for event in run.events[run.header.parent_at :]
    )


def why(run: Run) -> str:
    move = run.next
    assert isinstance(move, AskPerson)
    (call,) = move.question.calls
    done = run.state.elsewhere[run.state.effect_key(call.call.tool, call.arguments)]
    return f"{done.branch}: {done.result}"


def test_a_parent_that_waits_is_told_what_its_fork_did_meanwhile(home: Home) -> None:
    parent = ended(opened(home))
    child = goes_on(forked(parent, home, title="Try it"), allow=True)
    assert child.status is Status.ANSWERED
    again = reopen(parent, home, headless=True)
    assert again.told
    assert "send_email" in again.notes[-1]
    assert "“Try it”" in again.notes[-1]
    assert why(again.run) == f"Try it: {SENT}"
    again.run.decide("c2", "answer", answer=SENT)
    run = goes_on(again)
    assert (run.status, mails(run, child)) == (Status.ANSWERED, 1)
    later = reopen(parent, home, headless=True)
    assert (later.told, later.notes) == (False, ())
    later.close()


def test_it_may_be_done_again_on_purpose_and_then_is_asked_no_more(home: Home) -> None:
    parent = ended(opened(home))
    child = goes_on(forked(parent, home), allow=True)
    run = goes_on(reopen(parent, home, headless=True), allow=True)
    assert (run.status, mails(run, child)) == (Status.ANSWERED, 2)
    assert [event.kind for event in run.events].count("done_elsewhere") == 1


def test_what_a_rule_allows_is_asked_about_when_a_branch_has_done_it(home: Home) -> None:
    made = opened(home, ALLOWED)
    asyncio.run(made.run.step())
    made.close()
    assert made.session_path is not None
    child = goes_on(forked(made.session_path, home, title="Try it"))
    assert child.status is Status.ANSWERED
    run = goes_on(reopen(made.session_path, home, headless=True))
    assert (run.status, why(run)) == (Status.AWAITING_APPROVAL, f"Try it: {SENT}")
    assert mails(run, child) == 1


def test_what_was_allowed_before_a_branch_did_it_is_asked_about_once_more(home: Home) -> None:
    made = opened(home)
    plays(made)
    assert made.session_path is not None
    child = goes_on(forked(made.session_path, home), allow=True)
    made.run.decide("c2", "allow")
    run = plays(made)
    assert run.status is Status.AWAITING_APPROVAL
    assert [type(event) for event in run.events[-2:]] == [Decided, DoneElsewhere]
    assert mails(run, child) == 1
    run.decide("c2", "allow")
    assert goes_on(made).status is Status.ANSWERED


def test_a_sibling_and_a_fork_of_a_fork_are_told(home: Home) -> None:
    parent = ended(opened(home))
    first = ended(forked(parent, home, title="First"))
    below = ended(forked(first, home, title="Below"))
    assert goes_on(reopen(below, home, headless=True), allow=True).status is Status.ANSWERED
    for path in (parent, first):
        again = reopen(path, home, headless=True)
        assert why(again.run).startswith("Below: ")
        again.close()
    made = forked(parent, home, at=2)
    run = goes_on(made)
    assert why(run).startswith("Below: ")


def test_of_what_a_branch_has_begun_and_nobody_knows_is_asked_too(home: Home) -> None:
    parent = ended(opened(home))
    made = forked(parent, home)
    made.run.decide("c2", "allow")
    record = made.run.state.open_calls()[0]
    made.run._record(ToolStarted(call="c2", key=made.run.state.effect_key("send_email", record.arguments)))
    made.close()
    again = reopen(parent, home, headless=True)
    assert again.told
    assert again.run.state.unsure_keys
    again.close()
    known = reopen(parent, home, headless=True)
    assert not known.told
    known.close()


def test_a_run_of_its_own_is_told_nothing(home: Home) -> None:
    goes_on(opened(home), allow=True)
    run = goes_on(opened(home), allow=True)
    assert run.status is Status.ANSWERED
    assert not any(isinstance(event, DoneElsewhere) for event in run.events)


def test_a_session_that_is_only_read_is_told_nothing(home: Home) -> None:
    parent = ended(opened(home))
    goes_on(forked(parent, home), allow=True)
    before = parent.read_bytes()
    reopen(parent, home, read_only=True).close()
    assert parent.read_bytes() == before


def test_a_copy_of_the_file_is_another_branch(home: Home) -> None:
    parent = ended(opened(home))
    copy = parent.with_name("copy.toml")
    copy.write_bytes(parent.read_bytes())
    goes_on(reopen(copy, home, headless=True), allow=True)
    again = reopen(parent, home, headless=True)
    assert again.told
    again.close()


# ---------------------------------------------------------------- the files


@pytest.fixture
def seen(home: Home, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """The sessions that were read whole since it was last asked."""
    read: list[str] = []

    def reading(path: Path) -> Any:
        read.append(path.name)
        return read_session(path)

    monkeypatch.setattr("workbench.lineage.read_session", reading)

    def since() -> list[str]:
        names = sorted(read)
        read.clear()
        return names

    return since


def test_only_what_is_of_the_lineage_and_has_changed_is_read(home: Home, seen: Callable[[], list[str]]) -> None:
    parent = ended(opened(home))
    goes_on(opened(home), allow=True)  # a stranger
    child = ended(forked(parent, home, title="Child"), allow=True)
    lineage = Lineage((home.sessions,), read_session(parent).header, parent)
    seen()
    assert [item.branch for item in lineage.done()] == ["Child"]
    assert seen() == [child.name]
    assert len(lineage.done()) == 1
    assert seen() == []
    made = forked(parent, home, title="Other")
    seen()
    assert len(lineage.done()) == 1
    assert seen() == []  # it has done nothing yet
    ended(made, allow=True)
    assert sorted(item.branch for item in lineage.done()) == ["Child", "Other"]
    assert len(seen()) == 1
    child.unlink()
    assert [item.branch for item in lineage.done()] == ["Other"]


def test_before_a_run_has_begun_no_session_is_of_its_lineage(home: Home) -> None:
    header = read_session(ended(opened(home), allow=True)).header
    lineage = Lineage((home.sessions,), replace(header, id="another", root=header.id))
    lineage.begin()
    assert lineage.done() == ()


@pytest.mark.parametrize("content", [b"", b"[session]\n", b"\xff\xfe", b'[session]\nid = "r"\n[[event]]\nkey = 5\n'])
def test_a_file_that_is_no_session_hides_nothing(home: Home, content: bytes) -> None:
    parent = ended(opened(home))
    ended(forked(parent, home), allow=True)
    (home.sessions / "bad.toml").write_bytes(content)
    (home.sessions / "folder.toml").mkdir()
    (home.sessions / "gone.toml").symlink_to("nowhere")
    assert len(Lineage((home.sessions, home.sessions / "none"), read_session(parent).header, parent).done()) == 1


def test_events_that_make_no_run_have_done_nothing(home: Home) -> None:
    home.sessions.mkdir()
    header = Header(id="r", goal="g")
    create_session(home.sessions / "odd.toml", header, [ToolStarted(call="c9", key="k")]).close()
    assert Lineage((home.sessions,), replace(header, id="x", root="r")).done() == ()
