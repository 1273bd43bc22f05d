"""A server that says a key back wherever anything can be said, over every wire."""

from __future__ import annotations

import json
from typing import Any

from tests.models.wire.server import chat, http, local_chat, message, ndjson, sse, stream

KEY = "sk-test-0000-not-a-real-key"
ODD_KEY = 'sk-"quoted\\test-0000'
"""One that JSON escapes."""
SHORT_KEY = "hunter2"
HEADERS: dict[str, Any] = {"x_request_id": KEY, "www_authenticate": f'Bearer realm="{KEY}"', "set_cookie": f"k={KEY}"}


def echoed(wire: str, key: str, *, streams: bool) -> list[bytes]:
    """To one request after the other: failures to be tried again, a call with the key everywhere, an answer."""
    return [
        http({"error": {"message": f"no: {key}", "type": key, "param": key}}, 503, retry_after_ms="1", **HEADERS),
        http(f"<p>Authorization: Bearer {key}".encode(), 500, retry_after_ms="1", content_type="text/plain"),
        _streamed(wire, key) if streams else http(_called(wire, key), **HEADERS),
        *([_cut(wire, key)] if streams else []),
        http(_answered(wire, key)),
    ]


def refused(key: str) -> bytes:
    """The last word of a server, the key in all of it."""
    said = {"message": f"Incorrect API key provided: {key}.", "code": "invalid_api_key", "details": {"error_code": key}}
    return http({"type": "error", "error": said, "request_id": key}, 401, **HEADERS)


def _called(wire: str, key: str) -> dict[str, Any]:
    arguments = {"path": key}
    if wire == "openai":
        calls = [(key, "read_note", json.dumps(arguments)), ("2", key, "{}")]
        return {**chat(f"Your key is {key}.", calls, reasoning_content=f"It is {key}."), "model": key}
    if wire == "anthropic":
        return message(
            {"type": "thinking", "thinking": f"It is {key}.", "signature": key},
            {"type": "redacted_thinking", "data": key},
            {"type": "text", "text": f"Your key is {key}."},
            {"type": "tool_use", "id": key, "name": "read_note", "input": arguments},
            {"type": key},
            model=key,
        )
    whole = local_chat(f"Your key is {key}.", [("read_note", arguments)], model=key)
    whole["message"]["thinking"] = f"It is {key}."
    return whole


def _answered(wire: str, key: str) -> dict[str, Any]:
    if wire == "openai":
        return chat(f"done: {key}")
    return message({"type": "text", "text": f"done: {key}"}) if wire == "anthropic" else local_chat(f"done: {key}")


def _halves(key: str) -> list[str]:
    """The key in pieces, as a stream has it."""
    return [f"Your {key[:1]}", key[1:5], key[5:-1], f"{key[-1:]}."]


def _streamed(wire: str, key: str) -> bytes:
    if wire == "openai":
        call = {"index": 0, "id": key, "function": {"name": "read_note", "arguments": json.dumps({"path": key})}}
        deltas: list[dict[str, Any]] = [{"reasoning_content": piece} for piece in _halves(key)]
        deltas += [{"content": piece} for piece in _halves(key)] + [{"tool_calls": [call]}]
        chunks = [{"model": key, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        return stream(sse(*chunks, {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}, "[DONE]"))
    if wire == "anthropic":
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": {"model": key, "usage": {"input_tokens": 9}}}
        ]
        for index, (kind, delta) in enumerate((("thinking", "thinking_delta"), ("text", "text_delta"))):
            events.append({"type": "content_block_start", "index": index, "content_block": {"type": kind, kind: ""}})
            events += [
                {"type": "content_block_delta", "index": index, "delta": {"type": delta, kind: piece}}
                for piece in _halves(key)
            ]
        signed = {"type": "signature_delta", "signature": key}
        call = {"type": "tool_use", "id": key, "name": "read_note", "input": {}}
        part = {"type": "input_json_delta", "partial_json": json.dumps({"path": key})}
        events += [
            {"type": "content_block_delta", "index": 0, "delta": signed},
            {"type": "content_block_start", "index": 2, "content_block": call},
            {"type": "content_block_delta", "index": 2, "delta": part},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}},
            {"type": "message_stop"},
        ]
        return stream(sse(*events, named=True))
    said = [{"message": {"content": piece, "thinking": piece}, "done": False} for piece in _halves(key)]
    calls = [{"id": key, "function": {"name": "read_note", "arguments": {"path": key}}}]
    last = {"model": key, "message": {"content": "", "tool_calls": calls}, "done": True, "done_reason": "stop"}
    return stream(ndjson(*said, last), "application/x-ndjson")


def _cut(wire: str, key: str) -> bytes:
    """A stream that ends in an error with the key, after some text with it."""
    if wire == "openai":
        text: dict[str, Any] = {"choices": [{"index": 0, "delta": {"content": key}, "finish_reason": None}]}
        return stream(sse(text, {"error": {"message": f"busy {key}", "type": "server_error"}}))
    if wire == "anthropic":
        begun = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": key}}
        busy = {"type": "error", "error": {"type": "overloaded_error", "message": f"busy {key}"}}
        return stream(sse(begun, busy, named=True))
    said = {"message": {"content": key}, "done": False}
    return stream(ndjson(said, {"error": f"busy {key}"}), "application/x-ndjson")
