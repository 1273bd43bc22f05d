from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.view.desks import REFUND, SEARCH, asks, asks_all, bar_of, body, desk_at, on, step, title
from tests.view.nasty import LONG, WIDE, assert_drawable
from workbench.core.events import DoneElsewhere, Forked, ModelReply, Stopped, ToolStarted, UserMessage
from workbench.core.statuses import Status
from workbench.core.values import Call, Fault, Limits, Pattern, Rule
from workbench.models.scripted import Line, ScriptedCall
from workbench.view.bars import bar_for
from workbench.view.desk import Desk
from workbench.view.entries import Span
from workbench.view.lines import line_cells

BATCH = asks_all(
    ("create_refund", {"order": "A-1042", "amount": 6.25}),
    ("send_email", {"to": "ada@example.com"}),
    ("search_orders", {"customer": "Ada Byron"}),
)


# ---------------------------------------------------------------- approval


def test_one_call_that_waits() -> None:
    bar = bar_of(on(desk_at(REFUND, limits=Limits(steps=6))))
    assert (bar.kind, bar.role, bar.calls, bar.whole) == ("approval", "wait", ("c1",), True)
    assert title(bar) == "▲ The model wants to run create_refund   call 1 · step 1 of 6"
    assert body(bar) == [
        '{"order": "A-1042", "amount": 62.5}',
        "Refunds 62.50 for order A-1042.",
        "Writes to refunds.toml in this run's sandbox. A refund cannot be taken back.",
        "Asked because create_refund writes.",
    ]
    assert Span("62.5", "changed") in bar.body[0]


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("send_email", {"to": "ada@example.com"}, "Asked because send_email reaches outside."),
        ("murky", {}, "Asked because murky does not declare what it may do."),
    ],
)
def test_why_a_person_is_asked(tool: str, arguments: dict[str, str], why: str) -> None:
    assert body(bar_of(on(desk_at(asks(tool, **arguments)))))[-1] == why


def test_a_rule_that_asks_is_named_with_its_scope() -> None:
    rule = Rule(tool="search_orders", where=(("customer", Pattern(kind="glob", value="Ada*")),), decide="ask")
    bar = bar_of(on(desk_at(SEARCH, rules=(rule,))))
    assert body(bar)[-1] == 'Asked because of a rule of this run: search_orders where customer glob "Ada*".'


def test_what_another_branch_has_done_is_the_reason_before_all_others() -> None:
    desk = desk_at(REFUND)
    key = desk.run.state.effect_key("create_refund", '{"amount":62.5,"order":"A-1042"}')
    forked = desk_at(
        REFUND, events=[UserMessage(text="g"), Forked(parent="r0", at=1, effects=({"key": key},))], root="r1"
    )
    assert body(bar_of(on(forked)))[-1] == "Asked because another branch of this run has already done this."


def test_the_branch_that_did_it_and_what_came_of_that_are_named() -> None:
    desk = desk_at(REFUND)
    key = desk.run.state.effect_key("create_refund", '{"amount":62.5,"order":"A-1042"}')
    for told, why in (
        ({"branch": "Try\x1bit"}, "Asked because this is done already, in “Try␛it”."),
        ({"fate": "logged"}, "Asked because the agent whose log this is has already done this."),
        (
            {"branch": "B", "result": "Refunded."},
            "Asked because this is done already, in “B”. It gave back: Refunded. To answer with that does not do it again.",
        ),
    ):
        effect = {"key": key, **told}
        found = desk_at(REFUND, events=[UserMessage(text="g"), DoneElsewhere(effects=(effect,))], root="r1")
        assert " ".join(body(bar_of(on(found)))).endswith(why)


def test_what_was_interrupted_before_is_a_reason() -> None:
    desk = on(desk_at(REFUND))
    record = desk.run.state.open_calls()[0]
    desk.run.state.unsure_keys = frozenset({desk.run.state.effect_key("create_refund", record.arguments)})
    why = "Asked because nobody knows what came of the same call before: it may have taken effect already."
    assert body(bar_of(desk))[-1] == why


def test_a_batch_says_which_of_its_calls_may_have_been_made_before() -> None:
    refund = ("create_refund", {"order": "A-1042", "amount": 62.5})
    desk = on(desk_at(asks_all(refund, ("send_email", {"to": "x"}))))
    assert not any("nobody knows" in line for line in body(bar_of(desk)))
    key = desk.run.state.effect_key("create_refund", desk.run.state.open_calls()[0].arguments)
    desk.run.state.unsure_keys = frozenset({key})
    assert any("nobody knows what came of the same call before" in line for line in body(bar_of(desk)))


def test_arguments_that_do_not_fit_say_how_much_is_left_and_are_not_whole() -> None:
    desk = on(desk_at(asks("send_email", to="x" * 500)))
    bar = bar_of(desk, width=60, rows=3)
    assert not bar.whole
    assert body(bar)[2] == "… 2 more lines, v shows all"
    assert_drawable(bar.body, 60)
    assert bar_of(desk, width=60, rows=20).whole


