"""The server as an ASGI application: routes, errors in each vendor's words, and a line in the log for each request.

It is written against ASGI itself, as a reply of this server may have to break off in the middle.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from workbench import __version__
from workbench.models.wire.body import read_object, to_json
from workbench.models.wire.endpoint import is_local, is_unclaimed
from workbench.models.wire.errors import Malformed
from workbench.recording import JournalBroken
from workbench.serve.chat import SESSION, Chat
from workbench.serve.conversations import Conversations
from workbench.serve.dialects import BROKEN, Dialect
from workbench.serve.dialects.anthropic import ANTHROPIC
from workbench.serve.dialects.ollama import OLLAMA
from workbench.serve.dialects.openai import OPENAI
from workbench.serve.exchange import LARGEST, Exchange, HungUp, Receive, Scope, Send, TooLarge
from workbench.sessions.errors import SessionError
from workbench.view.visible import visible

CHATS: dict[str, Dialect] = {
    "/v1/chat/completions": OPENAI,
    "/v1/messages": ANTHROPIC,
    "/api/chat": OLLAMA,
}
LISTS = ("/", "/v1/models", "/api/tags", "/api/version")
HUNG_UP = 499
"""What the log says of a request whose client has gone."""


class _Refused(Exception):
    """A request that is not taken, with the status and the words for it."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.words = words


class App:
    """Plays a script to any client. `model` is its name in lists; `say` gets a line for each request.

    Unless it is `public`, a request has to call this machine by a name that no web page can have.
    """

    def __init__(
        self,
        conversations: Conversations,
        *,
        model: str,
        say: Callable[[str], None],
        largest: int = LARGEST,
        public: bool = False,
    ) -> None:
        self._conversations = conversations
        self._model = model
        self._say = say
        self._largest = largest
        self._public = public
        self._since = datetime.now(UTC).replace(microsecond=0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, as ASGI has it."""
        if scope["type"] != "http":
            return
        exchange = Exchange(scope, receive, send)
        dialect, request_id = _dialect(exchange), f"req_{uuid4().hex[:24]}"
        status = 0
        try:
            words = await self._respond(exchange, dialect, request_id)
        except _Refused as refused:
            words = refused.words
            failing = dialect.refusals[refused.status]
            body = dialect.error(failing, words, request_id)
            headers = {dialect.request_id: request_id}
            await exchange.whole(failing.status, to_json(body), headers)
        except (JournalBroken, SessionError) as error:
            words = str(error)
            await self._fail(exchange, dialect, words, request_id)
        except HungUp as error:
            words, status = f"{error}: the client has gone".removeprefix(": "), HUNG_UP
        except asyncio.CancelledError:
            self._log(exchange, HUNG_UP, "the server is closing")
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the end of one request and not of the server
            words = f"the server failed: {error!r}"
            self._say(visible("".join(traceback.format_exception(error))))
            await self._fail(exchange, dialect, words, request_id)
        self._log(exchange, status or exchange.status, words)

    def _log(self, exchange: Exchange, status: int, words: str) -> None:
        line = f"{time.strftime('%H:%M:%S')} {exchange.method} {exchange.path} {status} {words}"
        self._say(visible(line.rstrip()).replace("\n", "↵"))

    async def _fail(self, exchange: Exchange, dialect: Dialect, words: str, request_id: str) -> None:
        """Say that it is the server's own failure, or break off where a reply has begun."""
        if exchange.status:
            return
        headers = {dialect.request_id: request_id, "x-should-retry": "false"}
        await exchange.whole(BROKEN.status, to_json(dialect.error(BROKEN, words, request_id)), headers)

    # ------------------------------------------------------------ routes

    async def _respond(self, exchange: Exchange, dialect: Dialect, request_id: str) -> str:
        origin, host = exchange.headers.get("origin", ""), exchange.headers.get("host", "")
        if origin and not is_local(origin):
            raise _Refused(403, "requests of web pages from elsewhere are not answered")
        if host and not self._public and not is_unclaimed(host):
            raise _Refused(403, f"this machine is not called {host[:100]} here; localhost and 127.0.0.1 are its names")
        path = exchange.path
        if path not in CHATS and path not in LISTS:
            raise _Refused(404, f"there is no {path} here; there are {', '.join((*CHATS, *LISTS[1:]))}")
        allowed = ("POST",) if path in CHATS else ("GET", "HEAD")
        if exchange.method not in allowed:
            raise _Refused(405, f"{path} takes {allowed[0]}, not {exchange.method}")
        if path in CHATS:
            return await self._chat(exchange, dialect, request_id)
        headers = {dialect.request_id: request_id}
        if path == "/":
            await exchange.whole(200, self._greeting(), headers, "text/plain; charset=utf-8")
        else:
            await exchange.whole(200, to_json(self._list(path, dialect)), headers)
        return ""

    async def _chat(self, exchange: Exchange, dialect: Dialect, request_id: str) -> str:
        try:
            body = read_object(await exchange.body(self._largest), "the body of the request")
            problem = dialect.problem(body, exchange.headers)
            if problem:
                raise _Refused(400, problem)
            asked = dialect.read(body)
        except TooLarge:
            raise _Refused(413, f"the request has more than {self._largest:,} bytes") from None
        except Malformed as error:
            raise _Refused(400, str(error)) from None
        finding = self._conversations.find(dialect, asked, exchange.headers.get(SESSION, ""))
        found = await exchange.while_there(finding)
        conversation = found.conversation
        headers = {dialect.request_id: request_id, SESSION: conversation.run.header.id}
        chat = Chat(exchange, dialect, asked, found, headers, request_id)
        if found.before is not None:
            words = await chat.again()
        else:
            try:
                words = await exchange.while_there(chat.answer(self._conversations))
            except HungUp:
                raise HungUp(conversation.name) from None
            finally:
                conversation.release(found)
        note = f" ({found.note})" if found.note else ""
        return f"{conversation.name}: {words}{note}"

    # ------------------------------------------------------------ what there is

    def _greeting(self) -> bytes:
        lines = [f"{self._model}, played by the agent workbench {__version__}", *(f"POST {path}" for path in CHATS)]
        return "\n".join([*lines, ""]).encode()

    def _list(self, path: str, dialect: Dialect) -> dict[str, Any]:
        """The one model there is, in the shape that this path has."""
        name, since = self._model, self._since
        stamp = since.isoformat().replace("+00:00", "Z")
        if path == "/api/version":
            return {"version": __version__}
        if path == "/api/tags":
            details = {"family": "scripted", "format": "", "parameter_size": "", "quantization_level": ""}
            entry = {"name": name, "model": name, "modified_at": stamp, "size": 0, "digest": "", "details": details}
            return {"models": [entry]}
        if dialect is ANTHROPIC:
            item = {"type": "model", "id": name, "display_name": name, "created_at": stamp}
            return {"data": [item], "has_more": False, "first_id": name, "last_id": name}
        model: dict[str, Any] = {
            "id": name,
            "object": "model",
            "created": int(since.timestamp()),
            "owned_by": "workbench",
        }
        return {"object": "list", "data": [model]}


def _dialect(exchange: Exchange) -> Dialect:
    """Whose words a client understands, also where it asks for what there is not."""
    if exchange.path.startswith("/api/"):
        return OLLAMA
    by_anthropic = exchange.path.startswith("/v1/messages") or "anthropic-version" in exchange.headers
    return ANTHROPIC if by_anthropic else OPENAI
