"""The recorded model: replies that were really given, each to the request that it was really given to.

Which exchange is due follows from the one served last in this branch. A request that is not the recorded one brings no
reply: what was said to something else is no answer to this, and the first difference says why. Nothing is asked over a
network, and nobody waits longer than the clock says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from workbench.core.persistent import Log
from workbench.core.ports import Clock, FailureKind, Model, ModelFailure, OnSignal, Reply, Request, Signal
from workbench.core.records import Message
from workbench.core.values import Call, ToolInfo
from workbench.models.differences import message_difference, text_difference, tools_difference

Match = Literal["request", "messages", "nothing"]

WEAKER = {
    "request": 'model.match = "messages" compares only the messages',
    "messages": 'model.match = "nothing" gives the replies in their order, whatever is asked',
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request, and what came of it: a reply or a failure."""

    told: tuple[Message, ...] = ()
    """What the request had after the reply before it."""
    reply: Reply = field(default_factory=Reply)
    """With a failure its text is what had come of it."""
    fail: FailureKind | None = None
    detail: str = ""
    took: float = 0.0
    """Seconds."""


class RecordedModel:
    """Serves exchanges in order. `file` names the recording in messages, `match` says what of a request must be equal.

    What the model was told is compared with all that was said, whatever a context policy then sends of it. `summaries`
    is who replies to the requests of such a policy; `system` and `tools` are what every request had besides its
    messages, and None is not compared.
    """

    def __init__(
        self,
        exchanges: Sequence[Exchange],
        *,
        clock: Clock,
        name: str = "recorded",
        file: str = "",
        system: str | None = None,
        tools: Sequence[ToolInfo] | None = None,
        match: Match = "request",
        summaries: Model | None = None,
    ) -> None:
        self.name = name
        self._exchanges = tuple(exchanges)
        self._clock = clock
        self._file = file
        self._system = system
        self._tools = tools
        self._match = match
        self._summaries = summaries
        self._messages = tuple(_messages(exchanges))
        self._counts = tuple(_counts(exchanges))
        self._last_equal: tuple[int, Message | None] = (0, None)
        """How many messages were found equal, and the last of them: a transcript only grows."""

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
        """The reply that is due. Raises ModelFailure as recorded; `script_exhausted` when no exchange is left,
        `not_recorded` for a request that is not the recorded one.
        """
        state = request.state
        if request.purpose == "summary" and self._summaries is not None:
            return await self._summaries.reply(request, on_signal)
        index = state.script_line + state.replies_elsewhere + 1
        problem = self._exhausted(index) or self._difference(request, index)
        if problem:
            kind: FailureKind = "script_exhausted" if index >= len(self._exchanges) else "not_recorded"
            raise ModelFailure(kind, problem, line=state.script_line, served=state.script_served)
        exchange = self._exchanges[index]
        reply = exchange.reply
        if exchange.took:
            await self._clock.sleep(exchange.took)
        if reply.thinking:
            on_signal(Signal("thinking", reply.thinking))
        if reply.text:
            on_signal(Signal("delta", reply.text))
        if exchange.fail is not None:
            raise ModelFailure(
                exchange.fail, exchange.detail, attempts=reply.attempts, partial=reply.text, line=index, served=1
            )
        calls = reply.calls if state.protocol.native_tools else ()
        return replace(reply, calls=calls, model=reply.model or self.name, line=index, served=1)

    def _exhausted(self, index: int) -> str:
        count = len(self._exchanges)
        if index < count:
            return ""
        counted = f"{count} {'reply' if count == 1 else 'replies'}"
        return self._said(f"the recording has {counted} and a further one was asked for")

    def _difference(self, request: Request, index: int) -> str:
        """The first difference between the request and the recorded one, as a sentence; "" where there is none."""
        found = ""
        if self._match == "request":
            found = self._other_head(request)
        if self._match != "nothing" and not found:
            found = self._other_message(_said_to(request), self._counts[index])
        return (
            self._said(f"request {index + 1} is not the recorded one: {found}; {WEAKER[self._match]}") if found else ""
        )

    def _other_head(self, request: Request) -> str:
        if self._system is not None and request.system != self._system:
            return f"system: {text_difference(self._system, request.system)}"
        if self._tools is None or not request.state.protocol.native_tools:
            return ""
        return tools_difference(self._tools, request.tools)

    def _other_message(self, messages: Log[Message], count: int) -> str:
        start, last = self._last_equal
        if not 0 < start <= min(count, len(messages)) or messages[start - 1] is not last:
            start = 0
        for at in range(start, max(count, len(messages))):
            expected = self._messages[at] if at < count else None
            actual = messages[at] if at < len(messages) else None
            found = message_difference(at, expected, actual)
            if found:
                return found
        self._last_equal = count, messages[count - 1] if count else None
        return ""

    def _said(self, text: str) -> str:
        return f"{self._file}: {text}" if self._file else text


def _said_to(request: Request) -> Log[Message]:
    """All that the model was told and said, also what a context policy has taken out of the request."""
    state = request.state
    return request.messages if state.sent is state.messages else state.messages


def _messages(exchanges: Sequence[Exchange]) -> Iterator[Message]:
    """The messages of the whole recording, the replies among them."""
    for exchange in exchanges:
        yield from exchange.told
        if exchange.fail is None:
            yield _spoken(exchange.reply)


def _counts(exchanges: Sequence[Exchange]) -> Iterator[int]:
    """How many messages each request has."""
    count = 0
    for exchange in exchanges:
        count += len(exchange.told)
        yield count
        count += exchange.fail is None


def _spoken(reply: Reply) -> Message:
    calls = tuple(Call(id="", tool=call.tool, arguments=call.arguments) for call in reply.calls)
    return Message("assistant", reply.text, 0, calls=calls, opaque=reply.opaque)
