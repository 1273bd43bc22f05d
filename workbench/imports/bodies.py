"""Bodies of requests and replies of the three wires, told apart by their shape, alone or in pairs. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.core.ports import ModelFailure, Reply
from workbench.imports import anthropic, ollama, openai
from workbench.imports.conversation import Exchange, Item, Said, items_of, kept
from workbench.models.wire.body import as_text
from workbench.models.wire.endpoint import WireName
from workbench.models.wire.errors import Malformed, StreamError
from workbench.models.wire.wires import WIRES

HOLDERS = ("messages", "traj", "trajectory", "conversation", "history")
"""Fields that logs keep their list of messages in."""
REQUEST_NAMES = ("request", "req", "input", "request_body", "requestBody")
REPLY_NAMES = ("response", "reply", "res", "output", "response_body", "responseBody")
_INSIDE = ("body", "json", "data", "content", "text", "postData")
"""Fields in which an envelope keeps the body itself."""
_DEEPEST = 3
"""Envelopes within envelopes that are opened."""


def is_message(value: Any) -> bool:
    """Whether this is a message of one of the wires, as far as can be told by its role."""
    return isinstance(value, Mapping) and isinstance(value.get("role"), str)


def are_messages(value: Any) -> bool:
    """Whether this is a list of messages."""
    return isinstance(value, list) and bool(value) and is_message(value[0])


def messages_in(value: Any) -> str:
    """The field of an object that holds a list of messages; "" when there is none."""
    if not isinstance(value, Mapping):
        return ""
    return next((name for name in HOLDERS if are_messages(value.get(name))), "")


def reply_wire(value: Any) -> WireName | None:
    """Whose reply this body is; None when it is none."""
    if not isinstance(value, Mapping):
        return None
    if isinstance(value.get("choices"), list):
        return "openai"
    if isinstance(value.get("content"), list) and "stop_reason" in value:
        return "anthropic"
    return "ollama" if isinstance(value.get("message"), Mapping) and "done" in value else None


# ---------------------------------------------------------------- requests


def of_messages(messages: Sequence[Any], body: Mapping[str, Any] | None = None, holder: str = "messages") -> Exchange:
    """A list of messages, or the body that holds it in that field, as a request."""
    body = body or {}
    wire = _wire_of(messages, body)
    offered = openai.tools(body.get("tools"))
    read_fields = {holder, "tools", "model"}
    if wire == "anthropic":
        shape = anthropic.SHAPE
        system, items = anthropic.read(messages, body.get("system"))
        read_fields.add("system")
    elif wire == "ollama":
        shape = ollama.SHAPE
        system, items = ollama.read(messages)
    else:
        shape = openai.SHAPE
        system, items = openai.read(messages)
    rest = {name: value for name, value in body.items() if name not in read_fields}
    return Exchange(
        shape=shape,
        system=system,
        tools=offered,
        model=as_text(body.get("model")),
        items=tuple(items),
        rest=rest or None,
    )


def _wire_of(messages: Sequence[Any], body: Mapping[str, Any]) -> WireName:
    """By what no other wire has; plain texts are the same on all of them."""
    offered = [tool for tool in items_of(body.get("tools")) if isinstance(tool, Mapping)]
    if body.get("system") or any("input_schema" in tool for tool in offered):
        return "anthropic"
    for message in filter(is_message, messages):
        blocks = items_of(message.get("content"))
        if any(isinstance(block, Mapping) and as_text(block.get("type")) in anthropic.BLOCKS for block in blocks):
            return "anthropic"
        if "tool_name" in message or any(map(_has_object, items_of(message.get("tool_calls")))):
            return "ollama"
    return "ollama" if isinstance(body.get("options"), Mapping) else "openai"


def _has_object(call: Any) -> bool:
    """Whether the arguments of a call are an object, which only one wire has."""
    function = call.get("function") if isinstance(call, Mapping) else None
    return isinstance(function, Mapping) and isinstance(function.get("arguments"), Mapping)


# ---------------------------------------------------------------- replies


def of_reply(wire: WireName, body: Any) -> tuple[Item, ...]:
    """A reply as one item: said, or kept with the reason why it cannot be read."""
    try:
        return (Said(_streamed(wire, body) if isinstance(body, str) else WIRES[wire].decode(body)),)
    except StreamError as error:
        return (kept(f"a request failed: {error}", body),)
    except (Malformed, ModelFailure) as error:
        return (kept(f"a reply cannot be read: {error}", body),)


def _streamed(wire: WireName, text: str) -> Reply:
    parser, assembler = WIRES[wire].parser(), WIRES[wire].assembler()
    for frame in [*parser.feed(text.encode("utf-8", "replace")), *parser.close()]:
        if not assembler.ended:
            assembler.feed(frame)
    return assembler.reply()


# ---------------------------------------------------------------- pairs


def pair_in(value: Any) -> tuple[Any, Any] | None:
    """Request and reply of a logged exchange, each as it stands in there; None when this is none."""
    if not isinstance(value, Mapping):
        return None
    request = next((value[name] for name in REQUEST_NAMES if name in value), None)
    reply = next((value[name] for name in REPLY_NAMES if name in value), None)
    return (request, reply) if messages_in(_body(request)) or reply_wire(_body(reply)) else None


def of_pair(request: Any, reply: Any) -> Exchange:
    """A request with its reply, which may be missing or a failure."""
    asked, answered = _body(request), _body(reply)
    holder = messages_in(asked)
    exchange = of_messages(asked[holder], asked, holder) if holder else Exchange(shape="replies")
    if answered is None:
        return exchange
    wire = reply_wire(answered)
    if wire is None and isinstance(answered, str):
        wire = _named(exchange.shape)
    if wire is None:
        failed = kept("what came back for a request is no reply that can be read", answered)
        return replace(exchange, replies=(failed,))
    return replace(exchange, replies=of_reply(wire, answered))


def in_order(values: Sequence[Any]) -> Iterator[Exchange]:
    """Exchanges from a list in which bodies of requests, of replies, and pairs of both stand one after the other."""
    waiting: Exchange | None = None
    for value in values:
        pair, wire, holder = pair_in(value), reply_wire(value), messages_in(value)
        if wire is not None:
            yield replace(waiting or Exchange(shape="replies"), replies=of_reply(wire, value))
            waiting = None
            continue
        if waiting is not None:
            yield waiting
            waiting = None
        if pair is not None:
            yield of_pair(*pair)
        elif holder:
            waiting = of_messages(value[holder], value, holder)
        elif are_messages(value):
            waiting = of_messages(value)
        else:
            yield Exchange(shape="", items=(kept("a line is neither a request nor a reply", value),))
    if waiting is not None:
        yield waiting


def _named(shape: str) -> WireName:
    return {anthropic.SHAPE: "anthropic", ollama.SHAPE: "ollama"}.get(shape, "openai")  # type: ignore[return-value]


def _body(value: Any, depth: int = 0) -> Any:
    """The body within the envelope that a recorder put around it; text that is JSON is read."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    if not isinstance(value, Mapping) or messages_in(value) or reply_wire(value) or depth == _DEEPEST:
        return value
    for name in _INSIDE:
        inner = _body(value[name], depth + 1) if name in value else None
        if messages_in(inner) or reply_wire(inner) or (isinstance(inner, str) and name in ("body", "text")):
            return inner
    return value
