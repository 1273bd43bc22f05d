from __future__ import annotations

from dataclasses import replace

import pytest

from tests.view.desks import REFUND, SEARCH, asks, asks_all, desk_at, on
from tests.view.nasty import LONG, WIDE, assert_drawable, rows_of
from workbench.core.events import Decided, ModelReply, ToolResult, ToolStarted, UserMessage
from workbench.core.loop import RunTools
from workbench.core.state import State, fold
from workbench.core.values import Call, Header, ToolInfo
from workbench.models.scripted import Line
from workbench.view import panes
from workbench.view.entries import line_text
from workbench.view.panes import call_at, call_count, call_detail, calls, request_lines, waiting_ids

HEADER = Header(id="r", goal="g", tools=(ToolInfo(name="look", risk="read"),))


def many(count: int) -> State:
    """So many calls, two a reply, all but the last two closed."""
    state = State(HEADER)
    state.apply(UserMessage(text="g"))
    for n in range(1, count + 1, 2):
        pair = tuple(
            Call(id=f"c{i}", tool="look", arguments=f'{{"n": {i}}}', canonical=f'{{"n":{i}}}') for i in (n, n + 1)
        )
        state.apply(ModelReply(calls=pair))
        if n + 1 < count:
            for call in pair:
                state.apply(ToolStarted(call=call.id))
                state.apply(ToolResult(call=call.id, content="5"))
    return state


# ---------------------------------------------------------------- the list


def test_the_calls_of_a_run_newest_last() -> None:
    desk = on(desk_at(SEARCH, asks("create_refund", order="a-1042", amount=6.25), REFUND))
    desk.run.decide("c2", "allow")
    state = on(desk).run.state
    lines, ids = calls(state, 45, selected="c3")
    assert rows_of(lines) == [
        "Tool calls ──────────────────────────────── 3",
        "  1 search_orders  Ada Byron             ✓ ok",
        "  2 create_refund  a-1042, 6.25       ✗ error",
        "▸ 3 create_refund  A-1042, 62.5     ▲ waiting",
    ]
    assert ids == ["c1", "c2", "c3"]
    assert [line[-1].role for line in lines[1:]] == ["go", "error", "wait"]


def test_there_may_be_none_yet() -> None:
    assert rows_of(calls(State(HEADER), 30)[0]) == ["Tool calls ───────────────── 0", "none yet"]


def test_of_many_calls_those_around_the_picked_one_are_listed() -> None:
    state = many(100)
    lines, ids = calls(state, 45, rows=5)
    assert ids == ["c96", "c97", "c98", "c99", "c100"]
    assert line_text(lines[-1]) == "  95 more"
    assert calls(state, 45, selected="c50", rows=5)[1] == ["c48", "c49", "c50", "c51", "c52"]
    assert calls(state, 45, selected="c1", rows=5)[1] == ["c1", "c2", "c3", "c4", "c5"]
    for nobody in ("c101", "c0", "", "cx", "c²", "c" + "9" * 5000):
        assert calls(state, 45, selected=nobody, rows=5)[1] == ids


def test_a_list_of_a_hundred_thousand_calls_is_not_gone_through(monkeypatch: pytest.MonkeyPatch) -> None:
    state = many(100)
    closed = state.calls
    state.calls = type(closed)([*closed] * 1000)
    assert call_count(state) == 98_002
    assert call_at(state, 98_001) is state.batch[-1]
    monkeypatch.delattr(State, "every_call")
    assert len(calls(state, 45, rows=12)[1]) == 12


def test_a_call_is_running_only_while_something_runs() -> None:
    state = many(2)
    state.apply(ToolStarted(call="c1"))
    move = RunTools(tuple(state.batch))
    assert [line_text(line)[-9:] for line in calls(state, 45, running=True, move=move)[0][1:]] == [
        "→ running",
        " proposed",
    ]
    assert line_text(calls(state, 45, move=move)[0][1]).endswith("? interrupted")


def test_numbers_and_names_of_any_length_stay_apart() -> None:
    state = many(2)
    for record, number in zip(state.batch, (99_999, 100_000), strict=True):
        record.call = replace(record.call, id=f"c{number}", tool=WIDE)
    lines, _ = calls(state, 45, selected="c99999")
    assert line_text(lines[1]).startswith("▸ 99999  漢字漢字漢字… ")
    for width in (20, 30, 45):
        assert_drawable(calls(state, width, selected="c99999")[0], width)


