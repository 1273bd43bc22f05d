"""Scenarios with a context policy: what is expected of their summaries, and what is set while they run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.scenarios_shipped.shipped import HOME
from workbench.check import check_file, failure_lines
from workbench.core.events import ContextChanged, ModelReply
from workbench.core.values import ContextPolicy
from workbench.opening import Opened, new_run
from workbench.scenarios.loader import load_scenario, parse_scenario
from workbench.scenarios.overrides import apply_overrides
from workbench.sessions.gist import gist

READS = "".join(
    f"""
[[model.reply]]
[[model.reply.call]]
tool = "read_file"
arguments = {{ path = "{name}.txt" }}
"""
    for name in "abc"
)
SCENARIO = f"""
goal = "Read the notes."
protocol = "native"
tools = ["read_file"]

[context]
policy = "summarise"
keep = 1

[model]
prices = {{ input = 1.0, output = 1.0 }}
{READS}
[[model.reply]]
text = "done"

[[model.summary]]
text = "a and ${{result1}}"

[[model.summary]]
text = "a, b"
usage = {{ input = 500000, output = 500000 }}

[workspace.files]
"a.txt" = "one"
"b.txt" = "two"
"c.txt" = "three"
"""


async def played(text: str, **more: Any) -> Opened:
    opened = new_run(parse_scenario(text, "x.toml"), HOME, headless=True, **more)
    await opened.run.play()
    opened.close()
    return opened


def changes(opened: Opened) -> list[ContextChanged]:
    return [event for event in opened.run.events if isinstance(event, ContextChanged)]


async def test_summaries_are_served_in_order_with_their_templates_and_figures() -> None:
    opened = await played(SCENARIO, keep=False)
    first, second = changes(opened)
    assert (first.replacement, first.line, first.input_tokens) == ("a and one", 0, None)
    assert (second.replacement, second.line, second.cost) == ("a, b", 1, 1.0)


async def test_a_summary_that_is_never_asked_for_fails_the_check(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    more = '\n[[model.summary]]\ntext = "never"\n\n[expect]\nstatus = "answered"\n'
    path.write_text(SCENARIO + more)
    verdict = await check_file(path, HOME)
    assert [(each.key, each.expected, each.actual) for each in verdict.mismatches] == [
        ("model.summary[2]", "used", "never used")
    ]
    assert failure_lines(verdict)


async def test_the_cost_of_a_session_has_that_of_its_summaries(tmp_path: Path) -> None:
    opened = await played(SCENARIO, keep=False)
    replies = sum(event.cost or 0.0 for event in opened.run.events if isinstance(event, ModelReply))
    assert opened.run.state.cost == pytest.approx(replies + sum(event.cost or 0.0 for event in changes(opened)))
    path = tmp_path / "x.toml"
    from workbench.sessions.journal import create_session

    with create_session(path, opened.run.header, durable=False) as journal:
        for event in opened.run.events:
            journal.append(event, sync=False)
    assert gist(path).cost == pytest.approx(opened.run.state.cost)


def test_every_key_of_the_policy_is_in_the_header() -> None:
    text = "goal = 'x'\n[context]\npolicy = 'fold'\nkeep = 3\nat = 900\nchars = 50\nevery = 2\n"
    opened = new_run(parse_scenario(text, "x.toml"), HOME, headless=True, keep=False)
    opened.close()
    assert opened.run.header.context == ContextPolicy(policy="fold", keep=3, at=900, chars=50, every=2)


async def test_the_person_of_a_script_can_choose_the_policy() -> None:
    text = SCENARIO.replace('policy = "summarise"\nkeep = 1', 'policy = "none"')
    more = '\n[[person]]\non = "step"\ndo = "set"\nnth = 3\nset = { "context.policy" = "window", "context.keep" = 1 }\n'
    opened = await played(text + more, keep=False, person=True)
    assert [event.policy for event in changes(opened)] == ["window", "window"]


def test_a_policy_can_be_set_or_switched_off_for_one_run() -> None:
    scenario = load_scenario(HOME.packaged / "scripts" / "notes-summary-with.toml")
    assert apply_overrides(scenario, ["context.policy=none"], ()).context.policy == "none"
    assert apply_overrides(scenario, ["context.policy=window"], ()).context.keep == 2
