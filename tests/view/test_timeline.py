from __future__ import annotations

import pytest

from tests.view.desks import REFUND, SEARCH, asks, asks_all, desk_at, entries, on, step
from workbench.core.events import (
    DoneElsewhere,
    Event,
    Forked,
    Held,
    LateResult,
    ModelFailed,
    ModelReply,
    Notice,
    SettingsChanged,
    Stopped,
    ToolResult,
    ToolStarted,
    UserMessage,
)
from workbench.core.loop import AskModel
from workbench.core.state import State, fold
from workbench.core.statuses import Status
from workbench.core.values import Call, Header, Limits, ToolInfo
from workbench.models.scripted import Line
from workbench.view.entries import Span, all_lines, content
from workbench.view.timeline import Timeline

HEADER = Header(id="r1", goal="g", protocol="native", tools=(ToolInfo(name="look", risk="read", source="orders"),))
LOOK = Call(id="c1", tool="look", arguments="{}", canonical="{}")


def shown(*events: Event, header: Header = HEADER, keys: bool = True) -> list[tuple[str, list[str]]]:
    """The entries of a run with these events: word and lines."""
    timeline = Timeline(events, fold(header, events), keys=keys)
    found = [timeline.entry(index) for index in range(len(timeline))]
    return [(e.word, ["".join(s.text for s in line) for line in all_lines(e)]) for e in found]


def result_of(result: ToolResult, *before: Event) -> tuple[str, list[str]]:
    *_, last = shown(UserMessage(text="g"), ModelReply(calls=(LOOK,)), *before, result)
    return last


def reply_of(reply: ModelReply, header: Header = HEADER, *, keys: bool = True) -> tuple[str, list[str]]:
    *_, last = shown(UserMessage(text="g"), reply, header=header, keys=keys)
    return last


# ---------------------------------------------------------------- a whole run


def test_a_run_from_its_goal_to_its_answer() -> None:
    desk = on(desk_at(SEARCH, REFUND, Line(text="Ada gets 6.25 back.")))
    desk.run.decide("c2", "edit", arguments='{"order": "A-1042", "amount": 6.25}')
    on(desk)
    ran, wrote = '{"amount":6.25,"order":"A-1042"}', '{"order": "A-1042", "amount": 62.5}'
    assert entries(desk) == [
        ("USER", ["Refund it"]),
        ("MODEL", ['→ search_orders {"customer": "Ada Byron"}']),
        ("RESULT", ["search_orders · orders", '{"orders": [{"order": "A-1042", "customer": "Ada Byron"}]}']),
        (
            "MODEL",
            [
                "The order number must be upper case.",
                '→ create_refund {"order": "A-1042", "amount": 62.5}',
                "  ≠ you changed amount to 6.25",
            ],
        ),
        ("RESULT", ["create_refund · ledger", "Refunded 6.25 for order A-1042."]),
        (
            "NOTE",
            [f"A person changed the arguments of your call of create_refund: it ran with {ran}, not with {wrote}."],
        ),
        ("ANSWER", ["Ada gets 6.25 back."]),
    ]
    steps = [desk.timeline.entry(index).step for index in range(len(desk.timeline))]
    assert steps == [None, 1, None, 2, None, None, 3]


def test_a_call_that_waits_and_what_was_decided_about_it() -> None:
    desk = on(desk_at(REFUND, SEARCH))
    assert entries(desk)[-1][1][-1] == "  ▲ waiting for you"
    desk.run.decide("c1", "allow")
    desk.refresh()
    assert entries(desk)[-1][1][-1] == "  ✓ allowed by you, once"


def test_calls_of_a_batch_wait_together_and_each_has_its_own_decision() -> None:
    desk = on(
        desk_at(
            asks_all(
                ("create_refund", {"order": "A-1", "amount": 1}),
                ("send_email", {"to": "a"}),
                ("murky", {}),
                ("search_orders", {"customer": "A"}),
            ),
            Line(text="done"),
        )
    )
    lines = entries(desk)[-1][1]
    assert lines[3:] == ['→ search_orders {"customer": "A"}', "  ▲ three calls wait for you"]
    desk.run.decide("c1", "deny", reason="no")
    desk.run.decide("c2", "answer", answer="sent")
    on(desk)
    assert entries(desk)[1][1] == [
        '→ create_refund {"order": "A-1", "amount": 1}',
        "  ⊘ denied by you",
        '→ send_email {"to": "a"}',
        "  ≠ answered by you, not run",
        "→ murky {}",
        "  ▲ waiting for you",
        '→ search_orders {"customer": "A"}',
    ]
    assert entries(desk)[2:] == [
        ("DENIED", ["create_refund · not run", "Denied by a person: no"]),
        ("RESULT", ["send_email · answered by you, not run", "sent"]),
    ]


