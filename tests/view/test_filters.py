"""A filter that is being typed says what it would hold."""

from __future__ import annotations

import pytest

from tests.view.desks import SEARCH, desk_at, on
from workbench.models.scripted import Line
from workbench.view.entries import line_text
from workbench.view.filters import filter_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "nothing is held   tool:NAME  arg:NAME=VALUE"),
        ("tool:search_orders", "✓ results; 1 of 1 result so far"),
        ("tool:send_email", "✓ results; 0 of 1 result so far"),
        ("reply or result", "✓ results and replies; 1 of 1 result so far"),
        ("tool:nothing", "✓ but this run has no tool nothing"),
        ("tool:serch_orders", "✓ but this run has no tool serch_orders; did you mean search_orders?"),
        ("reply tool:nothing", "✓ results and replies; 0 of 1 result so far"),
        ("tool:search*", "✓ results; 1 of 1 result so far"),
        ("tol:add", "✗ column 1: "),
        ("(", "✗ column "),
        ("\x1b[31m", "✗ column 1: "),
    ],
)
def test_what_it_would_hold_of_what_there_has_been(text: str, line: str) -> None:
    state = on(desk_at(SEARCH, Line(text="found"))).run.state
    said = line_text(filter_line(state, text))
    assert said.startswith(line), said
    assert said.isprintable()


def test_before_anything_has_run_there_is_nothing_to_count() -> None:
    assert line_text(filter_line(desk_at(SEARCH).run.state, "error")) == "✓ results"
