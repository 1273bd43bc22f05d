from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.scenarios_shipped import shipped
from tests.scenarios_shipped.shipped import CREATED, HOME, NAMES, shipped_tools
from workbench.check import check_file
from workbench.clocks import VirtualClock
from workbench.core.events import Forked, ModelReply, SettingsChanged, ToolResult, ToolStarted
from workbench.core.loop import AskModel, AskPerson, Finished
from workbench.core.statuses import Status
from workbench.core.values import Call, Fault, Header, Rule
from workbench.faults.catalogue import named
from workbench.faults.catalogue import shipped as shipped_faults
from workbench.models.human import HumanModel
from workbench.opening import Opened, new_run
from workbench.results import outcome_of, transcript_text
from workbench.runner import CommandError, Run
from workbench.scenarios.loader import parse_scenario, scenario_from_plain, to_plain
from workbench.scenarios.played import Played, played


def opened(plain: Mapping[str, Any], *, person: bool = False) -> Opened:
    return new_run(
        scenario_from_plain(plain),
        HOME,
        clock=VirtualClock(),
        person=person,
        keep=False,
        session_id="s1",
        created=CREATED,
        tools=shipped_tools(),
    )


def made_of(run: Run) -> Played:
    made = played(run.header, run.events)
    assert to_plain(parse_scenario(made.text, "x.toml")) == made.plain
    return made


def played_again(made: Played) -> Opened:
    """The scenario, run to its end with nobody there."""
    again = opened(made.plain, person=True)
    try:
        asyncio.run(again.run.play())
    finally:
        again.close()
    return again


def shown_in(run: Run) -> dict[str, Any]:
    """What must be the same when it is played again."""
    state = run.state
    read = [*state.calls, *state.batch[: state.delivered]]
    return {
        "transcript": transcript_text(run),
        "status": run.status,
        "answer": state.answer,
        "figures": (state.model_calls, state.tool_calls, state.total_steps),
        "results": [(r.call.id, r.result.outcome) for r in read if r.result is not None],
    }


# ---------------------------------------------------------------- all shipped scenarios


@pytest.mark.parametrize("name", NAMES)
def test_what_was_played_of_a_shipped_scenario_is_a_scenario_that_holds(name: str, tmp_path: Path) -> None:
    run = shipped.played(name).run
    made = made_of(run)
    assert made.notes == ()
    file = tmp_path / "played.toml"
    file.write_text(made.text, encoding="utf-8")
    verdict = asyncio.run(check_file(file, HOME, shipped_tools()))
    assert (verdict.error, verdict.mismatches, verdict.skipped) == ("", (), "")


# ---------------------------------------------------------------- a person at a run

TOOLS = ["stock_level", "create_refund", "send_email", "check_build", "write_file"]
CALLS = st.sampled_from(
    [
        ("stock_level", {"warehouse": "north"}),
        ("stock_level", {"warehouse": "North"}),
        ("create_refund", {"order": "A-1042", "amount": 6.25}),
        ("create_refund", {"order": "A-1043", "amount": 1}),
        ("send_email", {"to": "ada@example.com", "subject": "s", "body": "b"}),
        ("write_file", {"path": "a.txt", "text": "one\n${last}"}),
        ("made_up", {"city": "Paris"}),
        ("stock_level", '{"warehouse": "nor'),
    ]
)
ASKING = st.lists(CALLS, min_size=1, max_size=3).map(
    lambda calls: {"call": [{"tool": tool, "arguments": _escaped(arguments)} for tool, arguments in calls]}
)
ENDING = st.sampled_from(
    [
        {"text": "done"},
        {"text": "cost: $${x}", "usage": {"input": 9}},
        {"fail": "auth"},
        {"text": "", "finish": "length"},
        {"text": "thought", "thinking": "hm"},
    ]
)
REPLIES = st.one_of(*[ASKING] * 6, ENDING)
CHANGES = ("", "", "", "", "hold", "filter", "filter", "limits", "arm", "arm", "arm", "disarm", "stop", "say")
ACTS = st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 11)), min_size=4, max_size=24)
"""At each move: what a person changes, and which of the answers they give if they are asked anything."""
FAULTS = (
    named("wrong-number", shipped_faults()).fault,
    replace(named("wrong-number", shipped_faults()).fault, tool="stock_level", nth=1),
    replace(named("lost-result", shipped_faults()).fault, every=2),
    replace(named("tool-error", shipped_faults()).fault, chance=0.5),
    named("tool-outage", shipped_faults()).fault,
    Fault(on="result", do="append", text=" (and ${more})", step=2, times=1),
    Fault(on="reply", do="prose", nth=2),
)
FILTERS = (True, False, "tool:stock_level", "reply", "reply or result", "reply tool:create_refund", "error")


