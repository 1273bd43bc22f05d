"""In what two runs were set up differently: everything in their headers but who they are and what they are told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from workbench.core import faults, gate
from workbench.core.canonical import canonical
from workbench.core.values import Fault, Header, Pattern, Rule, ToolInfo

IDENTITY = frozenset({"id", "title", "created", "workbench", "root", "parent", "parent_at", "scenario_path"})
TOLD = frozenset({"goal"})
"""That is the first message of the run."""
DERIVED = frozenset({"free", "scenario"})
_NAMES = {
    "options": "protocol_options",
    "approval": "approval.default",
    "rules": "approval.rule",
    "split": "authority.split",
    "faults": "fault",
}
"""Fields that a scenario calls something else."""
PLAN = ("loop", "step", "route")
"""Keys of a scenario that say who chooses what comes next."""
_SCRIPTS = frozenset({"use", "reply", "exchange"})
"""Keys of [model] that are shown elsewhere, or are what the model says."""
REQUEST = ("system", "protocol", "protocol_options", "tools", "model", "context", "seed")
"""What the replies of a model that is really asked may depend on."""
NONE = "none"


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that is set differently, by the name that a scenario has for it, with both values as text."""

    name: str
    a: str
    b: str

    def is_of(self, *names: str) -> bool:
        """Whether it is one of these settings, or belongs to one, or one of these belongs to it."""
        return any(f"{self.name}.".startswith(f"{name}.") or f"{name}.".startswith(f"{self.name}.") for name in names)


def set_differently(a: Header, b: Header) -> list[Setting]:
    """What differs, in the order of the header."""
    one, other = dict(_settings(a)), dict(_settings(b))
    names = dict.fromkeys([*one, *other])
    pairs = ((name, one.get(name, NONE), other.get(name, NONE)) for name in names if not _alone(name, one, other))
    found = [Setting(name, x, y) for name, x, y in pairs if x != y]
    return [_only(setting, a, b) if setting.name == "tools" else setting for setting in found]


def _only(setting: Setting, a: Header, b: Header) -> Setting:
    """The tools that only one of them has, rather than two long lists; both, where just the order differs."""
    one, other = ([tool.name for tool in header.tools] for header in (a, b))
    only = [[name for name in names if name not in others] for names, others in ((one, other), (other, one))]
    if not any(only):
        return setting
    return Setting(setting.name, *(f"only {', '.join(names)}" if names else NONE for names in only))


def _alone(name: str, one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether it is a detail of a tool that only one of them has: that it has it is said already."""
    return name.startswith("tools.") and (name in one) != (name in other)


def _settings(header: Header) -> Iterator[tuple[str, str]]:
    for item in fields(header):
        if item.name not in IDENTITY | TOLD | DERIVED:
            yield from _flat(_NAMES.get(item.name, item.name), getattr(header, item.name))
    for key in PLAN:
        if key in header.scenario:
            yield from _flat(key, header.scenario[key])
    model = header.scenario.get("model")
    if isinstance(model, Mapping):
        for key, value in model.items():
            if key not in _SCRIPTS:
                yield from _flat(f"model.{key}", value)


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    match value:
        case Mapping():
            for key, inner in value.items():
                yield from _flat(f"{name}.{key}", inner)
        case tuple() if value and isinstance(value[0], ToolInfo):
            yield name, ", ".join(tool.name for tool in value)
            for tool in value:
                for item in fields(tool):
                    yield from _flat(f"{name}.{tool.name}.{item.name}", getattr(tool, item.name))
        case _ if is_dataclass(value) and not isinstance(value, Fault | Rule | Pattern | type):
            for item in fields(value):
                yield from _flat(f"{name}.{item.name}", getattr(value, item.name))
        case _:
            yield name, _text(value)


def _text(value: Any) -> str:
    match value:
        case None | () | [] | "":
            return NONE
        case str():
            return value
        case Fault():
            return faults.describe(value)
        case Rule():
            return f"{value.decide} {gate.describe(value)}"
        case tuple() | list():
            return "; ".join(map(_text, value))
    try:
        return canonical(value)
    except (TypeError, ValueError, RecursionError):
        return repr(value)