def test_a_rule_that_allows_leaves_nothing_to_wait_for() -> None:
    desk = step(step(desk_at(REFUND, approval="allow")))
    assert entries(desk)[1][1][-1] == "  ✓ allowed by a rule: approval.default is allow"


def test_whether_a_call_waits_is_asked_of_the_loop_that_runs() -> None:
    desk = on(desk_at(REFUND))
    never = Timeline(desk.run.events, desk.run.state, move_from=lambda _: AskModel())
    assert not any("waiting" in never.text(index) for index in range(len(never)))


# ---------------------------------------------------------------- replies


def test_thinking_is_folded_to_its_first_line() -> None:
    assert reply_of(ModelReply(thinking="hm", calls=(LOOK,)))[1] == ["thinking: hm", "→ look {}"]
    long = ModelReply(text="<think>one\ntwo</think>\nACTION: look {}", calls=(LOOK,))
    text = Header(id="r1", goal="g", protocol="text")
    assert reply_of(long, text)[1] == ["thinking: one … 7 characters, v shows all", "→ look {}"]
    assert reply_of(long, text, keys=False)[1][0] == "thinking: one … 7 characters"
    assert reply_of(ModelReply(thinking="x" * 500, calls=(LOOK,)))[1][0].startswith("thinking: " + "x" * 100 + " … 500")


def test_what_was_not_used_of_a_reply_stands_under_its_call() -> None:
    reply = ModelReply(
        text="ACTION: look {}\nOBSERVATION: 5\nANSWER: 5", calls=(LOOK,), dropped="Only the first action was used."
    )
    lines = ["→ look {}", "not used:", "OBSERVATION: 5", "ANSWER: 5"]
    assert reply_of(reply, Header(id="r1", goal="g", protocol="text")) == ("MODEL", lines)


@pytest.mark.parametrize(
    ("reply", "word", "lines"),
    [
        (ModelReply(text="I would {", reading="malformed", problem="no"), "MODEL", ["I would {"]),
        (ModelReply(text="I was", reading="cut_off", problem="It was cut."), "MODEL", ["I was", "✗ It was cut."]),
        (ModelReply(reading="blocked", problem="Blocked."), "MODEL", ["✗ Blocked."]),
        (ModelReply(reading="malformed"), "MODEL", ["(an empty reply)"]),
        (ModelReply(reading="answer", answer="one\ntwo"), "ANSWER", ["one", "two"]),
        (ModelReply(calls=(LOOK,), faults=("delay",)), "MODEL", ["→ look {}", "≠ struck by fault delay"]),
        (
            ModelReply(calls=(Call(id="c1", tool="a\nb", arguments='{"x":\n1}', note="mended\nit"),)),
            "MODEL",
            ['→ a↵b {"x": 1}', "  mended↵it"],
        ),
    ],
)
def test_replies(reply: ModelReply, word: str, lines: list[str]) -> None:
    assert reply_of(reply) == (word, lines)


@pytest.mark.parametrize("reading", ["answer", "calls"])
def test_a_changed_reply_says_so_and_shows_what_it_was(reading: str) -> None:
    reply = ModelReply(
        text="no",
        reading="answer" if reading == "answer" else "calls",
        answer="no" if reading == "answer" else "",
        original="yes\nindeed",
        changed_by="fault garble, you",
    )
    events = [UserMessage(text="g"), reply]
    timeline = Timeline(events, fold(HEADER, events))
    assert timeline.text(1) == "no\n≠ changed by fault garble and you   o original"
    assert timeline.toggle_original(1)
    assert timeline.shows_original(1)
    assert timeline.text(1) == "no\n≠ changed by fault garble and you   o changed\nyes\nindeed"
    assert timeline.toggle_original(1)
    assert not timeline.shows_original(1)
    assert not timeline.toggle_original(0)
    assert not timeline.toggle_original(7)


