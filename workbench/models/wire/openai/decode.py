"""The body of a chat completion as a reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.core.ports import Reply, Usage
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
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "blocked",
    "refusal": "refused",
}
"""Their finish reasons in our words; any other keeps its own."""

REASONING = ("reasoning_content", "reasoning")
"""Where compatible servers put their thinking; the official one shows none."""

ECHOED = ("reasoning_content", "reasoning_details")
"""Fields of a message with calls that such servers want back beside it."""

ECHOED_IN_CALLS = ("extra_content",)


@dataclass(slots=True)
class Parts:
    """What a reply is put together from, however it came."""

    text: str = ""
    refusal: str = ""
    thinking: str = ""
    calls: list[RawCall] = field(default_factory=list)
    finish: str = ""
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    echoed: dict[str, Any] = field(default_factory=dict)
    echoed_in_calls: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def reply(self) -> Reply:
        """The reply. Raises Malformed when no finish reason ever came."""
        if not self.finish:
            raise Malformed("the reply has no finish reason")
        if any(not call.tool for call in self.calls):
            raise Malformed("a tool call in the reply has no name")
        finish = FINISH.get(self.finish, clean(self.finish))
        if self.refusal:
            finish = "refused"
        elif self.calls and finish == "stop":
            finish = "tool_calls"
        return Reply(
            text=clean(self.text or self.refusal),
            calls=tuple(self.calls),
            thinking=clean(self.thinking),
            finish=finish,
            usage=self.usage,
            model=self.model,
            opaque=self._opaque(),
            notes=tuple(self.notes),
        )

    def _opaque(self) -> str:
        if not self.calls or not (self.echoed or any(self.echoed_in_calls)):
            return ""
        return echo_text({"wire": "openai", "message": self.echoed, "calls": self.echoed_in_calls})


def decode(body: Mapping[str, Any]) -> Reply:
    """The reply in a whole body. Raises Malformed; StreamError for an error under a status that said all is well."""
    if body.get("error"):
        raise StreamError(body)
    choices = as_list(body.get("choices"), "choices")
    if not choices:
        raise Malformed("the reply has no choices")
    choice = as_object(choices[0], "the first choice")
    message = as_object(choice.get("message"), "the message")
    parts = Parts(finish=as_text(choice.get("finish_reason")), usage=usage(body.get("usage")))
    parts.model = as_text(body.get("model"))
    parts.thinking = first_text(message, REASONING)
    parts.text, refused, parts.notes = content_of(message.get("content"))
    parts.refusal = raw_text(message.get("refusal")) + refused
    parts.echoed = {name: message[name] for name in ECHOED if message.get(name)}
    for item in as_list(message.get("tool_calls"), "tool_calls"):
        call = as_object(item, "a tool call")
        function = as_object(call.get("function"), "the function of a tool call")
        name, arguments = as_text(function.get("name")), as_arguments(function.get("arguments"))
        parts.calls.append(RawCall(name, arguments, provider_id=as_text(call.get("id"))))
        parts.echoed_in_calls.append({name: call[name] for name in ECHOED_IN_CALLS if call.get(name)})
    return parts.reply()


def usage(value: Any) -> Usage:
    """Their figures; cached tokens are part of the input already."""
    if not isinstance(value, Mapping):
        return Usage()
    details = value.get("prompt_tokens_details")
    details = details if isinstance(details, Mapping) else {}
    return counted(
        as_count(value.get("prompt_tokens")),
        as_count(value.get("completion_tokens")),
        as_count(details.get("cached_tokens")),
        as_count(details.get("cache_write_tokens")),
    )


def counted(read: int | None, written: int | None, cache_read: int | None, cache_write: int | None) -> Usage:
    """The usage; nothing read is no figure, as there is no request without a token."""
    if not read:
        return Usage(output=written or None)
    return Usage(input=read, output=written, cache_read=cache_read, cache_write=cache_write)


def content_of(content: Any) -> tuple[str, str, list[str]]:
    """The text of a content, what is refused in it, and a note on each part that is neither. Raises Malformed."""
    if content is None or isinstance(content, str):
        return content or "", "", []
    texts, refusals, notes = [], [], []
    for item in as_list(content, "the content"):
        part = as_object(item, "a part of the content")
        kind = as_text(part.get("type"))
        if kind in ("text", "output_text"):
            texts.append(raw_text(part.get("text")))
        elif kind == "refusal":
            refusals.append(raw_text(part.get("refusal")))
        else:
            notes.append(unknown_part(kind))
    return "".join(texts), "".join(refusals), notes


def raw_text(value: Any) -> str:
    """The value if it is text, else ""; half of a surrogate pair may still find its other half in the next piece."""
    return value if isinstance(value, str) else ""


def first_text(message: Mapping[str, Any], names: Sequence[str]) -> str:
    """The first of those fields that is text and not empty."""
    return next((text for text in map(raw_text, map(message.get, names)) if text), "")
