"""What all readers make of a log: requests with their replies, put together to conversations. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Literal

from workbench.core.canonical import digest, parse_object, plain_json
from workbench.core.ports import Reply
from workbench.core.values import ToolInfo

NO_SCHEMA = '{"type":"object"}'
"""For a tool of which nothing is known but its name."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the user said."""

    text: str


@dataclass(frozen=True, slots=True)
class Instructed:
    """What the runtime said to the model in the midst of the conversation."""

    text: str
    topic: Literal["correction", "restated"] = "restated"


@dataclass(frozen=True, slots=True)
class Said:
    """A reply of the model."""

    reply: Reply
    took: float = 0.0
    """Seconds."""
    submitted: str | None = None
    """The answer that the log says was submitted by this reply."""


@dataclass(frozen=True, slots=True)
class Returned:
    """The result of a call."""

    call: str
    """The provider's id of the call; "" where the shape has none: then it is the next one of that tool."""
    tool: str
    text: str
    is_error: bool = False
    took: float = 0.0


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that is no part of the run: what it is, as a sentence, and the piece as JSON text or as it was."""

    text: str
    raw: str = ""


Item = Told | Instructed | Said | Returned | Kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request as it was logged, and what was replied. A bare list of messages is one without a reply."""

    shape: str
    """What it was recognised as, for people: "OpenAI chat messages"."""
    system: str = ""
    tools: tuple[ToolInfo, ...] = ()
    model: str = ""
    items: tuple[Item, ...] = ()
    replies: tuple[Item, ...] = ()
    rest: Mapping[str, Any] | None = None
    """Fields of the request that no session has a place for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What becomes one session."""

    shape: str
    system: str
    tools: tuple[ToolInfo, ...]
    model: str
    items: tuple[Item, ...]
    requests: int = 1
    rest: Mapping[str, Any] | None = None

    @property
    def messages(self) -> int:
        """How many messages there are, replies and results included."""
        return sum(not isinstance(item, Kept) for item in self.items)


class NotUnderstood(Exception):
    """A file that is no log, or none that can be read here; the message is a sentence for people."""


def kept(text: str, value: Any) -> Kept:
    """A piece of JSON that is kept as it was."""
    return Kept(text, value if isinstance(value, str) else raw_json(value))


def items_of(value: Any) -> list[Any]:
    """The value if it is a list; of anything else there are no items."""
    return value if isinstance(value, list) else []


def raw_json(value: Any) -> str:
    """A value of a log as JSON text."""
    return json.dumps(value, ensure_ascii=False)


def strange_fields(where: str, value: Mapping[str, Any], known: frozenset[str]) -> list[Kept]:
    """The fields of an object that are not read and say something, as one piece."""
    rest = {name: item for name, item in value.items() if name not in known and item not in (None, "", [], {}, False)}
    return [kept(f"{where}: {', '.join(rest)} {'is' if len(rest) == 1 else 'are'} not read", rest)] if rest else []


def strange_role(where: str, role: Any, message: Any, known: Iterable[str]) -> Kept:
    """A message of a role that its shape does not have."""
    near = get_close_matches(role, known, n=1) if isinstance(role, str) else ()
    hint = f'; did you mean "{near[0]}"?' if near else f"; there is {', '.join(known)}"
    return kept(f"{where} has the role {role!r}, which is not read{hint}", message)


# ---------------------------------------------------------------- joining


def joined(exchanges: Iterable[Exchange]) -> list[Conversation]:
    """The conversations of a log: a request that holds all of an earlier one, and more, goes on with it.

    What belongs to no message stands in the last one; where there is no message at all, in one of its own.
    """
    found: list[Conversation] = []
    at_end: dict[str, int] = {}
    """The signature of all that was said so far, and which conversation stands there."""
    strays: list[Item] = []
    """What belongs to no message of any conversation."""
    for exchange in exchanges:
        said = [item for item in exchange.items if not isinstance(item, Kept)]
        if not said and not exchange.replies:
            strays += exchange.items
            continue
        chain = _chain(exchange.system, said)
        place, length = next(
            ((at_end[sign], count) for count, sign in reversed([*enumerate(chain)]) if sign in at_end), (-1, 0)
        )
        if place < 0 or (length == 0 and said):
            place = len(found)
            found.append(_begun(exchange))
            fresh: Sequence[Item] = exchange.items
        else:
            at_end.pop(chain[length], None)
            fresh = _after(exchange.items, length)
            earlier = found[place]
            found[place] = replace(earlier, tools=_tools(earlier.tools, exchange.tools), requests=earlier.requests + 1)
        whole = (*found[place].items, *fresh, *exchange.replies)
        found[place] = replace(found[place], items=whole)
        at_end[_chain(exchange.system, [item for item in whole if not isinstance(item, Kept)])[-1]] = place
    if strays and not found:
        found.append(Conversation(shape="", system="", tools=(), model="", items=()))
    if strays:
        found[-1] = replace(found[-1], items=(*found[-1].items, *strays))
    return [replace(each, tools=each.tools or _called(each.items)) for each in found]


def _begun(exchange: Exchange) -> Conversation:
    return Conversation(
        shape=exchange.shape,
        system=exchange.system,
        tools=exchange.tools,
        model=exchange.model,
        items=(),
        rest=exchange.rest,
    )


def _after(items: Sequence[Item], count: int) -> Sequence[Item]:
    """What comes after so many messages."""
    for at, item in enumerate(items):
        if count == 0:
            return items[at:]
        count -= not isinstance(item, Kept)
    return ()


def _tools(earlier: tuple[ToolInfo, ...], later: tuple[ToolInfo, ...]) -> tuple[ToolInfo, ...]:
    names = {tool.name for tool in earlier}
    return (*earlier, *(tool for tool in later if tool.name not in names))


def _called(items: Sequence[Item]) -> tuple[ToolInfo, ...]:
    """The tools that were called, where nothing says which there were."""
    names = dict.fromkeys(call.tool for item in items if isinstance(item, Said) for call in item.reply.calls)
    return tuple(ToolInfo(name=name, schema=NO_SCHEMA) for name in names if name)


def _chain(system: str, items: Sequence[Item]) -> list[str]:
    """For each number of messages, from 0: what the first so many are, as one signature."""
    chain = [digest("system", system.strip())]
    for item in items:
        chain.append(digest(chain[-1], *_sign(item)))
    return chain


def _sign(item: Item) -> tuple[str, ...]:
    """What makes two messages the same, whether they came as a reply or in a later request."""
    match item:
        case Said(reply=reply):
            calls = [(call.tool, _plain(call.arguments)) for call in reply.calls]
            return ("said", reply.text.strip(), *(part for call in calls for part in call))
        case Returned(text=text):
            return ("returned", text.strip())
        case Told(text=text) | Instructed(text=text):
            return ("told", text.strip())
        case Kept():
            return ("kept",)


def _plain(arguments: str) -> str:
    value = parse_object(arguments).value
    return arguments if value is None else plain_json(dict(sorted(value.items())))
