"""POST /v1/chat/completions, from the server's side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.ports import FailureKind
from workbench.core.values import CLIENT, Call, ToolInfo
from workbench.models.wire.body import as_text, clean, echo_text
from workbench.models.wire.openai import validate
from workbench.serve.answer import Answer, halves, pieces
from workbench.serve.dialects import Body, Dialect, Failing, Stream
from workbench.serve.dialects.sse import event
from workbench.serve.history import Asked, Item, Result, SaidCall, Told, said, said_call

REJECTED = "invalid_request_error"
FINISH = {"refused": "stop", "blocked": "content_filter"}
"""Our finish reasons in their words, where those differ."""
FAILURES: dict[FailureKind, Failing] = {
    "rate_limited": Failing(429, "requests", "rate_limit_exceeded", "Rate limit reached for requests"),
    "unavailable": Failing(500, "server_error", None, "The server had an error while processing your request"),
    "timeout": Failing(504, "server_error", "timeout", "The server took too long to reply"),
    "auth": Failing(401, REJECTED, "invalid_api_key", "Incorrect API key provided"),
    "quota": Failing(429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota"),
    "bad_request": Failing(400, REJECTED, None, "The request is rejected"),
    "context_overflow": Failing(
        400, REJECTED, "context_length_exceeded", "The messages exceed this model's maximum context length"
    ),
}
REFUSALS = {
    400: Failing(400, REJECTED),
    403: Failing(403, REJECTED, "forbidden"),
    404: Failing(404, REJECTED, "unknown_url"),
    405: Failing(405, REJECTED, "method_not_supported"),
    413: Failing(413, REJECTED, "request_too_large"),
}
ONE_CHOICE = "n: one choice is all that a script has"


def problem(body: Body, headers: Mapping[str, str]) -> str:  # noqa: ARG001 - only some wires have a version
    """What the endpoint answers with status 400; "" when it takes the body."""
    return validate.problem(body) or (ONE_CHOICE if body.get("n") not in (None, 1) else "")


def read(body: Body) -> Asked:
    """The request. System messages at the start are the system prompt; a later one is told like a user's."""
    system: list[str] = []
    items: list[Item] = []
    for message in body["messages"]:
        text = content(message.get("content"))
        match message["role"]:
            case "assistant":
                calls = map(_said_call, message.get("tool_calls") or ())
                items.append(said(text or as_text(message.get("refusal")), calls))
            case "tool":
                items.append(Result(message["tool_call_id"], "", text))
            case "system" | "developer" if not items:
                system.append(text)
            case _:
                items.append(Told(text))
    options = body.get("stream_options") or {}
    return Asked(
        model=clean(body["model"]),
        items=tuple(items),
        system="\n\n".join(system),
        tools=tuple(tool_info(tool["function"], "parameters") for tool in body.get("tools") or ()),
        stream=body.get("stream") is True,
        with_usage=options.get("include_usage") is True,
        with_thinking=True,
    )


def content(value: Any) -> str:
    """The text of a content; what is none has its kind in its place."""
    if not isinstance(value, list):
        return as_text(value)
    said = (part.get("text", part.get("refusal", f"({part['type']})")) for part in value)
    return "\n".join(map(as_text, said))


def tool_info(function: Mapping[str, Any], parameters: str) -> ToolInfo:
    """A tool as the client offers it: nothing is known of what it touches."""
    schema = function.get(parameters) or {"type": "object", "properties": {}}
    return ToolInfo(
        name=as_text(function.get("name")),
        description=as_text(function.get("description")),
        schema=echo_text(schema),
        source=CLIENT,
        timeout=None,
    )


def _said_call(call: Mapping[str, Any]) -> SaidCall:
    function = call["function"]
    return said_call(clean(call["id"]), clean(function["name"]), function["arguments"])


def whole(answer: Answer) -> dict[str, Any]:
    """The body of a chat completion."""
    refused = answer.finish == "refused"
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None if refused or (answer.calls and not answer.text) else answer.text,
        "refusal": answer.text if refused else None,
    }
    if answer.thinking:
        message["reasoning_content"] = answer.thinking
    if answer.calls:
        message["tool_calls"] = [_call(call, arguments=call.arguments) for call in answer.calls]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(answer)}
    return _head(answer, "chat.completion") | {"choices": [choice], "usage": _usage(answer)}


def stream(answer: Answer) -> Stream:
    """The chunks. Arguments come in pieces, of which only the first says what is called."""

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return event(head | {"choices": [choice]} | usage)

    head = _head(answer, "chat.completion.chunk")
    usage: dict[str, Any] = {"usage": None} if answer.with_usage else {}
    field = "refusal" if answer.finish == "refused" else "content"
    begun = [chunk({"role": "assistant", "content": None if answer.calls and not answer.text else ""})]
    begun += [chunk({"reasoning_content": piece}) for piece in pieces(answer.thinking)]
    begun += [chunk({field: piece}) for piece in pieces(answer.text)]
    ended = []
    for index, call in enumerate(answer.calls):
        ended.append(chunk({"tool_calls": [{"index": index, **_call(call, arguments="")}]}))
        parts = ({"index": index, "function": {"arguments": piece}} for piece in halves(call.arguments))
        ended += [chunk({"tool_calls": [part]}) for part in parts]
    ended.append(chunk({}, _finish(answer)))
    if answer.with_usage:
        ended.append(event(head | {"choices": [], "usage": _usage(answer)}))
    return Stream(begun, [*ended, event("[DONE]")])


def error(failing: Failing, message: str, request_id: str) -> dict[str, Any]:  # noqa: ARG001 - it goes into a header
    """The body of an error."""
    return {"error": {"message": message, "type": failing.kind, "param": None, "code": failing.code}}


def _head(answer: Answer, kind: str) -> dict[str, Any]:
    head = {"id": f"chatcmpl-{answer.id}", "object": kind, "created": answer.created, "model": answer.model}
    return head | {"service_tier": "default", "system_fingerprint": None}


def _call(call: Call, *, arguments: str) -> dict[str, Any]:
    return {"id": call.provider_id, "type": "function", "function": {"name": call.tool, "arguments": arguments}}


def _finish(answer: Answer) -> str:
    return FINISH.get(answer.finish, answer.finish)


def _usage(answer: Answer) -> dict[str, Any]:
    return {
        "prompt_tokens": answer.input,
        "completion_tokens": answer.output,
        "total_tokens": answer.input + answer.output,
        "prompt_tokens_details": {"cached_tokens": answer.cache_read},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


OPENAI = Dialect(
    name="openai",
    problem=problem,
    read=read,
    call_id=lambda letters: f"call_{letters[:24]}",
    whole=whole,
    stream=stream,
    stream_type="text/event-stream; charset=utf-8",
    failures=FAILURES,
    error=error,
    refusals=REFUSALS,
    request_id="x-request-id",
)
