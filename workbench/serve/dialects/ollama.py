"""POST /api/chat, from the server's side."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from workbench.core.canonical import parse_object
from workbench.core.ports import FailureKind
from workbench.core.values import Call
from workbench.models.wire.body import as_text, clean, echo_text, to_json
from workbench.models.wire.ollama import validate
from workbench.serve.answer import Answer, pieces
from workbench.serve.dialects import Body, Dialect, Failing, Stream
from workbench.serve.dialects.openai import tool_info
from workbench.serve.history import Asked, Item, Result, SaidCall, Told, said, said_call

FINISH = {"tool_calls": "stop"}
"""Our finish reasons in their words, where those differ."""
FAILURES: dict[FailureKind, Failing] = {
    "rate_limited": Failing(429, words="too many requests"),
    "unavailable": Failing(503, words="server busy, please try again"),
    "timeout": Failing(504, words="timed out waiting for the model"),
    "auth": Failing(401, words="unauthorized"),
    "quota": Failing(402, words="you have reached your usage limit"),
    "bad_request": Failing(400, words="invalid request"),
    "context_overflow": Failing(400, words="the messages exceed the maximum context length"),
}
REFUSALS = {status: Failing(status) for status in (400, 403, 404, 405, 413)}


def problem(body: Body, headers: Mapping[str, str]) -> str:  # noqa: ARG001 - only some wires have a version
    """What the server answers with status 400; "" when it takes the body."""
    return validate.problem(body)


def read(body: Body) -> Asked:
    """The request. Not to say whether a stream is wanted is to want one."""
    system: list[str] = []
    items: list[Item] = []
    for message in (each or {} for each in body.get("messages") or ()):
        text = as_text(message.get("content"))
        match (message.get("role") or "").lower():
            case "assistant":
                items.append(said(text, map(_said_call, message.get("tool_calls") or ())))
            case "tool":
                items.append(Result("", as_text(message.get("tool_name")), text))
            case "system" if not items:
                system.append(text)
            case _:
                items.append(Told(text))
    return Asked(
        model=clean(body["model"]),
        items=tuple(items),
        system="\n\n".join(system),
        tools=tuple(tool_info((tool or {}).get("function") or {}, "parameters") for tool in body.get("tools") or ()),
        stream=body.get("stream") is not False,
        with_thinking=body.get("think") not in (None, False),
    )


def idle(body: Body) -> dict[str, Any] | None:
    """Without messages a model is only loaded, or unloaded, which is how clients warm one up."""
    if body.get("messages"):
        return None
    reason = "unload" if body.get("keep_alive") == 0 else "load"
    created = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    message = {"role": "assistant", "content": ""}
    return {"model": body["model"], "created_at": created, "message": message, "done": True, "done_reason": reason}


def _said_call(call: Mapping[str, Any] | None) -> SaidCall:
    function = (call or {}).get("function") or {}
    return said_call("", as_text(function.get("name")), echo_text(function.get("arguments") or {}))


def whole(answer: Answer) -> dict[str, Any]:
    """The one object. Arguments that are no object cannot stand in it: there they are an empty one."""
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.thinking:
        message["thinking"] = answer.thinking
    if answer.calls:
        message["tool_calls"] = list(map(_call, answer.calls))
    return _object(answer, message) | _end(answer)


def stream(answer: Answer) -> Stream:
    """The lines. Calls come whole, each in a line of its own."""

    def line(**said: Any) -> bytes:
        return _line(_object(answer, {"role": "assistant", "content": "", **said}) | {"done": False})

    begun = [line(thinking=piece) for piece in pieces(answer.thinking)]
    begun += [line(content=piece) for piece in pieces(answer.text)]
    ended = [line(tool_calls=[_call(call)]) for call in answer.calls]
    return Stream(begun, [*ended, _line(_object(answer, {"role": "assistant", "content": ""}) | _end(answer))])


def error(failing: Failing, message: str, request_id: str) -> dict[str, Any]:  # noqa: ARG001 - it has neither
    """The body of an error."""
    return {"error": message}


def _object(answer: Answer, message: dict[str, Any]) -> dict[str, Any]:
    created = datetime.fromtimestamp(answer.created, UTC).isoformat().replace("+00:00", "Z")
    return {"model": answer.model, "created_at": created, "message": message}


def _end(answer: Answer) -> dict[str, Any]:
    nanoseconds = int(answer.took * 1e9)
    return {
        "done": True,
        "done_reason": FINISH.get(answer.finish, answer.finish),
        "total_duration": nanoseconds,
        "load_duration": 0,
        "prompt_eval_count": answer.input,
        "prompt_eval_duration": 0,
        "eval_count": answer.output,
        "eval_duration": nanoseconds,
    }


def _call(call: Call) -> dict[str, Any]:
    return {"function": {"name": call.tool, "arguments": parse_object(call.arguments).value or {}}}


def _line(value: dict[str, Any]) -> bytes:
    return to_json(value) + b"\n"


OLLAMA = Dialect(
    name="ollama",
    problem=problem,
    read=read,
    idle=idle,
    call_id=lambda letters: "",  # noqa: ARG005 - this wire sends no ids
    whole=whole,
    stream=stream,
    stream_type="application/x-ndjson",
    failures=FAILURES,
    error=error,
    refusals=REFUSALS,
    request_id="x-request-id",
)
