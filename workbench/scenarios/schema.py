"""The scenario file as a schema. What can be said of one value is said here; what joins several is in `checks`.

The string under a field describes it, also in the JSON schema for editors.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from workbench.core.values import FaultKind, FaultTarget
from workbench.scenarios.exchanges import ExchangeTable, Match, RecordedToolTable
from workbench.scenarios.fields import (
    CaptureName,
    Count,
    Figure,
    JsonTable,
    JsonValue,
    Many,
    Name,
    Outcome,
    Positive,
    Price,
    Regex,
    Seconds,
    Table,
    Url,
    Where,
)
from workbench.scenarios.noise import NoiseTable
from workbench.scenarios.policy import ContextTable
from workbench.scenarios.steps import RouteTable, StepTable

Gate = Literal["ask", "allow", "deny"]
Fail = Literal[
    "rate_limited", "timeout", "unavailable", "auth", "bad_request", "context_overflow", "malformed_body", "cut_stream"
]  # fmt: skip


class ProtocolOptionsTable(Table):
    """The silent decisions of a protocol, as switches."""

    both: Literal["first", "answer", "action", "refuse"] = "first"
    """Answer and action in one reply: which counts."""
    several: Literal["first", "all", "refuse"] = "first"
    """Several actions in one text or json reply; what is dropped is said."""
    multiline: bool = True
    """JSON over several lines is read."""
    names: Literal["any", "word"] = "any"
    """Tool names: any, or letters, digits and _ only."""
    finish: Literal["text", "tool"] = "text"
    """How a run ends: a text answer, or the tool submit_answer only."""
    parallel: bool = True
    """Native: several calls a turn; else one, and the others get a result that says so."""
    execute: Literal["sequential", "concurrent"] = "sequential"
    """How the calls of one reply run."""
    instructions: bool = True
    """Text and json: tell the model the protocol, in a system prompt of ours."""


class RepeatsTable(Table):
    """When the same call counts as circling."""

    nudge: Count = 3
    """At this occurrence the model is told."""
    stop: Count = 5
    """At this occurrence the run stops."""
    match: Literal["call", "call+result"] = "call+result"
    """What must be the same; tools marked polling are exempt."""


class LimitsTable(Table):
    """Every cap of a run. An absent one is off."""

    steps: Count | None = None
    """Replies of the model, and calls that a plan makes."""
    model_calls: Count | None = None
    """Requests to the model; retries inside a call are not counted."""
    tool_calls: Count | None = None
    """Tool calls that start."""
    input_tokens: Count | None = None
    """Tokens read, summed over all requests."""
    output_tokens: Count | None = None
    """Tokens written, summed over all replies."""
    total_tokens: Count | None = None
    """Tokens read and written, summed."""
    context_tokens: Count | None = None
    """Tokens of one request."""
    cost: Positive | None = None
    """USD."""
    seconds: Positive | None = None
    """Seconds of work; waiting for a person is not counted."""
    failures: Count | None = None
    """Failed tool calls in a row."""
    protocol_errors: Count | None = None
    """Replies in a row that could not be read."""
    denials: Count | None = None
    """Denied tool calls in a row."""
    repeats: RepeatsTable | None = None
    """The same call again and again."""


class UsageTable(Table):
    """Tokens of one reply, as a provider would count them."""

    input: Figure | None = None
    output: Figure | None = None
    cache_read: Figure | None = None
    cache_write: Figure | None = None


class PricesTable(Table):
    """USD per million tokens."""

    input: Price
    output: Price
    cache_read: Price | None = None
    cache_write: Price | None = None
    upto: Count | None = None
    """Tokens of one request up to which these prices hold; what a longer one costs is unknown."""


class CallTable(Table):
    """A native tool call in a scripted reply."""

    tool: Name
    """The tool's name; one that does not exist is allowed."""
    arguments: JsonTable | str = Field(default_factory=dict)
    """A table; or text, which is sent as it is, even malformed."""