def test_a_tool_name_of_hundreds_of_characters_does_not_fill_the_screen() -> None:
    desk = on(desk_at(REFUND))
    asked = desk.run.next
    record = desk.run.state.open_calls()[0]
    record.call = replace(record.call, tool=LONG)
    bar = bar_for(desk.run.state, asked, width=100, rows=5, preview=desk.run.tools.preview, check=desk.run.tools.check)
    assert bar is not None
    assert title(bar) == "▲ The model wants to run look_into_every_single_warehouse_of_the…   call 1 · step 1"


def test_a_batch_lists_its_calls_and_decides_one() -> None:
    desk = on(desk_at(BATCH))
    bar = bar_of(desk)
    assert (bar.kind, bar.calls, bar.whole) == ("batch", ("c1", "c2"), True)
    assert title(bar) == "▲ The model wants to run 2 tools: one decision each   step 1"
    assert body(bar) == [
        '▸ 1 create_refund  {"order": "A-1042", "amount": 6.25}',
        "    Refunds 6.25 for order A-1042.",
        "    Writes to refunds.toml in this run's sandbox. A refund cannot be taken back.",
        '  2 send_email     {"to": "ada@example.com"}',
    ]
    chosen = bar_of(desk, chosen="c2")
    assert chosen.calls == ("c2", "c1")
    assert body(chosen) == [
        '  1 create_refund  {"order": "A-1042", "amount": 6.25}',
        '▸ 2 send_email     {"to": "ada@example.com"}',
    ]


def test_a_batch_goes_on_with_the_calls_that_still_wait() -> None:
    desk = on(desk_at(BATCH))
    desk.run.decide("c1", "deny", reason="no")
    bar = bar_of(on(desk))
    assert (bar.kind, bar.calls) == ("approval", ("c2",))
    assert title(bar) == "▲ The model wants to run send_email   call 2 · step 1"


def test_a_batch_of_long_names_numbers_and_arguments_stays_in_its_width() -> None:
    desk = on(desk_at(BATCH))
    asked = desk.run.next
    for record, number in zip(desk.run.state.batch, (99_999, 100_000, 100_001), strict=True):
        record.call = replace(record.call, id=f"c{number}", tool=f"{WIDE}{LONG}", arguments=json.dumps({"a": WIDE * 9}))
    for width in (24, 56, 116):
        bar = bar_for(
            desk.run.state, asked, width=width, rows=5, preview=desk.run.tools.preview, check=desk.run.tools.check
        )
        assert bar is not None
        assert not bar.whole
        assert_drawable(bar.body, width)
        assert body(bar)[0].startswith("▸ 99999  漢字")


# ---------------------------------------------------------------- hold, interruption


def held(result: str = "short") -> Desk:
    desk = desk_at(SEARCH if result == "short" else asks("fetch"))
    on(desk) if desk.run.state.started else step(desk)
    desk.run.change({"hold": True})
    return on(desk)


def held_reply(reply: Line) -> Desk:
    desk = desk_at(reply)
    desk.run.change({"hold": "reply"})
    return on(desk)


def test_a_reply_at_the_door_is_shown_to_the_letter_with_what_it_would_be_read_as() -> None:
    bar = bar_of(held_reply(asks("search_orders", text="Looking.", customer="Ada [b]")))
    assert (bar.kind, bar.role, bar.calls, bar.whole) == ("hold", "held", (), True)
    assert title(bar) == "◆ Held at the door: nothing in this reply is believed yet   reply of step 1"
    assert body(bar) == [
        "Looking.",
        '→ search_orders {"customer": "Ada [b]"}',
        "It would be read as a call of search_orders.",
    ]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Line(text="140"), "It would be read as an answer, which ends the run."),
        (Line(text=""), "It could not be read: the reply was empty; call a tool, or give the answer as text."),
        (Line(text="14", finish="length"), "It would not be believed: the reply was cut off by its length limit"),
        (
            Line(calls=(ScriptedCall(tool="search_orders", arguments='{"customer": "Ad'),)),
            "No tool would run. Arguments are no JSON object: could not parse arguments as JSON",
        ),
        (asks("weather", city="Lima"), "No tool would run. A tool is called that is not there: "),
        (asks("search_orders", client="Ada"), "No tool would run. Arguments do not fit: "),
    ],
)
def test_what_a_held_reply_would_be_read_as(reply: Line, said: str) -> None:
    assert said in " ".join(body(bar_of(held_reply(reply))))


def test_what_was_done_to_it_at_the_door_is_said_with_what_it_was() -> None:
    desk = held_reply(Line(text="140"))
    desk.run.strike(Fault(on="reply", do="prose"))
    assert body(bar_of(desk))[0] == "≠ changed by fault prose   was 140"
    desk.run.put_back()
    assert body(bar_of(desk))[0] == "140"


def test_a_result_at_the_door() -> None:
    bar = bar_of(held())
    assert (bar.kind, bar.role, bar.calls, bar.whole) == ("hold", "held", ("c1",), True)
    assert title(bar) == "◆ Held at the door: the model has not read this result   search_orders · call 1"
    assert body(bar) == ['{"orders": [{"order": "A-1042", "customer": "Ada Byron"}]}']
    assert Span('"A-1042"', "result") in bar.body[0]


