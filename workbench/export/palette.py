"""The colours of a theme, for forms that people look at; read without what draws a terminal."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

DARK, LIGHT = "ink", "paper"
SURFACES = ("background", "surface", "panel", "foreground", "primary")
ROLES = ("quiet", "rule", "user", "model", "result", "notice", "error", "changed", "go", "wait", "held", "past")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class NoPalette(Exception):
    """A theme that is not there, or whose colours cannot be used; the message is a sentence for people."""


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours as "#rrggbb", by the names that a theme gives them."""

    name: str
    dark: bool
    colours: Mapping[str, str]


def palettes(folders: Iterable[Path], name: str = "") -> tuple[Palette, ...]:
    """The theme of that name; without one a dark and a light one, for whoever looks to have the one they prefer.

    Earlier folders win. Raises NoPalette.
    """
    found = _themes(folders)
    return tuple(_palette(found, each) for each in ([name] if name else [DARK, LIGHT]))


def _themes(folders: Iterable[Path]) -> dict[str, tuple[Path, Mapping[str, Any]]]:
    """What stands in each theme file that can be read, by the name that it gives itself."""
    found: dict[str, tuple[Path, Mapping[str, Any]]] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.toml")):
            try:
                data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
            except (OSError, ValueError):
                continue
            found.setdefault(str(data.get("name", path.stem)), (path, data))
    return found


def _palette(found: Mapping[str, tuple[Path, Mapping[str, Any]]], name: str) -> Palette:
    if name not in found:
        near = get_close_matches(name, found, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(found))}"
        raise NoPalette(f"there is no theme {name} with colours of its own; {hint}")
    path, data = found[name]
    given: dict[str, Any] = {}
    for table in ("colors", "roles"):
        given |= data[table] if isinstance(data.get(table), dict) else {}
    for key in (*SURFACES, *ROLES):
        if not isinstance(given.get(key), str) or not _COLOUR.fullmatch(given[key]):
            raise NoPalette(f'{path}: {key} must be a colour such as "#8ab8ff" to be used outside the app')
    return Palette(name, bool(data.get("dark", True)), {key: given[key] for key in (*SURFACES, *ROLES)})
