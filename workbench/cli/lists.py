"""Commands that list, explain and set up: tools, scripts, sessions, themes, where, show, init, schema, trust."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.cli.errors import BadInput
from workbench.cli.places import home_of, session_file
from workbench.core.events import to_fields
from workbench.core.state import State, fold
from workbench.headless import entry_lines
from workbench.home import Home, make_home, trust
from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.loader import load_scenario
from workbench.sessions.journal import read_session
from workbench.sessions.store import SessionStore
from workbench.toolkit.loader import load_tools
from workbench.view import words
from workbench.view.timeline import Timeline
from workbench.view.visible import visible

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
    """`workbench scripts`."""
    rows, bad = [], []
    for path in _scenario_paths(home_of(options)):
        try:
            scenario = load_scenario(path)
        except ScenarioError as error:
            bad.append(str(error))
            continue
        rows.append(
            {
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
    return _print(rows, ("name", "title", "about"), options)


def _scenario_paths(home: Home) -> list[Path]:
    return [path for folder in home.scripts for path in sorted(folder.rglob("*.toml"))]


def sessions(options: argparse.Namespace) -> int:
    """`workbench sessions`."""
    rows = []
    for folder in home_of(options).session_folders:
        listing = SessionStore(folder).list()
        rows += [
            {
                "name": item.path.stem,
                "status": item.status.value,
                "steps": item.steps,
                "title": item.title,
                "created": item.created,
                "parent": item.parent,
                "file": str(item.path),
            }
            for item in listing.sessions
        ]
        for problem in listing.problems:
            print(visible(f"{problem.path.name}: {problem.why}"), file=sys.stderr)
    return _print(rows, ("name", "status", "steps", "title"), options)


def themes(options: argparse.Namespace) -> int:
    """`workbench themes`."""
    from workbench.tui.themes import load_themes

    found, problems = load_themes(home_of(options).themes)
    rows = [{"name": theme.name, "dark": theme.dark} for theme in found.values()]
    for problem in problems:
        print(visible(problem), file=sys.stderr)
    return _print(rows, ("name", "dark"), options)


def where(options: argparse.Namespace) -> int:
    """`workbench where`."""
    home = home_of(options)
    rows: list[Row] = [
        {"what": "workbench folder", "where": str(home.root), "note": f"found as {home.found}"},
        {"what": "packaged examples", "where": str(home.packaged), "note": "always there"},
        {
            "what": "new sessions",
            "where": str(home.sessions),
            "note": "" if home.sessions.is_dir() else "not there yet",
        },
        {"what": "settings", "where": str(home.settings), "note": "" if home.settings.is_file() else "not there"},
    ]
    for kind, folders in (("scripts", home.scripts), ("tools", home.tools), ("themes", home.themes)):
        rows += [{"what": kind, "where": str(folder), "note": ""} for folder in folders]
    if not home.tools_trusted and (home.root / "tools").is_dir():
        folder = home.root / "tools"
        rows.append({"what": "tools", "where": str(folder), "note": f"not loaded: workbench trust {home.root}"})
    return _print(rows, ("what", "where", "note"), options)


def show(options: argparse.Namespace) -> int:
    """`workbench show SESSION`."""
    home = home_of(options)
    session = read_session(session_file(options.session, home))
    total = len(session.events)
    at = total if options.at is None else options.at
    if not 0 <= at <= total:
        raise BadInput(f"--at {at}: the session has {total} events")
    if session.torn:
        print(visible(session.torn), file=sys.stderr)
    events = session.events[:at]
    state = fold(session.header, events)
    {"text": _show_text, "json": _show_json, "requests": _show_requests, "cost": _show_cost}[options.form](
        state, events
    )
    return 0


def _show_text(state: State, events: Sequence[Any]) -> None:
    timeline = Timeline(events, state)
    for index in range(len(timeline)):
        for line in entry_lines(timeline.entry(index)):
            print(line)
    print()
    print(words.stop_title(state) or "The run has not stopped.")


def _show_json(state: State, events: Sequence[Any]) -> None:
    for n, event in enumerate(events, 1):
        print(json.dumps({"n": n, "kind": event.kind, **to_fields(event)}))


def _show_requests(state: State, events: Sequence[Any]) -> None:
    """Every request as it was sent: instructions, then the messages."""
    if state.system:
        print("system")
        print(visible(state.system))
        print()
    for number, mark in enumerate(state.requests, 1):
        print(f"request {number}: {mark.messages} messages, {mark.chars:,} characters, {_tokens(mark)} tokens")
        for message in state.messages[: mark.messages]:
            print(f"  {message.role:<10}{visible(message.text)}".replace("\n", f"\n{' ' * 12}"))
            for call in message.calls:
                print(f"  {'':<10}→ {visible(call.tool)} {visible(call.arguments)}")
        print()


def _show_cost(state: State, events: Sequence[Any]) -> None:
    print(f"{'request':<9}{'input':>10}{'output':>10}{'input so far':>15}")
    total = 0
    for number, mark in enumerate(state.requests, 1):
        total += mark.tokens
        print(f"{number:<9}{_tokens(mark):>10}{mark.output:>10,}{total:>15,}")
    print(f"cost {words.money(state.cost)}, {state.total_seconds:.2f} s of work")


def _tokens(mark: Any) -> str:
    return f"{'~' if mark.estimated else ''}{mark.tokens:,}"


def init(options: argparse.Namespace) -> int:
    """`workbench init [FOLDER]`."""
    folder = Path(options.folder).expanduser().resolve()
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is not a folder")
    made = make_home(folder)
    trust(folder)
    for path in made:
        print(f"made {path}")
    print(f"{folder} is a workbench folder" + ("" if made else " already"))
    return 0


def schema(_: argparse.Namespace) -> int:
    """`workbench schema`."""
    from workbench.scenarios.json_schema import scenario_json_schema

    print(json.dumps(scenario_json_schema(), indent=2))
    return 0


def trust_folder(options: argparse.Namespace) -> int:
    """`workbench trust FOLDER`."""
    folder = Path(options.folder).expanduser().resolve()
    if not folder.is_dir():
        raise BadInput(f"there is no folder {options.folder}")
    trust(folder)
    print(f"{folder} is trusted: its tools are loaded, and scenarios may work in it")
    return 0


def _print(rows: Sequence[Row], columns: Sequence[str], options: argparse.Namespace) -> int:
    if options.json:
        print(json.dumps(list(rows), indent=2))
        return 0
    if not rows:
        print("none")
        return 0
    widths = [max(len(visible(str(row[column]))) for row in rows) for column in columns]
    for row in rows:
        cells = [f"{visible(str(row[column])):<{width}}" for column, width in zip(columns, widths, strict=True)]
        print("  ".join(cells).rstrip())
    return 0
