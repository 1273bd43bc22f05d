"""`workbench fork` and the effect ledger at the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.cli.test_run import REFUND
from workbench.core.events import Forked, UserMessage
from workbench.core.values import Header
from workbench.sessions.journal import create_session, open_session, read_session

Write = Callable[[str, str], Path]

MAIL = """
title = "Mail"
goal = "Tell Ada."
protocol = "native"
tools = ["send_email", "write_file", "add"]

[approval]
default = "allow"

[[model.reply]]
[[model.reply.call]]
tool = "write_file"
arguments = { path = "draft.txt", text = "Dear Ada" }
[[model.reply.call]]
tool = "send_email"
arguments = { to = "ada@example.com", subject = "Hello", body = "Dear Ada" }

[[model.reply]]
[[model.reply.call]]
tool = "add"
arguments = { a = 100, b = 40 }

[[model.reply]]
text = "Told: ${result3}"
"""


@pytest.fixture
def mail(command: Command, scenario: Write, home: Path) -> Path:
    """A session that wrote a file (events 5, 6), sent a mail (7, 8), added (9 to 11), and answered (12, 13)."""
    scenario("mail", MAIL)
    assert command("run", "mail").code == 0
    return home / "sessions" / "mail-1.toml"


def fork_of(home: Path) -> Path:
    """The one fork there is."""
    (path,) = home.glob("sessions/*-from-event-*.toml")
    return path


def test_a_fork_goes_on_from_there_and_its_parent_stays_to_the_byte(command: Command, mail: Path, home: Path) -> None:
    before = mail.read_bytes()
    done = command("fork", "mail-1", "--at", "8")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("forked from mail-1 at event 8; that session stays as it is\n")
    assert "After event 8: nothing but reading was done" in done.out
    assert "answer: Told: 140" in done.out
    parent, fork = read_session(mail), read_session(fork_of(home))
    assert mail.read_bytes() == before
    assert fork.events[:8] == parent.events[:8]
    assert fork.events[8] == Forked(parent=parent.header.id, at=8, title="Mail")
    header = fork.header
    assert (header.parent, header.parent_at, header.root) == (parent.header.id, 8, parent.header.id)
    assert (header.title, fork.path.stem) == ("Mail, from event 8", "mail-from-event-8-1")


def test_what_was_really_done_comes_first_and_is_asked_about_again(command: Command, mail: Path, home: Path) -> None:
    done = command("fork", "mail-1", "--at", "2")
    assert done.code == 3
    first = done.out.splitlines()[1:6]
    assert first[0] == "After event 2: 2 calls really acted; 1 cannot be undone"
    assert first[1].startswith("  ✗ cannot be undone    send_email")
    assert "A mail that is sent cannot be called back." in first[2]
    assert first[3].startswith("  ✓ undone              write_file")
    assert first[4].strip() == "draft.txt is as before."
    assert "(awaiting_approval)" in done.out
    told = command("resume", fork_of(home), "--answer", "c2", "Sent to ada@example.com")
    assert told.code == 0
    results: list[Any] = [event for event in read_session(fork_of(home)).events if event.kind == "tool_result"]
    assert [(event.call, event.outcome) for event in results] == [("c2", "answered"), ("c1", "ran"), ("c3", "ran")]


def test_a_session_that_somebody_writes_can_be_forked(command: Command, mail: Path) -> None:
    _, journal = open_session(mail, durable=False)
    with journal:
        assert command("fork", "mail-1", "--at", "9").code == 0


def test_an_example_and_a_fork_can_be_forked(command: Command, home: Path) -> None:
    assert command("fork", "two-cities-answered", "--at", "4").code == 0
    done = command("fork", fork_of(home), "--at", "4", "--title", "Again")
    assert done.code == 0
    again = read_session(home / "sessions" / "again-1.toml")
    assert again.header.parent == read_session(fork_of(home)).header.id
    assert again.header.root == again.header.lineage != again.header.parent


@pytest.mark.parametrize(
    ("option", "at", "answer"),
    [
        ("--result=7", 11, "Told: 7"),
        ("--reply=No more.", 9, "No more."),
        ("--user=Tell Bob.", 1, None),
    ],
)
def test_another_text_for_one_event(
    option: str, at: int, answer: str | None, command: Command, mail: Path, home: Path
) -> None:
    done = command("fork", "mail-1", "--at", str(at), option, "--json")
    fork, parent = read_session(fork_of(home)), read_session(mail)
    assert fork.events[: at - 1] == parent.events[: at - 1]
    changed: Any = fork.events[at - 1]
    assert option.partition("=")[2] in (getattr(changed, "text", ""), getattr(changed, "content", ""))
    if answer is not None:
        assert changed.changed_by == "you"
        assert json.loads(done.out.splitlines()[-1])["answer"] == answer


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--at", "99"], "--at 99: the session has 13 events"),
        (["--at", "-1"], "--at -1: the session has 13 events"),
        (["--at", "2", "--result", "x"], "--result: event 2 is model reply, not a result; --at 6 or 8 or 11"),
        (["--at", "0", "--user", "x"], "--user: there is no event 0, not a message; --at 1"),
        (
            ["--at", "11", "--result", "x", "--reply", "y"],
            "--result and --reply: a fork has another text for one event",
        ),
        (["--at", "9", "--set", "limits.step=4"], 'unknown key "step"; did you mean "steps"?'),
        (
            ["--at", "9", "--set", "goal=x"],
            "a run that has begun can change limits.…, context.…, approval.default and title",
        ),
        (["--at", "9", "--model", "openai"], "--model openai: needs the model's name, as in openai:NAME"),
        (["--at", "9", "--model", "nobody"], "there is no model nobody"),
        (["--at", "1", "--user", " "], "the message is empty"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_leaves_nothing(
    options: list[str], sentence: str, command: Command, mail: Path, home: Path
) -> None:
    done = command("fork", "mail-1", *options)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err.replace('"nobody"', "nobody")
    assert len(done.err.splitlines()) == 1
    assert list(home.glob("sessions/*from*")) == []


def test_a_fork_with_other_limits_and_a_name_goes_on_where_the_parent_stopped(
    command: Command, scenario: Write, home: Path
) -> None:
    scenario("mail", MAIL.replace("[approval]", "[limits]\nsteps = 1\n\n[approval]"))
    assert command("run", "mail").code == 1
    done = command("fork", "mail-1", "--set", "limits.steps=9", "--set", "title=Longer", "--json")
    assert done.code == 0
    assert json.loads(done.out.splitlines()[-1])["answer"] == "Told: 140"
    assert "forked from mail-1 at event" in done.err
    assert (home / "sessions" / "longer-1.toml").is_file()


def test_a_fork_at_the_end_of_an_answered_run_has_answered(command: Command, mail: Path) -> None:
    done = command("fork", "mail-1")
    assert done.code == 0
    assert "answer: Told: 140" in done.out


def test_what_is_said_then_and_the_script_that_says_what_comes(
    command: Command, mail: Path, scenario: Write, home: Path
) -> None:
    scenario("then", MAIL.partition("[[model.reply]]")[0] + '[[model.reply]]\ntext = "Told again."\n')
    done = command("fork", "mail-1", "--message", "Once more, please.", "--model", "then.toml")
    assert (done.code, done.err) == (0, "")
    assert "answer: Told again." in done.out
    again = command("resume", fork_of(home), "--message", "And again.")
    assert "script_exhausted" in again.out


def test_save_says_where(command: Command, mail: Path, tmp_path: Path) -> None:
    assert command("fork", mail, "--at", "9", "--save", tmp_path / "deep" / "fork.toml").code == 0
    assert read_session(tmp_path / "deep" / "fork.toml").header.parent == read_session(mail).header.id


def test_what_was_answered_beforehand_does_not_allow_what_the_parent_has_done(
    command: Command, scenario: Write, home: Path
) -> None:
    scenario("refund", REFUND + '\n[[person]]\non = "approval"\ndo = "allow"\n')
    assert command("run", "refund").code == 0
    # Done by the parent: nobody who wrote an answer beforehand could know of it.
    assert command("fork", "refund-1", "--at", "2").code == 3
    assert command("resume", fork_of(home), "--deny", "c1", "once is enough").code == 0


def test_a_loop_of_the_museum_is_run_again_not_forked(command: Command, home: Path) -> None:
    command("run", "museum-v1")
    (session,) = home.glob("sessions/*.toml")
    done = command("fork", session, "--at", "2")
    assert (done.code, done.err) == (2, "the loop v1 cannot go on from the middle: it can only be run again\n")


def test_show_lists_the_effects_all_of_them_or_those_after_an_event(command: Command, mail: Path) -> None:
    every, later = command("show", mail, "--as", "effects"), command("show", mail, "--as", "effects", "--at", "8")
    assert every.out.splitlines()[0] == "2 calls really acted; 1 cannot be undone"
    assert later.out == "After event 8: nothing but reading was done\n"


def test_effects_of_events_that_make_no_run_are_one_sentence(command: Command, home: Path) -> None:
    events = [UserMessage(text="g"), Forked(parent="p", at=1, effects=({"tool": 5},))]
    path = home / "sessions" / "bad.toml"
    path.parent.mkdir(exist_ok=True)
    create_session(path, Header(id="bad", goal="g"), events).close()
    done = command("show", "bad", "--as", "effects", "--at", "1")
    assert (done.code, done.err) == (2, "bad.toml: tool of an effect is text, not 5\n")


def test_sessions_are_a_tree_of_forks(command: Command, mail: Path, home: Path) -> None:
    command("fork", "mail-1", "--at", "8")
    command("fork", fork_of(home), "--at", "8", "--title", "Again")
    listed = command("sessions").out.splitlines()[1:]
    ends = ["  Mail", "  └ Mail, from event 8", "    └ Again"]
    assert [line.endswith(end) for line, end in zip(listed, ends, strict=False)] == [True, True, True]
    rows = {row["title"]: row for row in json.loads(command("sessions", "--json").out)}
    assert (rows["Again"]["depth"], rows["Again"]["parent_at"], rows["Mail"]["depth"]) == (2, 8, 0)
