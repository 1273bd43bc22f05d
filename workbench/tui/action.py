"""What an action is: one thing a person can do, with its keys and its words. Which there are is in the registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from workbench.tui import situation as when
from workbench.tui.situation import Situation

Where = Literal[
    "app", "screen", "home", "run", "transcript", "bar", "limits", "viewer", "area", "search", "editor", "script",
    "problems", "matrix", "compare", "breaker",
]  # fmt: skip
"""What binds the keys: the app, every screen, one screen, or the widget that has focus."""

Keymap = Mapping[str, str]
"""Action name to keys, joined by commas. Actions that are not in it have the keys of the registry."""

Words = str | Callable[[Situation], str]


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do. `name` is also the name of its method, `action_…`, and its key in a keymap."""

    name: str
    keys: str
    """Joined by commas; the first one is shown."""
    title: str
    """For help and palette, and the label where there is none."""
    help: str
    where: Where
    group: str
    label: Words = ""
    """For the key line."""
    short: Words = ""
    """For the key line below 100 columns; the label where there is none."""
    unless: Callable[[Situation], str] = when.always
    """Why it cannot act now; "" when it can."""
    pair: str = ""
    """The action that goes the other way: the key line shows both keys with the label of this one."""
    priority: bool = False
