"""Lines measured in cells, the columns of a terminal: cut, filled up, wrapped."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from workbench.view.entries import Line, Role, Span, line_text
from workbench.view.visible import cells, visible

NAME_ROOM = 40
"""Cells of a tool's name inside a sentence."""

JOINER = "\u200d"
TONES = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"


# ---------------------------------------------------------------- texts


def one_line(text: str) -> str:
    """The text on one line: newlines are ↵, and what cannot be seen is a sign."""
    return text if text.isascii() and text.isprintable() else visible(text.replace("\n", "↵"))


def briefly(text: str, room: int) -> str:
    """A text of one line as it is; "" for one that takes more lines, or more than `room` cells."""
    return "" if "\n" in text or cells(shown := one_line(text)) > room else shown


def cut(text: str, room: int) -> str:
    """At most `room` cells of a text on one line; what is cut ends in an ellipsis."""
    if len(text) * 2 <= room or cells(text) <= room:
        return text
    return f"{text[: _fits(text, 0, room - 1)]}…" if room > 0 else ""


def cut_line(text: str, room: int) -> str:
    """As `one_line`, at most `room` cells of it. Costs what is seen of the text, however long it is."""
    head = text[: 4 * max(room, 0) + 16]
    return cut(one_line(head) + ("…" if len(head) < len(text) else ""), room)


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Exactly `width` cells: cut, or filled up with blanks; `right` puts the text to the right edge."""
    text = cut(text, width)
    blanks = " " * (width - cells(text))
    return blanks + text if right else text + blanks


def _fits(text: str, at: int, room: int) -> int:
    """Where a row that starts at `at` must end: no character made of several is broken unless it alone is too wide."""
    if text.isascii():
        return min(len(text), at + room)
    used, end = 0, at
    while end < len(text):
        stop = _whole(text, end)
        took = cells(text[end:stop])
        if used + took > room:
            break
        used, end = used + took, stop
    return end


def _whole(text: str, at: int) -> int:
    """Where the character that starts at `at` ends, with the marks and joined signs that belong to it."""
    end = at + 1
    while end < len(text) and (text[end - 1] == JOINER or _joins(text[end])):
        end += 1
    return end


def _joins(character: str) -> bool:
    return (
        character in (JOINER, "\ufe0e", "\ufe0f")
        or character in TONES
        or unicodedata.category(character) in ("Mn", "Me", "Mc")
    )


# ---------------------------------------------------------------- lines


def line_cells(line: Line) -> int:
    """Cells of a line."""
    return sum(cells(span.text) for span in line)


def clip(line: Line, width: int) -> Line:
    """At most `width` cells of a line; what is cut ends in an ellipsis."""
    if line_cells(line) <= width:
        return line
    out: list[Span] = []
    room = width
    for span in line:
        if cells(span.text) >= room:
            out.append(Span(cut(f"{span.text}…", room), span.role, span.bold, span.italic))
            break
        out.append(span)
        room -= cells(span.text)
    return tuple(out)


def heading(title: str, width: int, right: str = "", key: str = "") -> Line:
    """A title with a rule to its right, and a quiet word and its key at the end of it."""
    room = width - cells(title) - 1 - (cells(key) + 1 if key else 0)
    right = cut(right, max(0, room - 2))
    rule = "─" * (room - (cells(right) + 1 if right else 0))
    line = [Span(f"{title} ", "quiet", bold=True), Span(rule, "rule")]
    if key:
        line.append(Span(f" {key}", "primary", bold=True))
    if right:
        line.append(Span(f" {right}", "quiet"))
    return clip(tuple(line), width)


def fitted(line: Line, width: int) -> Line:
    """A title without its quiet end where both do not fit."""
    while len(line) > 1 and line[-1].role == "quiet" and line_cells(line) > width:
        line = line[:-1]
    return line


def wrap(line: Line, width: int, limit: int | None = None) -> list[Line]:
    """A line as rows of at most `width` cells, at blanks where there are any; at most `limit` rows, the first ones.

    The blank at which a row ends is left out. A character wider than `width`, or one made of many, is broken.
    """
    width = max(2, width)
    text = line_text(line)
    rows: list[Line] = []
    at = 0
    while limit is None or len(rows) < limit:
        end = max(_fits(text, at, width), min(at + 1, len(text)))
        if end == len(text):
            rows.append(line if at == 0 else _slice(line, at, end))
            break
        blank = text.rfind(" ", at + 1, end + 1)
        if blank > at and text[at:blank].strip(" "):
            rows.append(_slice(line, at, blank))
            at = blank + 1
        else:
            rows.append(_slice(line, at, end))
            at = end
    return rows


def wrapped(lines: Sequence[Line], width: int) -> list[Line]:
    """All the lines, wrapped."""
    return [row for line in lines for row in wrap(line, width)]


def within(lines: Sequence[Line], width: int, rows: int, total: int | None = None) -> tuple[list[Line], bool]:
    """At most `rows` rows of these lines, and whether that is all of them; if not, the last row says how much is left.

    `total` is how many lines there are where `lines` holds only the first ones, more than `rows` of them.
    """
    total = len(lines) if total is None else total
    out: list[Line] = []
    ends: list[int] = []
    for line in lines:
        out += wrap(line, width, rows + 1 - len(out))
        ends.append(len(out))
        if len(out) > rows:
            break
    if len(out) <= rows and total <= len(lines):
        return out, True
    kept = max(0, rows - 1)
    left = f"… {_left(lines, out[:kept], ends, total)}"
    note: Line = (Span(f"{left}, ", "quiet"), Span("v", "quiet", key="view"), Span(" shows all", "quiet"))
    return [*out[:kept], note if line_cells(note) <= width else (Span(cut(left, width), "quiet"),)], False


def _left(lines: Sequence[Line], shown: list[Line], ends: list[int], total: int) -> str:
    """What is not shown: how many lines, or of a single one that is shown in part, how many characters."""
    whole = sum(end <= len(shown) for end in ends)
    begins = ends[whole - 1] if whole else 0
    if total - whole == 1 and begins < len(shown):
        drawn = sum(len(line_text(row)) for row in shown[begins:])
        return f"{len(line_text(lines[whole])) - drawn:,} more characters"
    return f"{total - whole:,} more line{'' if total - whole == 1 else 's'}"


def text_rows(text: str, width: int, rows: int, role: Role = "") -> tuple[list[Line], bool]:
    """As `within`, for a text; costs what is seen of it."""
    first = [(Span(one_line(line), role),) for line in text.split("\n", rows + 1)[: rows + 1]]
    return within(first, width, rows, text.count("\n") + 1)


def _slice(line: Line, first: int, last: int) -> Line:
    out, at = [], 0
    for span in line:
        begin, end = max(first - at, 0), min(last - at, len(span.text))
        if begin < end:
            piece = span.text[begin:end]
            out.append(replace(span, text=piece, key=span.key if piece == span.text else ""))
        at += len(span.text)
    return tuple(out)
