"""One request and its reply, at the level where a reply can break in the middle."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, MutableMapping
from typing import Any, TypeVar

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

T = TypeVar("T")

LARGEST = 32 * 1024 * 1024
"""Bytes of a request, at most."""
SILENCE = 30.0
"""Seconds of silence in a request, at most; whoever sends it is on this machine."""
JSON = "application/json"


class TooLarge(Exception):
    """The request has more bytes than are read."""


class HungUp(Exception):
    """The client has gone."""


class Exchange:
    """A request, its reply, and what is to be logged of both. To return without `end` cuts the connection."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"].rstrip("/") or "/"
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        self.status = 0
        """Of the reply; 0 while it has not begun."""
        self._receive = receive
        self._send = send

    async def body(self, largest: int = LARGEST) -> bytes:
        """The whole body. Raises TooLarge as soon as it is, and HungUp, also for a client that has fallen silent."""
        parts, length, more = [], 0, True
        while more:
            try:
                async with asyncio.timeout(SILENCE):
                    message = await self._receive()
            except TimeoutError:
                raise HungUp from None
            if message["type"] == "http.disconnect":
                raise HungUp
            parts.append(message.get("body", b""))
            length += len(parts[-1])
            if length > largest:
                raise TooLarge
            more = message.get("more_body", False)
        return b"".join(parts)

    async def begin(self, status: int, kind: str, headers: Mapping[str, str], length: int | None = None) -> None:
        """Send status and headers; without a length the body is chunked."""
        self.status = status
        fields = {"content-type": kind, **headers} | ({} if length is None else {"content-length": str(length)})
        pairs = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in fields.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": pairs})

    async def piece(self, data: bytes) -> None:
        """Send a part of the body."""
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self, data: bytes = b"") -> None:
        """Send the last part of the body."""
        await self._send({"type": "http.response.body", "body": data})

    async def whole(self, status: int, data: bytes, headers: Mapping[str, str], kind: str = JSON) -> None:
        """Send a whole reply."""
        await self.begin(status, kind, headers, len(data))
        await self.end(data)

    async def while_there(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the work, which is cancelled when the client goes. Raises HungUp then, and what the work raises."""
        working, leaving = asyncio.create_task(work), asyncio.create_task(self._gone())
        try:
            await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise HungUp
            return working.result()
        finally:
            for task in (working, leaving):
                task.cancel()
            await asyncio.gather(working, leaving, return_exceptions=True)

    async def _gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
