"""A streamed message, put together event by event. O(1) an event."""

from __future__ import annotations

from typing import Any

from workbench.core.ports import Reply, Signal
from workbench.models.wire.anthropic.decode import build, usage
from workbench.models.wire.body import as_arguments, as_object, as_text, clean, read_object
from workbench.models.wire.errors import Malformed, StreamError
from workbench.models.wire.lines import Frame

_PIECES = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
"""Kind of a delta to the field of the block that it adds to; the delta has a field of that name, too."""


class _Block:
    __slots__ = ("begun", "inputs", "pieces")

    def __init__(self, begun: dict[str, Any]) -> None:
        self.begun = begun
        self.pieces: dict[str, list[str]] = {}
        self.inputs: list[str] = []

    def whole(self) -> dict[str, Any]:
        """The block as it would stand in a body, its input apart."""
        return self.begun | {
            name: clean(str(self.begun.get(name) or "") + "".join(pieces)) for name, pieces in self.pieces.items()
        }

    def arguments(self) -> str:
        """The raw text of its input: as it was streamed, or as it stood in the start of the block."""
        return clean("".join(self.inputs)) or as_arguments(self.begun.get("input"))


class Assembler:
    """Feed it the events; `reply` once the stream has ended."""

    def __init__(self) -> None:
        self.ended = False
        """Whether the last event has come."""
        self._blocks: dict[object, _Block] = {}
        self._message: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}

    @property
    def complete(self) -> bool:
        """Whether the reply is whole: every block comes before the stop reason."""
        return bool(self._message.get("stop_reason"))

    @property
    def partial(self) -> str:
        """The text so far."""
        return clean("".join(piece for block in self._blocks.values() for piece in block.pieces.get("text", ())))

    def feed(self, frame: Frame) -> tuple[Signal, ...]:
        """Take an event in; returns what is new to be shown. Raises Malformed and StreamError."""
        event = read_object(frame.data, "an event of the stream")
        kind = as_text(event.get("type")) or frame.event
        if kind == "error" or (event.get("error") and not kind):
            raise StreamError(event)
        match kind:
            case "message_start":
                self._start(as_object(event.get("message"), "the message"))
            case "content_block_start":
                block = as_object(event.get("content_block"), "a block of the content")
                self._blocks[event.get("index")] = _Block(dict(block))
                return _shown(block, block)
            case "content_block_delta":
                return self._add(event.get("index"), as_object(event.get("delta"), "the delta"))
            case "message_delta":
                self._message |= as_object(event.get("delta"), "the delta")
                self._count(event.get("usage"))
            case "message_stop":
                self.ended = True
        return ()

    def reply(self) -> Reply:
        """The reply. Raises Malformed when it is not whole, ModelFailure when the context window was full."""
        blocks = list(self._blocks.values())
        arguments = [block.arguments() for block in blocks]
        return build([block.whole() for block in blocks], arguments, self._message, usage(self._usage))

    def _start(self, message: dict[str, Any]) -> None:
        self._message |= {name: message.get(name) for name in ("model", "stop_reason", "stop_details")}
        self._count(message.get("usage"))

    def _count(self, figures: Any) -> None:
        """Figures are those of the whole message so far: the latest stands."""
        if isinstance(figures, dict):
            self._usage |= {name: value for name, value in figures.items() if value is not None}

    def _add(self, index: object, delta: dict[str, Any]) -> tuple[Signal, ...]:
        block = self._blocks.get(index)
        if block is None:
            raise Malformed("a piece of the reply belongs to no block")
        kind = as_text(delta.get("type"))
        if kind == "input_json_delta":
            piece = delta.get("partial_json")
            block.inputs.append(piece if isinstance(piece, str) else "")
        elif kind in _PIECES:
            name = _PIECES[kind]
            piece = delta.get(name)
            block.pieces.setdefault(name, []).append(piece if isinstance(piece, str) else "")
            return _shown(block.begun, delta)
        elif kind == "citations_delta":
            block.begun["citations"] = [*(block.begun.get("citations") or ()), delta.get("citation")]
        return ()


def _shown(block: dict[str, Any], piece: dict[str, Any]) -> tuple[Signal, ...]:
    """What a piece of that block is to whoever looks on."""
    if block.get("type") == "text":
        text = as_text(piece.get("text"))
        return (Signal("delta", text),) if text else ()
    if block.get("type") == "thinking":
        text = as_text(piece.get("thinking"))
        return (Signal("thinking", text),) if text else ()
    return ()
