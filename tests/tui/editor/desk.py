"""The real app with the script editor on its screen."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.tui.run.stage import Stage, a_home, at_home
from workbench.home import Home, packaged_folder
from workbench.tui.editor.screen import EditorScreen

SHIPPED = packaged_folder() / "scripts"
GOOD = """\
title = "Two cities"
goal = "Combined population?"
tools = ["add"]

[limits]
steps = 6

[[model.reply]]
text = 'ACTION: add {"a": 1, "b": 2}'

[[model.reply]]
text = "ANSWER: ${last}"
"""


def home_with(folder: Path, *examples: str) -> Home:
    """A workbench folder of the test's own, beside some of the shipped scripts."""
    home = a_home(folder)
    (home.root / "scripts").mkdir()
    (home.packaged / "scripts").mkdir()
    for name in examples:
        shutil.copy(SHIPPED / f"{name}.toml", home.packaged / "scripts")
    return home


def own_script(home: Home, text: str = GOOD, name: str = "mine") -> Path:
    """A script in the test's own folder."""
    path = home.root / "scripts" / f"{name}.toml"
    path.write_bytes(text.encode("utf-8"))
    return path


class Desk(Stage):
    """What a test does in the editor, and what it sees there."""

    @property
    def editor(self) -> EditorScreen:
        """The editor, whatever stands above it."""
        found = next(screen for screen in reversed(self.app.screen_stack) if isinstance(screen, EditorScreen))
        assert isinstance(found, EditorScreen)
        return found

    @property
    def open(self) -> bool:
        return any(isinstance(screen, EditorScreen) for screen in self.app.screen_stack)

    async def read(self) -> None:
        """Until what is in the editor has been looked through."""
        await self.settle(lambda: not self.open or self.editor.area.reading.text == self.editor.area.text)

    async def replace(self, was: str, becomes: str) -> None:
        """Change the first place of a text, as by typing over it."""
        area = self.editor.area
        before, found, _ = area.text.partition(was)
        assert found, f"{was!r} is in the text"
        lines = before.split("\n")
        start = (len(lines) - 1, len(lines[-1]))
        inside = was.split("\n")
        end = (start[0] + len(inside) - 1, len(inside[-1]) + (start[1] if len(inside) == 1 else 0))
        area.replace(becomes, start, end)
        await self.read()

    @property
    def caret(self) -> tuple[int, int]:
        """Line and column of the caret, the line from 1."""
        row, column = self.editor.area.cursor_location
        return row + 1, column

    @property
    def problems(self) -> list[str]:
        """The rows of the list of problems."""
        list_ = self.editor.problems
        top = list_.region.y + list_.gutter.top
        return [row.strip() for row in self.rows[top : list_.region.bottom]]

    @property
    def marked(self) -> list[str]:
        """The rows of the text that have the sign of a problem in their margin."""
        return self._signed("✗")

    @property
    def remarked(self) -> list[str]:
        """The rows of the text that have the sign of a remark in their margin."""
        return self._signed("≈")

    def _signed(self, sign: str) -> list[str]:
        region = self.editor.area.region
        rows = [row[: region.right] for row in self.rows[region.y : region.bottom]]
        return [" ".join(row.split()) for row in rows if sign in row[: self.editor.area.gutter_width]]


@asynccontextmanager
async def editing(home: Home, path: Path, *, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Desk]:
    """The editor with that file in it."""
    async with at_desk(home, size=size) as desk:
        desk.app.editor.file(path)
        await desk.settle(lambda: desk.open and desk.editor.area.reading.text == desk.editor.area.text)
        yield desk


@asynccontextmanager
async def at_desk(home: Home, *, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Desk]:
    """The app as it starts."""
    async with at_home(home, size=size) as stage:
        try:
            yield Desk(stage.app, stage.pilot)
            assert stage.app.failures == []
        finally:
            for run in list(stage.app.runs()):
                await run.close_run()
