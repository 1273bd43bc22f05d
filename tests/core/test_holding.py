from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.holding import EVERY_RESULT, FilterError, Passing, filter_from, read_filter

RESULT = Passing(
    kind="result",
    step=3,
    text="2100000 people",
    calls=(("lookup_population", '{"city":"Paris","year":2024}'),),
)
ERROR = Passing(kind="result", step=4, text="no such city", calls=(("add", '{"a":1}'),), is_error=True)
REPLY = Passing(
    kind="reply",
    step=3,
    text="THOUGHT: Paris [or] Lima?",
    calls=(("add", '{"a": 1'), ("lookup_population", '{"city": "Lima"}')),
)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("result", "result error"),
        ("reply", "reply"),
        ("error", "error"),
        ("tool:lookup_population", "result"),
        ("tool:look*", "result"),
        ("tool:look?p*", ""),
        ("tool:lookup", ""),
        ("arg:city=Paris", "result"),
        ("arg:city=P*s", "result"),
        ("arg:year=2024", "result"),
        ("arg:city=paris", ""),
        ("arg:town=*", ""),
        ("step:3", "result"),
        ("step:4-", "error"),
        ("step:1-3", "result"),
        ("text:PEOPLE", "result"),
        ('text:"no such"', "error"),
        ("reply or tool:add", "error reply"),
        ("reply step:9 or tool:add", "error"),
        ("tool:lookup_population | reply text:nothing", "result"),
        ("(reply step:3) or step:4", "error reply"),
        ("reply tool:look*", "reply"),
        ("reply arg:city=Lima", "reply"),
        ('reply text:"paris [or] lima"', "reply"),
        ("not error", "result"),
        ("not reply", "result error"),
        ("!(step:4 or text:people)", ""),
        ("result & !step:4", "result"),
        ("error | step:3", "result error"),
        ("(reply or result) step:3", "result reply"),
        ("reply or result step:4", "error reply"),
        ("tool:add tool:lookup_population", ""),
    ],
)
def test_what_a_filter_holds(text: str, held: str) -> None:
    found = read_filter(text)
    items = {"result": RESULT, "error": ERROR, "reply": REPLY}
    assert [name for name, item in items.items() if found.holds(item)] == sorted(held.split(), key=list(items).index)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "column 1: the filter is empty; write one such as tool:lookup_population arg:city=Paris"),
        ("tol:add", 'column 1: nothing is called "tol" here; did you mean tool:?'),
        ("error Reply", 'column 7: nothing is called "Reply" here; did you mean reply?'),
        ("Paris", 'column 1: nothing is called "Paris" here; there are result, reply, error, tool:NAME, '),
        ("tool:", "column 1: tool: needs the name of a tool right behind it"),
        ("tool: add", "column 1: tool: needs the name of a tool right behind it"),
        ("result:yes", 'column 1: "result" stands alone, without a value'),
        ("arg:city", 'column 1: arg: needs NAME=VALUE right behind it, not "city"'),
        ("reply step:x", 'column 7: step: needs a number, as in step:3 or step:3-5, not "x"'),
        ("step:0", "column 1: there is no step in 0: steps are counted from 1, the smaller one first"),
        ("step:5-3", "column 1: there is no step in 5-3: steps are counted from 1, the smaller one first"),
        ("(error", "column 1: this ( is never closed"),
        ("error)", "column 6: this ) closes nothing"),
        ('text:"two words', "column 6: this quote is never closed"),
        ("reply or", 'column 9: after "or" something to hold must follow: '),
        ("not", 'column 4: after "not" something to hold must follow: '),
        ("| reply", "column 1: something to hold must follow: "),
        ("(" * 51 + "reply" + ")" * 51, "column 51: at most 50 brackets and negations can lie in each other"),
    ],
)  # fmt: skip
def test_what_is_no_filter_is_said_with_its_column(text: str, sentence: str) -> None:
    with pytest.raises(FilterError) as raised:
        read_filter(text)
    assert str(raised.value).startswith(sentence)


def test_a_setting_is_true_false_or_a_filter() -> None:
    assert filter_from(True) == EVERY_RESULT
    assert filter_from(False) is None
    assert filter_from(" tool:add ") == read_filter("tool:add")
    for value in (1, None, ["reply"]):
        with pytest.raises(ValueError, match="hold is true, false or a filter"):
            filter_from(value)


def test_who_looks_at_no_reply_says_so_before_one_is_read() -> None:
    assert not read_filter("tool:add or error").looks_at("reply")
    assert read_filter("tool:add or reply").looks_at("reply")


PIECES = st.lists(st.sampled_from(["not", "or", "and", "(", ")", "reply", "step:3", 'text:"a']))


@given(st.text(alphabet='ab:=()"\\!&|* -3\n') | PIECES.map(" ".join))
def test_any_text_is_a_filter_or_says_where_it_is_none(text: str) -> None:
    try:
        found = read_filter(text)
    except FilterError as error:
        at = error.at
    else:
        at = 1
        assert {found.holds(item) for item in (RESULT, ERROR, REPLY)} <= {True, False}
    assert 1 <= at <= len(text.strip()) + 1
