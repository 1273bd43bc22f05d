"""Faults as data: what can go wrong where, and when it does. Pure: what strikes is a function of the history.

A fault is armed from the beginning or by a change of settings, and counts what comes by of its kind from then on. The
counts are part of the state, so a run that is resumed, forked or looked back at goes wrong in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from workbench.core.canonical import digest
from workbench.core.events import ModelFailed, ModelReply
from workbench.core.gate import matches as rule_matches
from workbench.core.gate import rule_from, rule_to
from workbench.core.patterns import PatternError
from workbench.core.values import Burst, Fault, FaultKind, FaultTarget, Pattern, Rule

if TYPE_CHECKING:
    from workbench.core.records import CallRecord
    from workbench.core.state import State

KINDS: dict[FaultTarget, tuple[FaultKind, ...]] = {
    "tool": ("crash", "error", "timeout", "delay", "drop", "empty", "stale", "replace"),
    "result": (
        "crash", "error", "timeout", "delay", "drop", "empty", "stale", "replace", "append", "inject", "truncate",
        "garble", "duplicate", "reorder", "flood", "wrong_number", "wrong_unit", "wrong_record",
    ),
    "reply": (
        "delay", "empty", "stale", "replace", "append", "truncate", "garble", "duplicate", "flood", "wrong_number",
        "malformed_json", "cut_json", "unknown_tool", "invented_observation", "both", "prose", "refusal", "blocked",
        "length",
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

_ABOUT_CALLS = ("tool", "result")
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


@dataclass(frozen=True, slots=True)
class Armed:
    """A fault of a run, how often its target has come by since it was armed, and how often it has struck."""

    fault: Fault
    seen: int = 0
    fired: int = 0
    since: int = 0
    """How many events there were when it was armed."""

    def spent(self, steps: int) -> bool:
        """Whether it cannot strike any more, in a run that has made so many steps."""
        fault = self.fault
        if fault.times is not None and self.fired >= fault.times:
            return True
        if fault.step is not None:
            return steps > fault.step
        last = fault.burst.start + fault.burst.length - 1 if fault.burst is not None else fault.nth
        return last is not None and self.seen >= last


# ---------------------------------------------------------------- what strikes


def matches(fault: Fault, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether the fault is about calls of this tool with these arguments."""
    if fault.tool and fault.tool != tool:
        return False
    return not fault.where or rule_matches(Rule(tool=tool, where=fault.where), tool, arguments)


def due(fault: Fault, seen: int, step: int, seed: int, key: str) -> bool:
    """Whether its schedule lets the fault strike what is the `seen`th to come by (from 1), in this step.

    `key` tells one occurrence from every other: chance is a hash of seed, fault and key, so nothing has to be
    remembered for it. How often it may strike (`times`) is not looked at here.
    """
    if fault.nth is not None:
        return seen == fault.nth
    if fault.step is not None:
        return step == fault.step
    if fault.every is not None:
        return seen % fault.every == 0
    if fault.after is not None:
        return seen > fault.after
    if fault.burst is not None:
        return fault.burst.start <= seen < fault.burst.start + fault.burst.length
    if fault.chance is not None:
        return int(seal(fault, seed, key), 16) < fault.chance * 2**64
    return True


def seal(fault: Fault, seed: int, key: str) -> str:
    """16 hex digits that depend on the seed, the fault and the occurrence: the one source of chance."""
    return digest(str(seed), fault.name, fault.on, fault.do, fault.tool, repr(fault.where), key)


def at_call(state: State, record: CallRecord) -> tuple[tuple[Armed, ...], tuple[Fault, ...]]:
    """The faults after this call has started, and those that strike it, in order."""
    call = record.call
    return _strike(state.faults, _ABOUT_CALLS, state, record.step, call.id, call.tool, record.arguments)


def at_attempt(armed: tuple[Armed, ...], state: State, attempt: int) -> tuple[tuple[Armed, ...], tuple[Fault, ...]]:
    """The faults after an attempt (from 1) to send the request that `state` makes, and those that strike it."""
    key = f"request {state.model_calls + 1}.{attempt}"
    return _strike(armed, ("provider",), state, state.total_steps + 1, key)


def at_reply(armed: tuple[Armed, ...], state: State) -> tuple[tuple[Armed, ...], tuple[Fault, ...]]:
    """The faults after the reply to the request that `state` makes, and those that strike it, in order."""
    step = state.total_steps + 1
    return _strike(armed, ("reply",), state, step, f"reply {step}")


