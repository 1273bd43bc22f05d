from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.tui.run.stage import Stage, opened_scenario, opened_session, staged
from workbench.core.events import Decided, ModelReply
from workbench.core.state import State, fold
from workbench.home import Home
from workbench.opening import Opened
from workbench.tui.run.fields.replies import ForkText
from workbench.tui.run.frame import SideColumn
from workbench.view.meters import budget
from workbench.view.panes import calls
from workbench.view.timeline import Timeline

CONTRADICTS = ("y", "n", "a", "Y", "h", "c", "plus", "m", "x")
"""Keys that would change the run; the past takes them off."""


async def played(home: Home) -> Opened:
    """A refund to its end: a result held, a call denied, one edited, answered. As it is opened from its file."""
    opened = opened_scenario(home, "refund")
    run = opened.run
    await run.advance()
    run.change({"hold": True})
    await run.play()
    run.release("c1")
    run.change({"hold": False})
    await run.play()
    run.decide("c3", "deny", reason="not yet")
    await run.play()
    run.decide("c4", "edit", arguments='{"order": "A-1042", "amount": 6.25}')
    await run.play()
    assert run.state.answer is not None
    path = opened.session_path
    assert path is not None
    opened.close()
    return opened_session(home, path)


@asynccontextmanager
async def at_the_end(home: Home, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Stage]:
    async with staged(await played(home), home, size=size) as stage:
        yield stage


def same(a: State, b: State) -> bool:
    """Whether two states are the same in everything that can be read of them."""
    names = [name for name in State.__slots__ if not name.startswith("_") and name != "protocol"]
    return all(getattr(a, name) == getattr(b, name) for name in names)


async def test_every_event_looks_as_it_did_when_it_was_the_latest(home: Home) -> None:
    """Meters, calls and transcript, against a fold of the events up to there and nothing else."""
    async with at_the_end(home) as stage:
        events, header = list(stage.run.events), stage.run.header
        order = [*range(len(events) - 1, 0, -1), *range(2, len(events))]
        for n in order:
            await stage.press("left" if n < stage.screen.desk.state.n else "right")
            state = fold(header, events[:n])
            assert stage.screen.desk.state.n == n
            assert same(stage.screen.desk.state, state), n
            assert f"◀ past: event {n} of {len(events)}" in stage.rows[0]
            assert f"You are looking at event {n} of {len(events)}" in stage.bar_title
            flow, alone = stage.transcript.flow, Timeline(events[:n], state)
            assert flow.count == len(alone)
            for index in range(flow.count):
                layout = flow.layout(index)
                assert layout is not None
                assert layout.entry == alone.entry(index), (n, index)
                assert layout.height == flow.height(index), (n, index)
            side = stage.screen.query_one(SideColumn)
            width = side.content_region.width
            assert side.budget.lines == budget(state, width), n
            assert side.calls.lines == calls(state, width, selected=picked(side), running=True)[0], n
        await stage.press("right")
        assert not stage.screen.desk.looking_back
        assert stage.sees("✓ answered")


def picked(side: SideColumn) -> str:
    """The call that is marked in the list."""
    row = next((line for line in side.calls.lines or [] if line[0].text.startswith("▸")), ())
    return f"c{row[1].text.strip()}" if row else ""


async def test_whole_steps_and_the_ends(home: Home) -> None:
    async with at_the_end(home) as stage:
        events = stage.run.events
        replies = [n for n, event in enumerate(events, 1) if isinstance(event, ModelReply)]
        for n in reversed(replies):
            await stage.press("shift+left")
            assert stage.screen.desk.state.n == n
        await stage.press("shift+left")
        assert stage.screen.desk.state.n == 1
        await stage.press("left")
        assert stage.screen.desk.state.n == 1
        for n in replies:
            await stage.press("shift+right")
            assert stage.screen.desk.state.n == n
        await stage.press("end")
        assert not stage.screen.desk.looking_back
        await stage.press("right")
        assert stage.notice == "this is now: there is nothing later"
        await stage.press("left", "escape")
        assert not stage.screen.desk.looking_back


async def test_space_goes_forward_and_stops_at_now(home: Home) -> None:
    async with at_the_end(home) as stage:
        before = len(stage.run.events)
        await stage.press("left", "left", "space")
        assert stage.screen.desk.state.n == before - 1
        await stage.press("space")
        assert not stage.screen.desk.looking_back
        assert len(stage.run.events) == before


async def test_r_plays_the_past_up_to_now(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.tui.run.looking_back.PLAY_EVERY", 0.005)
    async with at_the_end(home) as stage:
        before = len(stage.run.events)
        await stage.press(*["left"] * 4)
        await stage.send("r")
        await stage.reach(lambda: not stage.screen.desk.looking_back)
        await stage.settle(lambda: stage.screen.looking_back.playing is None)
        assert len(stage.run.events) == before
        assert stage.sees("✓ answered")


async def test_a_question_of_the_past_is_shown_as_it_was_and_cannot_be_decided(home: Home) -> None:
    async with at_the_end(home) as stage:
        asked = next(
            n for n, event in enumerate(stage.run.events) if isinstance(event, Decided) and event.by == "person"
        )
        before = list(stage.run.events)
        while stage.screen.desk.state.n != asked:
            await stage.press("left")
        assert stage.sees("▲ waiting for you")
        for key in CONTRADICTS:
            await stage.press(key)
            assert stage.notice == "this is the past: end goes back to now", key
        await stage.press("e")
        assert stage.opens(ForkText), "what was said can be another thing in a fork, and only there"
        await stage.press("escape")
        assert stage.screen.bar.question is not None
        await stage.press("v", "escape")
        assert stage.screen.desk.state.n == asked
        assert stage.run.events == before
        line = stage.key_row
        assert not any(f"{key} {word}" in line for key, word in (("y", "allow"), ("n", "deny"), ("x", "stop")))
        await stage.press("escape")
        assert not stage.screen.desk.looking_back
        assert stage.run.events == before


async def test_a_question_that_waits_now_is_asked_again_after_the_past(home: Home) -> None:
    async with staged(opened_scenario(home, "refund"), home) as stage:
        await stage.press("r", "left", "y")
        assert stage.notice == "this is the past: end goes back to now"
        await stage.press("end")
        assert stage.bar_title.startswith("▲ The model wants to run create_refund")
        await stage.press("y")
        assert [event.by for event in stage.run.events if isinstance(event, Decided)] == ["person"]


async def test_a_click_leads_the_same_way(home: Home) -> None:
    async with at_the_end(home) as stage:
        await stage.press("left")
        row = stage.app.size.height - 1
        await stage.pilot.click(offset=(stage.rows[row].index("←"), row))
        await stage.settle()
        assert stage.screen.desk.state.n == len(stage.run.events) - 2
        await stage.pilot.click(offset=(stage.rows[row].index("end now"), row))
        await stage.settle()
        assert not stage.screen.desk.looking_back


async def test_there_is_nothing_before_the_first_event(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("left")
        assert stage.notice == "there is nothing earlier yet"
        assert not stage.screen.desk.looking_back


@pytest.mark.parametrize("size", [(80, 24), (60, 16), (40, 12)])
async def test_the_past_is_unmistakable_at_any_size(home: Home, size: tuple[int, int]) -> None:
    async with at_the_end(home, size) as stage:
        await stage.press(*["left"] * 6)
        assert f"◀ past: event {len(stage.run.events) - 6} of" in stage.rows[0]
        assert "◀ You are looking at event" in stage.text
        assert stage.key_row.strip().startswith("← → event")
