"""Commands that list, explain and set up: tools, scripts, themes, where, init, schema, trust."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from pathlib import Path
from typing import Any

from workbench.cli.errors import BadInput
from workbench.cli.output import out
from workbench.cli.places import home_of
from workbench.cli.tables import Row, print_listing
from workbench.home import HOME_VARIABLE, Home, make_home, trust, trusted_folders
from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.loader import load_scenario
from workbench.toolkit.loader import load_tools
from workbench.view.visible import visible


def tools(options: argparse.Namespace) -> int:
    """`workbench tools`."""
    loaded = load_tools(home_of(options).tools)
    rows = [
        {
            "name": tool.info.name,
            "risk": tool.info.risk,
            "asks": tool.info.gated,
            "about": tool.info.description.split("\n")[0],
            "schema": json.loads(tool.info.schema),
            "file": str(tool.file),
        }
        for tool in loaded.tools.values()
    ]
    for problem in loaded.problems:
        print(visible(str(problem)), file=sys.stderr)
    for note in loaded.notes:
        print(visible(note), file=sys.stderr)
    print_listing(rows, ("name", "risk", "about"), options)
    return 0


def scripts(options: argparse.Namespace) -> int:
    """`workbench scripts`: the course in its order, then what is no lesson."""
    rows: list[dict[str, Any]] = []
    bad = []
    for path in _scenario_paths(home_of(options)):
        try:
            scenario = load_scenario(path)
        except ScenarioError as error:
            bad.append(str(error))
            continue
        rows.append(
            {
                "lesson": scenario.lesson,
                "name": path.stem,
                "title": scenario.title,
                "tags": list(scenario.tags),
                "about": scenario.about,
                "checked": scenario.expect is not None,
                "file": str(path),
            }
        )
    for sentence in bad:
        print(visible(sentence), file=sys.stderr)
    rows.sort(key=lambda row: math.inf if row["lesson"] is None else row["lesson"])
    print_listing(rows, ("lesson", "name", "title", "about"), options)
    return 0


def _scenario_paths(home: Home) -> list[Path]:
    return [path for folder in home.scripts for path in sorted(folder.rglob("*.toml"))]


def themes(options: argparse.Namespace) -> int:
    """`workbench themes`."""
    from workbench.tui.themes import load_themes

    found, problems = load_themes(home_of(options).themes)
    rows = [{"name": theme.name, "kind": "dark" if theme.dark else "light"} for theme in found.values()]
    for problem in problems:
        print(visible(problem), file=sys.stderr)
    print_listing(rows, ("name", "kind"), options)
    return 0


def where(options: argparse.Namespace) -> int:
    """`workbench where`."""
    home = home_of(options)
    rows: list[Row] = [
        {"what": "workbench folder", "where": str(home.root), "note": f"found as {home.found}"},
        {"what": "packaged examples", "where": str(home.packaged), "note": "always there"},
        *(
            {"what": f"new {folder.name}", "where": str(folder), "note": "" if folder.is_dir() else "not there yet"}
            for folder in (home.own_scripts, home.sessions)
        ),
        {"what": "index of sessions", "where": str(home.index), "note": "a cache: it may be deleted"},
        {"what": "settings", "where": str(home.settings), "note": "" if home.settings.is_file() else "not there"},
    ]
    for kind, folders in (("scripts", home.scripts), ("tools", home.tools), ("themes", home.themes)):
        rows += [{"what": kind, "where": str(folder), "note": ""} for folder in folders]
    if not home.tools_trusted and (home.root / "tools").is_dir():
        folder = home.root / "tools"
        rows.append({"what": "tools", "where": str(folder), "note": f"not loaded: workbench trust {home.root}"})
    return print_listing(rows, ("what", "where", "note"), options)


def init(options: argparse.Namespace) -> int:
    """`workbench init [FOLDER]`."""
    folder = Path(options.folder or os.environ.get(HOME_VARIABLE) or ".").expanduser().resolve()
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is not a folder")
    made = make_home(folder)
    for path in made:
        out(visible(f"made {path}"))
    out(visible(f"{folder} is a workbench folder{'' if made else ' already'}"))
    if folder / "tools" in made:
        trust(folder)
    elif folder not in trusted_folders():
        out(visible(f"its tools were there before; if you trust them: workbench trust {folder}"))
    return 0


def schema(_: argparse.Namespace) -> int:
    """`workbench schema`."""
    from workbench.scenarios.json_schema import scenario_json_schema

    out(json.dumps(scenario_json_schema(), indent=2))
    return 0


def trust_folder(options: argparse.Namespace) -> int:
    """`workbench trust FOLDER`."""
    folder = Path(options.folder).expanduser().resolve()
    if not folder.is_dir():
        raise BadInput(f"there is no folder {options.folder}")
    trust(folder)
    out(visible(f"{folder} is trusted: its tools are loaded, and scenarios may work in it"))
    return 0
