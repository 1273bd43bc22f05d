from __future__ import annotations

import random

import pytest
from textual.pilot import Pilot

from tests.timing import assert_within
from tests.tui.transcript.conftest import Entries, Host, make, numbered
from workbench.tui.transcript.widget import Transcript


async def measured(pilot: Pilot[None]) -> None:
    """No height is a guess any more, and what followed from it is drawn."""
    view = pilot.app.query_one(Transcript)
    await pilot.pause()
    while view.flow.has_guesses:
        await pilot.pause(0.01)
    await pilot.pause()


def first(app: Host) -> str:
    return app.rows()[0][12:]


def last(app: Host) -> str:
    return next(row for row in reversed(app.rows()) if row)[12:]


# ---------------------------------------------------------------- following the end


async def test_it_starts_at_the_end_and_goes_along() -> None:
    source = numbered(50)
    app = Host(source)
    async with app.run_test(size=(60, 10)) as pilot:
        assert last(app) == "entry 49 line 0"
        source.add("new")
        app.transcript.appended()
        await pilot.pause()
        assert last(app) == "new"
        assert app.transcript.cursor == 50


async def test_a_reader_who_scrolled_up_stays_put_while_entries_stream_in() -> None:
    source = numbered(100)
    app = Host(source)
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("pageup", "pageup")
        seen, picked = app.rows(), app.transcript.cursor
        for n in range(500):
            source.add(f"streamed {n}")
            app.transcript.appended()
        await pilot.pause()
        assert app.rows() == seen
        assert app.transcript.cursor == picked
        assert (app.transcript.follows, app.transcript.below) == (False, 518)
        await pilot.press("end")
        assert last(app) == "streamed 499"
        assert (app.transcript.follows, app.transcript.below) == (True, 0)
        assert any(isinstance(message, Transcript.Latest) for message in app.messages)
        source.add("one more")
        app.transcript.appended()
        await pilot.pause()
        assert last(app) == "one more"


async def test_scrolling_by_mouse_stops_following_and_at_the_end_follows_again() -> None:
    app = Host(numbered(100))
    async with app.run_test(size=(60, 10)) as pilot:
        view = app.transcript
        for _ in range(15):
            view.scroll_up()
        await pilot.pause()
        assert (app.transcript.follows, app.transcript.below) == (False, 16)
        assert view.cursor == 83
        for _ in range(30):
            view.scroll_down()
        await pilot.pause()
        assert (app.transcript.follows, app.transcript.below) == (True, 0)
        assert view.cursor == 99


async def test_when_the_view_shrinks_the_end_stays_in_view() -> None:
    app = Host(numbered(50))
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.resize_terminal(60, 7)
        await measured(pilot)
        assert last(app) == "entry 49 line 0"
        await pilot.resize_terminal(60, 30)
        await measured(pilot)
        assert last(app) == "entry 49 line 0"
        assert app.transcript.follows


async def test_the_last_row_says_how_much_is_below_and_never_hides_what_is_picked() -> None:
    """Whatever is pressed, and in as little room as there may be."""
    chance = random.Random(0)
    source = Entries([make(n + 1, "\n".join("abc"[: n % 4])) for n in range(30)])
    app = Host(source)
    async with app.run_test(size=(60, 8)) as pilot:
        view = app.transcript
        for height in (8, 5, 3, 2, 1):
            await pilot.resize_terminal(60, height)
            for _ in range(25):
                await pilot.press(chance.choice(("up", "up", "down", "down", "pageup", "pagedown", "home", "end")))
                rows, top = app.rows(), round(view.scroll_y)
                seen = [view.flow.locate(top + y)[0] for y in range(len(rows))]
                assert view.cursor in seen
                ends = [n for n in range(30) if view.flow.top(n) + view.flow.height(n) <= top + len(rows)]
                below = 29 - max(ends, default=-1)
                says = view.render_line(height - 1).text.rstrip()
                assert view.foot == (
                    "" if view.follows or not below or height == 1 else f"▼ {below} more · end follows"
                )
                assert not view.foot or says == view.foot


async def test_a_click_on_what_is_below_goes_to_the_end() -> None:
    app = Host(numbered(50))
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("home")
        await pilot.click("Transcript", offset=(5, 9))
        assert (app.transcript.follows, app.transcript.cursor, app.transcript.foot) == (True, 49, "")


