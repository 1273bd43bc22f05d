"""The three wires, each as the sum of its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from workbench.core.ports import Reply, Request, Signal
from workbench.core.values import ToolInfo
from workbench.models.wire.anthropic import decode as anthropic_decode
from workbench.models.wire.anthropic import encode as anthropic_encode
from workbench.models.wire.anthropic import stream as anthropic_stream
from workbench.models.wire.endpoint import VENDORS_KEYS, Endpoint, WireName
from workbench.models.wire.lines import Frame
from workbench.models.wire.ndjson import NdjsonParser
from workbench.models.wire.ollama import decode as ollama_decode
from workbench.models.wire.ollama import encode as ollama_encode
from workbench.models.wire.ollama import stream as ollama_stream
from workbench.models.wire.openai import decode as openai_decode
from workbench.models.wire.openai import encode as openai_encode
from workbench.models.wire.openai import stream as openai_stream
from workbench.models.wire.sse import SseParser
from workbench.models.wire.transcript import Encode


class Parser(Protocol):
    """Bytes in any chopping to the events of a stream."""

    def feed(self, chunk: bytes) -> list[Frame]: ...
    def close(self) -> list[Frame]: ...


class Assembler(Protocol):
    """The events of a stream to a reply."""

    @property
    def ended(self) -> bool: ...
    @property
    def complete(self) -> bool: ...
    @property
    def partial(self) -> str: ...
    def feed(self, frame: Frame) -> tuple[Signal, ...]: ...
    def reply(self) -> Reply: ...


EncodeBody = Callable[[Endpoint, Request, Sequence[dict[str, Any]], Sequence[dict[str, Any]]], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """How one vendor is spoken to."""

    name: WireName
    base_url: str
    """The vendor's own address."""
    key_env: str
    """The environment variable that people keep the key in; "" where there is none as a rule."""
    path: str
    """Of a request, below a base address that may end with a part of it."""
    models_path: str
    """Of the list of models."""
    headers: Callable[[Endpoint, str], dict[str, str]]
    """Of an endpoint and a key, "" for none."""
    encode_turn: Encode
    encode_tools: Callable[[Sequence[ToolInfo]], list[dict[str, Any]]]
    encode_body: EncodeBody
    may_be_id: Callable[[str], bool]
    decode: Callable[[Mapping[str, Any]], Reply]
    parser: Callable[[], Parser]
    assembler: Callable[[], Assembler]
    model_names: Callable[[Mapping[str, Any]], list[str]]
    """The names in the body of the list of models."""
    tool_choice: bool = True
    """Whether it can be told to call a tool."""
    cuts_silently: bool = False
    """Whether a prompt that is too long is cut without a word."""


def address(base_url: str, path: str) -> str:
    """The address of a request: what the base address ends with is not said again, e.g. a version."""
    base = base_url.rstrip("/")
    parts = path.strip("/").split("/")
    for length in range(len(parts), 0, -1):
        if base.endswith("/" + "/".join(parts[:length])):
            return "/".join([base, *parts[length:]])
    return "/".join([base, *parts])


def lacking_end(endpoint: Endpoint) -> str:
    """A question about a base address of nothing but a host, where the vendor's own goes on, with /v1, say; else ""."""
    end, path = urlsplit(WIRES[endpoint.wire].base_url).path, urlsplit(endpoint.base_url).path
    return f"is {end} missing at the end of base_url?" if end and not path.strip("/") else ""


def _bearer(endpoint: Endpoint, key: str) -> dict[str, str]:  # noqa: ARG001 - only some wires have a version
    return {"authorization": f"Bearer {key}"} if key else {}


def _anthropic_headers(endpoint: Endpoint, key: str) -> dict[str, str]:
    version = {"anthropic-version": endpoint.api_version or anthropic_encode.API_VERSION}
    return version | ({"x-api-key": key} if key else {})


def _data_ids(body: Mapping[str, Any]) -> list[str]:
    return _names(body.get("data"), "id")


def _ollama_names(body: Mapping[str, Any]) -> list[str]:
    return _names(body.get("models"), "name")


def _names(items: Any, key: str) -> list[str]:
    listed = items if isinstance(items, list) else []
    return [item[key] for item in listed if isinstance(item, dict) and isinstance(item.get(key), str)]


WIRES: dict[WireName, Wire] = {
    "openai": Wire(
        name="openai",
        base_url="https://api.openai.com/v1",
        key_env=VENDORS_KEYS["openai"],
        path="chat/completions",
        models_path="models",
        headers=_bearer,
        encode_turn=openai_encode.encode_turn,
        encode_tools=openai_encode.encode_tools,
        encode_body=openai_encode.encode_body,
        may_be_id=openai_encode.may_be_id,
        decode=openai_decode.decode,
        parser=SseParser,
        assembler=openai_stream.Assembler,
        model_names=_data_ids,
    ),
    "anthropic": Wire(
        name="anthropic",
        base_url="https://api.anthropic.com",
        key_env=VENDORS_KEYS["anthropic"],
        path="v1/messages",
        models_path="v1/models",
        headers=_anthropic_headers,
        encode_turn=anthropic_encode.encode_turn,
        encode_tools=anthropic_encode.encode_tools,
        encode_body=anthropic_encode.encode_body,
        may_be_id=anthropic_encode.may_be_id,
        decode=anthropic_decode.decode,
        parser=SseParser,
        assembler=anthropic_stream.Assembler,
        model_names=_data_ids,
    ),
    "ollama": Wire(
        name="ollama",
        base_url="http://127.0.0.1:11434",
        key_env="",
        path="api/chat",
        models_path="api/tags",
        headers=_bearer,
        encode_turn=ollama_encode.encode_turn,
        encode_tools=ollama_encode.encode_tools,
        encode_body=ollama_encode.encode_body,
        may_be_id=ollama_encode.may_be_id,
        decode=ollama_decode.decode,
        parser=NdjsonParser,
        assembler=ollama_stream.Assembler,
        model_names=_ollama_names,
        tool_choice=False,
        cuts_silently=True,
    ),
}
