"""Where two runs part, and why: both laid side by side by their calls. Pure.

The first item that says something else, or that only one of them has, is where they part; what comes after it is
downstream of that, alike or not. Settings, and a stop after which a run has gone on, are reasons, not partings; the
same done in other words is none either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, takewhile

from workbench.core.alignment import align, parting
from workbench.core.events import Event, ModelFailed, ModelReply, Planned, Stopped, StopRequested, ToolResult
from workbench.core.items import Aspect, Item, items, keys, says, wording
from workbench.core.setup import NONE, PLAN, REQUEST, Setting, set_differently
from workbench.core.values import Header


class Cause(StrEnum):
    """Why two runs part."""

    MESSAGE = "message"
    """The user says something else."""
    REPLY = "reply"
    """The model says something else to the same transcript, or fails."""
    RESULT = "result"
    """The same call comes to something else."""
    FAULT = "fault"
    """A fault struck in one of them."""
    SETTING = "setting"
    """They are set up differently: a cap, a rule, the tools, the model."""
    DECISION = "decision"
    """A person, or who stands in for one, decides, changes or stops something in one of them."""
    NOTICE = "notice"
    """The runtime says something else to the model."""
    END = "end"
    """One of them has gone no further."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs."""

    header: Header
    events: Sequence[Event]


@dataclass(frozen=True, slots=True)
class Row:
    """An item of each run that belong together, or of one of them an item that is only there."""

    a: Item | None
    b: Item | None
    aspect: Aspect | None = None
    """In what they differ first, where both are there; None where they are the same."""
    reworded: bool = False
    """The same in other words."""

    @property
    def parts(self) -> bool:
        """Whether the runs do not do the same here."""
        alone = self.a if self.b is None else self.b if self.a is None else None
        return self.aspect is not None if alone is None else not alone.quiet


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where two runs part first."""

    row: int
    """Index of the row; everything after it is downstream."""
    cause: Cause
    a: Item | None
    """What comes at that place in the one run; None where it ends before."""
    b: Item | None
    aspect: Aspect
    because: tuple[str, ...] = ()
    """What is behind it by name: the faults that struck in only one of them, or the settings."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs laid side by side."""

    rows: tuple[Row, ...]
    divergence: Divergence | None
    """None where both go the same way."""
    settings: tuple[Setting, ...]
    """What is set differently from the beginning."""

    @property
    def reworded(self) -> int:
        """How many replies say the same in other words before the runs part."""
        end = self.divergence.row if self.divergence is not None else len(self.rows)
        return sum(row.reworded for row in self.rows[:end])


def compare(a: Side, b: Side) -> Comparison:
    """Both runs side by side. Linear in their lengths but for a logarithm."""
    one, other = items(a.events), items(b.events)
    rows = _arranged(
        _row(one[i] if i is not None else None, other[j] if j is not None else None)
        for i, j in align(keys(one), keys(other))
    )
    settings = tuple(set_differently(a.header, b.header))
    at = _first(rows)
    divergence = None if at is None else _Why(a, b, rows, at, settings).divergence()
    return Comparison(rows, divergence, settings)


def _row(a: Item | None, b: Item | None) -> Row:
    if a is None or b is None:
        return Row(a, b)
    if a.kind != b.kind:
        return Row(a, b, Aspect.WHAT)
    one, other = says(a), says(b)
    at = parting(one, other)
    aspect = one[at][0] if at < len(one) else None
    return Row(a, b, None if a.quiet and b.quiet else aspect, aspect is None and wording(a) != wording(b))


def _first(rows: Sequence[Row]) -> int | None:
    """The row in which they part first; None where they do not.

    Of the calls of one reply a later one may have come to something before an earlier one did.
    """
    parting_rows = [index for index, row in enumerate(rows) if row.parts]
    if not parting_rows or not _waits(rows[parting_rows[0]]):
        return parting_rows[0] if parting_rows else None
    first = parting_rows[0]
    batch = takewhile(lambda index: _reply_of(rows[index]) == _reply_of(rows[first]), parting_rows)
    return next((index for index in batch if not _waits(rows[index])), first)


def _waits(row: Row) -> bool:
    """Whether all the difference is that a call still waits in one of them."""
    return (
        row.aspect is not None
        and row.aspect is not Aspect.WHAT
        and any(each and each.pending for each in (row.a, row.b))
    )


def _reply_of(row: Row) -> tuple[int, int]:
    """The replies that the calls of a row belong to."""
    return (row.a.n if row.a is not None else 0, row.b.n if row.b is not None else 0)


def _arranged(rows: Iterable[Row]) -> tuple[Row, ...]:
    """What is a reason for a parting stands before it, whichever run has it."""
    out: list[Row] = []
    for alone, group in groupby(rows, lambda row: row.a is None or row.b is None):
        some = list(group)
        if alone:
            sides = [[row for row in some if row.b is None], [row for row in some if row.a is None]]
            leading = [list(takewhile(lambda row: not row.parts, side)) for side in sides]
            rest = [side[len(head) :] for side, head in zip(sides, leading, strict=True)]
            some = [row for part in (*leading, *rest) for row in part]
        out += some
    return tuple(out)


# ---------------------------------------------------------------- why


