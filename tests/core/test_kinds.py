from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given

from tests.core.runs import Plan, drive, examples, plans
from workbench.core.events import EVENT_TYPES, from_fields, to_fields
from workbench.core.kinds import kinds_of


@pytest.mark.parametrize(
    ("kind", "values", "said"),
    [
        ("user_message", {"text": 5}, "has text = 5, which has to be text"),
        ("model_reply", {"attempts": True}, "has attempts = True, which has to be a whole number"),
        ("model_reply", {"attempts": 1.5}, "which has to be a whole number"),
        ("model_reply", {"took": "long"}, "which has to be a number"),
        ("model_reply", {"input_tokens": "12"}, "which has to be a whole number"),
        ("model_reply", {"captures": []}, "which has to be a table"),
        ("model_reply", {"calls": ["c1"]}, "which has to be a list, each item a table"),
        ("model_reply", {"calls": [{"id": 5, "tool": "t", "arguments": "{}"}]}, "a call has id = 5"),
        ("model_reply", {"notes": "one"}, "which has to be a list, each item text"),
        ("tool_result", {"call": "c1", "outcome": "odd"}, "which has to be one of ran, failed"),
        ("tool_result", {"call": "c1", "goal_met": 1}, "which has to be true or false"),
        ("tool_result", {"call": "c1", "effects": [5]}, "which has to be a list, each item a table"),
        ("stopped", {"status": "tired"}, "which has to be one of running"),
        ("stopped", {"status": "answered", "nonsense": 1}, "has no field 'nonsense'"),
    ],
)
def test_a_value_that_cannot_stand_there_is_named_with_what_can(kind: str, values: Any, said: str) -> None:
    with pytest.raises(ValueError, match=r"^(event|a call)") as error:
        from_fields(kind, values)
    assert said in str(error.value)


@pytest.mark.parametrize(
    "values", [{"took": 3}, {"cost": None}, {"cost": 0.5}, {"calls": []}, {"captures": {"a": "b"}}]
)
def test_what_fits_is_taken(values: Any) -> None:
    from_fields("model_reply", values)


def test_every_field_of_every_event_has_a_kind_with_words() -> None:
    for cls in EVENT_TYPES.values():
        assert all(words for _, words in kinds_of(cls).values())


@examples(10)
@given(plans())
def test_everything_that_a_run_records_fits(plan: Plan) -> None:
    run = plan.run()
    asyncio.run(drive(run, plan.acts))
    for event in run.events:
        assert from_fields(event.kind, to_fields(event)) == event
