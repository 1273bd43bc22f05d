"""Events that are in no run: files are also written by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from workbench.core.events import Decided, Event, Held, ModelReply, ToolResult, ToolStarted
from workbench.core.sound import check, problem


def _effect(value: Any) -> ToolResult:
    return ToolResult(call="c1", effects=value)


@pytest.mark.parametrize(
    ("event", "field"),
    [
        (Decided(call="c1", decision="edit", arguments="[1]"), "arguments"),
        (Decided(call="c1", decision="edit", arguments="not json"), "arguments"),
        (Decided(call="c1", decision="edit"), "arguments"),
        (ToolStarted(call="c1", arguments="[" * 100_000), "arguments"),
        (ToolResult(call="c1", took=math.nan), "took"),
        (ModelReply(took=-1.0), "took"),
        (Held(call="c1", took=math.inf), "took"),
        (_effect(({"path": 5},)), "effects"),
        (_effect(("a",)), "effects"),
        (_effect(({"path": "a", "content": 1},)), "effects"),
    ],
)
def test_what_makes_no_run_is_refused_with_number_and_field(event: Event, field: str) -> None:
    with pytest.raises(ValueError, match=rf"^event 2 \({event.kind}\): {field} has to be "):
        check([ModelReply(), event])


@pytest.mark.parametrize(
    "event",
    [
        Decided(call="c1", decision="allow"),
        Decided(call="c1", decision="edit", arguments='{"a": 1}'),
        _effect(({"path": "a", "content": ""}, {"path": "a", "append": "b"})),
    ],
)
def test_what_a_run_records_is_sound(event: Event) -> None:
    assert problem(event) == ""
