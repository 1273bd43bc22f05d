from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from tests.tui.places import DATA, add_script, add_session, app_for, make_home, markup_like, press, rows, seen, words
from tests.tui.settled import settled
from workbench.core.events import ModelReply, UserMessage
from workbench.core.statuses import Status
from workbench.home import Home
from workbench.sessions.journal import open_session
from workbench.tui.home.lists import ItemList
from workbench.tui.home.rows import columns_of, fitted, name_of, title_row
from workbench.tui.home.screen import HomeScreen
from workbench.tui.opener import Opener
from workbench.view.entries import line_text
from workbench.view.folders import Shelf
from workbench.view.query import EVERYTHING
from workbench.view.shelf import OUTCOMES, Item

SIZES = [(120, 40), (80, 24), (60, 16), (40, 12)]
ESCAPES = "\x1b]0;owned\x07\x1b[31mred\u202egnp\x9b2J"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path)


@asynccontextmanager
async def running(home: Home, size: tuple[int, int] = (120, 40)) -> AsyncIterator[tuple[HomeScreen, Pilot[None]]]:
    """Home, at rest."""
    app = app_for(home)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        assert isinstance(app.screen, HomeScreen)
        yield app.screen, pilot
        assert app.failures == []


def top(pilot: Pilot[None]) -> Screen[Any]:
    return pilot.app.screen


def picked(column: ItemList) -> str:
    return column.item.title if column.item is not None else ""


# ---------------------------------------------------------------- what is there


async def test_a_first_start_picks_the_tour_and_says_what_to_press(home: Home) -> None:
    add_script(home, "a", "Approval first by name", tag="approval")
    add_script(home, "tour", "A short tour", tag="zoo")
    async with running(home) as (screen, pilot):
        assert picked(screen.shelves.scripts.list) == "A short tour"
        assert pilot.app.focused is screen.shelves.scripts.list
        assert "enter opens the tour; space makes each move" in seen(pilot)


async def test_the_hint_goes_when_it_is_about_another_script(home: Home) -> None:
    add_script(home, "tour")
    add_script(home, "other")
    async with running(home) as (screen, pilot):
        await press(pilot, "down" if screen.shelves.scripts.list.cursor == 0 else "up")
        assert "enter opens the tour" not in seen(pilot)


async def test_which_list_the_keys_are_about_can_be_seen_without_colour(home: Home) -> None:
    add_script(home, "a", "The script")
    add_session(home, "s", title="The session")
    async with running(home) as (_, pilot):
        assert "▸ The script" in seen(pilot)
        assert "▹ The session" in seen(pilot)
        await press(pilot, "right")
        assert "▹ The script" in seen(pilot)
        assert "▸ The session" in seen(pilot)


async def test_figures_take_only_the_room_they_need(home: Home) -> None:
    title = "A session with a rather long title"
    add_session(home, "s", title=title)
    async with running(home) as (_, pilot):
        assert title in seen(pilot)


async def test_whoever_has_run_something_is_not_told_where_to_begin(home: Home) -> None:
    add_script(home, "tour")
    add_session(home, "s")
    async with running(home) as (_, pilot):
        assert "makes each move" not in seen(pilot)


async def test_an_empty_home_says_so(home: Home) -> None:
    async with running(home) as (_, pilot):
        assert "no scripts yet" in seen(pilot)
        assert "no sessions yet" in seen(pilot)
        await press(pilot, "enter", "x")
        assert "nothing is picked" in seen(pilot)


@pytest.mark.parametrize("size", SIZES)
async def test_both_lists_can_be_reached_and_read_at_every_size(home: Home, size: tuple[int, int]) -> None:
    add_script(home, "a", "The only script")
    add_session(home, "s", title="The only session", at=time.time() - 7300)
    async with running(home, size) as (screen, pilot):
        narrow = size[0] < 100
        assert "The only script" in seen(pilot)
        assert ("The only session" in seen(pilot)) is not narrow
        for key in ("tab", "shift+tab", "right"):
            await press(pilot, key)
        line = next(row for row in rows(pilot) if "The only sess" in row)
        assert "✓ answered" in line
        assert ("2 steps" in line) is (size[0] > 40)
        assert pilot.app.focused is screen.shelves.sessions.list
        assert ("The only script" in seen(pilot)) is not narrow
        await press(pilot, "left")
        assert pilot.app.focused is screen.shelves.scripts.list


