from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.core.gate import matches
from workbench.core.records import CallRecord
from workbench.core.values import Call
from workbench.view.scopes import scopes


def waiting(*arguments: dict[str, Any]) -> list[CallRecord]:
    texts = [json.dumps(each, sort_keys=True, separators=(",", ":")) for each in arguments]
    calls = [Call(id=f"c{n}", tool="pay", arguments=text, canonical=text) for n, text in enumerate(texts, 1)]
    return [CallRecord(call, 1, 2) for call in calls]


def test_the_choices_for_one_call_the_narrowest_first() -> None:
    found = scopes(waiting({"order": "A-1042", "amount": 6.25}))
    assert [scope.words for scope in found] == [
        'exactly these arguments, from now on: pay where amount = 6.25, order = "A-1042"',
        'this order, any amount: pay where order = "A-1042"',
        "any arguments: pay with any arguments",
    ]
    assert all(scope.calls == () for scope in found)


def test_several_calls_can_be_allowed_at_once_without_a_rule() -> None:
    first, *others = scopes(waiting({"order": "A"}, {"order": "B"}, {"order": "C"}))
    assert (first.words, first.calls, first.rules) == ("these 3 calls, once", ("c1", "c2", "c3"), ())
    assert [scope.words for scope in others] == [
        'exactly these arguments, from now on: pay where order = "A"',
        "any arguments: pay with any arguments",
    ]


@pytest.mark.parametrize("arguments", [{}, {"amount": 1}, {"amount": 1, "urgent": True}])
def test_where_no_argument_names_anything_there_is_nothing_between_exactly_and_any(arguments: dict[str, Any]) -> None:
    assert [scope.words.split(":")[0].split(",")[0] for scope in scopes(waiting(arguments))] == [
        "exactly these arguments",
        "any arguments",
    ]


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        ({"order": "A-1042", "amount": 6.25}, [True, True, True]),
        ({"order": "A-1042", "amount": 62.5}, [False, True, True]),
        ({"order": "B-1", "amount": 6.25}, [False, False, True]),
        ({"order": "A-1042", "amount": 6.25, "again": True}, [True, True, True]),
    ],
)
def test_each_choice_allows_what_its_words_say(arguments: dict[str, Any], allowed: list[bool]) -> None:
    found = scopes(waiting({"order": "A-1042", "amount": 6.25}))
    assert [matches(rule, "pay", arguments) for scope in found for rule in scope.rules] == allowed
    assert not any(matches(rule, "other", arguments) for scope in found for rule in scope.rules)
    assert {rule.by for scope in found for rule in scope.rules} == {"person"}
