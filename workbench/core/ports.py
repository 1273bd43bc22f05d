"""What the runner needs from the outside, as protocols. Everything that can fail, wait or surprise is behind one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from workbench.core.events import Event, HeldReply
from workbench.core.ledger import Executed
from workbench.core.persistent import Log
from workbench.core.statuses import Status
from workbench.core.swift import swift
from workbench.core.values import Header, ProtocolOptions, RawCall, ToolInfo

if TYPE_CHECKING:
    from workbench.core.records import CallRecord, Message
    from workbench.core.state import State

# ---------------------------------------------------------------- the model


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the provider counted them; None is "no figure", which is not 0.

    `input` is everything that was read, cache reads and writes included.
    """

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None


@swift
@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Everything a model gets. It is a view: a model must not change it nor keep it."""

    system: str
    """The scenario's system prompt and our protocol instructions, joined; "" for none."""
    messages: Log[Message]
    tools: tuple[ToolInfo, ...]
    """Offered natively; empty for the text and json protocols."""
    options: ProtocolOptions
    state: State
    """The history the request comes from; scripted models are a function of it."""
    purpose: Literal["step", "summary"] = "step"
    """What is asked for: the next reply, or a summary of these messages."""


@swift
@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One whole reply. `calls` are native calls only; text protocols carry theirs in the text."""

    text: str = ""
    calls: tuple[RawCall, ...] = ()
    thinking: str = ""
    finish: str = "stop"
    usage: Usage = Usage()
    model: str = ""
    attempts: int = 1
    opaque: str = ""
    """Provider blocks to echo verbatim, as JSON text."""
    notes: tuple[str, ...] = ()
    """What people should know about how the reply came."""
    line: int = -1
    served: int = 0
    captures: Mapping[str, str] = field(default_factory=dict)
    original: str = ""
    """What the model really replied, its calls written out, when a fault changed it."""
    changed_by: str = ""
    faults: tuple[str, ...] = ()
    """The faults that struck on the way here, also those that changed nothing."""


FailureKind = Literal[
    "timeout",
    "unavailable",
    "rate_limited",
    "malformed_body",
    "cut_stream",
    "auth",
    "quota",
    "bad_request",
    "context_overflow",
    "script_exhausted",
    "script_error",
    "not_recorded",
    "no_summary",
    "deadline",
]

FAILURE_STATUS: dict[str, Status] = {
    "timeout": Status.MODEL_UNAVAILABLE,
    "unavailable": Status.MODEL_UNAVAILABLE,
    "rate_limited": Status.MODEL_UNAVAILABLE,
    "malformed_body": Status.MODEL_UNAVAILABLE,
    "cut_stream": Status.MODEL_UNAVAILABLE,
    "auth": Status.MODEL_REJECTED,
    "quota": Status.MODEL_REJECTED,
    "bad_request": Status.MODEL_REJECTED,
    "context_overflow": Status.CONTEXT_WINDOW_EXCEEDED,
    "script_exhausted": Status.SCRIPT_EXHAUSTED,
    "script_error": Status.SCRIPT_EXHAUSTED,
    "not_recorded": Status.SCRIPT_EXHAUSTED,
    "no_summary": Status.MODEL_UNAVAILABLE,
    "deadline": Status.DEADLINE_EXCEEDED,
}


class ModelFailure(Exception):
    """A request that brought no reply, after whatever retries the model makes inside a call."""

    def __init__(
        self,
        kind: FailureKind,
        detail: str = "",
        *,
        attempts: int = 1,
        partial: str = "",
        line: int = -1,
        served: int = 0,
        original: str = "",
        faults: tuple[str, ...] = (),
        after: float = 0.0,
    ) -> None:
        """`after` is how many seconds the provider asks to wait; 0 where it asks nothing."""
        super().__init__(f"{kind}: {detail}")
        self.kind: FailureKind = kind
        self.detail = detail
        self.attempts = attempts
        self.partial = partial
        self.line = line
        self.served = served
        self.original = original
        self.faults = faults
        self.after = after


class NobodyThere(Exception):
    """A model that is a person, with no person there: the run waits."""


@dataclass(frozen=True, slots=True)
class Signal:
    """Something passing: shown, never recorded. `delta` is streamed text, `retry` a countdown."""

    kind: Literal["delta", "thinking", "retry", "progress"]
    text: str = ""
    seconds: float = 0.0


OnSignal = Callable[[Signal], None]


class Model(Protocol):
    """Who replies. `name` is what the header shows, e.g. "scripted"."""

    name: str

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
        """One reply, or ModelFailure. Cancelling the task must end the request at once."""
        ...


# ---------------------------------------------------------------- tools


@swift
@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What validation says of a call."""

    canonical: str = ""
    """Valid arguments as JSON with sorted keys and no blanks, defaults not filled in; "" when there is a problem."""
    problem: str = ""
    """Model-facing."""
    problem_kind: Literal["", "malformed", "unknown_tool", "invalid", "not_run"] = ""
    note: str = ""


