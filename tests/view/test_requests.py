from __future__ import annotations

import pytest

from tests.view.desks import REFUND, SEARCH, desk_at, on
from tests.view.nasty import rows_of
from workbench.core.events import ModelReply, UserMessage
from workbench.core.state import State, fold
from workbench.core.values import Call, Header, ProtocolName, ToolInfo
from workbench.models.scripted import Line
from workbench.view.entries import line_text
from workbench.view.requests import request_count, request_page


def page(state: State, index: int) -> tuple[str, list[str]]:
    title, body = request_page(state, index)
    return line_text(title), rows_of(body)


def test_a_text_request_is_its_instructions_and_the_transcript_to_the_letter() -> None:
    desk = on(
        desk_at(Line(text='hm\nACTION: search_orders {"customer": "Ada"}'), Line(text="ANSWER: 5"), protocol="text")
    )
    state = desk.run.state
    assert request_count(state) == 3
    title, body = page(state, 1)
    assert title.startswith("Request 2 of 2   3 messages · ")
    assert body[0] == "system"
    transcript = "\n".join(message.text for message in state.messages[:3])
    assert "\n".join(body) == f"system\n{state.system}\n\ntranscript\n{transcript}"
    assert page(state, 0)[1] == [*body[: len(state.system.split("\n")) + 3], "QUESTION: Refund it"]


def test_json_messages_stand_apart_each_under_its_role() -> None:
    said = '{"type": "tool", "tool": "search_orders", "input": {"customer": "Ada"}}'
    state = on(desk_at(Line(text=said), Line(text='{"type": "answer", "text": "5"}'), protocol="json")).run.state
    _, body = page(state, 1)
    rows = body[body.index("user") :]
    assert rows[:5] == ["user", "Refund it", "", "assistant", said]
    assert [row for row in rows if row.startswith("tool · ")] == ["tool · c1 search_orders"]
    assert not any(row.startswith("→") for row in rows)


def test_native_messages_stand_apart_each_under_its_role() -> None:
    state = on(desk_at(SEARCH, REFUND)).run.state
    _, body = page(state, 1)
    assert body[0] == "tools"
    assert "search_orders  The orders of a customer." in body
    start = body.index("user")
    assert body[start:] == [
        "user",
        "Refund it",
        "",
        "assistant",
        '→ search_orders {"customer": "Ada Byron"}   c1',
        "",
        "tool · c1 search_orders",
        '{"orders": [{"order": "A-1042", "customer": "Ada Byron"}]}',
        "",
    ]


@pytest.mark.parametrize("protocol", ["text", "json", "native"])
def test_the_next_request_is_what_would_be_sent(protocol: ProtocolName) -> None:
    desk = desk_at(SEARCH, protocol=protocol, events=[UserMessage(text="Refund it")])
    title, body = page(desk.run.state, 0)
    assert title.startswith("The next request   1 message · ")
    assert any("Refund it" in row for row in body)


def test_why_the_next_request_may_never_come() -> None:
    assert page(on(desk_at(REFUND)).run.state, 1)[0].endswith(" · a question comes first")
    assert page(on(desk_at(Line(text="done"))).run.state, 1)[0].endswith(" · the run has ended, it is not sent")


def test_estimates_wear_a_tilde() -> None:
    state = on(desk_at(Line(text="done"))).run.state
    assert f" · ~{state.requests[0].tokens:,} tokens" in page(state, 0)[0]
    state.requests[0].estimated = False
    assert f" · {state.requests[0].tokens:,} tokens" in page(state, 0)[0]


def test_arguments_over_several_lines_keep_them() -> None:
    header = Header(id="r", goal="g", tools=(ToolInfo(name="a", description="one\n two", schema='{\n "x": 1}'),))
    call = Call(id="c1", tool="a\nb", arguments='{\n "x": 1\n}')
    state = fold(header, [UserMessage(text="g"), ModelReply(text="I\nlook", calls=(call,))])
    assert page(state, 1)[1] == [
        *("tools", "a  one two", "  {", '   "x": 1}', "", "user", "g", "", "assistant", "I", "look"),
        *("→ a↵b {   c1", ' "x": 1', "}", ""),
    ]
