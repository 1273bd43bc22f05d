from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.export.runs import NAMES, of, shipped, written
from tests.view.nasty import NastyRun, nasty_runs
from workbench.core.events import ModelReply, ToolResult, UserMessage
from workbench.core.values import Call, Header
from workbench.view.visible import visible


def outside(text: str) -> list[str]:
    """The lines that stand in no fence, every fence being closed."""
    lines, fence = [], ""
    for line in text.split("\n"):
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("```") and line.endswith("text"):
            fence = line.removesuffix("text")
        else:
            lines.append(line)
    assert fence == ""
    return lines


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_session_is_whole(name: str) -> None:
    run = shipped(name)
    text = written("markdown", run).text
    assert text.startswith(f"# {run.title}\n")
    for record in run.state.every_call():
        if record.result is not None:
            assert record.result.content.rstrip("\n") in text


@settings(max_examples=25, deadline=None)
@given(nasty_runs())
def test_nothing_leaves_its_fence(run: NastyRun) -> None:
    text = written("markdown", of(run.header, run.events)).text
    assert visible(text) == text
    for line in outside(text):
        if line.startswith("<"):
            assert line == "</details>" or line.startswith("<details><summary>")
        else:
            assert "<" not in line.replace("\\<", "")


def test_a_fence_in_a_text_is_held_by_a_longer_one() -> None:
    run = of(Header(id="x", goal="g"), [UserMessage(text="```\n# not a heading\n````")])
    assert "`````text\n```\n# not a heading\n````\n`````\n" in written("markdown", run).text


def test_what_is_one_key_away_in_the_app_is_folded() -> None:
    call = Call(id="c1", tool="look", arguments="{}", canonical="{}")
    events = [
        UserMessage(text="g"),
        ModelReply(text="", thinking="a long\nthought", calls=(call,)),
        ToolResult(call="c1", content="6", original="5", changed_by="you"),
    ]
    text = written("markdown", of(Header(id="x", goal="g"), events)).text
    assert "<details><summary>what it thought</summary>\n\n```text\na long\nthought\n```" in text
    assert "<details><summary>the original</summary>\n\n```text\n5\n```" in text
