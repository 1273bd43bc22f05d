"""Server-sent events, read as they come."""

from __future__ import annotations

from workbench.models.wire.lines import Frame, LineSplitter


class SseParser:
    """Feed it bytes in any chopping; comments, events without data and fields nobody asked for are passed over."""

    __slots__ = ("_data", "_event", "_lines")

    def __init__(self) -> None:
        self._lines = LineSplitter()
        self._event = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[Frame]:
        """The events that this chunk completes."""
        frames: list[Frame] = []
        for line in self._lines.feed(chunk):
            self._take(line, frames)
        return frames

    def close(self) -> list[Frame]:
        """The event that the stream ended in; many servers leave the blank line after the last one out."""
        frames: list[Frame] = []
        self._take(self._lines.rest(), frames)
        self._take(b"", frames)
        return frames

    def _take(self, line: bytes, frames: list[Frame]) -> None:
        if not line:
            data = "\n".join(self._data)
            if data.strip():
                frames.append(Frame(self._event, data))
            self._data, self._event = [], ""
            return
        name, _, value = line.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
