from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import json_values
from tests.view.nasty import LONG, texts
from workbench.core.events import Decided, Held, Outcome, Stopped, ToolResult, ToolStarted
from workbench.core.faults import describe
from workbench.core.loop import AskModel, AskPerson, Finished, Move, Record, RunTools
from workbench.core.ports import FAILURE_STATUS, FailureKind, Question
from workbench.core.records import CallRecord
from workbench.core.state import State
from workbench.core.statuses import SENTENCES, Status
from workbench.core.values import LIMIT_NAMES, Call, Decision, Fault, Header
from workbench.view import words
from workbench.view.setting_words import setting_words
from workbench.view.visible import visible


def a_state(**slots: Any) -> State:
    state = State(Header(id="r", goal="g"))
    for name, value in slots.items():
        setattr(state, name, value)
    return state


def a_call(
    tool: str = "create_refund", canonical: str = '{"amount":62.5,"order":"A-1042"}', **facts: Any
) -> CallRecord:
    record = CallRecord(Call(id="c1", tool=tool, arguments=canonical, canonical=canonical), 1, 2)
    for name, value in facts.items():
        setattr(record, name, value)
    return record


def decided(decision: Decision, **facts: Any) -> Decided:
    return Decided(call="c1", decision=decision, **facts)


STARTED = ToolStarted(call="c1")
SMALLER = '{"amount":6.25,"order":"A-1042"}'


# ---------------------------------------------------------------- moves


@pytest.mark.parametrize(
    ("move", "sentence", "key", "at_work"),
    [
        (AskModel(), "ask the model, with all of the above", "ask the model", "asking the model"),
        (RunTools((a_call(),)), "run create_refund", "run create_refund", "running create_refund"),
        (
            RunTools((a_call("a"), a_call("b"))),
            "run a, b side by side",
            "run 2 tools",
            "running a, b",
        ),
        (
            RunTools(tuple(a_call(name) for name in "abcde")),
            "run a, b, c and 2 more side by side",
            "run 5 tools",
            "running a, b, c and 2 more",
        ),
        (
            AskPerson(Question(on="approval", calls=(a_call(),))),
            "ask you about create_refund",
            "waiting for you",
            "working",
        ),
        (AskPerson(Question(on="hold", calls=(a_call(),))), "pass it on", "pass it on", "working"),
        (
            AskPerson(Question(on="interrupted", calls=(a_call(),))),
            "ask you what happened",
            "waiting for you",
            "working",
        ),
        (AskPerson(Question(on="stop")), "wait for you", "waiting for you", "working"),
        (Record(Stopped(status=Status.CANCELLED)), "give the goal to the model", "go on", "working"),
        (Finished(Status.ANSWERED), "", "stopped", "working"),
    ],
)
def test_every_move_has_its_words(move: Move, sentence: str, key: str, at_work: str) -> None:
    assert (words.move_words(move, a_state()), words.short_move(move), words.doing(move)) == (sentence, key, at_work)


def test_a_name_of_hundreds_of_characters_is_cut_inside_a_sentence() -> None:
    assert words.short_move(RunTools((a_call(LONG),))) == "run look_into_every_single_warehouse_of_the…"
    assert words.name_of("a\nb\x1b") == "a↵b␛"


# ---------------------------------------------------------------- calls


@pytest.mark.parametrize(
    ("record", "options", "word"),
    [
        (a_call(), {}, ("·", "proposed", "quiet")),
        (a_call(), {"waiting": True}, ("▲", "waiting", "wait")),
        (a_call(decision=decided("allow")), {}, ("✓", "allowed", "go")),
        (a_call(decision=decided("deny")), {}, ("⊘", "denied", "error")),
        (a_call(decision=decided("edit")), {}, ("≠", "edited", "changed")),
        (a_call(decision=decided("answer")), {}, ("≠", "answered", "changed")),
        (a_call(started=STARTED), {"running": True}, ("→", "running", "primary")),
        (a_call(started=STARTED), {}, ("?", "interrupted", "wait")),
        (a_call(started=STARTED, held=Held(call="c1")), {"running": True}, ("◆", "held", "held")),
        (a_call(decision=decided("edit"), result=ToolResult(call="c1", outcome="ran")), {}, ("≠", "edited", "changed")),
        (
            a_call(decision=decided("edit"), result=ToolResult(call="c1", outcome="failed")),
            {},
            ("✗", "error", "error"),
        ),
        (
            a_call(result=ToolResult(call="c1", outcome="ran", content="5", original="4", changed_by="you")),
            {},
            ("≠", "changed", "changed"),
        ),
        (
            a_call(result=ToolResult(call="c1", outcome="failed", changed_by="fault crash", original_outcome="ran")),
            {},
            ("≠", "faulted", "changed"),
        ),
    ],
)
def test_a_call_has_a_sign_a_word_and_a_colour(
    record: CallRecord, options: Mapping[str, bool], word: tuple[str, ...]
) -> None:
    assert words.call_word(record, **options) == word


