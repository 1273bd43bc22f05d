"""A small HTTP server on loopback that does what a test tells it to, byte for byte, and remembers what it was sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Exchange:
    """One request, and the line to whoever sent it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    writer: asyncio.StreamWriter
    reader: asyncio.StreamReader
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the client has closed the connection; only `until_hung_up` looks."""

    def json(self) -> dict[str, Any]:
        value = json.loads(self.body)
        assert isinstance(value, dict)
        return value

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def until_hung_up(self) -> None:
        """Keep the line open and wait for the client to close it."""
        while await self.reader.read(1):
            pass
        self.hung_up.set()


Answer = bytes | Callable[[Exchange], Awaitable[None]]


class Server:
    """Answers request after request; the last answer serves for all that follow. An async context manager."""

    def __init__(self, *answers: Answer, port: int = 0) -> None:
        self._answers = list(answers)
        self.port = port
        self.requests: list[Exchange] = []
        self.connections = 0
        self._came = asyncio.Condition()

    async def __aenter__(self) -> Server:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        self._tasks: set[asyncio.Task[None]] = set()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [exchange.json() for exchange in self.requests]

    async def asked(self, count: int = 1) -> Exchange:
        """The request of that number, from 1, once it is there."""
        async with self._came:
            await self._came.wait_for(lambda: len(self.requests) >= count)
        return self.requests[count - 1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while (exchange := await _read(reader, writer)) is not None:
                async with self._came:
                    self.requests.append(exchange)
                    self._came.notify_all()
                answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
                if not isinstance(answer, bytes):
                    await answer(exchange)
                    break
                await exchange.send(answer)
                if b"\r\ncontent-length:" not in answer.lower():
                    break
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            self._tasks.discard(task)


async def _read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Exchange | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Exchange(method, path, headers, body, writer, reader)


def http(body: bytes | dict[str, Any], status: int = 200, **headers: str) -> bytes:
    """A whole HTTP reply."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    fields = {"content-type": "application/json", "content-length": str(len(data))}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} Whatever\r\n{head}\r\n".encode() + data


def stream(body: bytes, kind: str = "text/event-stream", *, whole: bool = True) -> bytes:
    """A streamed HTTP reply in one chunk; without its end when it is not whole."""
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n".encode()
    return head + b"%x\r\n%b\r\n" % (len(body), body) + (b"0\r\n\r\n" if whole else b"")


def sse(*events: dict[str, Any] | str, named: bool = False) -> bytes:
    """Server-sent events, each with its type as its name where that is wanted."""
    out = []
    for event in events:
        data = event if isinstance(event, str) else json.dumps(event)
        name = f"event: {event['type']}\n" if named and isinstance(event, dict) else ""
        out.append(f"{name}data: {data}\n\n")
    return "".join(out).encode()


def ndjson(*lines: dict[str, Any]) -> bytes:
    """One object a line."""
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


# ---------------------------------------------------------------- what the three vendors say


def chat(
    text: str | None = "done", calls: Sequence[tuple[str, str, str]] = (), finish: str = "", **more: Any
) -> dict[str, Any]:
    """A chat completion. A call is id, name and arguments."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for call_id, name, arguments in calls
        ]
    finish = finish or ("tool_calls" if calls else "stop")
    choice = {"index": 0, "message": message | more, "finish_reason": finish}
    usage = {"prompt_tokens": 20, "completion_tokens": 8, "total_tokens": 28}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def message(*content: dict[str, Any], stop: str = "", **more: Any) -> dict[str, Any]:
    """An Anthropic message."""
    calls = any(block["type"] == "tool_use" for block in content)
    return {
        "id": "msg", "type": "message", "role": "assistant", "model": "m", "content": list(content),
        "stop_reason": stop or ("tool_use" if calls else "end_turn"), "stop_sequence": None,
        "usage": {"input_tokens": 20, "output_tokens": 8},
    } | more  # fmt: skip


def local_chat(text: str = "done", calls: Sequence[tuple[str, dict[str, Any]]] = (), **more: Any) -> dict[str, Any]:
    """An Ollama chat. A call is name and arguments."""
    said: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        said["tool_calls"] = [{"function": {"name": name, "arguments": arguments}} for name, arguments in calls]
    figures = {"prompt_eval_count": 20, "eval_count": 8}
    return {"model": "m", "message": said, "done": True, "done_reason": "stop"} | figures | more
