"""The faults of a run that was played, as `[[fault]]` tables that strike the same calls again.

A fault that was armed from the beginning to the end is kept as it was written. One that was armed or disarmed under way
becomes a table for each row of calls that it struck, counted from the first call it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.core.canonical import parse_object
from workbench.core.events import Event, SettingsChanged, ToolStarted
from workbench.core.faults import FaultError, fault_to, label
from workbench.core.state import State
from workbench.core.striking import Armed, matches
from workbench.core.values import Burst, Fault, Header
from workbench.faults.catalogue import Entry, armed, shipped

ABOUT_CALLS = ("tool", "result")
"""Faults on replies and requests are not exported: what they did is in the script."""


@dataclass(slots=True)
class _Arming:
    """One fault from when it was armed, and the calls that it struck, by id."""

    fault: Fault
    strikes: list[str] = field(default_factory=list)


class Struck:
    """Follows a run event by event, and says in the end what strikes it again."""

    def __init__(self, header: Header, state: State) -> None:
        """`state` is the run before its first event."""
        self._written = header.scenario.get("fault", ())
        self._calls: dict[str, tuple[str, str]] = {}
        """Tool and arguments of each call that ran, by id, in the order in which they first started."""
        self._all = [_Arming(fault) for fault in header.faults]
        """In the order in which they strike: those from the beginning first."""
        self._now = list(self._all)
        """Those that are armed, in the places of `self._faults`."""
        self._faults = state.faults

    def take(self, event: Event, state: State) -> None:
        """The next event; `state` has taken it in."""
        before, self._faults = self._faults, state.faults
        if isinstance(event, ToolStarted):
            record = state.record(event.call)
            assert record is not None, "what starts is a call"
            if event.call in self._calls:
                self._starts_again(event.call)
            self._calls[event.call] = record.call.tool, record.arguments
            for arming, was, now in zip(self._now, before, state.faults, strict=True):
                if now.fired > was.fired and event.call not in arming.strikes:
                    arming.strikes.append(event.call)
        elif isinstance(event, SettingsChanged):
            self._now = [self._known(item, before) for item in state.faults]

    def _starts_again(self, call: str) -> None:
        """What has been disarmed since it first started does not strike it any more."""
        for arming in self._all:
            if call in arming.strikes and not any(arming is armed for armed in self._now):
                arming.strikes.remove(call)

    def _known(self, item: Armed, before: Sequence[Armed]) -> _Arming:
        """The arming that the item is: who stays armed stays the same object."""
        for arming, was in zip(self._now, before, strict=True):
            if was is item:
                return arming
        self._all.append(_Arming(item.fault))
        return self._all[-1]

    @property
    def labels(self) -> frozenset[str]:
        """The labels of the faults that have tables."""
        return frozenset(label(arming.fault) for arming in self._all if arming.fault.on in ABOUT_CALLS)

    def tables(self, never_run: Sequence[str]) -> list[dict[str, Any]]:
        """The tables, in the order in which the faults strike. The calls `never_run` will not start this time."""
        calls = {call_id: call for call_id, call in self._calls.items() if call_id not in never_run}
        tables: list[dict[str, Any]] = []
        for index, arming in enumerate(self._all):
            if arming.fault.on not in ABOUT_CALLS:
                continue
            if index < len(self._written) and any(arming is armed for armed in self._now):
                tables.append(self._written[index])
            else:
                tables += _rows(arming, calls)
        return tables


def _rows(arming: _Arming, calls: Mapping[str, tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """A table for each row of calls that the fault struck."""
    fault = arming.fault
    about = [
        call_id
        for call_id, (tool, arguments) in calls.items()
        if matches(fault, tool, (parse_object(arguments).value or {}) if fault.where else {})
    ]
    strikes = sorted(about.index(call_id) + 1 for call_id in arming.strikes if call_id in about)
    while strikes:
        start = strikes[0]
        length = next((n for n, number in enumerate(strikes) if number != start + n), len(strikes))
        del strikes[:length]
        yield _table(_at(fault, start, length))


def _at(fault: Fault, start: int, length: int) -> Fault:
    """The fault, with a row of occurrences for its schedule."""
    bare = replace(fault, nth=None, step=None, every=None, after=None, burst=None, chance=None, times=None)
    return replace(bare, nth=start) if length == 1 else replace(bare, burst=Burst(start=start, length=length))


def _table(fault: Fault) -> dict[str, Any]:
    """The fault by its name in the catalogue and what differs there, or spelled out."""
    plain = fault_to(fault)
    entry = shipped().get(plain.pop("name", ""))
    if entry is not None:
        usual = fault_to(entry.fault)
        given = {key: value for key, value in plain.items() if usual.get(key) != value}
        if _makes(entry, given, fault):
            return {"use": entry.name, **given}
    if fault.name:
        # Of the user's own catalogue; its name is part of what chance makes of it.
        return {"use": fault.name, **{key: value for key, value in plain.items() if key not in ("on", "do")}}
    return plain


def _makes(entry: Entry, given: dict[str, Any], fault: Fault) -> bool:
    try:
        return armed(entry, given) == fault
    except FaultError:
        return False
