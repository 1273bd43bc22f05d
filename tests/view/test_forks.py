from __future__ import annotations

import pytest

from workbench.core.events import DoneElsewhere, Event, ModelReply, ToolResult, ToolStarted, UserMessage
from workbench.core.ledger import Executed, entry_to
from workbench.core.state import fold
from workbench.core.values import Call, Header, ToolInfo
from workbench.view.effects import effect_lines, effects_title, logged_words
from workbench.view.entries import line_text
from workbench.view.forks import acted, fork_title, undone_lines
from workbench.view.lines import line_cells

HEADER = Header(
    id="r",
    goal="g",
    tools=(
        ToolInfo(name="refund", risk="write", consequence="It cannot be taken back."),
        ToolInfo(name="look", risk="read"),
    ),
)
REPLY = ModelReply(text="Now.", calls=(Call(id="c1", tool="refund", arguments='{"a": 1}', canonical='{"a":1}'),))
EVENTS: list[Event] = [
    UserMessage(text="g"),
    REPLY,
    ToolStarted(call="c1", key="k"),
    ToolResult(call="c1", content="done", effects=({"path": "ledger.toml", "content": "x"},)),
]


def item(**given: object) -> Executed:
    return Executed(**{"tool": "refund", "arguments": "{}", "key": "k", "n": 3, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("items", "after", "title"),
    [
        ([], 0, "Nothing but reading was done"),
        ([], 1200, "After event 1,200: nothing but reading was done"),
        ([item()], 2, "After event 2: 1 call really acted; 1 cannot be undone"),
        ([item(fate="once"), item(fate="undone")], 0, "2 calls really acted"),
        ([item(outcome="unknown"), item()], 0, "2 calls really acted; 1 cannot be undone; of 1 nobody knows"),
        (
            [item(fate="logged")],
            2,
            "After event 2: the log tells of 1 call of another agent, and not whether it changed anything",
        ),
        (
            [item(), item(fate="logged"), item(fate="logged", outcome="unknown")],
            0,
            f"1 call really acted; 1 cannot be undone; {logged_words(2)}",
        ),
    ],
)
def test_one_sentence_says_what_was_done(items: list[Executed], after: int, title: str) -> None:
    assert effects_title(items, after) == title


def test_each_effect_says_what_becomes_of_it_and_what_is_to_be_known_before_it_is_done_again() -> None:
    items = [
        item(),
        item(fate="once", files=("a", "b", "c", "d")),
        item(fate="undone", files=("a",)),
        item(outcome="unknown"),
        item(tool="look", fate="logged"),
        item(tool="look", branch="Try\nit"),
    ]
    assert [line_text(line).rstrip() for line in effect_lines(HEADER, items, 100)] == [
        "✗ cannot be undone    refund {}   event 3",
        "                      It cannot be taken back.",
        "▲ asked about again   refund {}   event 3",
        "                      a, b, c and 1 more are as before. It cannot be taken back.",
        "✓ undone              refund {}   event 3",
        "                      a is as before.",
        "? may have been done  refund {}   event 3",
        "                      It cannot be taken back.",
        "· by another agent    look {}   event 3",
        "✗ cannot be undone    look {}   in “Try↵it”",
    ]


def test_what_only_other_branches_did_stands_apart() -> None:
    others = [item(key="k", call="c1", branch="A"), item(key="k2", call="c1", branch="B")]
    lines = [line_text(line).rstrip() for line in undone_lines(HEADER, EVENTS, 4, 120, others)]
    assert lines == [
        "After event 4: nothing but reading was done",
        "Other branches of this run did 1 thing more; it is asked about before this one does the same",
        "  ✗ cannot be undone    refund {}   in “B”",
        "                        It cannot be taken back.",
    ]
    told = [*EVENTS, DoneElsewhere(effects=tuple(map(entry_to, others)))]
    assert [line_text(line).rstrip() for line in undone_lines(HEADER, told, 4, 120)][1:3] == [
        "Other branches of this run did 2 things more; they are asked about before this one does the same",
        "  ✗ cannot be undone    refund {}   in “A”",
    ]


@pytest.mark.parametrize("width", [30, 40, 60, 200])
def test_no_line_is_wider_than_there_is_room(width: int) -> None:
    odd = item(tool="x" * 80, arguments='{"text":"' + "漢" * 300 + '\u202e\\n"}', files=("y" * 200,), fate="once")
    assert all(line_cells(line) <= width for line in effect_lines(HEADER, [odd], width))


def test_what_a_fork_begins_with_is_in_its_title() -> None:
    state = fold(HEADER, EVENTS)
    titles = [
        line_text(fork_title(EVENTS, at, state, changed=changed)) for at, changed in ((0, False), (2, True), (4, False))
    ]
    assert titles == [
        "◀ Fork at event 0 of 4   before the first event",
        "◀ Fork at event 2 of 4, with another reply   the model asked for refund",
        "◀ Fork at event 4 of 4   refund returned",
    ]


def test_what_is_not_undone_stands_under_it() -> None:
    assert [line_text(line) for line in undone_lines(HEADER, EVENTS, 4, 80)] == [
        "After event 4: nothing but reading was done"
    ]
    assert [acted(HEADER, EVENTS, at) for at in (0, 3, 4)] == [True, True, False]
    assert "asked about again" in line_text(undone_lines(HEADER, EVENTS, 3, 80)[1])
