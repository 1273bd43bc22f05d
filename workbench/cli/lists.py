"""Commands that list, explain and set up: tools, scripts, sessions, themes, where, init, schema, trust."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.cli.errors import BadInput
from workbench.cli.output import out
from workbench.cli.places import home_of
from workbench.core.loop import next_move, standing
from workbench.core.statuses import Status
from workbench.home import Home, make_home, trust, trusted_folders
from workbench.opening import fold_session
from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.loader import load_scenario
from workbench.sessions.errors import SessionError
from workbench.sessions.journal import read_session
from workbench.sessions.store import SessionStore, SessionSummary
from workbench.toolkit.loader import load_tools
from workbench.view.shelf import OUTCOMES, Saved, branch_sign, lineage
from workbench.view.visible import cells, visible

Row = Mapping[str, Any]


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
    return _print(rows, ("name", "risk", "about"), options)


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
    return _print(rows, ("lesson", "name", "title", "about"), options)


def _scenario_paths(home: Home) -> list[Path]:
    return [path for folder in home.scripts for path in sorted(folder.rglob("*.toml"))]


def sessions(options: argparse.Namespace) -> int:
    """`workbench sessions`."""
    rows: list[Row] = []
    for folder in home_of(options).session_folders:
        listing = SessionStore(folder).list()
        saved = [
            Saved(summary=item, outcome=OUTCOMES[item.status], script="", example=False) for item in listing.sessions
        ]
        rows += [_session_row(each.summary, depth) for each, depth in lineage(saved)]
        for problem in listing.problems:
            print(visible(f"{problem.path.name}: {problem.why}"), file=sys.stderr)
    if not options.json:
        rows = [{**row, "title": f"{branch_sign(row['depth'])}{row['title']}"} for row in rows]
    return _print(rows, ("name", "status", "steps", "title"), options)


def _session_row(item: SessionSummary, depth: int) -> Row:
    return {
        "name": item.path.stem,
        "status": _standing(item).value,
        "steps": item.steps,
        "title": item.title,
        "created": item.created,
        "parent": item.parent,
        "parent_at": item.parent_at,
        "depth": depth,
        "file": str(item.path),
    }


def _standing(item: SessionSummary) -> Status:
    """The status people see: a question that nobody has answered is no event, and so not in the summary."""
    if item.status is not Status.RUNNING:
        return item.status
    try:
        state = fold_session(read_session(item.path))
    except SessionError:
        return item.status
    return standing(next_move(state), state.status)


def themes(options: argparse.Namespace) -> int:
    """`workbench themes`."""
    from workbench.tui.themes import load_themes

    found, problems = load_themes(home_of(options).themes)
    rows = [{"name": theme.name, "kind": "dark" if theme.dark else "light"} for theme in found.values()]
    for problem in problems:
        print(visible(problem), file=sys.stderr)
    return _print(rows, ("name", "kind"), options)


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
        {"what": "settings", "where": str(home.settings), "note": "" if home.settings.is_file() else "not there"},
    ]
    for kind, folders in (("scripts", home.scripts), ("tools", home.tools), ("themes", home.themes)):
        rows += [{"what": kind, "where": str(folder), "note": ""} for folder in folders]
    if not home.tools_trusted and (home.root / "tools").is_dir():
        folder = home.root / "tools"
        rows.append({"what": "tools", "where": str(folder), "note": f"not loaded: workbench trust {home.root}"})
    return _print(rows, ("what", "where", "note"), options)


def init(options: argparse.Namespace) -> int:
    """`workbench init [FOLDER]`."""
    folder = Path(options.folder).expanduser().resolve()
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


def _print(rows: Sequence[Row], columns: Sequence[str], options: argparse.Namespace) -> int:
    if options.json:
        out(json.dumps(list(rows), indent=2))
    else:
        print_rows(rows, columns)
    return 0


def print_rows(rows: Sequence[Row], columns: Sequence[str]) -> None:
    """Those columns of the rows as a table, for people."""
    if not rows:
        out("none")
        return
    table = [[_text(row[column]) for column in columns] for row in rows]
    widths = [max(map(cells, column)) for column in zip(*table, strict=True)]
    for line in table:
        padded = [text + " " * (width - cells(text)) for text, width in zip(line, widths, strict=True)]
        out("  ".join(padded).rstrip())


def _text(value: Any) -> str:
    """A value of a row on one line; nothing for None."""
    return "" if value is None else visible(str(value)).replace("\n", " ")
