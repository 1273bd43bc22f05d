"""The body of a chat as a reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.ports import Reply, Usage
from workbench.core.values import RawCall
from workbench.models.wire.body import as_arguments, as_count, as_list, as_object, as_text, clean, echo_text
from workbench.models.wire.errors import Malformed, StreamError

FINISH = {"": "stop", "stop": "stop", "length": "length"}
"""Their reasons in our words; any other keeps its own. With calls it says `stop`, too."""


def decode(body: Mapping[str, Any]) -> Reply:
    """The reply in a whole body. Raises Malformed; StreamError for an error under a status that said all is well."""
    if body.get("error"):
        raise StreamError(body)
    message = as_object(body.get("message"), "the message")
    return build(as_text(message.get("content")), as_text(message.get("thinking")), calls_of(message), body)


def build(text: str, thinking: str, calls: list[RawCall], last: Mapping[str, Any]) -> Reply:
    """The reply; `last` is the object that is done. Raises Malformed when it is not."""
    if last.get("done") is not True:
        raise Malformed("the reply ended before it was done")
    finish = FINISH.get(as_text(last.get("done_reason")), as_text(last.get("done_reason")))
    read, written = as_count(last.get("prompt_eval_count")), as_count(last.get("eval_count"))
    return Reply(
        text=clean(text),
        calls=tuple(calls),
        thinking=clean(thinking),
        finish="tool_calls" if calls and finish == "stop" else finish,
        # A prompt that was cached is not counted, and nothing read is no figure.
        usage=Usage(input=read or None, output=written if read else written or None),
        model=as_text(last.get("model")),
        opaque=echo_text({"wire": "ollama", "thinking": clean(thinking)}) if calls and thinking else "",
    )


def calls_of(message: Mapping[str, Any]) -> list[RawCall]:
    """The calls in a message. Raises Malformed."""
    calls = []
    for item in as_list(message.get("tool_calls"), "tool_calls"):
        call = as_object(item, "a tool call")
        function = as_object(call.get("function"), "the function of a tool call")
        name = as_text(function.get("name"))
        if not name:
            raise Malformed("a tool call in the reply has no name")
        calls.append(RawCall(name, as_arguments(function.get("arguments")), provider_id=as_text(call.get("id"))))
    return calls