def _escaped(arguments: Any) -> Any:
    return (
        {k: v.replace("${", "$${") if isinstance(v, str) else v for k, v in arguments.items()}
        if isinstance(arguments, dict)
        else arguments
    )


class Somebody:
    """Presses keys at a run, as a list of acts says."""

    def __init__(self, run: Run, acts: Sequence[tuple[str, int]]) -> None:
        self.run = run
        self._acts = acts

    def play(self) -> None:
        asyncio.run(self.run.advance())
        for change, choice in self._acts:
            with suppress(CommandError):
                self._change(change)
            with suppress(CommandError):
                self._answer(choice)
            asyncio.run(self.run.step())

    def _change(self, change: str) -> None:
        run, turn = self.run, len(self.run.events)
        match change:
            case "hold":
                run.change({"hold": run.state.hold is None})
            case "filter":
                run.change({"hold": FILTERS[turn % len(FILTERS)]})
            case "arm":
                run.arm(FAULTS[turn % len(FAULTS)])
            case "disarm":
                run.disarm(0)
            case "limits":
                run.change({"limits.steps": None, "limits.failures": 40})
            case "stop" if turn % 3 == 0:
                run.stop()
            case "say" if isinstance(run.next, AskModel):
                run.message("By the way: ${hello}")

    def _answer(self, choice: int) -> None:
        run, move = self.run, self.run.next
        if isinstance(move, Finished):
            if choice == 0:
                run.message("And then?")
            elif choice == 1:
                run.go_on()
        elif isinstance(move, AskPerson) and move.question.on == "hold":
            self._at_the_door(choice, move.question.calls[0].call.id if move.question.calls else "")
        elif isinstance(move, AskPerson):
            self._decide(choice, move.question.calls[-1].call)

    def _decide(self, choice: int, call: Call) -> None:
        run = self.run
        match choice:
            case 0:
                run.decide(call.id, "edit", arguments=call.canonical)
            case 1:
                run.decide(call.id, "answer", answer="a person's answer\n")
            case 2:
                run.decide(call.id, "deny", reason="no ${reason}")
            case 3:
                run.grant(Rule(tool=call.tool, decide="allow", by="person"))
            case _:
                run.decide(call.id, "allow")

    def _at_the_door(self, choice: int, call: str) -> None:
        run, turn = self.run, len(self.run.events)
        if choice < 4:
            kinds = ("append", "empty", "delay") if call else ("prose", "truncate", "delay")
            kind: Any = kinds[turn % len(kinds)]
            run.strike(Fault(on="result" if call else "reply", do=kind, text="x", seconds=2.0), call)
        elif choice < 6:
            run.put_back(call)
        elif call:
            run.release(call, content="changed ${x}\n" if choice < 9 else None)
        else:
            run.let_in("I say ${this}" if choice < 9 else None)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(REPLIES, min_size=1, max_size=6), ACTS, st.sampled_from([2, 4, None]))
def test_whatever_a_person_does_is_done_again(
    replies: list[dict[str, Any]], acts: list[tuple[str, int]], steps: int | None
) -> None:
    plain: dict[str, Any] = {
        "goal": "g",
        "protocol": "native",
        "tools": TOOLS,
        "limits": {} if steps is None else {"steps": steps},
        "model": {"reply": replies},
    }
    session = opened(plain)
    try:
        Somebody(session.run, acts).play()
        asyncio.run(session.run.play())
    finally:
        session.close()
    made = made_of(session.run)
    again = played_again(made)
    if not made.notes:
        assert shown_in(again.run) == shown_in(session.run)
        assert outcome_of(again).unused_person == ()


# ---------------------------------------------------------------- what else may have happened

REFUND = {
    "goal": "g",
    "protocol": "native",
    "tools": ["create_refund", "stock_level"],
    "model": {
        "reply": [
            {"call": [{"tool": "create_refund", "arguments": {"order": "A-1042", "amount": 6.25}}]},
            {"call": [{"tool": "stock_level", "arguments": {"warehouse": "north"}}]},
            {"text": "done"},
        ]
    },
}


def finished(plain: Mapping[str, Any], act: Callable[[Run], None] = lambda _: None) -> Run:
    """A run of the scenario: its goal, then whatever `act` does, then to its end."""
    session = opened(plain)
    try:
        asyncio.run(session.run.advance())
        act(session.run)
        asyncio.run(session.run.play())
    finally:
        session.close()
    return session.run


