"""How bytes travel: the only module that knows httpx. Import it when there is something to send."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import httpx

from workbench.models.wire.endpoint import is_local
from workbench.models.wire.errors import Malformed, Unreachable, Unsendable

CONNECT = 10.0
"""Seconds for a connection to come about."""

MOST_BYTES = 64_000_000
"""Of one reply; whoever sends more sends nonsense."""

MOST_ERROR_BYTES = 64_000
KEEP_ALIVE = 60.0
"""Seconds that an idle connection is kept for the next request."""

GRACE = 0.25
"""Seconds that a server has, after the last event of a stream, to end it in order, so that its connection can serve
again."""


@dataclass(slots=True)
class Response:
    """A reply whose body is still to be read."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    """Names in lower case. Some servers say the key in them."""
    _response: httpx.Response = field(repr=False)

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """The body as it comes. Raises Unreachable where it breaks off, Malformed where it is no body."""
        size = 0
        with _Translated(begun=True):
            async for chunk in self._response.aiter_bytes():
                size += len(chunk)
                if size > MOST_BYTES:
                    raise Malformed(f"it has more than {MOST_BYTES:,} bytes")
                yield chunk

    async def body(self) -> bytes:
        """The whole body."""
        return b"".join([chunk async for chunk in self.chunks()])

    async def error_body(self) -> bytes:
        """As much of the body as an error needs; what cannot be read is no worse than the error itself."""
        parts: list[bytes] = []
        with suppress(Unreachable, Malformed):
            async for chunk in self.chunks():
                parts.append(chunk)
                if sum(map(len, parts)) > MOST_ERROR_BYTES:
                    break
        return b"".join(parts)


async def drain(chunks: AsyncIterator[bytes]) -> None:
    """Wait a moment for the end of a body of which nothing more is wanted."""
    with suppress(TimeoutError, Unreachable, Malformed):
        async with asyncio.timeout(GRACE):
            async for _ in chunks:
                pass


class HttpClient:
    """Connections to one server, kept between requests, on whichever event loop runs.

    Nobody has to close it: its connections are closed when the loop ends, or by `close`.
    """

    def __init__(self, base_url: str) -> None:
        # What is on this machine is never reached through a proxy.
        self._through_proxy = not is_local(base_url)
        self._secure = base_url.lower().startswith("https:")
        self._client: httpx.AsyncClient | None = None
        self._keeper: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def send(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes | None, *, idle: float | None
    ) -> AsyncIterator[Response]:
        """Send a request; the reply's head is there, its body comes. `idle` is seconds of silence, None for no limit.

        Leaving closes the connection unless the body was read to its end. Raises Unreachable and Unsendable.
        """
        client = self._open()
        with _Translated(begun=False):
            request = client.build_request(
                method,
                url,
                headers=dict(headers),
                content=content,
                timeout=httpx.Timeout(idle, connect=CONNECT, pool=None),
            )
            del headers  # whoever shows the values of a traceback would show the key
            response = await client.send(request, stream=True)
        try:
            yield Response(response.status_code, response.headers, response)
        finally:
            await response.aclose()

    def close(self) -> None:
        """Close all connections. Call it on the loop that used them, or after that loop has ended."""
        if self._keeper is not None and not self._keeper.get_loop().is_closed():
            self._keeper.cancel()
        self._client = self._keeper = None

    def _open(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if self._client is not None and self._keeper is not None and self._keeper.get_loop() is loop:
            return self._client
        logging.getLogger("httpcore").setLevel(logging.INFO)  # what it says for debugging quotes headers
        self._client = httpx.AsyncClient(
            # To read what is trusted takes 20 ms. Where no certificate is asked for, nobody is trusted.
            verify=self._secure or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            trust_env=self._through_proxy,
            follow_redirects=False,
            limits=httpx.Limits(keepalive_expiry=KEEP_ALIVE),
            headers={"user-agent": "agent-workbench"},
        )
        self._keeper = loop.create_task(_kept(self._client))
        _KEEPERS.add(self._keeper)
        self._keeper.add_done_callback(_KEEPERS.discard)
        return self._client


_KEEPERS: set[asyncio.Task[None]] = set()
"""Nothing else holds a task that only waits."""


async def _kept(client: httpx.AsyncClient) -> None:
    """Lives until it is cancelled, at the latest at the end of its loop."""
    try:
        await asyncio.Event().wait()
    finally:
        await client.aclose()


class _Translated:
    """Turns what httpx raises into our own. Nothing is chained: its errors can quote headers."""

    __slots__ = ("_begun",)

    def __init__(self, *, begun: bool) -> None:
        self._begun = begun

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, httpx.HTTPError | httpx.InvalidURL | httpx.StreamError | UnicodeError):
            raise _ours(error, self._begun) from None


def _ours(error: Exception, begun: bool) -> Exception:
    match error:
        case httpx.ConnectTimeout():
            return Unreachable(f"no connection within {CONNECT:g} seconds", slow=True)
        case httpx.TimeoutException():
            return Unreachable(
                "the server fell silent" if begun else "the server did not reply", slow=True, begun=begun
            )
        case httpx.ConnectError() | httpx.ProxyError():
            return Unreachable(_unconnected(error))
        case httpx.DecodingError():
            return Malformed("its body is not encoded as it says")
        case httpx.UnsupportedProtocol() | httpx.LocalProtocolError() | httpx.InvalidURL() | UnicodeError():
            return Unsendable("the address or a header of the request is broken")
        case _:
            return Unreachable("the connection broke off", begun=begun)


def _unconnected(error: BaseException) -> str:
    """Why there is no connection. What the system said is at the end of the causes, once for each address tried."""
    cause: BaseException | None = error
    while cause is not None:
        match cause:
            case ConnectionRefusedError():
                return "nobody listens there (is the server running?)"
            case socket.gaierror():
                return "there is no host of that name, or no network"
            case ssl.SSLCertVerificationError():
                return f"its certificate is not trusted: {cause.verify_message}"
            case ssl.SSLError():
                return "it does not speak TLS (is it http:// instead of https://?)"
        cause = cause.exceptions[0] if isinstance(cause, BaseExceptionGroup) else cause.__cause__ or cause.__context__
    return f"no connection: {error}"