async def test_picking_an_entry_further_up_stops_following_even_when_all_is_in_view() -> None:
    source = numbered(3)
    app = Host(source)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("up")
        source.add("new")
        app.transcript.appended()
        await pilot.pause()
        assert app.transcript.cursor == 1
        assert (app.transcript.follows, app.transcript.below) == (False, 0)
        await pilot.press("down", "down")
        assert (app.transcript.follows, app.transcript.below) == (True, 0)


# ---------------------------------------------------------------- the cursor


async def test_arrows_and_letters_go_from_entry_to_entry() -> None:
    app = Host(numbered(40, lines=3))
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("up", "k", "up")
        assert app.transcript.cursor == 36
        assert any(row.startswith("▸") for row in app.rows())
        await pilot.press("j", "down")
        assert app.transcript.cursor == 38
        assert app.picked[-5:] == [38, 37, 36, 37, 38]


async def test_home_and_the_pages() -> None:
    app = Host(numbered(100))
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("home")
        assert (first(app), app.transcript.cursor) == ("entry 0 line 0", 0)
        await pilot.press("pagedown")
        assert (first(app), app.transcript.cursor) == ("entry 8 line 0", 8)
        await pilot.press("up")
        assert app.transcript.cursor == 7
        assert first(app) == "entry 7 line 0"


async def test_an_entry_taller_than_the_screen_is_scrolled_through() -> None:
    source = numbered(4)
    source.put(1, "\n".join(f"tall {n}" for n in range(25)))
    app = Host(source)
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("home", "down")
        assert (app.transcript.cursor, first(app)) == (1, "tall 0")
        await pilot.press("down")
        assert (app.transcript.cursor, first(app)) == (1, "tall 4")
        await pilot.press("down", "down", "down")
        assert (app.transcript.cursor, last(app)) == (1, "tall 24")
        await pilot.press("down")
        assert app.transcript.cursor == 2
        await pilot.press("up")
        assert (app.transcript.cursor, last(app)) == (1, "tall 24")
        await pilot.press("up", "up", "up", "up", "up")
        assert app.transcript.cursor == 0


async def test_selecting_from_elsewhere_brings_the_entry_into_view() -> None:
    app = Host(numbered(100))
    async with app.run_test(size=(60, 10)) as pilot:
        app.transcript.select(20)
        await pilot.pause()
        assert first(app) == "entry 20 line 0"
        app.transcript.select(25)
        await pilot.pause()
        assert first(app) == "entry 20 line 0"
        app.transcript.select(40)
        await pilot.pause()
        assert last(app) == "entry 40 line 0"
        app.transcript.select(100)
        assert app.transcript.cursor == 40


async def test_a_click_picks_an_entry() -> None:
    app = Host(numbered(5))
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.click("Transcript", offset=(20, 1))
        assert app.transcript.cursor == 1
        await pilot.click("Transcript", offset=(20, 8))
        assert app.transcript.cursor == 1


async def test_left_and_right_are_left_to_the_screen() -> None:
    assert {"left", "right"}.isdisjoint(Transcript(numbered(1))._bindings.key_to_bindings)


async def test_an_empty_transcript_takes_every_key() -> None:
    app = Host(Entries())
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("up", "down", "pageup", "pagedown", "home", "end", "enter")
        app.transcript.search("x")
        app.transcript.find(forward=True)
        assert app.transcript.cursor == -1
        assert app.transcript.content_of(0) == ""


# ---------------------------------------------------------------- folding


def long_entries() -> Entries:
    source = numbered(6)
    source.entries[2] = make(3, "\n".join(f"line {n}" for n in range(30)), data=True, fold_at=4)
    return source


async def test_enter_unfolds_and_folds() -> None:
    app = Host(long_entries())
    async with app.run_test(size=(60, 20)) as pilot:
        app.transcript.select(2)
        await pilot.pause()
        assert app.rows()[6] == "            ▎ ▸ 26 more lines, 176 characters"
        await pilot.press("enter")
        assert app.rows()[6][14:] == "line 4"
        assert app.transcript.flow.height(2) == 30
        assert app.transcript.virtual_size.height == app.transcript.flow.total == 35
        assert app.transcript.cursor == 2
        await pilot.press("enter")
        assert app.transcript.virtual_size.height == app.transcript.flow.total == 10
        assert app.transcript.flow.height(2) == 5
        assert last(app) == "entry 5 line 0"


