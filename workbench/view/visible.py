"""Text from outside, made safe to draw: what would steer a terminal or hide from a reader is shown as a sign.

Replaced are control characters other than newline and tab, marks of direction, line and paragraph separators,
characters that take no room and join nothing, and lone surrogates. The joiners of emoji and of scripts stay.
"""

from __future__ import annotations

import re
import unicodedata

TAB = 4
"""Columns from one tab stop to the next."""

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_SEPARATORS = "\u2028\u2029"
_UNSEEN = "\u00ad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e01ef"
_SURROGATES = "\ud800-\udfff"
_ODD = re.compile(f"[{_CONTROLS}{_DIRECTION}{_SEPARATORS}{_UNSEEN}{_SURROGATES}]")
_BLANKS = re.compile("[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]{2,}")

_NARROW = "\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2400-\u2426\u2500-\u25fc"
NOT_NARROW = re.compile(f"[^{_NARROW}]")
"""Characters that may take two columns, or none; any other takes one."""


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"⟨U+{code:04X}⟩"


def cells(text: str) -> int:
    """Columns the text takes: two for wide characters, none for combining ones."""
    if text.isascii() or not NOT_NARROW.search(text):
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    joined = sum(unicodedata.combining(character) > 0 for character in text)
    return len(text) + wide - joined


def _expand(line: str) -> str:
    *parts, last = line.split("\t")
    out, column = [], 0
    for part in parts:
        column += cells(part)
        blanks = TAB - column % TAB
        out += [part, " " * blanks]
        column += blanks
    return "".join([*out, last])


def visible(text: str) -> str:
    """The text with a visible sign for every character that has none, and with tabs expanded to stops of 4 columns.

    A character below U+0020 becomes its control picture (ESC is ␛), any other its number (⟨U+202E⟩). Newlines stay.
    A prefix of the text gives a prefix of the result, so offsets can be carried over.
    """
    if _ODD.search(text):
        text = _ODD.sub(_sign, text)
    if "\t" in text:
        text = "\n".join(_expand(line) for line in text.split("\n"))
    return text


def visible_blanks(text: str) -> str:
    """As `visible`, with every run of two or more blanks drawn as dots: nothing hides behind a gap."""
    return _BLANKS.sub(lambda run: "·" * len(run[0]), visible(text))
