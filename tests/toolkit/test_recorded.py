from __future__ import annotations

import asyncio

from workbench.clocks import VirtualClock
from workbench.core.ports import Checked, ToolOutcome
from workbench.toolkit.execute import ToolBox
from workbench.toolkit.recorded import NOT_RECORDED, RecordedCall, RecordedTools

PENDING, DONE = (
    ToolOutcome(outcome="ran", content="pending"),
    ToolOutcome(
        outcome="ran", content="done", effects=({"path": "a.txt", "content": "one"}, {"path": "b.txt", "append": "two"})
    ),
)
CALLS = (
    RecordedCall(tool="poll", raw="{}", checked=Checked(canonical="{}"), arguments="{}", outcome=PENDING, took=2.0),
    RecordedCall(tool="poll", raw=" {}", checked=Checked(canonical="{}"), arguments="{}", outcome=DONE),
    RecordedCall(tool="poll", raw='{"x"', checked=Checked(problem="half", problem_kind="malformed")),
    RecordedCall(tool="none", raw="{}", checked=Checked(problem="no tool", problem_kind="unknown_tool")),
)


def tools(clock: VirtualClock | None = None, **past: object) -> RecordedTools:
    return RecordedTools(CALLS, clock=clock or VirtualClock(), here=ToolBox([]), **past)  # type: ignore[arg-type]


def run(box: RecordedTools, tool: str, arguments: str) -> ToolOutcome:
    return asyncio.run(box.run(tool, arguments, within=None, key="", on_late=lambda *_: None))


def test_the_same_call_again_gets_its_next_result_in_the_time_it_took() -> None:
    clock = VirtualClock()
    box = tools(clock)
    assert (run(box, "poll", "{}"), clock.now()) == (PENDING, 2.0)
    assert (run(box, "poll", "{}"), clock.now()) == (DONE, 2.0)
    assert run(box, "poll", "{}") == ToolOutcome(outcome="failed", content=NOT_RECORDED, retry=False)


def test_what_has_run_already_is_not_given_again() -> None:
    assert run(tools(done=[("poll", "{}")]), "poll", "{}") == DONE


def test_files_are_what_the_results_say_and_nothing_is_written() -> None:
    box = tools(files={"b.txt": "one, "}, effects=[{"path": "c.txt", "content": "three"}])
    assert (box.file_text("a.txt"), box.file_text("./b.txt"), box.file_text("c.txt")) == (None, "one, ", "three")
    run(box, "poll", "{}")
    run(box, "poll", "{}")
    assert (box.file_text("a.txt"), box.file_text("b.txt")) == ("one", "one, two")


def test_calls_are_judged_as_they_were_and_others_as_well_as_can_be() -> None:
    box = tools()
    assert box.check("poll", '{"x"').problem == "half"
    assert box.check("poll", '{"b": 1, "a": 2}').canonical == '{"a":2,"b":1}'
    assert box.check("poll", "[1]").problem_kind == "malformed"
    assert box.check("none", '{"a": 1}').problem_kind == "unknown_tool"
    assert box.preview("poll", "{}") == ""


def test_a_call_that_was_judged_once_is_judged_so_where_it_was_not_judged_again() -> None:
    unjudged = RecordedCall(tool="none", raw="{}", checked=Checked(canonical="{}"))
    for calls in ([*CALLS, unjudged], [unjudged, *CALLS]):
        box = RecordedTools(calls, clock=VirtualClock(), here=ToolBox([]))
        assert box.check("none", "{}").problem_kind == "unknown_tool"
