"""Colours for text in a known language. The lexers are imported when there is something to colour."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from typing import Any, Literal

from workbench.view.entries import Line, Role, Span

Language = Literal["", "json", "toml", "python", "markdown"]
Look = tuple[Role, bool, bool]
"""Colour role, bold, italic."""

MOST = {"json": 100_000, "toml": 20_000, "python": 20_000, "markdown": 20_000}
"""Characters that are coloured: beyond them a reader would wait for it."""

SUFFIXES: dict[str, Language] = {"json": "json", "toml": "toml", "py": "python", "md": "markdown"}
PLAIN: Look = ("", False, False)

_LOOKS: dict[str, Look] = {
    "Comment": ("quiet", False, True),
    "Error": PLAIN,
    "Generic.Emph": ("", False, True),
    "Generic.Heading": ("", True, False),
    "Generic.Strong": ("", True, False),
    "Generic.Subheading": ("", True, False),
    "Keyword": ("", True, False),
    "Keyword.Constant": PLAIN,
    "Literal.Date": ("changed", False, False),
    "Literal.Number": ("changed", False, False),
    "Literal.String": ("result", False, False),
    "Name.Class": ("", True, False),
    "Name.Function": ("", True, False),
}
"""By token; one that is not named here looks as the nearest one above it."""

_PYTHON = re.compile(
    r"^(?:(?:async )?def \w+\(|class \w+[(:]|import [\w.]+(?: as \w+)?$|from [\w.]+ import [\w(*]|#!.*\bpython)",
    re.MULTILINE,
)
_TOML = re.compile(r"^(?:\[{1,2}[\w.\"-]+\]{1,2}|[\w.-]+ *= *\S.*)$", re.MULTILINE)
_MARKDOWN = re.compile(r"\A\s*#{1,6} \S|^(?:#{1,6} \S.*\n\n|```\w*$|[-*] \S.*\n[-*] \S)", re.MULTILINE)


def language_of(text: str, path: str = "") -> Language:
    """The language of a text, where its file's name or the text itself leaves no doubt; "" elsewhere. Never raises."""
    named = SUFFIXES.get(path.rpartition(".")[2].lower())
    if named is not None:
        return named
    if len(text) > max(MOST.values()):
        return ""
    start = text.lstrip()[:1]
    if start in ("{", "[") and _parses(text, "json"):
        return "json"
    if len(text) > MOST["python"]:
        return ""
    if _TOML.search(text) and "\n" in text.strip() and _parses(text, "toml"):
        return "toml"
    if _PYTHON.search(text):
        return "python"
    return "markdown" if _MARKDOWN.search(text) else ""


def highlight(text: str, language: Language) -> list[Line]:
    """The lines of a text in its colours; without any where the text is too long for that. The text stays as it is."""
    if not language or len(text) > MOST[language]:
        return [(Span(line),) for line in text.split("\n")]
    lines: list[Line] = []
    line: list[Span] = []
    for piece, look in _pieces(text, language):
        first, *others = piece.split("\n")
        if first:
            line.append(Span(first, *look))
        for other in others:
            lines.append(tuple(line))
            line = [Span(other, *look)] if other else []
    return [*lines, tuple(line)]


def _pieces(text: str, language: str) -> Iterator[tuple[str, Look]]:
    """The text in pieces of one look each."""
    begun, looks = "", PLAIN
    for _, token, piece in _lexer(language).get_tokens_unprocessed(text):
        look = _look(str(token).removeprefix("Token."))
        if look == looks:
            begun += piece
            continue
        if begun:
            yield begun, looks
        begun, looks = piece, look
    yield begun, looks


@cache
def _look(token: str) -> Look:
    """The look of a token: that of the longest prefix that has one."""
    names = [*accumulate(token.split("."), lambda before, name: f"{before}.{name}")]
    return next((_LOOKS[name] for name in reversed(names) if name in _LOOKS), PLAIN)


@cache
def _lexer(language: str) -> Any:
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]

    # Languages that the data itself names, in a code block, are not looked up.
    return get_lexer_by_name(language, handlecodeblocks=False)


def _parses(text: str, language: Language) -> bool:
    read = json.loads if language == "json" else tomllib.loads
    try:
        read(text)
    except (ValueError, RecursionError):
        return False
    return True
