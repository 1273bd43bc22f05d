"""A streamed chat, put together line by line. O(1) a line."""

from __future__ import annotations

from typing import Any

from workbench.core.ports import Reply, Signal
from workbench.core.values import RawCall
from workbench.models.wire.body import as_object, clean, read_object
from workbench.models.wire.errors import StreamError
from workbench.models.wire.lines import Frame
from workbench.models.wire.ollama.decode import build, calls_of


class Assembler:
    """Feed it the lines; `reply` once the stream has ended."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._calls: list[RawCall] = []
        self._last: dict[str, Any] = {}

    @property
    def ended(self) -> bool:
        """Whether the last line has come."""
        return self.complete

    @property
    def complete(self) -> bool:
        """Whether the reply is whole."""
        return self._last.get("done") is True

    @property
    def partial(self) -> str:
        """The text so far."""
        return clean("".join(self._texts))

    def feed(self, frame: Frame) -> tuple[Signal, ...]:
        """Take a line in; returns what is new to be shown. Raises Malformed and StreamError."""
        line = read_object(frame.data, "a line of the stream")
        if line.get("error"):
            raise StreamError(line)
        self._last = line
        if "message" not in line:
            return ()
        message = as_object(line["message"], "the message")
        self._calls += calls_of(message)
        signals = []
        for name, pieces, kind in (("thinking", self._thoughts, "thinking"), ("content", self._texts, "delta")):
            piece = message.get(name)
            if isinstance(piece, str) and piece:
                pieces.append(piece)
                signals.append(Signal("delta" if kind == "delta" else "thinking", clean(piece)))
        return tuple(signals)

    def reply(self) -> Reply:
        """The reply. Raises Malformed when it is not whole."""
        return build("".join(self._texts), "".join(self._thoughts), self._calls, self._last)