async def test_bad_files_say_why_and_open_nothing(home: Home) -> None:
    add_script(home, "good", "Good script")
    add_session(home, "good", title="Good session")
    (home.root / "scripts" / "bad.toml").write_bytes((DATA / "toml" / "duplicate-key.toml").read_bytes())
    (home.sessions / "bad.toml").write_text("format = 99\n")
    async with running(home) as (screen, pilot):
        text = seen(pilot)
        assert "Good script" in text
        assert "Good session" in text
        assert "is given twice" in text
        await press(pilot, "right", "end", "enter")
        assert top(pilot) is screen
        assert "✗ bad.toml: session format 99 is not known here" in words(pilot)
        await press(pilot, "escape")
        assert not any(row.startswith(" ✗ bad.toml: session") for row in rows(pilot))


async def test_titles_are_shown_letter_for_letter(home: Home) -> None:
    hostile = [*markup_like(), ESCAPES]
    for index, text in enumerate(hostile):
        add_script(home, f"a{index}", text, text)
        add_session(home, f"s{index}", title=text)
    async with running(home, (160, 60)) as (screen, pilot):
        text = seen(pilot)
        for each in markup_like():
            assert text.count(each[:40]) >= 3
        assert "␛]0;owned␇␛[31mred⟨U+202E⟩gnp⟨U+009B⟩2J" in text
        assert not set(text) & set("\x1b\x07\x9b\u202e")
        await press(pilot, "right", "home", "x")
        assert "Delete " in seen(pilot)
        await press(pilot, "n")
        assert top(pilot) is screen


async def test_forks_are_indented_below_their_parent(home: Home) -> None:
    now = time.time()
    add_session(home, "parent", title="Parent", at=now - 500)
    add_session(home, "fork", title="Fork", parent="parent", at=now)
    async with running(home) as (_, pilot):
        at = next(row for row, text in enumerate(rows(pilot)) if "Parent" in text)
        parent, fork = rows(pilot)[at : at + 2]
        assert fork.index("└ Fork") == parent.index("Parent")


# ---------------------------------------------------------------- filter


async def test_the_filter_narrows_both_lists_while_letters_type(home: Home) -> None:
    for name in ("mug", "cities", "quarks"):
        add_script(home, name, f"About {name}")
        add_session(home, name, title=f"Run of {name}")
    async with running(home) as (screen, pilot):
        await press(pilot, "slash", "q", "u", "a")
        assert [item.title for item in screen.shelves.scripts.list.items] == ["About quarks"]
        assert [item.title for item in screen.shelves.sessions.list.items] == ["Run of quarks"]
        assert "1 of 3" in seen(pilot)
        await press(pilot, "x", "r")
        assert "nothing holds quaxr" in seen(pilot)
        await press(pilot, "backspace", "backspace", "backspace", "backspace", "backspace", "up")
        assert picked(screen.shelves.scripts.list) == "About mug"
        await press(pilot, "tab")
        assert pilot.app.focused is screen.shelves.scripts.list
        await press(pilot, "escape")
        assert not screen.query(Input)
        assert len(screen.shelves.scripts.list.items) == 3
        await press(pilot, "slash", "m")
        assert picked(screen.shelves.scripts.list) == "About mug"
        await press(pilot, "escape")
        assert pilot.app.focused is screen.shelves.scripts.list


async def test_nothing_is_said_any_more_of_what_the_filter_had_hidden(home: Home) -> None:
    add_script(home, "a")
    async with running(home) as (_, pilot):
        await press(pilot, "slash", "z", "z", "enter")
        assert "nothing is picked" in seen(pilot)
        await press(pilot, "escape")
        assert "nothing is picked" not in seen(pilot)


async def test_the_keys_go_to_the_list_in_which_something_was_found(home: Home) -> None:
    add_script(home, "a", "Apple")
    add_session(home, "s", title="Zebra")
    async with running(home) as (screen, pilot):
        await press(pilot, "slash", "z", "e")
        assert screen.shelves.active is screen.shelves.sessions
        assert isinstance(pilot.app.focused, Input)


async def test_whoever_comes_back_from_what_was_found_is_on_the_list(home: Home) -> None:
    add_script(home, "tour", "Zebra")
    async with running(home) as (screen, pilot):
        await press(pilot, "slash", "z", "enter")
        await press(pilot, "q")
        assert top(pilot) is screen
        assert pilot.app.focused is screen.shelves.scripts.list


