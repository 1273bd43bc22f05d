"""A regular expression that could take for ever is refused when its file is read."""

from __future__ import annotations

import pytest

from workbench.scenarios.errors import ScenarioError
from workbench.scenarios.loader import parse_scenario

HEAD = "goal = 'x'\ntools = ['add']\n[[model.reply]]\ntext = 'done'\n"


@pytest.mark.parametrize(
    ("rest", "key"),
    [
        ("when = '(a+)+$'", "model.reply[0].when"),
        ("capture = { a = '(a+)+$' }", "model.reply[0].capture.a"),
        ("[[approval.rule]]\ntool = 'add'\ndecide = 'allow'\nwhere = { a = { regex = '(a+)+$' } }", "rule[0].where.a"),
        ("[goal_check]\nanswer_matches = '(a+)+$'", "goal_check.answer_matches"),
        ("[expect]\nanswer_matches = '(a+)+$'", "expect.answer_matches"),
    ],
)
def test_the_sentence_names_file_line_and_key(rest: str, key: str) -> None:
    with pytest.raises(ScenarioError, match="could take for ever") as caught:
        parse_scenario(HEAD + rest, "slow.toml")
    problem = caught.value.problems[0]
    assert (problem.file, problem.line > 4, problem.key.endswith(key)) == ("slow.toml", True, True)


def test_a_reply_has_no_more_tokens_than_can_be_priced() -> None:
    with pytest.raises(ScenarioError, match=r"a\.toml:5: model\.reply\[0\]\.usage\.input: must be at most 1e\+30"):
        parse_scenario(HEAD + f"usage = {{ input = {10**400} }}\n", "a.toml")
