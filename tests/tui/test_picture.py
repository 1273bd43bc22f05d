"""The picture in the README is one of the real app, and stays true: made anew with WORKBENCH_REGENERATE=1."""

from __future__ import annotations

import os
import re
from html import unescape
from pathlib import Path

from tests.tui.settled import settled
from workbench.core.loop import AskPerson
from workbench.home import find_home, packaged_folder
from workbench.tui.app import WorkbenchApp
from workbench.tui.run.screen import RunScreen

PICTURE = Path(__file__).parent / "snapshots" / "approval-120x40.svg"


def said(svg: str) -> list[str]:
    """The pieces of text in a picture, with times masked: they are never the same twice."""
    pieces = [unescape(piece) for piece in re.findall(r"<text [^>]*>([^<]*)</text>", svg)]
    return [re.sub(r"\d+(\.\d+)? (ms|s)\b", "TIME", piece.replace("\xa0", " ")) for piece in pieces]


async def test_the_picture_in_the_readme_shows_the_app_as_it_is(tmp_path: Path) -> None:
    script = packaged_folder() / "scripts" / "refund.toml"
    app = WorkbenchApp(find_home(str(tmp_path)), str(script))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot, lambda: isinstance(app.screen, RunScreen))
        await pilot.press("r")

        def asked() -> bool:
            screen = app.screen
            return isinstance(screen, RunScreen) and not screen.going and isinstance(screen.run_.next, AskPerson)

        await settled(pilot, asked)
        await settled(pilot, lambda: "The model wants to run" in "".join(said(app.export_screenshot())))
        svg = app.export_screenshot(title="workbench", simplify=True)
        screen = app.screen
        assert isinstance(screen, RunScreen)
        await screen.close_run()
    if os.environ.get("WORKBENCH_REGENERATE"):
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_text(svg, encoding="utf-8")
    assert said(svg) == said(PICTURE.read_text(encoding="utf-8"))
    assert str(PICTURE.relative_to(Path(__file__).parents[2])) in (Path(__file__).parents[2] / "README.md").read_text()
