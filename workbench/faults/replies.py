"""What a fault makes of a reply, in the protocol of the run. Pure; never raises, whatever the reply.

A kind that is about a call needs one: where a reply has none, it stays as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from workbench.core.canonical import LENIENT, parse_object
from workbench.core.ports import Reply
from workbench.core.state import State
from workbench.core.striking import seal
from workbench.core.values import Fault, FaultKind, ProtocolName, RawCall, Reading
from workbench.faults import texts

MADE_UP = "42"
PROSE = "I will look into that and come back to you with what I find."
REFUSAL = "I can't help with that."
_TRIES = 200
"""Braces looked at in a reply of the json protocol, as many as its reader looks at."""


def rewritten(reply: Reply, fault: Fault, state: State) -> Reply:
    """The reply as the fault leaves it; the same one where there is nothing to change."""
    change = _KINDS.get(fault.do, _as_text)
    reading = state.protocol.read(reply.text, reply.calls, state.header.options)
    key = seal(fault, state.header.seed, f"reply {state.total_steps + 1}")
    after = change(_Case(reply, fault, state, reading, key))
    if after == reply:
        return reply
    # What a provider wants back word for word is what its model said, which this is no more.
    return replace(after, opaque="")


def written_out(reply: Reply) -> str:
    """The whole reply for a person: its text, then each native call on a line of its own."""
    calls = [f"→ {call.tool} {call.arguments}" for call in reply.calls]
    return "\n".join([reply.text, *calls] if reply.text else calls)


@dataclass(frozen=True, slots=True)
class _Case:
    """A reply, how it would be read, and the fault that strikes it."""

    reply: Reply
    fault: Fault
    state: State
    reading: Reading
    key: str

    @property
    def protocol(self) -> ProtocolName:
        return self.state.header.protocol

    @property
    def call(self) -> RawCall | None:
        """The first call that would run."""
        return self.reading.calls[0] if self.reading.calls else None

    @property
    def made_up(self) -> str:
        return self.fault.text or MADE_UP


# ---------------------------------------------------------------- one call in its protocol


def written_call(protocol: ProtocolName, tool: str, arguments: str) -> str:
    """A call as a model writes it into its text; `arguments` stand there as they are, also when they are no JSON."""
    if protocol == "json":
        return f'{{"type": "tool", "tool": {json.dumps(tool, ensure_ascii=False)}, "input": {arguments or "{}"}}}'
    return f"ACTION: {tool} {arguments}".rstrip()


def written_answer(protocol: ProtocolName, answer: str) -> str:
    """An answer as a model writes it into its text."""
    if protocol == "json":
        return json.dumps({"type": "answer", "text": answer}, ensure_ascii=False)
    return f"ANSWER: {answer}" if protocol == "text" else answer


def _span(case: _Case) -> tuple[int, int] | None:
    """Where the first call, or else the answer, stands in the text; None when it cannot be found there."""
    text, call = case.reply.text, case.call
    start = _after_thinking(text)
    if call is not None:
        return _call_span(case, call, start)
    if case.protocol == "json":
        return _object_span(text, "answer", start)
    found = _mark("ANSWER:").search(text, start)
    return (found.start(), len(text)) if found is not None else None


def _call_span(case: _Case, call: RawCall, start: int) -> tuple[int, int] | None:
    """Where that call stands in the text, from `start` on."""
    text = case.reply.text
    if case.protocol == "json":
        return _object_span(text, "tool", start)
    found = _mark(rf"ACTION:\s*+{re.escape(call.tool)}").search(text, start)
    at = text.find(call.arguments, found.end()) if found is not None else -1
    return (found.start(), at + len(call.arguments)) if found is not None and at >= 0 else None


def _mark(mark: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|(?<=>))[ \t]*+{mark}", re.MULTILINE)


def _after_thinking(text: str) -> int:
    return max(0, text.rfind("</think"))


def _object_span(text: str, kind: str, position: int) -> tuple[int, int] | None:
    for _ in range(_TRIES):
        start = text.find("{", position)
        if start < 0:
            return None
        try:
            value, position = LENIENT.raw_decode(text, start)
        except (ValueError, RecursionError):
            position = start + 1
        else:
            if value.get("type") == kind:
                return start, position
    return None


def _call_spans(case: _Case) -> list[tuple[int, int]]:
    """Where each call of the text stands, also those that an option drops."""
    options = replace(case.state.header.options, several="all", both="action")
    spans: list[tuple[int, int]] = []
    at = _after_thinking(case.reply.text)
    for call in case.state.protocol.read(case.reply.text, (), options).calls:
        span = _call_span(case, call, at)
        if span is None:
            break
        spans.append(span)
        at = span[1]
    return spans


def _with_call(case: _Case, tool: str, arguments: str) -> Reply:
    """The reply with its first call changed."""
    reply = case.reply
    if case.protocol == "native":
        return replace(reply, calls=(replace(reply.calls[0], tool=tool, arguments=arguments), *reply.calls[1:]))
    span = _span(case)
    if span is None:
        return reply
    return replace(
        reply, text=reply.text[: span[0]] + written_call(case.protocol, tool, arguments) + reply.text[span[1] :]
    )


def _said(reply: Reply, text: str, finish: str = "stop") -> Reply:
    """A reply that is nothing but this text."""
    return replace(reply, text=text, calls=(), finish=finish)


# ---------------------------------------------------------------- kinds


def _as_text(case: _Case) -> Reply:
    """A change of the text, and of the arguments of native calls."""
    text = texts.altered(case.fault, case.reply.text, case.key)
    if case.fault.do != "garble":
        return replace(case.reply, text=text)
    calls = [
        replace(call, arguments=texts.altered(case.fault, call.arguments, f"{case.key} {index}"))
        for index, call in enumerate(case.reply.calls)
    ]
    return replace(case.reply, text=text, calls=tuple(calls))


def _replace(case: _Case) -> Reply:
    return _said(case.reply, texts.altered(case.fault, "", case.key))


def _empty(case: _Case) -> Reply:
    return _said(case.reply, "")


def _duplicate(case: _Case) -> Reply:
    reply = case.reply
    if not reply.calls:
        return replace(reply, text=f"{reply.text}\n{reply.text}") if reply.text else reply
    again = tuple(replace(call, provider_id=call.provider_id and f"{call.provider_id}-again") for call in reply.calls)
    return replace(reply, calls=reply.calls + again)


def _stale(case: _Case) -> Reply:
    """The reply before this one, once more."""
    before = next((message for message in reversed(case.state.messages) if message.role == "assistant"), None)
    if before is None:
        return case.reply
    native = case.protocol == "native"
    calls = tuple(RawCall(call.tool, call.arguments, problem=_problem(call.arguments)) for call in before.calls)
    return replace(
        case.reply, text=before.text, calls=calls if native else (), finish="tool_calls" if native and calls else "stop"
    )


def _wrong_value(case: _Case) -> Reply:
    """A change of the arguments of the first call, or else of the answer."""
    call = case.call
    if call is not None:
        return _with_call(case, call.tool, texts.altered(case.fault, call.arguments, case.key))
    span = (0, len(case.reply.text)) if case.protocol == "native" else _span(case)
    if span is None:
        return case.reply
    text = case.reply.text
    part = texts.altered(case.fault, text[slice(*span)], case.key)
    return replace(case.reply, text=text[: span[0]] + part + text[span[1] :])


def _wrong_record(case: _Case) -> Reply:
    """A call about something else: with a list of it in another order, or as that tool was last called before."""
    call = case.call
    if call is None:
        return case.reply
    arguments = texts.another_record(call.arguments, case.key)
    if arguments == call.arguments:
        earlier = [record.call.arguments for record in case.state.every_call() if record.call.tool == call.tool]
        arguments = next((other for other in reversed(earlier) if other != call.arguments), call.arguments)
    return case.reply if arguments == call.arguments else _with_call(case, call.tool, arguments)


def _reorder(case: _Case) -> Reply:
    """The calls of the reply in another order."""
    reply = case.reply
    if case.protocol == "native":
        return replace(reply, calls=tuple(texts.shuffled(reply.calls, case.key))) if len(reply.calls) > 1 else reply
    spans = _call_spans(case)
    if len(spans) < 2:
        return reply
    text, at, pieces = reply.text, 0, list[str]()
    for here, there in zip(spans, texts.shuffled(spans, case.key), strict=True):
        pieces += [text[at : here[0]], text[slice(*there)]]
        at = here[1]
    return replace(reply, text="".join([*pieces, text[at:]]))


def _malformed_json(case: _Case) -> Reply:
    call = case.call
    if call is not None:
        return _problems(_with_call(case, call.tool, _broken(call.arguments)))
    span = _span(case) if case.protocol == "json" else None
    if span is None:
        return case.reply
    text = case.reply.text
    return replace(case.reply, text=text[: span[0]] + _broken(text[slice(*span)]) + text[span[1] :])


def _cut_json(case: _Case) -> Reply:
    """The arguments end in the middle, and the reply with them; nothing says that it was cut."""
    reply, call = case.reply, case.call
    if case.protocol == "native":
        if call is None:
            return reply
        return _problems(replace(reply, calls=(replace(reply.calls[0], arguments=_cut(call.arguments)),)))
    span = _span(case) if call is not None or case.protocol == "json" else None
    if span is None:
        return reply
    if case.protocol == "json":
        return replace(reply, text=reply.text[: span[0]] + _cut(reply.text[slice(*span)]))
    assert call is not None
    return replace(reply, text=reply.text[: span[0]] + written_call("text", call.tool, _cut(call.arguments)))


def _unknown_tool(case: _Case) -> Reply:
    call = case.call
    if call is None:
        return case.reply
    name = case.fault.text or f"{call.tool}_v2"
    while case.state.tool(name) is not None:
        name += "_"
    return _with_call(case, name, call.arguments)


def _invented_observation(case: _Case) -> Reply:
    """The model goes on in the runtime's name; a native one says that it has called the tool, and has not."""
    reply, call = case.reply, case.call
    if call is None:
        return reply
    if case.protocol == "native":
        return _said(reply, f"{call.tool} returned: {case.made_up}")
    span = _span(case)
    if span is None:
        return reply
    observation = case.state.protocol.observation(call.tool, case.made_up, is_error=False)
    return replace(reply, text=f"{reply.text[: span[1]]}\n{observation}")


