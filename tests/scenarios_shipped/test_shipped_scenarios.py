from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby, pairwise, takewhile

import pytest

from tests.scenarios_shipped.shipped import HOME, NAMES, SCRIPTS, played, shipped_tools
from workbench.check import check_all
from workbench.core.events import ToolResult
from workbench.core.records import RequestMark
from workbench.results import transcript_text
from workbench.scenarios.loader import load_scenario

COURSE = (
    "tour", "first-steps", "four-breaks", "protocol", "limits", "model", "approval", "context", "hostile-text",
    "experiments", "plans", "museum", "quiz",
)  # fmt: skip
"""The groups of the course, in the order in which a person walks through them."""
TAGS = set(COURSE)


async def test_all_shipped_scenarios_hold_their_expectations() -> None:
    verdicts = await check_all(SCRIPTS, HOME)
    assert [verdict for verdict in verdicts if not verdict.passed or verdict.skipped] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=NAMES)
def test_a_shipped_scenario_says_what_it_teaches_and_what_must_come_of_it(path: object) -> None:
    scenario = load_scenario(str(path))
    assert scenario.title
    assert len(re.findall(r"[.!?](?= [A-Z]|$)", scenario.about)) in (2, 3)
    assert len(scenario.about) <= 220
    assert set(scenario.tags) <= TAGS
    assert scenario.tags
    assert scenario.expect is not None
    assert scenario.expect.status is not None
    assert scenario.expect.model_calls is not None
    assert scenario.expect.tool_calls is not None


def test_every_shipped_scenario_is_a_lesson_of_its_own_and_the_groups_follow_each_other() -> None:
    scenarios = sorted(map(load_scenario, SCRIPTS), key=lambda scenario: scenario.lesson or 0)
    lessons = [scenario.lesson for scenario in scenarios]
    assert None not in lessons
    assert len(set(lessons)) == len(lessons)
    groups = [scenario.tags[0] for scenario in scenarios]
    assert tuple(dict.fromkeys(groups)) == COURSE
    assert len(list(groupby(groups))) == len(COURSE)


def test_no_two_shipped_scenarios_have_one_title() -> None:
    titles = [load_scenario(path).title for path in SCRIPTS]
    assert len(set(titles)) == len(titles)


def test_there_is_one_tour_and_it_says_that_nothing_leaves_the_machine() -> None:
    tours = [load_scenario(path) for path in SCRIPTS if "tour" in load_scenario(path).tags]
    assert [tour.about for tour in tours] == ["Replies come from this file. Nothing leaves this machine."]


def test_the_shipped_tools_load_without_a_problem() -> None:
    assert shipped_tools().problems == ()


def test_every_cap_of_a_run_ends_a_shipped_scenario() -> None:
    knobs = {scenario.expect.stopped_by for path in SCRIPTS if (scenario := load_scenario(path)).expect is not None}
    for cap in (
        "steps", "model_calls", "tool_calls", "input_tokens", "output_tokens", "total_tokens", "context_tokens",
        "cost", "seconds", "failures", "protocol_errors", "denials", "repeats.stop",
    ):  # fmt: skip
        assert f"limits.{cap}" in knobs


# ---------------------------------------------------------------- the figures of the lessons


def test_two_cities_are_three_model_calls_and_the_exact_transcript() -> None:
    run = played("two-cities").run
    assert (run.state.model_calls, run.state.tool_calls, run.state.answer) == (3, 2, "11800000")
    assert transcript_text(run).split("\n") == [
        "QUESTION: Combined population of Paris and Lima?",
        "THOUGHT: I need Paris first.",
        'ACTION: lookup_population {"city": "Paris"}',
        "OBSERVATION: 2100000",
        "THOUGHT: Now Lima.",
        'ACTION: lookup_population {"city": "Lima"}',
        "OBSERVATION: 9700000",
        "THOUGHT: 2100000 + 9700000 = 11800000.",
        "ANSWER: 11800000",
    ]


def test_the_blue_mugs_are_four_model_calls_three_tool_runs_and_one_error() -> None:
    state = played("blue-mugs").run.state
    assert (state.model_calls, state.tool_calls, state.errors) == (4, 3, 1)
    assert 'Unknown warehouse "North". Use "north" or "south".' in list(state.results)


def test_the_blue_mugs_under_a_cap_of_two_have_no_answer() -> None:
    state = played("blue-mugs-cap-2").run.state
    assert (state.status.value, state.answer, state.steps) == ("step_budget_exhausted", None, 2)


def test_fifty_identical_replies_under_a_cap_of_four_are_exactly_four_calls_and_no_answer() -> None:
    state = played("no-termination").run.state
    assert (state.model_calls, state.answer) == (4, None)


