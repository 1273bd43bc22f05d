"""A reply while it comes in, and the pauses before it: what passes is shown and kept nowhere."""

from __future__ import annotations

from workbench.core.ports import Signal
from workbench.view.entries import Line, Role, Span
from workbench.view.figures import amount

THOUGHT = 100
"""Characters of a thought that are shown while it grows: its latest."""


class Text:
    """A text that grows piece by piece, as lines. A piece costs its own length, whatever came before."""

    def __init__(self, role: Role = "") -> None:
        self.chars = 0
        self._role = role
        self._lines: list[Line] = []
        self._last: list[str] = []
        """The pieces of the line that is not ended yet."""

    def add(self, piece: str) -> None:
        self.chars += len(piece)
        first, *others = piece.split("\n")
        self._last.append(first)
        for line in others:
            self._lines.append(self._line(self.last))
            self._last = [line]

    @property
    def last(self) -> str:
        """The line that is not ended yet."""
        if len(self._last) > 1:
            self._last = ["".join(self._last)]
        return self._last[0] if self._last else ""

    @property
    def lines(self) -> tuple[Line, ...]:
        return (*self._lines, self._line(self.last)) if self.chars else ()

    @property
    def first(self) -> str:
        """The first line."""
        return self._lines[0][0].text if self._lines else self.last

    def _line(self, text: str) -> Line:
        return (Span(text, self._role),)


class Incoming:
    """What has come of the reply that is asked for; `clear` it when the request is over."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.text = Text()
        self.thinking = Text("quiet")
        self.attempts = 1
        """The attempt that is being made, or is next."""
        self._why = ""
        self._until = 0.0

    def take(self, signal: Signal, now: float) -> None:
        """What passes at that moment, in seconds of any clock."""
        if signal.kind == "retry":
            attempts = self.attempts + 1
            self.clear()
            self.attempts, self._why, self._until = attempts, signal.text or "the request failed", now + signal.seconds
            return
        if signal.kind in ("delta", "thinking"):
            self._why = ""
            (self.text if signal.kind == "delta" else self.thinking).add(signal.text)

    @property
    def pausing(self) -> bool:
        """Whether nothing has come since an attempt failed."""
        return self._why != ""

    def waits(self, now: float) -> float:
        """Seconds until the next attempt; 0 while one is being made."""
        return max(0.0, self._until - now) if self._why else 0.0

    def lines(self, now: float) -> tuple[Line, ...]:
        """What there is to see of it; nothing while the first attempt has brought nothing."""
        if self._why:
            return ((Span(self._why, "wait"),), (Span(self._again(now), "quiet"),))
        return (*self._thought(), *self.text.lines)

    def _again(self, now: float) -> str:
        seconds = self.waits(now)
        when = f"again in {amount(max(1, round(seconds)))} s" if seconds else "again now"
        return f"{when}, attempt {self.attempts}"

    def _thought(self) -> tuple[Line, ...]:
        """Thinking on one line: its latest words while nothing else has come, then how it began."""
        if not self.thinking.chars:
            return ()
        count = f"{amount(self.thinking.chars)} characters"
        if self.text.chars:
            shown = self.thinking.first[:THOUGHT]
        else:
            last = self.thinking.last
            shown = last if len(last) <= THOUGHT else f"…{last[-THOUGHT:]}"
        return ((Span(f"thinking: {shown}", "quiet"), Span(f" … {count}", "quiet")),)
