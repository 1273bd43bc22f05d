"""The body of a message as a reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.core.ports import ModelFailure, Reply, Usage
from workbench.core.values import RawCall
from workbench.models.wire.body import (
    as_arguments,
    as_count,
    as_list,
    as_object,
    as_text,
    clean,
    echo_text,
    unknown_part,
)
from workbench.models.wire.errors import Malformed, StreamError

FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "refusal": "refused",
}
"""Their stop reasons in our words; any other keeps its own."""

WINDOW_FULL = "model_context_window_exceeded"


def decode(body: Mapping[str, Any]) -> Reply:
    """The reply in a whole body. Raises Malformed; StreamError for an error under a status that said all is well."""
    if body.get("type") == "error" or body.get("error"):
        raise StreamError(body)
    if not isinstance(body.get("content"), list):
        raise Malformed("the reply has no content")
    blocks = [as_object(item, "a block of the content") for item in as_list(body["content"], "the content")]
    arguments = [as_arguments(block.get("input")) for block in blocks]
    return build(blocks, arguments, body, usage(body.get("usage")))


def build(blocks: Sequence[dict[str, Any]], arguments: Sequence[str], message: Mapping[str, Any], used: Usage) -> Reply:
    """The reply of those blocks; `arguments` has the raw text of each one's input, `message` how it stopped.

    Raises Malformed; ModelFailure when the context window was full.
    """
    reason = as_text(message.get("stop_reason"))
    if not reason:
        raise Malformed("the reply has no stop reason")
    texts, thoughts, calls, notes = [], [], [], dict[str, None]()
    for block, raw in zip(blocks, arguments, strict=True):
        kind = as_text(block.get("type"))
        if kind == "text":
            texts.append(as_text(block.get("text")))
        elif kind == "thinking":
            thoughts.append(as_text(block.get("thinking")))
        elif kind == "tool_use":
            name = as_text(block.get("name"))
            if not name:
                raise Malformed("a tool call in the reply has no name")
            calls.append(RawCall(name, raw, provider_id=as_text(block.get("id"))))
        elif kind != "redacted_thinking":
            notes[unknown_part(kind)] = None
    text = "".join(texts)
    if reason == WINDOW_FULL:
        raise ModelFailure("context_overflow", "the reply filled the context window of the model", partial=text)
    refused = _refusal(message.get("stop_details"))
    if refused:
        notes[refused] = None
    return Reply(
        text=text,
        calls=tuple(calls),
        thinking="\n\n".join(filter(None, thoughts)),
        finish="tool_calls" if calls and FINISH.get(reason) == "stop" else FINISH.get(reason, clean(reason)),
        usage=used,
        model=as_text(message.get("model")),
        opaque="" if _is_plain(blocks) else echo_text({"wire": "anthropic", "content": list(map(_kept, blocks))}),
        notes=tuple(notes),
    )


def usage(value: Any) -> Usage:
    """Their figures; tokens that were cached are none of the input tokens, and all three are what was read."""
    if not isinstance(value, Mapping):
        return Usage()
    fresh, written = as_count(value.get("input_tokens")), as_count(value.get("output_tokens"))
    cache_read = as_count(value.get("cache_read_input_tokens"))
    cache_write = as_count(value.get("cache_creation_input_tokens"))
    read = None if fresh is None else fresh + (cache_read or 0) + (cache_write or 0)
    if not read:
        return Usage(output=written or None)
    return Usage(input=read, output=written, cache_read=cache_read, cache_write=cache_write)


def _is_plain(blocks: Sequence[Mapping[str, Any]]) -> bool:
    """Whether text and calls say it all: at most one text, and no call before it."""
    kinds = [block.get("type") for block in blocks]
    return kinds == [kind for kind in kinds[:1] if kind == "text"] + ["tool_use"] * kinds.count("tool_use")


def _kept(block: Mapping[str, Any]) -> dict[str, Any]:
    """A block to be sent back; the input of a call is kept with the call."""
    return {name: value for name, value in block.items() if name != "input" or block.get("type") != "tool_use"}


def _refusal(details: Any) -> str:
    if not isinstance(details, Mapping):
        return ""
    words = [as_text(details.get(name)) for name in ("category", "explanation")]
    return f"refused: {': '.join(filter(None, words))}" if any(words) else ""