def test_a_growing_transcript_is_52_117_181_247_characters_and_1_3_5_7_lines() -> None:
    run = played("growth").run
    assert [mark.chars for mark in run.state.requests] == [52, 117, 181, 247]
    texts = ["\n".join(message.text for message in mark.sent) for mark in run.state.requests]
    assert [len(text) for text in texts] == [52, 117, 181, 247]
    assert [len(text.splitlines()) for text in texts] == [1, 3, 5, 7]


@pytest.mark.parametrize(
    ("name", "status", "steps"),
    [
        ("status-answered", "answered", 3),
        ("status-exhausted", "step_budget_exhausted", 3),
        ("status-unavailable", "model_unavailable", 0),
    ],
)
def test_the_three_endings_can_be_told_apart(name: str, status: str, steps: int) -> None:
    state = played(name).run.state
    assert (state.status.value, state.steps) == (status, steps)


def test_what_a_provider_says_is_for_the_operator_and_not_in_the_transcript() -> None:
    run = played("status-unavailable").run
    assert run.state.stopped is not None
    assert "scripted to fail" in run.state.stopped.detail
    assert transcript_text(run) == "QUESTION: anything"


def test_the_traceback_of_a_defect_is_for_the_operator_and_not_in_the_transcript() -> None:
    run = played("broken-tool").run
    details = [event.detail for event in run.events if isinstance(event, ToolResult)]
    assert "TypeError" in details[0]
    assert "TypeError" not in transcript_text(run)


CODE = "The code of the back door is 4417"


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("notes-whole", [False, True, True, True, True, True]),
        ("notes-window", [False, True, True, False, False, False]),
        ("notes-folded", [False, True, True, False, False, False, True]),
        ("notes-summary-without", [False, True, True, True, True, False, False]),
        ("notes-summary-with", [False, True, True, True, True, False, False]),
    ],
)
def test_which_requests_carry_the_line_with_the_code(name: str, seen: list[bool]) -> None:
    state = played(name).run.state
    assert [any(CODE in message.text for message in mark.sent) for mark in state.requests] == seen


def test_the_summary_that_keeps_the_code_is_the_only_place_where_it_still_stands() -> None:
    kept, lost = (list(played(f"notes-summary-{how}").run.state.requests)[-1].sent for how in ("with", "without"))
    assert [message.role for message in kept if "4417" in message.text] == ["notice"]
    assert not any("4417" in message.text for message in lost)


def test_the_same_notes_read_in_five_ways_cost_what_is_sent() -> None:
    read = {
        name: played(f"notes-{name}").run.state.input_tokens
        for name in ("whole", "window", "folded", "summary-with", "summary-without")
    }
    assert read["window"] < read["whole"]
    assert read["summary-with"] < read["whole"] < read["folded"]  # a seventh request, and the schema of a second tool


def test_a_task_of_two_hundred_tokens_stands_against_forty_thousand_at_the_twelfth_request() -> None:
    buried, restated = (played(name).run.state for name in ("task-buried", "task-restated"))
    task = next(iter(buried.messages))
    assert task.tokens == pytest.approx(200, rel=0.1)
    assert list(buried.requests)[11].tokens == pytest.approx(40_000, rel=0.05)
    *_, last = list(restated.requests)[8].sent
    assert last.role == "notice"
    assert buried.header.goal in last.text


def test_twenty_steps_of_five_hundred_tokens_read_a_hundred_and_five_thousand() -> None:
    whole, window = (played(name).run.state for name in ("twenty-steps", "twenty-steps-window"))
    assert [mark.tokens for mark in whole.requests][:2] == [500, 1000]
    assert [mark.tokens for mark in whole.requests][19] == 10_000
    assert (whole.input_tokens, window.input_tokens) == (105_000, 45_000)
    assert [len(mark.sent) for mark in whole.requests] == [1 + 2 * step for step in range(20)]
    assert max(len(mark.sent) for mark in window.requests) == 2 + 2 * 4


def test_a_window_that_moves_breaks_the_cache_and_one_that_waits_does_not() -> None:
    moving, waiting = (played(name).run for name in ("cache-window", "cache-compacted"))
    shared = [_same_beginning(run.state.requests) for run in (moving, waiting)]
    assert shared[0] == [1, 3, 1, 1]
    assert shared[1] == [1, 3, 1, 4, 1]
    assert moving.state.cost is not None
    assert waiting.state.cost is not None
    assert waiting.state.cost < 0.05 < moving.state.cost


def _same_beginning(requests: Iterable[RequestMark]) -> list[int]:
    """For each request but the first: how many messages it begins with that the one before it had, too."""
    made = []
    for before, after in pairwise([list(mark.sent) for mark in requests]):
        same = (a == b for a, b in zip(before, after, strict=False))
        made.append(sum(1 for _ in takewhile(bool, same)))
    return made
