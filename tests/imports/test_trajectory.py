from __future__ import annotations

import json
from typing import Any

import pytest

from tests.imports.logs import LOGS, kinds, one, remarks, said, session, state, user
from workbench.core.statuses import Status
from workbench.imports.files import read_file


def fenced(command: str, word: str = "mswea_bash_command") -> dict[str, Any]:
    return said(f"THOUGHT: next.\n\n```{word}\n{command}\n```")


def trajectory(*messages: Any, **info: Any) -> dict[str, Any]:
    return {"trajectory_format": "mini-swe-agent-1.1", "messages": list(messages), "info": info}


SYSTEM = {"role": "system", "content": "One command at a time."}
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def test_the_command_in_the_block_is_a_call_and_the_next_message_its_result() -> None:
    [conversation] = read_file(LOGS / "mini-swe-agent-local.traj.json")
    run = state(conversation)
    [record] = run.every_call()
    assert (record.call.tool, json.loads(record.call.arguments)) == ("bash", {"command": "echo 'hello world'"})
    assert record.result is not None
    assert record.result.content == "<returncode>0</returncode>\n<output>\nhello world\n</output>"
    assert (run.status, run.answer) == (Status.ANSWERED, "")


@pytest.mark.parametrize("word", ["bash", "mswea_bash_command"])
def test_both_words_for_a_block_are_known(word: str) -> None:
    assert state(one(trajectory(SYSTEM, user(), fenced("ls", word), user("a.txt")))).tool_calls == 1


def test_a_block_of_the_old_word_beside_a_new_one_is_an_example() -> None:
    text = "Like this:\n```bash\nrm x\n```\nNow:\n```mswea_bash_command\nls\n```"
    [record] = state(one(trajectory(SYSTEM, user(), said(text), user("a.txt")))).every_call()
    assert json.loads(record.call.arguments) == {"command": "ls"}


def test_a_reply_without_one_command_is_no_answer_and_what_follows_corrects_it() -> None:
    text = "```bash\na\n```\n```bash\nb\n```"
    conversation = one(trajectory(SYSTEM, user(), said(text), user("EXACTLY ONE action."), fenced("ls"), user("a.txt")))
    assert kinds(conversation) == [
        "user_message", "model_reply", "notice", "model_reply", "tool_started", "tool_result",
    ]  # fmt: skip
    reply: Any = session(conversation)[1][2]
    assert (reply.reading, reply.notes) == ("malformed", ("2 commands where the agent takes one",))


def test_what_was_submitted_is_the_answer() -> None:
    whole = trajectory(
        SYSTEM, user(), fenced(SUBMIT), user("the patch"), exit_status="Submitted", submission="the patch"
    )
    run = state(one(whole))
    assert (run.status, run.answer, remarks(one(whole))) == (Status.ANSWERED, "the patch", [])


def test_a_submission_that_no_command_made_is_told() -> None:
    whole = trajectory(SYSTEM, user(), fenced("ls"), user("a.txt"), exit_status="Submitted", submission="the patch")
    assert state(one(whole)).tool_calls == 1
    assert remarks(one(whole)) == [("the trajectory says how the run ended: Submitted", "the patch")]


def test_another_end_is_told_and_no_status_is_made_up() -> None:
    whole = trajectory(SYSTEM, user(), fenced("ls"), user("a.txt"), exit_status="LimitsExceeded", submission="")
    assert state(one(whole)).status is Status.RUNNING
    assert remarks(one(whole)) == [("the trajectory says how the run ended: LimitsExceeded", "")]


def test_calls_beside_the_text_are_read_as_such() -> None:
    call = {"id": "t1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    submit = {
        "id": "t2",
        "type": "function",
        "function": {"name": "bash", "arguments": json.dumps({"command": SUBMIT})},
    }
    result = {"role": "tool", "tool_call_id": "t1", "content": "a.txt", "extra": {"returncode": 0}}
    end = {"role": "exit", "content": "done"}
    messages = [SYSTEM, user(), said("Look.", call), result, said("Done.", submit), end]
    run = state(one(trajectory(*messages, exit_status="Submitted", submission="done")))
    assert (run.answer, run.status, run.tool_calls) == ("done", Status.ANSWERED, 1)


def test_model_and_figures_are_taken_from_what_the_agent_kept() -> None:
    response = {"model": "m-1", "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
    conversation = one(trajectory(SYSTEM, user(), {**fenced("ls"), "extra": {"response": response}}, user("a.txt")))
    reply: Any = session(conversation)[1][2]
    assert (conversation.model, reply.model, reply.input_tokens, reply.output_tokens) == ("m-1", "m-1", 9, 2)
    named = one(trajectory(SYSTEM, user(), config={"model": {"model_name": "m-2"}}))
    assert named.model == "m-2"
