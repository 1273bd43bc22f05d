"""Who decides about a call, about which call, and for how long."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.runner.parts import answer, calls, kinds, make, of, outcomes
from workbench.core.events import Decided, Event, Notice, SettingsChanged, ToolResult, ToolStarted
from workbench.core.gate import describe
from workbench.core.loop import AskPerson
from workbench.core.ports import Question
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.core.values import Fault, Limits, Pattern, Rule
from workbench.runner import CommandError, Run
from workbench.toolkit.api import tool

written: list[str] = []


@pytest.fixture(autouse=True)
def nothing_written() -> None:
    written.clear()


@tool(risk="write", dedupe=False, inline=True)
def write_note(path: str, text: str = "") -> str:
    """Write a note."""
    written.append(f"{path}={text}" if text else path)
    return f"wrote {path}"


@tool(risk="read", inline=True)
def read_note(path: str) -> str:
    """Read a note."""
    return f"text of {path}"


def asked(run: Run) -> list[str]:
    """The calls a person is asked about, in order."""
    move = run.next
    return [record.call.id for record in move.question.calls] if isinstance(move, AskPerson) else []


def write(path: str) -> tuple[str, dict[str, str]]:
    return "write_note", {"path": path}


THREE = calls(write("a"), write("b"), write("c"))


async def test_one_yes_runs_one_call() -> None:
    run = make([THREE, answer()], write_note)
    await run.play()
    assert asked(run) == ["c1", "c2", "c3"]
    run.decide("c1", "allow")
    await run.play()
    assert asked(run) == ["c2", "c3"]
    run.decide("c2", "deny")
    run.decide("c3", "deny", reason="not that one")
    await run.play()
    assert written == ["a"]
    assert list(outcomes(run).values()) == ["ran", "denied", "denied"]


async def test_calls_can_be_decided_in_any_order_and_run_in_theirs() -> None:
    run = make([THREE, answer()], write_note)
    await run.play()
    for call in ("c3", "c1", "c2"):
        run.decide(call, "allow")
    await run.play()
    assert written == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("reason", "reads"), [("", "Denied by a person."), ("too much", "Denied by a person: too much")]
)
async def test_the_second_of_two_is_denied_and_the_run_goes_on(reason: str, reads: str) -> None:
    run = make([calls(write("a"), write("b")), calls(write("b")), answer()], write_note)
    await run.play()
    run.decide("c1", "allow")
    run.decide("c2", "deny", reason=reason)
    await run.play()
    assert [message.text for message in run.state.messages if message.role == "tool"] == ["wrote a", reads]
    assert asked(run) == ["c3"], "the same call proposed again is asked again"
    run.decide("c3", "allow")
    await run.play()
    assert run.status is Status.ANSWERED
    assert written == ["a", "b"]


async def test_denial_after_denial_ends_the_run_for_that_reason() -> None:
    run = make([calls(write("a"), repeat=5), answer()], write_note, limits=Limits(denials=3))
    for number in (1, 2, 3):
        await run.play()
        run.decide(f"c{number}", "deny")
    await run.play()
    stopped = run.state.stopped
    assert stopped is not None
    assert (stopped.status, stopped.knob, stopped.limit) == (Status.TOO_MANY_FAILURES, "limits.denials", 3)


async def test_edited_arguments_run_and_the_model_is_told() -> None:
    run = make([calls(write("a")), answer()], write_note)
    await run.play()
    with pytest.raises(CommandError, match="Missing parameter"):
        run.decide("c1", "edit", arguments='{"text": "x"}')
    with pytest.raises(CommandError, match="could not parse"):
        run.decide("c1", "edit", arguments='{"path": ')
    assert kinds(run) == ["user_message", "model_reply"]
    run.decide("c1", "edit", arguments='{ "text": "x", "path": "b" }')
    await run.play()
    assert written == ["b=x"]
    (started,) = of(run, ToolStarted)
    assert started.arguments == '{"path":"b","text":"x"}'
    (notice,) = of(run, Notice)
    assert (notice.topic, notice.call) == ("edited", "c1")
    assert '{"path":"b","text":"x"}' in notice.text


async def test_an_edited_call_that_never_ran_is_not_said_to_have_run() -> None:
    run = make([calls(write("a"), write("b")), answer()], write_note)
    await run.play()
    run.decide("c1", "edit", arguments='{"path": "z"}')
    run.stop()
    await run.play()
    run.go_on()
    await run.play()
    assert run.status is Status.ANSWERED
    assert of(run, Notice) == []


async def test_an_answer_in_place_of_a_call_runs_nothing() -> None:
    run = make([calls(write("a")), answer()], write_note)
    await run.play()
    run.decide("c1", "answer", answer="it is written already")
    await run.play()
    assert written == []
    assert outcomes(run) == {"c1": "answered"}
    assert run.state.messages[2].text == "it is written already"


# ---------------------------------------------------------------- standing permissions


async def test_always_allow_covers_exactly_its_scope_and_can_be_taken_back() -> None:
    script = [calls(("read_note", {"path": path})) for path in ("a.txt", "a.txt", "../private.txt", "a.txt")]
    ask = Rule(tool="read_note", decide="ask")
    run = make([*script, answer()], read_note, rules=(ask,))
    await run.play()
    assert asked(run) == ["c1"]
    exactly = Rule(
        tool="read_note", where=(("path", Pattern(kind="equal", value="a.txt")),), decide="allow", by="person"
    )
    run.grant(exactly)
    await run.play()
    assert outcomes(run) == {"c1": "ran", "c2": "ran"}
    assert asked(run) == ["c3"]
    assert [describe(grant) for grant in run.state.grants] == ['read_note where path = "a.txt"']
    run.decide("c3", "deny")
    run.withdraw(0)
    assert run.state.grants == ()
    with pytest.raises(CommandError, match="no such grant"):
        run.withdraw(0)
    await run.play()
    assert asked(run) == ["c4"]


async def test_a_rule_that_denies_cannot_be_overruled_by_anybody() -> None:
    deny = Rule(tool="write_note", where=(("path", Pattern(kind="glob", value="secret*")),), decide="deny")
    run = make([calls(write("secret.txt"), write("b")), answer()], write_note, rules=(deny,))
    for _ in range(2):
        await run.advance()  # the rule has not been asked yet
    assert kinds(run) == ["user_message", "model_reply"]
    with pytest.raises(CommandError, match="a rule of this run denies that: write_note where path glob"):
        run.decide("c1", "allow")
    with pytest.raises(CommandError, match="a rule of this run denies that"):
        run.decide("c2", "edit", arguments='{"path": "./secret.txt"}')
    assert run.check_edit("c2", '{"path": "secrets"}').startswith("a rule of this run denies")
    assert run.check_edit("c2", '{"path": "b"}') == ""
    run.decide("c2", "allow")
    await run.play()
    assert written == ["b"]
    assert outcomes(run) == {"c1": "denied", "c2": "ran"}


@pytest.mark.parametrize("name", ["Write_Note", "WRITE_NOTE", "notes.write_note", "save", "write_note ", "write-note"])
async def test_other_spellings_of_a_tool_are_no_tools_and_reach_nothing(name: str) -> None:
    allow = Rule(tool=name, decide="allow")
    run = make([calls((name, {"path": "a"})), answer()], write_note, rules=(allow,), approval="allow")
    await run.play()
    assert written == []
    assert outcomes(run) == {"c1": "invalid"}
    assert "Available: ['write_note']" in of(run, ToolResult)[0].content


async def test_the_default_can_be_changed_and_rules_still_come_first() -> None:
    deny = Rule(tool="write_note", where=(("path", Pattern(kind="equal", value="b")),), decide="deny")
    run = make([calls(write("a")), calls(write("b")), answer()], write_note, rules=(deny,))
    await run.play()
    assert asked(run) == ["c1"]
    run.change({"approval.default": "allow"})
    await run.play()
    assert written == ["a"]
    assert outcomes(run) == {"c1": "ran", "c2": "denied"}


# ---------------------------------------------------------------- what cannot be decided


async def test_decisions_that_make_no_sense_are_refused_and_leave_no_trace() -> None:
    run = make([calls(write("a")), answer()], write_note)
    await run.play()
    before = list(run.events)
    for call, decision, says in [
        ("c9", "allow", "there is no call c9"),
        ("c²", "allow", "there is no call c²"),
        ("", "allow", "there is no call "),
        ("c1", "perhaps", "'perhaps' is no decision"),
    ]:
        with pytest.raises(CommandError, match=re.escape(says)):
            run.decide(call, decision)
    with pytest.raises(CommandError, match="c1 is not held"):
        run.release("c1")
    assert run.events == before
    run.decide("c1", "allow")
    with pytest.raises(CommandError, match="c1 is not waiting"):
        run.decide("c1", "deny")
    await run.play()
    with pytest.raises(CommandError, match="c1 is not waiting"):
        run.decide("c1", "allow")


async def test_a_held_result_is_passed_on_changed_and_cannot_be_decided_about() -> None:
    run = make([calls(("read_note", {"path": "a"})), answer("${last}")], read_note)
    run.change({"hold": True})
    await run.play()
    with pytest.raises(CommandError, match="its result is held"):
        run.decide("c1", "allow")
    run.release("c1", content="something else")
    run.change({"hold": False})
    await run.play()
    assert run.state.answer == "something else"
    (result,) = of(run, ToolResult)
    assert (result.original, result.changed_by, result.changed) == ("text of a", "you", True)


async def test_a_held_result_sent_on_with_the_text_it_had_was_changed_by_nobody() -> None:
    run = make([calls(("read_note", {"path": "a"}), ("read_note", {"path": "b"})), answer("${last}")], read_note)
    run.change({"hold": True})
    await run.play()
    run.release("c1", content="text of a", outcome="ran")
    await run.play()
    run.strike(Fault(on="result", do="append", text="!"), "c2")
    run.release("c2", content="text of b\n!")
    assert [result.changed_by for result in of(run, ToolResult)] == ["", "fault append"]


# ---------------------------------------------------------------- whoever stands in for a person


class Says:
    """Answers every question with the same events."""

    def __init__(self, *events: Event) -> None:
        self.events = events

    def answer(self, question: Question, state: State) -> Sequence[Event] | None:
        return self.events if question.on == "approval" else None


@pytest.mark.parametrize(
    ("event", "says"),
    [
        (Decided(call="c1", decision="edit", arguments='{"text": 3}'), "Missing parameter"),
        (Decided(call="c7", decision="allow"), "there is no call c7"),
        (Decided(call="c7", decision="deny"), "about call 'c7', which is not open"),
        (SettingsChanged(changes={"limits.steps": 0}), "must be a number above 0"),
        (SettingsChanged(changes={"nonsense": 0}), "there is no setting 'nonsense'"),
    ],
    ids=lambda value: value.kind if isinstance(value, Event) else "",
)
async def test_an_answer_that_cannot_be_is_said_and_never_recorded(event: Event, says: str) -> None:
    run = make([calls(write("a")), answer()], write_note, person=Says(event))
    with pytest.raises(CommandError, match=says):
        await run.play()
    assert kinds(run) == ["user_message", "model_reply"]
    assert not run.playing
    run.person = None
    run.decide("c1", "allow")
    await run.play()
    assert run.status is Status.ANSWERED


async def test_what_was_allowed_is_what_runs_whatever_arguments_the_answer_names() -> None:
    other = Decided(call="c1", decision="allow", arguments='{"path":"elsewhere"}')
    run = make([calls(write("a")), answer()], write_note, person=Says(other))
    await run.play()
    assert written == ["a"]
    assert of(run, Decided) == [replace(other, arguments='{"path":"a"}')]


async def test_deciding_is_recorded_with_what_was_shown() -> None:
    run = make([calls(("write_note", '{"text": "x",  "path": "a"}')), answer()], write_note)
    await run.play()
    run.decide("c1", "allow")
    decided: dict[str, Any] = {"decision": "allow", "by": "person", "arguments": '{"path":"a","text":"x"}'}
    assert {name: getattr(of(run, Decided)[0], name) for name in decided} == decided
