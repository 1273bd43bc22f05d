"""A reply that is to be sent, in no vendor's words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b

from workbench.core.events import ModelReply
from workbench.core.values import Call
from workbench.serve.history import Said, said, said_call

MOST_PIECES = 64
"""Pieces of a text in a stream, at most."""

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_WORD = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One reply. Tokens of `input` include those that were cached."""

    id: str
    """24 letters and digits, the same whenever this reply is sent."""
    model: str
    created: int
    """Seconds since 1970."""
    text: str
    thinking: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = "stop"
    """In our words, or the script's own."""
    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0
    took: float = 0.0
    """Seconds."""
    with_usage: bool = True


def spoken(event: ModelReply, *, native: bool) -> Said:
    """The reply as a client is to send it back. Calls that stand in the text are text."""
    calls = event.calls if native else ()
    return said(event.text, (said_call(call.provider_id, call.tool, call.arguments) for call in calls))


def token(length: int, *parts: str) -> str:
    """Letters and digits that depend on the parts, as the ids of vendors look."""
    number = int.from_bytes(blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=32).digest())
    letters = []
    for _ in range(length):
        number, index = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[index])
    return "".join(letters)


def pieces(text: str) -> list[str]:
    """The text as it comes in a stream: word by word, or more at a time where there are many."""
    words = _WORD.findall(text)
    size = -(-len(words) // MOST_PIECES) or 1
    return ["".join(words[at : at + size]) for at in range(0, len(words), size)]


def halves(text: str) -> list[str]:
    """A text in two pieces, as arguments come in a stream."""
    middle = len(text) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]
