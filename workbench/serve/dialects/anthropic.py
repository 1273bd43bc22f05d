"""POST /v1/messages, from the server's side."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from workbench.core.canonical import parse_object
from workbench.core.ports import FailureKind
from workbench.models.wire.anthropic import validate
from workbench.models.wire.body import as_text, clean, echo_text
from workbench.serve.answer import Answer, halves, pieces
from workbench.serve.dialects import Body, Dialect, Failing, Stream
from workbench.serve.dialects.openai import tool_info
from workbench.serve.dialects.sse import event
from workbench.serve.history import Asked, Item, Result, SaidCall, Told, said, said_call

REJECTED = "invalid_request_error"
FINISH = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "refused": "refusal",
    "blocked": "refusal",
}
"""Our finish reasons in their words."""
FAILURES: dict[FailureKind, Failing] = {
    "rate_limited": Failing(429, "rate_limit_error", words="This request would exceed your rate limit"),
    "unavailable": Failing(529, "overloaded_error", words="Overloaded"),
    "timeout": Failing(504, "timeout_error", words="The request took too long"),
    "auth": Failing(401, "authentication_error", words="invalid x-api-key"),
    "quota": Failing(402, "billing_error", words="Your credit balance is too low"),
    "bad_request": Failing(400, REJECTED, words="The request is rejected"),
    "context_overflow": Failing(400, REJECTED, words="prompt is too long"),
}
REFUSALS = {
    400: Failing(400, REJECTED),
    403: Failing(403, "permission_error"),
    404: Failing(404, "not_found_error"),
    405: Failing(405, REJECTED),
    413: Failing(413, "request_too_large"),
}
_THINKS = ("enabled", "adaptive", "between_tools")


def problem(body: Body, headers: Mapping[str, str]) -> str:
    """What the API answers with status 400; "" when it takes the body. Thinking must come back as it was given."""
    version = headers.get("anthropic-version", "")
    if not version:
        return "anthropic-version: header is required"
    return validate.problem(body, version) or _forged(body["messages"])


def count_problem(body: Body, headers: Mapping[str, str]) -> str:
    """As `problem`, for a body whose tokens are to be counted: it says nothing of the reply."""
    for name in ("max_tokens", "stream"):
        if name in body:
            return f"{name}: Extra inputs are not permitted"
    return problem({**body, "max_tokens": 1}, headers)


def read(body: Body) -> Asked:
    """The request."""
    items: list[Item] = []
    for message in body["messages"]:
        content = message["content"]
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        if message["role"] == "assistant":
            text = "".join(as_text(block.get("text")) for block in blocks if block["type"] == "text")
            items.append(said(text, (_said_call(block) for block in blocks if block["type"] == "tool_use")))
        else:
            items += _told(blocks)
    thinking = body.get("thinking") or {}
    return Asked(
        model=clean(body["model"]),
        items=tuple(items),
        system=_text(body.get("system")),
        tools=tuple(tool_info(tool, "input_schema") for tool in body.get("tools") or ()),
        stream=body.get("stream") is True,
        with_thinking=thinking.get("type") in _THINKS,
    )


def _told(blocks: Sequence[Mapping[str, Any]]) -> Iterator[Item]:
    for block in blocks:
        if block["type"] == "tool_result":
            yield Result(clean(block["tool_use_id"]), "", _text(block.get("content")), block.get("is_error") is True)
    texts = [_text([block]) for block in blocks if block["type"] != "tool_result"]
    if texts:
        yield Told("\n".join(texts))


def _text(content: Any) -> str:
    """The text of a content; what is none has its kind in its place."""
    if not isinstance(content, list):
        return as_text(content)
    blocks = (block for block in content if isinstance(block, dict))
    return "\n".join(as_text(block.get("text")) or f"({as_text(block.get('type'))})" for block in blocks)


def _said_call(block: Mapping[str, Any]) -> SaidCall:
    return said_call(block["id"], block["name"], echo_text(block["input"]))


def _forged(messages: Sequence[Mapping[str, Any]]) -> str:
    for index, message in enumerate(messages):
        blocks = message["content"] if isinstance(message["content"], list) else ()
        for position, block in enumerate(blocks):
            if block["type"] == "thinking" and block["signature"] != _signature(block["thinking"]):
                return f"messages.{index}.content.{position}: Invalid `signature` in `thinking` block"
    return ""


def _signature(thinking: str) -> str:
    return b64encode(blake2b(clean(thinking).encode(), digest_size=48).digest()).decode()


def whole(answer: Answer) -> dict[str, Any]:
    """The body of a message. Arguments that are no object cannot stand in it: there they are an empty one."""
    content: list[dict[str, Any]] = []
    if answer.thinking:
        signature = _signature(answer.thinking)
        content.append({"type": "thinking", "thinking": answer.thinking, "signature": signature})
    if answer.text.strip():
        content.append({"type": "text", "text": answer.text, "citations": None})
    for call in answer.calls:
        arguments = parse_object(call.arguments).value or {}
        content.append({"type": "tool_use", "id": call.provider_id, "name": call.tool, "input": arguments})
    return _message(answer) | {"content": content, "stop_reason": _finish(answer), "usage": _usage(answer)}


def stream(answer: Answer) -> Stream:
    """The events. Arguments come as they were written, also when they are no JSON."""
    begun = [
        _event("message_start", message=_message(answer) | {"usage": _usage(answer) | {"output_tokens": 1}}),
        _event("ping"),
    ]
    ended: list[bytes] = []
    index = 0
    if answer.thinking:
        begun += [
            *_block(index, {"type": "thinking", "thinking": "", "signature": ""}),
            *(_delta(index, "thinking_delta", "thinking", piece) for piece in pieces(answer.thinking)),
            _delta(index, "signature_delta", "signature", _signature(answer.thinking)),
            _event("content_block_stop", index=index),
        ]
        index += 1
    if answer.text.strip():
        begun += _block(index, {"type": "text", "text": "", "citations": None})
        begun += [_delta(index, "text_delta", "text", piece) for piece in pieces(answer.text)]
        ended.append(_event("content_block_stop", index=index))
        index += 1
    for at, call in enumerate(answer.calls, index):
        ended += [
            *_block(at, {"type": "tool_use", "id": call.provider_id, "name": call.tool, "input": {}}),
            _delta(at, "input_json_delta", "partial_json", ""),
            *(_delta(at, "input_json_delta", "partial_json", piece) for piece in halves(call.arguments)),
            _event("content_block_stop", index=at),
        ]
    stop = {"stop_reason": _finish(answer), "stop_sequence": None}
    return Stream(begun, [*ended, _event("message_delta", delta=stop, usage=_usage(answer)), _event("message_stop")])


def error(failing: Failing, message: str, request_id: str) -> dict[str, Any]:
    """The body of an error."""
    kind = "api_error" if failing.status == 500 else failing.kind
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": request_id}


def _event(kind: str, **fields: Any) -> bytes:
    return event({"type": kind, **fields}, kind)


def _block(index: int, block: dict[str, Any]) -> list[bytes]:
    return [_event("content_block_start", index=index, content_block=block)]


def _delta(index: int, kind: str, field: str, piece: str) -> bytes:
    return _event("content_block_delta", index=index, delta={"type": kind, field: piece})


def _message(answer: Answer) -> dict[str, Any]:
    return {
        "id": f"msg_01{answer.id[:22]}",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _finish(answer: Answer) -> str:
    return FINISH.get(answer.finish, answer.finish)


def _usage(answer: Answer) -> dict[str, Any]:
    return {
        "input_tokens": max(0, answer.input - answer.cache_read - answer.cache_write),
        "cache_creation_input_tokens": answer.cache_write,
        "cache_read_input_tokens": answer.cache_read,
        "output_tokens": answer.output,
    }


ANTHROPIC = Dialect(
    name="anthropic",
    problem=problem,
    read=read,
    call_id=lambda letters: f"toolu_01{letters[:22]}",
    whole=whole,
    stream=stream,
    stream_type="text/event-stream; charset=utf-8",
    failures=FAILURES,
    error=error,
    refusals=REFUSALS,
    request_id="request-id",
)
