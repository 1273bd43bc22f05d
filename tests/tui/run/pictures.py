"""What a terminal shows as text that can be kept in a file, read, and compared: every character, and every style."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape
from string import ascii_letters, digits
from typing import Any

from rich.segment import Segment
from rich.style import Style

LETTERS = ascii_letters + digits + "!#$%&*+=?@<>~^;:"


def picture(app: Any) -> str:
    """The rows; below them a letter for the style of each cell; below these what each letter stands for.

    The letters are given in the order in which the styles come, so that a change of one thing changes little.
    """
    width, height = app.size
    strips = list(app.screen._compositor.render_strips())[:height]
    letters: dict[str, str] = {}
    rows, looks = [], []
    for strip in strips:
        rows.append("".join(segment.text for segment in strip))
        looks.append("".join(_letters(strip, letters)))
    text = "\n".join(row.rstrip() for row in rows)
    styles = "\n".join(_short(row) for row in looks)
    legend = "\n".join(f"{letter}  {style}" for style, letter in letters.items())
    return f"{text}\n{'─' * width}\n{styles}\n{'─' * width}\n{legend}\n"


def _letters(segments: Iterable[Segment], letters: dict[str, str]) -> Iterable[str]:
    for segment in segments:
        style = _words(segment.style or Style())
        letter = letters.setdefault(style, LETTERS[len(letters)])
        yield letter * segment.cell_length


def _words(style: Style) -> str:
    """Colours and weight, in a fixed order; what cannot be seen, such as what a click does, left out."""
    words = [name for name in ("bold", "italic", "underline", "reverse") if getattr(style, name)]
    words.append(style.color.name if style.color is not None else "default")
    words += ["on", style.bgcolor.name] if style.bgcolor is not None else []
    return " ".join(words)


def _short(row: str) -> str:
    """A row of letters as runs: 12a 3b."""
    return " ".join(f"{len(run[0])}{run[1]}" for run in re.finditer(r"(.)\1*", row))


def svg_said(svg: str) -> list[tuple[str, str]]:
    """The pieces of text in a picture of the terminal, each with its colour, whatever else the picture is made of."""
    fills = dict(re.findall(r"\.([\w-]+) \{ fill: (#\w+)", svg))
    pieces = re.findall(r'<text class="([\w-]+)"[^>]*>([^<]*)</text>', svg)
    return [(unescape(text).replace("\xa0", " "), fills.get(name, "")) for name, text in pieces]
