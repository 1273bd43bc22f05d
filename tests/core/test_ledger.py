"""What a run has really done, and what becomes of that when one goes back to before it."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.events import (
    Event,
    Forked,
    Held,
    LateResult,
    ModelReply,
    ToolResult,
    ToolStarted,
    UserMessage,
)
from workbench.core.ledger import Executed, elsewhere, entry_from, entry_to, executed
from workbench.core.values import Call, Header, ToolInfo

TOOLS = (
    ToolInfo(name="look", risk="read"),
    ToolInfo(name="write_file", risk="write", idempotent=True),
    ToolInfo(name="refund", risk="write"),
    ToolInfo(name="log", risk="write", dedupe=False),
    ToolInfo(name="mail", risk="outward"),
    ToolInfo(name="murky"),
)
FILE = ({"path": "f.txt", "content": "x"},)


def header(**changes: Any) -> Header:
    return Header(id="root", goal="g", tools=TOOLS, **changes)


def asks(*tools: str) -> list[Event]:
    calls = tuple(
        Call(id=f"c{n}", tool=tool, arguments="{}", canonical=f'{{"n":{n}}}') for n, tool in enumerate(tools, 1)
    )
    return [UserMessage(text="g"), ModelReply(calls=calls)]


def ran(tool: str, **result: Any) -> list[Event]:
    """A run in which one call of the tool is made: its start is event 3, its result event 4."""
    return [*asks(tool), ToolStarted(call="c1", key="k"), ToolResult(**{"call": "c1", "content": "done", **result})]


def fates(events: list[Event], after: int = 0, **changes: Any) -> list[tuple[str, str, str]]:
    return [(item.tool, item.outcome, item.fate) for item in executed(header(**changes), events, after)]


@pytest.mark.parametrize(
    ("tool", "effects", "fate"),
    [
        ("write_file", FILE, "undone"),
        ("log", FILE, "undone"),
        ("refund", FILE, "once"),
        ("refund", (), "stands"),
        ("write_file", (), "stands"),
        ("mail", FILE, "stands"),
        ("murky", FILE, "stands"),
    ],
)
def test_what_is_in_the_sandbox_is_undone_and_what_went_out_stands(tool: str, effects: Any, fate: str) -> None:
    assert fates(ran(tool, effects=effects)) == [(tool, "ran", fate)]


def test_a_folder_of_the_person_is_no_sandbox() -> None:
    events = ran("write_file", effects=FILE)
    assert fates(events, scenario={"workspace": {"root": "mine"}}) == [("write_file", "ran", "stands")]


@pytest.mark.parametrize(("tool", "fate"), [("murky", "logged"), ("mail", "stands"), ("refund", "stands")])
def test_a_call_without_a_key_never_ran_here(tool: str, fate: str) -> None:
    """It is in the log of another agent; where nothing is known of its tool, that is all there is to say."""
    events = [*asks(tool), ToolStarted(call="c1"), ToolResult(call="c1", content="done")]
    assert fates(events) == [(tool, "ran", fate)]


def test_what_other_branches_did_is_news_until_it_is_known_what_came_of_it() -> None:
    def did(key: str, outcome: Any = "ran", fate: Any = "stands", branch: str = "b") -> Executed:
        return Executed(tool="mail", arguments="{}", key=key, outcome=outcome, fate=fate, branch=branch, call="c1")

    own = [did("mine"), did("begun", "unknown")]
    others = [
        did("mine"),
        did("begun", "unknown"),
        did("new", "unknown", branch="first"),
        did("new"),
        did("x", fate="undone"),
    ]
    assert [(item.key, item.outcome, item.branch) for item in elsewhere(own, others)] == [("new", "ran", "b")]
    assert [item.key for item in elsewhere(own, [did("begun")])] == ["begun"]
    assert [item.key for item in elsewhere([], [did("k"), did("k", "unknown", branch="later")])] == ["k"]


def test_what_only_reads_is_not_listed() -> None:
    assert fates(ran("look")) == []


@pytest.mark.parametrize(
    ("outcome", "after"),
    [("failed", []), ("not_run", []), ("failed", [("mail", "unknown", "stands")])],
    ids=["failed", "dropped before it ran", "failed by a time limit and came late"],
)
def test_a_call_that_failed_has_done_nothing_unless_something_came_of_it_later(outcome: str, after: list[Any]) -> None:
    late = [LateResult(call="c1", content="sent")] if after else []
    assert fates([*ran("mail", outcome=outcome), *late]) == after


@pytest.mark.parametrize("outcome", ["unknown", "cancelled", "defect", "answered"])
def test_of_a_call_that_was_cut_off_nobody_knows(outcome: str) -> None:
    assert fates(ran("mail", outcome=outcome)) == [("mail", "unknown", "stands")]
    assert fates(ran("mail")[:3]) == [("mail", "unknown", "stands")]


def test_a_changed_result_hides_neither_what_was_done_nor_what_came_of_it() -> None:
    dropped = ran("mail", outcome="failed", original_outcome="ran", content="lost", original="sent", changed_by="you")
    (item,) = executed(header(), dropped)
    assert (item.outcome, item.result) == ("ran", "sent")
    never = ran("mail", outcome="ran", original_outcome="not_run", changed_by="fault x")
    assert fates(never) == []


@pytest.mark.parametrize(("after", "listed"), [(0, True), (2, True), (3, True), (4, False)])
def test_a_call_counts_when_its_result_came_after_that_point(after: int, listed: bool) -> None:
    assert bool(fates(ran("mail"), after)) is listed


def test_a_held_result_is_known_at_the_door() -> None:
    events = [*ran("mail")[:3], Held(call="c1", content="sent"), *ran("mail", content="changed at the door")[3:]]
    assert fates(events, 4) == []
    assert executed(header(), events)[0].result == "sent"


def test_a_call_that_ran_twice_is_listed_twice() -> None:
    events = [*ran("mail")[:3], *ran("mail")[2:]]
    assert [(item.outcome, item.n) for item in executed(header(), events)] == [("ran", 4), ("unknown", 3)]


def test_what_cannot_be_undone_comes_first() -> None:
    events = asks("write_file", "refund", "mail", "mail", "murky")
    for n, effects in ((1, FILE), (2, FILE), (3, ()), (5, ())):
        events += [ToolStarted(call=f"c{n}", key=f"k{n}"), ToolResult(call=f"c{n}", effects=effects)]
    events.append(ToolStarted(call="c4", key="k4"))
    found = executed(header(), events)
    assert [(item.call, item.fate, item.outcome) for item in found] == [
        ("c3", "stands", "ran"),
        ("c5", "stands", "ran"),
        ("c4", "stands", "unknown"),
        ("c2", "once", "ran"),
        ("c1", "undone", "ran"),
    ]
    assert (found[0].n, found[0].key, found[3].files) == (7, "k3", ("f.txt",))


def test_the_arguments_are_those_that_ran() -> None:
    events = ran("mail")
    assert executed(header(), events)[0].arguments == '{"n":1}'
    events[2] = ToolStarted(call="c1", key="k", arguments='{"n":9}')
    assert executed(header(), events)[0].arguments == '{"n":9}'


def test_a_fork_further_up_tells_what_was_done_there() -> None:
    above = Executed(tool="mail", arguments="{}", key="k0", n=9, call="c9", risk="outward", result="sent")
    events = [*ran("mail"), Forked(parent="p", at=4, effects=(entry_to(above),))]
    assert [(item.key, item.n) for item in executed(header(), events, 2)] == [("k", 3), ("k0", 5)]
    assert executed(header(), events, 5) == ()


def test_the_plain_form_reads_back() -> None:
    item = Executed(
        tool="refund",
        arguments='{"a":1}',
        key="k",
        branch="b",
        risk="write",
        outcome="unknown",
        fate="once",
        files=("a", "b"),
    )
    assert entry_from(entry_to(item)) == item


@pytest.mark.parametrize("values", [{"key": 5}, {"fate": "gone"}, {"outcome": "maybe"}, {"risk": "none"}])
def test_what_is_no_entry_is_refused(values: Any) -> None:
    with pytest.raises(ValueError, match="of an effect is"):
        entry_from(values)
