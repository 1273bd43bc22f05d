"""Hints in the bar, in entries and at the side name the keys that a person has, not those of the registry."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.tui.run.stage import Stage, opened_scenario, staged, write_scenario
from workbench.core.state import State
from workbench.core.values import Header
from workbench.home import Home
from workbench.tui.actions import BY_NAME, keyed, shown_key, with_keys
from workbench.view.authoring import reading_line
from workbench.view.entries import Span, line_text
from workbench.view.lines import within
from workbench.view.timeline import KEYS

OWN = {
    "allow": "Z", "deny": "D", "edit": "J", "close": "f9", "view": "W", "original": "I", "undo_change": "U",
    "cap": "K", "latest": "G", "verdict": "Q", "allow_more": "B", "limits": "L", "again": "ctrl+r",
}  # fmt: skip
LONG = """
goal = "Read"
protocol = "native"
tools = ["write_file"]

[[model.reply]]
[[model.reply.call]]
tool = "write_file"
arguments = { path = "a.txt", text = '''
LINES
''' }

[[model.reply]]
text = "done"

[expect]
answer = "other"
""".replace("LINES", "\n".join(f"line {n}" for n in range(60)))


@asynccontextmanager
async def with_own_keys(home: Home, scenario: str, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Stage]:
    home.settings.write_text("[keys]\n" + "".join(f'{name} = "{key}"\n' for name, key in OWN.items()))
    path = write_scenario(home, LONG) if scenario == "long" else scenario
    async with staged(opened_scenario(home, path), home, size=size) as stage:
        yield stage


async def test_what_is_cut_names_the_own_key_that_shows_all_of_it(home: Home) -> None:
    async with with_own_keys(home, "long", (80, 24)) as stage:
        await stage.press("space", "space")
        assert "more lines, W shows all" in stage.text
        await stage.press("W", "escape", "slash")
        assert stage.sees("▲ waiting for you: f9, then Z or D")
        await stage.press("f9", "D")
        assert stage.sees("enter denies, f9 goes back")


async def test_what_was_typed_and_not_sent_names_the_own_keys(home: Home) -> None:
    async with with_own_keys(home, "refund-denied") as stage:
        await stage.press("r", "J")
        await stage.type(" ")
        await stage.press("f9")
        assert stage.sees("J goes on with it; Z runs what the model wrote")


async def test_what_ended_names_the_own_keys(home: Home) -> None:
    async with with_own_keys(home, "long") as stage:
        await stage.press("K")
        await stage.press("r", "Z", "Z", "r")
        assert stage.sees("Q shows it whole")


async def test_what_is_held_and_changed_names_the_own_keys(home: Home) -> None:
    async with with_own_keys(home, "two-cities") as stage:
        await stage.press("K")
        assert stage.notice.endswith("; K sets it again")
        await stage.press("h", "r", "f")
        assert stage.sees("it waits on; U takes it back")
        await stage.press("enter")
        assert stage.notice == "struck by error; U takes it back"
        await stage.press("space", "left", "l")
        assert not stage.sees("this is the past")
        await stage.press("L")
        assert stage.notice == "this is the past: G goes back to now"
        await stage.press("G", "up", "up")
        assert stage.sees("I original")


def test_keys_that_views_name_are_those_of_the_registry() -> None:
    lines, _ = within([(Span("a\n" * 9),)] * 9, 40, 3)
    named = [span for line in lines for span in line if span.key]
    state = State(Header(id="r", goal="g"))
    named += [span for span in reading_line(state, "", lambda *_: pytest.fail("nothing is checked")) if span.key]
    assert {span.key: span.text for span in named} == {"view": "v", "insert": "f2"}
    for name, key in [*KEYS.items(), *((span.key, span.text) for span in named)]:
        assert shown_key(BY_NAME[name]) == key


def test_words_with_actions_in_braces_are_told_with_keys() -> None:
    assert with_keys("{close} or {sees}: {made up}", {"close": "f9"}) == "f9 or w: {made up}"
    assert with_keys("{sees}", typing=True) == "f3"
    line = (Span("… 3 more, "), Span("v", "quiet", key="view"), Span(" shows all"))
    assert [line_text(row) for row in keyed([line], {"view": "comma"})] == ["… 3 more, , shows all"]
