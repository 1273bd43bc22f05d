"""What of a run its model is sent, and what a context policy changes about that. Pure.

Everything that was said stays in `state.messages`. `state.sent` is what the next request carries: the same, until a
`context_changed` event puts something shorter in the place of a stretch of it. Only whole steps are taken out, so each
call that is sent has its result and each result its call. What the user said is never taken out.

A policy changes nothing by itself: `change_due` says what is due before a request, and the event that the loop records
of it is what changes the state. To append a message is O(1); a change is O(what is sent).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, get_args

from workbench.core.events import ContextChanged, ModelFailed
from workbench.core.persistent import Log
from workbench.core.records import Context, Message, RequestMark
from workbench.core.tokens import estimate
from workbench.core.values import ContextPolicy, PolicyName

if TYPE_CHECKING:
    from workbench.core.state import State

OVERFLOW = "context_overflow"
RECALL_TOOL = "recall"
"""The tool that gives the whole of a folded result again."""
RECALLED_FROM = "this run"
"""What that tool names as its source; by it a tool of somebody's own that has the same name is told from it."""
LEAVES_OUT = ("window", "fold", "summarise")
"""Policies that make what is sent shorter."""
MEANT_FOR = {"keep": LEAVES_OUT, "at": LEAVES_OUT, "chars": ("fold",), "every": (*LEAVES_OUT, "restate")}
"""The policies that each key of one means something to."""
NO_POLICY = ContextPolicy()
"""That of a run for which nobody chose one."""
POLICY_KEYS: tuple[str, ...] = tuple(item.name for item in fields(ContextPolicy))

ASK_FOR_SUMMARY = (
    "What stands above is about to be taken out of this conversation, and only what you write now stays of it. "
    "Write a summary for yourself, in plain text: what was found, with every figure, name and path that may still "
    "be needed; what was tried and did not work; what is still to be done. Call no tool, and leave the task for later."
)

SUMMARY_HEADING = "Summary of what was said before, in your own words:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What a state knows of its own changes."""

    folded: int = 0
    """Number of the event up to which results have been folded, or are too short for it."""
    overflow: Literal["", "met", "changed"] = ""
    """Whether the provider found the latest request too long, and whether it has been made shorter since."""
    summaries: int = 0
    """How many summaries of a script have been used up."""
    restated: int = 0
    """The step after which the task was last restated."""
    said: str = ""
    """What the user said last."""


@dataclass(frozen=True, slots=True)
class Older:
    """The part of a run that a summary is to replace: so many of the messages that are sent, from the first on."""

    count: int
    cause: str = ""


# ---------------------------------------------------------------- what is due


def change_due(state: State, cause: str = "") -> ContextChanged | Older | None:
    """What the policy does before the next request; None where there is nothing for it to do.

    With a `cause` the request cannot be sent as it is: then less is kept than the policy says, if need be.
    """
    policy = state.policy
    if policy.policy not in LEAVES_OUT:
        return None
    if not cause and policy.at is not None and state.context_tokens <= policy.at:
        return None
    for keep in _kept(state, policy, must=bool(cause)):
        count = _older(state.sent, keep)
        change = _folded(state, count, cause) if policy.policy == "fold" else _left_out(state, count, cause)
        if change is not None:
            return change
    return None


def _kept(state: State, policy: ContextPolicy, *, must: bool) -> Iterator[int]:
    """How many steps may stay as they are, from what the policy says down to the least there is."""
    yield policy.keep
    if must:
        keep = min(policy.keep, state.total_steps)
        while keep > 1:
            keep //= 2
            yield keep
        if policy.policy == "fold":
            yield 0


def _older(sent: Log[Message], keep: int) -> int:
    """How many messages lie before the latest `keep` replies and what came of them."""
    if keep == 0:
        return len(sent)
    for at in range(len(sent) - 1, -1, -1):
        keep -= sent[at].role == "assistant"
        if not keep:
            return at
    return 0


def _left_out(state: State, count: int, cause: str) -> ContextChanged | Older | None:
    going = [message for message in islice(state.sent, count) if message.role != "user"]
    if not any(message.role == "assistant" for message in going):
        return None
    if state.policy.policy == "summarise":
        older = Older(count, cause)
        return older if _fits(state, summary_request(state, older)) else None
    text = f"{sum(message.stands_for or 1 for message in going)} earlier messages are left out here."
    return _measured(state, going, ContextChanged(policy="window", first=0, last=0, replacement=text, cause=cause))


