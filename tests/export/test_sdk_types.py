"""What is exported, judged by the vendors' own types. Skipped, as the checks it uses, where their packages are not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from tests.export.runs import NAMES, shipped, standing, written
from tests.models.wire.histories import histories
from tests.models.wire.test_sdk_types import CHECKS, FEW
from workbench.core.state import State


@pytest.mark.parametrize("wire", CHECKS)
@pytest.mark.parametrize("session", NAMES)
def test_shipped_sessions_are_of_their_types(session: str, wire: str) -> None:
    CHECKS[wire](json.loads(written(wire, shipped(session)).text))


@given(histories())
@FEW
def test_every_run_is_of_their_types(states: list[State]) -> None:
    for wire, check in CHECKS.items():
        check(json.loads(written(wire, standing(states[-1])).text))
