"""What can be changed while a run lives, and how a state changes with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.core import limits as caps
from workbench.core.carried import policy_changed
from workbench.core.events import SettingsChanged
from workbench.core.faults import fault_from
from workbench.core.gate import DECISIONS, rule_from
from workbench.core.holding import filter_from
from workbench.core.model_info import model_from
from workbench.core.striking import armed_anew, armed_too, disarmed
from workbench.core.values import ModelInfo

if TYPE_CHECKING:
    from workbench.core.state import State

SETTINGS = {
    "approval.default": "ask, allow or deny",
    "arm": "a fault",
    "disarm": "an armed fault and its place",
    "faults": "a list of faults",
    "grants": "a list of rules",
    "hold": "true, false or a filter",
    "model": "a table",
    "next_reply": "a text, or nothing",
    "title": "a text",
}
"""What can be changed besides the caps and the context policy, and what each is."""


def settings_changed(state: State, event: SettingsChanged) -> None:
    """Take changed settings in. Raises ValueError for what is no setting, or cannot be one."""
    if event.by == "script":
        state.script_decisions += 1
    for key, value in event.changes.items():
        table, _, name = key.partition(".")
        if table == "limits":
            state.limits = caps.changed(state.limits, name, value)
        elif table == "context":
            _change_policy(state, name, value)
        elif key == "approval.default" and value in DECISIONS:
            state.approval = value
        elif key == "grants" and isinstance(value, list | tuple):
            state.grants = tuple(rule_from(item) for item in value)
        elif key == "faults" and isinstance(value, list | tuple):
            state.faults = armed_anew(state.faults, tuple(map(fault_from, value)), state.n)
        elif key == "arm":
            state.faults = armed_too(state.faults, fault_from(value), state.n)
        elif key == "disarm":
            state.faults = disarmed(state.faults, value)
        elif key == "hold":
            state.hold = filter_from(value)
        elif key == "model" and isinstance(value, Mapping):
            _ask_another(state, model_from(value))
        elif key == "next_reply" and (value is None or isinstance(value, str)):
            state.next_reply = value
        elif key == "title" and isinstance(value, str):
            state.title = value
        elif key in SETTINGS:
            raise ValueError(f"{key} is {SETTINGS[key]}, not {value!r}")
        else:
            raise ValueError(f"there is no setting {key!r} that a run can change")


def _change_policy(state: State, name: str, value: Any) -> None:
    if state.plan is not None:
        raise ValueError(f'loop = "{state.plan.loop}" knows no context.{name}: a change would do nothing')
    state.policy = policy_changed(state.policy, name, value)


def _ask_another(state: State, model: ModelInfo) -> None:
    state.model = model
    if model.table:
        state.script_line, state.script_served, state.replies_elsewhere = -1, 0, 0
        state.carried = replace(state.carried, summaries=0)
