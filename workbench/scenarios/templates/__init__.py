"""What a new script begins with, and pieces to put into one: TOML files in this folder."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tomli_w

FOLDER = Path(__file__).parent
ABOUT = {
    "text-loop": "The loop at its plainest: actions and an answer as lines of text.",
    "json-loop": "Each reply is one JSON object; a mistake is corrected.",
    "native-gate": "Calls as a provider sends them, and a person who is asked first.",
    "made-up-tool": "A tool that is not there is called; the model is corrected, and answers.",
    "be-the-model": "No script: you type each reply yourself.",
    "faults": "Things go wrong on purpose: a wrong number, a provider that is away.",
    "empty": "A goal and an answer.",
    "pipeline": "Steps in an order that is written down; a model is asked where one says so.",
    "router": "The model chooses one of several rows of steps, once.",
}
"""Every template with a line about it, in the order in which they are offered."""


@dataclass(frozen=True, slots=True)
class Template:
    """A script to begin with."""

    name: str
    about: str

    @property
    def title(self) -> str:
        """The name as words."""
        return self.name.replace("-", " ")

    def text(self, title: str) -> str:
        """The text of a new script with that title."""
        line, _, rest = (FOLDER / f"{self.name}.toml").read_text(encoding="utf-8").partition("\n")
        assert line.startswith("title = "), f"{self.name}.toml begins with its title"
        return f"{tomli_w.dumps({'title': title})}{rest}"


@dataclass(frozen=True, slots=True)
class Piece:
    """A table to put into a script."""

    title: str
    text: str


@cache
def templates() -> tuple[Template, ...]:
    """All templates."""
    return tuple(Template(name, about) for name, about in ABOUT.items())


@cache
def pieces() -> tuple[Piece, ...]:
    """All pieces but replies, which depend on the protocol of the script."""
    data = tomllib.loads((FOLDER / "pieces.toml").read_text(encoding="utf-8"))
    return tuple(Piece(**table) for table in data["piece"])


def file_name(title: str) -> str:
    """A name for the file of a script with that title: "Two cities!" is two-cities.toml."""
    stem = re.sub(r"[^\w]+", "-", title.lower()).strip("-_")[:60].rstrip("-_")
    return f"{stem or 'script'}.toml"
