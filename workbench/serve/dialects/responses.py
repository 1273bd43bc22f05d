"""POST /v1/responses, from the server's side: what clients of OpenAI use first. Nothing is stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.models.wire.body import as_text, clean
from workbench.models.wire.openai import validate_responses as validate
from workbench.serve.answer import Answer, halves, pieces
from workbench.serve.dialects import Body, Dialect, Stream
from workbench.serve.dialects.openai import FAILURES, REFUSALS, content, error, tool_info
from workbench.serve.dialects.sse import event
from workbench.serve.history import Asked, Item, Result, SaidCall, Told, said, said_call

INCOMPLETE = {"length": "max_output_tokens", "blocked": "content_filter"}
"""Our finish reasons in their words, where a response is not complete."""
COMPLETE = ("stop", "tool_calls", "refused")


def problem(body: Body, headers: Mapping[str, str]) -> str:  # noqa: ARG001 - only some wires have a version
    """What the endpoint answers with status 400; "" when it takes the body."""
    return validate.problem(body)


def read(body: Body) -> Asked:
    """The request. Instructions, and system messages at the start, are the system prompt."""
    system = [as_text(body.get("instructions"))]
    given = body["input"]
    items = [Told(clean(given))] if isinstance(given, str) else list(_items(given, system))
    reasoning = body.get("reasoning") or {}
    return Asked(
        model=clean(body["model"]),
        items=tuple(items),
        system="\n\n".join(filter(None, system)),
        tools=tuple(tool_info(tool, "parameters") for tool in body.get("tools") or () if tool["type"] == "function"),
        stream=body.get("stream") is True,
        with_thinking=bool(reasoning.get("summary")),
    )


def _items(given: Sequence[Mapping[str, Any]], system: list[str]) -> Iterator[Item]:
    """The history. What a model has said in one response comes as items of their own; here it is one again."""
    texts: list[str] = []
    calls: list[SaidCall] = []
    spoken = begun = False
    for item in given:
        kind, role = validate.kind_of_item(item), item.get("role")
        if kind == "reasoning":
            continue
        if kind == "function_call":
            calls.append(said_call(clean(item["call_id"]), clean(item["name"]), item["arguments"]))
            spoken = True
            continue
        if role == "assistant":
            texts.append(content(item["content"]))
            spoken = True
            continue
        if spoken:
            yield said("\n".join(texts), calls)
            texts, calls, spoken, begun = [], [], False, True
        if kind == "function_call_output":
            yield Result(clean(item["call_id"]), "", content(item["output"]))
        elif role in ("system", "developer") and not begun:
            system.append(content(item["content"]))
        else:
            yield Told(content(item["content"]))
        begun = begun or role == "user"
    if spoken:
        yield said("\n".join(texts), calls)


def whole(answer: Answer) -> dict[str, Any]:
    """The body of a response that has ended."""
    return _response(answer) | _end(answer) | {"output": list(_output(answer))}


def stream(answer: Answer) -> Stream:
    """The events: each item is announced, grows, and is said once more when it is whole."""
    begun: list[dict[str, Any]] = [
        {"type": "response.created", "response": _response(answer)},
        {"type": "response.in_progress", "response": _response(answer)},
    ]
    ended: list[dict[str, Any]] = []
    for index, item in enumerate(_output(answer)):
        place = {"item_id": item["id"], "output_index": index}
        empty = _UNFINISHED[item["type"]]
        added = {"type": "response.output_item.added", "output_index": index, "item": item | empty}
        done = {"type": "response.output_item.done", "output_index": index, "item": item}
        if item["type"] == "reasoning":
            begun += [added, *_growing_thought(answer.thinking, place), done]
        elif item["type"] == "message":
            first, last = _growing_text(item["content"][0], place | {"content_index": 0})
            begun += [added, *first]
            ended += [*last, done]
        else:
            ended += [added, *_growing_call(item, place), done]
    response = whole(answer)
    events = [*begun, *ended, {"type": f"response.{response['status']}", "response": response}]
    sent = [event(each | {"sequence_number": number}, each["type"]) for number, each in enumerate(events)]
    return Stream(sent[: len(begun)], sent[len(begun) :])


_UNFINISHED: dict[str, dict[str, Any]] = {
    "reasoning": {"summary": []},
    "message": {"content": [], "status": "in_progress"},
    "function_call": {"arguments": "", "status": "in_progress"},
}


def _growing_thought(thinking: str, place: dict[str, Any]) -> Iterator[dict[str, Any]]:
    kind, place = "response.reasoning_summary", place | {"summary_index": 0}
    yield {"type": f"{kind}_part.added", **place, "part": {"type": "summary_text", "text": ""}}
    for piece in pieces(thinking):
        yield {"type": f"{kind}_text.delta", **place, "delta": piece}
    yield {"type": f"{kind}_text.done", **place, "text": thinking}
    yield {"type": f"{kind}_part.done", **place, "part": {"type": "summary_text", "text": thinking}}


def _growing_text(part: dict[str, Any], place: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A part of a message while it comes, and its end."""
    field = "refusal" if part["type"] == "refusal" else "text"
    kind = f"response.{part['type']}"
    more: dict[str, Any] = {} if field == "refusal" else {"logprobs": []}
    first: list[dict[str, Any]] = [{"type": "response.content_part.added", **place, "part": part | {field: ""}}]
    first += [{"type": f"{kind}.delta", **place, "delta": piece, **more} for piece in pieces(part[field])]
    return first, [
        {"type": f"{kind}.done", **place, field: part[field], **more},
        {"type": "response.content_part.done", **place, "part": part},
    ]


