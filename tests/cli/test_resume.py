from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.cli.test_run import FOREVER, REFUND
from workbench.home import find_home, packaged_folder
from workbench.opening import new_run
from workbench.scenarios.loader import load_scenario
from workbench.sessions.journal import open_session, read_session

Write = Callable[[str, str], Path]

BATCH = """
title = "Batch"
goal = "Settle ticket T-88."
protocol = "native"
tools = ["create_refund", "set_ticket_status", "stock_level"]

[[model.reply]]
[[model.reply.call]]
tool = "stock_level"
arguments = { warehouse = "north" }
[[model.reply.call]]
tool = "create_refund"
arguments = { order = "A-1042", amount = 62.5 }
[[model.reply.call]]
tool = "set_ticket_status"
arguments = { ticket = "T-88", status = "closed" }

[[model.reply]]
text = "Settled: ${result1} ${result2} ${result3}"
"""


@pytest.fixture
def waiting(command: Command, scenario: Write, home: Path) -> Path:
    """A session that waits for a decision about its one refund."""
    scenario("refund", REFUND)
    assert command("run", "refund").code == 3
    return home / "sessions" / "refund-1.toml"


@pytest.fixture
def batch(command: Command, scenario: Write, home: Path) -> Path:
    """A session in which two of three calls wait: c2 and c3."""
    scenario("batch", BATCH)
    assert command("run", "batch").code == 3
    return home / "sessions" / "batch-1.toml"


def _kinds(session: Path) -> list[str]:
    return [event.kind for event in read_session(session).events]


def _results(session: Path) -> list[str]:
    events: list[Any] = read_session(session).events
    return [f"{event.call} {event.outcome}" for event in events if event.kind == "tool_result"]


# ---------------------------------------------------------------- decisions


def test_resume_goes_on_from_the_file_when_the_call_is_allowed(command: Command, waiting: Path) -> None:
    before = waiting.read_bytes()
    done = command("resume", waiting, "--allow", "c1")
    assert done.code == 0
    assert "answer: Done." in done.out
    assert "✓ allowed by you, once" in done.out
    assert waiting.read_bytes().startswith(before)
    assert _kinds(waiting)[2:] == ["decided", "tool_started", "tool_result", "model_reply", "stopped"]


def test_the_model_reads_the_reason_of_a_denial(command: Command, waiting: Path) -> None:
    done = command("resume", waiting, "--deny", "c1", "not today")
    assert done.code == 0
    assert "Denied by a person: not today" in done.out
    assert _results(waiting) == ["c1 denied"]


def test_edited_arguments_run_and_the_model_is_told(command: Command, waiting: Path) -> None:
    done = command("resume", waiting, "--edit", "c1", '{"order": "A-1042", "amount": 5}')
    assert done.code == 0
    assert "Refunded 5.00 for order A-1042." in done.out
    assert "A person changed the arguments" in done.out


def test_an_answer_stands_for_the_result_and_the_tool_does_not_run(command: Command, waiting: Path) -> None:
    done = command("resume", waiting, "--answer", "c1", "Paid in cash.")
    assert done.code == 0
    assert "Paid in cash." in done.out
    assert "tool_started" not in _kinds(waiting)


def test_all_is_every_call_that_waits_and_no_other(command: Command, batch: Path) -> None:
    done = command("resume", batch, "--deny", "all", "nothing today")
    assert done.code == 0
    assert sorted(_results(batch)) == ["c1 ran", "c2 denied", "c3 denied"]


def test_all_leaves_out_what_is_decided_by_name(command: Command, batch: Path) -> None:
    refund = '{"order": "A-1042", "amount": 6.25}'
    done = command("resume", batch, "--allow", "all", "--edit", "c2", refund)
    assert done.code == 0
    assert "Refunded 6.25" in done.out
    assert _results(batch) == ["c1 ran", "c2 ran", "c3 ran"]


def test_one_yes_is_for_one_call(command: Command, batch: Path) -> None:
    done = command("resume", batch, "--allow", "c2")
    assert done.code == 3
    assert "  c3  set_ticket_status" in done.out
    assert "tool_started" not in _kinds(batch)


