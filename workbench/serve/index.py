"""Where a history belongs, known by its digests. Nothing is written here.

A client sends everything that was said, every time, and nothing that says whose it is. So each conversation is listed
under the digest of all that is in it, and each reply under that of the history it was given to.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from workbench.core.canonical import digest
from workbench.core.events import ModelFailed, ModelReply
from workbench.models.wire.classify import RETRIED
from workbench.serve.answer import spoken
from workbench.serve.history import Asked, Item, Said, after, chain, turn
from workbench.serve.journals import ServedJournal
from workbench.serve.served import ServedRun


class Conversation:
    """One conversation: its run, its file, and how far it is known."""

    def __init__(self, run: ServedRun, journal: ServedJournal, root: str, end: str) -> None:
        self.run = run
        self.journal = journal
        self.root = root
        """The digest of no history at all."""
        self.end = end
        """The digest of all that is in it."""
        self.given_up = False
        """Whether the latest request failed in a way that no client asks again after."""
        self._answering: object = None
        self._free = asyncio.Event()
        self._free.set()

    @property
    def name(self) -> str:
        """What people call it: its file."""
        return self.journal.path.stem

    @property
    def is_free(self) -> bool:
        """Whether no request of it is being answered."""
        return self._free.is_set()

    async def freed(self) -> None:
        """Wait until it is free."""
        await self._free.wait()

    def hold(self, request: object) -> None:
        """It is answering that request."""
        self._answering = request
        self._free.clear()

    def release(self, request: object) -> None:
        """That request is over. Says nothing of a later one."""
        if self._answering is request:
            self._free.set()


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere in a conversation: after its first `n` events."""

    conversation: Conversation
    n: int

    @property
    def reply(self) -> ModelReply:
        """The reply that is the last of those."""
        event = self.conversation.run.events[self.n - 1]
        assert isinstance(event, ModelReply)
        return event


@dataclass(frozen=True, slots=True)
class GoesOn:
    """The history of a conversation, and what has come since."""

    conversation: Conversation
    rest: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Repeats:
    """A request that was answered."""

    place: Place
    """Where the reply is."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The history of a conversation up to some reply, and then another one."""

    place: Place
    rest: tuple[Item, ...]
    end: str
    """The digest of the history they share."""


class Index:
    """The conversations that are remembered."""

    def __init__(self) -> None:
        self._ends: dict[str, list[Conversation]] = {}
        self._spoken: dict[str, Place] = {}
        """The history up to a reply, with it, to how far the run was then."""
        self._asked: dict[str, Place] = {}
        """The history of a request, to where its reply is."""
        self._turns: dict[str, Place] = {}
        """A reply by itself, to where it is."""
        self._keys: dict[Conversation, list[tuple[dict[str, Place], str]]] = {}

    # ------------------------------------------------------------ looking

    def match(
        self, root: str, asked: Asked, *, named: bool, meant: Conversation | None = None
    ) -> GoesOn | Repeats | Parts | None:
        """Where that history belongs; None where it is a beginning, or nothing is known of it.

        A first request has nothing in it that tells two clients apart. Unless the client has `named` its conversation,
        it begins a new one; only where the same one has brought no reply so far it is asked once more. Of several that
        cannot be told apart it is the one that is `meant`, else the latest.
        """
        items, spoken_items = asked.items, asked.spoken
        digests = chain(root, items)
        certain = named or spoken_items > 0
        for at in range(len(items), max(spoken_items, 1) - 1, -1):
            there = self._ends.get(digests[at], [])
            for conversation in [meant] if meant in there else reversed(there):
                if certain or (conversation.is_free and not conversation.given_up):
                    return GoesOn(conversation, items[at:])
        if not certain:
            return None
        if (place := self._asked.get(digests[-1])) is not None:
            return Repeats(place)
        for at in range(spoken_items, 0, -1):
            if isinstance(items[at - 1], Said) and (place := self._spoken.get(digests[at])) is not None:
                return Parts(place, items[at:], digests[at])
        return None

    def given(self, root: str, asked: Asked) -> dict[int, Place]:
        """The replies in that history that were given here, by their place among the items."""
        return {
            at: place
            for at, item in enumerate(asked.items)
            if isinstance(item, Said) and (place := self._turns.get(digest(root, turn(item)))) is not None
        }

    # ------------------------------------------------------------ growing

    def add(self, conversation: Conversation) -> None:
        """Remember a conversation."""
        self._keys[conversation] = []
        self._ends.setdefault(conversation.end, []).append(conversation)

    def grow(self, conversation: Conversation, items: tuple[Item, ...]) -> None:
        """Take in what the client has sent."""
        self._move(conversation, chain(conversation.end, items)[-1])

    def answer(self, conversation: Conversation, event: ModelReply | ModelFailed, at: int) -> None:
        """Take in what came of a request; it is event number `at`."""
        if isinstance(event, ModelFailed):
            conversation.given_up = event.failure not in RETRIED
            return
        conversation.given_up = False
        item = spoken(event, native=conversation.run.native)
        end = after(conversation.end, item)
        if end == conversation.end:
            return
        self._list(self._asked, conversation.end, Place(conversation, at))
        self._list(self._turns, digest(conversation.root, turn(item)), Place(conversation, at))
        self._list(self._spoken, end, Place(conversation, len(conversation.run.events)))
        self._move(conversation, end)

    def retire(self, conversation: Conversation) -> None:
        """Nothing goes on with it any more; what it has said stays known."""
        there = self._ends.get(conversation.end, [])
        if conversation in there:
            there.remove(conversation)
        if not there:
            self._ends.pop(conversation.end, None)

    def forget(self, conversation: Conversation) -> None:
        """Know nothing of it any more."""
        self.retire(conversation)
        for places, key in self._keys.pop(conversation):
            if key in places and places[key].conversation is conversation:
                del places[key]

    def _move(self, conversation: Conversation, end: str) -> None:
        self.retire(conversation)
        conversation.end = end
        self._ends.setdefault(end, []).append(conversation)

    def _list(self, places: dict[str, Place], key: str, place: Place) -> None:
        places[key] = place
        self._keys[place.conversation].append((places, key))
