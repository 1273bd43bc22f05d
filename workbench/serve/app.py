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
from workbench.serve import listing
from workbench.serve.chat import SESSION, Chat
from workbench.serve.conversations import Conversations
from workbench.serve.dialects import BROKEN, Body, Dialect
from workbench.serve.dialects.anthropic import ANTHROPIC, count_problem
from workbench.serve.dialects.ollama import OLLAMA
from workbench.serve.dialects.openai import OPENAI
from workbench.serve.dialects.responses import RESPONSES
from workbench.serve.exchange import LARGEST, Exchange, HungUp, Receive, Scope, Send, TooLarge
from workbench.serve.listing import Listing
from workbench.sessions.errors import SessionError
from workbench.view.visible import visible

CHATS: dict[str, Dialect] = {
    "/v1/chat/completions": OPENAI,
    "/v1/responses": RESPONSES,
    "/v1/messages": ANTHROPIC,
    "/api/chat": OLLAMA,
}
COUNT = "/v1/messages/count_tokens"
SHOW = "/api/show"
POSTED = (*CHATS, COUNT, SHOW)
HUNG_UP = 499
"""What the log says of a request whose client has gone."""


class _Refused(Exception):
    """A request that is not taken, with the status and the words for it."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.words = words


class App:
    """Plays a script to any client. `model` is its name in lists, `native` whether it calls tools beside its text;
    `say` gets a line for each request.

    Unless it is `public`, a request has to call this machine by a name that no web page can have.
    """

    def __init__(
        self,
        conversations: Conversations,
        *,
        model: str,
        native: bool,
        say: Callable[[str], None],
        largest: int = LARGEST,
        public: bool = False,
    ) -> None:
        self._conversations = conversations
        self._listing = Listing(model, datetime.now(UTC).replace(microsecond=0), native)
        self._say = say
        self._largest = largest
        self._public = public

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
        allowed = ("POST",) if path in POSTED else ("GET", "HEAD") if _is_listed(path) else ()
        if not allowed:
            raise _Refused(404, f"there is no {path} here; there are {', '.join((*POSTED, *listing.PATHS))}")
        if exchange.method not in allowed:
            raise _Refused(405, f"{path} takes {allowed[0]}, not {exchange.method}")
        headers = {dialect.request_id: request_id}
        if path == "/":
            await exchange.whole(200, self._greeting(), headers, "text/plain; charset=utf-8")
            return ""
        if path in CHATS:
            return await self._chat(exchange, dialect, headers, request_id)
        if path not in POSTED:
            page = self._listing.page(path, dialect)
        elif path == SHOW:
            page = self._shown(await self._body(exchange))
        else:
            page = self._counted(exchange, await self._body(exchange))
        await exchange.whole(200, to_json(page), headers)
        return ""

    async def _body(self, exchange: Exchange) -> dict[str, Any]:
        try:
            return read_object(await exchange.body(self._largest), "the body of the request")
        except TooLarge:
            raise _Refused(413, f"the request has more than {self._largest:,} bytes") from None
        except Malformed as error:
            raise _Refused(400, str(error)) from None

    async def _chat(self, exchange: Exchange, dialect: Dialect, headers: dict[str, str], request_id: str) -> str:
        body = await self._body(exchange)
        problem = dialect.problem(body, exchange.headers)
        if problem:
            raise _Refused(400, problem)
        if (idle := dialect.idle(body)) is not None:
            await exchange.whole(200, to_json(idle), headers)
            return "no messages: nothing is said"
        asked = dialect.read(body)
        finding = self._conversations.find(dialect, asked, exchange.headers.get(SESSION, ""))
        found = await exchange.while_there(finding)
        conversation = found.conversation
        headers = headers | {SESSION: conversation.run.header.id}
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
        lines = [
            f"{self._listing.name}, played by the agent workbench {__version__}",
            *(f"POST {path}" for path in CHATS),
        ]
        return "\n".join([*lines, ""]).encode()

    def _shown(self, body: Body) -> dict[str, Any]:
        page = self._listing.show(body)
        if page is None:
            raise _Refused(400, "model is required")
        return page

    def _counted(self, exchange: Exchange, body: Body) -> dict[str, Any]:
        """How many tokens a request would have, as the reply to it would say."""
        problem = count_problem(body, exchange.headers)
        if problem:
            raise _Refused(400, problem)
        return {"input_tokens": self._conversations.count(ANTHROPIC, ANTHROPIC.read(body))}


def _is_listed(path: str) -> bool:
    return path == "/" or path in listing.PATHS or path.startswith(f"{listing.MODELS}/")


def _dialect(exchange: Exchange) -> Dialect:
    """Whose words a client understands, also where it asks for what there is not."""
    if exchange.path in CHATS:
        return CHATS[exchange.path]
    if exchange.path.startswith("/api/"):
        return OLLAMA
    by_anthropic = exchange.path.startswith("/v1/messages") or "anthropic-version" in exchange.headers
    return ANTHROPIC if by_anthropic else OPENAI
