from __future__ import annotations

from typing import Any

import pytest

from workbench.core.carried import POLICY_KEYS, policy_changed
from workbench.core.values import ContextPolicy
from workbench.view import policy_rows
from workbench.view.setting_words import setting_words

WINDOW = ContextPolicy(policy="window", keep=2, at=5000)


@pytest.mark.parametrize(
    ("policy", "key", "what", "typed", "setting"),
    [
        (ContextPolicy(), "policy", "toggle", None, {"context.policy": "window"}),
        (ContextPolicy(), "policy", "less", None, {"context.policy": "restate"}),
        (ContextPolicy(policy="restate"), "policy", "more", None, {"context.policy": "none"}),
        (WINDOW, "keep", "more", None, {"context.keep": 3}),
        (WINDOW, "keep", "less", None, {"context.keep": 1}),
        (ContextPolicy(keep=1), "keep", "less", None, {}),
        (WINDOW, "keep", "toggle", 7, {"context.keep": 7}),
        (WINDOW, "keep", "toggle", None, {"context.keep": None}),
        (WINDOW, "at", "toggle", None, {"context.at": None}),
        (ContextPolicy(), "at", "toggle", None, {"context.at": 4000}),
        (WINDOW, "at", "more", None, {"context.at": 10000}),
        (WINDOW, "at", "less", None, {"context.at": 2500}),
        (WINDOW, "at", "toggle", 0, {"context.at": None}),
        (ContextPolicy(), "every", "more", None, {"context.every": 4}),
        (ContextPolicy(every=4), "every", "more", None, {"context.every": 5}),
        (ContextPolicy(chars=1), "chars", "less", None, {}),
    ],
)
def test_what_a_key_makes_of_a_row(
    policy: ContextPolicy, key: str, what: Any, typed: float | None, setting: dict[str, Any]
) -> None:
    assert policy_rows.changed(policy, key, what, typed) == setting
    for name, value in setting.items():
        assert policy_changed(policy, name.removeprefix("context."), value) != policy
        assert setting_words(name, value)[0]


@pytest.mark.parametrize(
    ("policy", "figures"),
    [
        (ContextPolicy(every=3), {"every": "every 3 steps"}),
        (ContextPolicy(), {"policy": "none", "at": "off: at any size", "every": "off"}),
        (ContextPolicy(policy="restate"), {"every": "every 1 step"}),
        (
            ContextPolicy(policy="fold", at=9000, every=3),
            {"at": "above 9,000", "every": "every 3 steps", "chars": "200"},
        ),
    ],
)
def test_what_stands_in_a_row(policy: ContextPolicy, figures: dict[str, str]) -> None:
    assert {key: policy_rows.figure(policy, key) for key in figures} == figures


def test_a_row_that_means_nothing_to_the_policy_is_quiet() -> None:
    assert [key for key in POLICY_KEYS if policy_rows.is_on(WINDOW, key)] == ["policy", "keep", "at"]
    assert [key for key in POLICY_KEYS if policy_rows.is_on(ContextPolicy(every=3), key)] == []
    assert [key for key in POLICY_KEYS if policy_rows.is_on(ContextPolicy(policy="fold", every=2), key)] == [
        *("policy", "keep", "at", "chars", "every"),
    ]
