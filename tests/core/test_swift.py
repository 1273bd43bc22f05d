"""A swift dataclass is the one that `dataclass` makes, only quicker."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import Any

import pytest

from workbench.core.swift import swift


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    name: str
    count: int = 3
    notes: dict[str, str] = field(default_factory=dict)


@swift
@dataclass(frozen=True, slots=True, kw_only=True)
class Swift:
    name: str
    count: int = 3
    notes: dict[str, str] = field(default_factory=dict)


@swift
@dataclass(frozen=True, slots=True)
class Placed:
    first: int
    second: int = 2


@pytest.mark.parametrize(
    "given", [{"name": "a"}, {"name": "a", "count": 4}, {"name": "b", "notes": {"x": "y"}, "count": 0}]
)
def test_it_takes_the_same_arguments(given: dict[str, Any]) -> None:
    swift, plain = Swift(**given), Plain(**given)
    assert repr(swift) == repr(plain).replace("Plain", "Swift")
    assert swift == Swift(**given)
    assert swift != Swift(**{**given, "name": "other"})
    assert replace(swift, count=9) == Swift(**{**given, "count": 9})
    assert copy.copy(swift) == pickle.loads(pickle.dumps(swift)) == swift


@pytest.mark.parametrize("given", [{}, {"count": 3}, {"name": "a", "size": 1}])
def test_it_refuses_the_same_arguments(given: dict[str, Any]) -> None:
    messages = []
    for cls in (Plain, Swift):
        with pytest.raises(TypeError) as caught:
            cls(**given)
        messages.append(str(caught.value).replace("Plain", "Swift"))
    assert messages[0] == messages[1]
    with pytest.raises(TypeError):
        Swift("a")  # type: ignore[call-arg]


def test_it_is_as_frozen_and_shares_no_default() -> None:
    one, other = Swift(name="a"), Swift(name="a")
    assert one.notes is not other.notes
    with pytest.raises(FrozenInstanceError):
        one.name = "b"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del one.count


def test_it_may_take_arguments_by_place() -> None:
    assert Placed(1) == Placed(1, 2) == Placed(first=1, second=2)