@pytest.mark.parametrize("outcome", get_args(Outcome))
def test_every_outcome_has_its_word(outcome: Outcome) -> None:
    sign, word, role = words.call_word(a_call(result=ToolResult(call="c1", outcome=outcome)))
    assert sign in "✓✗⊘≠?·"
    assert word in (
        "ok",
        "error",
        "invalid",
        "defect",
        "denied",
        "not run",
        "cancelled",
        "unknown",
        "answered",
        "stored",
    )
    assert role
    assert words.instead_words(ToolResult(call="c1", outcome=outcome), None)


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        (a_call(decision=decided("allow")), "✓ allowed by you, once"),
        (
            a_call(decision=decided("allow", by="rule", rule="look with any arguments")),
            "✓ allowed by a rule: look with any arguments",
        ),
        (a_call(decision=decided("allow", by="script")), "✓ allowed by the scenario's person"),
        (a_call(decision=decided("deny")), "⊘ denied by you"),
        (a_call(decision=decided("deny", by="lock", rule="authority.split")), "⊘ denied by a lock"),
        (a_call(decision=decided("deny"), started=STARTED), "? left unknown by you"),
        (a_call(decision=decided("answer")), "≠ answered by you, not run"),
        (a_call(decision=decided("answer"), started=STARTED), "≠ answered by you"),
        (
            a_call(decision=decided("edit", arguments=SMALLER)),
            "≠ you changed amount to 6.25",
        ),
        (
            a_call(decision=decided("edit", by="script", arguments='{"amount":1,"to":"é\\n"}')),
            '≠ the scenario\'s person changed amount to 1, to to "é\\n" and took order out',
        ),
        (
            a_call(started=replace(STARTED, arguments=SMALLER), decision=decided("allow", arguments=SMALLER)),
            "≠ you changed amount to 6.25, and let it run again",
        ),
        (a_call(decision=decided("edit", arguments='{"amount":62.5,"order":"A-1042"}')), "≠ you changed nothing"),
        (a_call(canonical="", decision=decided("edit", arguments="{}")), "≠ you changed the arguments"),
    ],
)
def test_under_a_call_stands_who_decided_what(record: CallRecord, sentence: str) -> None:
    found = words.decision_words(record)
    assert found is not None
    assert found[0] == sentence


def test_nothing_stands_under_a_call_about_which_nobody_decided() -> None:
    assert words.decision_words(a_call()) is None


def test_who_changed_something() -> None:
    assert words.changer_words("you") == "you"
    assert words.changer_words("script") == "the scenario's person"
    assert words.changer_words("fault wrong-number, you") == "fault wrong-number and you"


def test_calls_that_wait_together_are_counted() -> None:
    assert words.waiting_words(0) == words.waiting_words(1) == []
    assert words.waiting_words(3) == ["  ▲ three calls wait for you"]
    assert words.waiting_words(214) == ["  ▲ 214 calls wait for you"]


@pytest.mark.parametrize("failure", get_args(FailureKind))
def test_every_failure_of_a_model_has_a_sentence(failure: str) -> None:
    assert failure in FAILURE_STATUS
    assert words.FAILURES[failure][0].isupper()


# ---------------------------------------------------------------- stops


@pytest.mark.parametrize(
    ("stop", "slots", "title"),
    [
        (Stopped(status=Status.ANSWERED), {"steps": 4}, "Answered in 4 steps"),
        (Stopped(status=Status.ANSWERED), {"steps": 1}, "Answered in 1 step"),
        (Stopped(status=Status.GOAL_REACHED, knob="goal_check"), {"steps": 2}, "Goal reached in 2 steps"),
        (
            Stopped(status=Status.STEP_BUDGET_EXHAUSTED, knob="limits.steps", limit=4),
            {"steps": 4},
            "Stopped by the step cap: 4 of 4 steps used, no answer",
        ),
        (
            Stopped(status=Status.COST_BUDGET_EXHAUSTED, knob="limits.cost", limit=0.5),
            {"cost": 0.498},
            "Stopped by the cost cap: $0.50 of $0.50 used, no answer",
        ),
        (
            Stopped(status=Status.COST_BUDGET_EXHAUSTED, knob="limits.cost", limit=0.5),
            {"cost": None},
            "Stopped by the cost cap: nobody knows how much of $0.50 is used, no answer",
        ),
        (
            Stopped(status=Status.DEADLINE_EXCEEDED, knob="limits.seconds", limit=60),
            {"seconds": 61.23},
            "Stopped by the time cap: 61.2 s of 60 s used, no answer",
        ),
        (
            Stopped(status=Status.REPEATED_ACTION, knob="limits.repeats.stop", limit=5),
            {"repeat": 5},
            "Stopped by the repeat guard: the same call 5 times, no answer",
        ),
        (
            Stopped(status=Status.CONTEXT_WINDOW_EXCEEDED, knob="model.context_window", limit=8000),
            {},
            "Stopped by the context window of the model: 0 of 8,000 tokens used, no answer",
        ),
        (Stopped(status=Status.INTERNAL_ERROR, knob="loop"), {}, "The loop crashed, no answer"),
        (Stopped(status=Status.CANCELLED), {}, "A person stopped the run"),
        (Stopped(status=Status.POLICY_DENIED, knob="authority.split"), {}, "A lock of the run forbade an action"),
    ],
)
def test_the_first_line_of_a_stop_card(stop: Stopped, slots: Mapping[str, Any], title: str) -> None:
    assert words.stop_title(a_state(stopped=stop, **slots)) == title


