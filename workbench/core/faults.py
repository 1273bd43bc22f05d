"""Faults as data: what can go wrong where, in words and in their plain form. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import fields
from typing import Any

from workbench.core.gate import rule_from, rule_to
from workbench.core.patterns import PatternError
from workbench.core.values import Burst, Fault, FaultKind, FaultTarget, Pattern, Rule

KINDS: dict[FaultTarget, tuple[FaultKind, ...]] = {
    "tool": ("crash", "error", "timeout", "delay", "drop", "empty", "stale", "replace"),
    "result": (
        "crash", "error", "timeout", "delay", "drop", "empty", "stale", "replace", "append", "inject", "truncate",
        "garble", "duplicate", "reorder", "flood", "wrong_number", "wrong_unit", "wrong_record", "malformed_json",
        "cut_json",
    ),
    "reply": (
        "delay", "empty", "stale", "replace", "append", "inject", "truncate", "garble", "duplicate", "reorder",
        "flood", "wrong_number", "wrong_unit", "wrong_record", "malformed_json", "cut_json", "unknown_tool",
        "invented_observation", "both", "prose", "refusal", "blocked", "length",
    ),
    "provider": (
        "delay", "timeout", "unavailable", "rate_limited", "auth", "quota", "bad_request", "context_overflow",
        "malformed_body", "cut_stream",
    ),
}  # fmt: skip
"""What can go wrong where. On "tool" the tool does not run, or not at once; on "result" it has run and has acted."""

ALL_KINDS: tuple[FaultKind, ...] = tuple(dict.fromkeys(kind for kinds in KINDS.values() for kind in kinds))

SCHEDULES = ("nth", "step", "every", "after", "burst", "chance")
"""A fault has one of these, or none: then it strikes every time. `times` may stand beside any."""

NEEDS: dict[FaultKind, tuple[str, ...]] = {"replace": ("text", "value"), "append": ("text",), "delay": ("seconds",)}
"""Of these keys a kind needs one. What others take is optional."""

NO_RESULT = "No result arrived."
"""What the model reads when a result is lost: there is one result for each call, always."""

ABOUT_CALLS = ("tool", "result")
_KEYS = tuple(item.name for item in fields(Fault))
_ENDLESS = 1e300
"""No number of seconds."""


class FaultError(ValueError):
    """A fault that cannot be. `key` is what is wrong with it, "" for the whole; `message` is for people."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(f"{key}: {message}" if key else message)
        self.key = key
        self.message = message

    @property
    def path(self) -> tuple[str, ...]:
        """The key as names from the outside in: `burst.start` is two."""
        return tuple(self.key.split(".")) if self.key else ()


# ---------------------------------------------------------------- words


def label(fault: Fault) -> str:
    """What the fault is called: its name, or its kind."""
    return fault.name or fault.do


def changer(fault: Fault) -> str:
    """The fault as whoever changed something: "fault wrong-number"."""
    return f"fault {label(fault)}"


def describe(fault: Fault, *, from_here: bool = False) -> str:
    """The fault in one line: what, where and when; `from_here` is one that is armed just now."""
    place = {
        "tool": f"{fault.tool or 'any tool'} itself",
        "result": f"results of {fault.tool or 'any tool'}",
        "reply": "replies of the model",
        "provider": "the provider",
    }[fault.on]
    parts = [f"{label(fault)} on {place}"]
    if fault.where:
        where = rule_to(Rule(tool="", where=fault.where))["where"]
        parts.append(f"where {json.dumps(where, ensure_ascii=False, default=str)}")
    return ", ".join([*parts, when(fault, from_here=from_here)])


def when(fault: Fault, *, from_here: bool = False) -> str:
    """Its schedule in words: "every time, at most 2 times"."""
    schedule = _schedule(fault, from_here=from_here)
    if fault.times is None:
        return schedule
    return f"{schedule}, at most {fault.times} time{'s' if fault.times != 1 else ''}"


def _schedule(fault: Fault, *, from_here: bool) -> str:
    if fault.nth is not None and from_here:
        return "the next one" if fault.nth == 1 else f"number {fault.nth} from here on"
    if fault.nth is not None:
        return "the first one" if fault.nth == 1 else f"number {fault.nth} only"
    if fault.step is not None:
        return f"in step {fault.step}"
    if fault.every is not None:
        return f"one in {fault.every}"
    if fault.after is not None:
        return f"after the first {fault.after}"
    if fault.burst is not None:
        return f"numbers {fault.burst.start} to {fault.burst.start + fault.burst.length - 1}"
    return f"with chance {fault.chance:g}" if fault.chance is not None else "every time"


# ---------------------------------------------------------------- plain form