async def test_the_filter_opens_what_it_found(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[Path, bool]] = []
    monkeypatch.setattr(Opener, "scenario", lambda _, path, *, play=False: opened.append((path, play)))
    add_script(home, "a")
    path = add_script(home, "b", "Zebra")
    async with running(home) as (_, pilot):
        await press(pilot, "slash", "z", "e", "enter")
        assert opened == [(path, False)]


async def test_the_filter_finds_sessions_by_what_was_said_called_and_came_of_it(home: Home) -> None:
    add_script(home, "a", "Two cities")
    add_session(home, "cities", title="Cities")
    add_session(
        home, "mugs", title="Mugs", events=[UserMessage(text="How many mugs?"), ModelReply(text="None", cost=0.5)]
    )
    async with running(home) as (screen, pilot):

        async def found(text: str) -> list[str]:
            await press(pilot, "slash")
            screen.query_one(Input).value = text
            await settled(pilot)
            return [item.title for item in screen.shelves.sessions.list.items]

        assert await found("lima") == ["Cities"]
        assert await found("tool:look") == ["Cities"]
        assert screen.shelves.active is screen.shelves.sessions
        assert isinstance(pilot.app.focused, Input)
        assert await found("cost>0.1") == ["Mugs"]
        assert [item.title for item in screen.shelves.scripts.list.items] == ["Two cities"]
        assert await found("-status:answered many") == ["Mugs"]
        assert await found("statos:answered Cities") == ["Cities"]
        assert "there is no filter statos; did you mean status?" in seen(pilot)
        assert await found("status:answered") == ["Cities"]
        assert "there is no filter" not in seen(pilot)
        add_session(home, "more", title="More", at=time.time() + 5)
        screen.shelves.read_again()
        await settled(pilot)
        assert [item.title for item in screen.shelves.sessions.list.items] == ["More", "Cities"]
        await press(pilot, "escape")
        assert len(screen.shelves.sessions.list.items) == 3


async def test_what_was_typed_just_before_the_filter_closed_changes_nothing(home: Home) -> None:
    add_session(home, "a")
    async with running(home) as (screen, pilot):
        await press(pilot, "slash")
        field = screen.query_one(Input)
        await press(pilot, "escape")
        screen.post_message(Input.Changed(field, "nowhere"))
        await settled(pilot)
        assert len(screen.shelves.sessions.list.items) == 1


