"""The facts of a run. The journal is the list of them, and the only truth.

Every event is frozen and flat. `core.plain` turns one into plain values and back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from workbench.core.statuses import Status
from workbench.core.swift import swift
from workbench.core.values import Call, Decision, RawCall

Outcome = Literal[
    "ran", "failed", "denied", "invalid", "not_run", "cancelled", "unknown", "answered", "stored", "defect"
]
By = Literal["person", "rule", "script", "lock", "engine"]

NO_ERROR: frozenset[str] = frozenset({"ran", "answered", "stored"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Base of all events."""

    kind: ClassVar[str] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage(Event):
    """The goal, or a follow-up; a follow-up resets steps, seconds and the in-a-row counters."""

    kind: ClassVar[str] = "user_message"
    text: str


@swift
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply(Event):
    """One whole reply of the model, and how it was read."""

    kind: ClassVar[str] = "model_reply"
    text: str = ""
    thinking: str = ""
    calls: tuple[Call, ...] = ()
    reading: Literal["answer", "calls", "malformed", "cut_off", "blocked"] = "calls"
    answer: str = ""
    problem: str = ""
    """For `malformed`: the correction that the model is to read. Else why the reply is not believed."""
    dropped: str = ""
    """What a protocol option left out, as a sentence the model is to read."""
    finish: str = "stop"
    """Normalised: stop, tool_calls, length, blocked, refused, or the provider's own word."""
    model: str = ""
    took: float = 0.0
    """Seconds, retries and waiting included."""
    attempts: int = 1
    input_tokens: int | None = None
    """As the provider counted; None when it gave no figure."""
    output_tokens: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    input_estimate: int = 0
    """Our own count of the request, always given."""
    output_estimate: int = 0
    cost: float | None = None
    """USD; None is unknown."""
    line: int = -1
    """Scripted: index of the script's reply that was served; -1 for a reply that is from elsewhere."""
    served: int = 0
    """Scripted: how many times in a row that reply has been served, this one included."""
    captures: Mapping[str, str] = field(default_factory=dict)
    """Scripted: what this reply captured from the observation before it."""
    opaque: str = ""
    """Provider blocks to echo verbatim, as JSON text."""
    notes: tuple[str, ...] = ()
    """What people should know about how the reply came: a part that was left out, say. Never shown to the model."""
    original: str = ""
    """What the model really replied, native calls written out below the text, when a fault or a person changed it."""
    changed_by: str = ""
    """Who made it what it is: "fault unknown-tool"."""
    faults: tuple[str, ...] = ()
    """The faults that struck request and reply, also those that changed nothing."""
    asked: int = 0
    """How many events there were when it was asked for, if others came in between; 0 when none did."""
    passed_by: Literal["", "person", "script"] = ""
    """Who let it in, when it was held at the door."""

    @property
    def changed(self) -> bool:
        """Whether this is not what the model said."""
        return bool(self.changed_by)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldReply(Event):
    """A reply that stands at the door, as it came: nothing in it is read or believed. Fields as in ModelReply.

    Whatever is done to it there is another of these; what is let in is a ModelReply.
    """

    kind: ClassVar[str] = "held_reply"
    text: str = ""
    thinking: str = ""
    calls: tuple[RawCall, ...] = ()
    """Native calls only; the text protocols carry theirs in the text."""
    finish: str = "stop"
    model: str = ""
    took: float = 0.0
    attempts: int = 1
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    line: int = -1
    served: int = 0
    captures: Mapping[str, str] = field(default_factory=dict)
    opaque: str = ""
    notes: tuple[str, ...] = ()
    original: str = ""
    changed_by: str = ""
    faults: tuple[str, ...] = ()
    asked: int = 0
    """How many events there were when it was asked for, always."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailed(Event):
    """A request that brought no reply, after all retries inside the call."""

    kind: ClassVar[str] = "model_failed"
    failure: str
    """Class of the failure, see `ports.FAILURE_STATUS`."""
    detail: str = ""
    """For the operator; never shown to the model."""
    attempts: int = 1
    partial: str = ""
    took: float = 0.0
    retry_after: float = 0.0
    """Seconds that the provider asked to wait; 0 where it asked nothing."""
    line: int = -1
    """Scripted: as in ModelReply, so that a failure is not served again on resume."""
    served: int = 0
    original: str = ""
    """What the model replied, when a fault let nobody have it."""
    faults: tuple[str, ...] = ()
    """The faults that struck the request."""
    asked: int = 0
    """As in ModelReply."""
    purpose: Literal["step", "summary"] = "step"
    """What was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(Event):
    """A decision about one call with exactly these arguments."""

    kind: ClassVar[str] = "decided"
    call: str
    decision: Decision
    by: By = "person"
    arguments: str = ""
    """For `edit`: the arguments that run instead, as canonical JSON. For allow: those that were shown."""
    reason: str = ""
    """For `deny`: what the model reads."""
    answer: str = ""
    """For `answer`: what the model reads as the result."""
    rule: str = ""
    """Which rule or lock decided, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned(Event):
    """The code took the step of a plan that was due; no model chose it."""

    kind: ClassVar[str] = "planned"
    step: int
    """Its number in its row, from 1."""
    route: str = ""
    """The row, where a router has chosen one."""
    name: str = ""
    does: Literal["call", "ask", "answer"] = "call"
    text: str = ""
    """For `ask`: what the model is asked. For `answer`: the answer of the run."""
    calls: tuple[Call, ...] = ()
    """For `call`: the one call it makes."""
    problem: str = ""
    """Why it cannot be taken: a template that stands for nothing, say. For people."""


@swift
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted(Event):
    """Written and synced before the tool runs."""

    kind: ClassVar[str] = "tool_started"
    call: str
    arguments: str = ""
    """What the tool gets, when that is not what the model wrote."""
    key: str = ""
    """Idempotency key: lineage id and canonical arguments, hashed."""


@swift
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Event):
    """The one result of a call."""

    kind: ClassVar[str] = "tool_result"
    call: str
    outcome: Outcome = "ran"
    content: str = ""
    """What the model reads."""
    value: str = ""
    """The structured result as JSON text, when it is not just the content."""
    source: str = ""
    trust: Literal["trusted", "untrusted"] = "trusted"
    full_chars: int = 0
    """Characters before the cut; 0 when nothing was cut."""
    cursor: str = ""
    took: float = 0.0
    effects: tuple[Mapping[str, Any], ...] = ()
    """What was changed in the sandbox, in order: `path`, and `content` (all of it) or `append`."""
    original: str = ""
    """What the tool really returned, when a fault or a person changed it."""
    original_outcome: str = ""
    """What really came of the call, when that was changed; `not_run` where a fault kept it from running."""
    changed_by: str = ""
    """Who made it what it is: "fault wrong-number", "you", or both with a comma between."""
    faults: tuple[str, ...] = ()
    """The faults that struck, also those that changed nothing (a delay, say)."""
    retry: bool = True
    """For errors: whether trying again can help."""
    detail: str = ""
    """For the operator (a traceback, say); never shown to the model."""
    goal_met: bool = False

    @property
    def is_error(self) -> bool:
        return self.outcome not in NO_ERROR

    @property
    def changed(self) -> bool:
        """Whether this is not what the tool returned; who passed a held result on as it was changed nothing."""
        return bool(self.changed_by) and (self.original != self.content or self.original_outcome != "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Held(Event):
    """A result that stands at the door; everything known about it, so that nothing is forgotten.

    Whatever is done to it there is another of these: the latest one is what would be passed on.
    """

    kind: ClassVar[str] = "held"
    call: str
    outcome: Outcome = "ran"
    content: str = ""
    value: str = ""
    source: str = ""
    trust: Literal["trusted", "untrusted"] = "trusted"
    full_chars: int = 0
    cursor: str = ""
    took: float = 0.0
    effects: tuple[Mapping[str, Any], ...] = ()
    retry: bool = True
    detail: str = ""
    goal_met: bool = False
    original: str = ""
    """This and what follows as in ToolResult: what a fault did before the result came to the door."""
    original_outcome: str = ""
    changed_by: str = ""
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LateResult(Event):
    """A result that came after its time limit or after the stop: for people, invisible to the model."""

    kind: ClassVar[str] = "late_result"
    call: str
    content: str = ""
    took: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(Event):
    """The runtime speaking to the model."""

    kind: ClassVar[str] = "notice"
    topic: Literal["correction", "dropped", "repeat", "edited", "restated"]
    text: str
    call: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark(Event):
    """Something people should know about this place of a run, e.g. what an import could not read. Never shown to the
    model."""

    kind: ClassVar[str] = "remark"
    text: str
    raw: str = ""
    """The piece it is about, as it came, where nothing else keeps it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsChanged(Event):
    """A setting changed while the run lives. Several keys change together."""

    kind: ClassVar[str] = "settings_changed"
    changes: Mapping[str, Any]
    """Key to new value: "limits.steps", "approval.default", "arm", "disarm", "faults", "grants", "hold", "model", …"""
    by: By = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextChanged(Event):
    """What was left out, folded or summed up, and what the model reads in its place. The journal keeps all of it.

    A summary is the reply to a request of its own; what that took and cost is here, as in ModelReply.
    """

    kind: ClassVar[str] = "context_changed"
    policy: Literal["window", "fold", "summarise"]
    first: int
    """Number of the earliest event whose message is concerned."""
    last: int
    """Number of the latest one."""
    replacement: str = ""
    """What stands in the place of all messages from `first` to `last` that are not of the user; a summary as the model
    wrote it."""
    folded: Mapping[str, str] = field(default_factory=dict)
    """With fold: id of a call to what stands in the place of its result."""
    messages: int = 0
    """How many messages were taken out, or made shorter; those that stood for others not counted."""
    before: int = 0
    """Estimated tokens of the next request before the change."""
    after: int = 0
    cause: str = ""
    """What did not let it wait: the knob of a cap, or `context_overflow`; "" for the policy's own measure."""
    model: str = ""
    took: float = 0.0
    attempts: int = 1
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    input_estimate: int = 0
    output_estimate: int = 0
    cost: float | None = None
    line: int = -1
    """Scripted: index of the script's summary that was served."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRequested(Event):
    """The run is to stop while calls may still be open: a person said so (they get `cancelled`), or a cap did."""

    kind: ClassVar[str] = "stop_requested"
    by: By = "person"
    status: Status = Status.CANCELLED
    knob: str = ""
    limit: float | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped(Event):
    """The run ended, with the knob and the value that ended it where there is one."""

    kind: ClassVar[str] = "stopped"
    status: Status
    knob: str = ""
    limit: float | None = None
    detail: str = ""
    """For people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(Event):
    """A stopped run goes on."""

    kind: ClassVar[str] = "resumed"
    by: By = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Forked(Event):
    """A branch begins here; decisions not yet used and grants do not come along."""

    kind: ClassVar[str] = "forked"
    parent: str
    at: int
    """How many events the branch has from its parent: all before this one. The last may have got another text."""
    title: str = ""
    """What the parent was called."""
    effects: tuple[Mapping[str, Any], ...] = ()
    """What the parent really did after that point, and other branches of the lineage, as `ledger.entry_to` writes it.
    What cannot be undone, or may be done once only, is asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneElsewhere(Event):
    """What other branches of the lineage were found to have done meanwhile, before this one does the same.

    From here on it is asked about, also where it had been allowed without that being known.
    """

    kind: ClassVar[str] = "done_elsewhere"
    effects: tuple[Mapping[str, Any], ...] = ()
    """As `ledger.entry_to` writes it."""
