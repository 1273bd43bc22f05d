"""Each piece fails as it is said to fail, and the engine, on the same script, does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.museum.halls import (
    MUSEUM_SCRIPTS,
    detail,
    file_after,
    knob,
    observations,
    on_engine,
    played,
    shipped,
    transcript_text,
    written,
)
from workbench.core.events import ModelFailed, ModelReply, ToolResult, ToolStarted, UserMessage
from workbench.core.state import State
from workbench.core.statuses import Status
from workbench.models.wire.openai.validate import messages_problem
from workbench.runner import Run
from workbench.scenarios.schema import ReplyTable, Scenario

TWO_CALLS = ["dropped-message", "some-calls-answered", "arguments-as-object", "arguments-sent-back", "catch-all"]


def failures(run: Run) -> list[ModelFailed]:
    return [event for event in run.events if isinstance(event, ModelFailed)]


def as_sent(state: State) -> list[dict[str, Any]]:
    """The messages of an engine's run in the form of the wire."""
    messages: list[dict[str, Any]] = []
    for message in state.messages:
        if message.role == "assistant":
            calls = [
                {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": call.arguments}}
                for call in message.calls
            ]
            messages.append({"role": "assistant", "content": message.text, **({"tool_calls": calls} if calls else {})})
        elif message.role == "tool":
            messages.append({"role": "tool", "tool_call_id": message.call_id, "content": message.text})
        else:
            messages.append({"role": "user", "content": message.text})
    return messages


# ---------------------------------------------------------------- the first document: v1, v2, v3


def test_v1_crashes_with_the_json_error_at_character_13() -> None:
    run = played(shipped("museum-v1"))
    assert (run.state.status, knob(run)) == (Status.INTERNAL_ERROR, "loop")
    assert detail(run).splitlines()[-1].endswith("JSONDecodeError: Expecting value: line 1 column 14 (char 13)")
    assert 'File "v1.py"' in detail(run)
    assert run.state.answer is None


def test_the_engine_tells_the_model_where_its_json_broke() -> None:
    run = on_engine("museum-v1")
    assert run.state.status is Status.SCRIPT_EXHAUSTED  # it asked for a further reply, which this script does not have
    assert "could not parse arguments as JSON: Expecting value: line 1 column 14 (char 13)" in transcript_text(run)


def test_v1_takes_two_letters_for_numbers_and_the_engine_does_not() -> None:
    assert played(shipped("museum-v1-wrong-types")).state.answer == "The sum is xy."
    run = on_engine("museum-v1-wrong-types")
    assert run.state.tool_calls == 0
    assert "Invalid arguments for add" in observations(run)[0]


def test_v1_calls_unknown_tools_by_their_right_name_and_recovers() -> None:
    run = played(shipped("unknown-tool", "loop=v1"))
    assert run.state.answer == "2100000"
    assert observations(run)[0] == (
        "OBSERVATION: error: no tool named 'get_weather'. Available: ['add', 'lookup_population']"
    )


def test_v1_at_its_cap_returns_none_and_cannot_say_why() -> None:
    run = played(shipped("no-termination", "loop=v1"))
    assert (run.state.status, run.state.model_calls, run.state.answer) == (Status.STEP_BUDGET_EXHAUSTED, 4, None)
    assert "returned None" in detail(run)


def test_v2_repairs_the_parser_of_v1() -> None:
    run = played(shipped("broken-json", "loop=v2"))
    assert run.state.answer == "2"
    assert observations(run)[0].startswith("OBSERVATION: error: could not parse arguments as JSON: Expecting value")


def test_v2_pastes_the_defect_of_a_tool_into_the_transcript() -> None:
    run = played(shipped("museum-v2"))
    assert run.state.status is Status.ANSWERED
    assert transcript_text(run).count("OBSERVATION: error: TypeError: unsupported operand type(s) for +") == 2
    assert run.state.tool_calls == 2


def test_the_engine_stops_at_a_defect_and_keeps_its_text_to_itself() -> None:
    run = on_engine("museum-v2")
    assert (run.state.status, run.state.tool_calls) == (Status.TOOL_DEFECT, 1)
    assert "TypeError" not in transcript_text(run)


def test_v3_lets_a_defect_through_as_it_should() -> None:
    run = played(shipped("broken-tool", "loop=v3"))
    assert (run.state.status, knob(run)) == (Status.TOOL_DEFECT, "loop")
    assert detail(run).endswith("TypeError: unsupported operand type(s) for +: 'int' and 'str'")
    assert "TypeError" not in transcript_text(run)


def test_v3_tells_three_endings_apart() -> None:
    answered = played(shipped("status-answered", "loop=v3"))
    assert (answered.state.status, answered.state.answer, answered.state.steps) == (Status.ANSWERED, "15400000", 3)
    exhausted = played(shipped("status-exhausted", "loop=v3"))
    assert (exhausted.state.status, exhausted.state.steps) == (Status.STEP_BUDGET_EXHAUSTED, 3)
    unavailable = played(shipped("status-unavailable", "loop=v3"))
    assert (unavailable.state.status, unavailable.state.steps) == (Status.MODEL_UNAVAILABLE, 0)
    assert knob(unavailable) == ""


def test_v3_crashes_at_a_rejected_key() -> None:
    run = played(shipped("museum-v3"))
    assert (run.state.status, knob(run)) == (Status.MODEL_REJECTED, "loop")
    assert detail(run).startswith("Traceback")


def test_the_engine_has_a_status_for_a_rejected_key() -> None:
    run = on_engine("museum-v3")
    assert (run.state.status, knob(run)) == (Status.MODEL_REJECTED, "")
    assert "Traceback" not in detail(run)


def test_v3_checks_a_call_against_the_parameters_of_its_tool() -> None:
    scenario = written("""
goal = "Population of Lima?"
tools = ["lookup_population"]
loop = "v3"
[[model.reply]]
text = 'ACTION: lookup_population {"town": "Lima"}'
[[model.reply]]
text = "ANSWER: unknown"
""")
    run = played(scenario)
    assert run.state.tool_calls == 0
    assert observations(run) == [
        "OBSERVATION: error: Invalid arguments for lookup_population: missing a required argument: 'city'."
    ]


# ---------------------------------------------------------------- the second document: find the bugs


def test_find_the_bugs_dies_of_a_tool_that_refuses() -> None:
    run = played(shipped("museum-find-the-bugs"))
    assert (run.state.status, knob(run)) == (Status.INTERNAL_ERROR, "loop")
    assert detail(run).endswith('ToolError: Unknown warehouse "North". Use "north" or "south".')


def test_the_engine_gives_the_refusal_to_the_model() -> None:
    run = on_engine("museum-find-the-bugs")
    assert run.state.status is Status.SCRIPT_EXHAUSTED
    assert "Unknown warehouse" in observations(run)[0]


def test_find_the_bugs_dies_of_a_name_that_does_not_exist() -> None:
    run = played(shipped("museum-find-the-bugs", 'model.reply[0].text={"type": "tool", "tool": "stock", "input": {}}'))
    assert detail(run).endswith("KeyError: 'stock'")
    assert run.state.tool_calls == 0


def test_find_the_bugs_never_sees_its_own_requests_nor_the_cap() -> None:
    run = played(shipped("museum-find-the-bugs-forgets"))
    assert (run.state.status, run.state.steps) == (Status.SCRIPT_EXHAUSTED, 12)
    replies = [event for event in run.events if isinstance(event, ModelReply)]
    assert all(event.text == "" and '"tool"' in event.original for event in replies)
    assert '"input"' not in transcript_text(run)


def test_the_engine_sees_its_requests_and_the_cap() -> None:
    run = on_engine("museum-find-the-bugs-forgets")
    assert (run.state.status, run.state.steps) == (Status.STEP_BUDGET_EXHAUSTED, 4)
    assert transcript_text(run).count('"input"') == 4


# ---------------------------------------------------------------- the third document: four bugs on the wire


def test_a_dropped_message_makes_orphans_of_its_results() -> None:
    run = played(shipped("museum-dropped-message"))
    assert (run.state.status, knob(run)) == (Status.MODEL_REJECTED, "loop")
    assert failures(run)[0].detail.startswith(
        "400: Invalid parameter: messages with role 'tool' must be a response to a preceding message "
        "with 'tool_calls'.\nmessages[0] "
    )
    assert '"role": "assistant"' not in failures(run)[0].detail
    assert run.state.tool_calls == 2


def test_one_result_for_two_calls_is_refused_with_the_name_of_the_other() -> None:
    run = played(shipped("museum-some-calls-answered"))
    assert (run.state.status, knob(run)) == (Status.MODEL_REJECTED, "loop")
    assert failures(run)[0].detail.splitlines()[0].endswith("did not have response messages: c2")
    assert [(event.call, event.outcome) for event in run.events if isinstance(event, ToolResult)] == [
        ("c1", "ran"),
        ("c2", "not_run"),
    ]


def test_results_in_a_message_each_are_refused_by_a_wire_that_wants_them_in_one() -> None:
    run = played(shipped("museum-split-results"))
    assert (run.state.status, knob(run)) == (Status.MODEL_REJECTED, "loop")
    refused, *listed = failures(run)[0].detail.splitlines()
    assert refused.startswith("400: messages.1: `tool_use` ids were found without `tool_result` blocks immediately")
    assert "after: c2." in refused
    assert [line.count('"tool_result"') for line in listed] == [0, 0, 1, 1]
    assert [event.outcome for event in run.events if isinstance(event, ToolResult)] == ["ran", "ran"]


def test_a_result_in_a_message_of_its_own_is_no_bug_where_there_is_but_one_call() -> None:
    scenario = shipped("museum-split-results")
    model = scenario.model.model_copy(update={"reply": _one_call_and_an_answer(scenario)})
    run = played(scenario.model_copy(update={"model": model}))
    assert (run.state.status, run.state.answer) == (Status.ANSWERED, "140")
    assert [message.role for message in run.state.messages] == ["user", "assistant", "tool", "assistant"]


def _one_call_and_an_answer(scenario: Scenario) -> tuple[ReplyTable, ...]:
    first = scenario.model.reply[0]
    return first.model_copy(update={"call": first.call[:1]}), ReplyTable(text="140")


def test_arguments_taken_for_an_object_crash_before_any_tool_runs() -> None:
    run = played(shipped("museum-arguments-as-object"))
    assert (run.state.status, knob(run)) == (Status.INTERNAL_ERROR, "loop")
    assert detail(run).endswith("TypeError: tools.stock_level() argument after ** must be a mapping, not str")
    assert run.state.tool_calls == 0


def test_arguments_sent_back_as_an_object_are_refused_for_their_type() -> None:
    run = played(shipped("museum-arguments-sent-back"))
    assert run.state.status is Status.MODEL_REJECTED
    assert failures(run)[0].detail.startswith(
        "400: Invalid type for 'messages[1].tool_calls[0].function.arguments': "
        "expected a string, but got an object instead."
    )
    assert [event.outcome for event in run.events if isinstance(event, ToolResult)] == ["ran", "ran"]


def test_a_mistake_of_the_loop_is_blamed_on_the_model_until_the_cap() -> None:
    run = played(shipped("museum-catch-all"))
    assert run.state.status is Status.STEP_BUDGET_EXHAUSTED
    assert run.state.tool_calls == 0
    assert len(observations(run)) == 8
    assert set(observations(run)) == {
        "ERROR TypeError: tools.stock_level() argument after ** must be a mapping, not str"
    }


@pytest.mark.parametrize("name", TWO_CALLS)
def test_the_engine_answers_both_calls_and_sends_what_the_wire_takes(name: str) -> None:
    run = on_engine(f"museum-{name}")
    first = [event for event in run.events if isinstance(event, ToolResult)][:2]
    assert [(event.call, event.outcome) for event in first] == [("c1", "ran"), ("c2", "ran")]
    assert messages_problem(as_sent(run.state)) == ""
    assert not [event for event in failures(run) if event.failure == "bad_request"]


def test_a_text_without_a_call_is_taken_for_the_answer() -> None:
    assert played(shipped("museum-text-as-success")).state.answer == "I was unable to find these figures."
    assert played(shipped("museum-text-as-success-cut-off")).state.answer == "Together they have 17"


def test_the_engine_sends_such_a_text_back_and_does_not_believe_half_a_sentence() -> None:
    run = on_engine("museum-text-as-success")
    assert run.state.answer is None
    assert "a reply without a tool call does not end this run" in observations(run)[0]
    cut_off = on_engine("museum-text-as-success-cut-off")
    assert (cut_off.state.status, cut_off.state.answer) == (Status.REPLY_CUT_OFF, None)


# ---------------------------------------------------------------- the others


def test_a_silent_cut_takes_the_line_that_says_how_much_there_is() -> None:
    run = played(shipped("museum-silent-truncation"))
    observation = observations(run)[0]
    assert len(observation) == len("OBSERVATION: ") + 800
    assert "214 rows" not in observation
    result = next(event for event in run.events if isinstance(event, ToolResult))
    assert result.changed
    assert "showing 10 of 214 rows" in result.original


def test_the_engine_says_how_much_there_is() -> None:
    assert "showing 10 of 214 rows; call again with cursor" in observations(on_engine("museum-silent-truncation"))[0]


def test_a_prefix_lets_a_sibling_in_and_the_engine_does_not() -> None:
    run = played(shipped("museum-path-prefix"))
    assert observations(run)[0] == "OBSERVATION: error: the path leads outside the workspace"
    assert "the key to the neighbour's house" in transcript_text(run)
    started = next(event for event in run.events if isinstance(event, ToolStarted))
    assert started.arguments == '{"path":"workspace2/keys.txt"}'
    engine = on_engine("museum-path-prefix")
    assert "the key to the neighbour's house" not in "".join(observations(engine))
    assert all("it leads outside the workspace" in text for text in observations(engine))


def test_a_retry_around_the_run_pays_twice() -> None:
    ledger = file_after(shipped("museum-retry-the-run"), "refunds.toml")
    assert ledger is not None
    assert ledger.count('order = "A-1042"') == 2
    run = played(shipped("museum-retry-the-run"))
    assert [event.text for event in run.events if isinstance(event, UserMessage)] == [run.header.goal] * 2


def test_the_engine_pays_once_whether_it_retries_or_stops() -> None:
    for scenario, status in (
        (shipped("museum-retry-the-run", "loop=engine"), Status.MODEL_UNAVAILABLE),
        (shipped("museum-retry-the-run-fixed"), Status.ANSWERED),
    ):
        assert played(scenario).state.status is status
        ledger = file_after(scenario, "refunds.toml")
        assert ledger is not None
        assert ledger.count('order = "A-1042"') == 1


def test_a_retry_around_the_run_gives_up_after_three() -> None:
    run = played(shipped("status-unavailable", "loop=retry-the-run", "model.retries=0"))
    assert (run.state.status, knob(run), run.state.model_calls) == (Status.MODEL_UNAVAILABLE, "loop", 3)


def test_no_cap_asks_fifty_times_where_the_engine_asks_four_times() -> None:
    assert played(shipped("museum-no-cap")).state.steps == 50
    run = on_engine("museum-no-cap")
    assert (run.state.status, run.state.steps) == (Status.STEP_BUDGET_EXHAUSTED, 4)


# ---------------------------------------------------------------- all of them


@pytest.mark.parametrize("name", MUSEUM_SCRIPTS)
def test_a_museum_scenario_is_about_one_loop_in_at_most_two_sentences(name: str) -> None:
    scenario = shipped(name)
    assert scenario.tags == ("museum",)
    assert scenario.expect is not None
    assert (scenario.loop == "engine") is name.endswith("-fixed")
    assert len(scenario.about.split(". ")) <= 2


@pytest.mark.parametrize(
    ("scenario", "loop"),
    [
        ("two-cities", "v1"),
        ("two-cities", "v2"),
        ("two-cities", "v3"),
        ("two-cities", "no-cap"),
        ("two-cities", "silent-truncation"),
        ("two-cities", "retry-the-run"),
        ("museum-wire-fixed", "text-as-success"),
    ],
)
def test_on_a_happy_path_none_of_it_shows(scenario: str, loop: str) -> None:
    chosen = shipped(scenario, f"loop={loop}")
    run, engine = played(chosen), on_engine(scenario)
    assert transcript_text(run) == transcript_text(engine)
    assert [mark.chars for mark in run.state.requests] == [mark.chars for mark in engine.state.requests]
    assert run.state.answer == engine.state.answer
