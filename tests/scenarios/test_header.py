from __future__ import annotations

from pathlib import Path

import pytest

from workbench.clocks import VirtualClock
from workbench.core.events import ModelReply
from workbench.core.gate import judge
from workbench.core.ports import Model, ModelFailure, Request
from workbench.core.state import State
from workbench.core.values import Header, Limits, Pattern, Prices, RepeatLimit, Rule, ToolInfo
from workbench.models.human import HumanModel
from workbench.models.scripted import no_signal
from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.header import build_header
from workbench.scenarios.loader import parse_scenario, to_plain
from workbench.scenarios.models import BUILDERS, build_model

DATA = Path(__file__).parent.parent / "data" / "toml"
TOOLS = [ToolInfo(name="write_note", risk="write"), ToolInfo(name="add", risk="read")]

FULL = """\
goal = "G"
title = "T"
system = "S"
protocol = "native"
tools = ["add", "write_note"]
seed = 7
protocol_options.parallel = false
limits = { steps = 6, cost = 1, repeats = { stop = 4 } }
authority.split = true
goal_check = { result_of = "add", contains = "3" }
[model]
context_window = 8000
prices = { input = 3, output = 15 }
[approval]
default = "deny"
[[approval.rule]]
tool = "write_note"
where = { path = { glob = "docs/**" }, n = 1, like = { regex = "a+" } }
decide = "allow"
"""


def test_a_header_holds_everything_the_fold_needs() -> None:
    scenario = parse_scenario(FULL, "x.toml")
    header = build_header(
        scenario,
        TOOLS,
        id="r1",
        created="2026-01-31T10:00:00Z",
        workbench="0.1.0",
        path="x.toml",
    )
    assert [tool.name for tool in header.tools] == ["add", "write_note"]
    assert header.limits == Limits(steps=6, cost=1.0, repeats=RepeatLimit(nudge=3, stop=4))
    assert header.rules == (
        Rule(
            tool="write_note",
            where=(
                ("path", Pattern(kind="glob", value="docs/**")),
                ("n", Pattern(kind="equal", value=1)),
                ("like", Pattern(kind="regex", value="a+")),
            ),
            decide="allow",
        ),
    )
    assert header.prices == Prices(input=3.0, output=15.0)
    assert header.goal_check is not None
    assert (header.goal_check.result_of, header.goal_check.contains) == ("add", "3")
    assert (header.goal, header.title, header.system, header.protocol, header.seed) == ("G", "T", "S", "native", 7)
    assert (header.options.parallel, header.split, header.approval) == (False, True, "deny")
    assert (header.free, header.context_window, header.model) == (False, 8000, "scripted")
    assert header.scenario_path == "x.toml"
    assert header.scenario == to_plain(scenario)


def test_rules_work_as_they_are_written() -> None:
    header = build_header(parse_scenario(FULL, "x.toml"), TOOLS, id="r1")
    written = header.tool("write_note")
    assert written is not None
    for arguments, decision in (
        ('{"path":"docs/a","n":1,"like":"aa"}', "allow"),
        ('{"path":"a","n":1,"like":"aa"}', "deny"),
    ):
        verdict = judge(written, arguments, rules=header.rules, grants=(), default=header.approval)
        assert verdict.decide == decision


def test_a_scripted_run_costs_nothing_and_a_live_one_is_not_known_to() -> None:
    assert build_header(parse_scenario("goal = 'x'", "x"), (), id="r").free
    live = build_header(
        parse_scenario("goal = 'x'\nmodel = { use = 'openai', name = 'gpt-4.1-mini' }", "x"), (), id="r"
    )
    assert (live.free, live.model) == (False, "gpt-4.1-mini")


def test_a_tool_that_is_not_there_is_named_with_the_nearest() -> None:
    scenario = parse_scenario("goal = 'x'\ntools = ['write_notee', 'zzz']", "x.toml")
    with pytest.raises(ScenarioError) as error:
        build_header(scenario, TOOLS, id="r", path="x.toml")
    assert str(error.value).split("\n") == [
        'x.toml: tools[0]: no tool "write_notee"; did you mean "write_note"?',
        'x.toml: tools[1]: no tool "zzz"; there is "write_note" or "add"',
    ]


async def first_reply(model: Model, state: State | None = None) -> str:
    state = state or State(Header(id="r", goal="g", protocol="text"))
    request = Request(system="", messages=state.messages, tools=(), options=state.header.options, state=state)
    return (await model.reply(request, no_signal)).text


async def test_a_scripted_model_is_built_from_its_replies() -> None:
    text = "goal = 'x'\nmodel.retries = 0\n[[model.reply]]\nfail = 'timeout'\n[[model.reply]]\ntext = 'ANSWER: 1'\n"
    model = build_model(parse_scenario(text, "x.toml"), VirtualClock(), "x.toml")
    with pytest.raises(ModelFailure, match=r"x\.toml: reply 1 is scripted to fail: timeout"):
        await first_reply(model)
    patient = build_model(parse_scenario(text.replace("= 0", "= 1"), "x.toml"), VirtualClock())
    assert await first_reply(patient) == "ANSWER: 1"


async def test_a_script_that_runs_out_names_its_file_and_its_length() -> None:
    text = (DATA / "script-runs-out.toml").read_text(encoding="utf-8").replace("[[reply]]", "[[model.reply]]")
    model = build_model(parse_scenario(f"goal = 'x'\n{text}", "x.toml"), VirtualClock(), "x.toml")
    state = State(Header(id="r", goal="g", protocol="text"))
    state.apply(ModelReply(line=1, served=1))
    with pytest.raises(ModelFailure, match=r"x\.toml: the script has 2 replies and a further one was asked for"):
        await first_reply(model, state)


async def test_a_human_model_takes_the_replies_of_the_person_entries() -> None:
    text = "goal = 'x'\nmodel.use = 'human'\n[[person]]\non = 'reply'\ndo = 'answer'\ntext = 'ANSWER: 1'\n"
    model = build_model(parse_scenario(text, "x.toml"), VirtualClock())
    assert isinstance(model, HumanModel)
    assert await first_reply(model) == "ANSWER: 1"


def test_an_unknown_model_is_named_with_the_nearest() -> None:
    scenario = parse_scenario("goal = 'x'\nmodel.use = 'scriptd'", "x.toml")
    with pytest.raises(
        ScenarioError, match=r'^x\.toml: model\.use: there is no model "scriptd"; did you mean "scripted"\?$'
    ):
        build_model(scenario, VirtualClock(), "x.toml")


def test_further_models_can_be_added() -> None:
    scenario = parse_scenario("goal = 'x'\nmodel.use = 'echo'", "x.toml")
    echo = HumanModel(["echo"])
    assert build_model(scenario, VirtualClock(), builders={**BUILDERS, "echo": lambda *_: echo}) is echo
