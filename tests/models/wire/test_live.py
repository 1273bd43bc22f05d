"""A live model over real sockets: what it does when servers and networks do what they do."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.models.wire.histories import begun, called, request
from tests.models.wire.server import Exchange, Server, chat, http, local_chat, message, ndjson, sse, stream
from workbench.clocks import SystemClock, VirtualClock
from workbench.core.ports import ModelFailure, Reply, Signal
from workbench.core.state import State
from workbench.core.values import RawCall
from workbench.models.live import LiveModel
from workbench.models.wire import http as transport
from workbench.models.wire.endpoint import Endpoint
from workbench.models.wire.scrub import Secret

DATA = Path(__file__).parents[2] / "data"
KEY = "sk-test-0000-not-a-real-key"
TEXT = {"type": "text", "text": "done"}

CHUNKS = [
    {"choices": [{"index": 0, "delta": {"content": "one "}, "finish_reason": None}]},
    {"choices": [{"index": 0, "delta": {"content": "two"}, "finish_reason": None}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
]
WHOLE = {
    "openai": http(chat()),
    "anthropic": http(message(TEXT)),
    "ollama": http(local_chat()),
}


def model(
    url: str, wire: Any = "openai", key: str = "", clock: VirtualClock | None = None, **settings: Any
) -> LiveModel:
    endpoint = Endpoint(wire=wire, model="m", base_url=url, key_env="OPENAI_API_KEY" if key else "", **settings)
    return LiveModel(endpoint, clock=clock or VirtualClock(), find_key=lambda _: Secret(key), wall=lambda: 1.8e9)


async def ask(live: LiveModel, state: State | None = None, on_signal: Callable[[Signal], None] | None = None) -> Reply:
    try:
        return await live.reply(request(state or begun()), on_signal or (lambda _: None))
    finally:
        live.close()


async def failing(live: LiveModel) -> tuple[ModelFailure, list[Signal]]:
    signals: list[Signal] = []
    with pytest.raises(ModelFailure) as caught:
        await ask(live, on_signal=signals.append)
    return caught.value, signals


# ---------------------------------------------------------------- asked and answered


@pytest.mark.parametrize("wire", ["openai", "anthropic", "ollama"])
@pytest.mark.parametrize("streams", [True, False])
async def test_a_whole_body_is_a_reply_whatever_was_asked_for(wire: Any, streams: bool) -> None:
    async with Server(WHOLE[wire]) as server:
        reply = await ask(model(server.url, wire, stream=streams))
    assert (reply.text, reply.finish, reply.usage.input, reply.attempts) == ("done", "stop", 20, 1)
    assert (server.requests[0].method, server.bodies[0].get("stream", False)) == ("POST", streams)


async def test_a_stream_is_seen_while_it_comes() -> None:
    seen = asyncio.Event()

    async def slowly(exchange: Exchange) -> None:
        await exchange.send(stream(sse(CHUNKS[0]), whole=False))
        await asyncio.wait_for(seen.wait(), 60)
        rest = sse(*CHUNKS[1:], "[DONE]")
        await exchange.send(b"%x\r\n%b\r\n0\r\n\r\n" % (len(rest), rest))

    signals: list[Signal] = []

    def show(signal: Signal) -> None:
        signals.append(signal)
        seen.set()

    async with Server(slowly) as server:
        reply = await ask(model(server.url), on_signal=show)
    assert reply.text == "one two"
    assert [(signal.kind, signal.text) for signal in signals] == [("delta", "one "), ("delta", "two")]


async def test_headers_of_each_wire() -> None:
    async with Server(WHOLE["openai"], WHOLE["anthropic"], WHOLE["anthropic"], WHOLE["ollama"]) as server:
        await ask(model(f"{server.url}/v1", key=KEY))
        await ask(model(server.url, "anthropic", key=KEY))
        await ask(model(server.url, "anthropic", api_version="2023-06-01"))
        await ask(model(server.url, "ollama"))
    openai, anthropic, older, ollama = server.requests
    assert (openai.path, openai.headers["authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert (anthropic.path, anthropic.headers["x-api-key"]) == ("/v1/messages", KEY)
    assert anthropic.headers["anthropic-version"] == "2026-10-21"
    assert older.headers["anthropic-version"] == "2023-06-01"
    assert not {"x-api-key", "authorization"} & set(older.headers)
    assert ollama.path == "/api/chat"


async def test_tools_have_their_own_names_again_in_the_reply() -> None:
    async with Server(http(chat(None, [("1", "write_note", "{}"), ("2", "other", "{}")]))) as server:
        reply = await ask(model(server.url))
    assert [call.tool for call in reply.calls] == ["write.note", "other"]


async def test_one_connection_serves_request_after_request() -> None:
    ended = stream(sse(*CHUNKS, "[DONE]")).replace(b"text/event-stream", b"text/event-stream\r\nx-content-length: keep")

    async def twice(exchange: Exchange) -> None:
        await exchange.send(ended)
        await exchange.reader.readuntil(b"\r\n\r\n")
        await exchange.send(WHOLE["openai"])

    async with Server(twice) as server:
        live = model(server.url)
        await live.reply(request(begun()), lambda _: None)
        await live.reply(request(begun()), lambda _: None)
        live.close()
    assert server.connections == 1


def test_each_event_loop_gets_connections_of_its_own() -> None:
    async def once(live: LiveModel | None, port: int) -> tuple[LiveModel, int, str]:
        async with Server(WHOLE["openai"], port=port) as server:
            live = live or model(server.url)
            return live, server.port, (await live.reply(request(begun()), lambda _: None)).text

    live, port, text = asyncio.run(once(None, 0))
    assert (text, asyncio.run(once(live, port))[2]) == ("done", "done")


# ---------------------------------------------------------------- failures that are tried again


async def test_what_passes_is_tried_again_and_shown() -> None:
    async with Server(http({}, 503), http({"error": {"message": "slow down"}}, 429), WHOLE["openai"]) as server:
        live, signals = model(server.url), list[Signal]()
        reply = await ask(live, on_signal=signals.append)
    assert (reply.text, reply.attempts, len(server.requests)) == ("done", 3, 3)
    assert [signal.kind for signal in signals] == ["retry", "retry"]
    assert "slow down" in signals[1].text
    assert 0.3 < signals[0].seconds <= 0.5 < signals[1].seconds <= 1.0


@pytest.mark.parametrize(("file", "seconds"), [("429-retry-after-seconds", 2.0), ("429-retry-after-date", None)])
async def test_recorded_replies_that_say_when_to_come_back(file: str, seconds: float | None) -> None:
    async with Server((DATA / "http" / f"{file}.txt").read_bytes(), WHOLE["openai"]) as server:
        clock, signals = VirtualClock(), list[Signal]()
        reply = await ask(model(server.url, clock=clock), on_signal=signals.append)
    assert (reply.attempts, [signal.seconds for signal in signals]) == (2, [clock.now()])
    assert clock.now() == seconds if seconds is not None else clock.now() <= 0.5


async def test_attempts_come_to_an_end() -> None:
    async with Server(http({"error": "boom"}, 500)) as server:
        failure, signals = await failing(model(server.url, retries=3))
    assert (failure.kind, failure.attempts, len(server.requests), len(signals)) == ("unavailable", 4, 4, 3)
    assert "boom" in failure.detail


async def test_nobody_waits_for_minutes() -> None:
    async with Server(http({}, 429, retry_after="3600")) as server:
        failure, signals = await failing(model(server.url))
    assert (failure.kind, failure.attempts, signals) == ("rate_limited", 1, [])
    assert "it asks to wait 3,600 seconds" in failure.detail


async def test_pauses_are_the_same_in_the_same_run_and_differ_between_requests() -> None:
    later = begun()
    called(later, RawCall("read_note", "{}"))
    clocks = VirtualClock(), VirtualClock(), VirtualClock()
    async with Server(http({}, 503)) as server:
        for clock, state in zip(clocks, (begun(), begun(), later), strict=True):
            with pytest.raises(ModelFailure):
                await ask(model(server.url, clock=clock), state)
    first, again, other = (clock.now() for clock in clocks)
    assert first == again != other


async def hang_up(exchange: Exchange) -> None:
    exchange.writer.transport.abort()


async def test_a_server_that_is_not_there_or_hangs_up() -> None:
    async with Server(WHOLE["openai"]) as server:
        gone = server.url
    failure, signals = await failing(model(gone))
    assert (failure.kind, failure.attempts, len(signals)) == ("unavailable", 3, 2)
    assert "nobody listens there" in failure.detail
    async with Server(hang_up) as server:
        failure, _ = await failing(model(server.url))
    assert (failure.kind, failure.attempts) == ("unavailable", 3)


async def test_a_name_that_nobody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    async def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", unknown)
    failure, _ = await failing(model("http://no-such-host.invalid/v1", retries=0))
    assert (failure.kind, "there is no host of that name" in failure.detail) == ("unavailable", True)


@pytest.mark.parametrize(
    ("wire", "end", "asked"), [("openai", "", True), ("openai", "/v1", False), ("ollama", "", False)]
)
async def test_an_address_that_ends_too_early_is_asked_about(wire: Any, end: str, asked: bool) -> None:
    async with Server(http({}, 404)) as server:
        failure, _ = await failing(model(f"{server.url}{end}", wire))
        assert ("; is /v1 missing at the end of base_url?" in failure.detail) == asked


async def test_nobody_at_any_of_several_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Server(WHOLE["openai"]) as server:
        port = int(server.url.rpartition(":")[2])

    async def two(*_: object, **__: object) -> list[Any]:
        kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        return [(*kind, ("127.0.0.1", port)), (*kind, ("127.0.0.2", port))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", two)
    failure, _ = await failing(model(f"http://localhost:{port}", retries=0))
    assert "nobody listens there" in failure.detail


async def test_a_server_that_speaks_no_tls() -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 hello\r\n")
        await reader.read(1)
        writer.close()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        failure, _ = await failing(model(f"https://127.0.0.1:{port}", retries=0))
    assert (failure.kind, "it does not speak TLS" in failure.detail) == ("unavailable", True)


CUT = {
    "openai": stream(sse(*CHUNKS[:2]), whole=False),
    "anthropic": stream(
        sse(
            {"type": "message_start", "message": {"model": "m"}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "one two"}},
        ),
        whole=False,
    ),
    "ollama": stream(ndjson({"message": {"content": "one two"}, "done": False}), "application/x-ndjson", whole=False),
}


@pytest.mark.parametrize("wire", ["openai", "anthropic", "ollama"])
@pytest.mark.parametrize("ended", [False, True], ids=["cut", "ended in order"])
async def test_a_stream_without_its_end_is_no_reply(wire: Any, ended: bool) -> None:
    async with Server(CUT[wire] + (b"0\r\n\r\n" if ended else b"")) as server:
        failure, signals = await failing(model(server.url, wire, retries=1))
    assert (failure.kind, failure.partial, failure.attempts) == ("cut_stream", "one two", 2)
    assert "".join(signal.text for signal in signals if signal.kind == "delta") == "one twoone two"


async def test_a_cut_call_is_dropped_and_the_whole_one_of_the_next_attempt_taken() -> None:
    start = {"index": 0, "id": "a", "function": {"name": "read_note", "arguments": '{"path": "a'}}
    cut = sse({"choices": [{"delta": {"tool_calls": [start]}, "finish_reason": None}]})
    async with Server(stream(cut, whole=False), http(chat(None, [("b", "read_note", "{}")]))) as server:
        reply = await ask(model(server.url))
    assert reply.calls == (RawCall("read_note", "{}", "b"),)


async def test_a_stream_that_is_cut_after_its_finish_is_whole() -> None:
    async with Server(stream(sse(*CHUNKS), whole=False)) as server:
        reply = await ask(model(server.url))
    assert (reply.text, reply.attempts) == ("one two", 1)


@pytest.mark.parametrize(
    "answer",
    [
        http(b"<html>maintenance</html>", content_type="text/html"),
        http(b"{malformed", content_type="application/json"),
        stream(b"{malformed"),
        stream(b""),
        stream(b'data: {"choices": [{"delta": {"content": "hal\n\n'),
        stream(sse("[DONE]")),
        http({"choices": []}),
        http({"object": "list"}),
        http(b"\x00" * 100, content_encoding="gzip"),
    ],
)
async def test_nonsense_with_a_status_that_says_all_is_well(answer: bytes) -> None:
    async with Server(answer) as server:
        failure, _ = await failing(model(server.url, retries=1))
    assert failure.kind in ("malformed_body", "cut_stream")
    assert failure.attempts == 2


async def test_an_error_in_the_stream_is_tried_again_where_that_helps() -> None:
    busy = sse({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, named=True)
    wrong = sse({"type": "error", "error": {"type": "invalid_request_error", "message": "roles"}}, named=True)
    async with Server(stream(busy), WHOLE["anthropic"], stream(wrong)) as server:
        assert (await ask(model(server.url, "anthropic"))).attempts == 2
        failure, _ = await failing(model(server.url, "anthropic"))
    assert (failure.kind, failure.attempts) == ("bad_request", 1)


# ---------------------------------------------------------------- failures that are final


@pytest.mark.parametrize(
    ("status", "body", "kind", "words"),
    [
        (401, {"error": {"message": "no", "code": "invalid_api_key"}}, "auth", "OPENAI_API_KEY"),
        (402, {}, "quota", "no credit left"),
        (429, {"error": {"code": "insufficient_quota"}}, "quota", "no credit left"),
        (400, {"error": {"message": "messages.1: roles"}}, "bad_request", "messages.1: roles"),
        (404, {"error": {"code": "model_not_found", "message": "no m"}}, "bad_request", "there is no such model"),
        (307, {}, "bad_request", "another address"),
    ],
)
async def test_what_does_not_pass_is_asked_once(status: int, body: dict[str, Any], kind: str, words: str) -> None:
    async with Server(http(body, status, location="http://127.0.0.1:1/")) as server:
        failure, signals = await failing(model(server.url, key=KEY))
    assert (failure.kind, len(server.requests), signals) == (kind, 1, [])
    assert words in failure.detail


async def test_a_transcript_that_is_too_long_has_its_own_kind() -> None:
    body = (DATA / "bodies" / "http-400-context-length.json").read_bytes()
    async with Server(http(body, 400)) as server:
        failure, _ = await failing(model(server.url))
    assert (failure.kind, len(server.requests)) == ("context_overflow", 1)
    full = message(TEXT, stop="model_context_window_exceeded")
    async with Server(http(full)) as server:
        failure, _ = await failing(model(server.url, "anthropic"))
    assert (failure.kind, failure.attempts, failure.partial) == ("context_overflow", 1, "done")


async def test_without_a_key_nothing_is_sent_where_one_is_needed() -> None:
    async with Server(WHOLE["openai"]) as server:
        endpoint = Endpoint(wire="openai", model="m", base_url=server.url, key_env="OPENAI_API_KEY", key_needed=True)
        live = LiveModel(endpoint, clock=VirtualClock(), find_key=lambda _: Secret())
        failure, _ = await failing(live)
    assert (failure.kind, server.requests) == ("auth", [])
    assert "set OPENAI_API_KEY" in failure.detail


async def test_a_key_that_no_header_can_hold_is_never_sent_nor_shown() -> None:
    failure, _ = await failing(model("http://127.0.0.1:1", key="sk-\nnot-a-header"))
    assert failure.kind == "auth"
    assert "not-a-header" not in str(failure)


async def test_a_broken_address_is_our_fault() -> None:
    failure, _ = await failing(model("http://[::1"))
    assert failure.kind == "bad_request"


# ---------------------------------------------------------------- the key


async def test_the_key_is_in_nothing_that_comes_out() -> None:
    reflected = (DATA / "bodies" / "http-401-reflects-key.json").read_bytes()
    async with Server(http(reflected, 401)) as server:
        failure, _ = await failing(model(server.url, key=KEY))
    assert KEY not in f"{failure} {failure.detail} {failure.__context__!r} {failure.__cause__!r}"
    assert "OPENAI_API_KEY" in failure.detail


async def test_a_model_that_says_the_key_has_it_taken_out_of_its_mouth() -> None:
    spoken: list[dict[str, Any]] = [
        {"choices": [{"delta": {"content": piece}, "finish_reason": None}]} for piece in (f"is {KEY[:9]}", KEY[9:], ".")
    ]
    call = {"index": 0, "id": KEY, "function": {"name": KEY, "arguments": json.dumps({"key": KEY})}}
    spoken += [
        {"choices": [{"delta": {"reasoning_content": KEY, "tool_calls": [call]}, "finish_reason": KEY}], "model": KEY}
    ]
    signals: list[Signal] = []
    async with Server(stream(sse(*spoken, "[DONE]"))) as server:
        reply = await ask(model(server.url, key=KEY), on_signal=signals.append)
    assert KEY not in f"{reply} {signals}"
    assert "".join(signal.text for signal in signals if signal.kind == "delta") == reply.text == "is [key]."


async def test_a_transcript_that_holds_the_key_does_not_carry_it_out() -> None:
    state = begun()
    called(state, RawCall("read_note", json.dumps({"path": KEY})), text=f"I know {KEY}")
    async with Server(WHOLE["openai"]) as server:
        await ask(model(server.url, key=KEY), state)
    assert KEY.encode() not in server.requests[0].body


# ---------------------------------------------------------------- time and cancellation


def still(*events: dict[str, Any]) -> Callable[[Exchange], Any]:
    """Sends some events and then nothing, with the line kept open."""

    async def answer(exchange: Exchange) -> None:
        await exchange.send(stream(sse(*events), whole=False))
        await exchange.until_hung_up()

    return answer


async def test_silence_in_a_stream_is_a_time_out() -> None:
    async with Server(still(*CHUNKS[:2])) as server:
        failure, _ = await failing(model(server.url, idle_timeout=0.05, retries=1))
    assert (failure.kind, failure.partial, failure.attempts) == ("timeout", "one two", 2)


async def test_silence_before_any_reply_is_one_too() -> None:
    async with Server(Exchange.until_hung_up) as server:
        failure, _ = await failing(model(server.url, idle_timeout=0.05, retries=0))
    assert failure.kind == "timeout"


async def test_a_reply_that_trickles_for_ever_has_a_limit() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"

    async def endless(exchange: Exchange) -> None:
        await exchange.send(head)
        while not exchange.writer.is_closing():
            await exchange.send(b"e\r\n: still here\n\n\r\n")
            await asyncio.sleep(0.01)

    async with Server(endless) as server:
        failure, _ = await failing(model(server.url, timeout=0.1, idle_timeout=5.0, retries=0))
    assert (failure.kind, "no whole reply within 0.1 seconds" in failure.detail) == ("timeout", True)


@pytest.mark.parametrize("answer", [still(*CHUNKS[:1]), Exchange.until_hung_up], ids=["in a stream", "before a reply"])
async def test_cancelling_closes_the_connection_at_once(answer: Any) -> None:
    async with Server(answer) as server:
        live = model(server.url)
        task = asyncio.create_task(live.reply(request(begun()), lambda _: None))
        exchange = await asyncio.wait_for(server.asked(), 60)
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(exchange.hung_up.wait(), 60)
        live.close()


async def test_a_pause_can_be_cancelled() -> None:
    async with Server(http({}, 503)) as server:
        endpoint = Endpoint(wire="openai", model="m", base_url=server.url)
        live = LiveModel(endpoint, clock=SystemClock())
        paused = asyncio.Event()
        task = asyncio.create_task(live.reply(request(begun()), lambda _: paused.set()))
        await asyncio.wait_for(paused.wait(), 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        live.close()
    assert len(server.requests) == 1


async def test_a_line_that_stays_open_after_the_last_event_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "GRACE", 0.02)

    async def ends(exchange: Exchange) -> None:
        await exchange.send(stream(sse(*CHUNKS, "[DONE]"), whole=False))
        await exchange.until_hung_up()

    async with Server(ends) as server:
        reply = await asyncio.wait_for(ask(model(server.url)), 60)
        await asyncio.wait_for(server.requests[0].hung_up.wait(), 60)
    assert reply.text == "one two"


async def test_a_body_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "MOST_BYTES", 1000)
    async with Server(http(chat("x" * 2000))) as server:
        failure, _ = await failing(model(server.url, retries=0))
    assert (failure.kind, "more than 1,000 bytes" in failure.detail) == ("malformed_body", True)


async def test_a_server_that_cuts_prompts_is_told_on() -> None:
    state = begun()
    called(state, RawCall("read_note", "{}"), text="word " * 500)
    async with Server(http(local_chat(prompt_eval_count=50))) as server:
        (note,) = (await ask(model(server.url, "ollama"), state)).notes
    assert "read 50 tokens" in note