def test_without_a_decision_the_run_goes_on_waiting(command: Command, waiting: Path) -> None:
    before = waiting.read_bytes()
    assert command("resume", waiting).code == 3
    assert waiting.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--allow", "c9"], "c9 does not wait for a decision; waiting: c2, c3"),
        (["--allow", "c1"], "c1 does not wait for a decision; waiting: c2, c3"),
        (["--allow", "c2", "--deny", "c2", "no"], "c2 is decided about twice"),
        (["--edit", "c2", '{"a":}'], "--edit c2: this is no JSON: line 1, column 6: a value is missing here: text in double quotes, a number, true, false, null, [ ] or { }"),
        (["--message", " "], "--message is empty"),
        (["--message", "And?"], "--message can be given when no call is open, to a run that has begun"),
        (["--set", "limits.steps=none"], '--set limits.steps=none: limits.steps: must be a whole number, not "none"'),
        (["--set", "seed=3"], "--set seed=3: a run that has begun can change limits.…, context.…, approval.default and title"),
        (["--no-limit", "stepz"], '--no-limit stepz: there is no limit "stepz"; did you mean "steps"?'),
    ],
)  # fmt: skip
def test_bad_input_changes_nothing(command: Command, batch: Path, arguments: list[str], sentence: str) -> None:
    before = batch.read_bytes()
    done = command("resume", batch, "--set", "limits.steps=9", "--allow", "c3", *arguments)
    assert (done.code, done.out, done.err) == (2, "", f"{sentence}\n")
    assert batch.read_bytes() == before


def test_an_edit_that_the_tool_refuses_is_refused_before_anything_is_recorded(command: Command, waiting: Path) -> None:
    before = waiting.read_bytes()
    done = command("resume", waiting, "--edit", "c1", '{"order": "A-1042", "amount": -1}')
    assert done.code == 2
    assert done.err.startswith("--edit c1: ")
    assert "amount" in done.err
    assert waiting.read_bytes() == before


# ---------------------------------------------------------------- settings and messages


def test_a_raised_cap_lets_a_stopped_run_go_on(command: Command, scenario: Write, home: Path) -> None:
    scenario("forever", FOREVER)
    command("run", "forever")
    session = home / "sessions" / "loop-forever-1.toml"
    done = command("resume", session, "--set", "limits.steps=5", "--json")
    assert done.code == 1
    result = json.loads(done.out.splitlines()[-1])
    assert (result["status"], result["steps"]) == ("step_budget_exhausted", 5)


def test_a_lifted_cap_and_another_one(command: Command, scenario: Write, home: Path) -> None:
    scenario("forever", FOREVER)
    command("run", "forever")
    session = home / "sessions" / "loop-forever-1.toml"
    done = command("resume", session, "--no-limit", "steps", "--set", "limits.repeats.stop=6", "--json")
    result = json.loads(done.out.splitlines()[-1])
    assert (result["status"], result["steps"]) == ("repeated_action", 6)


def test_a_message_continues_an_ended_run(command: Command, scenario: Write, home: Path) -> None:
    scenario(
        "chat",
        'title = "Chat"\ngoal = "One?"\nprotocol = "text"\n'
        '[[model.reply]]\ntext = "ANSWER: 1"\n[[model.reply]]\ntext = "ANSWER: 2"\n',
    )
    command("run", "chat")
    done = command("resume", home / "sessions" / "chat-1.toml", "--message", "Two?")
    assert done.code == 0
    assert "answer: 2" in done.out
    assert "    USER    Two?" in done.out


def test_a_finished_run_is_only_shown_again(command: Command, home: Path) -> None:
    command("run", "two-cities")
    session = home / "sessions" / "two-cities-1.toml"
    before = session.read_bytes()
    done = command("resume", session)
    assert (done.code, "answer: 11800000" in done.out) == (0, True)
    assert session.read_bytes() == before


def test_once_a_real_person_has_decided_the_scenarios_own_one_neither_answers_nor_is_missed(command: Command) -> None:
    assert command("resume", "refund-waiting-for-you").code == 3
    done = command("resume", "refund-waiting-for-you", "--edit", "c4", '{"order": "A-1042", "amount": 6.25}')
    assert done.code == 0


