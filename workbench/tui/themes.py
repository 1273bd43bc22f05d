"""Themes as files: five colours and twelve roles, checked before Textual sees them, which would stop at a bad one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from textual.color import Color, ColorParseError
from textual.theme import Theme

COLORS = ("background", "surface", "panel", "foreground", "primary")
ROLES = ("quiet", "rule", "user", "model", "result", "notice", "error", "changed", "go", "wait", "held", "past")
QUIET_MIXES = (0.3, 0.2, 0.1, 0.0)
"""How much background may be in the quiet text of a theme that does not say: the first that can still be read."""
QUIET_CONTRAST = 4.0
"""The least contrast of it, as a ratio."""

_KEYS = {"": ("name", "dark", "colors", "roles"), "colors": COLORS, "roles": ROLES}


class ThemeError(ValueError):
    """A theme file that cannot be used: one sentence with file, line, key and value."""


def parse_theme(text: str, file: str) -> Theme:
    """The theme in a TOML text; `file` is for messages. Raises ThemeError."""
    try:
        data = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise ThemeError(f"{file}: {error}") from None
    return _Reader(text, file).theme(data)


def load_theme(path: Path) -> Theme:
    """The theme in a file. Raises ThemeError, also for a file that cannot be read."""
    try:
        return parse_theme(path.read_bytes().decode(), str(path))
    except OSError as error:
        raise ThemeError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise ThemeError(f"{path}: not UTF-8 at byte {error.start}") from None


def load_themes(folders: Iterable[Path]) -> tuple[dict[str, Theme], list[str]]:
    """The themes of all `*.toml` in the folders by name, and a sentence for each file that cannot be used.

    Earlier folders win over later ones; two files of one folder must not have the same name.
    """
    themes: dict[str, Theme] = {}
    problems: list[str] = []
    for folder in folders:
        here: dict[str, Path] = {}
        for path in sorted(folder.glob("*.toml")):
            try:
                theme = load_theme(path)
            except ThemeError as error:
                problems.append(str(error))
                continue
            if theme.name in here:
                problems.append(f'{path}: name = "{theme.name}" is also the name in {here[theme.name].name}')
                continue
            here[theme.name] = path
            themes.setdefault(theme.name, theme)
    return themes, problems


def role_defaults(current: Theme, dark: Theme, light: Theme) -> dict[str, str]:
    """The roles for a theme that lacks some, for `App.get_theme_variable_defaults`: all of `dark` or of `light`.

    Text and quiet text are those of the current theme, quiet being mixed from its text and background.
    """
    own = dark if current.dark else light
    defaults = {name: value for name, value in own.variables.items() if name.startswith("wb-")}
    colors = current.to_color_system().generate()
    text, ground = Color.parse(colors["foreground"]), Color.parse(colors["background"])
    if text.ansi is None and ground.ansi is None:
        mixes = [text.blend(ground, share) for share in QUIET_MIXES]
        defaults["wb-quiet"] = next((mix for mix in mixes if contrast(mix, ground) >= QUIET_CONTRAST), text).hex
        defaults["wb-model"] = text.hex
    return defaults


def contrast(first: Color, second: Color) -> float:
    """The contrast ratio of WCAG 2, from 1 to 21."""
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


class _Reader:
    """Checks one file. It holds what messages need."""

    def __init__(self, text: str, file: str) -> None:
        self._lines = text.splitlines()
        self._file = file

    def theme(self, data: Mapping[str, Any]) -> Theme:
        self._keys("", data)
        name = self._get(data, "", "name", str, "a name")
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
            self._fail("", "name", name, "lower case letters, digits and hyphens")
        dark = self._get(data, "", "dark", bool, "true or false")
        colors = self._colors(data, "colors", COLORS)
        roles = self._colors(data, "roles", ROLES)
        return _theme(name, dark, colors, roles)

    def _colors(self, data: Mapping[str, Any], table: str, names: tuple[str, ...]) -> dict[str, str]:
        values = self._get(data, "", table, dict, "a table")
        self._keys(table, values)
        out = {}
        for name in names:
            text = self._get(values, table, name, str, 'a colour such as "#8ab8ff"')
            try:
                color = Color.parse(text)
            except ColorParseError:
                self._fail(table, name, text, 'a colour such as "#8ab8ff"')
            if color.ansi is not None or color.auto or color.a != 1:
                self._fail(table, name, text, 'an opaque colour such as "#8ab8ff"')
            out[name] = color.hex.lower()
        return out

    def _keys(self, table: str, values: Mapping[str, Any]) -> None:
        for key in values:
            if key in _KEYS[table]:
                continue
            place = f"[{table}]" if table else "the top of a theme"
            home = next((each for each, keys in _KEYS.items() if key in keys), None)
            if home:
                hint = f"it belongs in [{home}]"
            elif home == "":
                hint = "it belongs at the top, before any [table]"
            else:
                near = get_close_matches(key, _KEYS[table], 1)
                hint = f"did you mean {near[0]}?" if near else f"valid are {', '.join(_KEYS[table])}"
            raise ThemeError(f"{self._where(table, key)}: {key} does not belong in {place}; {hint}")

    def _get(self, values: Mapping[str, Any], table: str, key: str, kind: type, valid: str) -> Any:
        dotted = f"{table}.{key}" if table else key
        if key not in values:
            raise ThemeError(f"{self._file}: {dotted} is missing; it must be {valid}")
        value = values[key]
        if not isinstance(value, kind):
            self._fail(table, key, value, valid)
        return value

    def _fail(self, table: str, key: str, value: object, valid: str) -> None:
        dotted = f"{table}.{key}" if table else key
        shown = f'"{value}"' if isinstance(value, str) else repr(value)
        raise ThemeError(f"{self._where(table, key)}: {dotted} = {shown} must be {valid}")

    def _where(self, table: str, key: str) -> str:
        """File and line of a key; the file alone where it is written in some other way than on a line of its own."""
        inside = ""
        for number, line in enumerate(self._lines, 1):
            if header := re.match(r"\s*\[\s*([\w-]+)\s*\]", line):
                inside = header[1]
                if not table and inside == key:
                    return f"{self._file}, line {number}"
            elif inside == table and re.match(rf"""\s*["']?{re.escape(key)}["']?\s*=""", line):
                return f"{self._file}, line {number}"
        return self._file


def _theme(name: str, dark: bool, colors: Mapping[str, str], roles: Mapping[str, str]) -> Theme:
    """A Textual theme with the roles as variables, and its own widgets in the same colours."""
    own = {f"wb-{role}": color for role, color in roles.items()}
    textual = {
        "text-muted": roles["quiet"],
        "border": colors["primary"],
        "border-blurred": roles["rule"],
        "block-cursor-background": colors["panel"],
        "block-cursor-foreground": colors["foreground"],
        "block-cursor-text-style": "bold",
        "footer-key-foreground": colors["primary"],
        "scrollbar": roles["rule"],
        "scrollbar-hover": roles["quiet"],
        "scrollbar-active": colors["primary"],
        "scrollbar-background": colors["background"],
        "scrollbar-background-hover": colors["background"],
        "scrollbar-background-active": colors["background"],
        "scrollbar-corner-color": colors["background"],
    }
    return Theme(
        name=name,
        dark=dark,
        background=colors["background"],
        surface=colors["surface"],
        panel=colors["panel"],
        foreground=colors["foreground"],
        primary=colors["primary"],
        secondary=roles["result"],
        accent=roles["past"],
        warning=roles["wait"],
        error=roles["error"],
        success=roles["go"],
        variables={**own, **textual},
    )
