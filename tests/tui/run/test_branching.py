"""Forks and other models at the keyboard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.tui.run.models import Paced
from tests.tui.run.stage import Stage, opened_scenario, opened_session, staged, with_run, write_scenario
from workbench.core.events import Decided, Forked, ModelReply, SettingsChanged, ToolResult
from workbench.core.statuses import Status
from workbench.home import Home
from workbench.sessions.journal import read_session
from workbench.tui.choose import Choose
from workbench.tui.run.fields.replies import ForkText, WriteReply
from workbench.tui.run.fork import ForkQuestion

MODELS = """
[[model]]
name = "local"
wire = "openai"
model = "small"
base_url = "http://127.0.0.1:9/v1"
prices = { input = 0.0, output = 0.0 }

[[model]]
name = "keyless"
wire = "anthropic"
model = "large"
"""


@asynccontextmanager
async def answered(home: Home, scenario: str = "two-cities", size: tuple[int, int] = (120, 40)) -> AsyncIterator[Stage]:
    """A run that has come to its end."""
    async with staged(opened_scenario(home, scenario), home, size=size) as stage:
        await stage.press("r")
        assert stage.run.status is Status.ANSWERED
        yield stage


@asynccontextmanager
async def three_done(home: Home) -> AsyncIterator[Stage]:
    """A run that has refunded, written a mail, and closed a ticket: all of it was allowed."""
    async with staged(opened_scenario(home, "batch-three-decisions"), home) as stage:
        await stage.press("r", "y", "y", "y")
        assert stage.run.status is Status.ANSWERED
        yield stage


async def gone_to(stage: Stage, path: Path | None) -> None:
    """Until the screen is that of another session."""
    await stage.settle(lambda: stage.screen.opened.session_path != path)


async def test_enter_forks_and_the_screen_is_that_of_the_fork(home: Home) -> None:
    async with answered(home) as stage:
        parent = stage.screen.opened.session_path
        assert parent is not None
        before = parent.read_bytes()
        await stage.press(*["left"] * 5, "F")
        assert isinstance(stage.app.screen, ForkQuestion)
        assert stage.sees("◀ Fork at event 4 of 9   lookup_population returned")
        assert stage.sees("A new session from here. This one stays as it is.")
        assert stage.sees("After event 4: nothing but reading was done")
        await stage.press("enter")
        await gone_to(stage, parent)
        assert [event.kind for event in stage.run.events[4:]] == ["forked"]
        assert parent.read_bytes() == before
        assert stage.rows[0].startswith(" Two cities, from event 4")
        assert stage.sees("forked from Two cities at event 4")
        await stage.press("r")
        assert stage.run.state.answer == "11800000"


async def test_r_forks_and_runs(home: Home) -> None:
    async with answered(home) as stage:
        parent = stage.screen.opened.session_path
        await stage.press(*["left"] * 5, "F", "r")
        await gone_to(stage, parent)
        assert stage.run.status is Status.ANSWERED
        assert any(isinstance(event, Forked) for event in stage.run.events)


async def test_esc_makes_nothing(home: Home) -> None:
    async with answered(home) as stage:
        await stage.press("F", "escape")
        assert len(list(home.sessions.glob("*.toml"))) == 1
        assert not isinstance(stage.app.screen, ForkQuestion)


async def test_the_picked_entry_is_the_place_and_the_last_one_is_now(home: Home) -> None:
    async with answered(home) as stage:
        await stage.press("F")
        assert stage.sees("◀ Fork at event 9 of 9")
        await stage.press("escape", "home", "F")
        assert stage.sees("◀ Fork at event 1 of 9   the user spoke")


async def test_what_cannot_be_undone_is_said_first_and_asked_about_in_the_fork(home: Home) -> None:
    async with three_done(home) as stage:
        parent = stage.screen.opened.session_path
        await stage.press("home", "down", "F")
        first = stage.row_of("After event 2: 3 calls really acted; 1 cannot be undone")
        assert "✗ cannot be undone    send_email" in stage.rows[first + 1]
        assert stage.sees("▲ asked about again   create_refund")
        assert stage.sees("✓ undone              set_ticket_status")
        await stage.press("enter")
        await gone_to(stage, parent)
        assert stage.bar_title.startswith("▲ The model wants to run 3 tools")
        assert stage.sees("Asked because this is done already, in “")
        await stage.press("a")
        assert stage.screen.bar.area.text == "Refunded 6.25 for order A-1042."
        await stage.press("ctrl+s")
        (decided,) = [event for event in stage.run.events if isinstance(event, Decided)]
        assert (decided.decision, decided.answer) == ("answer", "Refunded 6.25 for order A-1042.")


async def test_a_fork_gets_a_name_and_another_model(home: Home) -> None:
    async with answered(home) as stage:
        parent = stage.screen.opened.session_path
        await stage.press(*["left"] * 5, "F", "A")
        assert isinstance(stage.app.screen, Choose)
        await stage.press("2")
        assert stage.sees("model  human")
        await stage.press("s", "ctrl+u")
        await stage.type("By hand")
        await stage.press("enter")
        assert stage.sees("name   By hand")
        await stage.press("enter")
        await gone_to(stage, parent)
        assert stage.rows[0].startswith(" By hand   text · human model")
        assert stage.sees("you are the model from here on")
        assert stage.opens(WriteReply)
        await stage.type("ANSWER: 7")
        await stage.press("ctrl+s")
        assert stage.run.state.answer == "7"


async def test_a_result_gets_another_text_in_a_fork_at_once_where_nothing_was_done(home: Home) -> None:
    async with answered(home) as stage:
        parent = stage.screen.opened.session_path
        await stage.press("home", "down", "down", "e")
        assert stage.bar_title.startswith("◀ Fork with another result")
        assert stage.screen.bar.area.text == "2100000"
        await stage.press("f7")
        await stage.type("5")
        await stage.press("ctrl+s")
        await gone_to(stage, parent)
        (result,) = [event for event in stage.run.events if isinstance(event, ToolResult)]
        assert (result.content, result.original, result.changed_by) == ("5", "2100000", "you")
        assert stage.sees("≠ changed by you, was 2100000")


async def test_another_text_is_asked_about_where_something_was_done_after_it(home: Home) -> None:
    async with three_done(home) as stage:
        await stage.press("home", "e")
        await stage.type(" Now.")
        await stage.press("ctrl+s")
        assert isinstance(stage.app.screen, ForkQuestion)
        assert stage.sees("◀ Fork at event 1 of")
        assert stage.sees(", with another message")
        assert stage.sees("✗ cannot be undone    send_email")


async def test_another_reply_is_judged_while_it_is_typed(home: Home) -> None:
    async with three_done(home) as stage:
        await stage.press("home", "down", "e")
        assert stage.sees("✓ 3 calls of create_refund, send_email, set_ticket_status")
        await stage.press("f7")
        await stage.type('{"calls": [')
        await stage.press("ctrl+s")
        assert "line 1, column" in stage.notice
        assert stage.opens(ForkText)
        await stage.press("f7")
        await stage.type("Done already.")
        assert stage.sees("✓ an answer ends the run")


async def test_nothing_is_given_another_text_that_has_none(home: Home) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("c", "e")
        assert stage.notice == "a fork can have another message, reply or result: pick one first"


async def test_while_the_run_goes_it_is_paused_first(home: Home) -> None:
    opened = opened_scenario(home, "two-cities")
    model = Paced(opened.run.model)
    async with staged(with_run(opened, model=model), home) as stage:
        await stage.send("r")
        for key in ("F", "e", "A"):
            await stage.send(key)
            assert stage.notice == "the run is going: r pauses it", key
        model.go()
        await stage.send("x")


async def test_a_session_that_is_only_read_can_be_forked(home: Home) -> None:
    async with answered(home) as stage:
        path = stage.screen.opened.session_path
    assert path is not None
    async with staged(opened_session(home, path, read_only=True), home) as stage:
        await stage.press(*["left"] * 5, "F", "r")
        await gone_to(stage, path)
        assert stage.run.state.answer == "11800000"
        assert not stage.screen.opened.read_only


async def test_a_loop_of_the_museum_says_that_it_cannot(home: Home) -> None:
    async with staged(opened_scenario(home, "museum-v1"), home) as stage:
        await stage.press("r", "F", "enter")
        assert stage.sees("cannot go on from the middle")
        assert stage.run.events


# ---------------------------------------------------------------- another model


async def test_the_picker_lists_what_there_is_and_what_each_lacks(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    home.models.write_text(MODELS)
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("A")
        rows = "\n".join(" ".join(row.split()) for row in stage.rows)
        assert "1 scripted the scenario's own" in rows
        assert "2 human you write each reply" in rows
        assert "3 local openai:small at http://127.0.0.1:9/v1" in rows
        assert "4 keyless no key: set ANTHROPIC_API_KEY" in rows
        assert "5 another… WIRE:NAME" in rows


async def test_another_model_is_asked_from_here_on_and_back(home: Home) -> None:
    home.models.write_text(MODELS)
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("space", "A", "3")
        assert stage.notice == "asks small from here on"
        assert "small" in stage.rows[0]
        assert stage.sees("asks small from here on (local)")
        await stage.press("A", "1", "r")
        assert stage.run.state.answer == "11800000"
        changed = [event for event in stage.run.events if isinstance(event, SettingsChanged)]
        assert [event.changes["model"]["use"] for event in changed] == ["local", "scripted"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("openai:tiny http://127.0.0.1:9/v1", "asks tiny from here on"),
        ("nonsense", "there is no model"),
        ("openai", "needs the model's name"),
    ],
)
async def test_any_other_model_is_typed(home: Home, typed: str, said: str) -> None:
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("A", "3")
        await stage.type(typed)
        await stage.press("enter")
        assert said in stage.notice
        assert (stage.run.state.model.name == "tiny") is said.startswith("asks")


async def test_the_script_of_another_file_is_typed_and_said_from_its_first_line(home: Home) -> None:
    write_scenario(home, SCRIPT)
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press(*["space"] * 4, "A", "3")
        await stage.type("own.toml")
        await stage.press("enter")
        assert stage.notice == "asks the script own from here on"
        await stage.press("r")
        replies = [event.text for event in stage.run.events if isinstance(event, ModelReply)]
        assert [len(replies), replies[-1]] == [3, "ANSWER: first"]


async def test_a_file_of_models_that_cannot_be_read_is_said(home: Home) -> None:
    home.models.write_text("[[model]]\nname = 5\n")
    async with staged(opened_scenario(home, "two-cities"), home) as stage:
        await stage.press("A")
        assert not isinstance(stage.app.screen, Choose)
        assert stage.sees("models.toml")


async def test_in_the_past_and_read_only_the_model_stays(home: Home) -> None:
    async with answered(home) as stage:
        path = stage.screen.opened.session_path
        await stage.press("left", "A")
        assert stage.notice == "this is the past: end goes back to now"
    assert path is not None
    async with staged(opened_session(home, path, read_only=True), home) as stage:
        await stage.press("A")
        assert stage.notice.startswith("this session is read only")
        assert not isinstance(stage.app.screen, Choose)
    assert not any(isinstance(event, SettingsChanged) for event in read_session(path).events)


async def test_replies_from_elsewhere_keep_their_place_in_the_script(home: Home) -> None:
    path = write_scenario(home, SCRIPT)
    async with staged(opened_scenario(home, path), home) as stage:
        await stage.press("A", "2")
        await stage.type("ACTION: add {}")
        await stage.press("ctrl+s", "escape", "A", "1", "r")
        replies = [event.text for event in stage.run.events if isinstance(event, ModelReply)]
        assert replies == ["ACTION: add {}", "ANSWER: second"]


SCRIPT = """
title = "Two"
goal = "Go"
protocol = "text"
tools = ["add"]

[[model.reply]]
text = "ANSWER: first"

[[model.reply]]
text = "ANSWER: second"
"""
