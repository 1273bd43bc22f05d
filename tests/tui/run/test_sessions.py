"""Sessions that are not whole, not ours to write, or whose run goes wrong: shown, and the app lives."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.sessions.samples import write
from tests.tui.run.models import Failing
from tests.tui.run.stage import Stage, opened_scenario, opened_session, staged, with_run, write_scenario
from workbench.core.events import Decided, Event, Stopped, ToolResult, ToolStarted
from workbench.core.loop import AskPerson
from workbench.core.statuses import Status
from workbench.home import Home
from workbench.sessions.journal import create_session, read_session
from workbench.sessions.late import MemoryJournal

TOOLS = """
from workbench.toolkit.api import tool

class Odd(BaseException):
    pass

@tool(risk="read", source="here")
def fall_over(how: str) -> str:
    \"\"\"Fall over.

    how: with what.\"\"\"
    raise {"Odd": Odd, "SystemExit": SystemExit, "KeyboardInterrupt": KeyboardInterrupt, "KeyError": KeyError}[how]("[b]oh")
"""


async def refund_up_to(home: Home, kind: type[Event], count: int = 1) -> Path:
    """A session of the refund scenario that ends with its `count`th event of that kind, as a crash would end it."""
    opened = opened_scenario(home, "refund", keep=False)
    run = opened.run
    await run.advance()
    while run.state.answer is None:
        await run.play()
        if run.state.open_calls():
            run.decide(run.state.open_calls()[0].call.id, "allow")
    opened.close()
    ends = [n for n, event in enumerate(run.events, 1) if isinstance(event, kind)]
    home.sessions.mkdir(exist_ok=True)
    path = home.sessions / "cut-short.toml"
    write(path, run.events[: ends[count - 1]], run.header)
    return path


@asynccontextmanager
async def reopened(home: Home, path: Path, *, read_only: bool = False) -> AsyncIterator[Stage]:
    async with staged(opened_session(home, path, read_only=read_only), home) as stage:
        yield stage


# ---------------------------------------------------------------- reading only


async def test_a_session_that_is_read_only_can_be_read_and_nothing_else(home: Home) -> None:
    path = await refund_up_to(home, ToolResult, 2)
    before = path.read_bytes()
    async with reopened(home, path, read_only=True) as stage:
        assert "opened for reading only" in stage.rows[0]
        for key in ("space", "r", "x", "c", "plus", "h", "s", "m", "A"):
            await stage.press(key)
            assert stage.notice == "this session is read only: F goes on from here in one of its own", key
            assert stage.is_shut, key
        assert not any(word in stage.rows[-1] for word in ("space", "hold", "lift cap"))
        await stage.press("left", "left", "w", "escape", "end", "v", "escape", "slash", "escape")
    assert path.read_bytes() == before


async def test_a_question_in_a_read_only_session_cannot_be_answered(home: Home) -> None:
    path = await refund_up_to(home, ToolResult, 2)
    opened = opened_session(home, path)
    await opened.run.play()
    opened.close()
    before = path.read_bytes()
    async with reopened(home, path, read_only=True) as stage:
        assert stage.bar_title.startswith("▲ The model wants to run create_refund")
        assert not any(word in stage.rows[-1] for word in ("allow", "deny", "answer"))
        await stage.press("y", "escape")
        assert stage.notice.startswith("this session is read only")
        await stage.press("Y", "y", "escape", "n", "enter")
        assert not any(isinstance(event, Decided) for event in stage.run.events)
    assert path.read_bytes() == before


# ---------------------------------------------------------------- a file that is not whole


async def test_a_torn_end_is_set_aside_and_said(home: Home) -> None:
    path = await refund_up_to(home, ToolResult, 2)
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    async with reopened(home, path) as stage:
        assert stage.sees("Set aside")
        assert stage.kinds[-1] == "tool_started"
    assert path.with_suffix(".toml.torn").exists() or list(path.parent.glob("*torn*"))


async def test_what_is_not_as_it_was_is_said(home: Home) -> None:
    (home.root / "tools").mkdir()
    (home.root / "tools" / "own.py").write_text(TOOLS, encoding="utf-8")
    text = 'goal = "Fall"\nprotocol = "native"\ntools = ["fall_over"]\n[[model.reply]]\ntext = "No."\n'
    opened = opened_scenario(home, write_scenario(home, text))
    await opened.run.play()
    path = opened.session_path
    assert path is not None
    opened.close()
    (home.root / "tools" / "own.py").unlink()
    async with reopened(home, path) as stage:
        assert stage.sees("Not as it was")
        assert stage.sees("fall_over")


# ---------------------------------------------------------------- interrupted calls


async def test_nothing_that_was_started_runs_again_by_itself(home: Home) -> None:
    path = await refund_up_to(home, ToolStarted, 3)
    async with reopened(home, path) as stage:
        assert stage.bar_title.startswith("▲ create_refund had started when the run was interrupted")
        assert stage.sees("Nobody knows whether it took effect.")
        assert stage.sees("▲ waiting for you")
        await stage.press("space", "r", "enter", "escape", "e", "Y")
        assert stage.kinds.count("tool_started") == 3
        assert stage.kinds.count("decided") == 1
        line = stage.key_row
        assert "y run it again" in line
        assert "n tell it: unknown" in line
        assert "a answer for it…" in line
        await stage.press("v")
        assert stage.sees("Interrupted: create_refund")
        await stage.press("escape")


async def test_the_model_can_be_told_that_nobody_knows(home: Home) -> None:
    path = await refund_up_to(home, ToolStarted, 3)
    async with reopened(home, path) as stage:
        drawn = stage.screen.guard._drawn
        assert drawn is not None
        stage.post("n", drawn + 0.1)
        await stage.settle()
        assert stage.notice == "press n again"
        await stage.press("n")
        result = stage.run.events[-1]
        assert isinstance(result, ToolResult)
        assert result.outcome == "unknown"
        assert stage.kinds.count("tool_started") == 3


async def test_it_can_be_run_again_once(home: Home) -> None:
    path = await refund_up_to(home, ToolStarted, 3)
    async with reopened(home, path) as stage:
        await stage.press("y")
        assert stage.kinds[-3:] == ["decided", "tool_started", "tool_result"]
        assert stage.kinds.count("tool_started") == 4


async def test_it_can_be_answered_for(home: Home) -> None:
    path = await refund_up_to(home, ToolStarted, 3)
    async with reopened(home, path) as stage:
        await stage.press("a")
        await stage.type("it was refunded")
        await stage.press("ctrl+s")
        result = stage.run.events[-1]
        assert isinstance(result, ToolResult)
        assert (result.outcome, result.content) == ("answered", "it was refunded")
        assert stage.kinds.count("tool_started") == 3


# ---------------------------------------------------------------- what breaks


class Full:
    """A disk that is full after so many events."""

    def __init__(self, after: int) -> None:
        self.left = after

    def append(self, event: Event, *, sync: bool) -> None:
        self.left -= 1
        if self.left < 0:
            raise OSError(28, "No space left on device [b]")


async def test_a_journal_that_fails_is_said_and_nothing_more_happens(home: Home) -> None:
    opened = with_run(opened_scenario(home, "refund"), journal=Full(2))
    async with staged(opened, home) as stage:
        await stage.press("r")
        assert stage.sees("Nothing more is recorded")
        assert stage.sees("No space left")
        assert stage.sees("[b]")
        assert "not saved any more" in stage.rows[0]
        recorded = stage.kinds
        assert recorded == ["user_message", "model_reply"]
        await stage.press("space")
        assert stage.notice.startswith("nothing more can be recorded")
        await stage.press("c")
        assert stage.kinds == recorded
        await stage.press("left", "end", "w", "escape")
        assert stage.app.screen is stage.screen


async def test_a_journal_that_fails_at_the_first_event_is_said(home: Home) -> None:
    opened = with_run(opened_scenario(home, "refund"), journal=Full(0))
    async with staged(opened, home, play=True) as stage:
        await stage.settle()
        assert stage.sees("Nothing more is recorded")
        assert stage.kinds == []
        await stage.press("left")
        assert stage.notice == "there is nothing earlier yet"


@pytest.mark.parametrize("error", [RuntimeError("[b]oh[/b] \x1b[31m"), BaseException("odd"), SystemExit(3)])
async def test_a_model_that_raises_stops_the_run_and_the_app_lives(home: Home, error: BaseException) -> None:
    opened = opened_scenario(home, "refund")
    opened.run.model = Failing(error)
    async with staged(opened, home) as stage:
        await stage.press("r")
        stopped = stage.run.events[-1]
        assert isinstance(stopped, Stopped)
        assert stopped.status is Status.INTERNAL_ERROR
        assert stage.sees("internal_error")
        assert type(error).__name__ in stage.text
        assert "\x1b" not in stage.text
        await stage.press("left", "end", "w", "escape")
        assert stage.app.screen is stage.screen
        await stage.press("q")
        await stage.settle(lambda: len(stage.app.screen_stack) == 1)


@pytest.mark.parametrize("how", ["KeyError", "Odd", "SystemExit", "KeyboardInterrupt"])
async def test_a_tool_that_raises_stops_the_run_and_its_traceback_is_for_people_only(home: Home, how: str) -> None:
    (home.root / "tools").mkdir()
    (home.root / "tools" / "own.py").write_text(TOOLS, encoding="utf-8")
    text = f"""
