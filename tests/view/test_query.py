from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.strategies import nasty_text
from workbench.core.statuses import Status
from workbench.sessions.store import SessionSummary
from workbench.view.query import EXAMPLES, matching, read_query
from workbench.view.shelf import OUTCOMES, Item, Saved


def session(
    name: str, status: Status = Status.ANSWERED, *, tools: Sequence[str] = (), cost: float | None = 0.0, steps: int = 1
) -> Item:
    path = Path(f"/x/{name}.toml")
    summary = SessionSummary(
        path=path, id=name, title=name, created="", modified=0.0, status=status, events=1, steps=steps,
        model_calls=steps, parent="", parent_at=0, root="", scenario_path="", torn=False,
    )  # fmt: skip
    saved = Saved(summary=summary, status=status, script="", example=False, tools=tuple(tools), cost=cost)
    return Item(kind="session", key=str(path), title=name, outcome=OUTCOMES[status], saved=saved)


ITEMS = [
    session("refund", Status.AWAITING_APPROVAL, tools=["create_refund", "search_orders"], cost=0.5, steps=3),
    session("sum", tools=["add"], steps=1),
    session("padding", Status.STEP_BUDGET_EXHAUSTED, tools=["add", "pad_address"], cost=None, steps=12),
    session("person", Status.AWAITING_PERSON, cost=0.1),
    session("going", Status.RUNNING),
    Item(kind="bad", key="/x/torn.toml", title="torn.toml", note="line 3 is not UTF-8"),
]


def names(text: str) -> list[str]:
    query = read_query(text)
    assert query.problem == ""
    return [item.path.stem for item in matching(ITEMS, query)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["refund", "sum", "padding", "person", "going", "torn"]),
        ("   ", ["refund", "sum", "padding", "person", "going", "torn"]),
        ("PAD", ["padding"]),
        ("ding step", ["padding"]),
        ('"step cap"', ["padding"]),
        ('"cap step', []),
        ("utf-8", ["torn"]),
        ("tool:add", ["sum", "padding"]),
        ("tool=add", ["sum", "padding"]),
        ("tool=refund", []),
        ("TOOL:Refund", ["refund"]),
        ('tool:"pad_"', ["padding"]),
        ("tool:add tool:pad", ["padding"]),
        ("-tool:add", ["refund", "person", "going"]),
        ("status:answered", ["sum"]),
        ("status:ans", ["sum"]),
        ("status:waiting", ["refund", "person"]),
        ("status:awaiting", ["refund", "person"]),
        ("status=awaiting_person", ["person"]),
        ("status:step-cap", ["padding"]),
        ("status:budget", ["padding"]),
        ("status:running", ["going"]),
        ("status:not-ended", ["going"]),
        ("cost>0.1", ["refund"]),
        ("cost>=0.1", ["refund", "person"]),
        ("cost>=$.1", ["refund", "person"]),
        ("cost<0.1", ["sum", "going"]),
        ("cost=0", ["sum", "going"]),
        ("cost:unknown", ["padding"]),
        ("-cost:unknown cost>0", ["refund", "person"]),
        ("steps>3", ["padding"]),
        ("steps<=3 tool:add", ["sum"]),
        ("-sum tool:add", ["padding"]),
        ("going -", []),
    ],
)
def test_what_is_found(text: str, found: list[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("tol:add", "there is no filter tol; did you mean tool?"),
        ("http://x", "there is no filter http; there are tool, status, cost, steps; in quotes it is text"),
        ("tool:", "tool: lacks what to look for, as in tool:add"),
        ("tool>add", "a tool is not more or less than another: tool:add"),
        ("status:answerd", "there is no status answerd; did you mean answered?"),
        ("status:stepcap", "there is no status stepcap; did you mean step-cap?"),
        ("status:7", "there is no status 7; as in status:answered or status:waiting"),
        ("status<answered", "a status is not more or less than another: status:answered"),
        ("cost:0.1", "cost is compared with a figure, as in cost>0.1"),
        ("cost>much", "cost is compared with a figure, as in cost>0.1"),
        ("cost>nan", "cost is compared with a figure, as in cost>0.1"),
        ("steps>-1", "steps is compared with a figure, as in steps>3"),
    ],
)
def test_what_cannot_be_understood_is_one_sentence_and_the_rest_goes_on(text: str, sentence: str) -> None:
    query = read_query(f"sum {text}")
    assert query.problem == sentence
    assert [item.title for item in matching(ITEMS, query)] == ["sum"]


def test_the_examples_are_filters() -> None:
    for text in EXAMPLES.values():
        query = read_query(text)
        assert (query.problem, query.words, len(query.tests)) == ("", (), 1)


def test_in_quotes_everything_is_text() -> None:
    assert [(word.text, word.wanted) for word in read_query('"cost>1" -"a b"').words] == [
        ("cost>1", True),
        ("a b", False),
    ]


def test_a_word_is_found_in_the_item_or_in_what_was_said() -> None:
    held = {"mug": {ITEMS[0].path, ITEMS[1].path}}
    assert matching(ITEMS, read_query("mug refund"), held) == [ITEMS[0]]
    assert matching(ITEMS, read_query("-mug tool:add"), held) == [ITEMS[2]]


@given(nasty_text() | st.text(alphabet='abtools:<>="- 0.$', max_size=30))
@example("-" * 5000)
@example('"' * 5000)
def test_whatever_is_typed_is_a_query(text: str) -> None:
    query = read_query(text)
    assert "\n" not in query.problem or "\n" in text
    matching(ITEMS, query)