@swift
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What came of running a tool. A defect is told apart from a failure the model can act on.

    `unknown` is a call that was given up and may have acted all the same.
    """

    outcome: Literal["ran", "failed", "cancelled", "unknown", "defect"]
    content: str = ""
    value: str = ""
    full_chars: int = 0
    cursor: str = ""
    effects: tuple[Mapping[str, Any], ...] = ()
    retry: bool = True
    detail: str = ""
    original: str = ""
    """What the tool really returned, when a fault changed it."""
    original_outcome: str = ""
    """What really came of the call, when a fault changed that: an outcome, or `not_run`."""
    changed_by: str = ""
    faults: tuple[str, ...] = ()
    """The faults that struck, also those that changed nothing."""


OnLate = Callable[[str, float], None]
"""Called with the content and the seconds it took when a result comes after its time limit."""


class Tools(Protocol):
    """What may run."""

    def check(self, tool: str, arguments: str) -> Checked:
        """Validate raw arguments against the schema. Never raises, whatever the text."""
        ...

    def preview(self, tool: str, canonical: str) -> str:
        """The tool's own sentence for a person about this call; "" when it has none. Never raises."""
        ...

    def file_text(self, path: str) -> str | None:
        """The text of a file in the run's sandbox, or None. For goal checks and expectations; never raises."""
        ...

    async def run(self, tool: str, canonical: str, *, within: float | None, key: str, on_late: OnLate) -> ToolOutcome:
        """Run it. Returns within `within` seconds (None: no limit) even if the function does not."""
        ...


# ---------------------------------------------------------------- the person


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person is asked."""

    on: Literal["approval", "hold", "interrupted", "stop", "step", "reply"]
    calls: tuple[CallRecord, ...] = ()
    """For approval, hold and interrupted: the calls it is about, the first is the one to decide now."""
    reply: HeldReply | None = None
    """For hold: the reply it is about, when it is about no call."""
    status: Status = Status.RUNNING


class Person(Protocol):
    """Who decides when nobody sits at the screen. Answers are events, in the order to be recorded."""

    def answer(self, question: Question, state: State) -> Sequence[Event | Reply] | None:
        """The events that answer the question, or None when nobody is there. Must be a function of the history.

        A reply that is held is answered by the Reply to let in, which is read only then.
        """
        ...


# ---------------------------------------------------------------- other branches


class Branches(Protocol):
    """The other branches of a run's lineage."""

    def done(self) -> Sequence[Executed]:
        """What they have really done by now, each with the title of its session. Reads files; never raises."""
        ...


# ---------------------------------------------------------------- clock and journal


class Clock(Protocol):
    """Time. A virtual clock moves only when somebody sleeps on it, so a run on it is the same every time."""

    def now(self) -> float:
        """Seconds, monotonic."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class Journal(Protocol):
    """Where events are kept. `sync` asks that the event survives a power cut before the call returns."""

    def append(self, event: Event, *, sync: bool) -> None: ...


__all__ = [
    "FAILURE_STATUS",
    "Branches",
    "Checked",
    "Clock",
    "FailureKind",
    "Header",
    "Journal",
    "Model",
    "ModelFailure",
    "NobodyThere",
    "OnLate",
    "OnSignal",
    "Person",
    "Question",
    "Reply",
    "Request",
    "Signal",
    "ToolOutcome",
    "Tools",
    "Usage",
]
