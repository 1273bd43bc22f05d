"""Events that were written by hand: what a field cannot be is said, and no such event is made."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.plain import from_fields

WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("user_message", {"text": 5}, "text must be text, not 5"),
    ("settings_changed", {"changes": [1]}, "changes must be a table"),
    ("forked", {"parent": "a", "at": 1, "effects": [1, {}]}, "effects must be a list, each item a table"),
    ("forked", {"parent": "a", "at": True}, "at must be a whole number, not True"),
    ("model_reply", {"captures": [1]}, "captures must be a table, each value text"),
    ("model_reply", {"reading": "perhaps"}, "reading must be one of answer, calls"),
    ("model_reply", {"calls": [{"id": "c1", "tool": 4, "arguments": "{}"}]}, "tool must be text, not 4"),
    ("model_reply", {"calls": [{"id": "c1", "tool": "add", "arguments": "{}", "colour": 1}]}, "there is no colour"),
    ("model_reply", {"cost": float("inf")}, "cost must be a number or nothing, at least 0, not inf"),
    ("tool_result", {"call": "c1", "took": float("nan")}, "took must be a number, at least 0, not nan"),
    ("tool_result", {"call": "c1", "took": -1e308}, "took must be a number, at least 0"),
    ("tool_result", {"call": "c1", "outcome": "perfect"}, "outcome must be one of ran, failed"),
    ("tool_result", {"call": "c1", "effects": [5]}, "effects must be a list, each item a table"),
    ("stopped", {"status": "tired"}, "status must be a status, not 'tired'"),
]


@pytest.mark.parametrize(("kind", "values", "message"), WRONG)
def test_a_field_that_cannot_be_so_makes_no_event(kind: str, values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"event|call") as raised:
        from_fields(kind, values)
    assert message in str(raised.value)


def test_a_whole_number_of_seconds_is_a_number_and_no_cost_is_a_cost() -> None:
    assert from_fields("tool_result", {"call": "c1", "took": 2}).took == 2  # type: ignore[attr-defined]
    assert from_fields("model_reply", {"cost": None}).cost is None  # type: ignore[attr-defined]
