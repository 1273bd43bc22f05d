from __future__ import annotations

import pytest

from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.loader import parse_scenario, to_plain
from workbench.scenarios.overrides import apply_overrides
from workbench.scenarios.schema import Scenario

TEXT = """\
goal = "x"
[limits]
steps = 6
cost = 1.5
[[model.reply]]
text = "ANSWER: 1"
[workspace.files]
"notes.txt" = "mugs"
"""


def changed(*changes: str, no_limits: tuple[str, ...] = ()) -> Scenario:
    return apply_overrides(parse_scenario(TEXT, "x.toml"), changes, no_limits)


def test_values_are_toml_and_else_plain_text() -> None:
    scenario = changed(
        "limits.steps=4",
        "limits.cost = 2",
        "limits.repeats={stop=2}",
        "goal=Population of Paris?",
        "protocol=json",
        'tools=["add"]',
        "approval.default=allow",
        "model.reply[0].text='ANSWER: 2'",
        '"workspace".files."notes.txt"=pens = 3',
    )
    assert (scenario.limits.steps, scenario.limits.cost, scenario.protocol) == (4, 2.0, "json")
    assert scenario.limits.repeats is not None
    assert scenario.limits.repeats.stop == 2
    assert (scenario.goal, scenario.tools, scenario.approval.default) == ("Population of Paris?", ("add",), "allow")
    assert scenario.model.reply[0].text == "ANSWER: 2"
    assert scenario.workspace.files == {"notes.txt": "pens = 3"}


def test_bytes_that_are_no_text_are_named() -> None:
    with pytest.raises(ScenarioError, match=r"^--set goal: is not UTF-8: byte 0xff$"):
        changed("goal=caf\udcff")


def test_a_number_is_text_where_text_is_wanted() -> None:
    scenario = changed("expect.answer=11800000", "title=5", "limits.steps=5")
    assert scenario.expect is not None
    assert (scenario.expect.answer, scenario.title, scenario.limits.steps) == ("11800000", "5", 5)


def test_a_later_change_wins_and_the_scenario_itself_stays() -> None:
    scenario = parse_scenario(TEXT, "x.toml")
    before = to_plain(scenario)
    assert apply_overrides(scenario, ["seed=1", "seed=2"]).seed == 2
    assert to_plain(scenario) == before


def test_limits_can_be_lifted() -> None:
    scenario = changed("seed=3", no_limits=("steps", "seconds"))
    assert (scenario.limits.steps, scenario.limits.cost, scenario.seed) == (None, 1.5, 3)
    assert apply_overrides(parse_scenario("goal = 'x'", "x"), (), ("steps",)).limits.steps is None


def test_a_value_cannot_bring_further_keys() -> None:
    assert changed("title=1\nseed = 9").seed == 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("limits.stepz=4", '--set limits.stepz=4: limits: unknown key "stepz"; did you mean "steps"?'),
        ("limits.steps=0", "--set limits.steps=0: limits.steps: must be at least 1, not 0"),
        ("limits.steps=many", '--set limits.steps=many: limits.steps: must be a whole number, not "many"'),
        ("steps=4", '--set steps=4: unknown key "steps"; it belongs in [limits] or in [expect]'),
        ("protocol=jsn", '--set protocol=jsn: protocol: must be "text", "json" or "native", not "jsn"; did you mean "json"?'),
        ("limits.steps", "--set limits.steps: needs the form KEY=VALUE, e.g. limits.steps=4"),
        ("=4", "--set =4: the key must be a dotted path such as limits.steps or model.reply[0].text"),
        ("a b=4", "--set a b=4: the key must be a dotted path such as limits.steps or model.reply[0].text"),
        ("[0]=4", "--set [0]=4: the key must be a dotted path such as limits.steps or model.reply[0].text"),
        ("goal.x=4", "--set goal.x=4: goal: has nothing inside it"),
        ("model.reply[3].text=a", "--set model.reply[3].text=a: model.reply: has 1 entries, counted from 0"),
        ("model.reply[0].text=${x", "--set model.reply[0].text=${x: model.reply[0].text: ${ must be followed by a name and }, as in ${result1}; for a literal ${ write $${"),
        ("protocol_options.finish=tool", '--set protocol_options.finish=tool: protocol_options.finish: "tool" needs "submit_answer" among the tools'),
        ("workspace.root=/tmp", "--set workspace.root=/tmp: workspace: has both files and root; it is one or the other"),
    ],
)  # fmt: skip
def test_a_wrong_change_names_itself(change: str, sentence: str) -> None:
    with pytest.raises(ScenarioError) as error:
        changed(change)
    assert str(error.value) == sentence


def test_of_several_changes_the_one_at_fault_is_named() -> None:
    with pytest.raises(ScenarioError) as error:
        changed("seed=1", "limits.steps=0", "title=x")
    assert [problem.file for problem in error.value.problems] == ["--set limits.steps=0"]


def test_an_unknown_limit_to_lift_is_named_with_the_nearest() -> None:
    with pytest.raises(ScenarioError, match=r'^--no-limit step: there is no limit "step"; did you mean "steps"\?$'):
        changed(no_limits=("step",))