async def test_a_click_on_the_last_row_of_a_folded_entry_unfolds_it() -> None:
    app = Host(long_entries())
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.click("Transcript", offset=(20, 6))
        assert app.transcript.flow.height(2) == 30
        assert app.transcript.cursor == 2


async def test_there_is_nothing_to_fold_in_a_short_entry() -> None:
    app = Host(long_entries())
    async with app.run_test(size=(60, 20)) as pilot:
        before = app.rows()
        await pilot.press("enter")
        assert app.rows() == before


async def test_a_folded_megabyte_keeps_no_key_waiting() -> None:
    source = numbered(3)
    source.entries[1] = make(2, "x" * 1_000_000, data=True, fold_at=8)
    app = Host(source)
    async with app.run_test(size=(80, 24)):

        def a_key() -> None:
            app.transcript.action_previous_entry()
            app.transcript.action_next_entry()
            app.rows()

        assert_within(0.2, a_key)
        app.transcript.action_previous_entry()
        assert "more characters" in app.rows()[9]


async def test_what_is_copied_is_the_text_as_it_came() -> None:
    source = Entries([make(1, "a\x1b[1m\n\tb  c " * 40, meta="tool · source", data=True, fold_at=2)])
    app = Host(source)
    async with app.run_test(size=(60, 10)):
        assert app.transcript.content_of(0) == "a\x1b[1m\n\tb  c " * 40


# ---------------------------------------------------------------- changes, the past, another source


async def test_an_entry_that_changes_moves_nothing_for_the_reader() -> None:
    source = numbered(100)
    app = Host(source)
    async with app.run_test(size=(60, 10)) as pilot:
        app.transcript.select(50)
        await pilot.pause()
        seen = app.rows()
        source.put(10, "now\nmuch\ntaller")
        app.transcript.changed(10)
        await pilot.pause()
        assert app.rows() == seen
        source.put(52, "changed")
        app.transcript.changed(52)
        await pilot.pause()
        assert app.rows()[2][12:] == "changed"


async def test_the_past_shows_the_first_entries_and_now_shows_all() -> None:
    source = numbered(100)
    app = Host(source)
    async with app.run_test(size=(60, 10)) as pilot:
        app.transcript.truncate(30)
        await pilot.pause()
        assert (last(app), app.transcript.cursor, app.transcript.flow.total) == ("entry 29 line 0", 29, 30)
        source.add("later")
        app.transcript.appended()
        await pilot.press("end")
        assert last(app) == "entry 29 line 0"
        assert isinstance(app.messages[-1], Transcript.Latest)
        app.transcript.truncate(0)
        await pilot.pause()
        assert app.transcript.cursor == -1
        app.transcript.truncate(None)
        await pilot.pause()
        assert (last(app), app.transcript.cursor) == ("later", 100)


async def test_another_source_can_be_shown() -> None:
    app = Host(numbered(100))
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("home")
        app.picked.clear()
        app.transcript.load(numbered(5))
        await measured(pilot)
        assert last(app) == "entry 4 line 0"
        assert app.picked == [4]


# ---------------------------------------------------------------- size


@pytest.mark.parametrize("spaced", [False, True])
async def test_a_resize_keeps_the_entry_at_the_top(spaced: bool) -> None:
    source = Entries([make(n + 1, f"entry {n} " + "some words " * (n % 17)) for n in range(3_000)])
    app = Host(source, spaced=spaced)
    async with app.run_test(size=(120, 20)) as pilot:
        await measured(pilot)
        app.transcript.select(1_500)
        app.transcript.move_to(app.transcript.flow.top(1_500))
        for width in (60, 41, 120):
            await pilot.resize_terminal(width, 20)
            assert first(app).startswith("entry 1500")
            await measured(pilot)
            assert first(app).startswith("entry 1500")
            fresh = Host(source, spaced=spaced)
            async with fresh.run_test(size=(width, 20)) as other:
                await measured(other)
                assert fresh.transcript.flow.total == app.transcript.flow.total


async def test_scrolling_into_what_is_not_measured_yet_shows_whole_entries() -> None:
    source = Entries([make(n + 1, f"entry {n} start\nentry {n} end") for n in range(40_000)])
    app = Host(source)
    async with app.run_test(size=(60, 20)) as pilot:
        app.transcript.load(source)
        assert app.transcript.flow.has_guesses
        assert [row[12:] for row in app.rows()] == [
            f"entry {39_990 + n // 2} {'end' if n % 2 else 'start'}" for n in range(20)
        ]
        app.transcript.select(20_000)
        app.transcript.action_page_up()
        rows = [row.split()[-2:] for row in app.rows()]
        places = [2 * int(number) + (which == "end") for number, which in rows]
        assert places == list(range(places[0], places[0] + 19))
        await measured(pilot)
        assert app.transcript.flow.total == 80_000


