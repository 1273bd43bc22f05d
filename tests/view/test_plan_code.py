from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from workbench.clocks import VirtualClock
from workbench.core.events import Planned
from workbench.home import find_home
from workbench.opening import Opened, new_run
from workbench.scenarios.loader import parse_scenario
from workbench.view import plan_code, tracer
from workbench.view.entries import Entry, entry_lines, line_text
from workbench.view.past import event_sign, event_words
from workbench.view.requests import request_page
from workbench.view.timeline import Timeline

PIPELINE = """
goal = "Budgets of FHQ-22?"
loop = "pipeline"
tools = ["project_field", "create_refund"]
[[step]]
ask = "Which code is in: ${goal}"
capture = { code = "[A-Z]{3}-[0-9]{2}" }
[[step]]
name = "budget"
tool = "project_field"
arguments = { code = "${code}", field = "budget" }
[[step]]
answer = "It is ${budget}."
[[model.reply]]
text = "FHQ-22"
"""
ROUTER = """
goal = "Where is it?"
loop = "router"
tools = ["project_field"]
[[route]]
name = "figures"
about = "a figure of a project"
[[route.step]]
tool = "project_field"
arguments = { code = "FHQ-22", field = "staff" }
[[route]]
name = "other"
[[route.step]]
answer = "Ask somebody else."
[[model.reply]]
text = "figures"
"""


def played(text: str, tmp_path: Path) -> Opened:
    scenario = parse_scenario(text, "plan.toml")
    opened = new_run(
        scenario, find_home(str(tmp_path)), clock=VirtualClock(), person=True, keep=False, session_id="plan"
    )
    asyncio.run(opened.run.play())
    opened.close()
    return opened


def entries(opened: Opened) -> list[Entry]:
    timeline = Timeline(opened.run.events, opened.run.state, keys=False)
    return [timeline.entry(index) for index in range(len(timeline))]


def lit(opened: Opened) -> list[str]:
    run = opened.run
    code = plan_code.code_lines(run.state.plan) if run.state.plan is not None else ()
    places = [plan_code.plan_trace(run.at(n), tracer.frame_event(run.events, n)) for n in tracer.frames(run.events)]
    assert all(place.caption.endswith((".", "…")) for place in places), places
    return [code[place.line].strip() for place in places]


def test_each_frame_of_a_pipeline_lights_its_step(tmp_path: Path) -> None:
    assert lit(played(PIPELINE, tmp_path)) == [
        "goal = the task",
        "result1 = model(Which code is in: ${goal})  -> code",
        "result1 = model(Which code is in: ${goal})  -> code",
        'budget = project_field {"code": ${code}, "field": "budget"}',
        'budget = project_field {"code": ${code}, "field": "budget"}',
        "return It is ${budget}.",
    ]


def test_each_frame_of_a_router_lights_the_choice_and_its_steps(tmp_path: Path) -> None:
    assert lit(played(ROUTER, tmp_path)) == [
        "route = model(goal, the routes)",
        'if route is "figures":',
        'result1 = project_field {"code": "FHQ-22", "field": "staff"}',
        'result1 = project_field {"code": "FHQ-22", "field": "staff"}',
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (ROUTER.replace('text = "figures"', 'text = "neither"'), 'otherwise: return "no route"'),
        (
            PIPELINE.replace('text = "FHQ-22"', 'text = "ZZZ-99"'),
            'budget = project_field {"code": ${code}, "field": "budget"}',
        ),
        (PIPELINE.replace('text = "FHQ-22"', 'text = "none"'), "result1 = model(Which code is in: ${goal})  -> code"),
    ],
)
def test_a_run_that_failed_ends_on_the_line_that_failed(text: str, line: str, tmp_path: Path) -> None:
    assert lit(played(text, tmp_path))[-1] == line


def test_the_steps_of_the_code_stand_apart_from_what_the_model_says(tmp_path: Path) -> None:
    shown = [(entry.step, entry.word, entry.meta) for entry in entries(played(PIPELINE, tmp_path))]
    assert shown == [
        (None, "USER", ""),
        (None, "STEP", "step 1 of 3 · asks the model"),
        (1, "MODEL", ""),
        (2, "STEP", "step 2 of 3 · budget"),
        (None, "RESULT", "project_field · projects"),
        (None, "ANSWER", "step 3 of 3"),
    ]


def test_what_a_step_gave_stands_under_the_name_that_later_steps_have_for_it(tmp_path: Path) -> None:
    state = played(PIPELINE, tmp_path).run.state
    rows = [line_text(line).split(maxsplit=1) for line in plan_code.given_rows(state, 60, 9)]
    assert rows == [
        ["goal", "Budgets of FHQ-22?"],
        ["result1", "FHQ-22"],
        ["budget", "87930"],
        ["result3", "It is 87930."],
        ["code", "FHQ-22"],
    ]


def test_before_a_step_of_the_plan_no_request_is_due(tmp_path: Path) -> None:
    opened = played(PIPELINE, tmp_path)
    run = opened.run
    at = next(n for n, event in enumerate(run.events) if isinstance(event, Planned) and event.calls)
    title, _ = request_page(run.at(at), len(run.at(at).requests))
    assert line_text(title).endswith("none is due, the next step is the plan's")


def test_a_planned_call_is_a_step_of_the_strip_and_a_question_is_none(tmp_path: Path) -> None:
    run = played(PIPELINE, tmp_path).run
    planned = [event for event in run.events if isinstance(event, Planned)]
    assert [event_sign(event, 7) for event in planned] == ["·", "7", "·"]
    assert event_words(planned[1], run.state) == "step 2 of the plan was taken"


def test_text_of_a_plan_is_never_raw(tmp_path: Path) -> None:
    hostile = PIPELINE.replace("It is ${budget}.", "\\u001b[31m[/x]")
    opened = played(hostile, tmp_path)
    shown = [line for entry in entries(opened) for line in entry_lines(entry)] + lit(opened)
    assert not any("\x1b" in line for line in shown)
