"""From what a person typed to the home and the files meant."""

from __future__ import annotations

import argparse
from pathlib import Path

from workbench.cli.errors import BadInput
from workbench.home import Home, find_home, trust


def home_of(options: argparse.Namespace) -> Home:
    """The workbench folder for a command; `--trust` is remembered first."""
    if options.trust:
        folder = Path(options.trust).expanduser().resolve()
        if not folder.is_dir():
            raise BadInput(f"--trust: there is no folder {options.trust}")
        trust(folder)
    return find_home(options.home, tools=tuple(options.tools))


def scenario_file(name: str, home: Home) -> Path:
    """The scenario of that path, or of that name in a scripts folder."""
    return _found(name, home.scripts, "scenario", "workbench scripts")


def session_file(name: str, home: Home) -> Path:
    """The session of that path, or of that name in a sessions folder."""
    return _found(name, home.session_folders, "session", "workbench sessions")


def _found(name: str, folders: tuple[Path, ...], what: str, listing: str) -> Path:
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
    raise BadInput(f"there is no {what} {name}; {listing} lists those there are")
