"""Text from outside is data: shown letter for letter, clickable nowhere, and never raw to the terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.segment import Segment
from textual.widgets import TextArea

from tests.tui.places import markup_like, quote
from tests.tui.run.stage import Stage, opened_scenario, staged, write_scenario
from workbench.home import Home

ESCAPES = (
    (Path(__file__).parents[2] / "data" / "outputs" / "terminal-escapes.bin").read_bytes().decode("utf-8", "replace")
)
ESCAPES += "a\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2Jc1 \x7f\x08\x00 \u202egnirts\u202c \u200bz\u2066 \x1b]8;;https://x\x1b\\l\x1b]8;;\x1b\\ \r\n\x0bend"
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def scenario(home: Home, text: str) -> Path:
    """One where that text is everywhere: title, goal, what the model says, tool, arguments, result, answer."""
    said = quote(text)
    return write_scenario(
        home,
        f"""
title = {said}
goal = {said}
system = {said}
protocol = "native"
tools = ["read_file", "write_file"]

[[model.reply]]
text = {said}
thinking = {said}
[[model.reply.call]]
tool = {said}
arguments = {said}
[[model.reply.call]]
tool = "read_file"
arguments = {{ path = "a.txt" }}

[[model.reply]]
[[model.reply.call]]
tool = "write_file"
arguments = {quote(json.dumps({"path": "b.txt", "text": text}, ensure_ascii=False))}

[[model.reply]]
text = {said}

[workspace]
files = {{ "a.txt" = {said} }}
""",
    )


def segments(stage: Stage) -> Iterator[tuple[int, Segment]]:
    for y, strip in enumerate(stage.app.screen._compositor.render_strips()):
        for segment in strip:
            yield y, segment


def check(stage: Stage) -> None:
    """What is on the screen now holds nothing raw, and nothing that can be clicked but our own keys."""
    height = stage.app.size.height
    for y, segment in segments(stage):
        assert not UNSEEN.search(segment.text), (y, segment.text)
        style = segment.style
        if style is not None:
            assert style.link is None
            assert "@click" not in style.meta or y >= height - 2, (y, segment.text)


async def everywhere(stage: Stage) -> str:
    """Go through all that shows the text, check each, and give all that was seen."""
    seen = []
    keys = (
        "space v escape space space v escape e escape a escape n escape Y escape s escape 2 1 w home escape "
        "t escape h y e escape h r left left end v escape"
    )
    for key in keys.split():
        await stage.press(key)
        check(stage)
        seen.append(stage.text)
    return "\n".join(seen)


async def test_text_like_markup_is_shown_letter_for_letter(home: Home) -> None:
    lines = markup_like()
    async with staged(opened_scenario(home, scenario(home, "\n".join(lines))), home, size=(150, 50)) as stage:
        seen = await everywhere(stage)
        assert stage.rows[0].startswith(f" {lines[0]}␊{lines[1]}")
        for line in lines:
            assert line in seen
            assert f"▎ {line}" in seen or line in lines[7:]


@pytest.mark.parametrize("size", [(120, 40), (60, 16)])
async def test_nothing_that_steers_a_terminal_gets_through(home: Home, size: tuple[int, int]) -> None:
    async with staged(opened_scenario(home, scenario(home, ESCAPES)), home, size=size) as stage:
        seen = await everywhere(stage)
        assert "␛[31mred" in seen
        assert "⟨U+202E⟩gnirts" in seen
        # The journal has it as it came.
        assert stage.run.state.messages[0].text == ESCAPES


async def test_a_field_shows_signs_and_keeps_what_it_was_given(home: Home) -> None:
    async with staged(opened_scenario(home, scenario(home, ESCAPES)), home) as stage:
        await stage.press(*["h", "space", "space", "e"])
        area = stage.screen.bar.area
        assert isinstance(area, TextArea)
        check(stage)
        await stage.press("ctrl+s")
        check(stage)
        passed = [event for event in stage.run.events if event.kind == "tool_result"]
        assert passed


async def test_a_huge_line_is_drawn_at_once(home: Home) -> None:
    line = "x" * 300_000
    async with staged(opened_scenario(home, scenario(home, line)), home) as stage:
        await stage.press("space", "space", "space", "space", "v", "end")
        check(stage)
        assert stage.sees("xxxxxxxx")