# ---------------------------------------------------------------- results


@pytest.mark.parametrize(
    ("result", "word", "lines"),
    [
        (ToolResult(call="c1", content="5\n", source="orders", took=0.0021), "RESULT", ["look · orders · 2.1 ms", "5"]),
        (ToolResult(call="c1", content="", source="orders"), "RESULT", ["look · orders", "(an empty result)"]),
        (ToolResult(call="c1", content="\n"), "RESULT", ["look", ""]),
        (
            ToolResult(call="c1", content="x", trust="untrusted", source="web"),
            "RESULT",
            ["look · web · not trusted", "x"],
        ),
        (ToolResult(call="c1", content="no", outcome="failed"), "ERROR", ["look", "no"]),
        (ToolResult(call="c1", content="no", outcome="invalid"), "ERROR", ["look · not run", "no"]),
        (ToolResult(call="c1", content="no", outcome="denied"), "DENIED", ["look · not run", "no"]),
        (ToolResult(call="c1", content="no", outcome="not_run"), "NOT RUN", ["look · not run", "no"]),
        (ToolResult(call="c1", content="no", outcome="cancelled"), "CANCEL", ["look · not run", "no"]),
        (
            ToolResult(call="c1", content="?", outcome="unknown"),
            "UNKNOWN",
            ["look · nobody knows whether it took effect", "?"],
        ),
        (ToolResult(call="c1", content="5", outcome="stored"), "RESULT", ["look · stored, not run again", "5"]),
        (
            ToolResult(call="c1", content="broken", outcome="defect", detail="KeyError"),
            "DEFECT",
            ["look", "broken", "The traceback is for you only; the model does not see it: v"],
        ),
        (
            ToolResult(call="c1", content="5", faults=("delay",), source="orders"),
            "RESULT",
            ["look · orders · ≠ struck by fault delay", "5"],
        ),
        (
            ToolResult(
                call="c1",
                content="no",
                outcome="failed",
                original="5",
                original_outcome="ran",
                changed_by="fault crash",
            ),
            "ERROR",
            ["look", "no", "≠ changed by fault crash, really ok   o original"],
        ),
        (
            ToolResult(call="c1", content="5", original="5", changed_by="you"),
            "RESULT",
            ["look", "5"],
        ),
    ],
)
def test_results(result: ToolResult, word: str, lines: list[str]) -> None:
    assert result_of(result) == (word, lines)


@pytest.mark.parametrize(
    ("original", "words"),
    [
        ("2100000", ", was 2100000"),
        ("x" * 32, f", was {'x' * 32}"),
        ("x" * 33, ""),
        ("東" * 17, ""),
        ("two\nlines", ""),
        ("", ""),
        ("\x1b[2J", ", was ␛[2J"),
    ],
)
def test_what_it_was_stands_beside_the_change_where_it_is_short(original: str, words: str) -> None:
    result = ToolResult(call="c1", content="5", original=original, changed_by="you")
    assert result_of(result)[1][-1] == f"≠ changed by you{words or '   o original'}"


def test_a_call_that_had_started_when_it_was_cancelled() -> None:
    result = ToolResult(call="c1", content="?", outcome="cancelled")
    assert result_of(result, ToolStarted(call="c1"))[1][0] == "look · cancelled while it ran"


def test_a_result_at_the_door_and_behind_it() -> None:
    held = Held(call="c1", content="secret", source="orders", took=0.0021, trust="untrusted", changed_by="fault garble")
    before = (UserMessage(text="g"), ModelReply(calls=(LOOK,)), held)
    meta = "look · orders · 2.1 ms · not trusted"
    changed = "≠ changed by fault garble"
    assert shown(*before)[-1] == ("HELD", [meta, "the model has not read this yet", changed])
    passed = (*before, ToolResult(call="c1", content="secret"))
    assert shown(*passed)[2] == ("HELD", [meta, "was held at the door", changed])


def test_a_result_that_came_too_late() -> None:
    events = (UserMessage(text="g"), ModelReply(calls=(LOOK,)), LateResult(call="c1", content="5", took=31.2))
    assert shown(*events)[-1] == ("LATE", ["look · 31.2 s · too late: the model does not see it", "5"])