class ReplyTable(Table):
    """One line of the script: a reply, or a failure."""

    text: str | None = None
    """What the model says; one newline at each end is dropped. Templates: ${last}, ${result1}, ${total}, ${name}."""
    call: Many[CallTable] = ()
    """Native tool calls."""
    repeat: Count | Literal["forever"] = 1
    """How many times in a row this line is served."""
    when: Regex | None = None
    """Regular expression for the latest observation; without a match this line is skipped."""
    capture: dict[CaptureName, Regex] = Field(default_factory=dict)
    """Name to regular expression, read from the observation before this reply: group 1, or the whole match."""
    thinking: str = ""
    """Reasoning that comes with the reply."""
    delay: Seconds = 0.0
    """Seconds before the reply is there."""
    usage: UsageTable | None = None
    """Tokens as the provider would report them."""
    finish: Name | None = None
    """Finish reason: stop, tool_calls, length, blocked, refused, or any other word."""
    fail: Fail | None = None
    """This request fails instead."""
    retry_after: Seconds | None = None
    """With fail: seconds before the next attempt."""


class SummaryTable(Table):
    """What the model says when the policy `summarise` asks it for a summary."""

    text: str = ""
    """The summary; one newline at each end is dropped. Templates as in a reply."""
    delay: Seconds = 0.0
    """Seconds before it is there."""
    usage: UsageTable | None = None
    """Tokens as the provider would report them."""
    finish: Name | None = None
    """Finish reason, as of a reply."""
    fail: Fail | None = None
    """This request fails instead."""


class ModelTable(Table):
    """Who replies."""

    use: Name = "scripted"
    """scripted, simulated, human, recorded, openai, anthropic, ollama, or a name from models.toml."""
    name: Name | None = None
    """Live: the model's name at the provider."""
    base_url: Url | None = None
    """Live: where the requests go."""
    api_version: Name | None = None
    max_tokens: Count | None = None
    """Live: longest reply, in tokens."""
    context_window: Count | None = None
    """Tokens that one request may have."""
    tool_choice: Name | None = None
    """Live: auto, required, none, or the name of a tool."""
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    """Live: sent only if set."""
    timeout: Positive | None = None
    """Live: seconds for a whole request."""
    idle_timeout: Positive | None = None
    """Live: seconds between two pieces of a stream."""
    retries: Figure | None = None
    """Attempts after the first, inside one model call."""
    prices: PricesTable | None = None
    reply: Many[ReplyTable] = ()
    """The script."""
    summary: Many[SummaryTable] = ()
    """Scripted and simulated: the summaries, in the order in which they are asked for."""
    noise: NoiseTable | None = None
    """Simulated: how often it slips."""
    match: Match = "request"
    """Recorded: what of a request must be as it was: request, only its messages, or nothing."""
    prompt: str | None = None
    """Recorded: the system prompt as it was sent."""
    tool: Many[RecordedToolTable] = ()
    """Recorded: the tools as they were."""
    exchange: Many[ExchangeTable] = ()
    """Recorded: the requests, each with what came of it."""


class BurstTable(Table):
    """A row of occurrences."""

    start: Count
    """The first, from 1."""
    length: Count
    """How many."""


class FaultTable(Table):
    """What goes wrong, where, when: `use`, or `on` and `do`; one schedule."""

    use: Name | None = None
    """A name of the fault catalogue."""
    on: FaultTarget | None = None
    """Where it happens: tool is a call that does not run, result what a tool that has run gave back."""
    do: FaultKind | None = None
    """What happens."""
    tool: Name | None = None
    """Only calls of this tool."""
    where: Where = Field(default_factory=dict)
    """Only calls with such arguments."""
    text: str | None = None
    """What is put in place, appended or injected, or what the error says."""
    value: JsonValue | None = None
    """What is put in place; with do = "wrong_number" the factor."""
    seconds: Seconds | None = None
    """How long a delay or a time-out takes, or the wait before the provider is tried again."""
    size: Count | None = None
    """Characters that a cut leaves, or a flood makes."""
    nth: Count | None = None
    """Schedule: the nth occurrence only."""
    step: Count | None = None
    """Schedule: in this step only."""
    every: Count | None = None
    """Schedule: every so many occurrences."""
    after: Count | None = None
    """Schedule: each occurrence after so many."""
    burst: BurstTable | None = None
    """Schedule: a row of occurrences."""
    chance: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] | None = None
    """Schedule: by chance, from the seed."""
    times: Count | None = None
    """How often at most."""


class WorkspaceTable(Table):
    """What the file tools see: `files`, or `root`."""

    files: dict[str, str] = Field(default_factory=dict)
    """Path to content: a private folder of the run is seeded with these."""
    root: Name | None = None
    """A real folder; the person is asked once."""


class AuthorityTable(Table):
    """What a run that has read untrusted text may still do."""

    split: bool = False
    """After untrusted text, outward tools lock."""


