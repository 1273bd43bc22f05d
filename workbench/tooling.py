"""The tools of a run beside those of its home: whose time counts, what they must not give back, which are still what
they were, which are missing.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.clocks import TimedTools, VirtualClock
from workbench.core.ports import Clock, Tools
from workbench.core.values import ToolInfo
from workbench.home import Home
from workbench.models.wire.endpoint import VENDORS_KEYS
from workbench.scenarios.errors import Problem, ScenarioError
from workbench.toolkit.loader import LoadedFolder, LoadedTool

if TYPE_CHECKING:
    from workbench.models.live import LiveModel
    from workbench.models.wire.scrub import Secret


def timed(box: Tools, tools: Sequence[LoadedTool], home: Home, clock: Clock) -> Tools:
    """The tools of a run; on a virtual clock, what those take that are not packaged counts as well."""
    own = {tool.info.name for tool in tools if tool.file is not None and not home.is_shipped(tool.file)}
    return TimedTools(box, clock, own) if own and isinstance(clock, VirtualClock) else box


def keyless(tools: Tools, home: Home, live: LiveModel | None) -> Tools:
    """The tools, without any key that is known here in what they give back.

    Not only the key in use: a model must not read that of another one, nor a session hold it, which may go on with
    any model.
    """
    if live is None and not home.models.is_file() and not any(map(os.environ.get, VENDORS_KEYS.values())):
        return tools
    from workbench.models.keyless import KeylessTools  # only for those who have a key
    from workbench.models.wire.scrub import read_key

    variables = cache(lambda: _key_variables(home))

    def keys() -> list[Secret]:
        found = [*map(read_key, variables()), *([live.key()] if live is not None else [])]
        return sorted(found, key=lambda key: len(key.reveal()), reverse=True)

    return KeylessTools(tools, keys)


def _key_variables(home: Home) -> set[str]:
    """The environment variables that hold keys. Whoever has written a file that is not trusted does not name any."""
    variables = set(VENDORS_KEYS.values())
    if home.tools_trusted and home.models.is_file():
        from workbench.scenarios.live import load_models

        with suppress(ScenarioError):
            variables |= {entry.key_env for entry in load_models(home.models).entries if entry.key_env}
    return variables


def usable_tools(recorded: Sequence[ToolInfo], tools: LoadedFolder) -> tuple[list[LoadedTool], list[str]]:
    """The tools of a saved run that are still what it says they are, and a sentence on each other one.

    The gate goes by what was recorded, so a tool that has more power now must not run under its old name.
    """
    usable, notes = [], []
    for info in recorded:
        loaded = tools.tools.get(info.name)
        if loaded is None:
            notes.append(f"the tool {info.name} is not there any more; a call of it fails")
        elif (loaded.info.risk, loaded.info.trust) != (info.risk, info.trust):
            now, then = (f"{item.risk} and {item.trust}" for item in (loaded.info, info))
            notes.append(f"the tool {info.name} is {now} now and was {then} in this session; a call of it fails")
        else:
            usable.append(loaded)
    return usable, notes


def lacks_tools(error: ScenarioError) -> bool:
    """Whether the scenario names tools that are not there."""
    return any(problem.key.startswith("tools[") for problem in error.problems)


def why_missing(error: ScenarioError, tools: LoadedFolder, home: Home, scenario_path: str) -> list[Problem]:
    """Why tools that a scenario names may not be there: folders that are not loaded, and files that cannot be."""
    unloaded = _unloaded(home, scenario_path) if lacks_tools(error) else ()
    broken = [Problem(str(problem.file), problem.line, "", problem.message) for problem in tools.problems]
    return [*unloaded, *broken]


def _unloaded(home: Home, scenario_path: str) -> Iterator[Problem]:
    """The folder of tools in the home, and the one beside the scenario, where they are there and were not loaded."""
    own = home.root / "tools"
    if not home.tools_trusted and own.is_dir():
        how = f"workbench trust {shlex.quote(str(home.root))}"
        yield Problem(str(own), 0, "", f"not loaded, since loading runs its code; if you trust it: {how}")
    beside = (folder / "tools" for folder in Path(scenario_path).absolute().parents[:3])
    other = next((folder for folder in beside if folder != own and folder.is_dir()), None)
    if scenario_path and other is not None and other not in home.tools:
        how = f"--home {shlex.quote(str(other.parent))}"
        yield Problem(str(other), 0, "", f"not loaded, since the workbench folder is {home.root}; to load it: {how}")