def _fits(state: State, messages: Log[Message]) -> bool:
    size = tokens_of(state, messages)
    return all(cap is None or size <= cap for cap in (state.limits.context_tokens, state.model.context_window))


def summed_up(state: State, older: Older, summary: ContextChanged) -> ContextChanged:
    """The event of a summary that has come: `summary` has its text, and what it took."""
    going = [message for message in islice(state.sent, older.count) if message.role != "user"]
    return _measured(state, going, replace(summary, cause=older.cause))


def _folded(state: State, count: int, cause: str) -> ContextChanged | None:
    """Every result that is done with, and long enough to be worth it, by what stands in its place."""
    offered = recalls(state, RECALL_TOOL)
    going, folded = [], {}
    for at in range(count - 1, -1, -1):
        message = state.sent[at]
        if message.role == "assistant" and message.n <= state.carried.folded and not cause:
            break
        if message.role != "tool" or message.stands_for:
            continue
        record = state.record(message.call_id)
        if record is None or record.result is None:
            continue
        short = _short(record.result.content, state.policy.chars, message.call_id, offered=offered)
        if estimate(state.protocol.observation(message.tool, short, is_error=message.is_error)) < message.tokens:
            going.append(message)
            folded[message.call_id] = short
    if not going:
        return None
    going.reverse()
    folded = dict(reversed(folded.items()))
    return _measured(state, going, ContextChanged(policy="fold", first=0, last=0, folded=folded, cause=cause))


def recalls(state: State, name: str) -> bool:
    """Whether the tool of that name gives results of the run itself again."""
    tool = state.tool(RECALL_TOOL) if name == RECALL_TOOL else None
    return tool is not None and tool.source == RECALLED_FROM


