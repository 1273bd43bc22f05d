"""The settings of a person, `workbench.toml`: which theme, which keys. Reading never fails; what is wrong is said.

theme = "paper"

[keys]
open_and_run = "g"
"""

from __future__ import annotations

import contextlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.scenarios.locate import Locations

KEYS = ("theme", "keys")
_THEME_LINE = re.compile(r"(?m)^[ \t]*theme[ \t]*=[^\n]*$")


class SettingsError(Exception):
    """Settings that cannot be written; the message is a sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the file says, as far as it can be used. Names of themes and actions are checked by who knows them."""

    file: Path
    theme: str = ""
    """The name of a theme; "" when none is chosen."""
    keys: Mapping[str, Any] = field(default_factory=dict)
    """Action name to keys, unchecked."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """The line of each action name, and of "theme"."""
    problems: tuple[str, ...] = ()
    """A sentence for each thing that cannot be used."""

    def where(self, name: str) -> str:
        """File and line of the setting, for a sentence about it."""
        return f"{self.file}:{self.lines[name]}" if name in self.lines else str(self.file)


def read_settings(file: Path) -> Settings:
    """The settings in the file; the defaults when there is none. Raises nothing."""
    try:
        text = _text(file)
        data = tomllib.loads(text)
    except FileNotFoundError:
        return Settings(file=file)
    except OSError as error:
        return Settings(file=file, problems=(f"{file} cannot be read: {error.strerror or error}",))
    except UnicodeDecodeError as error:
        return Settings(file=file, problems=(f"{file}: is not UTF-8: byte 0x{error.object[error.start]:02x}",))
    except (ValueError, RecursionError) as error:
        return Settings(file=file, problems=(f"{file}: {_not_toml(error)}",))
    from workbench.scenarios.locate import locate  # most people have no settings, and everybody waits for a first frame

    return _checked(file, data, locate(text))


def write_theme(file: Path, name: str) -> None:
    """Make `name` the theme in the file, and leave everything else in it as it is. Raises SettingsError."""
    from workbench.scenarios.files import write_whole

    try:
        before = _text(file)
        data = tomllib.loads(before)
    except FileNotFoundError:
        before, data = "", {}
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{file} is not changed, because it {_not_toml(error)}") from None
    try:
        write_whole(file, _with_theme(before, data, name))
    except OSError as error:
        raise SettingsError(f"{file} cannot be written: {error.strerror or error}") from error


def _text(file: Path) -> str:
    return file.read_bytes().decode("utf-8-sig")


def _not_toml(error: Exception) -> str:
    return "is nested too deeply" if isinstance(error, RecursionError) else f"is not TOML: {error}"


def _checked(file: Path, data: Mapping[str, Any], locations: Locations) -> Settings:
    from workbench.scenarios.errors import nearest, shown

    problems: list[str] = []

    def wrong(path: tuple[str, ...], message: str) -> None:
        problems.append(f"{file}:{locations.line(path)}: {'.'.join(path)}: {message}")

    for key in data:
        if key not in KEYS:
            near = nearest(key, KEYS)
            wrong((key,), f"is no setting; {f'did you mean {near}?' if near else 'there are theme and [keys]'}")
    theme = data.get("theme", "")
    if not isinstance(theme, str):
        wrong(("theme",), f"must be the name of a theme, in quotes, not {shown(theme)}")
        theme = ""
    keys = data.get("keys", {})
    if not isinstance(keys, dict):
        wrong(("keys",), f'must be a table with lines such as run = "g", not {shown(keys)}')
        keys = {}
    if "theme" in keys:
        wrong(("keys", "theme"), "belongs at the top, before any [table]")
    keys = {name: value for name, value in keys.items() if name != "theme"}
    lines = {name: locations.line(("keys", name)) for name in keys}
    if theme:
        lines["theme"] = locations.line(("theme",))
    return Settings(file=file, theme=theme, keys=keys, lines=lines, problems=tuple(problems))


def _with_theme(before: str, data: Mapping[str, Any], name: str) -> str:
    """The text with another theme. Comments and order stay, wherever a change of one line says the same."""
    import tomli_w

    wanted = {**data, "theme": name}
    line = tomli_w.dumps({"theme": name}).rstrip("\n")
    replaced = _THEME_LINE.sub(lambda _: line, before, count=1)
    above = f"{line}\n\n{before}" if before else f"{line}\n"
    for text in (replaced, above):
        with contextlib.suppress(ValueError):
            if tomllib.loads(text) == wanted:
                return text
    return tomli_w.dumps(wanted)
