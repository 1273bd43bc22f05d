"""What is wrong with a scenario, one sentence per problem, for the person who wrote the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

Path = tuple[str | int, ...]
"""Where a value stands: table and key names, and indices from 0 into arrays."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong. `line` counts from 1 and is 0 where there is no text; `key` is a dotted path."""

    file: str
    line: int
    key: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return visible(": ".join(part for part in (place, self.key, self.message) if part))


class ScenarioError(Exception):
    """A scenario that cannot be used, with every problem that was found; `str` gives one a line."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def visible(text: str) -> str:
    """The text with characters that a terminal would obey, or not show, written as escapes."""
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)


def dotted(path: Path) -> str:
    """The path as it is written: `model.reply[2].text`, with quotes around names that need them."""
    out = ""
    for part in path:
        if isinstance(part, int):
            out += f"[{part}]"
        else:
            name = part if _BARE.fullmatch(part) else json.dumps(part, ensure_ascii=False)
            out += f".{name}" if out else name
    return out


def shown(value: Any) -> str:
    """A value of a file inside a sentence."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, str | bool | int | float):
        text = json.dumps(value, ensure_ascii=False)
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return f"the date or time {value}"


def nearest(name: str, choices: Iterable[str]) -> str:
    """The choice that `name` is most likely meant to be; "" when none is near."""
    by_lower = {choice.lower(): choice for choice in choices}
    found = get_close_matches(name.lower(), by_lower, n=1)
    return by_lower[found[0]] if found else ""


def one_of(choices: Iterable[str]) -> str:
    """Choices inside a sentence: `"a", "b" or "c"`."""
    quoted = [json.dumps(choice, ensure_ascii=False) for choice in choices]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def unknown(name: str, choices: Sequence[str], what: str) -> str:
    """A sentence about a name that is none of the choices, e.g. `no tool "ad" here; did you mean "add"?`"""
    near = nearest(name, choices)
    sentence = f"{what} {json.dumps(name, ensure_ascii=False)}"
    if near:
        return f'{sentence}; did you mean "{near}"?'
    return f"{sentence}; there is {one_of(choices)}" if choices else f"{sentence}; there is none"