goal = "Fall"
protocol = "native"
tools = ["fall_over"]

[[model.reply]]
[[model.reply.call]]
tool = "fall_over"
arguments = {{ how = "{how}" }}
"""
    async with staged(opened_scenario(home, write_scenario(home, text)), home) as stage:
        await stage.press("r")
        assert stage.run.status is Status.TOOL_DEFECT
        assert stage.sees("DEFECT")
        assert not stage.sees("Traceback")
        result: Any = stage.events("tool_result")[0]
        assert how in result.detail
        assert how not in "".join(message.text for message in stage.run.state.messages if message.role == "tool")
        await stage.press("up", "v")
        assert how in stage.text
        await stage.press("escape", "q")
        await stage.settle(lambda: len(stage.app.screen_stack) == 1)


async def test_a_listener_that_raises_does_not_undo_what_happened(home: Home) -> None:
    opened = with_run(opened_scenario(home, "two-cities"), journal=MemoryJournal())
    async with staged(opened, home) as stage:

        def bad(event: Event) -> None:
            raise ValueError("[b]watching")

        stage.run.subscribe(bad)
        await stage.press("r")
        assert stage.run.status is Status.INTERNAL_ERROR
        assert stage.kinds[:2] == ["user_message", "model_reply"]
        assert stage.sees("ValueError")


async def test_a_session_goes_on_where_it_was_left(home: Home) -> None:
    path = await refund_up_to(home, ToolResult, 3)
    async with reopened(home, path) as stage:
        await stage.press("r", "e")
        stage.screen.bar.area.load_text('{"order": "A-1042", "amount": 6.25}')
        await stage.settle()
        await stage.press("ctrl+s")
        assert stage.run.status is Status.ANSWERED
        assert stage.bar_title.startswith("✓ Answered in 4 steps")
        assert stage.sees("Refunded 6.25 for order A-1042.")
    assert read_session(path).events[-1].kind == "stopped"


# ---------------------------------------------------------------- following somebody else


async def test_a_session_that_somebody_else_writes_is_followed(home: Home) -> None:
    whole = await refund_up_to(home, ToolResult, 2)
    events = read_session(whole).events
    path = home.sessions / "live.toml"
    with create_session(path, replace(read_session(whole).header, id="other"), durable=False) as journal:
        journal.append(events[0], sync=False)
        async with reopened(home, path, read_only=True) as stage:
            assert "▶ running elsewhere" in stage.rows[0]
            for event in events[1:]:
                journal.append(event, sync=False)
            await stage.settle(lambda: len(stage.run.events) == len(events))
            assert stage.run.events == events
            assert stage.sees("the next move is made elsewhere …")
            await stage.press("space")
            assert stage.notice == "somebody else makes the moves of this session: here it is only read"
            await stage.press("left")
            assert "◀ past" in stage.rows[0]
            await stage.press("end")
            journal.close()
            await stage.settle(lambda: "elsewhere" not in stage.rows[0])
            assert stage.screen.desk.stand == "paused"


async def test_a_question_that_somebody_else_is_asked_is_not_asked_here(home: Home) -> None:
    path = await refund_up_to(home, ToolResult, 2)
    opened = opened_session(home, path)
    await opened.run.play()
    assert isinstance(opened.run.next, AskPerson)
    async with reopened(home, path, read_only=True) as stage:
        assert "▶ running elsewhere" in stage.rows[0]
        assert stage.bar_title == ""
        opened.close()
        await stage.settle(lambda: stage.bar_title.startswith("▲ The model wants to run create_refund"))


async def test_a_followed_file_that_is_shortened_is_said_and_what_was_read_stays(home: Home) -> None:
    path = await refund_up_to(home, ToolResult, 2)
    async with reopened(home, path, read_only=True) as stage:
        count = len(stage.run.events)
        path.write_bytes(path.read_bytes()[:500])
        await stage.settle(lambda: stage.sees("Not followed any more"))
        assert len(stage.run.events) == count