def test_who_waits_is_read_from_the_move() -> None:
    desk = on(desk_at(asks_all(("create_refund", {"order": "A", "amount": 1}), ("search_orders", {"customer": "A"}))))
    assert waiting_ids(desk.run.next) == {"c1"}
    assert waiting_ids(RunTools(())) == frozenset()


# ---------------------------------------------------------------- one call


def test_a_call_in_full() -> None:
    desk = on(desk_at(REFUND, Line(text="done")))
    state = desk.run.state
    record = state.open_calls()[0]
    assert rows_of(call_detail(state, record, 45)) == [
        "Call 1 ──────────────────────── create_refund",
        '{"order": "A-1042", "amount": 62.5}',
        "",
        "write · ledger · trusted · asks first",
        "not run",
    ]
    desk.run.decide("c1", "edit", arguments='{"order": "A-1042", "amount": 6.25}')
    state = on(desk).run.state
    assert rows_of(call_detail(state, state.calls[0], 45)) == [
        "Call 1 ──────────────────────── create_refund",
        '{"amount":6.25,"order":"A-1042"}',
        "",
        "write · ledger · trusted · asked first",
        "≠ you changed amount to 6.25",
        'the model wrote {"order": "A-1042", "amount":',
        "62.5}",
        "ok · 31 characters",
    ]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (ToolResult(call="c1", content="12345", took=0.0021), "ok in 2.1 ms · 5 characters"),
        (ToolResult(call="c1", content="x" * 8000, full_chars=12_000), "ok · 8,000 characters of 12,000"),
        (ToolResult(call="c1", outcome="failed", content="no"), "failed · 2 characters"),
        (ToolResult(call="c1", outcome="not_run", content="no"), "not run · 2 characters"),
    ],
)
def test_what_came_of_a_call(result: ToolResult, words: str) -> None:
    state = many(2)
    state.batch[0].result = result
    assert line_text(call_detail(state, state.batch[0], 60)[-1]) == words
    state.batch[0].repeat = 3
    assert line_text(call_detail(state, state.batch[0], 80)[-1]) == f"{words} · same call 3 times"


def test_a_tool_that_is_not_there_is_named_as_such() -> None:
    call = Call(id="c1", tool="lookk", arguments="{}", problem="no such tool", problem_kind="unknown_tool")
    state = fold(HEADER, [UserMessage(text="g"), ModelReply(calls=(call,))])
    assert "there is no such tool" in rows_of(call_detail(state, state.batch[0], 45))


def test_who_is_asked_follows_what_happened() -> None:
    state = on(desk_at(asks("murky"))).run.state
    record = state.open_calls()[0]
    assert rows_of(call_detail(state, record, 60))[3] == "risk not declared · trusted · asks first"
    record.decision = Decided(call="c1", decision="allow", by="rule")
    assert rows_of(call_detail(state, record, 60))[3] == "risk not declared · trusted · did not ask"


def test_long_arguments_are_cut_with_a_word_about_it() -> None:
    state = many(2)
    arguments = "{" + ", ".join(f'"{LONG}{n}": "{WIDE}"' for n in range(300)) + "}"
    state.batch[0].call = replace(state.batch[0].call, arguments=arguments)
    detail = call_detail(state, state.batch[0], 45, rows=6)
    assert line_text(detail[6]) == "… 301 more lines, v shows all"
    assert_drawable(detail, 45)
    assert len(detail) < 6 + panes.DETAIL_ROWS


# ---------------------------------------------------------------- the next request


def test_what_the_model_reads_next_a_message_a_line() -> None:
    state = on(desk_at(SEARCH, REFUND, system="Be brief.")).run.state
    rows = rows_of(request_lines(state, 45, "What the model reads next", rows=20))
    assert rows[0] == "What the model reads next ───────────── w all"
    assert rows[1].startswith("tools     6 in ~")
    assert rows[2:] == [
        "",
        "user      Refund it",
        "assistant → search_orders",
        'tool      {"orders": [{"order": "A-1042", "c…',
        "assistant The order number must be upper cas…",
    ]


def test_of_many_messages_the_latest_are_shown() -> None:
    state = many(400)
    rows = rows_of(request_lines(state, 45, "Next", rows=8))
    assert rows[3].endswith(" earlier messages")
    assert len(rows) == 8
