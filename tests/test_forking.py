"""Forks as sessions: what stands in them, other texts, other models, and what is refused without a trace."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.models.wire.server import Server
from tests.models.wire.test_runs import ENDS, KEY, PROBLEM, opened, recorded
from tests.models.wire.test_runs import home as wire_home
from tests.models.wire.test_runs import key as wire_key
from workbench.core.events import Event, Forked, ModelReply, SettingsChanged, ToolResult, UserMessage
from workbench.core.statuses import Status
from workbench.forking import Branch, branch_title, fork
from workbench.home import Home
from workbench.models.human import HumanModel
from workbench.models.live import LiveModel
from workbench.opening import Opened, change_model, new_run, reopen
from workbench.runner import CommandError, Run
from workbench.sandbox import TrustNeeded
from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.loader import parse_scenario
from workbench.sessions.errors import SessionError
from workbench.sessions.journal import create_session, read_session

home, key = wire_home, wire_key

NOTES = """
title = "Notes"
goal = "Read the notes."
protocol = "native"
tools = ["read_note", "write_note"]

[approval]
default = "allow"

[[model.reply]]
text = "Reading."
[[model.reply.call]]
tool = "read_note"
arguments = { path = "a.txt" }

[[model.reply]]
[[model.reply.call]]
tool = "read_note"
arguments = { path = "b.txt" }