class RuleTable(Table):
    """A standing decision about calls of one tool."""

    tool: Name
    where: Where = Field(default_factory=dict)
    """Argument to plain value, { glob = "…" } or { regex = "…" }."""
    decide: Gate


class ApprovalTable(Table):
    """Who decides about calls that change or send something."""

    default: Gate = "ask"
    """For gated calls without a rule."""
    rule: Many[RuleTable] = ()
    """deny beats ask beats allow."""


class PersonEntry(Table):
    """One thing that a person does, for runs with nobody there. Entries are used in order."""

    on: Literal["approval", "hold", "stop", "step", "interrupted", "reply"]
    """What is answered."""
    do: Literal[
        "allow", "deny", "edit", "answer", "pass", "replace", "error", "drop", "delay", "revert", "cancel", "message",
        "set",
    ]  # fmt: skip
    tool: Name | None = None
    """Only for a call of this tool."""
    nth: Count | None = None
    """Only for the nth call (of that tool); with on = "step", the number of the step."""
    arguments: JsonTable | None = None
    """With do = "edit": the complete arguments, never merged."""
    text: str | None = None
    """The reason, the answer, the message, the result or the reply."""
    seconds: Seconds | None = None
    """With do = "delay": how much longer what is held took."""
    set: JsonTable | None = None
    """With do = "set": dotted key to value, e.g. "limits.steps" = 9; false lifts a cap."""


class GoalCheckTable(Table):
    """A predicate that beats the model's own sense of done."""

    result_of: Name | None = None
    """A result of this tool, with contains or matches."""
    answer_matches: Regex | None = None
    """The answer."""
    file: Name | None = None
    """A file of the workspace, with contains or matches."""
    contains: str | None = None
    matches: Regex | None = None


class RangeTable(Table):
    """Bounds, both included."""

    min: Figure | None = None
    max: Figure | None = None


class ExpectTable(Table):
    """What a run of this scenario must come to."""

    status: Outcome | None = None
    """How the run ends."""
    stopped_by: Name | None = None
    """The knob that ended the run, e.g. limits.steps."""
    answer: str | None = None
    answer_matches: Regex | None = None
    steps: Figure | RangeTable | None = None
    model_calls: Figure | RangeTable | None = None
    tool_calls: Figure | RangeTable | None = None
    calls: Many[str] | None = None
    """Names of the tools called, in order."""
    calls_match: Literal["exact", "in_order", "any_order"] = "exact"
    """in_order and any_order allow further calls."""
    chars_seen: Many[Figure] | None = None
    """Characters of the transcript in each request, instructions apart."""
    observations: Many[str] | None = None
    """Texts that observations contain, in this order; further observations are allowed."""
    transcript: str | None = None
    """The whole transcript; one newline at each end is dropped."""
    files: dict[str, str] | None = None
    """Path to content, as the run leaves them."""


class Scenario(Table):
    """A scenario file."""

    goal: Annotated[str, Field(pattern=r"\S")]
    """The task: the first message."""
    title: str = ""
    about: str = ""
    """One line on what there is to see."""
    system: str = ""
    """System prompt."""
    protocol: Literal["text", "json", "native"] = "text"
    """How the model asks for tools."""
    tools: Many[Name] = ()
    """Names of tools."""
    tags: Many[Name] = ()
    """The first one is the group it stands in."""
    lesson: Count | None = None
    """Its place in a course: lists are sorted by it, and groups by that of their first lesson."""
    seed: int = 0
    """For chances, ids and the virtual clock of scripted runs."""
    loop: Name = "engine"
    """engine; pipeline, with steps; router, with routes; or the name of a wrong loop."""
    protocol_options: ProtocolOptionsTable = ProtocolOptionsTable()
    limits: LimitsTable = LimitsTable()
    step: Many[StepTable] = ()
    """With loop = "pipeline": what the code does, in this order. A model is asked where a step says so."""
    route: Many[RouteTable] = ()
    """With loop = "router": rows of steps, of which the model chooses one."""
    model: ModelTable = ModelTable()
    fault: Many[FaultTable] = ()
    workspace: WorkspaceTable = WorkspaceTable()
    context: ContextTable = ContextTable()
    authority: AuthorityTable = AuthorityTable()
    approval: ApprovalTable = ApprovalTable()
    person: Many[PersonEntry] = ()
    goal_check: GoalCheckTable | None = None
    expect: ExpectTable | None = None
