"""What a run is at some point: the fold of its events.

`State.apply` is O(1) amortised, and `copy` costs nothing however long the run is. Nothing here can be known that is
not in the header and the events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.core.canonical import digest
from workbench.core.carried import NO_POLICY, Carried
from workbench.core.events import Event, HeldReply, Notice, Planned, Stopped
from workbench.core.fold import HANDLERS
from workbench.core.holding import Filter
from workbench.core.ledger import Executed
from workbench.core.persistent import Log, Table
from workbench.core.plan import Place, PlannedProtocol, plan_of
from workbench.core.protocols import WireProtocol, protocol
from workbench.core.records import CallRecord, Context, Message, RequestMark
from workbench.core.statuses import Status
from workbench.core.striking import Armed
from workbench.core.tokens import estimate
from workbench.core.values import Header, ModelInfo, Rule, ToolInfo

MOST_REPEATS_COUNTED = 12
"""Repeats are counted up to here, or up to the guard's own figures: nobody asks for more, and counting stays O(1)."""


class State:
    """A run at one point. Build it with a header, then apply events in order."""

    __slots__ = (
        "_tools",
        "answer",
        "approval",
        "batch",
        "cache_read",
        "cache_write",
        "call_count",
        "calls",
        "captures",
        "carried",
        "chars",
        "context",
        "cost",
        "delivered",
        "denials_in_a_row",
        "due",
        "effects",
        "elsewhere",
        "errors",
        "estimated",
        "failure",
        "failures_in_a_row",
        "faults",
        "grants",
        "header",
        "held_replies",
        "hold",
        "input_tokens",
        "last_observation",
        "limits",
        "messages",
        "model",
        "model_calls",
        "n",
        "next_reply",
        "output_tokens",
        "place",
        "plan",
        "planned",
        "policy",
        "protocol",
        "protocol_errors_in_a_row",
        "repeat",
        "replies_elsewhere",
        "requests",
        "results",
        "script_decisions",
        "script_line",
        "script_served",
        "seconds",
        "seen",
        "sent",
        "status",
        "steps",
        "steps_since_success",
        "stop",
        "stopped",
        "system",
        "tainted",
        "title",
        "tool_calls",
        "total_seconds",
        "total_steps",
        "unsure_keys",
    )

    def __init__(self, header: Header) -> None:
        self.header, self.plan, self.place = header, plan_of(header.scenario, header.tools), Place()
        self.protocol: WireProtocol = PlannedProtocol(self.plan) if self.plan else protocol(header.protocol)
        self._tools: dict[str, ToolInfo] = {tool.name: tool for tool in header.tools}
        self.system: str = _told_first(header, self.protocol)
        self.context = Context(system=estimate(self.system) + _tokens_of_tools(header, self.protocol))
        self.status: Status = Status.RUNNING
        self.stop: Stopped | None = None
        """The stop that is due: what decided it has happened, open calls may still need their results."""
        self.stopped: Stopped | None = None
        self.model: ModelInfo = header.asks
        """Who is asked; it may have changed under way."""
        self.title, self.failure, self.last_observation = header.title, "", ""
        """`failure` is the class of the failure of the latest request, where it brought no reply."""
        self.answer: str | None = None
        self.limits, self.approval = header.limits, header.approval
        self.grants: tuple[Rule, ...] = ()
        self.faults: tuple[Armed, ...] = tuple(map(Armed, header.faults))
        self.hold: Filter | None = None
        self.held_replies: tuple[HeldReply, ...] = ()
        """The reply that stands at the door, as it came there and after each change."""
        self.messages: Log[Message] = Log()
        self.sent: Log[Message] = self.messages
        """What of all messages the next request carries; the same list until a context policy changes something."""
        self.policy, self.carried = header.context or NO_POLICY, Carried()
        self.calls: Log[CallRecord] = Log()
        self.batch: list[CallRecord] = []
        self.planned: Planned | None = None
        """The step that made the calls of the batch, if one did."""
        self.requests: Log[RequestMark] = Log()
        self.results: Log[str] = Log()
        self.due: tuple[Notice, ...] = ()
        self.effects: Table[str, str] = Table()
        self.elsewhere: Mapping[str, Executed] = {}
        """What another branch has done, by effect key: asked about, whatever allows it."""
        self.unsure_keys: frozenset[str] = frozenset()
        """Effect keys of calls that were interrupted while they ran: nobody knows whether they took effect."""
        self.seen: Table[tuple[str, str | None, int], None] = Table()
        self.n = self.repeat = self.call_count = self.chars = self.delivered = 0
        self.steps = self.total_steps = self.model_calls = self.tool_calls = self.errors = 0
        self.input_tokens = self.output_tokens = self.cache_read = self.cache_write = 0
        self.estimated = self.tainted = False
        self.cost: float | None = 0.0 if self.model.free or self.model.prices is not None else None
        self.seconds = self.total_seconds = 0.0
        self.failures_in_a_row = self.denials_in_a_row = self.protocol_errors_in_a_row = self.steps_since_success = 0
        self.script_line: int = -1
        self.script_served = self.script_decisions = self.replies_elsewhere = 0
        """The last: how many replies since that line came from another model; each takes the place of one of it."""
        self.captures: Mapping[str, str] = {}
        self.next_reply: str | None = None
        """What a person has put in the place of the reply that is due, written as a person writes one."""

    # ------------------------------------------------------------ reading

    def tool(self, name: str) -> ToolInfo | None:
        return self._tools.get(name)

    @property
    def started(self) -> bool:
        """Whether the goal has been given."""
        return len(self.messages) > 0

    @property
    def asks_model(self) -> bool:
        """Whether what comes next is for a model to say, and no step that is written down."""
        return self.plan is None or self.plan.asks_model(self.place)

    @property
    def held_reply(self) -> HeldReply | None:
        """The reply that stands at the door."""
        return self.held_replies[-1] if self.held_replies else None

    @property
    def context_tokens(self) -> int:
        """Estimated tokens of the next request."""
        return self.context.total

    def open_calls(self) -> list[CallRecord]:
        """Calls of the latest reply that have no result yet, in call order."""
        if self.delivered == len(self.batch):
            return []
        return [record for record in self.batch if record.result is None]

    def record(self, call_id: str) -> CallRecord | None:
        """The call of that id, also when it is long closed."""
        for record in self.batch:
            if record.call.id == call_id:
                return record
        digits = call_id[1:]
        number = int(digits) if digits.isdecimal() and len(digits) < 10 else 0
        closed = self.calls[number - 1] if 0 < number <= len(self.calls) else None
        return closed if closed is not None and closed.call.id == call_id else None

    def every_call(self) -> list[CallRecord]:
        return [*self.calls, *self.batch]

    @property
    def most_repeats(self) -> int:
        """Repeats are counted up to here, or one more."""
        guard = self.limits.repeats
        return max(MOST_REPEATS_COUNTED, guard.stop or 0, guard.nudge or 0) if guard else MOST_REPEATS_COUNTED

    def times_seen(self, signature: str) -> int:
        """How often that call has come so far, whatever its results."""
        times, most = 0, self.most_repeats
        while times < most and (signature, None, times + 1) in self.seen:
            times += 1
        return times

    def effect_key(self, tool: str, canonical: str) -> str:
        """Idempotency key of a call: the same in every branch of a lineage."""
        return digest(self.header.lineage, tool, canonical)

    def copy(self) -> State:
        """A state that can go its own way; O(open calls), whatever the length of the run."""
        other = State.__new__(State)
        for name in State.__slots__:
            setattr(other, name, getattr(self, name))
        other.messages, other.calls, other.requests = self.messages.copy(), self.calls.copy(), self.requests.copy()
        other.sent = other.messages if self.sent is self.messages else self.sent.copy()
        other.results, other.effects, other.seen = self.results.copy(), self.effects.copy(), self.seen.copy()
        other.batch = [record.copy() for record in self.batch]
        context = self.context
        other.context = Context(context.system, context.user, context.model, context.results, context.notices)
        return other

    # ------------------------------------------------------------ folding

    def apply(self, event: Event) -> None:
        """Take one event in. Raises ValueError for an event that cannot follow (a result of an unknown call, say)."""
        self.n += 1
        HANDLERS[type(event)](self, event)


def fold(header: Header, events: Sequence[Event]) -> State:
    """The state after these events. Raises ValueError for events that are no run of that header."""
    state = State(header)
    for event in events:
        apply_read(state, event)
    return state


def apply_read(state: State, event: Event) -> None:
    """Apply an event that stood in a file. Raises ValueError for one that cannot follow, or makes no sense there."""
    try:
        state.apply(event)
    except ValueError:
        raise
    except Exception as error:  # a value of the wrong kind, in a file that was changed by hand
        raise ValueError(f"event {state.n} ({event.kind}) makes no sense there: {error!r}") from error


def _told_first(header: Header, spoken: WireProtocol) -> str:
    """The system prompt: what the scenario says, and how the model is to reply."""
    instructions = spoken.instructions(header.tools, header.options) if header.options.instructions else ""
    return "\n\n".join(part for part in (header.system, instructions) if part)


def _tokens_of_tools(header: Header, spoken: WireProtocol) -> int:
    """What every request carries of tools beside the system prompt, estimated."""
    offered = header.tools if spoken.native_tools else ()
    return sum(estimate(f"{tool.name} {tool.description} {tool.schema}") for tool in offered)
