from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.places import app_for, make_home, markup_like, press, rows, seen
from tests.tui.settled import settled
from workbench.home import Home
from workbench.tui.app import QuitQuestion, WorkbenchApp
from workbench.tui.dialogs import Confirm, Prompt
from workbench.tui.viewer import Page, RequestViewer, Viewer
from workbench.view.entries import Line, Span


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path)


@asynccontextmanager
async def running(home: Home, size: tuple[int, int] = (120, 40)) -> AsyncIterator[tuple[WorkbenchApp, Pilot[None]]]:
    app = app_for(home)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        yield app, pilot


def lines(*texts: str) -> list[Line]:
    return [(Span(text),) for text in texts]


# ---------------------------------------------------------------- yes or no


async def test_only_y_is_a_yes_and_focus_comes_back(home: Home) -> None:
    async with running(home) as (app, pilot):
        focus = app.focused
        for key, answer in (("y", True), ("n", False), ("q", False), ("enter", False), ("escape", False)):
            answers: list[Any] = []
            app.push_screen(Confirm("Do it?"), answers.append)
            await settled(pilot)
            await press(pilot, "space", "tab", "up", "a")
            assert answers == []
            await press(pilot, key)
            assert answers == [answer]
            assert app.focused is focus


async def test_a_question_says_everything_letter_for_letter_at_every_size(home: Home) -> None:
    async with running(home) as (app, pilot):
        app.push_screen(Confirm("Do [/it]?", "It is [bold]done[/].\nAnd that is that.", yes="do it"))
        for size in ((120, 40), (80, 24), (60, 16), (40, 12)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert "▲ Do [/it]?" in seen(pilot)
            assert "It is [bold]done[/]." in seen(pilot)
            assert rows(pilot)[-1] == " y do it   n enter esc no"


async def test_the_keys_of_a_dialog_can_be_clicked(home: Home) -> None:
    async with running(home) as (app, pilot):
        answers: list[Any] = []
        app.push_screen(Confirm("Sure?"), answers.append)
        await settled(pilot)
        await pilot.click(offset=(3, 39))
        await settled(pilot, lambda: answers == [True])


async def test_ctrl_c_asks_inside_a_dialog_too(home: Home) -> None:
    async with running(home) as (app, pilot):
        answers: list[Any] = []
        app.push_screen(Confirm("Sure?"), answers.append)
        await settled(pilot)
        dialog = app.screen
        await press(pilot, "ctrl+c")
        assert isinstance(app.screen, QuitQuestion)
        await press(pilot, "escape")
        assert app.screen is dialog
        assert answers == []


# ---------------------------------------------------------------- one line of text


async def test_a_line_of_text_is_given_by_enter_and_dropped_by_esc(home: Home) -> None:
    async with running(home) as (app, pilot):
        focus = app.focused
        for keys, answer in ((("y", "q", "enter"), "oldyq"), (("n", "escape"), None)):
            answers: list[Any] = []
            app.push_screen(Prompt("Name it", "old", "any [name]"), answers.append)
            await settled(pilot)
            assert "any [name]" in seen(pilot)
            await press(pilot, *keys)
            assert answers == [answer]
            assert app.focused is focus


# ---------------------------------------------------------------- a long text


async def test_a_text_of_thousands_of_lines_scrolls_is_copied_and_closes(home: Home) -> None:
    body = lines(*(f"line {n}" for n in range(5000)))
    async with running(home) as (app, pilot):
        focus = app.focused
        for key in ("escape", "q", "v"):
            app.push_screen(Viewer((Span("[b]Title", bold=True),), body, facts="[5] lines"))
            await settled(pilot)
            assert rows(pilot)[0].strip().startswith("[b]Title")
            assert rows(pilot)[0].endswith("[5] lines")
            assert "line 0" in rows(pilot)[2]
            await press(pilot, "down", "down", "up")
            assert "line 1" in rows(pilot)[2]
            await press(pilot, "pagedown")
            assert "line 37" in rows(pilot)[2]
            await press(pilot, "end")
            assert "line 4999" in seen(pilot)
            await press(pilot, "home", "C")
            assert app.clipboard == "\n".join(f"line {n}" for n in range(5000))
            await press(pilot, key)
            assert app.focused is focus


async def test_a_text_is_shown_letter_for_letter_at_every_size(home: Home) -> None:
    async with running(home) as (app, pilot):
        app.push_screen(Viewer((Span("a\x1b[31m\nb"),), lines(*markup_like(), "\x1b[2Jx")))
        for size in ((120, 40), (80, 24), (60, 16), (40, 12)):
            await pilot.resize_terminal(*size)
            await press(pilot, "home")
            text = seen(pilot)
            await press(pilot, "end")
            text += seen(pilot)
            assert "a␛[31m b" in text
            assert "[bold]not bold" in text
            assert "␛[2Jx" in text
            assert "\x1b" not in text


async def test_requests_are_made_when_they_are_looked_at_and_turn_by_arrows(home: Home) -> None:
    made: list[int] = []

    def page(number: int) -> Page:
        made.append(number)
        return (Span(f"Request {number}"),), lines(*(f"{number}.{n}" for n in range(100)))

    async with running(home) as (app, pilot):
        app.push_screen(RequestViewer([partial(page, number) for number in range(3)], 7))
        await settled(pilot)
        assert "Request 2" in seen(pilot)
        await press(pilot, "end", "left")
        assert "Request 1" in seen(pilot)
        assert "1.0" in rows(pilot)[2]
        await press(pilot, "left", "left", "right")
        assert "Request 1" in seen(pilot)
        assert made == [2, 1, 0, 1]
        await press(pilot, "w")
        assert not isinstance(app.screen, Viewer)
