from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.home import packaged_folder
from workbench.scenarios.loader import load_scenario, parse_scenario, to_plain
from workbench.scenarios.writing import scenario_text

SCRIPTS = sorted((packaged_folder() / "scripts").glob("*.toml"))
TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from("'\"\\\n\r\t{}$")).filter(lambda t: t.strip())
NAMES = st.text(min_size=1, max_size=6)
VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("path", SCRIPTS, ids=[path.stem for path in SCRIPTS])
def test_a_shipped_scenario_is_written_and_read_as_the_same(path: Path) -> None:
    plain = to_plain(load_scenario(path))
    assert to_plain(parse_scenario(scenario_text(plain), "x.toml")) == plain


def test_it_reads_like_one_written_by_hand() -> None:
    plain = {
        "goal": "Which?",
        "title": 'The "blue" mugs',
        "protocol": "native",
        "limits": {"steps": 6, "repeats": {"nudge": 3, "stop": 5}},
        "tools": ["stock_level"],
        "model": {
            "use": "scripted",
            "reply": [
                {"text": "Two lines.\nHere.", "call": [{"tool": "stock_level", "arguments": {"warehouse": "north"}}]},
                {"text": "done", "usage": {"input": 5}},
            ],
        },
        "workspace": {"files": {"a/b.txt": "one\ntwo\n"}},
        "approval": {"rule": [{"tool": "stock_level", "decide": "ask"}]},
        "person": [{"on": "stop", "do": "set", "set": {"limits.steps": 9}}],
        "expect": {"status": "answered"},
    }
    assert (
        scenario_text(plain)
        == """\
title = 'The "blue" mugs'
goal = "Which?"
protocol = "native"
tools = ["stock_level"]

[limits]
steps = 6
repeats = { nudge = 3, stop = 5 }

[model]
use = "scripted"

[[model.reply]]
text = \'\'\'
Two lines.
Here.
\'\'\'
[[model.reply.call]]
tool = "stock_level"
arguments = { warehouse = "north" }

[[model.reply]]
text = "done"
usage = { input = 5 }

[workspace.files]
"a/b.txt" = \'\'\'
one
two
\'\'\'

[[approval.rule]]
tool = "stock_level"
decide = "ask"

[[person]]
on = "stop"
do = "set"
set = { "limits.steps" = 9 }

[expect]
status = "answered"
"""
    )


def test_a_long_list_has_an_item_a_line() -> None:
    words = ["word" * 10] * 4
    assert f'tags = [\n    "{words[0]}",\n' in scenario_text({"goal": "g", "tags": words})


@given(TEXTS, TEXTS, st.dictionaries(NAMES, VALUES, max_size=4))
def test_whatever_the_texts_are_they_come_back(goal: str, text: str, arguments: dict[str, Any]) -> None:
    plain: dict[str, Any] = {
        "goal": goal,
        "protocol": "native",
        "model": {"reply": [{"text": text.replace("${", "$ {"), "call": [{"tool": text, "arguments": "{"}]}]},
        "person": [{"on": "approval", "do": "edit", "arguments": arguments}],
        "workspace": {"files": {"f": text}},
        "expect": {"transcript": text, "observations": [text]},
    }
    assert to_plain(parse_scenario(scenario_text(plain), "x.toml")) == plain


def test_what_no_file_can_hold_is_replaced() -> None:
    assert to_plain(parse_scenario(scenario_text({"goal": "a\ud800b"}), "x.toml"))["goal"] == "a\ufffdb"
