"""What a session is about, for lists that are searched: which tools it called, what it cost, and what was said in it.

The header is not parsed, and of the events only those that say such a thing, so that a gist costs less than reading the
session (tests/bench/bench_sessions.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workbench.core.events import (
    ContextChanged,
    Event,
    ModelReply,
    Planned,
    SettingsChanged,
    ToolResult,
    UserMessage,
)
from workbench.sessions.errors import SessionError
from workbench.sessions.journal import Session, extent, read_bytes, read_session
from workbench.sessions.store import SessionSummary, scan, summary

TO_THE_END = (ModelReply.kind, ContextChanged.kind, Planned.kind)
"""Kinds of events that are read however much has been said already."""
PIECE = 2_000
"""Characters that are searched of one thing said."""
MOST = 50_000
"""Characters that are searched of a session, from its beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gist:
    """A session at a glance, and what a search asks of it."""

    summary: SessionSummary
    tools: tuple[str, ...]
    """The tools that were called, whether they ran or not, each once."""
    cost: float | None
    """USD, of all replies and summaries; None where it is unknown."""
    text: str
    """What was said: by the user, by the model, in the arguments of calls, by the tools. In lower case, and cut: see
    PIECE and MOST."""


@dataclass(slots=True)
class _Said:
    """Gathers what the events say."""

    tools: dict[str, None] = field(default_factory=dict)
    costs: list[float | None] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    room: int = MOST

    def take(self, event: Event) -> None:
        if isinstance(event, ModelReply):
            self.costs.append(event.cost)
            self._say(event.text)
        if isinstance(event, ModelReply | Planned):
            for call in event.calls:
                self.tools[call.tool] = None
                self._say(f"{call.tool} {call.arguments}")
        elif isinstance(event, ContextChanged):
            if event.policy == "summarise":
                self.costs.append(event.cost)
        elif isinstance(event, UserMessage):
            self._say(event.text)
        elif isinstance(event, ToolResult):
            self._say(event.content)

    def _say(self, text: str) -> None:
        piece = text[: min(PIECE, self.room)]
        if piece:
            self.pieces.append(piece)
            self.room -= len(piece)


def gist(path: Path) -> Gist:
    """The gist of a session. Raises SessionError."""
    glance = summary(path)
    said = _Said()
    try:
        for event in _events(path, said):
            said.take(event)
    except ValueError as error:
        raise SessionError(f"{path.name}: {error}") from None
    return Gist(
        summary=glance,
        tools=tuple(said.tools),
        cost=_cost(path, said.costs),
        text="\n".join((glance.title, *said.pieces)).casefold(),
    )


def _events(path: Path, said: _Said) -> Iterator[Event]:
    """The events that say something: replies, summaries and steps to the end, for what they cost and call; the others
    while there is room."""
    data = read_bytes(path)
    good = extent(path, data)
    if not good.sealed:
        yield from read_session(path).events
        return
    for kind, read in scan(data[: good.length]):
        if kind in TO_THE_END or (said.room and kind in (UserMessage.kind, ToolResult.kind)):
            yield read()


def _cost(path: Path, costs: list[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    if len(known) < len(costs) and not _is_free(read_session(path)):
        return None
    return sum(known, 0.0)


def _is_free(session: Session) -> bool:
    """Whether no model that was asked costs anything."""
    chosen = [event.changes.get("model", {}) for event in session.events if isinstance(event, SettingsChanged)]
    return session.header.free and all(isinstance(model, Mapping) and model.get("free", True) for model in chosen)