async def test_blank_rows_between_entries_come_and_go() -> None:
    app = Host(numbered(50))
    async with app.run_test(size=(60, 10)) as pilot:
        app.transcript.spaced = True
        await pilot.pause()
        assert app.rows()[-4:] == ["    MODEL   entry 48 line 0", "", "▸   MODEL   entry 49 line 0", ""]
        app.transcript.spaced = False
        await pilot.pause()
        assert "" not in app.rows()


async def test_a_page_is_one_frame() -> None:
    app = Host(numbered(100))
    async with app.run_test(size=(60, 10)) as pilot:
        top = app.transcript.scroll_y
        app.transcript.scroll_page_up()
        assert app.transcript.scroll_y < top - 5
        await pilot.pause()
        assert not app.transcript.follows


# ---------------------------------------------------------------- finding text


async def search(app: Host, pilot: Pilot[None], text: str) -> Transcript.Found:
    app.transcript.search(text)
    return await found(app, pilot)


async def found(app: Host, pilot: Pilot[None]) -> Transcript.Found:
    await app.workers.wait_for_complete()
    await pilot.pause()
    return [message for message in app.messages if isinstance(message, Transcript.Found)][-1]


async def test_searching_goes_to_the_next_place_and_round() -> None:
    source = numbered(200)
    source.put(30, "here is the Needle, and the needle again")
    source.put(150, "a needle")
    app = Host(source)
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("home")
        message = await search(app, pilot, "needle")
        assert message.place is not None
        assert (message.place.entry, message.place.start, message.wrapped) == (30, 12, False)
        assert app.transcript.cursor == 30
        starts = []
        for forward in (True, True, True, False, False):
            app.transcript.find(forward=forward)
            message = await found(app, pilot)
            assert message.place is not None
            starts.append((message.place.entry, message.place.start, message.wrapped))
        assert starts == [(30, 28, False), (150, 2, False), (30, 12, True), (150, 2, True), (30, 28, False)]


async def test_typing_more_of_the_text_stays_where_it_still_fits() -> None:
    source = numbered(50)
    source.put(10, "an index")
    source.put(20, "an inside")
    app = Host(source)
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("home")
        places = [
            (await search(app, pilot, text)).place for text in ("an", "an i", "an in", "an ind", "an insi", "an insix")
        ]
        assert [place and place.entry for place in places] == [10, 10, 10, 10, 20, None]


async def test_what_is_found_is_marked_and_unfolded() -> None:
    source = long_entries()
    app = Host(source)
    async with app.run_test(size=(60, 8)) as pilot:
        await pilot.press("home")
        assert (await search(app, pilot, "LINE 25")).place is not None
        assert "            ▎ line 25" in app.rows()
        strip = app.transcript.render_line([row[14:] for row in app.rows()].index("line 25"))
        marked = next(segment for segment in strip if segment.text == "line 25")
        assert marked.style is not None
        assert marked.style.bgcolor == app.transcript.looks("found").bgcolor
        app.transcript.search("")
        await pilot.pause()
        strip = app.transcript.render_line([row[14:] for row in app.rows()].index("line 25"))
        marked = next(segment for segment in strip if segment.text.startswith("line 25"))
        assert marked.style is not None
        assert marked.style.bgcolor != app.transcript.looks("found").bgcolor


@pytest.mark.parametrize(
    ("text", "needle"), [("a\x1b]0;b", "␛]0"), ("x\u202ey", "u+202e"), ("[/x] $y", "[/X]"), ("ÄRGER", "ärger")]
)
async def test_the_search_is_for_what_is_drawn(text: str, needle: str) -> None:
    app = Host(Entries([make(1, "nothing"), make(2, text)]))
    async with app.run_test(size=(60, 10)) as pilot:
        message = await search(app, pilot, needle)
        assert message.place is not None
        assert message.place.entry == 1


async def test_a_search_without_a_place_says_so_and_moves_nothing() -> None:
    app = Host(numbered(100))
    async with app.run_test(size=(60, 10)) as pilot:
        seen = app.rows()
        assert (await search(app, pilot, "not there")).place is None
        assert app.rows() == seen
