"""Everything that servers have been seen to send, over a real socket and however it is chopped."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.models.wire.histories import begun, request
from tests.models.wire.server import Answer, Exchange, Server, chat, http, local_chat, message, ndjson, sse, stream
from workbench.clocks import VirtualClock
from workbench.core.ports import ModelFailure, Reply, Signal, Usage
from workbench.models.live import LiveModel
from workbench.models.wire import http as transport
from workbench.models.wire.endpoint import Endpoint
from workbench.models.wire.scrub import Secret

DATA = Path(__file__).parents[2] / "data"
SIZES = (1, 3, 64, 100_000)
"""Bytes that come at once."""
TEXT = {"type": "text", "text": "done"}


def live(url: str, wire: Any = "openai", **settings: Any) -> LiveModel:
    endpoint = Endpoint(wire=wire, model="m", base_url=url, **{"retries": 1, **settings})
    return LiveModel(endpoint, clock=VirtualClock(), find_key=lambda _: Secret(), wall=lambda: 1.8e9)


async def asked(model: LiveModel, signals: list[Signal] | None = None) -> Reply | tuple[str, str]:
    """The reply, or kind and partial text of the failure."""
    try:
        return await model.reply(request(begun()), (signals if signals is not None else []).append)
    except ModelFailure as failure:
        return failure.kind, failure.partial
    finally:
        model.close()


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def chopped(body: bytes, kind: str, size: int, status: int = 200) -> bytes:
    """A reply whose body comes in chunks of that many bytes."""
    head = f"HTTP/1.1 {status} OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n".encode()
    return head + b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces(body, size)) + b"0\r\n\r\n"


def in_writes(data: bytes, size: int) -> Answer:
    """The same bytes, each few of them in a write of their own."""

    async def answer(exchange: Exchange) -> None:
        for piece in pieces(data, size):
            await exchange.send(piece)
            await asyncio.sleep(0)

    return answer


# ---------------------------------------------------------------- every recorded body, stream and reply

BODIES: dict[str, tuple[str, int, Callable[[Any], object]]] = {
    "anthropic-thinking-with-tool": ("anthropic", 200, lambda r: ([c.tool for c in r.calls], r.opaque.count("signature"))),
    "anthropic-tool-use-without-call": ("anthropic", 200, lambda r: (r.calls, r.finish)),
    "http-400-context-length": ("openai", 400, lambda r: r[0]),
    "http-401-reflects-key": ("openai", 401, lambda r: r[0]),
    "ollama-arguments-object": ("ollama", 200, lambda r: (r.calls[0].arguments, r.usage.input)),
    "openai-arguments-double-encoded": ("openai", 200, lambda r: json.loads(r.calls[0].arguments)),
    "openai-arguments-empty-string": ("openai", 200, lambda r: r.calls[0].arguments),
    "openai-content-filter": ("openai", 200, lambda r: r.finish),
    "openai-content-null": ("openai", 200, lambda r: (r.text, r.calls)),
    "openai-content-parts": ("openai", 200, lambda r: (r.text, len(r.notes))),
    "openai-duplicate-call-ids": ("openai", 200, lambda r: [c.provider_id for c in r.calls]),
    "openai-length-empty-content": ("openai", 200, lambda r: (r.text, r.finish)),
    "openai-length-with-parseable-call": ("openai", 200, lambda r: (len(r.calls), r.finish)),
    "openai-lone-surrogate": ("openai", 200, lambda r: r.text),
    "openai-two-parallel-calls": ("openai", 200, lambda r: [c.provider_id for c in r.calls]),
}  # fmt: skip
"""File to the wire it is of, its status, and what is looked at."""
SEEN: dict[str, object] = {
    "anthropic-thinking-with-tool": (["lookup_stock"], 1),
    "anthropic-tool-use-without-call": ((), "tool_calls"),
    "http-400-context-length": "context_overflow",
    "http-401-reflects-key": "auth",
    "ollama-arguments-object": ('{"path":"notes.txt"}', None),
    "openai-arguments-double-encoded": '{"path": "notes.txt"}',
    "openai-arguments-empty-string": "",
    "openai-content-filter": "blocked",
    "openai-content-null": ("", ()),
    "openai-content-parts": ("ANSWER: 140 mugs", 1),
    "openai-duplicate-call-ids": ["call_1", "call_1"],
    "openai-length-empty-content": ("", "length"),
    "openai-length-with-parseable-call": (1, "length"),
    "openai-lone-surrogate": "lone \ufffd here",
    "openai-two-parallel-calls": ["call_a", "call_b"],
}
STREAMS: dict[str, tuple[str, Usage]] = {
    "openai-delta-without-index": ("", Usage()),
    "openai-multibyte-crlf": ("ANSWER: déjà 漢字 🙂", Usage()),
    "openai-no-usage": ("ANSWER: 140 mugs", Usage()),
    "openai-usage-only-last-chunk": ("ANSWER: 140 mugs", Usage(input=11, output=3)),
}
REPLIES = ("429-retry-after-date", "429-retry-after-seconds")


@pytest.mark.parametrize(("folder", "known"), [("bodies", BODIES), ("streams", STREAMS), ("http", REPLIES)])
def test_no_recorded_case_is_left_out(folder: str, known: Any) -> None:
    assert {file.stem for file in (DATA / folder).iterdir()} == set(known)


@pytest.mark.parametrize("name", BODIES)
async def test_a_recorded_body_is_the_same_reply_however_it_is_chopped(name: str) -> None:
    wire, status, look = BODIES[name]
    body = (DATA / "bodies" / f"{name}.json").read_bytes()
    got = []
    for size in SIZES:
        for answer in (chopped(body, "application/json", size, status), in_writes(http(body, status), size)):
            async with Server(answer) as server:
                got.append(_anywhere(await asked(live(server.url, wire)), server.url))
    assert all(one == got[0] for one in got)
    assert look(got[0]) == SEEN[name]


def _anywhere(reply: Any, url: str) -> Any:
    """The reply as it would be from any server: what was kept for its own one says which."""
    return replace(reply, opaque=reply.opaque.replace(url, "")) if isinstance(reply, Reply) else reply


@pytest.mark.parametrize("name", STREAMS)
async def test_a_recorded_stream_is_the_same_reply_wherever_it_is_cut(name: str) -> None:
    data = (DATA / "streams" / f"{name}.sse").read_bytes()
    text, usage = STREAMS[name]
    got = []
    for size in SIZES:
        answers = (chopped(data, "text/event-stream", size), in_writes(chopped(data, "text/event-stream", 5), size))
        for answer in answers:
            signals: list[Signal] = []
            async with Server(answer) as server:
                reply = await asked(live(server.url), signals)
            assert isinstance(reply, Reply)
            assert "".join(signal.text for signal in signals if signal.kind == "delta") == reply.text
            got.append(reply)
    assert all(one == got[0] for one in got)
    assert (got[0].text, got[0].usage) == (text, usage)
    if name == "openai-delta-without-index":
        assert [(call.tool, json.loads(call.arguments)) for call in got[0].calls] == [
            ("read_note", {"path": "notes.txt"})
        ]


@pytest.mark.parametrize("name", REPLIES)
async def test_a_recorded_reply_is_read_however_it_is_chopped(name: str) -> None:
    data = (DATA / "http" / f"{name}.txt").read_bytes()
    for size in SIZES:
        signals: list[Signal] = []
        async with Server(in_writes(data, size), http(chat("done"))) as server:
            reply = await asked(live(server.url), signals)
        assert isinstance(reply, Reply)
        assert (reply.text, reply.attempts) == ("done", 2)
        seconds = signals[0].seconds
        assert seconds == 2 if name.endswith("seconds") else seconds <= 0.5


# ---------------------------------------------------------------- every failure, by what is then done

ENDLESS_CALL = {"index": 0, "id": "a", "function": {"name": "read_note", "arguments": '{"path": "a'}}
HALF = b'data: {"choices": [{"delta": {"content": "hal'
SAID: dict[str, Any] = {"choices": [{"index": 0, "delta": {"content": "so far"}, "finish_reason": None}]}
STOPS: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def error(status: int, **said: Any) -> bytes:
    return http({"type": "error", "error": said}, status)


async def reset(exchange: Exchange) -> None:
    """The line is dead before anything was said."""
    exchange.writer.transport.abort()


async def reset_in_stream(exchange: Exchange) -> None:
    await exchange.send(stream(sse(SAID), whole=False))
    exchange.writer.transport.abort()


async def silent(exchange: Exchange) -> None:
    await exchange.until_hung_up()


async def silent_in_stream(exchange: Exchange) -> None:
    await exchange.send(stream(sse(SAID), whole=False))
    await exchange.until_hung_up()


RETRIED: list[tuple[str, str, Answer, str]] = [
    ("reset before headers", "openai", reset, "cut_stream unavailable"),
    ("reset in the stream", "openai", reset_in_stream, "cut_stream"),
    ("read time-out before headers", "openai", silent, "timeout"),
    ("read time-out in the stream", "openai", silent_in_stream, "timeout"),
    ("408", "openai", error(408), "timeout"),
    ("409", "openai", error(409), "unavailable"),
    ("429", "openai", error(429, type="rate_limit_error"), "rate_limited"),
    ("429 that ramps", "anthropic", error(429, type="rate_limit_error", details={"error_code": "ramp_limit_exceeded"}), "rate_limited"),
    ("500", "openai", error(500), "unavailable"),
    ("502", "openai", http(b"<html>bad gateway</html>", 502, content_type="text/html"), "unavailable"),
    ("503", "ollama", http({"error": "busy"}, 503), "unavailable"),
    ("504 timeout_error", "anthropic", error(504, type="timeout_error"), "timeout"),
    ("529 overloaded_error", "anthropic", error(529, type="overloaded_error"), "unavailable"),
    ("200 that is no JSON", "openai", http(b"<html>"), "malformed_body"),
    ("200 of half a JSON", "openai", stream(b"{malformed"), "malformed_body"),
    ("a stream without its last event, openai", "openai", stream(sse(SAID)), "cut_stream"),
    ("a stream without its last event, anthropic", "anthropic", stream(sse({"type": "message_start", "message": {}})), "cut_stream"),
    ("a stream without its last event, ollama", "ollama", stream(ndjson({"message": {"content": "so far"}, "done": False}), "application/x-ndjson"), "cut_stream"),
    ("a finish reason that never came", "openai", stream(sse(SAID, "[DONE]")), "cut_stream"),
    ("half an event", "openai", stream(HALF, whole=False), "cut_stream malformed_body"),
    ("an event that is half a JSON", "openai", stream(sse('{"choices": [')), "malformed_body"),
    ("overloaded in the stream", "anthropic", stream(sse({"type": "error", "error": {"type": "overloaded_error"}}, named=True)), "unavailable"),
    ("an error line, ollama", "ollama", stream(ndjson({"error": "boom"}), "application/x-ndjson"), "unavailable"),
    ("an error in the stream, openai", "openai", stream(sse(SAID, {"error": {"message": "boom", "type": "server_error"}})), "unavailable"),
]  # fmt: skip
"""What is tried again: row, wire, answer, and what the failure may be called."""

FINAL: list[tuple[str, str, Answer, str]] = [
    ("429 insufficient_quota", "openai", error(429, code="insufficient_quota"), "quota"),
    ("402 billing_error", "anthropic", error(402, type="billing_error"), "quota"),
    ("429 spend limit", "anthropic", error(429, details={"error_code": "workspace_spend_limit_reached"}), "quota"),
    ("400 spend limit", "anthropic", error(400, details={"error_code": "org_spend_limit_reached"}), "quota"),
    ("401", "openai", error(401, code="invalid_api_key"), "auth"),
    ("403 permission_error", "anthropic", error(403, type="permission_error"), "auth"),
    ("404 model_not_found", "openai", error(404, code="model_not_found"), "bad_request"),
    ("404 ollama", "ollama", http({"error": 'model "m" not found'}, 404), "bad_request"),
    ("413", "anthropic", error(413, type="request_too_large"), "bad_request"),
    ("422", "openai", error(422), "bad_request"),
    ("400", "openai", error(400, message="messages[1].role"), "bad_request"),
    ("400 context_length_exceeded", "openai", error(400, code="context_length_exceeded"), "context_overflow"),
    ("400 prompt is too long", "anthropic", error(400, message="prompt is too long: 9001 tokens > 8192"), "context_overflow"),
    ("exceed_context_size_error", "openai", error(400, type="exceed_context_size_error", n_ctx=1024), "context_overflow"),
    ("model_context_window_exceeded", "anthropic", http(message(TEXT, stop="model_context_window_exceeded")), "context_overflow"),
    ("invalid_request_error in the stream", "anthropic", stream(sse({"type": "error", "error": {"type": "invalid_request_error"}}, named=True)), "bad_request"),
    ("x-should-retry: false", "openai", http({}, 500, x_should_retry="false"), "unavailable"),
    ("a wait of more than two minutes", "openai", http({}, 429, retry_after="121"), "rate_limited"),
]  # fmt: skip


@pytest.mark.parametrize(("wire", "answer", "kinds"), [row[1:] for row in RETRIED], ids=[row[0] for row in RETRIED])
async def test_what_may_pass_is_tried_again_and_then_given_up(wire: str, answer: Answer, kinds: str) -> None:
    settings = {"idle_timeout": 0.05} if answer in (silent, silent_in_stream) else {}
    whole = {"openai": http(chat()), "anthropic": http(message(TEXT)), "ollama": http(local_chat())}[wire]
    async with Server(answer, whole) as server:
        reply = await asked(live(server.url, wire, **settings))
        assert isinstance(reply, Reply)
        assert (reply.text, reply.attempts) == ("done", 2)
    async with Server(answer) as server:
        failed = await asked(live(server.url, wire, **settings))
        assert isinstance(failed, tuple)
        assert (failed[0] in kinds.split(), len(server.requests)) == (True, 2)


@pytest.mark.parametrize(("wire", "answer", "kind"), [row[1:] for row in FINAL], ids=[row[0] for row in FINAL])
async def test_what_does_not_pass_is_asked_once(wire: str, answer: Answer, kind: str) -> None:
    async with Server(answer) as server:
        failed = await asked(live(server.url, wire))
        assert isinstance(failed, tuple)
        assert (failed[0], len(server.requests)) == (kind, 1)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after_ms": "250"}, 0.25),
        ({"retry_after": "1.5"}, 1.5),
        ({"retry_after": "Fri, 15 Jan 2027 08:00:07 GMT"}, 7.0),
        ({"retry_after": "Fri, 15 Jan 2027 09:30:07 GMT", "date": "Fri, 15 Jan 2027 09:30:00 GMT"}, 7.0),
    ],
)
async def test_a_server_is_waited_for_as_long_as_it_asks(headers: dict[str, str], seconds: float) -> None:
    busy: Any = http({}, 503, **headers)
    async with Server(busy, http(chat())) as server:
        signals: list[Signal] = []
        await asked(live(server.url), signals)
    assert [signal.seconds for signal in signals] == [seconds]


async def test_a_server_that_asks_for_another_attempt_gets_one() -> None:
    async with Server(http({}, 400, x_should_retry="true"), http(chat())) as server:
        reply = await asked(live(server.url))
    assert isinstance(reply, Reply)
    assert reply.attempts == 2


# ---------------------------------------------------------------- no connection at all


async def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert await asked(live(f"http://127.0.0.1:{port}")) == ("unavailable", "")


@contextmanager
def deaf() -> Iterator[int]:
    """A port whose queue of connections is full, so that a further one never comes about."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(server.getsockname())
        yield server.getsockname()[1]
        for one in waiting:
            one.close()