[[model.reply]]
text = "It says ${result1} and ${result2}."
"""


def played(home: Home, text: str = NOTES, *, keep: bool = True) -> Run:
    """A run of that scenario to where it stops or waits."""
    made = new_run(parse_scenario(text, "notes.toml"), home, headless=True, keep=keep)
    asyncio.run(made.run.play())
    made.close()
    return made.run


def forked(run: Run, home: Home, **branch: Any) -> Opened:
    return fork(run.header, run.events, Branch(**branch), home, headless=True)


def goes_on(opened: Opened) -> Run:
    asyncio.run(opened.run.play())
    opened.close()
    return opened.run


def of(run: Run, kind: type[Event]) -> list[Any]:
    return [event for event in run.events if isinstance(event, kind)]


# ---------------------------------------------------------------- the session


def test_a_fork_is_whole_on_the_disk_before_its_first_move(home: Home) -> None:
    run = played(home)
    made = forked(run, home, at=4)
    made.close()
    assert made.path is not None
    session = read_session(made.path)
    assert session.events == made.run.events
    assert session.events[:4] == run.events[:4]
    assert [event.kind for event in session.events[4:]] == ["forked"]
    assert not list(home.sessions.glob("*.new"))


def test_a_run_that_is_kept_nowhere_can_be_forked(home: Home) -> None:
    assert goes_on(forked(played(home, keep=False), home, at=4)).status is Status.ANSWERED


def test_a_fork_goes_on_with_its_files_as_they_were_then(home: Home) -> None:
    text = NOTES.replace('"write_note"', '"write_file", "read_file"').replace(
        'tool = "read_note"\narguments = { path = "b.txt" }',
        'tool = "write_file"\narguments = { path = "a.txt", text = "later" }',
    )
    text = text.replace("[approval]", '[workspace]\nfiles = { "a.txt" = "first" }\n\n[approval]')
    run = played(home, text)
    before, after = forked(run, home, at=6), forked(run, home, at=len(run.events))
    assert (before.run.tools.file_text("a.txt"), after.run.tools.file_text("a.txt")) == ("first", "later")
    before.close()
    after.close()


@pytest.mark.parametrize(
    ("title", "at", "named"),
    [("Notes", 4, "Notes, from event 4"), ("Notes, from event 4", 1200, "Notes, from event 1,200")],
)
def test_a_fork_is_named_after_its_parent_and_the_place(title: str, at: int, named: str) -> None:
    assert branch_title(title, at) == named


def test_a_name_that_the_parent_got_on_the_way_is_not_the_name_of_the_fork(home: Home) -> None:
    run = played(home)
    events = [*run.events[:4], SettingsChanged(changes={"title": "Renamed"}), *run.events[4:]]
    made = fork(run.header, events, Branch(at=6), home)
    again = fork(run.header, events, Branch(at=6, title="Mine"), home)
    assert [each.run.state.title for each in (made, again)] == ["Renamed, from event 6", "Mine"]
    made.close()
    again.close()


def test_other_settings_and_a_message_come_after_the_shared_events(home: Home) -> None:
    run = played(home)
    made = forked(run, home, at=len(run.events), changes={"limits.steps": 9}, message="And c.txt?")
    assert [event.kind for event in made.run.events[-3:]] == ["forked", "settings_changed", "user_message"]
    assert goes_on(made).status is Status.SCRIPT_EXHAUSTED


# ---------------------------------------------------------------- another text


def test_another_result_is_marked_and_what_the_tool_really_gave_stays_with_it(home: Home) -> None:
    run = goes_on(forked(played(home), home, at=4, text="nothing"))
    result, *_ = of(run, ToolResult)
    assert (result.content, result.original, result.changed_by, result.outcome) == (
        "nothing",
        "note a.txt",
        "you",
        "ran",
    )
    assert run.state.answer == "It says nothing and note b.txt."


def test_an_error_can_become_a_result(home: Home) -> None:
    run = played(home, NOTES.replace("a.txt", "a.txt", 1).replace('{ path = "a.txt" }', "{ path = 5 }"))
    assert of(run, ToolResult)[0].outcome == "invalid"
    (result, *_) = of(goes_on(forked(run, home, at=3, text="as if")), ToolResult)
    assert (result.outcome, result.original_outcome, result.is_error) == ("answered", "invalid", False)


def test_another_reply_is_read_and_checked_like_any(home: Home) -> None:
    run = played(home)
    calls = json.dumps(
        {"text": "Both.", "calls": [{"tool": "read_note", "arguments": {"path": name}} for name in "xy"]}
    )
    made = goes_on(forked(run, home, at=2, text=calls))
    reply = of(made, ModelReply)[0]
    assert (reply.changed_by, [call.id for call in reply.calls], reply.line) == ("you", ["c1", "c2"], 0)
    assert "read_note" in reply.original
    assert [result.content for result in of(made, ToolResult)] == ["note x", "note y", "note b.txt"]
    answered = goes_on(forked(run, home, at=2, text="I know it."))
    assert (answered.status, answered.state.answer) == (Status.ANSWERED, "I know it.")


def test_the_same_reply_again_changes_nothing(home: Home) -> None:
    run = played(home)
    same = json.dumps({"text": "Reading.", "calls": [{"tool": "read_note", "arguments": {"path": "a.txt"}}]})
    made = goes_on(forked(run, home, at=2, text=same))
    assert made.events[1] == run.events[1]


def test_the_user_said_something_else(home: Home) -> None:
    run = goes_on(forked(played(home), home, at=1, text="Read them backwards."))
    assert of(run, UserMessage) == [UserMessage(text="Read them backwards.")]
    assert run.state.messages[0].text == "Read them backwards."


def test_a_goal_that_another_result_meets_is_reached(home: Home) -> None:
    run = played(home, f'{NOTES}\n[goal_check]\nresult_of = "read_note"\ncontains = "gold"\n')
    assert goes_on(forked(run, home, at=4, text="gold")).status is Status.GOAL_REACHED


# ---------------------------------------------------------------- another model


def test_each_reply_of_a_person_stands_for_one_of_the_script(home: Home) -> None:
    run = played(home)
    human = forked(run, home, at=4, choice="human")
    assert isinstance(human.run.model, HumanModel)
    assert human.run.state.model.use == "human"
    human.run.model.say('{"calls": [{"tool": "read_note", "arguments": {"path": "mine.txt"}}]}')
    asyncio.run(human.run.play())
    assert human.run.status is Status.AWAITING_PERSON
    human.close()
    back = goes_on(forked(human.run, home, at=len(human.run.events), choice="scripted"))
    assert back.state.answer == "It says note a.txt and note mine.txt."


def test_the_chosen_model_is_there_again_when_the_fork_is_opened_again(home: Home) -> None:
    made = forked(played(home), home, at=4, choice="human")
    made.close()
    assert made.path is not None
    again = reopen(made.path, home)
    assert isinstance(again.run.model, HumanModel)
    again.close()


@pytest.mark.parametrize("wire", ["openai", "anthropic", "ollama"])
@pytest.mark.parametrize("at", range(9))
async def test_a_scripted_run_goes_on_with_a_real_model_from_anywhere(wire: str, at: int, home: Home) -> None:
    made = new_run(parse_scenario(NOTES, "notes.toml"), home, headless=True)
    await made.run.play()
    made.close()
    async with Server(ENDS[wire]) as server:
        other = fork(made.run.header, made.run.events, Branch(at=at, choice=f"{wire}:m", base_url=server.url), home)
        await other.run.play()
        other.close()
    if at < 8:
        assert other.run.state.answer == "done"
    assert all(PROBLEM[wire](body) == "" for body in server.bodies)
    if wire == "openai" and server.requests:
        # The person has typed the address just now.
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(("changes", "endless"), [({}, True), ({"limits.steps": 9}, False)])
def test_a_model_that_may_go_on_for_ever_is_warned_of_where_no_limit_ends_it(
    home: Home, changes: dict[str, Any], endless: bool
) -> None:
    made = forked(played(home), home, at=4, choice="openai:m", base_url="http://127.0.0.1:9/v1", changes=changes)
    made.close()
    assert any("no limit ends this run" in note for note in made.notes) is endless


async def test_what_only_one_vendor_can_read_is_not_sent_to_another_and_that_is_said(home: Home) -> None:
    async with Server(recorded("anthropic-thinking-with-tool"), ENDS["anthropic"]) as server:
        first = opened(home, server, "anthropic")
        await first.run.play()
        first.close()
        run = first.run
        async with Server(ENDS["openai"]) as other:
            made = fork(run.header, run.events, Branch(at=4, choice="openai:m", base_url=other.url), home)
            await made.run.play()
            made.close()
        same = fork(run.header, run.events, Branch(at=4), home)
        await same.run.play()
        same.close()
        elsewhere = fork(run.header, run.events, Branch(at=4, choice="anthropic:m", base_url=f"{server.url}/v2"), home)
        await elsewhere.run.play()
        elsewhere.close()
    left_out = "one earlier reply had thinking that only the model before can read: m is not sent that"
    assert left_out in made.notes
    assert left_out in elsewhere.notes
    assert left_out not in same.notes
    assert PROBLEM["openai"](other.bodies[0]) == ""
    assert "signature" not in other.requests[0].body.decode()
    with_blocks = ["signature" in exchange.body.decode() for exchange in server.requests]
    assert with_blocks == [False, True, True, False]


async def test_the_model_can_change_while_a_run_stands_still(home: Home) -> None:
    made = new_run(parse_scenario(NOTES, "notes.toml"), home, headless=True)
    run = made.run
    while run.state.tool_calls == 0:
        await run.advance()
    async with Server(ENDS["openai"]) as server:
        notes = change_model(made, home, "openai:m", server.url)
        assert isinstance(run.model, LiveModel)
        assert any("no price is known" in note for note in notes)
        await run.play()
        made.close()
    assert (run.state.answer, run.state.cost, len(server.requests)) == ("done", None, 1)
    assert made.path is None
    assert made.session_path is not None
    again = reopen(made.session_path, home)
    assert isinstance(again.run.model, LiveModel)
    assert again.run.model.endpoint.base_url == server.url
    again.close()


def test_back_to_its_own_model_is_that_of_the_scenario_to_the_letter(home: Home) -> None:
    text = NOTES.replace("[[model.reply]]", "[model]\ncontext_window = 9000\n[[model.reply]]", 1)
    run = played(home, text)
    there = forked(run, home, at=4, choice="human")
    there.close()
    back = forked(there.run, home, at=5, choice="scripted")
    assert back.run.state.model.use == "scripted"
    assert goes_on(back).status is Status.ANSWERED


async def test_while_a_move_is_made_the_model_stays(home: Home) -> None:
    made = new_run(parse_scenario(NOTES, "notes.toml"), home)
    refused: list[str] = []

    def listener(event: Event) -> None:
        if event.kind == "tool_started" and not refused:
            with pytest.raises(CommandError) as error:
                change_model(made, home, "human")
            refused.append(str(error.value))

    made.run.subscribe(listener)
    await made.run.play()
    made.close()
    assert refused == ["the model can be changed when no move is being made"]
    assert made.run.status is Status.ANSWERED


# ---------------------------------------------------------------- what cannot be


@pytest.mark.parametrize(
    ("branch", "error", "sentence"),
    [
        ({"at": 99}, SessionError, "there is no event 99"),
        ({"at": 3, "text": "x"}, SessionError, "event 3 is tool started: another text"),
        ({"at": 0, "text": "x"}, SessionError, "event 0 is the beginning"),
        ({"at": 4, "choice": "nobody"}, ScenarioError, "there is no model"),
        ({"at": 4, "changes": {"limits.steps": 0}}, CommandError, "must be a number above 0"),
        ({"at": 2, "message": "x"}, CommandError, "when no call is open"),
        ({"at": 1, "text": " "}, CommandError, "the message is empty"),
    ],
)
def test_what_cannot_be_leaves_nothing(branch: Any, error: type[Exception], sentence: str, home: Home) -> None:
    run = played(home)
    before = sorted(home.sessions.iterdir())
    with pytest.raises(error, match=sentence):
        forked(run, home, **branch)
    assert sorted(home.sessions.iterdir()) == before


def test_events_that_were_changed_by_hand_and_make_no_run_are_told(home: Home) -> None:
    run = played(home)
    events = [*run.events[:2], ToolResult(call="c9", content="of no call"), *run.events[2:]]
    with pytest.raises(SessionError, match="the session makes no run: event 3 is about call 'c9'"):
        fork(run.header, events, Branch(at=5), home)


def test_effects_that_were_changed_by_hand_are_told_and_those_of_another_branch_left_out(home: Home) -> None:
    run = played(home)
    spoilt = [*run.events, Forked(parent="p", at=1, effects=({"tool": 5},))]
    with pytest.raises(SessionError, match="the session makes no run: tool of an effect is text"):
        fork(run.header, spoilt, Branch(at=4), home)
    beside = replace(run.header, id="beside", root=run.header.id, parent=run.header.id)
    with create_session(home.sessions / "beside.toml", beside, spoilt):
        assert goes_on(forked(run, home, at=4)).status is Status.ANSWERED


def test_a_folder_of_the_person_needs_trust_also_in_a_fork(home: Home, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    run = played(home)
    scenario = {**run.header.scenario, "workspace": {"root": str(tmp_path / "mine")}}
    before = sorted(home.sessions.iterdir())
    with pytest.raises(TrustNeeded):
        fork(replace(run.header, scenario=scenario), run.events, Branch(at=4), home)
    assert sorted(home.sessions.iterdir()) == before


@pytest.mark.parametrize("cut", [1, 40, 120, 300])
def test_a_session_whose_end_was_cut_off_is_forked_from_what_is_whole_and_left_as_it_is(home: Home, cut: int) -> None:
    made = new_run(parse_scenario(NOTES, "notes.toml"), home, headless=True)
    asyncio.run(made.run.play())
    made.close()
    path = made.session_path
    assert path is not None
    path.write_bytes(left := path.read_bytes()[:-cut])
    session = read_session(path)
    assert session.torn
    again = fork(session.header, session.events, Branch(at=len(session.events)), home, headless=True)
    assert goes_on(again).state.answer == made.run.state.answer
    assert path.read_bytes() == left
    assert goes_on(reopen(path, home, headless=True)).state.answer == made.run.state.answer


# ---------------------------------------------------------------- other branches


def test_what_another_fork_has_done_is_asked_about_in_this_one_too(home: Home) -> None:
    text = NOTES.replace('"b.txt"', '"b.txt", text = "x"').replace(
        'tool = "read_note"\narguments = { path = "b.txt"', 'tool = "write_note"\narguments = { path = "b.txt"'
    )
    parent = new_run(parse_scenario(text, "notes.toml"), home, headless=True)
    asyncio.run(parent.run.step())
    parent.close()
    first = goes_on(forked(parent.run, home, at=1))
    assert [result.outcome for result in of(first, ToolResult)] == ["ran", "ran"]
    second = goes_on(forked(parent.run, home, at=1))
    assert second.status is Status.AWAITING_APPROVAL
    (written,) = Path(home.tools[0] / "written").read_text().splitlines()
    assert written == "('b.txt', 'x')"


def test_a_session_beside_it_that_cannot_be_read_keeps_nobody_from_forking(home: Home) -> None:
    run = played(home)
    (home.sessions / "broken.toml").write_text("format = 1\n[session]\nid = 5\n")
    (home.sessions / "empty.toml").write_text("")
    assert goes_on(forked(run, home, at=4)).status is Status.ANSWERED
