from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from tests.tui.transcript.conftest import Entries, Host, make, numbered
from workbench.view.entries import Entry, Span, lines_of

OUTPUTS = Path(__file__).parents[2] / "data" / "outputs"


async def settled(pilot: Pilot[None]) -> None:
    """Everything is measured and drawn."""
    await pilot.pause()
    view = pilot.app.query_one("Transcript")
    while view.flow.has_guesses:  # type: ignore[attr-defined]
        await pilot.pause(0.01)
    await pilot.pause()


def sample() -> Entries:
    calls = (
        (Span("Look."),),
        (Span("→ ", "quiet"), Span("add", bold=True), Span(' {"a": 1}')),
        (Span("  ✓ allowed", "go"),),
    )
    return Entries(
        [
            Entry(1, None, "USER", "user", lines_of("What is one and one more?")),
            Entry(2, 1, "MODEL", "model", calls),
            Entry(3, None, "RESULT", "result", lines_of("2\nand some more words to wrap"), "add · sums · 0.1 ms", True),
            Entry(4, 12, "ANSWER", "go", lines_of("Two.")),
        ]
    )


async def test_it_looks_as_drawn_on_a_wide_screen() -> None:
    app = Host(sample(), spaced=True)
    async with app.run_test(size=(36, 16)):
        assert app.rows() == [
            "    USER    What is one and one",
            "            more?",
            "",
            "  1 MODEL   Look.",
            '            → add {"a": 1}',
            "              ✓ allowed",
            "",
            "    RESULT  ▎ add · sums · 0.1 ms",
            "            ▎ 2",
            "            ▎ and some more words",
            "            ▎ to wrap",
            "",
            "▸12 ANSWER  Two.",
            "",
            "",
            "",
        ]


async def test_on_a_narrow_screen_no_rows_are_blank() -> None:
    app = Host(sample())
    async with app.run_test(size=(60, 8)):
        assert app.rows()[:3] == [
            "    USER    What is one and one more?",
            "  1 MODEL   Look.",
            '            → add {"a": 1}',
        ]
        assert "" not in app.rows()


async def test_text_is_never_wider_than_a_hundred_cells() -> None:
    app = Host(Entries([make(1, "word " * 60), make(2, "word " * 60, data=True)]))
    async with app.run_test(size=(200, 12)):
        texts = [row[14:] if "▎" in row else row[12:] for row in app.rows() if row]
        assert max(len(text) for text in texts) <= 100
        assert any(len(text) > 90 for text in texts)


async def test_a_large_step_number_leaves_the_text_where_it_is() -> None:
    steps = (7, 42, 123, 4321, 98765)
    app = Host(Entries([make(n, "text", step=step) for n, step in enumerate(steps)]))
    async with app.run_test(size=(60, 5)):
        assert [row[1:] for row in app.rows()] == [
            " 7 MODEL   text",
            "42 MODEL   text",
            "123 MODEL  text",
            "4321 MODEL text",
            "…765 MODEL text",
        ]


async def test_what_looks_like_markup_is_shown_letter_for_letter() -> None:
    lines = (OUTPUTS / "markup-like-text.txt").read_text().splitlines()
    app = Host(Entries([make(n, line, meta=line, data=True) for n, line in enumerate(lines)]))
    async with app.run_test(size=(90, 24)) as pilot:
        assert [row[14:] for row in app.rows()[: 2 * len(lines)]] == [line for line in lines for _ in range(2)]
        for y in range(2 * len(lines)):
            metas = [segment.style.meta for segment in app.transcript.render_line(y) if segment.style]
            assert not any("@click" in meta for meta in metas)
        await pilot.click("Transcript", offset=(20, 2 * next(n for n, line in enumerate(lines) if "app.quit" in line)))
        assert app.is_running


@pytest.mark.parametrize("name", ["terminal-escapes.bin", "invalid-utf8.bin"])
async def test_nothing_of_a_hostile_output_reaches_the_terminal(name: str) -> None:
    text = (OUTPUTS / name).read_bytes().decode("utf-8", "surrogateescape")
    app = Host(Entries([make(1, text, meta="a\x1b]0;b\x07", data=True), make(2, text)]))
    async with app.run_test(size=(60, 40)):
        drawn = "".join(app.rows())
        assert drawn.isprintable()
        drawn.encode()
        assert "end" in drawn or "last line ok" in drawn


async def test_every_row_is_exactly_as_wide_as_the_screen() -> None:
    texts = [
        "漢字と仮名" * 9,
        "👨\u200d👩\u200d👧 family " * 6,
        "\ttab\tbed " * 5,
        "❤\ufe0f " * 30,
        "e\u0301" * 70,
        "🇩🇪" * 40,
    ]
    app = Host(Entries([make(n + 1, text, data=n % 2 == 0) for n, text in enumerate(texts)]))
    async with app.run_test(size=(41, 40)):
        view = app.transcript
        width = view.scrollable_content_region.width
        for y in range(40):
            strip = view.render_line(y)
            assert strip.cell_length == width
            assert cell_len(strip.text) == width


