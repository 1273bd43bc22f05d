"""The context policy as rows of the list of limits: what each shows, and what a key makes of it."""

from __future__ import annotations

from typing import Literal, get_args

from workbench.core.carried import MEANT_FOR
from workbench.core.restating import every_steps
from workbench.core.values import ContextPolicy, PolicyName
from workbench.view.figures import amount, counted

LABELS = {
    "policy": "context policy",
    "keep": "steps sent as they are",
    "at": "tokens from which on",
    "chars": "characters of a fold",
    "every": "task said again",
}
FIRST = {"at": 4000, "every": 4}
"""What a key that is off is switched on with: tokens, steps."""
POLICIES: tuple[PolicyName, ...] = get_args(PolicyName)


Change = Literal["toggle", "more", "less"]
"""What a key asks of a row."""


def figure(policy: ContextPolicy, key: str) -> str:
    """What stands in the row of that key."""
    value = getattr(policy, key)
    match key:
        case "policy":
            return policy.policy
        case "at":
            return "off: at any size" if value is None else f"above {amount(value)}"
        case "every":
            steps = value or every_steps(policy)
            return "off" if steps is None else f"every {counted(steps, 'step')}"
    return amount(value)


def is_on(policy: ContextPolicy, key: str) -> bool:
    """Whether the row means anything now."""
    return figure(policy, key) not in ("none", "off") and (key == "policy" or policy.policy in MEANT_FOR[key])


def changed(policy: ContextPolicy, key: str, what: Change, typed: float | None = None) -> dict[str, object]:
    """The setting that the key of the list makes: the policy goes round, a number is switched, raised or lowered.

    `typed` is the number typed before. Empty where nothing changes.
    """
    value = getattr(policy, key)
    if key == "policy":
        at = POLICIES.index(policy.policy) + (-1 if what == "less" else 1)
        new: object = POLICIES[at % len(POLICIES)]
    elif typed is not None:
        new = int(typed) or None
    elif what == "toggle":
        # One that is always there goes back to what it is by itself.
        new = FIRST.get(key) if value is None else None
    elif value is None:
        new = FIRST.get(key)
    else:
        small = key in ("keep", "every")
        new = value + 1 if small else value * 2
        if what == "less":
            new = max(1, value - 1 if small else value // 2)
    return {} if new == value else {f"context.{key}": new}
