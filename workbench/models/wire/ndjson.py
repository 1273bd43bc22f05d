"""One JSON object a line, read as the lines come."""

from __future__ import annotations

from workbench.models.wire.lines import Frame, LineSplitter


class NdjsonParser:
    """Feed it bytes in any chopping; blank lines are passed over."""

    __slots__ = ("_lines",)

    def __init__(self) -> None:
        self._lines = LineSplitter()

    def feed(self, chunk: bytes) -> list[Frame]:
        """The objects that this chunk completes."""
        return [frame for line in self._lines.feed(chunk) for frame in _frames(line)]

    def close(self) -> list[Frame]:
        """The object on the last line, when nothing ended that line."""
        return _frames(self._lines.rest())


def _frames(line: bytes) -> list[Frame]:
    text = line.decode("utf-8", "replace")
    return [Frame("", text)] if text.strip() else []