def _both(case: _Case) -> Reply:
    """A call and an answer in one reply: what is missing is added behind what is there."""
    reply, call = case.reply, case.call
    if call is not None:
        answer = written_answer(case.protocol, case.made_up)
        return replace(reply, text=f"{reply.text}\n{answer}" if reply.text else answer)
    last = next((record.call for record in reversed(case.state.every_call())), None)
    if case.reading.kind != "answer" or last is None:
        return reply
    if case.protocol == "native":
        again = RawCall(last.tool, last.arguments, problem=_problem(last.arguments))
        return replace(reply, calls=(again,), finish="tool_calls")
    return replace(reply, text=f"{reply.text}\n{written_call(case.protocol, last.tool, last.arguments)}")


def _prose(case: _Case) -> Reply:
    return _said(case.reply, case.fault.text or PROSE)


def _refusal(case: _Case) -> Reply:
    return _said(case.reply, case.fault.text or REFUSAL, "refused")


def _blocked(case: _Case) -> Reply:
    return _said(case.reply, "", "blocked")


def _length(case: _Case) -> Reply:
    """The first half, and the finish reason that says so."""
    reply = case.reply
    calls = reply.calls
    if calls:
        calls = (*calls[:-1], replace(calls[-1], arguments=calls[-1].arguments[: len(calls[-1].arguments) // 2]))
        return _problems(replace(reply, calls=calls, finish="length"))
    return replace(reply, text=reply.text[: len(reply.text) // 2], finish="length")


_KINDS: dict[FaultKind, Callable[[_Case], Reply]] = {
    "replace": _replace,
    "empty": _empty,
    "duplicate": _duplicate,
    "stale": _stale,
    "reorder": _reorder,
    "wrong_number": _wrong_value,
    "wrong_unit": _wrong_value,
    "wrong_record": _wrong_record,
    "malformed_json": _malformed_json,
    "cut_json": _cut_json,
    "unknown_tool": _unknown_tool,
    "invented_observation": _invented_observation,
    "both": _both,
    "prose": _prose,
    "refusal": _refusal,
    "blocked": _blocked,
    "length": _length,
}


# ---------------------------------------------------------------- arguments


def _broken(raw: str) -> str:
    return texts.broken(raw, _is_object)


def _cut(raw: str) -> str:
    return texts.cut(raw, _is_object)


def _is_object(raw: str) -> bool:
    return not _problem(raw)


def _problem(arguments: str) -> str:
    return parse_object(arguments).problem


def _problems(reply: Reply) -> Reply:
    """Native calls with what is wrong with their arguments, as an adapter gives them."""
    return replace(reply, calls=tuple(replace(call, problem=_problem(call.arguments)) for call in reply.calls))
