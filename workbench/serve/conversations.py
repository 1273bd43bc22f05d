"""The conversations of a server, each a session of its own that grows with every request."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workbench.clocks import VirtualClock
from workbench.core.canonical import digest
from workbench.core.events import Event, Forked, ModelFailed, ModelReply
from workbench.core.ports import Clock, Model
from workbench.core.values import Header
from workbench.recording import JournalBroken
from workbench.serve.dialects import Dialect
from workbench.serve.history import Asked, Item, Told
from workbench.serve.index import Conversation, GoesOn, Index, Parts, Place, Repeats
from workbench.serve.journals import Journals
from workbench.serve.served import ServedRun
from workbench.sessions.header import stamp
from workbench.sessions.late import MemoryJournal
from workbench.sessions.store import new_id

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 1000
"""Conversations that are remembered. Of one that is forgotten only its file is left."""


@dataclass(frozen=True, slots=True)
class Found:
    """The conversation of a request, with all that the client has sent recorded."""

    conversation: Conversation
    note: str = ""
    """What is unusual about it, as a clause for people."""
    before: Place | None = None
    """Where the reply is that this very request has had before; None where one is due."""


class Conversations:
    """`header` is what every session begins with; `model` makes the model of one conversation, for its clock."""

    def __init__(
        self, header: Header, model: Callable[[Clock], Model], journals: Journals, *, most: int = MOST
    ) -> None:
        self._header = header
        self._model = model
        self._journals = journals
        self._most = most
        self._index = Index()
        self._all: OrderedDict[str, Conversation] = OrderedDict()
        """By the id of the session; the one that was asked last is at the end."""

    async def find(self, dialect: Dialect, asked: Asked, session: str = "") -> Found:
        """The conversation of a request, held until that is kept or released, unless the reply is known already.

        `session` is what the client calls it: the id of one, or a name of its own. Raises JournalBroken, and
        SessionError where no session can be made.
        """
        meant = self._all.get(session)
        # Conversations of clients that call them something are never like those of others.
        root = meant.root if meant is not None else digest(dialect.name, session)
        while True:
            match self._index.match(root, asked, named=bool(session), meant=meant):
                case Repeats(place):
                    return Found(place.conversation, "asked again, answered the same", place)
                case GoesOn(conversation, rest):
                    if not conversation.is_free:
                        await conversation.freed()
                        continue
                    found = Found(conversation)
                    self._take(conversation, rest)
                case Parts() as parts:
                    found = self._forked(dialect, asked, root, parts)
                case None:
                    found = self._begun(dialect, asked, root)
            found.conversation.hold(found)
            self._all.move_to_end(found.conversation.run.header.id)
            self._forget_some()
            return found

    async def ask(self, found: Found) -> ModelReply | ModelFailed:
        """The reply that is due, or what goes wrong instead; not yet recorded. Raises JournalBroken."""
        with self._retired_if_broken(found.conversation):
            return await found.conversation.run.ask()

    def keep(self, found: Found, event: ModelReply | ModelFailed) -> None:
        """Record what came of a request, which is over with that: its client may ask on. Raises JournalBroken."""
        conversation = found.conversation
        at = len(conversation.run.events) + 1
        with self._retired_if_broken(conversation):
            conversation.run.keep(event)
        self._index.answer(conversation, event, at)
        conversation.release(found)

    def count(self, dialect: Dialect, asked: Asked) -> int:
        """Tokens of a request, as a reply to it would say, by our estimate. Nothing of it is kept."""
        clock = VirtualClock()
        run = ServedRun(self._new_header(asked, None), dialect, self._model(clock), MemoryJournal(), clock)
        run.take(asked.items, {})
        return run.state.context_tokens

    # ------------------------------------------------------------ beginning

    def _begun(self, dialect: Dialect, asked: Asked, root: str) -> Found:
        """A conversation of its own. Where it comes with replies that were given here, it is an older one cut short."""
        given = self._index.given(root, asked)
        place = given[max(given)] if given else None
        conversation = self._new(dialect, asked, root, place)
        replies = {at: known.reply for at, known in given.items()}
        self._take(conversation, asked.items, replies)
        if place is not None:
            return Found(conversation, f"its history was cut or rewritten: forked from {place.conversation.name}")
        note = "its history comes from elsewhere: the script starts at its first line" if asked.spoken else "new"
        return Found(conversation, note)

    def _forked(self, dialect: Dialect, asked: Asked, root: str, parts: Parts) -> Found:
        place = parts.place
        conversation = self._new(dialect, asked, root, place, place.conversation.run.events[: place.n], parts.end)
        self._take(conversation, parts.rest)
        return Found(conversation, f"its history was changed: forked from {place.conversation.name} at event {place.n}")

    def _new(
        self,
        dialect: Dialect,
        asked: Asked,
        root: str,
        parent: Place | None = None,
        events: Sequence[Event] = (),
        end: str = "",
    ) -> Conversation:
        """A conversation that begins with those events of its parent."""
        header = self._new_header(asked, parent)
        journal = self._journals.create(header)
        for event in events:
            journal.append(event, sync=False)
        clock = VirtualClock()
        run = ServedRun(header, dialect, self._model(clock), journal, clock, events)
        conversation = Conversation(run, journal, root, end or root)
        if parent is not None:
            run.part(Forked(parent=parent.conversation.run.header.id, at=parent.n))
        self._index.add(conversation)
        self._all[header.id] = conversation
        return conversation

    def _new_header(self, asked: Asked, parent: Place | None) -> Header:
        now = datetime.now(UTC).replace(microsecond=0)
        while (session_id := new_id(now)) in self._all:
            pass
        first = next((item.text for item in asked.items if isinstance(item, Told)), "")
        header = replace(
            self._header,
            id=session_id,
            created=stamp(now),
            goal=first,
            system=asked.system,
            tools=asked.tools,
        )
        if parent is None:
            return header
        before = parent.conversation.run.header
        return replace(header, root=before.lineage, parent=before.id, parent_at=parent.n)

    # ------------------------------------------------------------ growing

    def _take(
        self, conversation: Conversation, items: tuple[Item, ...], replies: dict[int, ModelReply] | None = None
    ) -> None:
        with self._retired_if_broken(conversation):
            conversation.run.take(items, replies or {})
        self._index.grow(conversation, items)

    @contextmanager
    def _retired_if_broken(self, conversation: Conversation) -> Iterator[None]:
        """Nothing goes on with a conversation that cannot be written any more: the next request of it is a fork."""
        try:
            yield
        except JournalBroken:
            self._index.retire(conversation)
            raise

    def _forget_some(self) -> None:
        spare = len(self._all) - self._most
        for conversation in [each for each in self._all.values() if each.is_free][: max(0, spare)]:
            del self._all[conversation.run.header.id]
            self._index.forget(conversation)
            self._journals.close(conversation.journal)
