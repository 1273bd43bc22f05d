"""A streamed chat completion, put together chunk by chunk. O(1) a chunk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.core.ports import Reply, Signal, Usage
from workbench.core.values import RawCall
from workbench.models.wire.body import as_arguments, as_list, as_object, as_text, clean, read_object
from workbench.models.wire.errors import StreamError
from workbench.models.wire.lines import Frame
from workbench.models.wire.openai.decode import (
    ECHOED_IN_CALLS,
    REASONING,
    Parts,
    content_of,
    first_text,
    raw_text,
    usage,
)

_DONE = "[DONE]"


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    echoed: dict[str, Any] = field(default_factory=dict)


class Assembler:
    """Feed it the events; `reply` once the stream has ended."""

    def __init__(self) -> None:
        self.ended = False
        """Whether the last event has come; what is still to come belongs to no reply."""
        self._texts: list[str] = []
        self._refusals: list[str] = []
        self._thoughts: list[str] = []
        self._details: list[Any] = []
        self._notes: dict[str, None] = {}
        self._field = ""
        self._calls: list[_Call] = []
        self._by_key: dict[object, _Call] = {}
        self._finish = ""
        self._usage = Usage()
        self._model = ""

    @property
    def complete(self) -> bool:
        """Whether the reply is whole."""
        return bool(self._finish)

    @property
    def partial(self) -> str:
        """The text so far."""
        return clean("".join(self._texts))

    def feed(self, frame: Frame) -> tuple[Signal, ...]:
        """Take an event in; returns what is new to be shown. Raises Malformed and StreamError."""
        if frame.data.strip() == _DONE:
            self.ended = True
            return ()
        chunk = read_object(frame.data, "an event of the stream")
        if chunk.get("error"):
            raise StreamError(chunk)
        if frame.event == "error":
            raise StreamError({"error": chunk})
        self._model = self._model or as_text(chunk.get("model"))
        if isinstance(chunk.get("usage"), Mapping):
            self._usage = usage(chunk["usage"])
        choices = as_list(chunk.get("choices"), "choices")
        if not choices:
            return ()
        choice = as_object(choices[0], "the first choice")
        delta = choice.get("delta")
        self._finish = as_text(choice.get("finish_reason")) or self._finish
        return self._take(as_object(delta, "the delta")) if delta is not None else ()

    def reply(self) -> Reply:
        """The reply. Raises Malformed when it is not whole."""
        thinking = "".join(self._thoughts)
        parts = Parts(
            text="".join(self._texts),
            refusal="".join(self._refusals),
            thinking=thinking,
            calls=[RawCall(call.name, clean("".join(call.arguments)), provider_id=call.id) for call in self._calls],
            finish=self._finish,
            usage=self._usage,
            model=self._model,
            echoed_in_calls=[call.echoed for call in self._calls],
            notes=list(self._notes),
        )
        if self._field == "reasoning_content":
            parts.echoed["reasoning_content"] = thinking
        if self._details:
            parts.echoed["reasoning_details"] = self._details
        return parts.reply()

    def _take(self, delta: dict[str, Any]) -> tuple[Signal, ...]:
        signals: tuple[Signal, ...] = ()
        thought = first_text(delta, REASONING)
        if thought:
            self._field = self._field or next(name for name in REASONING if delta.get(name))
            self._thoughts.append(thought)
            signals = (Signal("thinking", clean(thought)),)
        details = delta.get("reasoning_details")
        if isinstance(details, list):
            self._details += details
        content, refused, notes = content_of(delta.get("content"))
        refusal = raw_text(delta.get("refusal")) + refused
        if content:
            self._texts.append(content)
        if refusal:
            self._refusals.append(refusal)
        if content or refusal:
            signals = (*signals, Signal("delta", clean(content + refusal)))
        self._notes |= dict.fromkeys(notes)
        for item in as_list(delta.get("tool_calls"), "tool_calls"):
            self._take_call(as_object(item, "a tool call"))
        return signals

    def _take_call(self, item: dict[str, Any]) -> None:
        function = item.get("function")
        function = as_object(function, "the function of a tool call") if function is not None else {}
        call_id, name = as_text(item.get("id")), as_text(function.get("name"))
        call = self._call_at(item.get("index"), call_id, name)
        call.id = call.id or call_id
        call.name = call.name or name
        arguments = function.get("arguments")
        call.arguments.append(arguments if isinstance(arguments, str) else as_arguments(arguments))
        call.echoed |= {name: item[name] for name in ECHOED_IN_CALLS if item.get(name)}

    def _call_at(self, index: object, call_id: str, name: str) -> _Call:
        """The call that a piece belongs to: by its index; a new id beside a name begins another one all the same.

        Without an index a piece goes on with the latest call, unless it has an id of its own.
        """
        index = index if isinstance(index, int) else None
        call = self._by_key.get(index) if index is not None else self._calls[-1] if self._calls else None
        if call is None or (call_id and call.id not in ("", call_id) and (name or index is None)):
            call = _Call()
            self._calls.append(call)
            self._by_key[index] = call
        return call
