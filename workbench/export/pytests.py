"""A run as a test for pytest: the scenario that plays it again, in a file that needs this package and nothing else."""

from __future__ import annotations

import re

from workbench.export.forms import CannotExport, Recorded, Written
from workbench.export.scripts import missing_tools, needed_tools, played_again

_TEMPLATE = '''"""Plays a run of the agent workbench again: {title}

Made from session {id}.{notes}
"""

from workbench.check import holds

{tools}SCENARIO = {scenario}


def test_{name}():
    holds(SCENARIO, name="{name}.toml"{given})
'''
_WORD = re.compile(r"[^a-z0-9]+")


def write(run: Recorded) -> Written:
    """The test. Raises CannotExport for a run that no test could play again, or that nothing is known to come of."""
    if missing := missing_tools(run):
        raise CannotExport(f"a test runs the tools of the session, and these are not here: {', '.join(missing)}")
    made = played_again(run)
    if "root" in made.plain.get("workspace", {}):
        raise CannotExport("the session worked in a real folder, and no test can rely on what is in there")
    if "expect" not in made.plain:
        raise CannotExport("the session has no end to come to again, so there is nothing that a test could expect")
    folders = sorted({folder for name in needed_tools(run) if (folder := run.tools_here[name])})
    name = _WORD.sub("_", run.title.lower()).strip("_")[:60] or "session"
    text = _TEMPLATE.format(
        title=_inside(run.title),
        id=_inside(run.header.id),
        notes="".join(f"\nNot the same: {_inside(note)}." for note in made.notes),
        tools="".join(["TOOLS = [\n", *(f"    {folder!r},\n" for folder in folders), "]\n"]) if folders else "",
        scenario=_quoted(made.text),
        name=name,
        given=", tools=TOOLS" if folders else "",
    )
    return Written(text, made.notes)


def _inside(text: str) -> str:
    """A text on one line that can stand in a docstring."""
    return _escaped(" ".join(text.split())).replace('"', "'")


def _quoted(text: str) -> str:
    """The text, which ends with a newline, as a string over several lines that reads back exactly."""
    return f'"""\\\n{_escaped(text)}"""'


def _escaped(text: str) -> str:
    """Python's escapes for what a string in three quotes cannot hold, or nobody could see in it."""
    parts = [
        character if character == "\n" or character.isprintable() else character.encode("unicode_escape").decode()
        for character in text.replace("\\", "\\\\")
    ]
    return "".join(parts).replace('"""', '\\"\\"\\"')
