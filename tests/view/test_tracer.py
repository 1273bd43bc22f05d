from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from workbench.clocks import VirtualClock
from workbench.core.state import State
from workbench.home import find_home, packaged_folder
from workbench.opening import Opened, new_run
from workbench.scenarios.loader import load_scenario
from workbench.view import tracer
from workbench.view.desk import Desk
from workbench.view.entries import line_text


def played(name: str, tmp_path: Path) -> Opened:
    path = packaged_folder() / "scripts" / f"{name}.toml"
    opened = new_run(
        load_scenario(path), find_home(str(tmp_path)), clock=VirtualClock(), person=True, keep=False, session_id="trace"
    )
    asyncio.run(opened.run.play())
    opened.close()
    return opened


def lit(state: State, opened: Opened, n: int) -> str:
    return tracer.LOOP[tracer.trace(state, tracer.frame_event(opened.run.events, n)).line].strip()


def test_the_blue_mugs_take_eight_frames_and_end_with_four_calls_three_runs_and_one_error(tmp_path: Path) -> None:
    opened = played("blue-mugs", tmp_path)
    frames = tracer.frames(opened.run.events)
    assert len(frames) == 8
    last = opened.run.at(frames[-1])
    assert (last.model_calls, last.tool_calls, last.errors) == (4, 3, 1)
    assert line_text(tracer.counters(last)) == "model calls 4   tool runs 3   errors 1"


def test_each_frame_of_the_blue_mugs_lights_the_line_the_loop_is_at(tmp_path: Path) -> None:
    opened = played("blue-mugs", tmp_path)
    assert [lit(opened.run.at(n), opened, n) for n in tracer.frames(opened.run.events)] == [
        "history = [goal]",
        "history += reply",
        "except: result = the error",
        "history += reply",
        "history += result",
        "history += reply",
        "history += result",
        "if reply is an answer: return it",
    ]


def test_a_run_that_its_cap_stopped_ends_on_the_last_line(tmp_path: Path) -> None:
    opened = played("blue-mugs-cap-2", tmp_path)
    state = opened.run.state
    place = tracer.trace(state, opened.run.events[-1])
    assert tracer.LOOP[place.line] == 'return "stopped: step cap"'
    assert place.caption == "The cap is checked before the next pass. It forbade step 3."


@pytest.mark.parametrize(
    "name",
    ["tour", "refund-edited", "prose-only", "script-runs-out", "limit-repeats", "batch-one-fails", "held-result"],
)
def test_every_event_of_a_run_has_a_line_and_a_caption(name: str, tmp_path: Path) -> None:
    opened = played(name, tmp_path)
    for n in range(len(opened.run.events) + 1):
        place = tracer.trace(opened.run.at(n), opened.run.events[n - 1] if n else None)
        assert 0 <= place.line < len(tracer.LOOP)
        assert place.caption.endswith((".", "…")), place.caption


def test_no_events_make_no_frames() -> None:
    assert tracer.frames([]) == []


def test_a_call_that_was_at_work_then_is_waited_for_in_the_past(tmp_path: Path) -> None:
    opened = played("two-cities", tmp_path)
    desk = Desk(opened.run)
    started = next(n for n, event in enumerate(opened.run.events, 1) if event.kind == "tool_started")
    desk.look_at(started)
    tail = desk.tail()
    assert tail is not None
    assert (tail.word, tail.lines[0][0].text) == ("THEN", "wait for lookup_population")