class _Why:
    """The reason for the first parting, found out from what stands there and what is set differently by then."""

    def __init__(self, a: Side, b: Side, rows: Sequence[Row], at: int, settings: Sequence[Setting]) -> None:
        self._at = at
        self._settings = [*settings, *_changed(rows[:at])]
        other_model = any(setting.name == "model" for setting in self._settings)
        self._asked = other_model or not {a.header.model, b.header.model} <= {"scripted", "recorded"}
        """Whether what the model says may depend on how it is asked, or who is."""
        row = rows[at]
        # Where only one has an item here, the other one is at what it has next.
        self._a = row.a or next((item for each in rows[at:] if (item := each.a) is not None and not item.quiet), None)
        self._b = row.b or next((item for each in rows[at:] if (item := each.b) is not None and not item.quiet), None)
        self._aspect = row.aspect or Aspect.WHAT

    def divergence(self) -> Divergence:
        cause, because = self._cause()
        return Divergence(self._at, cause, self._a, self._b, self._aspect, because)

    def _cause(self) -> tuple[Cause, tuple[str, ...]]:
        there = [item for item in (self._a, self._b) if item is not None]
        kinds = {item.kind for item in there}
        if len(there) < 2:
            return self._end(there[0])
        if self._aspect is not Aspect.WHAT and any(item.pending for item in there):
            return Cause.END, ()
        if self._aspect is Aspect.DECISION:
            return self._decision()
        if self._aspect is Aspect.RESULT:
            return self._result()
        if "message" in kinds:
            return Cause.MESSAGE, ()
        if "stop" in kinds:
            return self._stop([item.stop or item.event for item in there if item.kind == "stop"])
        if any(isinstance(item.event, Planned) for item in there):
            names = self._named(*PLAN)
            return (Cause.SETTING if names else Cause.RESULT), names
        if "notice" in kinds:
            names = self._named("limits", "protocol_options", "goal_check")
            return (Cause.SETTING if names else Cause.NOTICE), names
        return self._reply()

    def _end(self, there: Item) -> tuple[Cause, tuple[str, ...]]:
        """Only one of them has something here. A stop that somebody asked for, or that a cap made, has a reason."""
        return self._stop([there.stop or there.event]) if there.kind == "stop" else (Cause.END, ())

    def _stop(self, stops: Sequence[Event]) -> tuple[Cause, tuple[str, ...]]:
        """One of them stops here, or both for different reasons."""
        if any(isinstance(stop, StopRequested) and stop.by in ("person", "script") for stop in stops):
            return Cause.DECISION, ()
        knobs = [stop.knob for stop in stops if isinstance(stop, Stopped | StopRequested) and stop.knob]
        names = self._named(*knobs) if knobs else ()
        return (Cause.SETTING if names else Cause.END), names

    def _decision(self) -> tuple[Cause, tuple[str, ...]]:
        decisions = [item.decision for item in (self._a, self._b) if item is not None]
        if any(decision is None or decision.by in ("rule", "lock", "engine") for decision in decisions):
            names = self._named("approval", "authority", "grants", "tools")
            if names:
                return Cause.SETTING, names
        return Cause.DECISION, ()

    def _result(self) -> tuple[Cause, tuple[str, ...]]:
        there = [item for item in (self._a, self._b) if item is not None]
        results = [item.result for item in there]
        if changed := _changed_by(*map(_marks, results)):
            return changed
        stops = [item.stop for item in there if item.stop is not None]
        if stops:
            return self._stop(stops)
        if any(result is not None and result.outcome == "not_run" for result in results):
            names = self._named("limits", "protocol_options", "authority")
            return (Cause.SETTING if names else Cause.RESULT), names
        return Cause.RESULT, ()

    def _reply(self) -> tuple[Cause, tuple[str, ...]]:
        """The model does something else, as far as it was the model."""
        there = [item.event for item in (self._a, self._b) if item is not None]
        if changed := _changed_by(*map(_marks, there)):
            return changed
        texts = {event.text for event in there if isinstance(event, ModelReply)}
        same_text = len(texts) == 1 and len(there) == 2 and texts != {""}
        names = self._named(*REQUEST) if self._asked else self._named("protocol_options") if same_text else ()
        return (Cause.SETTING if names else Cause.REPLY), names

    def _named(self, *names: str) -> tuple[str, ...]:
        """The settings of these names that differ."""
        return tuple(dict.fromkeys(setting.name for setting in self._settings if setting.is_of(*names)))


_PERSONS = frozenset({"you", "person", "script"})


def _marks(event: Event | None) -> tuple[str, ...]:
    """Who made it what it is, where that is not what came."""
    match event:
        case ModelReply(changed=True) | ToolResult(changed=True):
            return tuple(event.changed_by.split(", "))
        case ModelFailed():
            return event.faults
        case _:
            return ()


def _changed_by(one: Sequence[str], other: Sequence[str]) -> tuple[Cause, tuple[str, ...]] | None:
    """Who changed something in only one of them: faults, or somebody; None where nobody did."""
    only = dict.fromkeys([*(name for name in one if name not in other), *(name for name in other if name not in one)])
    struck = tuple(name.removeprefix("fault ") for name in only if name not in _PERSONS)
    if struck:
        return Cause.FAULT, struck
    return (Cause.DECISION, ()) if only else None


def _changed(rows: Sequence[Row]) -> list[Setting]:
    """The settings that were changed on the way in only one of them, or otherwise."""
    found = []
    for row in rows:
        both = [getattr(item.event, "changes", {}) if item is not None else {} for item in (row.a, row.b)]
        if both[0] != both[1]:
            names = dict.fromkeys([*both[0], *both[1]])
            found += [Setting(name, *(str(each.get(name, NONE)) for each in both)) for name in names]
    return found
