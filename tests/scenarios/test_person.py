from __future__ import annotations

import pytest

from workbench.core.events import (
    Decided,
    Event,
    Held,
    ModelReply,
    Resumed,
    SettingsChanged,
    Stopped,
    StopRequested,
    ToolResult,
    UserMessage,
)
from workbench.core.ports import Question
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.core.values import Call, Header
from workbench.scenarios.loader import parse_scenario
from workbench.scenarios.person import ScriptedPerson, unused_entries
from workbench.scenarios.schema import PersonEntry


def entries(*tables: str) -> tuple[PersonEntry, ...]:
    body = "".join(f"[[person]]\n{table}\n" for table in tables)
    return parse_scenario(f"goal = 'x'\ntools = ['refund', 'email']\n{body}", "x.toml").person


def proposed(*tools: str) -> State:
    """A state in which the model has just called these tools."""
    state = State(Header(id="r", goal="g", protocol="native"))
    state.apply(UserMessage(text="g"))
    calls = tuple(
        Call(id=f"c{index + 1}", tool=tool, arguments='{"n": 1}', canonical='{"n":1}')
        for index, tool in enumerate(tools)
    )
    state.apply(ModelReply(calls=calls))
    return state


def about(state: State, on: str) -> Question:
    calls = () if on in ("stop", "step") else tuple(state.open_calls())
    return Question(on=on, calls=calls, status=state.status)  # type: ignore[arg-type]


def by_script(events: list[Event]) -> int:
    return sum("script" in (getattr(event, "by", ""), getattr(event, "changed_by", "")) for event in events)


def answered(state: State, person: ScriptedPerson, on: str) -> list[Event]:
    """The answer, recorded; each has exactly one event that is by the script."""
    events = [event for event in person.answer(about(state, on), state) or () if isinstance(event, Event)]
    assert by_script(events) == (1 if events else 0)
    used = state.script_decisions
    for event in events:
        state.apply(event)
    assert state.script_decisions == used + (1 if events else 0)
    return events


@pytest.mark.parametrize(
    ("table", "event"),
    [
        ("do = 'allow'", Decided(call="c1", decision="allow", by="script", arguments='{"n":1}')),
        ("do = 'deny'\ntext = 'no'", Decided(call="c1", decision="deny", by="script", reason="no")),
        ("do = 'deny'", Decided(call="c1", decision="deny", by="script")),
        (
            "do = 'edit'\narguments = { b = 2, a = 'é' }",
            Decided(call="c1", decision="edit", by="script", arguments='{"a":"é","b":2}'),
        ),
        ("do = 'answer'\ntext = '42'", Decided(call="c1", decision="answer", by="script", answer="42")),
        ("do = 'cancel'", StopRequested(by="script")),
    ],
)
def test_an_approval_is_answered_as_written(table: str, event: Event) -> None:
    state = proposed("refund")
    assert answered(state, ScriptedPerson(entries(f"on = 'approval'\n{table}")), "approval") == [event]


def test_entries_are_used_in_order_and_none_is_passed_over() -> None:
    person = ScriptedPerson(entries("on = 'approval'\ntool = 'email'\ndo = 'allow'", "on = 'approval'\ndo = 'deny'"))
    state = proposed("refund", "email")
    assert answered(state, person, "approval") == []
    other = proposed("email", "refund")
    first, second = answered(other, person, "approval"), answered(other, person, "approval")
    assert isinstance(first[0], Decided)
    assert isinstance(second[0], Decided)
    assert (first[0].decision, second[0].decision) == ("allow", "deny")
    assert answered(other, person, "approval") == []


def test_an_answer_depends_on_the_history_alone() -> None:
    tables = entries("on = 'approval'\ndo = 'allow'", "on = 'approval'\ndo = 'deny'")
    state = proposed("refund")
    answered(state, ScriptedPerson(tables), "approval")
    events = ScriptedPerson(tables).answer(about(state, "approval"), state)
    assert events == (Decided(call="c1", decision="deny", by="script"),)


def test_nth_counts_the_calls_of_the_tool_in_the_branch() -> None:
    state = proposed("refund", "email", "email")
    for call in ("c1", "c2"):
        state.apply(ToolResult(call=call))
    second = entries("on = 'approval'\ntool = 'email'\nnth = 2\ndo = 'allow'")
    third = entries("on = 'approval'\nnth = 3\ndo = 'allow'")
    wrong = entries("on = 'approval'\nnth = 2\ndo = 'allow'")
    assert ScriptedPerson(wrong).answer(about(state, "approval"), state) is None
    assert ScriptedPerson(third).answer(about(state, "approval"), state) is not None
    assert ScriptedPerson(second).answer(about(state, "approval"), state) is not None


