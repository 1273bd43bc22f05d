"""The vendors' own types as judges of what is sent. Imports their packages: tests take it by `pytest.importorskip`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from pydantic import ConfigDict, TypeAdapter

chat_types: Any = import_module("openai.types.chat")
chat_requests: Any = import_module("openai.types.chat.completion_create_params")
anthropic_types: Any = import_module("anthropic.types")
anthropic_requests: Any = import_module("anthropic.types.message_create_params")
ollama_types: Any = import_module("ollama._types")

FORBID = ConfigDict(extra="forbid")


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """Kept, as what it gives out goes on using it."""
    return TypeAdapter(list[kind], config=FORBID)


def judge(kind: Any, *values: Any) -> None:
    """Raises ValueError for a value that is not of that kind, or has anything more."""
    drain(adapter(kind).validate_python(list(values)))


def drain(value: Any) -> None:
    """Walk everything inside: these types look at their items only when they are asked for."""
    if isinstance(value, Mapping):
        value = value.values()
    if not isinstance(value, str | bytes) and hasattr(value, "__iter__"):
        for item in value:
            drain(item)


def check_openai(request: dict[str, Any]) -> None:
    way = "Streaming" if request.get("stream") else "NonStreaming"
    judge(getattr(chat_requests, f"CompletionCreateParams{way}"), request)
    judge(chat_types.ChatCompletionMessageParam, *request["messages"])


def check_anthropic(request: dict[str, Any]) -> None:
    way = "Streaming" if request.get("stream") else "NonStreaming"
    judge(getattr(anthropic_requests, f"MessageCreateParams{way}"), request)
    judge(anthropic_types.MessageParam, *request["messages"])
    # The union of blocks has those of replies in it, which take anything more: each is judged by its kind.
    for item in request["messages"]:
        for block in item["content"]:
            name = "".join(part.title() for part in block["type"].split("_"))
            judge(getattr(anthropic_types, f"{name}BlockParam"), block)


def check_ollama(request: dict[str, Any]) -> None:
    ollama_types.ChatRequest.model_validate(request)
    for item in request["messages"]:
        ollama_types.Message.model_validate(item, strict=True, extra="forbid")
    for tool in request.get("tools", ()):
        ollama_types.Tool.model_validate(tool)


CHECKS = {"openai": check_openai, "anthropic": check_anthropic, "ollama": check_ollama}