def test_a_run_that_goes_on_has_no_such_line() -> None:
    assert words.stop_title(a_state()) == ""


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("knob", [*words.KNOBS, "loop", "limits.nonsense", ""])
def test_every_status_and_knob_makes_a_sentence(status: Status, knob: str) -> None:
    for limit in (None, 4, 10**400, math.nan):
        title = words.stop_title(a_state(stopped=Stopped(status=status, knob=knob, limit=limit)))
        assert title
        assert not title.endswith(".")
        assert len(title) < 120
    assert SENTENCES[status].endswith(".")


@pytest.mark.parametrize("name", LIMIT_NAMES)
def test_every_limit_has_a_name_and_a_use(name: str) -> None:
    knob = "limits.repeats.stop" if name == "repeats" else f"limits.{name}"
    assert words.KNOBS[knob]
    assert words.used_of(a_state(), knob) == 0
    assert math.isnan(words.used_of(a_state(), "limits.nonsense"))


def test_what_raise_and_go_on_offers() -> None:
    assert [words.raised("limits.steps", cap) for cap in (1, 4, 20)] == [2, 8, 24]
    assert words.raised("limits.cost", 0.5) == 1.0


# ---------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("key", "value", "sentences"),
    [
        ("limits.steps", None, ["step cap lifted"]),
        ("limits.steps", 9, ["step cap set to 9"]),
        ("limits.cost", 0.25, ["cost cap set to $0.25"]),
        ("limits.seconds", 60, ["time cap set to 60 s"]),
        ("limits.repeats", {"stop": 7, "nudge": 3, "match": "call"}, ["repeat guard set to 7"]),
        ("limits.repeats", {"stop": None}, ["repeat guard lifted"]),
        ("limits.repeats", None, ["repeat guard lifted"]),
        ("hold", True, ["results are held at the door"]),
        ("hold", False, ["nothing is held at the door any more"]),
        ("hold", "tool:add\n or reply", ["held at the door: tool:add↵ or reply"]),
        ("arm", {"on": "result", "do": "drop", "nth": 1}, ["armed: drop on results of any tool, the next one"]),
        (
            "disarm",
            {"at": 0, "fault": {"on": "reply", "do": "prose"}},
            ["disarmed: prose on replies of the model, every time"],
        ),
        ("approval.default", "allow", ["tools act without asking"]),
        ("context.policy", "fold", ["older results are folded in what is sent"]),
        ("context.keep", 1, ["the latest step is sent as it is"]),
        ("context.at", 5000, ["older steps are changed above 5,000 tokens"]),
        ("context.at", None, ["older steps are changed at any size"]),
        ("context.every", 2, ["the task is said again every 2 steps"]),
        ("context.chars", None, ["200 characters of a folded result are left"]),
        ("context.keep", None, ["the latest 4 steps are sent as they are"]),
        ("title", "my\nrun", ["named my↵run"]),
        ("grants", [], ["nothing is allowed without asking any more"]),
        (
            "grants",
            [{"tool": "look"}, {"tool": "pay", "where": {"to": "Ada"}}],
            ["allowed without asking: look with any arguments", 'allowed without asking: pay where to = "Ada"'],
        ),
        ("faults", [], ["no fault is armed any more"]),
        (
            "faults",
            [{"on": "result", "do": "wrong_number", "tool": "look", "nth": 1}],
            [f"armed: {describe(Fault(on='result', do='wrong_number', tool='look', nth=1))}"],
        ),
        ("model", "gpt", ["model set to gpt"]),
    ],
)
def test_a_changed_setting_is_a_sentence(key: str, value: Any, sentences: list[str]) -> None:
    assert setting_words(key, value) == sentences


@given(
    st.sampled_from(
        [
            "context.policy",
            "context.keep",
            "context.x\n",
            "limits.steps",
            "limits.repeats",
            "hold",
            "title",
            "grants",
            "faults",
            "arm",
            "disarm",
            "x",
        ]
    )
    | texts(),
    json_values(),
)
def test_any_setting_has_words_that_can_be_drawn(key: str, value: Any) -> None:
    for sentence in setting_words(key, value):
        assert "\n" not in sentence
        assert visible(sentence) == sentence
