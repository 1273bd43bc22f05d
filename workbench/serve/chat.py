"""A request for a reply: whose it is, what is due, and how that goes out. Facts are recorded before the last byte."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.core.events import ModelFailed, ModelReply
from workbench.core.state import State
from workbench.models.wire.body import to_json
from workbench.serve.answer import Answer, token
from workbench.serve.conversations import Conversations, Found
from workbench.serve.dialects import BROKEN, Dialect
from workbench.serve.exchange import Exchange
from workbench.serve.history import Asked

SESSION = "x-workbench-session"
"""The header that says which conversation a request belongs to; in a reply, the id of the one it went to."""
WAIT = 1.0
"""Seconds that a client is asked to wait which comes too often, where the script says no other number."""


@dataclass(frozen=True, slots=True)
class Chat:
    """One request and what is needed to answer it."""

    exchange: Exchange
    dialect: Dialect
    asked: Asked
    found: Found
    headers: dict[str, str]
    request_id: str

    @property
    def state(self) -> State:
        """How the conversation stands."""
        return self.found.conversation.run.state

    # ------------------------------------------------------------ what goes out

    async def again(self) -> str:
        """Send the reply that this request has had before. Returns what it was, for the log."""
        place = self.found.before
        assert place is not None
        answer = self._answer(place.reply, place.n)
        if self.asked.stream:
            stream = self.dialect.stream(answer)
            await self._begin_stream()
            await self.exchange.end(b"".join([*stream.begun, *stream.ended]))
        else:
            await self.exchange.whole(200, to_json(self.dialect.whole(answer)), self.headers)
        return words_of(place.reply)

    async def answer(self, conversations: Conversations) -> str:
        """Ask the model, and send what comes of it. Returns what it was, for the log. Raises JournalBroken."""
        run = self.found.conversation.run
        event = await conversations.ask(self.found)
        at = len(run.events) + 1

        def keep() -> None:
            conversations.keep(self.found, event)

        if isinstance(event, ModelReply):
            await self._reply(self._answer(event, at), event.took, keep)
        elif event.failure in ("cut_stream", "malformed_body"):
            await self._broken(self._partial(event, at), event, keep)
        else:
            await self._failure(event, keep)
        return words_of(event)

    async def _reply(self, answer: Answer, seconds: float, keep: Callable[[], None]) -> None:
        if self.asked.stream:
            stream = self.dialect.stream(answer)
            await self._begin_stream()
            await self._spread(stream.begun, seconds)
            keep()
            await self.exchange.end(b"".join(stream.ended))
            return
        await _pause(seconds)
        keep()
        await self.exchange.whole(200, to_json(self.dialect.whole(answer)), self.headers)

    async def _broken(self, answer: Answer, event: ModelFailed, keep: Callable[[], None]) -> None:
        """A reply that ends where it must not: the connection is cut, or what stands there is no JSON."""
        cut = event.failure == "cut_stream"
        if self.asked.stream:
            stream = self.dialect.stream(answer)
            await self._begin_stream()
            await self._spread(stream.begun, event.took)
            keep()
            if not cut:
                await self.exchange.end(_spoilt(stream.ended[0]))
            return
        await _pause(event.took)
        keep()
        data = to_json(self.dialect.whole(answer))
        half = data[: len(data) // 2]
        if cut:
            await self.exchange.begin(200, "application/json", self.headers, len(data))
            await self.exchange.piece(half)
        else:
            await self.exchange.whole(200, half, self.headers)

    async def _failure(self, event: ModelFailed, keep: Callable[[], None]) -> None:
        failing = self.dialect.failures.get(event.failure, BROKEN)  # type: ignore[call-overload]
        words = f"{failing.words} ({event.detail})" if failing.words else event.detail
        headers = dict(self.headers)
        if event.retry_after or event.failure == "rate_limited":
            headers["retry-after"] = f"{event.retry_after or WAIT:g}"
        if failing is BROKEN:
            headers["x-should-retry"] = "false"
        await _pause(event.took)
        keep()
        body = self.dialect.error(failing, words, self.request_id)
        await self.exchange.whole(failing.status, to_json(body), headers)

    # ------------------------------------------------------------ parts

    async def _begin_stream(self) -> None:
        await self.exchange.begin(200, self.dialect.stream_type, self.headers | {"cache-control": "no-cache"})

    async def _spread(self, pieces: Sequence[bytes], seconds: float) -> None:
        """Send the pieces, and take so long over it."""
        if not seconds:
            await self.exchange.piece(b"".join(pieces))
            return
        for piece in pieces or (b"",):
            await asyncio.sleep(seconds / max(1, len(pieces)))
            await self.exchange.piece(piece)

    def _answer(self, event: ModelReply, at: int) -> Answer:
        run = self.found.conversation.run
        return Answer(
            id=token(24, run.header.id, str(at)),
            model=self.asked.model,
            created=int(time.time()),
            text=event.text,
            thinking=event.thinking if self.asked.with_thinking else "",
            calls=event.calls if run.native else (),
            finish=event.finish if run.native or event.finish != "tool_calls" else "stop",
            input=event.input_estimate if event.input_tokens is None else event.input_tokens,
            output=event.output_estimate if event.output_tokens is None else event.output_tokens,
            cache_read=event.cache_read or 0,
            cache_write=event.cache_write or 0,
            took=event.took,
            with_usage=self.asked.with_usage,
        )

    def _partial(self, event: ModelFailed, at: int) -> Answer:
        return Answer(
            id=token(24, self.found.conversation.run.header.id, str(at)),
            model=self.asked.model,
            created=int(time.time()),
            text=event.partial,
            input=self.state.context_tokens,
            output=0,
            with_usage=self.asked.with_usage,
        )


def words_of(event: ModelReply | ModelFailed) -> str:
    """What came of a request, for the log."""
    if isinstance(event, ModelFailed):
        return event.failure if event.failure in event.detail else f"{event.failure}: {event.detail}"
    line = f"reply {event.line + 1}"
    struck = f", {event.changed_by}" if event.changed_by else ""
    if not event.calls:
        return f"{line}{struck}"
    unknown = [call.tool for call in event.calls if call.problem_kind == "unknown_tool"]
    note = f"; the client does not offer {', '.join(unknown)}" if unknown else ""
    return f"{line}{struck}: calls {', '.join(call.tool for call in event.calls)}{note}"


async def _pause(seconds: float) -> None:
    if seconds:
        await asyncio.sleep(seconds)


def _spoilt(event: bytes) -> bytes:
    """A whole event, or line, with half a JSON object in it."""
    return event[: len(event) * 2 // 3].rstrip(b"}") + b"\n\n"