def _growing_call(item: dict[str, Any], place: dict[str, Any]) -> Iterator[dict[str, Any]]:
    kind = "response.function_call_arguments"
    for piece in halves(item["arguments"]):
        yield {"type": f"{kind}.delta", **place, "delta": piece}
    yield {"type": f"{kind}.done", **place, "name": item["name"], "arguments": item["arguments"]}


def _response(answer: Answer) -> dict[str, Any]:
    """A response that has begun."""
    return {
        "id": f"resp_{answer.id}",
        "object": "response",
        "created_at": answer.created,
        "status": "in_progress",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "max_output_tokens": None,
        "metadata": {},
        "model": answer.model,
        "output": [],
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "store": False,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": None,
        "user": None,
    }


def _end(answer: Answer) -> dict[str, Any]:
    usage = {
        "input_tokens": answer.input,
        "input_tokens_details": {"cached_tokens": answer.cache_read, "cache_write_tokens": answer.cache_write},
        "output_tokens": answer.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": answer.input + answer.output,
    }
    if answer.finish in COMPLETE:
        return {"status": "completed", "usage": usage}
    reason = INCOMPLETE.get(answer.finish, answer.finish)
    return {"status": "incomplete", "incomplete_details": {"reason": reason}, "usage": usage}


def _output(answer: Answer) -> Iterator[dict[str, Any]]:
    """The items of a response."""
    if answer.thinking:
        summary = [{"type": "summary_text", "text": answer.thinking}]
        yield {"id": f"rs_{answer.id}", "type": "reasoning", "summary": summary, "encrypted_content": None}
    if answer.text.strip() or not answer.calls:
        refused = answer.finish == "refused"
        part: dict[str, Any] = {"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []}
        if refused:
            part = {"type": "refusal", "refusal": answer.text}
        head = {"id": f"msg_{answer.id}", "type": "message", "status": "completed", "role": "assistant"}
        yield head | {"content": [part]}
    for index, call in enumerate(answer.calls):
        yield {
            "id": f"fc_{answer.id}{index}",
            "type": "function_call",
            "status": "completed",
            "call_id": call.provider_id,
            "name": call.tool,
            "arguments": call.arguments,
        }


RESPONSES = Dialect(
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
