"""Going on where other tools, or none, are there."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Command
from tests.cli.test_run import REFUND

TOOL = '''from workbench.toolkit.api import tool


@tool(risk="write")
def paint(colour: str) -> str:
    """Paint the door.

    colour: which"""
    return colour
'''
PAINT = """goal = "Paint."
protocol = "native"
tools = ["paint"]
[[model.reply]]
[[model.reply.call]]
tool = "paint"
arguments = { colour = "blue" }
[[model.reply]]
text = "Done."
"""


def test_what_is_printed_leads_to_the_same_tools_and_home(command: Command, home: Path, tmp_path: Path) -> None:
    tools, script = tmp_path / "my tools", tmp_path / "paint.toml"
    tools.mkdir()
    (tools / "paint.py").write_text(TOOL)
    script.write_text(PAINT)
    done = command("run", script, "--tools", tools, "--home", home)
    assert done.code == 3
    session = home / "sessions" / "paint-1.toml"
    assert f"workbench resume {session} --home {home} --tools '{tools}' and --allow c1" in done.out
    before = session.read_bytes()
    refused = command("resume", session, "--allow", "c1")
    assert (refused.code, session.read_bytes()) == (2, before)
    assert "--allow c1: the tool paint is not there" in refused.err
    assert command("resume", session, "--home", home, "--tools", tools, "--allow", "c1").code == 0


def test_a_decision_that_is_no_json_object_makes_no_run(command: Command, home: Path, tmp_path: Path) -> None:
    (home / "scripts" / "refund.toml").write_text(REFUND)
    assert command("run", "refund").code == 3
    session = home / "sessions" / "refund-1.toml"
    lines = [line for line in session.read_text().split("\n") if not line.startswith("#~ ")]
    count = sum(line == "[[event]]" for line in lines)
    decided = f'[[event]]\nn = {count + 1}\nkind = "decided"\ncall = "c1"\ndecision = "edit"\narguments = "[1]"\n'
    session.write_text("\n".join(lines) + decided)
    for words in (("show", session), ("resume", session)):
        done = command(*words)
        assert done.code == 2
        assert done.err.startswith(f"refund-1.toml: event {count + 1} (decided): arguments has to be a JSON object")


def test_an_empty_name_is_said_to_be_one(command: Command) -> None:
    done = command("run", "")
    assert (done.code, done.err[:36]) == (2, "the name of a scenario is empty; wor")
