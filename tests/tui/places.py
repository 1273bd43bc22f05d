"""Folders for tests of the app: a home in a temporary place, with the shipped themes and whatever a test writes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from textual import events
from textual.keys import key_to_character
from textual.pilot import Pilot

from tests.sessions.samples import HEADER, RUN, write
from tests.tui.settled import settled
from workbench.core.events import Event
from workbench.home import Home
from workbench.tui.app import WorkbenchApp

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
SCRIPT = """
title = {title}
about = {about}
goal = "Combined population of Paris and Lima?"
tags = {tags}

[[model.reply]]
text = "ANSWER: 11800000"
"""


def make_home(folder: Path, **changes: Any) -> Home:
    """A home with nothing of its own, and a package with nothing but themes."""
    root, packaged = folder / "root", folder / "packaged"
    for path in (root / "scripts", root / "sessions", packaged):
        path.mkdir(parents=True)
    (packaged / "themes").symlink_to(ROOT / "themes")
    return Home(root=root, found="--home", packaged=packaged, **changes)


def add_script(home: Home, name: str, title: str = "Two cities", about: str = "A sum.", tag: str = "sums") -> Path:
    """A scenario of one's own that answers at once."""
    path = home.root / "scripts" / f"{name}.toml"
    quoted = {"title": quote(title), "about": quote(about), "tags": f"[{quote(tag)}]" if tag else "[]"}
    path.write_text(SCRIPT.format(**quoted), encoding="utf-8")
    return path


def add_session(
    home: Home, name: str, *, events: Iterable[Event] = RUN, at: float | None = None, **header: Any
) -> Path:
    """A session of one's own; `at` is when it was written last, in seconds since 1970."""
    path = home.sessions / f"{name}.toml"
    write(path, events, replace(HEADER, id=name, **header))
    if at is not None:
        os.utime(path, (at, at))
    return path


def quote(text: str) -> str:
    """A TOML string for any text."""
    return '"' + "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08X}" for c in text) + '"'


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press one key after the other, each when the one before has had its effect."""
    for key in keys:
        pilot.app.post_message(events.Key(key, key_to_character(key)))
        await settled(pilot)


def markup_like() -> list[str]:
    """Texts that look like markup, one a line."""
    return (DATA / "outputs" / "markup-like-text.txt").read_text("utf-8").splitlines()


def rows(pilot: Pilot[Any]) -> list[str]:
    """What is on the screen, row by row, without blanks at the end."""
    strips = pilot.app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


def seen(pilot: Pilot[Any]) -> str:
    """What is on the screen."""
    return "\n".join(rows(pilot))


def words(pilot: Pilot[Any]) -> str:
    """What is on the screen as one line, however it was wrapped."""
    return " ".join(seen(pilot).split())


def app_for(home: Home, file: str | None = None) -> WorkbenchApp:
    return WorkbenchApp(home, file)
