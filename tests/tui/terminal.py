"""What a terminal shows to which only the frames of an app were written, and what it would show if all were drawn anew."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from rich.cells import cell_len
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.strip import Strip
from textual.widget import Widget

Cell = tuple[str, Style, object]
"""A character, "" right of a wide one; how it looks; and which place in a widget it is, for
those who select text with the mouse."""


class Terminal:
    """Takes in the frames of an app as they are written."""

    def __init__(self, app: App[Any], monkeypatch: pytest.MonkeyPatch) -> None:
        self.app = app
        self.rows: list[dict[int, Cell]] = []
        write = app._display

        def written(screen: Any, renderable: Any) -> None:
            self._take_in(renderable)
            write(screen, renderable)

        monkeypatch.setattr(app, "_display", written)
        self.rows = self.anew()

    def _take_in(self, frame: object) -> None:
        if isinstance(frame, LayoutUpdate):
            self.rows = [_cells(0, strips) for strips in frame.strips]
        elif isinstance(frame, ChopsUpdate):
            for y, first, last in frame.spans:
                for x, strip in frame.chops[y].items():
                    if strip is not None:
                        self.rows[y] |= {at: cell for at, cell in _cells(x, [strip]).items() if first <= at < last}

    def anew(self) -> list[dict[int, Cell]]:
        """What it should show: everything drawn anew, nothing taken from what was drawn before."""
        screen = self.app.screen
        for widget in screen.walk_children(Widget, with_self=True):
            widget.notify_style_update()
            widget._styles_cache.clear()
            widget._set_dirty()
            widget._repaint_regions.clear()
        return [_cells(0, [strip]) for strip in screen._compositor.render_strips()][: self.app.size.height]

    def wrong(self) -> tuple[int, int, Cell | None, Cell | None] | None:
        """The first cell that is not as it should be: row, column, what it shows, what it should show."""
        for y, (shown, due) in enumerate(zip(self.rows, self.anew(), strict=True)):
            for x in sorted(shown.keys() | due.keys()):
                if shown.get(x) != due.get(x):
                    return y, x, shown.get(x), due.get(x)
        return None


def _cells(x: int, strips: Iterable[Strip]) -> dict[int, Cell]:
    out: dict[int, Cell] = {}
    for text, style, _ in (segment for strip in strips for segment in strip):
        look = Style() if style is None else style.clear_meta_and_links()
        left, y = (0, None) if style is None else style.meta.get("offset", (0, None))
        for at, character in enumerate(text):
            took = cell_len(character)
            for cell in range(took):
                out[x + cell] = "" if cell else character, look, (left + at, y)
            x += took
    return out