def test_a_long_result_at_the_door_says_how_much_is_left() -> None:
    bar = bar_of(held("page"), rows=2)
    assert (body(bar), bar.whole) == (["# A page", "… 3 more lines, v shows all"], False)


def test_a_held_result_that_a_fault_has_changed_says_so() -> None:
    desk = held()
    record = desk.run.state.open_calls()[0]
    assert record.held is not None
    record.held = replace(record.held, outcome="failed", content="", changed_by="fault crash")
    assert body(bar_of(desk)) == ["✗ failed", "≠ changed by fault crash   was nothing", "(an empty result)"]


def test_a_call_that_was_interrupted() -> None:
    desk = on(desk_at(REFUND))
    desk.run.decide("c1", "allow")
    events = [*desk.run.events, ToolStarted(call="c1", key="k")]
    bar = bar_of(desk_at(REFUND, events=events), width=40)
    assert title(bar) == "▲ create_refund had started when the run was interrupted   call 1"
    assert body(bar) == [
        '{"order": "A-1042", "amount": 62.5}',
        "Nobody knows whether it took effect.",
        "Nothing runs again by itself.",
        "Tell the model that it is unknown,",
        "answer for the tool, or run it again.",
    ]


def test_a_call_that_was_edited_and_then_interrupted_shows_what_ran() -> None:
    desk = on(desk_at(REFUND))
    desk.run.decide("c1", "edit", arguments='{"order": "A-1042", "amount": 5}')
    arguments = desk.run.state.open_calls()[0].arguments
    events = [*desk.run.events, ToolStarted(call="c1", key="k", arguments=arguments)]
    assert body(bar_of(desk_at(REFUND, events=events)))[0] == '{"amount":5,"order":"A-1042"}'


# ---------------------------------------------------------------- the end


def test_a_run_that_answered() -> None:
    bar = bar_of(on(desk_at(SEARCH, Line(text="One mug.\nNo more."))), saved_as="refund-3")
    assert (bar.kind, bar.role) == ("answered", "go")
    assert title(bar) == "✓ Answered in 2 steps   answered · 2 model calls, 1 tool call"
    assert body(bar) == ["One mug.", "No more.", "Saved as refund-3."]


def test_a_long_answer_is_cut_with_a_word_about_it() -> None:
    bar = bar_of(on(desk_at(Line(text="\n".join(f"line {n}" for n in range(40))))), saved_as="x")
    assert body(bar)[5:] == ["… 35 more lines, v shows all", "Saved as x."]


def test_a_run_that_a_cap_stopped() -> None:
    bar = bar_of(on(desk_at(SEARCH, SEARCH, limits=Limits(steps=1))), saved_as="refund-3")
    assert (bar.kind, bar.role) == ("stop", "error")
    assert title(bar) == (
        "■ Stopped by the step cap: 1 of 1 steps used, no answer   step_budget_exhausted · 1 model call, 1 tool call"
    )
    assert body(bar) == ["Saved as refund-3. Going on keeps everything above."]


def test_a_stop_tells_what_happened_and_of_a_traceback_the_last_line() -> None:
    bar = bar_of(on(desk_at(Line(fail="auth"))))
    assert title(bar).startswith("■ The model's service does not accept the key, no answer   model_rejected")
    assert body(bar) == ["reply 1 of the script is scripted to fail: auth", "Going on keeps everything above."]
    desk = on(desk_at(SEARCH, limits=Limits(steps=1)))
    desk.run.state.stopped = Stopped(status=Status.INTERNAL_ERROR, detail="Traceback\n  File x\nKeyError: \x1b'a'\n")
    assert body(bar_of(desk))[0] == "KeyError: ␛'a'"


def test_a_run_that_a_person_stopped_is_not_urged_to_go_on() -> None:
    desk = on(desk_at(REFUND))
    desk.run.stop()
    bar = bar_of(on(desk), saved_as="x")
    assert (title(bar).split("   ")[0], body(bar)) == ("■ A person stopped the run", ["Saved as x."])


def test_there_is_no_bar_while_nothing_wants_the_person() -> None:
    desk = desk_at(SEARCH)
    assert (
        bar_for(
            desk.run.state, desk.run.next, width=80, rows=5, preview=desk.run.tools.preview, check=desk.run.tools.check
        )
        is None
    )


@pytest.mark.parametrize("width", [20, 36, 56, 76, 116])
def test_every_bar_stays_in_its_width(width: int) -> None:
    calls = tuple(
        Call(id=f"c{n}", tool="send_email", arguments="{}", canonical='{"to":"' + WIDE + '"}') for n in (1, 2)
    )
    batch = [UserMessage(text="g"), ModelReply(calls=calls)]
    for desk in (
        on(desk_at(REFUND)),
        held(),
        held("page"),
        desk_at(events=batch),
        on(desk_at(SEARCH, Line(text=WIDE))),
    ):
        bar = bar_of(desk, width=width)
        assert_drawable(bar.body, width)
        assert line_cells(bar.title) < 120