def test_what_a_person_typed_as_the_model_becomes_a_script() -> None:
    plain = {"goal": "1 + 1?", "protocol": "native", "tools": ["add"], "model": {"use": "human"}}

    def speak(run: Run) -> None:
        model = run.model
        assert isinstance(model, HumanModel)
        for text in ('{"calls": [{"tool": "sum", "arguments": "{\\"a\\":"}]}', "2"):
            model.say(text)
            asyncio.run(run.play())

    run = finished(plain, speak)
    made = made_of(run)
    assert made.plain["model"] == {
        "use": "scripted",
        "reply": [{"call": [{"tool": "sum", "arguments": '{"a":'}]}, {"text": "2"}],
    }
    assert shown_in(played_again(made).run) == shown_in(run)


def test_a_reply_that_was_edited_is_kept_as_it_was_said() -> None:
    run = finished(
        {"goal": "g", "model": {"reply": [{"text": "ANSWER: 1"}]}}, lambda r: r.change({"next_reply": "ANSWER: ${2}"})
    )
    assert made_of(run).plain["model"]["reply"] == [{"text": "ANSWER: $${2}"}]
    assert run.state.answer == "${2}"


def test_calls_that_a_grant_allowed_are_allowed_one_by_one() -> None:
    def grant(run: Run) -> None:
        asyncio.run(run.play())
        run.grant(Rule(tool="create_refund", decide="allow", by="person"))

    run = finished(REFUND, grant)
    made = made_of(run)
    assert made.plain["person"] == [{"on": "approval", "do": "allow", "tool": "create_refund"}]
    assert shown_in(played_again(made).run) == shown_in(run)


def test_a_null_among_edited_arguments_becomes_an_answer_in_place_of_the_call() -> None:
    search = {"tool": "search_orders", "arguments": {"customer": "Ada Byron"}}
    plain = {
        **REFUND,
        "tools": ["search_orders"],
        "model": {"reply": [{"call": [search]}, {"text": "done"}]},
        "approval": {"rule": [{"tool": "search_orders", "decide": "ask"}]},
    }

    def edit(run: Run) -> None:
        asyncio.run(run.play())
        run.decide("c1", "edit", arguments='{"customer": "Ada Byron", "status": null}')

    run = finished(plain, edit)
    made = made_of(run)
    assert made.plain["person"][0]["do"] == "answer"
    assert made.notes == ("search_orders ran with a null among its arguments; here its result is given instead",)
    assert made.text.startswith("# Not the same: search_orders ran with a null")
    assert "tool_calls" not in made.plain["expect"]


def test_faults_from_the_beginning_strike_again_on_calls_and_are_in_the_script_for_replies() -> None:
    fault = [
        {"on": "result", "do": "replace", "tool": "stock_level", "text": "141"},
        {"on": "reply", "do": "prose", "step": 2},
    ]
    run = finished({**REFUND, "approval": {"default": "allow"}, "fault": fault, "limits": {"steps": 3}})
    made = made_of(run)
    assert made.plain["fault"] == fault[:1]
    again = played_again(made).run
    assert shown_in(again) == shown_in(run)


def test_a_fault_that_was_armed_under_way_strikes_the_same_calls_again() -> None:
    def arm(run: Run) -> None:
        asyncio.run(run.play())
        run.arm(Fault(on="result", do="error", tool="create_refund", text="no"))
        run.arm(named("wrong-number", shipped_faults()).fault)
        run.decide("c1", "allow")
        asyncio.run(run.step())
        run.disarm(1)

    run = finished(REFUND, arm)
    made = made_of(run)
    assert made.plain["fault"] == [
        {"on": "result", "do": "error", "tool": "create_refund", "text": "no", "nth": 1},
        {"use": "wrong-number", "nth": 1},
    ]
    assert [entry["on"] for entry in made.plain["person"]] == ["approval"]
    assert shown_in(played_again(made).run) == shown_in(run)


def test_a_fault_that_was_disarmed_before_its_call_started_again_is_not_exported() -> None:
    fault = {"on": "tool", "do": "error", "tool": "create_refund", "text": "no", "nth": 1}
    run = finished({**REFUND, "approval": {"default": "allow"}, "fault": [fault]}, lambda _: None)
    started = next(n for n, event in enumerate(run.events, 1) if isinstance(event, ToolStarted))
    events = [*run.events[:started], Forked(parent="p", at=started)]
    before = played(run.header, events)
    assert before.plain["fault"] == [fault]
    disarmed = SettingsChanged(changes={"disarm": {"at": 0, "fault": fault}})
    after = played(run.header, [*events, disarmed, ToolStarted(call="c1")])
    assert "fault" not in after.plain


