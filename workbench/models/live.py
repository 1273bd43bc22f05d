"""A model over the network: encode, send, read, and send again where that helps. All retries are inside one call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.core.carried import tokens_of
from workbench.core.ports import Clock, FailureKind, ModelFailure, OnSignal, Reply, Request, Signal
from workbench.core.records import Message
from workbench.core.values import ToolInfo
from workbench.models.wire import classify, retry
from workbench.models.wire.body import read_object, to_json
from workbench.models.wire.classify import Failure
from workbench.models.wire.endpoint import Endpoint
from workbench.models.wire.errors import Malformed, StreamError, Unreachable, Unsendable
from workbench.models.wire.scrub import Secret, StreamScrubber, read_key
from workbench.models.wire.transcript import Transcript, kept_by, kept_for, wire_name
from workbench.models.wire.wires import WIRES, Assembler, address, lacking_end

if TYPE_CHECKING:
    from workbench.models.wire.http import HttpClient, Response

CUT_IF_READ = 0.5
"""A server that says it read less than this part of what we think we sent has probably cut it."""
NOT_FOUND = 404


class _Failed(Exception):
    """An attempt that brought no reply."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.kind)
        self.failure = failure


class LiveModel:
    """Asks one endpoint, for one run. Pauses between attempts pass on `clock`; limits of a request on the real one.

    `find_key` reads the key of an environment variable for each request, `wall` is seconds since 1970.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        clock: Clock,
        find_key: Callable[[str], Secret] = read_key,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.name = endpoint.model
        self.endpoint = endpoint
        self._wire = WIRES[endpoint.wire]
        self._url = address(endpoint.base_url, self._wire.path)
        self._clock = clock
        self._find_key = find_key
        self._wall = wall
        self._transcript = Transcript(self._wire.name, self._wire.encode_turn, self._wire.may_be_id, endpoint.base_url)
        self._offered: tuple[ToolInfo, ...] = ()
        self._tools: list[dict[str, object]] = []
        self._names: dict[str, str] = {}
        self._client: HttpClient | None = None

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:
        """One whole reply. Raises ModelFailure after the last attempt; cancelling closes the connection at once."""
        key = self.key()
        self._check_key(key)
        content = self._encoded(request, key)
        attempt = 0
        while True:
            attempt += 1
            assembler, said = self._wire.assembler(), ""
            try:
                reply = await self._attempt(content, key, assembler, on_signal)
                return self._finished(reply, request, key, attempt)
            except ModelFailure as failure:
                failed, said = Failure(failure.kind, failure.detail, retry=False), failure.partial
            except _Failed as error:
                failed = error.failure
            pause = retry.pause(attempt, failed.after, request.state.header.seed, request.state.n)
            patient = pause <= retry.PATIENCE
            if not failed.retry or attempt > self.endpoint.retries or not patient:
                detail = failed.detail if patient else f"{failed.detail}; it asks to wait {pause:,.0f} seconds"
                detail = f"{self.endpoint.shown} at {self._url}: {self._advised(detail, failed, key)}"
                partial = key.scrub(said or assembler.partial)
                after = failed.after or 0.0
                raise ModelFailure(failed.kind, key.scrub_words(detail), attempts=attempt, partial=partial, after=after)
            on_signal(Signal("retry", key.scrub_words(failed.detail), pause))
            await self._clock.sleep(pause)

    def takes_back(self, message: Message) -> bool:
        """Whether it is sent what was kept of this reply."""
        return bool(kept_for(message.opaque, self._wire.name, self.endpoint.base_url))

    def key(self) -> Secret:
        """The key as it is now."""
        return self._find_key(self.endpoint.key_env)

    def close(self) -> None:
        """Close the connections, where the event loop has not done so. It can still be asked afterwards."""
        if self._client is not None:
            self._client.close()

    # ------------------------------------------------------------ sending

    def _encoded(self, request: Request, key: Secret) -> bytes:
        if request.tools is not self._offered:
            self._offered = request.tools
            self._tools = self._wire.encode_tools(request.tools)
            self._names = {wire_name(tool.name): tool.name for tool in request.tools}
        messages = self._transcript.encoded(request.messages, native=request.state.protocol.native_tools)
        try:
            body = self._wire.encode_body(self.endpoint, request, messages, self._tools)
            return key.scrub_bytes(to_json(body))
        except RecursionError:
            raise ModelFailure("bad_request", "the transcript holds values that are nested too deeply") from None

    async def _attempt(self, content: bytes, key: Secret, assembler: Assembler, on_signal: OnSignal) -> Reply:
        endpoint = self.endpoint
        idle = endpoint.idle_timeout if endpoint.stream else None
        try:
            async with (
                asyncio.timeout(endpoint.timeout),
                self._connection().send("POST", self._url, self._headers(key), content, idle=idle) as response,
            ):
                if not 200 <= response.status < 300:
                    body = await response.error_body()
                    raise _Failed(classify.of_response(response.status, response.headers, body, self._wall()))
                if self._is_stream(response):
                    return await self._streamed(response, key, assembler, on_signal)
                return self._wire.decode(read_object(await response.body(), "its body"))
        except TimeoutError:
            detail = f"there was no whole reply within {endpoint.timeout:g} seconds"
            raise _Failed(Failure("timeout", detail, retry=True)) from None
        except Unreachable as error:
            raise _Failed(_unreached(error)) from None
        except Malformed as error:
            raise _Failed(classify.malformed(str(error))) from None
        except StreamError as error:
            raise _Failed(classify.of_stream(error.error)) from None
        except Unsendable as error:
            raise _Failed(Failure("bad_request", str(error), retry=False)) from None

    def _headers(self, key: Secret) -> dict[str, str]:
        return {"content-type": "application/json", **self._wire.headers(self.endpoint, key.reveal())}

    def _connection(self) -> HttpClient:
        if self._client is None:
            from workbench.models.wire.http import HttpClient  # some 100 ms, for those who are really connected

            self._client = HttpClient(self.endpoint.base_url)
        return self._client

    # ------------------------------------------------------------ reading

    def _is_stream(self, response: Response) -> bool:
        """What the server says it sends, which is not always what it was asked for."""
        kind = response.headers.get("content-type", "")
        if "event-stream" in kind or "ndjson" in kind:
            return True
        return self.endpoint.stream and "json" not in kind

    async def _streamed(self, response: Response, key: Secret, assembler: Assembler, on_signal: OnSignal) -> Reply:
        from workbench.models.wire.http import drain

        parser = self._wire.parser()
        show = _Shown(key, on_signal)
        begun = False
        async with aclosing(response.chunks()) as chunks:
            try:
                async for chunk in chunks:
                    for frame in parser.feed(chunk):
                        begun = True
                        show(assembler.feed(frame))
                    if assembler.ended:
                        await drain(chunks)
                        break
                else:
                    for frame in parser.close():
                        begun = True
                        show(assembler.feed(frame))
            except (Unreachable, Malformed):
                if not assembler.complete:
                    raise
        show.rest()
        if assembler.complete:
            return assembler.reply()
        if not begun:
            raise Malformed("it has no events")
        raise _Failed(Failure("cut_stream", "the stream ended before the reply was whole", retry=True))

    def _finished(self, reply: Reply, request: Request, key: Secret, attempts: int) -> Reply:
        """The reply with the names that tools have here, and without the key wherever it may have got into."""
        notes = reply.notes
        read, sent = reply.usage.input, tokens_of(request.state, request.messages)
        if self._wire.cuts_silently and read is not None and read < sent * CUT_IF_READ:
            notes = (
                *notes,
                f"the server says it read {read} tokens of about {sent}: it cut the rest, or had it cached",
            )
        calls = tuple(
            replace(
                call,
                tool=self._names.get(call.tool, key.scrub(call.tool)),
                arguments=key.scrub(call.arguments),
                provider_id=key.scrub(call.provider_id),
            )
            for call in reply.calls
        )
        return replace(
            reply,
            text=key.scrub(reply.text),
            thinking=key.scrub(reply.thinking),
            calls=calls,
            finish=key.scrub(reply.finish),
            model=key.scrub(reply.model) or self.name,
            opaque=key.scrub(kept_by(reply.opaque, self.endpoint.base_url)),
            notes=tuple(map(key.scrub, notes)),
            attempts=attempts,
        )

    # ------------------------------------------------------------ words

    def _check_key(self, key: Secret) -> None:
        endpoint = self.endpoint
        if key and not key.sendable:
            raise ModelFailure("auth", f"{endpoint.key_env} holds characters that no key has; set it anew")
        if not key and endpoint.key_needed:
            raise ModelFailure("auth", f"there is no key for {endpoint.shown}: set {endpoint.key_env}")

    def _advised(self, detail: str, failure: Failure, key: Secret) -> str:
        """The detail, with the setting that it may come from: that of a key, or the address."""
        endpoint = self.endpoint
        if failure.status == NOT_FOUND and (question := lacking_end(endpoint)):
            return f"{detail}; {question}"
        if failure.kind != "auth":
            return detail
        if key:
            return f"{detail}; the key is the one in {endpoint.key_env}"
        if endpoint.no_key_because:
            return f"{detail}; {endpoint.no_key_because}"
        return f"{detail}; no key was sent, as {endpoint.key_env} is not set" if endpoint.key_env else detail


class AbsentModel:
    """Stands for a model that cannot be asked any more, so that what it said can be read; it fails, and says why."""

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self._why = why

    async def reply(self, request: Request, on_signal: OnSignal) -> Reply:  # noqa: ARG002 - nobody is asked
        raise ModelFailure("bad_request", self._why)


class _Shown:
    """Passes on what is streamed, without the key even where it comes in pieces."""

    def __init__(self, key: Secret, on_signal: OnSignal) -> None:
        self._on_signal = on_signal
        self._texts = {"delta": StreamScrubber(key), "thinking": StreamScrubber(key)}

    def __call__(self, signals: tuple[Signal, ...]) -> None:
        for signal in signals:
            text = self._texts[signal.kind].feed(signal.text)
            if text == signal.text:
                self._on_signal(signal)
            elif text:
                self._on_signal(replace(signal, text=text))

    def rest(self) -> None:
        """What was held back."""
        for kind in ("thinking", "delta"):
            text = self._texts[kind].rest()
            if text:
                self._on_signal(Signal("delta" if kind == "delta" else "thinking", text))


def _unreached(error: Unreachable) -> Failure:
    kind: FailureKind = "timeout" if error.slow else "cut_stream" if error.begun else "unavailable"
    return Failure(kind, error.reason, retry=True)
