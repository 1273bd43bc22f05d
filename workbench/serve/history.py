"""What a client sends, in no vendor's words: the history of a conversation as items, and its digests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.core.canonical import canonical, digest, parse_object
from workbench.core.values import ToolInfo
from workbench.models.wire.body import clean


@dataclass(frozen=True, slots=True)
class Told:
    """What the model is told by the user, or by whoever speaks for it."""

    text: str


@dataclass(frozen=True, slots=True)
class SaidCall:
    """A call in a reply. `id` is "" on a wire that has none."""

    id: str
    tool: str
    arguments: str
    """Canonical JSON of an object."""


@dataclass(frozen=True, slots=True)
class Said:
    """A reply of the model as the client sends it back. Its thinking is not looked at: clients may leave it out."""

    text: str
    calls: tuple[SaidCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a call. On a wire without ids `call` is "", and the tool's name says what it answers."""

    call: str
    tool: str
    text: str
    is_error: bool = False


Item = Told | Said | Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request."""

    model: str
    """The name the client asked for; a reply has the same one."""
    items: tuple[Item, ...]
    system: str = ""
    tools: tuple[ToolInfo, ...] = ()
    stream: bool = False
    with_usage: bool = True
    """Whether a stream ends with the figures."""
    with_thinking: bool = False
    """Whether the client takes the model's thinking."""

    @property
    def spoken(self) -> int:
        """How many items there are up to the last reply of the model, that one included; 0 where there is none."""
        places = (at for at in range(len(self.items), 0, -1) if isinstance(self.items[at - 1], Said))
        return next(places, 0)


def said_call(call_id: str, tool: str, arguments: str) -> SaidCall:
    """A call with its arguments in the one spelling they have here; what is no object is an empty one."""
    return SaidCall(call_id, tool, canonical(parse_object(clean(arguments)).value or {}))


def said(text: str, calls: Iterable[SaidCall] = ()) -> Said:
    """A reply, without the blanks around its text, which do not survive every client."""
    return Said(clean(text).strip(), tuple(calls))


def chain(root: str, items: Sequence[Item]) -> list[str]:
    """The digest of the history before each item and, last, of the whole; the first is `root`.

    An empty reply leaves no trace: no provider takes it back, so no client sends it.
    """
    digests = [root]
    for item in items:
        digests.append(after(digests[-1], item))
    return digests


def after(before: str, item: Item) -> str:
    """The digest of a history that goes on with `item`."""
    match item:
        case Told():
            return digest(before, "told", item.text)
        case Result():
            return digest(before, "result", item.call, item.tool, item.text, str(item.is_error))
        case Said():
            return digest(before, turn(item)) if item.text or item.calls else before


def turn(item: Said) -> str:
    """The digest of one reply by itself."""
    return digest("said", item.text, *(part for call in item.calls for part in (call.id, call.tool, call.arguments)))
