"""A long text on the whole screen, and the requests of a run one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from workbench.tui.actions import bindings
from workbench.tui.copying import copied_words
from workbench.tui.paint import content
from workbench.tui.screens import Dialog, KeysRow, KeyWords
from workbench.tui.transcript.pane import Pane
from workbench.view.entries import Entry, Line, line_text
from workbench.view.visible import visible

Page = tuple[Line, list[Line]]
"""Title and text."""


class Lines:
    """A text as a source of entries, one for each of its lines, so that any length costs the same to scroll."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines

    def __len__(self) -> int:
        return len(self._lines)

    def text(self, index: int) -> str:
        return line_text(self._lines[index])

    def data(self, index: int) -> bool:  # noqa: ARG002 - a source of entries is asked for every one
        return False

    def fold_at(self, index: int) -> int | None:  # noqa: ARG002 - nothing is folded where all is shown
        return None

    def entry(self, index: int) -> Entry:
        return Entry(key=index, step=None, word="", role="", lines=(self._lines[index],))

    def whole(self) -> str:
        """The text as it came."""
        return "\n".join(map(self.text, range(len(self))))


class Viewer(Dialog[bool]):
    """Reads like the transcript. Closing it gives False; what is built on it may give True."""

    AUTO_FOCUS = "Pane"
    KEYS: ClassVar[tuple[KeyWords, ...]] = (
        ("down", "↑ ↓", "line"),
        ("pagedown", "pgdn", "page"),
        ("C", "C", "copy all"),
        ("escape", "esc", "close"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,v", "close", "close", show=False),
        Binding("up,k", "scroll_rows(-1)", "up", show=False),
        Binding("down,j", "scroll_rows(1)", "down", show=False),
        Binding("pageup", "scroll_pages(-1)", "page up", show=False),
        Binding("pagedown", "scroll_pages(1)", "page down", show=False),
        Binding("home", "to_start", "start", show=False),
        Binding("end", "to_end", "end", show=False),
        Binding("C", "copy_all", "copy all", show=False),
    ]
    DEFAULT_CSS = """
    Viewer { background: $background; color: $foreground; }
    Viewer .top { height: 1; background: $surface; }
    Viewer .title { width: 1fr; height: 1; padding: 0 1; }
    Viewer .facts { width: auto; height: 1; padding: 0 1; color: $wb-quiet; }
    Viewer Pane { padding: 1 1 0 1; }
    Viewer.-narrow Pane, Viewer.-tiny Pane { padding: 0 1; }
    """

    def __init__(self, title: Line, body: list[Line], facts: str = "") -> None:
        super().__init__()
        self._title = title
        self._lines = Lines(body)
        self._facts = facts

    def compose(self) -> ComposeResult:
        with Horizontal(classes="top"):
            yield Static(_title(self._title), classes="title")
            yield Static(Content(self._facts), classes="facts")
        yield Pane(gutter=1)
        yield KeysRow(self.KEYS)

    def on_mount(self) -> None:
        self._load(self._lines)

    @property
    def pane(self) -> Pane:
        return self.query_one(Pane)

    def show(self, page: Page) -> None:
        """Another text in place of this one, from its start."""
        self._title, body = page
        self._lines = Lines(body)
        self.query_one(".title", Static).update(_title(self._title))
        self._load(self._lines)

    def _load(self, lines: Lines) -> None:
        self.pane.load(lines)
        self.action_to_start()

    # ------------------------------------------------------------ keys

    def action_close(self) -> None:
        self.dismiss(False)

    def action_scroll_rows(self, rows: int) -> None:
        self.pane.move_to(round(self.pane.scroll_y) + rows)

    def action_scroll_pages(self, pages: int) -> None:
        self.action_scroll_rows(pages * max(1, self.pane.scrollable_content_region.height - 1))

    def action_to_start(self) -> None:
        self.pane.move_to(0)
        self.pane.follows = False

    def action_to_end(self) -> None:
        self.pane.move_to(self.pane.max_scroll_y)

    def action_copy_all(self) -> None:
        text = self._lines.whole()
        self.app.copy_to_clipboard(text)
        self.notify(copied_words(text), markup=False, timeout=3)


class RequestViewer(Viewer):
    """What the model read, request by request; a page is made when it is looked at."""

    KEYS = (("left", "←", ""), ("right", "→", "step to step"), *Viewer.KEYS)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("viewer"), Binding("w", "close", "close", show=False)]

    def __init__(self, requests: Sequence[Callable[[], Page]], index: int) -> None:
        self._requests = requests
        self._index = min(max(0, index), len(requests) - 1)
        super().__init__(*requests[self._index]())

    def action_previous_request(self) -> None:
        self._turn(-1)

    def action_next_request(self) -> None:
        self._turn(1)

    def _turn(self, by: int) -> None:
        index = self._index + by
        if 0 <= index < len(self._requests):
            self._index = index
            self.show(self._requests[index]())


def _title(line: Line) -> Content:
    """The title on one line, whatever is in it."""
    return content(tuple(replace(span, text=visible(span.text).replace("\n", " ")) for span in line))
