"""What a setting was changed to, as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.core import faults
from workbench.core.gate import describe, rule_from
from workbench.view.context_words import policy_words
from workbench.view.figures import amount
from workbench.view.lines import one_line
from workbench.view.words import KNOBS

APPROVALS = {
    "ask": "you are asked before a tool acts",
    "allow": "tools act without asking",
    "deny": "tools that act are denied",
}


def setting_words(key: str, value: object) -> list[str]:
    """A changed setting as sentences, one a line."""
    if key.startswith("limits."):
        return [_cap_words(key, value)]
    if key.startswith("context."):
        return [policy_words(key.removeprefix("context."), value)]
    if key == "hold":
        if isinstance(value, str):
            return [f"held at the door: {one_line(value)}"]
        return ["results are held at the door" if value else "nothing is held at the door any more"]
    if key == "next_reply":
        return ["the reply that is due is the script's again" if value is None else "you put another reply in place"]
    if key == "model" and isinstance(value, dict):
        return [_model_words(value)]
    if key == "title":
        return [f"named {one_line(str(value))}"]
    if key == "approval.default":
        return [APPROVALS.get(str(value), one_line(f"{key} set to {value}"))]
    if key == "arm":
        return [f"armed: {one_line(_item(key, value, from_here=True))}"]
    if key == "disarm":
        return [f"disarmed: {one_line(_item(key, value.get('fault') if isinstance(value, dict) else value))}"]
    if key in ("grants", "faults") and isinstance(value, list | tuple):
        return _listed(key, value)
    return [one_line(f"{key} set to {value}")]


def _model_words(value: Mapping[str, object]) -> str:
    use, shown = one_line(str(value.get("use", ""))), one_line(str(value.get("shown", "")))
    if use == "human":
        return "you are the model from here on"
    return f"asks {shown or use} from here on{f' ({use})' if shown not in ('', use) else ''}"


def _cap_words(key: str, value: object) -> str:
    if isinstance(value, dict):
        key, value = f"{key}.stop", value.get("stop")
    name = KNOBS.get(key) or KNOBS.get(f"{key}.stop") or key.removeprefix("limits.").replace("_", " ")
    if value is None:
        return f"{name} lifted"
    return f"{name} set to {amount(value, key) if isinstance(value, int | float) else one_line(str(value))}"


def _listed(key: str, values: Sequence[object]) -> list[str]:
    none, some = {
        "grants": ("nothing is allowed without asking any more", "allowed without asking: "),
        "faults": ("no fault is armed any more", "armed: "),
    }[key]
    return [f"{some}{one_line(_item(key, value))}" for value in values] or [none]


def _item(key: str, value: object, *, from_here: bool = False) -> str:
    try:
        if key == "grants" and isinstance(value, dict):
            return describe(rule_from(value))
        return faults.describe(faults.fault_from(value), from_here=from_here)
    except ValueError:
        return str(value)
