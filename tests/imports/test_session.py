from __future__ import annotations

import json
from typing import Any

import pytest

from tests.imports.logs import CALL, LOGS, OTHER_CALL, kinds, one, remarks, result, said, session, state, user
from workbench.core.events import ModelReply, Remark, ToolResult
from workbench.core.loop import AskModel, AskPerson, next_move
from workbench.core.state import fold
from workbench.core.statuses import Status
from workbench.core.values import ToolInfo
from workbench.imports.files import read_file
from workbench.imports.session import NO_GOAL, NO_RESULT
from workbench.scenarios.loader import scenario_from_plain

# ---------------------------------------------------------------- an ordinary session


def test_an_answered_conversation_is_an_answered_session() -> None:
    conversation = one(
        [{"role": "system", "content": "Be brief."}, user(), said(None, CALL), result("5"), said("North.")]
    )
    header, events = session(conversation)
    assert [event.kind for event in events] == [
        "remark", "user_message", "model_reply", "tool_started", "tool_result", "model_reply", "stopped",
    ]  # fmt: skip
    run = fold(header, events)
    assert (run.status, run.answer, run.steps, run.tool_calls) == (Status.ANSWERED, "North.", 2, 1)
    assert (header.goal, header.system, header.title, header.protocol) == (
        user()["content"],
        "Be brief.",
        "log",
        "native",
    )


def test_the_first_event_says_where_it_is_from() -> None:
    _, events = session(one([user(), said("Hi.")]))
    assert events[0] == Remark(text="imported from log.json: OpenAI chat messages, 2 messages")


def test_the_scenario_in_the_header_is_one_that_can_be_opened() -> None:
    header, _ = session(one([user(), said(None, CALL)]))
    scenario = scenario_from_plain(header.scenario)
    assert (scenario.tools, scenario.model.use, scenario.tags) == (("look",), "human", ("imported",))


def test_what_is_not_known_is_not_made_up() -> None:
    header, events = session(one([user(), said(None, CALL), result("5"), said("North.")]))
    run = fold(header, events)
    assert (run.cost, run.estimated, run.seconds) == (None, True, 0.0)
    assert header.model == "unknown"
    replies = [event for event in events if isinstance(event, ModelReply)]
    assert {(reply.input_tokens, reply.output_tokens, reply.model) for reply in replies} == {(None, None, "")}
    assert [(tool.name, tool.risk, tool.schema) for tool in header.tools] == [
        ("look", "undeclared", '{"type":"object"}')
    ]


def test_a_conversation_goes_on_after_an_answer() -> None:
    conversation = one([user(), said("Hi."), user("And now?"), said("Bye.")])
    assert kinds(conversation) == ["user_message", "model_reply", "stopped", "user_message", "model_reply", "stopped"]
    assert state(conversation).answer == "Bye."


def test_a_log_that_ends_with_the_user_waits_for_the_model() -> None:
    run = state(one([user(), said("Hi."), user("And now?")]))
    assert run.status is Status.RUNNING
    assert isinstance(next_move(run), AskModel)


def test_a_call_without_a_result_at_the_end_stays_open_and_is_asked_about() -> None:
    run = state(one([user(), said(None, CALL, OTHER_CALL), result("5")]))
    move = next_move(run)
    assert isinstance(move, AskPerson)
    assert [record.call.id for record in move.question.calls] == ["c2"]


def test_a_call_without_a_result_in_the_midst_is_left_unknown() -> None:
    conversation = one([user(), said(None, CALL, OTHER_CALL), result("5"), said("Done.")])
    _, events = session(conversation)
    results = [event for event in events if isinstance(event, ToolResult)]
    assert [(each.call, each.outcome, each.content) for each in results] == [
        ("c1", "ran", "5"),
        ("c2", "unknown", NO_RESULT),
    ]
    assert state(conversation).status is Status.ANSWERED