async def test_enter_waits_for_what_the_filter_finds(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(Opener, "session", lambda _, path, *, play=False: opened.append(path.stem))
    for name, text in (("new", "Lima"), ("old", "a needle")):
        add_session(home, name, title="Run", events=[UserMessage(text=text)], at={"new": 2000, "old": 1000}[name])
    async with running(home) as (screen, pilot):
        await press(pilot, "right", "slash")
        screen.query_one(Input).value = "needle"
        pilot.app.post_message(events.Key("enter", None))
        await settled(pilot)
        assert opened == ["old"]


async def test_sessions_that_are_known_are_shown_before_anything_is_read(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = replace(home, index=tmp_path / "index")
    add_session(home, "a", title="Known from before")
    async with running(home):
        pass
    shown: list[int] = []
    app = app_for(home)

    def look(_: Shelf) -> None:
        assert isinstance(app.screen, HomeScreen)
        shown.append(len(app.screen.shelves.sessions.list.items))

    monkeypatch.setattr(Shelf, "read_scripts", look)
    monkeypatch.setattr("workbench.sessions.gist.gist", lambda _: pytest.fail("it was read again"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert shown[0] == 1
        assert "Known from before" in seen(pilot)


# ---------------------------------------------------------------- opening and deleting


async def test_enter_opens_r_runs_and_two_clicks_open(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[str, bool]] = []
    monkeypatch.setattr(Opener, "scenario", lambda _, path, *, play=False: opened.append((path.stem, play)))
    monkeypatch.setattr(Opener, "session", lambda _, path, *, play=False: opened.append((path.stem, play)))
    add_script(home, "a")
    add_script(home, "b")
    add_session(home, "s")
    async with running(home) as (screen, pilot):
        await press(pilot, "enter", "j", "r", "right", "enter")
        assert opened == [("a", False), ("b", True), ("s", False)]
        await pilot.click(screen.shelves.scripts.list, offset=(5, 3))
        await settled(pilot)
        assert pilot.app.focused is screen.shelves.scripts.list
        assert picked(screen.shelves.scripts.list) == "Two cities"
        await pilot.click(screen.shelves.scripts.list, offset=(5, 1), times=2)
        await settled(pilot)
        assert opened[3:] == [("a", False)]


async def test_a_session_is_deleted_only_by_yes(home: Home) -> None:
    path = add_session(home, "s", title="Old one")
    add_session(home, "t", title="Other one", at=1000)
    async with running(home) as (screen, pilot):
        await press(pilot, "right", "x")
        assert "Delete Old one?" in seen(pilot)
        for no in ("n", "escape", "enter"):
            await press(pilot, no)
            assert top(pilot) is screen
            assert pilot.app.focused is screen.shelves.sessions.list
            assert path.exists()
            await press(pilot, "x")
        await press(pilot, "y")
        assert not path.exists()
        assert [item.title for item in screen.shelves.sessions.list.items] == ["Other one"]
        assert "deleted Old one" in seen(pilot)
        assert pilot.app.focused is screen.shelves.sessions.list


def add_family(home: Home) -> list[Path]:
    """A session, a fork of it, a fork of that, and one that has nothing to do with them."""
    return [
        add_session(home, "a", title="Parent", at=1000),
        add_session(home, "b", title="Fork", parent="a", root="a", at=2000),
        add_session(home, "c", title="Fork of fork", parent="b", root="a", at=3000),
        add_session(home, "d", title="Alone", at=500),
    ]


async def test_forks_are_a_tree_and_what_becomes_of_them_is_said_before_their_parent_goes(home: Home) -> None:
    _, fork, *_ = add_family(home)
    async with running(home) as (screen, pilot):
        await press(pilot, "right")
        shown = seen(pilot)
        assert "▸ Parent" in shown
        assert "  └ Fork  " in shown
        assert "    └ Fork of fork" in shown
        await press(pilot, "down", "x")
        assert "Delete Fork? A fork was made from it." in seen(pilot)
        assert "they stay whole, and move up in the list" in words(pilot)
        for no in ("n", "escape", "enter"):
            await press(pilot, no)
            assert fork.exists()
            await press(pilot, "x")
        await press(pilot, "y")
        assert not fork.exists()
        assert [(item.title, item.depth) for item in screen.shelves.sessions.list.items] == [
            ("Parent", 0),
            ("Fork of fork", 1),
            ("Alone", 0),
        ]


async def test_a_whole_branch_is_deleted_also_what_a_filter_hides(home: Home) -> None:
    *family, alone = add_family(home)
    async with running(home) as (_, pilot):
        await press(pilot, "right", "slash", *"parent", "tab", "x")
        assert "2 forks were made from it." in seen(pilot)
        await press(pilot, "b")
        assert "deleted Parent and 2 forks" in seen(pilot)
        assert not any(path.exists() for path in family)
        assert alone.exists()


async def test_a_session_gets_another_name(home: Home) -> None:
    (home.packaged / "sessions").mkdir()
    add_script(home, "a")
    add_session(home, "theirs").rename(home.packaged / "sessions" / "theirs.toml")
    path = add_session(home, "s", title="Old name")
    async with running(home) as (screen, pilot):
        await press(pilot, "s")
        assert "a script is named in its file" in seen(pilot)
        await press(pilot, "right", "s")
        assert "Name this session" in seen(pilot)
        await press(pilot, "ctrl+u", *"New", "enter")
        assert picked(screen.shelves.sessions.list) == "New"
        assert path.exists()
        await press(pilot, "s", "ctrl+u", "enter")
        assert picked(screen.shelves.sessions.list) == "New"
        await press(pilot, "down", "s")
        assert "comes with the package" in seen(pilot)
        _, writer = open_session(path, durable=False)
        with writer:
            await press(pilot, "up", "s", *"er", "enter")
            assert "s.toml is being written" in words(pilot)


async def test_a_session_that_has_changed_stays_picked_while_it_is_read_again(home: Home) -> None:
    add_family(home)
    async with running(home) as (screen, pilot):
        await press(pilot, "right", "down", "s", "ctrl+u", *"New", "enter")
        assert picked(screen.shelves.sessions.list) == "New"
        assert [item.title for item in screen.shelves.sessions.list.items] == ["Parent", "New", "Fork of fork", "Alone"]


async def test_what_cannot_be_deleted_says_why(home: Home) -> None:
    (home.packaged / "sessions").mkdir()
    add_script(home, "a")
    add_session(home, "theirs").rename(home.packaged / "sessions" / "theirs.toml")
    path = add_session(home, "busy")
    _, writer = open_session(path, durable=False)
    async with running(home) as (_, pilot):
        await press(pilot, "x")
        assert "only sessions are deleted here" in seen(pilot)
        await press(pilot, "right", "x", "y")
        assert "busy.toml is being written" in words(pilot)
        await press(pilot, "down", "x")
        assert "comes with the package" in seen(pilot)
        assert path.exists()
    writer.close()


async def test_coming_back_lists_what_is_new_and_keeps_the_place(home: Home) -> None:
    add_session(home, "s", title="First", at=1000)
    add_session(home, "t", title="Second", at=500)
    async with running(home) as (screen, pilot):
        await press(pilot, "right", "down")
        assert picked(screen.shelves.sessions.list) == "Second"
        add_session(home, "new", title="Newest")
        await press(pilot, "question_mark", "escape")
        assert [item.title for item in screen.shelves.sessions.list.items] == ["Newest", "First", "Second"]
        assert picked(screen.shelves.sessions.list) == "Second"
        assert pilot.app.focused is screen.shelves.sessions.list


async def test_at_the_top_what_is_newest_is_picked(home: Home) -> None:
    add_session(home, "s", title="First", at=1000)
    async with running(home) as (screen, pilot):
        assert picked(screen.shelves.sessions.list) == "First"
        add_session(home, "new", title="Newest")
        await press(pilot, "question_mark", "escape")
        assert picked(screen.shelves.sessions.list) == "Newest"


# ---------------------------------------------------------------- many


async def test_thousands_of_sessions_are_drawn_only_where_they_are_seen(home: Home) -> None:
    good = OUTCOMES[Status.ANSWERED]
    items = [Item(kind="session", key=f"/{n}.toml", title=f"Session {n}", outcome=good) for n in range(5000)]
    async with running(home) as (screen, pilot):
        drawn = screen.shelves.sessions.list
        screen.shelves.sessions.fill(items, items, EVERYTHING)
        await press(pilot, "right", "end")
        assert picked(drawn) == "Session 4999"
        assert "Session 4999" in seen(pilot)
        await press(pilot, "pageup")
        assert picked(drawn) == f"Session {4999 - drawn.size.height + 1}"
        await press(pilot, "home", "down", "k", "j")
        assert picked(drawn) == "Session 1"
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert "Session 1 " in seen(pilot)
        assert len(drawn._strips) <= 512


# ---------------------------------------------------------------- rows


@pytest.mark.parametrize(
    ("title", "depth", "room", "shown"),
    [
        ("Three calls, from event 1,206", 1, 40, "Three calls, from event 1,206"),
        ("Three calls, from event 1,206", 1, 26, "Three ca… from event 1,206"),
        ("Three calls, from event 1,206", 0, 26, "Three calls, from event 1…"),
        ("Three calls, and more of them", 1, 26, "Three calls, and more of…"),
        ("Three calls, from event 12", 1, 8, "from e…"),
    ],
)
def test_of_a_fork_the_place_is_what_stays_in_its_name(title: str, depth: int, room: int, shown: str) -> None:
    assert name_of(Item(kind="session", key="s", title=title, depth=depth), room).strip() == shown


@pytest.mark.parametrize("width", [4, 12, 20, 40, 58, 118])
@pytest.mark.parametrize("depth", [0, 1, 3, 900])
def test_a_row_is_never_wider_than_its_list_where_a_title_fits_at_all(width: int, depth: int) -> None:
    item = Item(
        kind="session",
        key="x",
        title="A title 漢字 that is rather long for a list",
        outcome=("■", "context full", "error"),
        steps="12 steps",
        age="59 min",
        depth=depth,
    )
    line = title_row(item, width, columns_of([item]), mark="▸")
    text = line_text(line)
    if width >= 40:
        assert fitted(text, width) == text
        assert "■ context full" in text
    assert ("59 min" in text) is (width - min(depth, 6) * 2 >= 44)


def test_what_is_cut_ends_in_an_ellipsis_and_fills_its_cells() -> None:
    assert fitted("abcdef", 6) == "abcdef"
    assert fitted("abcdef", 5) == "abcd…"
    assert fitted("漢字漢字", 5) == "漢字…"
    assert fitted("漢字漢字", 4) == "漢… "
    assert fitted("a\nb\tc", 8) == "a b   c "
    assert fitted("abc", 0) == ""