def test_a_run_nobody_has_touched_goes_on_with_the_person_of_its_scenario(command: Command, tmp_path: Path) -> None:
    session = tmp_path / "refund.toml"
    scenario = load_scenario(packaged_folder() / "scripts" / "refund.toml")
    opened = new_run(scenario, find_home(), save=session, headless=True)
    asyncio.run(opened.run.play())
    opened.close()
    done = command("resume", session)
    assert done.code == 0
    assert '{"amount":6.25,"order":"A-1042"}' in done.out


# ---------------------------------------------------------------- files


def test_an_example_goes_on_in_a_copy_and_stays_as_it_is(command: Command, home: Path) -> None:
    example = packaged_folder() / "sessions" / "refund-waiting-for-you.toml"
    before = example.read_bytes()
    refund = '{"order": "A-1042", "amount": 6.25}'
    assert command("resume", "refund-waiting-for-you", "--edit", "c4", refund).code == 0
    copy = home / "sessions" / "refund-waiting-for-you-1.toml"
    assert copy.read_bytes().startswith(before)
    assert len(copy.read_bytes()) > len(before)
    assert example.read_bytes() == before
    assert [path.name for path in example.parent.iterdir() if path.suffix != ".toml"] == []


def test_to_look_at_an_example_makes_no_copy(command: Command, home: Path) -> None:
    assert command("resume", "two-cities-answered").code == 0
    assert list((home / "sessions").iterdir()) == []


def test_a_session_that_is_being_written_is_refused(command: Command, waiting: Path) -> None:
    _, journal = open_session(waiting)
    with journal:
        done = command("resume", waiting, "--allow", "c1")
    assert (done.code, done.err) == (
        2,
        "refund-1.toml is being written in this process: open it to read only, or fork it\n",
    )


def test_a_torn_end_is_set_aside_and_told(command: Command, waiting: Path) -> None:
    whole = waiting.read_bytes()
    waiting.write_bytes(whole + b'\n[[event]]\nn = 3\nkind = "deci')
    done = command("resume", waiting, "--allow", "c1")
    assert done.code == 0
    assert "was moved to refund-1.toml.torn" in done.err


def test_what_is_no_session_is_said_in_one_sentence(command: Command, home: Path) -> None:
    path = home / "sessions" / "notes.toml"
    path.write_text('title = "mine"\n')
    done = command("resume", path)
    assert (done.code, done.err) == (2, "notes.toml: it is not a session: it does not begin with format = 1\n")


def test_a_tool_that_has_more_power_now_does_not_run_under_its_old_name(
    command: Command, scenario: Write, tool: Write, home: Path
) -> None:
    scenario(
        "note",
        """
        title = "Note"
        goal = "Note it"
        protocol = "text"
        tools = ["note", "create_refund"]
        [[model.reply]]
        text = 'ACTION: create_refund {"order": "A-1042", "amount": 1}'
        [[model.reply]]
        text = 'ACTION: note {}'
        [[model.reply]]
        text = "ANSWER: ${last}"
        """,
    )
    tool("note", "@tool(risk='read')\ndef note() -> str:\n    '''Note.'''\n    return 'noted'\n")
    command("run", "note")
    tool("note", "@tool(risk='outward')\ndef note() -> str:\n    '''Note.'''\n    return 'SENT'\n")
    done = command("resume", home / "sessions" / "note-1.toml", "--allow", "c1")
    assert "the tool note is outward and trusted now and was read and trusted in this session" in done.err
    assert "SENT" not in done.out
    assert "no tool named 'note'" in done.out


def test_a_tool_that_is_gone_is_told(command: Command, scenario: Write, tool: Write, home: Path) -> None:
    path = tool("note", "@tool(risk='write')\ndef note() -> str:\n    '''Note.'''\n    return 'noted'\n")
    scenario(
        "note",
        'title = "Note"\ngoal = "x"\nprotocol = "text"\ntools = ["note"]\n'
        "[[model.reply]]\ntext = 'ACTION: note {}'\n[[model.reply]]\ntext = 'ANSWER: ${last}'\n",
    )
    assert command("run", "note").code == 3
    path.unlink()
    done = command("resume", home / "sessions" / "note-1.toml", "--allow", "c1")
    assert "the tool note is not there any more; a call of it fails" in done.err
    assert (done.code, _results(home / "sessions" / "note-1.toml")) == (2, [])