# ---------------------------------------------------------------- the others


@pytest.mark.parametrize(
    ("event", "word", "lines"),
    [
        (Notice(topic="correction", text="no such\ntool"), "NOTE", ["no such", "tool"]),
        (
            ModelFailed(failure="timeout", detail="30 s", attempts=3, faults=("timeout",)),
            "ERROR",
            ["The model did not reply in time · 3 attempts", "30 s", "≠ struck by fault timeout"],
        ),
        (
            SettingsChanged(changes={"limits.steps": None, "hold": True}),
            "SET",
            ["step cap lifted", "results are held at the door"],
        ),
        (
            Stopped(status=Status.STEP_BUDGET_EXHAUSTED, knob="limits.steps", limit=4),
            "STOP",
            ["step budget exhausted: step cap 4"],
        ),
        (Stopped(status=Status.CANCELLED), "STOP", ["cancelled"]),
        (
            Forked(
                parent="r0", at=12, effects=({"tool": "create_refund", "arguments": '{"amount":6.25}', "key": "k"},)
            ),
            "FORK",
            ["forked from r0 at event 12", '✗ cannot be undone: create_refund {"amount":6.25}'],
        ),
        (
            DoneElsewhere(
                effects=(
                    {"tool": "create_refund", "arguments": '{"amount":6.25}', "key": "k", "branch": "Try it"},
                    {"tool": "look", "fate": "logged"},
                ),
            ),
            "DONE",
            [
                "done already in another branch of this run",
                '✗ cannot be undone: create_refund {"amount":6.25}   in “Try it”',
                "· the log tells of 1 call of another agent, and not whether it changed anything",
            ],
        ),
    ],
)
def test_other_events(event: Event, word: str, lines: list[str]) -> None:
    assert shown(UserMessage(text="g"), event)[-1] == (word, lines)


def test_a_success_is_no_entry_of_its_own() -> None:
    events = (UserMessage(text="g"), ModelReply(reading="answer", answer="5"), Stopped(status=Status.ANSWERED))
    assert [word for word, _ in shown(*events)] == ["USER", "ANSWER"]


def test_without_a_keyboard_no_keys_are_named() -> None:
    changed = ToolResult(call="c1", content="5", original="4", changed_by="script")
    events = (UserMessage(text="g"), ModelReply(calls=(LOOK,)), changed)
    assert shown(*events, keys=False)[-1][1][-1] == "≠ changed by the scenario's person, was 4"


# ---------------------------------------------------------------- looking back


def test_an_earlier_moment_shows_what_was_known_then() -> None:
    desk = on(desk_at(REFUND))
    desk.run.decide("c1", "allow")
    on(desk)
    timeline, events = desk.timeline, desk.run.events
    assert timeline.show(fold(desk.run.header, events[:2])) == 2
    assert timeline.text(1).endswith("▲ waiting for you")
    assert timeline.event(2) is None
    assert (timeline.index_of(4), timeline.index_of(99), timeline.index_of(1)) == (1, 1, 0)
    # What comes later is measured as it is going to be read when it is shown again.
    assert timeline.text(2).startswith("create_refund · ledger")
    assert timeline.data(2)
    assert timeline.show(desk.run.state) == len(timeline)


def test_numbers_and_places_are_each_others_inverse() -> None:
    desk = on(desk_at(SEARCH, REFUND, limits=Limits(steps=9)))
    timeline = desk.timeline
    assert [timeline.number(index) for index in range(len(timeline))] == [1, 2, 4, 5]
    assert [timeline.index_of(n) for n in range(6)] == [-1, 0, 1, 1, 2, 3]


def test_what_is_copied_leaves_the_meta_line_out() -> None:
    desk = on(desk_at(asks("fetch"), Line(text="done")))
    entry = desk.timeline.entry(2)
    assert content(entry) == "# A page\n\nbuy mugs"
    assert entry.data
    assert Span("# A page") in entry.lines[0]


def test_an_empty_run_has_no_entries() -> None:
    timeline = Timeline([], State(HEADER))
    assert (len(timeline), timeline.event(0), timeline.index_of(1)) == (0, None, -1)
