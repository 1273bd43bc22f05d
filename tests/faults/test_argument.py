from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import nasty_text
from workbench.core.faults import FaultError
from workbench.core.values import Burst, Fault, Pattern
from workbench.faults.argument import FORM, fault_table, parse_fault
from workbench.faults.catalogue import shipped

CATALOGUE = shipped()


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("wrong-number", {}),
        (" wrong-number : nth = 1 ", {"nth": 1}),
        ("wrong-number:tool=lookup_population,nth=1", {"tool": "lookup_population", "nth": 1}),
        ("wrong-number:value=10,chance=0.3,times=2", {"value": 10, "chance": 0.3, "times": 2}),
        ("wrong-number:burst.start=3,burst.length=2", {"burst": Burst(start=3, length=2)}),
        ("wrong-number:burst={start = 3, length = 2},times=1", {"burst": Burst(start=3, length=2), "times": 1}),
        ("wrong-number:where.city=Paris", {"where": (("city", Pattern(kind="equal", value="Paris")),)}),
        ("wrong-number:where.n=3,nth=2", {"where": (("n", Pattern(kind="equal", value=3)),), "nth": 2}),
        ('wrong-number:where={city={glob="P*"}}', {"where": (("city", Pattern(kind="glob", value="P*")),)}),
        ("wrong-number:text=one, two, nth=3", {"text": "one, two", "nth": 3}),
        ('wrong-number:text="a, nth=3",nth=1', {"text": "a, nth=3", "nth": 1}),
        ("wrong-number:text=it's so, isn't it,nth=1", {"text": "it's so, isn't it", "nth": 1}),
        ("wrong-number:text=12,tool=7", {"text": "12", "tool": "7"}),
        ("wrong-number:text=a=b", {"text": "a=b"}),
    ],
)
def test_an_argument_is_a_name_and_keys(text: str, keys: dict[str, Any]) -> None:
    assert parse_fault(text, CATALOGUE) == Fault(on="result", do="wrong_number", name="wrong-number", **keys)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wrong-nubmer", 'use: there is no fault "wrong-nubmer"; did you mean "wrong-number"?'),
        ("", 'use: there is no fault ""; workbench faults lists those there are'),
        ("wrong-number:", f'"" is no key with a value; a fault is written {FORM}'),
        ("wrong-number:nth", f'"nth" is no key with a value; a fault is written {FORM}'),
        ("wrong-number:tool=x,nht=1", 'a fault has no key "nht"; did you mean "nth"? A text that looks like one is put in quotes.'),
        ("wrong-number:on=tool", 'a fault has no key "on"; there are tool, where, text, value, seconds, size, nth, step, every, after, burst, chance, times A text that looks like one is put in quotes.'),
        ("wrong-number:nth=1,nth=2", "nth: is given twice"),
        ("wrong-number:where=3,where.a=1", "where: is given twice"),
        ("wrong-number:nth.x=1", "nth: has no x inside it"),
        ("wrong-number:nth=one", "nth: must be a whole number of at least 1, not 'one'"),
        ("wrong-number:nth=1,every=2", "every: there is one schedule for a fault, and this one has nth already"),
        ("bad-key:tool=add", 'tool: a fault on = "provider" is not about a call, so it has no tool'),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_one_sentence(text: str, message: str) -> None:
    with pytest.raises(FaultError) as caught:
        parse_fault(text, CATALOGUE)
    assert str(caught.value) == message


def test_the_table_is_that_of_a_scenario() -> None:
    assert fault_table("refusal:nth=2,text=no") == {"use": "refusal", "nth": 2, "text": "no"}


@given(
    st.builds(lambda name, rest: f"{name}:{rest}", st.sampled_from(["refusal", "wrong-number"]), nasty_text())
    | st.text(st.sampled_from("refusal:,=.nthwx{}\"' 12"), max_size=30)
)
def test_nothing_is_raised_but_a_fault_error(text: str) -> None:
    with suppress(FaultError):
        assert isinstance(parse_fault(text, CATALOGUE), Fault)