def test_a_fault_of_the_catalogue_is_exported_by_name_and_counted_from_the_first_call() -> None:
    stock = {"call": [{"tool": "stock_level", "arguments": {"warehouse": "north"}}]}
    plain = {**REFUND, "model": {"reply": [stock, stock, stock, {"text": "done"}]}}

    def arm(run: Run) -> None:
        asyncio.run(run.step())
        asyncio.run(run.step())
        run.arm(replace(named("wrong-number", shipped_faults()).fault, tool="stock_level", after=1))

    run = finished(plain, arm)
    made = made_of(run)
    assert made.plain["fault"] == [{"use": "wrong-number", "tool": "stock_level", "nth": 3}]
    assert shown_in(played_again(made).run) == shown_in(run)


def test_a_run_that_was_stopped_while_a_reply_was_held_is_stopped_there_again() -> None:
    def stop(run: Run) -> None:
        run.change({"hold": "reply"})
        asyncio.run(run.play())
        run.stop()

    run = finished(REFUND, stop)
    made = made_of(run)
    assert made.plain["person"] == [
        {"on": "step", "do": "set", "nth": 1, "set": {"hold": "reply"}},
        {"on": "hold", "do": "cancel", "nth": 1},
    ]
    assert (run.status, run.state.tool_calls) == (Status.CANCELLED, 0)
    assert shown_in(played_again(made).run) == shown_in(run)


def test_a_reply_that_is_still_held_waits_in_the_scenario_too() -> None:
    run = finished(REFUND, lambda run: run.change({"hold": "reply"}))
    made = made_of(run)
    assert made.plain["expect"] == {"status": "awaiting_person", "model_calls": 0, "tool_calls": 0}
    again = played_again(made)
    assert again.run.status is Status.AWAITING_PERSON
    assert outcome_of(again).unused_person == ()
    assert again.run.state.held_reply == run.state.held_reply


def test_a_reply_given_up_in_time_leaves_no_promise() -> None:
    slow = {"goal": "g", "limits": {"seconds": 5}, "model": {"reply": [{"text": "ANSWER: 1", "delay": 9}]}}
    run = finished(slow)
    made = made_of(run)
    assert "expect" not in made.plain
    assert made.notes
    assert played_again(made).run.status is run.status


def test_a_fork_asks_again_about_what_it_did_not_take_along() -> None:
    session = opened(REFUND)
    run = session.run
    asyncio.run(run.play())
    run.decide("c1", "deny", reason="no")
    events = [event for event in run.events if not isinstance(event, ToolResult)]
    session.close()
    made = played(run.header, [*events, Forked(parent="s0", at=len(events))])
    assert "person" not in made.plain
    assert made.plain["expect"]["status"] == "awaiting_approval"


def test_a_run_that_is_only_paused_promises_nothing() -> None:
    session = opened(REFUND)
    asyncio.run(session.run.advance())
    session.close()
    made = made_of(session.run)
    assert "expect" not in made.plain
    assert "reply" not in made.plain["model"]


def test_a_relative_folder_is_named_from_where_the_scenario_was() -> None:
    header = Header(id="s", goal="g", scenario={"goal": "g", "workspace": {"root": "data"}}, scenario_path="a/b.toml")
    assert played(header, []).plain["workspace"] == {"root": "a/data"}


def test_a_failed_request_is_tried_as_often_as_it_was() -> None:
    plain = {"goal": "g", "model": {"retries": 1, "reply": [{"fail": "timeout", "repeat": 2}]}}
    run = finished(plain)
    made = made_of(run)
    assert made.plain["model"] == {"use": "scripted", "retries": 1, "reply": [{"fail": "timeout", "repeat": 2}]}
    assert shown_in(played_again(made).run) == shown_in(run)


def test_arguments_that_a_table_would_change_are_kept_as_text() -> None:
    header = Header(id="s", goal="g", scenario={"goal": "g", "protocol": "native"}, protocol="native")
    raw = ['{"a": 1.50}', '{"a":1}', '{"a": null}', '{"a": "${x}"}', "[1]", "{" * 9]
    events = [ModelReply(calls=tuple(Call(id=f"c{i}", tool="t", arguments=text) for i, text in enumerate(raw, 1)))]
    calls = played(header, events).plain["model"]["reply"][0]["call"]
    assert [call["arguments"] for call in calls] == [
        '{"a": 1.50}',
        '{"a":1}',
        '{"a": null}',
        {"a": "$${x}"},
        "[1]",
        "{" * 9,
    ]
