from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.scenarios_shipped import shipped
from tests.scenarios_shipped.shipped import HOME, NAMES, shipped_tools
from workbench.check import check_file
from workbench.clocks import VirtualClock
from workbench.core.events import ToolResult
from workbench.core.loop import AskModel, AskPerson, Finished
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
    return {
        "transcript": transcript_text(run),
        "status": run.status,
        "answer": state.answer,
        "figures": (state.model_calls, state.tool_calls, state.total_steps),
        "results": [
            (event.call, event.outcome, event.content) for event in run.events if isinstance(event, ToolResult)
        ],
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
REPLIES = st.one_of(
    st.lists(CALLS, min_size=1, max_size=3).map(
        lambda calls: {"call": [{"tool": tool, "arguments": _escaped(arguments)} for tool, arguments in calls]}
    ),
    st.sampled_from([{"text": "done"}, {"text": "cost: $${x}", "usage": {"input": 9}}, {"fail": "auth"}]),
    st.sampled_from([{"text": "", "finish": "length"}, {"text": "thought", "thinking": "hm"}]),
)
ACTS = st.sampled_from(["allow", "deny", "edit", "answer", "hold", "pass", "replace", "limits", "grant", "stop", "say"])


def _escaped(arguments: Any) -> Any:
    return (
        {k: v.replace("${", "$${") if isinstance(v, str) else v for k, v in arguments.items()}
        if isinstance(arguments, dict)
        else arguments
    )


class Somebody:
    """Presses keys at a run, as a list of acts says."""

    def __init__(self, run: Run, acts: Sequence[str]) -> None:
        self.run = run
        self._acts = list(acts)

    def play(self) -> None:
        with suppress(CommandError):
            while self._acts:
                self._act(self._acts.pop(0))
                asyncio.run(self.run.step())

    def _act(self, act: str) -> None:
        run, move = self.run, self.run.next
        if act == "hold":
            run.change({"hold": not run.state.hold})
        elif act == "limits":
            run.change({"limits.steps": None, "limits.failures": 40})
        elif act == "stop":
            if len(run.events) % 3 == 0:
                run.stop()
        elif isinstance(move, Finished):
            if act == "say":
                run.message("And then?")
            elif act == "allow":
                run.go_on()
        elif act == "say" and isinstance(move, AskModel):
            run.message("By the way: ${hello}")
        elif isinstance(move, AskPerson):
            call = move.question.calls[-1].call if act != "pass" else move.question.calls[0].call
            if move.question.on == "hold":
                run.release(call.id, content="changed ${x}\n" if act == "replace" else None)
            elif act == "grant":
                run.decide(call.id, "allow")
            elif act == "edit":
                run.decide(call.id, "edit", arguments=call.canonical)
            elif act == "answer":
                run.decide(call.id, "answer", answer="a person's answer\n")
            elif act in ("allow", "deny"):
                run.decide(call.id, act, reason="no ${reason}" if act == "deny" else "")


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(REPLIES, min_size=1, max_size=5), st.lists(ACTS, max_size=24), st.sampled_from([2, 4, None]))
def test_whatever_a_person_does_is_done_again(
    replies: list[dict[str, Any]], acts: list[str], steps: int | None
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
