from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.theme import Theme

from workbench.tui.themes import load_themes, role_defaults
from workbench.tui.transcript.widget import Transcript
from workbench.view.entries import Entry, Role, lines_of, plain

THEMES, _ = load_themes([Path(__file__).parents[3] / "themes"])


class Entries:
    """A source over entries held in a list; tests add to it and change it."""

    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        self.entries = list(entries)
        self.built = 0

    def __len__(self) -> int:
        return len(self.entries)

    def text(self, index: int) -> str:
        return plain(self.entries[index])

    def data(self, index: int) -> bool:
        return self.entries[index].data

    def fold_at(self, index: int) -> int | None:
        return self.entries[index].fold_at

    def entry(self, index: int) -> Entry:
        self.built += 1
        return self.entries[index]

    def add(self, text: str) -> None:
        self.entries.append(make(len(self.entries) + 1, text))

    def put(self, index: int, text: str) -> None:
        self.entries[index] = make(index + 1, text)


def make(
    key: int,
    text: str,
    *,
    word: str = "MODEL",
    role: Role = "model",
    step: int | None = None,
    meta: str = "",
    data: bool = False,
    fold_at: int | None = None,
) -> Entry:
    return Entry(key, step, word, role, lines_of(text), meta, data, fold_at)


def numbered(count: int, lines: int = 1) -> Entries:
    """Entries that say their own index, so that a test can tell what it sees."""
    return Entries([make(n + 1, "\n".join(f"entry {n} line {m}" for m in range(lines))) for n in range(count)])


class Host(App[None]):
    """The smallest app around a transcript; it notes what the transcript says."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, source: Entries | None = None, *, spaced: bool = False) -> None:
        super().__init__()
        self.transcript = Transcript(source)
        self.transcript.spaced = spaced
        self.messages: list[object] = []
        self.picked: list[int] = []
        """The entries that were picked, the latest last."""
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = "ink"

    def get_theme_variable_defaults(self) -> dict[str, str]:
        current: Theme = self.current_theme
        return role_defaults(current, THEMES["ink"], THEMES["paper"])

    def compose(self) -> ComposeResult:
        yield self.transcript

    def on_mount(self) -> None:
        self.watch(self.transcript, "cursor", self._picked, init=False)

    def _picked(self, index: int) -> None:
        self.picked.append(index)

    def on_transcript_latest(self, message: Transcript.Latest) -> None:
        self.messages.append(message)

    def on_transcript_found(self, message: Transcript.Found) -> None:
        self.messages.append(message)

    def rows(self) -> list[str]:
        """The entries as drawn, without trailing blanks, and without the row that says how many more there are."""
        view = self.transcript
        return [view.render_line(y).text.rstrip() for y in range(view.size.height - bool(view.foot))]


@pytest.fixture
def entries() -> Entries:
    return Entries()
