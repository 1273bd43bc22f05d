"""The messages of a run as turns: what the model said, and all that it was told before it spoke again.

A wire makes its own messages of each turn. Turns that are over never change, so each is encoded once; the one at the
end is encoded anew when something came after it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from operator import is_
from typing import Any

from workbench.core.records import Message
from workbench.core.values import Call
from workbench.models.wire.body import clean, echo_text, sent_arguments

GO_ON = "Go on."
"""What a model is told where nothing was said to it since it spoke, as in a run that goes on after a cut: every
provider wants the last word to be ours."""

AT = "at"
"""The key of the address among what was kept of a reply."""

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class SentCall:
    """A call of the model as it goes back to it."""

    id: str
    """Unique in the transcript, whatever the provider gave."""
    name: str
    arguments: str
    """The strict JSON text of an object."""


@dataclass(frozen=True, slots=True)
class SentResult:
    """The result of a call."""

    call: SentCall
    text: str
    is_error: bool

    @property
    def marked(self) -> str:
        """The text for wires that have no mark for an error."""
        if not self.is_error or self.text[:5].lower() == "error":
            return self.text
        return f"Error: {self.text}"


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model said, and what it was told then."""

    said: str | None
    """None for the first turn, before the model has said anything."""
    calls: tuple[SentCall, ...]
    echo: Mapping[str, Any]
    """What the wire kept of that reply to send it back verbatim; empty when there is nothing, or it is another's."""
    results: tuple[SentResult, ...]
    told: str
    """The user's words and the runtime's; blank only beside results."""


Encode = Callable[[Turn], list[dict[str, Any]]]


class Transcript:
    """The messages of one run in the shape of a wire. `may_be_id`: which ids of providers can be sent as they are.

    `address` is where they go: what another server has kept for itself is not sent there.
    """

    def __init__(self, wire: str, encode: Encode, may_be_id: Callable[[str], bool], address: str = "") -> None:
        self._wire = wire
        self._address = address
        self._encode = encode
        self._may_be_id = may_be_id
        self._sources: list[Message] = []
        self._starts: list[int] = []
        self._pieces: list[list[dict[str, Any]]] = []
        self._calls: dict[str, SentCall] = {}
        self._ids: set[str] = set()

    def encoded(self, messages: Iterable[Message], *, native: bool) -> list[dict[str, Any]]:
        """All messages. `native` is whether calls and results go beside the texts."""
        items = list(messages)
        if len(items) < len(self._sources) or not all(map(is_, self._sources, items)):
            self._forget()
        elif len(items) > len(self._sources) and self._starts and items[len(self._sources)].role != "assistant":
            del self._sources[self._starts.pop() :]
            self._pieces.pop()
        begin = len(self._sources)
        for start, end in _turns(items, begin):
            self._starts.append(start)
            self._pieces.append(self._encode(self._turn(items[start:end], native)))
        self._sources = items
        return [message for piece in self._pieces for message in piece]

    def _forget(self) -> None:
        self._sources, self._starts, self._pieces = [], [], []
        self._calls, self._ids = {}, set()

    def _turn(self, items: Sequence[Message], native: bool) -> Turn:
        said: str | None = None
        calls: tuple[SentCall, ...] = ()
        echo: Mapping[str, Any] = {}
        results, told = [], []
        for item in items:
            text = clean(item.text)
            if item.role == "assistant":
                said = text
                if native:
                    calls = tuple(map(self._call, item.calls))
                echo = kept_for(item.opaque, self._wire, self._address)
            elif item.role == "tool" and native:
                results.append(SentResult(self._answered(item), text, item.is_error))
            elif text.strip():
                told.append(text)
        if not told and not results:
            told.append(GO_ON)
        return Turn(said, calls, echo, tuple(results), "\n".join(told))

    def _call(self, call: Call) -> SentCall:
        sent = self._calls.get(call.id)
        if sent is None:
            sent = SentCall(self._id(call), wire_name(call.tool), sent_arguments(call.arguments))
            self._calls[call.id] = sent
        return sent

    def _id(self, call: Call) -> str:
        """The provider's own where it can be sent and nobody has it yet; else one that even the strictest take."""
        first = int(call.id[1:]) if call.id[1:].isdigit() else 1
        chosen = call.provider_id
        if not self._may_be_id(chosen) or chosen in self._ids:
            chosen = next(name for name in map(_own_id, count(first)) if name not in self._ids)
        self._ids.add(chosen)
        return chosen

    def _answered(self, item: Message) -> SentCall:
        sent = self._calls.get(item.call_id)
        return sent if sent is not None else SentCall(item.call_id, wire_name(item.tool), "{}")


def wire_name(tool: str) -> str:
    """The tool's name in the letters that every provider takes."""
    return _NOT_IN_NAMES.sub("_", tool)[:_LONGEST_NAME] or "unknown"


def _own_id(number: int) -> str:
    return f"call{number:05d}"


def _turns(items: Sequence[Message], begin: int) -> Iterable[tuple[int, int]]:
    """Where each turn from `begin` on starts and ends."""
    starts = [begin, *(at for at in range(begin + 1, len(items)) if items[at].role == "assistant")]
    return zip(starts, [*starts[1:], len(items)], strict=True) if begin < len(items) else ()


def kept_for(opaque: str, wire: str, address: str) -> Mapping[str, Any]:
    """What was kept of a reply, where that wire and address may have it; else nothing. Its own address is optional."""
    if not opaque:
        return {}
    try:
        kept = json.loads(opaque)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(kept, dict) or kept.get("wire") != wire:
        return {}
    return kept if kept.get(AT, address) == address else {}


def kept_by(opaque: str, address: str) -> str:
    """What was kept of a reply, with the address that may have it back."""
    return echo_text({**json.loads(opaque), AT: address}) if opaque else ""