def test_results_find_their_calls_whatever_their_order() -> None:
    conversation = one([user(), said(None, CALL, OTHER_CALL), result("south", "call_2"), result("north")])
    contents = [record.result.content for record in state(conversation).every_call() if record.result is not None]
    assert contents == ["north", "south"]


def test_a_result_that_nobody_asked_for_is_kept_apart() -> None:
    conversation = one([user(), said(None, CALL), result("5"), result("6", "call_9"), said("Done.")])
    assert remarks(conversation) == [
        ("a result belongs to no open call, so the model cannot have read it as one: call_9", "6")
    ]
    assert state(conversation).status is Status.ANSWERED


def test_another_loop_that_went_on_after_an_answer_is_followed() -> None:
    conversation = one([user(), said("Let me think."), said("North.")])
    assert kinds(conversation) == ["user_message", "model_reply", "stopped", "resumed", "model_reply", "stopped"]
    assert state(conversation).answer == "North."


def test_arguments_that_cannot_be_read_are_kept_as_they_were_written() -> None:
    broken = {**CALL, "function": {"name": "look", "arguments": '{"at": "No'}}
    run = state(one([user(), said(None, broken), result("bad arguments"), said("Sorry.")]))
    [record] = run.every_call()
    assert (record.call.arguments, record.call.problem_kind) == ('{"at": "No', "malformed")
    assert record.result is not None
    assert record.result.content == "bad arguments"


def test_instructions_in_the_midst_are_notices() -> None:
    conversation = one([user(), said("Hi."), {"role": "system", "content": "Be quick."}, said("Ok.")])
    assert "notice" in kinds(conversation)
    assert [message.role for message in state(conversation).messages] == ["user", "assistant", "notice", "assistant"]


@pytest.mark.parametrize("messages", [[said("Hi.")], [user("  "), said("Hi.")]])
def test_a_log_without_words_of_the_user_has_a_goal_that_says_so(messages: list[Any]) -> None:
    header, events = session(one(messages))
    assert header.goal == NO_GOAL
    assert fold(header, events).status is Status.ANSWERED


# ---------------------------------------------------------------- tools that are here


def test_a_tool_with_the_same_name_and_schema_is_taken_for_the_one_here() -> None:
    schema = {"type": "object", "properties": {"at": {"type": "string"}}}
    offered = [{"type": "function", "function": {"name": "look", "description": "Look.", "parameters": schema}}]
    conversation = one({"messages": [user(), said("Hi.")], "tools": offered})
    here = ToolInfo(name="look", schema=json.dumps(schema), risk="read", source="shelf")
    header, _ = session(conversation, known={"look": here})
    assert header.tools == (here,)
    other = ToolInfo(name="look", schema='{"type":"object"}', risk="read")
    header, _ = session(conversation, known={"look": other})
    assert [(tool.risk, json.loads(tool.schema)) for tool in header.tools] == [("undeclared", schema)]


def test_a_model_can_be_named_to_go_on_with() -> None:
    header, _ = session(one([user(), said("Hi.")]), model="openai:some-model")
    assert (header.scenario["model"]["use"], header.scenario["model"]["name"]) == ("openai", "some-model")


# ---------------------------------------------------------------- the logs there are


@pytest.mark.parametrize(
    ("name", "messages", "steps", "calls", "status"),
    [
        ("openai-messages-airline-2", 23, 11, 7, "running"),
        ("openai-messages-airline-3", 61, 30, 20, "running"),
        ("openai-messages-airline-4", 25, 12, 6, "running"),
        ("mini-swe-agent-local.traj", 4, 2, 1, "answered"),
    ],
)
def test_real_logs_are_read_whole(name: str, messages: int, steps: int, calls: int, status: str) -> None:
    [conversation] = read_file(LOGS / f"{name}.json")
    run = state(conversation)
    assert remarks(conversation) == []
    assert (conversation.messages, run.total_steps, run.tool_calls) == (messages, steps, calls)
    assert run.status.value == status
