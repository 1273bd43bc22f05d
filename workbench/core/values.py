"""The nouns of a run that are not events: tools as the run knows them, calls, rules, limits, the header."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from workbench.core.patterns import PatternError, compiled
from workbench.core.swift import swift

ProtocolName = Literal["text", "json", "native"]
Risk = Literal["read", "write", "outward", "undeclared"]
Decision = Literal["allow", "deny", "edit", "answer"]
GateDefault = Literal["ask", "allow", "deny"]
FaultTarget = Literal["reply", "result", "tool", "provider"]
FaultKind = Literal[
    "crash", "error", "timeout", "delay", "drop", "empty", "stale", "replace", "append", "inject", "truncate", "garble",
    "duplicate", "reorder", "flood", "wrong_number", "wrong_unit", "wrong_record", "malformed_json", "cut_json",
    "unknown_tool", "invented_observation", "both", "prose", "refusal", "blocked", "length", "unavailable",
    "rate_limited", "auth", "quota", "bad_request", "context_overflow", "malformed_body", "cut_stream",
]  # fmt: skip

GATED_RISKS: frozenset[str] = frozenset({"write", "outward", "undeclared"})


CLIENT = "client"
"""The source of tools that run in the loop of a client, which is served here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolInfo:
    """What a run knows of a tool: enough to show, gate and fold it, without its code."""

    name: str
    description: str = ""
    schema: str = '{"type":"object","properties":{},"additionalProperties":false}'
    """JSON Schema of the arguments, as JSON text."""
    risk: Risk = "undeclared"
    source: str = ""
    """Where its results come from, in a word: "ledger", "workspace"."""
    trust: Literal["trusted", "untrusted"] = "trusted"
    polling: bool = False
    idempotent: bool = False
    dedupe: bool = True
    timeout: float | None = 30.0
    """Seconds; None is no limit."""
    max_chars: int = 8000
    max_lines: int = 400
    consequence: str = ""
    """What a call touches and whether it can be taken back, as a sentence for the person who is asked."""

    @property
    def gated(self) -> bool:
        return self.risk in GATED_RISKS

    @property
    def deduplicates(self) -> bool:
        """Whether a second call with the same arguments returns the stored result instead of acting again."""
        return self.dedupe and not self.idempotent and self.risk in ("write", "outward")


@swift
@dataclass(frozen=True, slots=True)
class RawCall:
    """A tool call as it stands in a reply, before anything was checked."""

    tool: str
    arguments: str
    """The raw text the model wrote."""
    provider_id: str = ""
    problem: str = ""
    """Why the arguments are no JSON object; empty when they are one."""


@swift
@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call of a reply, with what was found out about it before the reply was recorded."""

    id: str
    """"c1", "c2", … unique in the session."""
    tool: str
    arguments: str
    canonical: str = ""
    """The valid arguments as JSON with sorted keys; empty while there is a problem."""
    problem: str = ""
    """Model-facing: what is wrong with the call, and what is valid."""
    problem_kind: Literal["", "malformed", "unknown_tool", "invalid", "not_run"] = ""
    note: str = ""
    """What was put right silently (for people), e.g. arguments that were encoded twice."""
    provider_id: str = ""


ReadingKind = Literal["answer", "calls", "malformed"]


@swift
@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a protocol found in a reply."""

    kind: ReadingKind
    answer: str = ""
    calls: tuple[RawCall, ...] = ()
    problem: str = ""
    """For `malformed`: the correction the model is to read."""
    dropped: str = ""
    """What a protocol option left out, as a sentence the model is to read; empty when nothing was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolOptions:
    """The silent decisions of a protocol, as switches. See the scenario format for each."""

    both: Literal["first", "answer", "action", "refuse"] = "first"
    several: Literal["first", "all", "refuse"] = "first"
    multiline: bool = True
    names: Literal["any", "word"] = "any"
    finish: Literal["text", "tool"] = "text"
    parallel: bool = True
    execute: Literal["sequential", "concurrent"] = "sequential"
    instructions: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatLimit:
    """When the same call counts as circling: told to the model at `nudge`, stopped at `stop`."""

    nudge: int | None = 3
    stop: int | None = 5
    match: Literal["call", "call+result"] = "call+result"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Every cap of a run; None is off. Tokens are tokens, cost is USD, seconds are seconds of work."""

    steps: int | None = None
    model_calls: int | None = None
    tool_calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    context_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    failures: int | None = None
    protocol_errors: int | None = None
    denials: int | None = None
    repeats: RepeatLimit | None = None


LIMIT_NAMES: tuple[str, ...] = tuple(item.name for item in fields(Limits))


