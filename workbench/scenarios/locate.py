"""Which line a key stands on, in a TOML text: what a TOML parser knows and does not tell.

The scanner reads structure only (headers, keys, strings, arrays, inline tables, comments) and checks nothing: where a
text is no TOML, it gives what it found up to there. It also notes keys that are given twice.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from workbench.scenarios.errors import Path

_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_KEY = re.compile(r"""[ \t]*+(?:([A-Za-z0-9_-]++)|"((?:[^"\\\n]|\\.)*+)"|'([^'\n]*+)')[ \t]*+""")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r'|"(?!"")(?:[^"\\\n]|\\.)*+"'
    r"|'(?!'')[^'\n]*+'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]++")


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is first mentioned. `dotted` is a table that exists only because a key was written `a.b`."""

    line: int
    how: Literal["key", "dotted", "table", "item"]


@dataclass(frozen=True, slots=True)
class Pair:
    """A key with its value: from which line to which; `end` is 0 where the value does not end."""

    path: Path
    line: int
    end: int = 0


@dataclass(slots=True)
class Locations:
    """Every path of a text with its place, and the paths that are given twice with both lines."""

    places: dict[Path, Place] = field(default_factory=dict)
    twice: list[tuple[Path, int, int]] = field(default_factory=list)
    last: Pair | None = None
    """The last value that was begun under its header. In a text that is no TOML, what is wrong is in it or after it."""

    def line(self, path: Path) -> int:
        """The line of the path, or of the nearest table around it; 1 where there is none."""
        for end in range(len(path), 0, -1):
            if place := self.places.get(path[:end]):
                return place.line
        return 1

    def is_dotted(self, path: Path) -> bool:
        """Whether there is such a table only because of a key with a dot in it."""
        place = self.places.get(path)
        return place is not None and place.how == "dotted"


def locate(text: str) -> Locations:
    """The places of all keys of the text. Never raises; a text that is no TOML gives the places before the fault."""
    scanner = _Scanner(text.replace("\r\n", "\n"))
    with suppress(_LostError, RecursionError):
        scanner.document()
    return scanner.found


class _LostError(Exception):
    pass


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found = Locations()
        self._newlines = [match.start() for match in re.finditer("\n", text)]
        self._arrays: dict[Path, int] = {}
        self._given: dict[Path, int] = {}

    def document(self) -> None:
        table: Path = ()
        while True:
            self._blank()
            if self.at >= len(self.text):
                return
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)

    # ------------------------------------------------------------ structure

    def _header(self) -> Path:
        line = self._line()
        self.found.last = None
        array = self.text.startswith("[[", self.at)
        self.at += 2 if array else 1
        keys = self._keys()
        self._expect("]]" if array else "]")
        path: Path = ()
        for key in keys[:-1]:
            path = self._latest((*path, key))
            self._put(path, line, "table")
        path = (*path, keys[-1])
        if not array:
            self._give(path, line)
            self._put(path, line, "table")
            return path
        count = self._arrays.get(path, 0)
        if count == 0:
            self._give(path, line)
            self._put(path, line, "table")
        self._arrays[path] = count + 1
        self._put((*path, count), line, "item")
        return (*path, count)

    def _pair(self, table: Path) -> None:
        line = self._line()
        keys = self._keys()
        path = table
        for key in keys[:-1]:
            path = (*path, key)
            if path in self._given:
                self._give(path, line)
            self._put(path, line, "dotted")
        path = (*path, keys[-1])
        self._give(path, line)
        self._put(path, line, "key")
        self._expect("=")
        self.found.last = Pair(path, line)
        self._value(path)
        self.found.last = Pair(path, line, self._line())

    def _value(self, path: Path) -> None:
        self._spaces()
        start = self.text[self.at : self.at + 1]
        if start == "[":
            self._array(path)
        elif start == "{":
            self._inline_table(path)
        else:
            match = (_STRING if start in ('"', "'") else _SCALAR).match(self.text, self.at)
            if match is None:
                raise _LostError
            self.at = match.end()

    def _array(self, path: Path) -> None:
        self.at += 1
        index = 0
        while not self._ends("]"):
            self._put((*path, index), self._line(), "item")
            self._value((*path, index))
            index += 1
            self._separator("]")

    def _inline_table(self, path: Path) -> None:
        self.at += 1
        around = self.found.last
        while not self._ends("}"):
            self._pair(path)
            self.found.last = around
            self._separator("}")

    def _keys(self) -> list[str]:
        keys = []
        while True:
            match = _KEY.match(self.text, self.at)
            if match is None:
                raise _LostError
            self.at = match.end()
            bare, basic, literal = match.groups()
            keys.append(bare if bare is not None else literal if literal is not None else _unescaped(basic))
            if not self.text.startswith(".", self.at):
                return keys
            self.at += 1

    # ------------------------------------------------------------ characters

    def _blank(self) -> None:
        match = _BLANK.match(self.text, self.at)
        assert match is not None
        self.at = match.end()

    def _spaces(self) -> None:
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1

    def _ends(self, closing: str) -> bool:
        self._blank()
        if not self.text.startswith(closing, self.at):
            return False
        self.at += 1
        return True

    def _separator(self, closing: str) -> None:
        self._blank()
        if self.text.startswith(",", self.at):
            self.at += 1
        elif not self.text.startswith(closing, self.at):
            raise _LostError

    def _expect(self, token: str) -> None:
        if not self.text.startswith(token, self.at):
            raise _LostError
        self.at += len(token)

    def _line(self) -> int:
        return bisect_right(self._newlines, self.at - 1) + 1

    # ------------------------------------------------------------ findings

    def _latest(self, path: Path) -> Path:
        """The path itself, or for an array of tables that of its latest table."""
        count = self._arrays.get(path)
        return path if count is None else (*path, count - 1)

    def _put(self, path: Path, line: int, how: Literal["key", "dotted", "table", "item"]) -> None:
        self.found.places.setdefault(path, Place(line, how))

    def _give(self, path: Path, line: int) -> None:
        if path in self._given:
            self.found.twice.append((path, self._given[path], line))
        elif self.found.is_dotted(path):
            self.found.twice.append((path, self.found.places[path].line, line))
        else:
            self._given[path] = line


def _unescaped(basic: str) -> str:
    if "\\" not in basic:
        return basic
    try:
        return str(tomllib.loads(f'key = "{basic}"')["key"])
    except tomllib.TOMLDecodeError:
        return basic
