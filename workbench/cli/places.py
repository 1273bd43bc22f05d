"""From what a person typed to the home and the files meant."""

from __future__ import annotations

import argparse
from difflib import get_close_matches
from pathlib import Path

from workbench.cli.errors import BadInput
from workbench.cli.helps import near_command
from workbench.home import Home, find_home, trust


def home_of(options: argparse.Namespace) -> Home:
    """The workbench folder for a command; `--trust` is remembered first."""
    if options.trust:
        folder = Path(options.trust).expanduser().resolve()
        if not folder.is_dir():
            raise BadInput(f"--trust: there is no folder {options.trust}")
        trust(folder)
    return find_home(options.home, tools=tuple(options.tools))


def again(options: argparse.Namespace) -> list[str]:
    """The options that lead a later command to the same workbench folder and tools."""
    home = [] if options.home is None else ["--home", options.home]
    return [*home, *(word for folder in options.tools for word in ("--tools", folder))]


def scenario_file(name: str, home: Home) -> Path:
    """The scenario of that path, or of that name in a scripts folder."""
    return _found(name, home.scripts, "scenario", "scripts")


def session_file(name: str, home: Home) -> Path:
    """The session of that path, or of that name in a sessions folder."""
    return _found(name, home.session_folders, "session", "sessions")


def scenario_or_session(name: str, home: Home) -> Path:
    """The file of that path, or the scenario, or else the session, of that name."""
    command = near_command(name)
    hint = f"; did you mean the command {command}?" if command else ""
    folders = (*home.scripts, *home.session_folders)
    return _found(name, folders, "scenario or session", "scripts or sessions", hint)


def session_or_scenario(name: str, home: Home) -> Path:
    """The file of that path, or the session, or else the scenario, of that name."""
    return _found(name, (*home.session_folders, *home.scripts), "session or scenario", "sessions or scripts")


def _found(name: str, folders: tuple[Path, ...], what: str, listing: str, hint: str = "") -> Path:
    if not name.strip():
        raise BadInput(f"the name of a {what} is empty; workbench {listing} lists those there are")
    path = Path(name)
    if path.is_file():
        return path.resolve()
    if path.is_dir():
        raise BadInput(f"{name} is a folder; a {what} is a file")
    stem = name.removesuffix(".toml")
    for folder in folders:
        candidate = folder / f"{stem}.toml"
        if candidate.is_file() and candidate.resolve().is_relative_to(folder.resolve()):
            return candidate
    near = get_close_matches(stem, {file.stem for folder in folders for file in folder.glob("*.toml")}, n=1)
    hint = hint or (f"; did you mean {near[0]}?" if near else f"; workbench {listing} lists those there are")
    raise BadInput(f"there is no {what} {name}{hint}")