PolicyName = Literal["none", "window", "fold", "summarise", "restate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPolicy:
    """What is done so that a long run fits into a request. A step is a reply with all that came of it."""

    policy: PolicyName = "none"
    keep: int = 4
    """Steps: so many of the latest are sent as they are. With window, fold and summarise."""
    at: int | None = None
    """Tokens, estimated, of the next request: above that older steps are changed; None is as soon as there are any."""
    chars: int = 200
    """Characters of a result that are left where it is folded."""
    every: int | None = None
    """Steps after which the task is restated, with any policy but none; None is never, and with restate each step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """What one argument must be: equal to a plain value, or like a glob or regular expression."""

    kind: Literal["equal", "glob", "regex"]
    value: Any

    def __post_init__(self) -> None:
        """Raises PatternError, a ValueError, for a regular expression that may not be used."""
        if self.kind == "regex":
            if not isinstance(self.value, str):
                raise PatternError(f"is no regular expression: {self.value!r:.60} is no text")
            compiled(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A standing decision about calls. `tool` is an exact tool name, never a pattern."""

    tool: str
    where: tuple[tuple[str, Pattern], ...] = ()
    decide: GateDefault = "ask"
    by: Literal["rule", "person"] = "rule"
    """`person` marks a grant made during the run; it can be withdrawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Burst:
    """A row of occurrences: the first, counted from 1, and how many."""

    start: int
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that goes wrong: where, what, and when. At most one schedule; without one it strikes every time.

    `faults.fault_from` makes one of plain values and says what cannot be. What each kind does: `faults.KINDS`.
    """

    on: FaultTarget
    do: FaultKind
    name: str = ""
    """Its name in the catalogue; "" when it was spelled out."""
    tool: str = ""
    """Only calls of this tool; "" is any."""
    where: tuple[tuple[str, Pattern], ...] = ()
    """Only calls with such arguments."""
    text: str | None = None
    value: Any = None
    seconds: float | None = None
    size: int | None = None
    """Characters."""
    nth: int | None = None
    step: int | None = None
    every: int | None = None
    after: int | None = None
    burst: Burst | None = None
    chance: float | None = None
    times: int | None = None
    """How often at most; None is without end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """USD per million tokens."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None
    upto: int | None = None
    """Tokens read by one request up to which they hold; above that nobody knows. None is no end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """What a run knows of the model it asks: enough to fold costs and caps, and to find the model again."""

    use: str = "scripted"
    """As `model.use` of a scenario: scripted, human, …, a wire, or a name of models.toml."""
    name: str = ""
    """The model's name at the provider; "" where `use` says it all."""
    base_url: str = ""
    """Where the requests go; "" is where `use` has them go."""
    shown: str = "scripted"
    """What people call it."""
    free: bool = True
    """Whether it costs nothing: cost is then 0, not unknown."""
    prices: Prices | None = None
    context_window: int | None = None
    table: Mapping[str, Any] = field(default_factory=dict)
    """The `[model]` of another scenario, whose script it says from the first line on; empty for one that needs none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalCheck:
    """A predicate on the world that beats the model's own sense of being done."""

    result_of: str = ""
    answer_matches: str = ""
    file: str = ""
    contains: str | None = None
    matches: str | None = None

    def __post_init__(self) -> None:
        """Raises PatternError, a ValueError, for a regular expression that may not be used."""
        for pattern in (self.answer_matches, self.matches):
            if pattern:
                compiled(pattern)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first part of a session: all that a fold needs besides the events."""

    id: str
    goal: str
    title: str = ""
    created: str = ""
    """UTC, ISO 8601."""
    workbench: str = ""
    system: str = ""
    protocol: ProtocolName = "native"
    options: ProtocolOptions = field(default_factory=ProtocolOptions)
    limits: Limits = field(default_factory=Limits)
    tools: tuple[ToolInfo, ...] = ()
    seed: int = 0
    approval: GateDefault = "ask"
    rules: tuple[Rule, ...] = ()
    split: bool = False
    """Authority split: after untrusted text has been read, outward tools are locked."""
    goal_check: GoalCheck | None = None
    context: ContextPolicy | None = None
    """None where nobody chose one: everything is sent."""
    faults: tuple[Fault, ...] = ()
    """Armed from the beginning, in the order in which they strike."""
    prices: Prices | None = None
    free: bool = True
    """True when the model costs nothing (scripted, human): cost is then 0, not unknown."""
    model: str = "scripted"
    context_window: int | None = None
    root: str = ""
    """The id of the run at the root of the lineage; effect keys are made from it."""
    parent: str = ""
    parent_at: int = 0
    scenario: Mapping[str, Any] = field(default_factory=dict)
    """The scenario as it was read: plain TOML values."""
    scenario_path: str = ""
    """Where the scenario was read from, for messages; "" when unknown."""

    @property
    def lineage(self) -> str:
        return self.root or self.id

    @property
    def asks(self) -> ModelInfo:
        """The model that the run asks from the beginning."""
        table = self.scenario.get("model", {})
        return ModelInfo(
            use=table.get("use", self.model),
            name=table.get("name", ""),
            base_url=table.get("base_url", ""),
            shown=self.model,
            free=self.free,
            prices=self.prices,
            context_window=self.context_window,
        )

    def tool(self, name: str) -> ToolInfo | None:
        return next((tool for tool in self.tools if tool.name == name), None)