def fault_to(fault: Fault) -> dict[str, Any]:
    """The plain form of a fault, as it stands in `settings_changed` events; what is not set is left out."""
    plain = {name: value for name in _KEYS if (value := getattr(fault, name)) is not None}
    for name in ("name", "tool", "where"):
        if not plain[name]:
            del plain[name]
    if fault.where:
        plain["where"] = rule_to(Rule(tool="", where=fault.where))["where"]
    if fault.burst is not None:
        plain["burst"] = {"start": fault.burst.start, "length": fault.burst.length}
    return plain


def fault_from(values: Any) -> Fault:
    """The fault of that plain form. Raises FaultError."""
    if not isinstance(values, Mapping):
        raise FaultError("", f"a fault is a table, not {shown(values)}")
    for key in values:
        if key not in _KEYS:
            raise FaultError("", _unknown(str(key), _KEYS, "a fault has no key"))
    given = {key: _field(key, value) for key, value in values.items()}
    for key in ("on", "do"):
        if key not in given:
            raise FaultError("", f"a fault needs {key}")
    fault = Fault(**given)
    _check(fault)
    return fault


def _check(fault: Fault) -> None:
    if fault.do not in KINDS[fault.on]:
        raise FaultError("do", _elsewhere(fault))
    if fault.on not in ABOUT_CALLS:
        for key in ("tool", "where"):
            if getattr(fault, key):
                raise FaultError(key, f'a fault on = "{fault.on}" is not about a call, so it has no {key}')
    one_schedule([name for name in SCHEDULES if getattr(fault, name) is not None])
    needs = NEEDS.get(fault.do, ())
    if needs and all(getattr(fault, key) is None for key in needs):
        raise FaultError("", f'do = "{fault.do}" needs {" or ".join(needs)}')


def _elsewhere(fault: Fault) -> str:
    """That the kind makes no sense on that target: where it does, and what there is instead."""
    targets = " or ".join(f'on = "{target}"' for target, kinds in KINDS.items() if fault.do in kinds)
    there_are = ", ".join(KINDS[fault.on])
    return f'on = "{fault.on}" knows no "{fault.do}", which is for {targets}; there are {there_are}'


def one_schedule(given: Container[str]) -> None:
    """Raises FaultError when more than one of the keys that are given is a schedule."""
    schedules = [name for name in SCHEDULES if name in given]
    if len(schedules) > 1:
        raise FaultError(schedules[1], f"there is one schedule for a fault, and this one has {schedules[0]} already")


def _field(key: str, value: Any) -> Any:
    match key:
        case "value":
            return value
        case "name" | "tool" | "text":
            return _text(key, value)
        case "on":
            return _word(key, value, tuple(KINDS), "there is no target")
        case "do":
            return _word(key, value, ALL_KINDS, "there is no kind of fault")
        case "where":
            return _where(value)
        case "burst":
            if not isinstance(value, Mapping) or set(value) != {"start", "length"}:
                raise FaultError(key, f"must be a table with start and length, not {shown(value)}")
            return Burst(start=_count("burst.start", value["start"]), length=_count("burst.length", value["length"]))
        case "seconds":
            return _number(key, value, lambda number: number >= 0, "of at least 0")
        case "chance":
            return _number(key, value, lambda number: 0 < number <= 1, "above 0 and at most 1")
        case _:
            return _count(key, value)


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise FaultError(key, f"must be text, not {shown(value)}")
    return value


def _word(key: str, value: Any, choices: Sequence[str], what: str) -> str:
    if _text(key, value) not in choices:
        raise FaultError(key, _unknown(value, choices, what))
    return str(value)


def _count(key: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise FaultError(key, f"must be a whole number of at least 1, not {shown(value)}")
    return value


def _number(key: str, value: Any, fits: Callable[[float], bool], bounds: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and abs(value) >= _ENDLESS:
        raise FaultError(key, f"must be below {_ENDLESS:g}, not {shown(value)}")
    if not is_number or not fits(value):
        raise FaultError(key, f"must be a number {bounds}, not {shown(value)}")
    return float(value)


def _where(value: Any) -> tuple[tuple[str, Pattern], ...]:
    if not isinstance(value, Mapping):
        raise FaultError("where", f"must be a table of arguments, not {shown(value)}")
    try:
        return rule_from({"tool": "", "where": value}).where
    except ValueError as error:
        why = error.__context__
        message = str(why) if isinstance(why, PatternError) else f"cannot be matched: {why or error}"
        raise FaultError("where", message) from None


def _unknown(given: str, choices: Sequence[str], what: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(given, choices, n=1)
    hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(choices)}"
    return f'{what} "{given}"; {hint}'


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
