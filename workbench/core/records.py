"""What a state keeps of messages, calls and requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.core.events import Decided, Held, ToolResult, ToolStarted
from workbench.core.persistent import Log
from workbench.core.values import Call, Fault

Role = Literal["user", "assistant", "tool", "notice"]
Phase = Literal["proposed", "decided", "started", "held", "closed"]


@dataclass(slots=True)
class Message:
    """One message of the transcript as the model reads it; `text` is rendered by the protocol of the run."""

    role: Role
    text: str
    n: int
    """Number of the event it comes from, from 1."""
    tokens: int = 0
    calls: tuple[Call, ...] = ()
    call_id: str = ""
    tool: str = ""
    is_error: bool = False
    opaque: str = ""
    stands_for: int = 0
    """How many messages it is sent in place of; `n` is then the number of the first of them."""

    def chars(self, *, native: bool) -> int:
        """Characters that a request carries for it; with `native` the arguments of its calls go beside the text."""
        return len(self.text) + (sum(len(call.arguments) for call in self.calls) if native else 0)


@dataclass(slots=True)
class CallRecord:
    """A tool call and everything that has happened to it so far."""

    call: Call
    step: int
    n: int
    """Number of the event that proposed it."""
    decision: Decided | None = None
    started: ToolStarted | None = None
    held: Held | None = None
    result: ToolResult | None = None
    result_n: int = 0
    repeat: int = 0
    """How many times this call (and result) has been seen, this one included; 0 while unknown or exempt."""
    again: bool = False
    """Whether it was started, interrupted, and may now run once more."""
    faults: tuple[Fault, ...] = ()
    """What strikes it, in order."""
    counted: int = 0
    """Number of the event with which it first started and came by the faults; 0 while it has not."""

    @property
    def arguments(self) -> str:
        """The canonical arguments that run, or would: those that were decided about, where somebody decided."""
        decision = self.decision
        if decision is not None and decision.arguments and decision.decision in ("allow", "edit"):
            return decision.arguments
        if self.started is not None and self.started.arguments:
            return self.started.arguments
        return self.call.canonical

    @property
    def edited(self) -> bool:
        """Whether somebody changed the arguments, also where it was allowed once more after that."""
        decision = self.decision
        return decision is not None and (decision.decision == "edit" or self.arguments != self.call.canonical)

    @property
    def interrupted(self) -> bool:
        """Started, with no result, and nobody has said yet what that means. Only true where nothing is running."""
        if self.started is None or self.again or self.held is not None or self.result is not None:
            return False
        return self.decision is None or self.decision.decision in ("allow", "edit")

    @property
    def phase(self) -> Phase:
        if self.result is not None:
            return "closed"
        if self.held is not None:
            return "held"
        if self.started is not None and not self.again:
            return "started"
        return "proposed" if self.decision is None else "decided"

    def copy(self) -> CallRecord:
        return CallRecord(
            self.call,
            self.step,
            self.n,
            self.decision,
            self.started,
            self.held,
            self.result,
            self.result_n,
            self.repeat,
            self.again,
            self.faults,
            self.counted,
        )


@dataclass(slots=True)
class RequestMark:
    """One request that was sent, so that it can be shown again: what it carried and what came of it."""

    n: int
    """Number of the event that answered it."""
    sent: Log[Message]
    """The messages that it carried."""
    chars: int
    """Characters of the transcript it carried, instructions apart."""
    tokens: int
    """Input tokens: the provider's figure where there is one, else our estimate."""
    estimated: bool
    output: int
    step: int
    """The step that the reply to it is, or was to be; for a summary the one that it was made for."""
    purpose: Literal["step", "summary"] = "step"


@dataclass(slots=True)
class Context:
    """Estimated tokens of the next request, by what they are spent on."""

    system: int = 0
    user: int = 0
    model: int = 0
    results: int = 0
    notices: int = 0

    @property
    def total(self) -> int:
        return self.system + self.user + self.model + self.results + self.notices


def call_signature(record: CallRecord) -> str:
    """What makes two calls the same call: tool and canonical arguments (the raw ones where they are not valid)."""
    return f"{record.call.tool} {record.arguments or record.call.arguments}"
