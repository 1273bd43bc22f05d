"""What a transcript shows, as values: an entry is a role word and lines of coloured spans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from workbench.view.visible import visible

Role = Literal[
    "",
    "quiet",
    "primary",
    "user",
    "model",
    "result",
    "notice",
    "error",
    "changed",
    "go",
    "wait",
    "held",
    "past",
    "rule",
    "here",
    "lit",
]
"""A colour role; "" is the colour of plain text, "here" marks the place in a strip, "lit" the line of a list."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of one line. The text is data: it is never markup, and what cannot be seen in it is drawn as a sign."""

    text: str
    role: Role = ""
    bold: bool = False
    italic: bool = False
    key: str = ""
    """Where the text is a key: the action it is for. A person may have given that another one."""


Line = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a transcript, whole: wrapping and folding are done where it is drawn."""

    key: int
    """Number of the event it comes from; unique in a transcript."""
    step: int | None
    """The step it opens, for the first column."""
    word: str
    """The role in a word, at most 7 characters: USER, MODEL, RESULT, ERROR, …"""
    role: Role
    """Colour of the word and of the bar."""
    lines: tuple[Line, ...]
    meta: str = ""
    """A quiet first line: tool, source, time, trust."""
    data: bool = False
    """Data from outside: drawn behind a coloured bar."""
    fold_at: int | None = None
    """Rows shown while folded; None is never folded."""


class EntrySource(Protocol):
    """Where a transcript gets its entries, by position from 0.

    The first three are asked for every entry and have to be cheap; an entry is built only to be drawn. They agree with
    it: `text` is `plain(entry)`, `data` and `fold_at` are its fields.
    """

    def __len__(self) -> int: ...

    def text(self, index: int) -> str: ...

    def data(self, index: int) -> bool: ...

    def fold_at(self, index: int) -> int | None: ...

    def entry(self, index: int) -> Entry: ...


def line_text(line: Line) -> str:
    """The text of a line, without its looks."""
    return line[0].text if len(line) == 1 else "".join(span.text for span in line)


def lines_of(text: str, role: Role = "", *, bold: bool = False, italic: bool = False) -> tuple[Line, ...]:
    """The lines of a text, each as one span of that role."""
    return tuple((Span(line, role, bold, italic),) for line in text.split("\n"))


def flat(text: str) -> str:
    """A text that is to stand within a line."""
    return text.replace("\n", "↵") if "\n" in text else text


def all_lines(entry: Entry) -> tuple[Line, ...]:
    """The lines as drawn: the meta line first, when there is one."""
    return ((Span(entry.meta, "quiet"),), *entry.lines) if entry.meta else entry.lines


def plain(entry: Entry) -> str:
    """The text of all lines as drawn, before wrapping."""
    return "\n".join(line_text(line) for line in all_lines(entry))


def content(entry: Entry) -> str:
    """The text without the meta line: what is copied."""
    return "\n".join(line_text(line) for line in entry.lines)


def entry_lines(entry: Entry) -> list[str]:
    """An entry as text: step, word, and its lines beside them; what cannot be seen is shown as a sign."""
    step = f"{entry.step:>3}" if entry.step is not None else "   "
    lines = []
    for index, spans in enumerate(all_lines(entry)):
        text = visible(line_text(spans)).replace("\n", "↵")
        margin = f"{step} {entry.word:<8}" if index == 0 else " " * 12
        bar = "│ " if entry.data else ""
        lines.append(f"{margin}{bar}{text}".rstrip())
    return lines