async def test_colours_follow_the_theme() -> None:
    app = Host(Entries([make(1, "text", word="USER", role="user"), make(2, "")]))
    async with app.run_test(size=(60, 4)) as pilot:

        def colour_of(word: str) -> str:
            segment = next(segment for segment in app.transcript.render_line(0) if segment.text.strip() == word)
            assert segment.style is not None
            assert segment.style.color is not None
            return segment.style.color.get_truecolor().hex

        assert (colour_of("USER"), colour_of("text")) == ("#8ab8ff", "#d9dee6")
        app.theme = "paper"
        await pilot.pause()
        assert (colour_of("USER"), colour_of("text")) == ("#1b5cb8", "#262a30")
        app.theme = "nord"
        await pilot.pause()
        assert colour_of("USER") == "#8ab8ff"


async def test_the_tail_stands_last_and_is_no_entry() -> None:
    app = Host(numbered(2))
    async with app.run_test(size=(60, 6)) as pilot:
        app.transcript.show_tail(Entry(0, None, "NEXT", "quiet", lines_of("ask the model", "quiet", italic=True)))
        await pilot.pause()
        assert app.rows()[2] == "    NEXT    ask the model"
        await pilot.press("down", "down")
        assert app.transcript.cursor == 1
        app.transcript.show_tail(None)
        await pilot.pause()
        assert app.rows()[2] == ""


async def test_a_reply_streams_in_and_is_followed() -> None:
    app = Host(numbered(3))
    async with app.run_test(size=(40, 6)) as pilot:
        text = ""
        for word in range(60):
            text += f"word{word} " + ("\n" if word % 7 == 6 else "")
            app.transcript.show_tail(Entry(0, 2, "MODEL", "model", lines_of(text)))
        await pilot.pause()
        assert "word59" in app.rows()[5]
        assert app.transcript.follows


@pytest.mark.parametrize("height", [6, 20])
async def test_a_tail_that_changes_is_as_if_it_were_drawn_anew(height: int) -> None:
    """However its lines grow, shrink or change, above and below the edge of the view."""
    app = Host(numbered(3), spaced=True)
    texts = [
        "a",
        "a\nb",
        "a\nb c\nd",
        "x\nb c\nd",
        "x",
        "x\n" * 12,
        "x\n" * 12 + "end",
        "again in 3 s\nnow",
        "again in 2 s",
    ]
    async with app.run_test(size=(40, height)) as pilot:
        for text in texts:
            for word in ("MODEL", "WAIT"):
                app.transcript.show_tail(Entry(0, 2, word, "model", lines_of(text)))
                await pilot.pause()
                shown = app.rows()
                app.transcript.refresh()
                await pilot.pause()
                assert app.rows() == shown


async def test_only_what_is_seen_is_built() -> None:
    source = numbered(5_000)
    app = Host(source)
    async with app.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("pageup", "pageup")
        assert 0 < source.built < 100


async def test_selecting_with_the_mouse_gives_the_text_alone() -> None:
    source = Entries(
        [make(1, "alpha beta gamma delta epsilon"), make(2, "2\n漢字 tail", meta="add", data=True), make(3, "end")]
    )
    app = Host(source)
    async with app.run_test(size=(32, 12)) as pilot:
        assert app.rows()[:6] == [
            "    MODEL   alpha beta gamma",
            "            delta epsilon",
            "    MODEL   ▎ add",
            "            ▎ 2",
            "            ▎ 漢字 tail",
            "▸   MODEL   end",
        ]
        await pilot.mouse_down("Transcript", offset=(13 + 6, 0))
        await pilot.hover("Transcript", offset=(13 + 2 + 3, 4))
        await pilot.mouse_up("Transcript", offset=(13 + 2 + 3, 4))
        await pilot.pause()
        assert app.screen.get_selected_text() == "beta gamma delta epsilon\nadd\n2\n漢字"
        strip = app.transcript.render_line(0)
        assert len({segment.style.bgcolor for segment in strip if segment.style}) > 1
        await pilot.mouse_down("Transcript", offset=(2, 0))
        await pilot.hover("Transcript", offset=(13 + 5, 1))
        await pilot.mouse_up("Transcript", offset=(13 + 5, 1))
        assert app.screen.get_selected_text() == "alpha beta gamma delta"
        assert app.transcript.cursor == 2
        await pilot.resize_terminal(40, 12)
        await pilot.pause()
        assert app.screen.get_selected_text() is None
        await pilot.pause()
        assert len({segment.style.bgcolor for segment in app.transcript.render_line(0) if segment.style}) == 1


async def test_what_says_how_much_is_below_is_no_text_to_select() -> None:
    app = Host(numbered(50))
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.press("home")
        await pilot.mouse_down("Transcript", offset=(13, 3))
        await pilot.hover("Transcript", offset=(6, 5))
        await pilot.mouse_up("Transcript", offset=(6, 5))
        await pilot.pause()
        assert app.screen.get_selected_text() == "entry 3 line 0\nentry 4 line 0"
        assert app.transcript.foot == "▼ 45 more · end follows"
