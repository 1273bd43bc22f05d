"""What is exported, judged by the vendors' own types. Skipped, as the checks it uses, where their packages are not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from tests.export.runs import NAMES, shipped, standing, written
from tests.models.wire.histories import histories
from workbench.core.state import State

official: Any = pytest.importorskip("tests.models.wire.official")
FEW = settings(max_examples=30, deadline=None)


@pytest.mark.parametrize("wire", official.CHECKS)
@pytest.mark.parametrize("session", NAMES)
def test_shipped_sessions_are_of_their_types(session: str, wire: str) -> None:
    official.CHECKS[wire](json.loads(written(wire, shipped(session)).text))


@given(histories())
@FEW
def test_every_run_is_of_their_types(states: list[State]) -> None:
    for wire, check in official.CHECKS.items():
        check(json.loads(written(wire, standing(states[-1])).text))