def _short(content: str, chars: int, key: str, *, offered: bool) -> str:
    """The beginning of a result, how much was folded away, and the key that it is kept under."""
    head = content[:chars]
    if len(head) < len(content):
        cut = head.rfind("\n", chars // 2)
        head = head[:cut] if cut > 0 else head
    head = head.rstrip()
    again = f'; {RECALL_TOOL} {{"key": "{key}"}} gives all of it' if offered else ""
    return f"{head} […folded: {len(head):,} of {len(content):,} characters are left{again}]"


def _measured(state: State, going: list[Message], event: ContextChanged) -> ContextChanged:
    """The event with the stretch it is about and its size, in messages and in tokens."""
    event = replace(
        event,
        first=min(message.n for message in going),
        last=max(message.n for message in going),
        messages=sum(not message.stands_for for message in going),
        before=state.context_tokens,
    )
    after = _context(_replaced(state, event), state.context.system).total
    return replace(event, after=after)


# ---------------------------------------------------------------- what a change does


def context_changed(state: State, event: ContextChanged) -> None:
    """Take a change in. Raises ValueError for one that is about nothing that is sent."""
    carried = state.carried
    if event.policy == "summarise":
        _count_summary(state, event)
        summaries = event.line + 1 if event.line >= 0 else carried.summaries + 1
        carried = replace(carried, summaries=summaries)
    if event.policy == "fold":
        carried = replace(carried, folded=max(carried.folded, event.last))
    if carried.overflow == "met":
        carried = replace(carried, overflow="changed")
    state.sent, state.carried = _replaced(state, event), carried
    state.context = _context(state.sent, state.context.system)
    state.chars = _chars(state.sent, native=state.protocol.native_tools)


def _replaced(state: State, event: ContextChanged) -> Log[Message]:
    """What is sent, with the change made to it."""
    if event.policy == "fold":
        return Log(_with_folded(state, event.folded))
    kept: list[Message] = []
    place, count = -1, 0
    for message in state.sent:
        if message.role == "user" or not event.first <= message.n <= event.last:
            kept.append(message)
            continue
        place = len(kept) if place < 0 else place
        count += message.stands_for or 1
    if place < 0:
        raise ValueError(f"nothing from event {event.first} to {event.last} is sent that could be left out")
    heading = f"{SUMMARY_HEADING}\n" if event.policy == "summarise" else ""
    text = state.protocol.notice(f"{heading}{event.replacement}", is_error=False)
    kept.insert(place, Message("notice", text, event.first, estimate(text), stands_for=count))
    return Log(kept)


def _with_folded(state: State, folded: Mapping[str, str]) -> Iterator[Message]:
    left = set(folded)
    for message in state.sent:
        if message.role != "tool" or message.call_id not in left:
            yield message
            continue
        left.discard(message.call_id)
        text = state.protocol.observation(message.tool, folded[message.call_id], is_error=message.is_error)
        yield replace(message, text=text, tokens=estimate(text), stands_for=1)
    if left:
        raise ValueError(f"no result of {min(left)} is sent that could be folded")


def _context(sent: Log[Message], system: int) -> Context:
    """The tokens of what is sent, by what they are spent on."""
    context = Context(system)
    for message in sent:
        match message.role:
            case "user":
                context.user += message.tokens
            case "assistant":
                context.model += message.tokens
            case "tool":
                context.results += message.tokens
            case "notice":
                context.notices += message.tokens
    return context


# ---------------------------------------------------------------- summaries


def summary_request(state: State, older: Older) -> Log[Message]:
    """The messages of the request for a summary: the part it is to replace, and the question."""
    text = state.protocol.notice(ASK_FOR_SUMMARY, is_error=False)
    return Log([*islice(state.sent, older.count), Message("notice", text, state.n, estimate(text))])


def tokens_of(state: State, messages: Log[Message]) -> int:
    """Estimated tokens of a request with these messages. O(messages)."""
    return state.context.system + sum(message.tokens for message in messages)


def _count_summary(state: State, event: ContextChanged) -> None:
    """A summary is a request like any other, and no step."""
    state.model_calls += 1
    state.seconds += event.took
    state.total_seconds += event.took
    read = event.input_tokens if event.input_tokens is not None else event.input_estimate
    written = event.output_tokens if event.output_tokens is not None else event.output_estimate
    guessed = event.input_tokens is None or event.output_tokens is None
    state.estimated = state.estimated or guessed
    state.input_tokens += read
    state.output_tokens += written
    state.cache_read += event.cache_read or 0
    state.cache_write += event.cache_write or 0
    if state.cost is not None:
        state.cost = None if event.cost is None and not state.model.free else state.cost + (event.cost or 0.0)
    mark = summary_mark(state, summary_request(state, Older(_reached(state.sent, event.last))))
    state.requests.append(replace(mark, tokens=read, estimated=guessed, output=written))


def summary_mark(state: State, messages: Log[Message]) -> RequestMark:
    """A request for a summary among the requests, as far as it is known before it is answered."""
    chars, read = _chars(messages, native=state.protocol.native_tools), tokens_of(state, messages)
    return RequestMark(state.n, messages, chars, read, True, 0, state.total_steps + 1, purpose="summary")


def _reached(sent: Log[Message], last: int) -> int:
    """How many messages there are up to event `last`, and what the user said after it and before the next reply."""
    later = (at for at, message in enumerate(sent) if message.n > last and message.role == "assistant")
    return next(later, len(sent))


def summary_failed(state: State, event: ModelFailed) -> None:
    """A request for a summary that brought none."""
    older = change_due(state) or change_due(state, OVERFLOW)
    sent = summary_request(state, older) if isinstance(older, Older) else state.sent.copy()
    state.requests.append(summary_mark(state, sent))
    if event.line >= 0:
        state.carried = replace(state.carried, summaries=event.line + 1)


def _chars(messages: Log[Message], *, native: bool) -> int:
    return sum(message.chars(native=native) for message in messages) + max(0, len(messages) - 1)


def overflowed(state: State, event: ModelFailed) -> bool:
    """Whether a request that the provider found too long is made shorter and sent again: once, by the policy."""
    if event.failure != OVERFLOW or event.purpose != "step" or state.carried.overflow:
        return False
    if change_due(state, OVERFLOW) is None:
        return False
    state.carried = replace(state.carried, overflow="met")
    return True


def goes_on(state: State) -> None:
    """A run that had stopped, or was to, goes on: the request that is too long may be made shorter once more."""
    if state.stop is not None or state.stopped is not None:
        state.carried = replace(state.carried, overflow="")


# ---------------------------------------------------------------- settings


def policy_changed(policy: ContextPolicy, name: str, value: Any) -> ContextPolicy:
    """`policy` with its key `name` set to `value`; None is as if it were absent. ValueError says what is wrong."""
    if name not in POLICY_KEYS:
        raise ValueError(f"there is no context.{name}; there are {', '.join(POLICY_KEYS)}")
    if value is None:
        return replace(policy, **{name: getattr(NO_POLICY, name)})
    if name == "policy":
        if value not in get_args(PolicyName):
            raise ValueError(f"context.policy is {', '.join(get_args(PolicyName))}, not {value!r:.40}")
    elif isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"context.{name} must be a whole number above 0, not {value!r:.40}")
    return replace(policy, **{name: value})
