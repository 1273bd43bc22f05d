"""Every key and what it does, made from the registry, and what the signs and the word step mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.tui.actions import Keymap, help_sections
from workbench.tui.paint import contents
from workbench.tui.screens import Dialog, KeysRow
from workbench.tui.situation import ScreenName
from workbench.view.entries import Line, Role, Span

SIGNS: tuple[tuple[str, Role, str], ...] = (
    ("✓", "go", "It went well, or was allowed."),
    ("▲", "wait", "It waits for you."),
    ("⊘", "error", "Denied, cancelled or locked: it did not happen."),
    ("◆", "held", "Held at the door: the model has not read this result."),
    ("✗", "error", "An error."),
    ("≠", "changed", "Changed by you or by a fault; the original is one key away."),
    ("■", "error", "Stopped without an answer."),
    ("◀", "past", "You are looking at the past; the run waits where it was."),
    ("~", "quiet", "Estimated; the provider gave no figure."),
)
WORDS: tuple[tuple[str, Role, str], ...] = (
    ("step", "", "One reply of the model. The step cap counts these."),
    ("move", "", "What one press of space does: ask the model, run a tool, pass a result on."),
)
ELSEWHERE = ("Script editor", "Fault matrix", "Compare", "Home")
"""What the help has last on the Run screen: keys that do not work there."""
KEYS = 15
"""Cells for the keys; longer ones stand on a row of their own."""
GAP = 4
TWO_COLUMNS = 100


class HelpScreen(Dialog[None]):
    """The help. It closes with the keys that opened it, too."""

    AUTO_FOCUS = "VerticalScroll"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1", "close", "close", show=False),
        Binding("j", "scroll(1)", "down", show=False),
        Binding("k", "scroll(-1)", "up", show=False),
    ]
    DEFAULT_CSS = """
    HelpScreen { background: $background; color: $foreground; }
    HelpScreen .top { height: 1; padding: 0 1; background: $surface; }
    HelpScreen VerticalScroll { height: 1fr; padding: 1 1 0 1; scrollbar-size-vertical: 1; }
    HelpScreen #text { height: auto; }
    """

    def __init__(self, screen: ScreenName, keymap: Keymap) -> None:
        super().__init__()
        self._sections = ordered(help_sections(keymap), screen)

    def compose(self) -> ComposeResult:
        title = Content.assemble(("Help", "bold"), ("   every key, by where it works", "$wb-quiet"))
        yield Static(title, classes="top")
        with VerticalScroll():
            yield Static("", id="text")
        yield KeysRow((("down", "↑ ↓", "line"), ("pagedown", "pgdn", "page"), ("escape", "esc", "close")))

    def on_resize(self) -> None:
        width = self.size.width - 3
        self.query_one("#text", Static).update(contents(help_lines(self._sections, width)))

    def action_close(self) -> None:
        self.dismiss(None)

    def action_scroll(self, rows: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)


Section = tuple[str, Sequence[tuple[str, Role, str]]]
"""Heading, and rows of key or sign, its colour role, and a sentence."""


def ordered(sections: Mapping[str, Sequence[tuple[str, str]]], screen: ScreenName) -> list[Section]:
    """What helps on this screen first; then signs and words, then what is elsewhere."""
    of_keys: list[Section] = [
        (name, [(keys, "primary", sentence) for keys, sentence in rows]) for name, rows in sections.items()
    ]
    glossary: list[Section] = [("Signs", SIGNS), ("Words", WORDS)]
    own = {
        "home": ["Home", "Everywhere"],
        "editor": ["Script editor", "Everywhere"],
        "matrix": ["Fault matrix", "Everywhere"],
        "compare": ["Compare", "Everywhere"],
    }.get(screen)
    if own is None:
        elsewhere = [each for name in ELSEWHERE for each in _only(of_keys, name)]
        return [*(each for each in of_keys if each not in elsewhere), *glossary, *elsewhere]
    first = [each for name in own for each in _only(of_keys, name)]
    return [*first, *glossary, *(each for each in of_keys if each not in first)]


def _only(sections: Sequence[Section], name: str) -> list[Section]:
    return [each for each in sections if each[0] == name]


def help_lines(sections: Sequence[Section], width: int) -> list[Line]:
    """The help at that width: two columns of much the same length where there is room, else one."""
    if width < TWO_COLUMNS - GAP:
        return [line for section in sections for line in _section(section, width)]
    half = (width - GAP) // 2
    blocks = [_section(section, half) for section in sections]
    total = sum(map(len, blocks))
    left: list[Line] = []
    while blocks and len(left) + len(blocks[0]) // 2 < total / 2:
        left += blocks.pop(0)
    right = [line for block in blocks for line in block]
    rows = max(len(left), len(right))
    left += [()] * (rows - len(left))
    right += [()] * (rows - len(right))
    return [(*a, Span(" " * (half + GAP - _cells(a))), *b) for a, b in zip(left, right, strict=True)]


def _section(section: Section, width: int) -> list[Line]:
    name, rows = section
    rule = "─" * max(0, width - cell_len(name) - 1)
    lines: list[Line] = [(Span(f"{name} ", "quiet", bold=True), Span(rule, "rule"))]
    for keys, role, sentence in rows:
        first, *rest = wrap(sentence, max(10, width - KEYS), break_on_hyphens=False) or [""]
        if cell_len(keys) < KEYS:
            lines.append((Span(keys, role, bold=True), Span(" " * (KEYS - cell_len(keys))), Span(first)))
        else:
            lines += [(Span(keys, role, bold=True),), (Span(" " * KEYS), Span(first))]
        lines += [(Span(" " * KEYS), Span(line)) for line in rest]
    return [*lines, ()]


def _cells(line: Line) -> int:
    return sum(cell_len(span.text) for span in line)
