"""A run as a scenario that plays it again."""

from __future__ import annotations

from dataclasses import replace

from workbench.export.forms import Recorded, Written
from workbench.scenarios.played import Played, played, was_real


def write(run: Recorded) -> Written:
    """The scenario as TOML, with what is not the same as comments at its head."""
    made = played_again(run)
    return Written(made.text, made.notes)


def played_again(run: Recorded) -> Played:
    """The scenario, and what in it is not the same."""
    made = played(run.header, run.events)
    missing = missing_tools(run)
    if not missing:
        return made
    note = f"it needs the code of tools that are not here: {', '.join(missing)}"
    return replace(made, notes=(*made.notes, note))


def needed_tools(run: Recorded) -> list[str]:
    """The tools that are run when it is played again: those of the session, and none for a recording."""
    return [] if was_real(run.header) else [tool.name for tool in run.header.tools]


def missing_tools(run: Recorded) -> list[str]:
    """The needed tools that cannot run here."""
    return [name for name in needed_tools(run) if name not in run.tools_here]