def after_request(state: State, event: ModelReply | ModelFailed) -> tuple[Armed, ...]:
    """The faults after the request that `state` makes has brought this reply or failure.

    Counts again what struck it. A fault that was armed while it was under way begins with the next one.
    """
    since = event.asked or state.n
    armed = tuple(item for item in state.faults if item.since <= since)
    for attempt in range(1, event.attempts + 1):
        armed, struck = at_attempt(armed, state, attempt)
        if all(fault.do == "delay" for fault in struck):
            # It reached the provider; what was tried again from there was out of our reach.
            later = event.attempts - attempt
            armed = tuple(replace(a, seen=a.seen + later) if a.fault.on == "provider" else a for a in armed)
            break
    if isinstance(event, ModelReply):
        armed, _ = at_reply(armed, state)
    counted = iter(armed)
    return tuple(next(counted) if item.since <= since else item for item in state.faults)


def _strike(
    armed: tuple[Armed, ...],
    targets: tuple[str, ...],
    state: State,
    step: int,
    key: str,
    tool: str = "",
    arguments: str = "",
) -> tuple[tuple[Armed, ...], tuple[Fault, ...]]:
    after, struck = [], []
    for item in armed:
        fault, seen, fired = item.fault, item.seen + 1, item.fired
        if fault.on not in targets or (
            fault.on in _ABOUT_CALLS and not matches(fault, tool, json.loads(arguments) if fault.where else {})
        ):
            after.append(item)
            continue
        if (fault.times is None or fired < fault.times) and due(fault, seen, step, state.header.seed, key):
            struck.append(fault)
            fired += 1
        after.append(replace(item, seen=seen, fired=fired))
    return tuple(after), tuple(struck)


def armed_anew(before: tuple[Armed, ...], faults: tuple[Fault, ...], n: int) -> tuple[Armed, ...]:
    """The faults that are armed from event `n` on. One that was armed already goes on counting; a new one begins."""
    left = list(before)
    after = []
    for fault in faults:
        item = next((item for item in left if item.fault == fault), None)
        if item is None:
            item = Armed(fault, since=n)
        else:
            left.remove(item)
        after.append(item)
    return tuple(after)


def armed_too(before: tuple[Armed, ...], fault: Fault, n: int) -> tuple[Armed, ...]:
    """The armed faults with one more, which begins to count with event `n`."""
    return (*before, Armed(fault, since=n))


def disarmed(before: tuple[Armed, ...], given: Any) -> tuple[Armed, ...]:
    """The armed faults without one: `at` is its place, from 0, and `fault` says which it is. Raises ValueError."""
    if not isinstance(given, Mapping) or set(given) != {"at", "fault"}:
        raise FaultError("", f"what is disarmed is a table with at and fault, not {_shown(given)}")
    at, fault = given["at"], fault_from(given["fault"])
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < len(before):
        raise FaultError("", f"there is no armed fault number {_shown(at)}; there are {len(before)}, counted from 0")
    if before[at].fault != fault:
        raise FaultError("", f"the armed fault number {at} is another one: {describe(before[at].fault)}")
    return before[:at] + before[at + 1 :]


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
        raise FaultError("", f"a fault is a table, not {_shown(values)}")
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
        raise FaultError("do", _unknown(fault.do, KINDS[fault.on], f'on = "{fault.on}" knows no'))
    if fault.on not in _ABOUT_CALLS:
        for key in ("tool", "where"):
            if getattr(fault, key):
                raise FaultError(key, f'a fault on = "{fault.on}" is not about a call, so it has no {key}')
    one_schedule([name for name in SCHEDULES if getattr(fault, name) is not None])
    needs = NEEDS.get(fault.do, ())
    if needs and all(getattr(fault, key) is None for key in needs):
        raise FaultError("", f'do = "{fault.do}" needs {" or ".join(needs)}')


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
                raise FaultError(key, f"must be a table with start and length, not {_shown(value)}")
            return Burst(start=_count("burst.start", value["start"]), length=_count("burst.length", value["length"]))
        case "seconds":
            return _number(key, value, lambda number: number >= 0, "of at least 0")
        case "chance":
            return _number(key, value, lambda number: 0 < number <= 1, "above 0 and at most 1")
        case _:
            return _count(key, value)


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise FaultError(key, f"must be text, not {_shown(value)}")
    return value


def _word(key: str, value: Any, choices: Sequence[str], what: str) -> str:
    if _text(key, value) not in choices:
        raise FaultError(key, _unknown(value, choices, what))
    return str(value)


def _count(key: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise FaultError(key, f"must be a whole number of at least 1, not {_shown(value)}")
    return value


def _number(key: str, value: Any, fits: Callable[[float], bool], bounds: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and abs(value) >= _ENDLESS:
        raise FaultError(key, f"must be below {_ENDLESS:g}, not {_shown(value)}")
    if not is_number or not fits(value):
        raise FaultError(key, f"must be a number {bounds}, not {_shown(value)}")
    return float(value)


def _where(value: Any) -> tuple[tuple[str, Pattern], ...]:
    if not isinstance(value, Mapping):
        raise FaultError("where", f"must be a table of arguments, not {_shown(value)}")
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


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