async def test_a_connection_that_never_comes_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "CONNECT", 0.05)
    with deaf() as port:
        assert await asked(live(f"http://127.0.0.1:{port}", retries=0)) == ("timeout", "")


# ---------------------------------------------------------------- replies that are no failures, and are not believed


async def test_a_call_that_is_cut_is_never_a_call() -> None:
    cut = stream(sse({"choices": [{"delta": {"tool_calls": [ENDLESS_CALL]}, "finish_reason": None}]}))
    ended = stream(sse({"choices": [{"delta": {"tool_calls": [ENDLESS_CALL]}, "finish_reason": "length"}]}, "[DONE]"))
    async with Server(cut) as server:
        assert await asked(live(server.url)) == ("cut_stream", "")
    async with Server(ended) as server:
        reply = await asked(live(server.url))
    assert isinstance(reply, Reply)
    assert reply.finish == "length"


@pytest.mark.parametrize(
    ("wire", "body", "finish"),
    [
        ("openai", chat(None, refusal="I will not."), "refused"),
        ("openai", chat("x", finish="content_filter"), "blocked"),
        ("anthropic", message(TEXT, stop="refusal"), "refused"),
        ("anthropic", message(TEXT, stop="max_tokens"), "length"),
        ("ollama", local_chat("x", done_reason="length"), "length"),
    ],
)
async def test_a_reply_that_is_refused_blocked_or_cut_is_one_and_is_asked_for_once(
    wire: str, body: dict[str, Any], finish: str
) -> None:
    async with Server(http(body)) as server:
        reply = await asked(live(server.url, wire))
        assert isinstance(reply, Reply)
        assert (reply.finish, len(server.requests)) == (finish, 1)


Work = Callable[[Exchange], Awaitable[None]]


@pytest.mark.parametrize("work", [silent, silent_in_stream], ids=["before a reply", "in a stream"])
async def test_who_is_cancelled_hangs_up(work: Work) -> None:
    async with Server(work) as server:
        model = live(server.url)
        task = asyncio.create_task(model.reply(request(begun()), lambda _: None))
        exchange = await asyncio.wait_for(server.asked(), 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(exchange.hung_up.wait(), 60)
        model.close()