@pytest.mark.parametrize(
    ("table", "outcome", "content", "original"),
    [
        ("do = 'pass'", "ran", "140", "140"),
        ("do = 'replace'\ntext = '0'", "ran", "0", "140"),
        ("do = 'error'\ntext = 'no'", "failed", "no", "140"),
        ("do = 'drop'", "failed", "No result arrived.", "140"),
    ],
)
def test_a_held_result_is_released(table: str, outcome: str, content: str, original: str) -> None:
    state = proposed("refund")
    effect = {"path": "a", "content": "b"}
    state.apply(Held(call="c1", content="140", source="ledger", trust="untrusted", took=0.5, effects=(effect,)))
    events = answered(state, ScriptedPerson(entries(f"on = 'hold'\n{table}")), "hold")
    assert isinstance(events[0], ToolResult)
    result = events[0]
    assert (result.outcome, result.content, result.original, result.changed_by) == (
        outcome,
        content,
        original,
        "script",
    )
    assert result.changed == ("pass" not in table)
    assert (result.source, result.trust, result.took, result.effects) == ("ledger", "untrusted", 0.5, (effect,))


def test_settings_at_a_stop_let_the_run_go_on() -> None:
    state = proposed()
    state.apply(Stopped(status=Status.STEP_BUDGET_EXHAUSTED))
    person = ScriptedPerson(entries("on = 'stop'\ndo = 'set'\nset = { 'limits.steps' = 9, 'limits.cost' = false }"))
    assert answered(state, person, "stop") == [
        SettingsChanged(changes={"limits.steps": 9, "limits.cost": None}, by="engine"),
        Resumed(by="script"),
    ]
    assert (state.status, state.limits.steps) == (Status.RUNNING, 9)


def test_a_message_goes_on_after_a_stop() -> None:
    state = proposed()
    state.apply(Stopped(status=Status.ANSWERED))
    person = ScriptedPerson(entries("on = 'stop'\ndo = 'message'\ntext = 'And Lima?'"))
    assert answered(state, person, "stop") == [Resumed(by="script"), UserMessage(text="And Lima?")]


def test_a_step_is_named_by_its_number() -> None:
    person = ScriptedPerson(
        entries("on = 'step'\nnth = 2\ndo = 'set'\nset = { 'limits.steps' = 3 }", "on = 'step'\ndo = 'cancel'")
    )
    state = State(Header(id="r", goal="g", protocol="text"))
    state.apply(UserMessage(text="g"))
    assert answered(state, person, "step") == []
    state.apply(ModelReply(text="x"))
    assert answered(state, person, "step") == [SettingsChanged(changes={"limits.steps": 3}, by="script")]
    assert answered(state, person, "step") == [StopRequested(by="script")]


@pytest.mark.parametrize(("do", "decision"), [("allow", "allow"), ("deny", "deny"), ("answer'\ntext = 'x", "answer")])
def test_an_interrupted_call_is_decided(do: str, decision: str) -> None:
    state = proposed("refund")
    events = answered(state, ScriptedPerson(entries(f"on = 'interrupted'\ndo = '{do}'")), "interrupted")
    assert isinstance(events[0], Decided)
    assert events[0].decision == decision


def test_nobody_answers_without_an_entry() -> None:
    state = proposed("refund")
    assert ScriptedPerson(()).answer(about(state, "approval"), state) is None
    replies = entries("on = 'reply'\ndo = 'answer'\ntext = 'ANSWER: 1'")
    assert ScriptedPerson(replies).answer(about(state, "approval"), state) is None


def test_entries_that_were_not_used_are_found() -> None:
    tables = entries(
        "on = 'reply'\ndo = 'answer'\ntext = '1'",
        "on = 'approval'\ndo = 'allow'",
        "on = 'reply'\ndo = 'answer'\ntext = '2'",
        "on = 'approval'\ndo = 'deny'",
    )
    state = State(Header(id="r", goal="g", protocol="native"))
    assert unused_entries(tables, state) == (0, 1, 2, 3)
    call = Call(id="c1", tool="refund", arguments="{}", canonical="{}")
    state.apply(ModelReply(calls=(call,), line=0, served=1))
    answered(state, ScriptedPerson(tables), "approval")
    assert unused_entries(tables, state) == (2, 3)
