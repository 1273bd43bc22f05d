"""Cuts a stream of bytes into lines, however it is chopped. Linear in the bytes, also for one endless line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Frame:
    """One event of a stream: its name, "" where the format has none, and its data."""

    event: str
    data: str


class LineSplitter:
    """Lines end with LF, CR or CRLF; a line is given out, without its end, as soon as the end is there."""

    __slots__ = ("_after_cr", "_begun", "_pending")

    def __init__(self) -> None:
        self._pending: list[bytes] = []
        self._after_cr = False
        self._begun = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The lines that end in this chunk."""
        if not chunk:
            return
        if self._after_cr:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        for piece in chunk.splitlines(keepends=True):
            if piece[-1] not in b"\r\n":
                self._pending.append(piece)
                continue
            self._after_cr = piece[-1] == 13
            yield self._line(piece.rstrip(b"\r\n"))
        # Only a CR at the very end of the chunk can be half of a line end.
        self._after_cr = self._after_cr and chunk.endswith(b"\r")

    def rest(self) -> bytes:
        """The last line, which nothing ends; empty when there is none."""
        return self._line(b"")

    def _line(self, end: bytes) -> bytes:
        line = b"".join([*self._pending, end]) if self._pending else end
        self._pending.clear()
        if not self._begun:
            self._begun = True
            return line.removeprefix(BYTE_ORDER_MARK)
        return line
