"""Keeps the key in use out of everything that is shown, recorded or raised."""

from __future__ import annotations

import json
import os
import re

SCRUBBED = "[key]"
SHORTEST = 8
"""Characters of the shortest text that counts as a secret: what is shorter is a stand-in such as "none"."""

_HEADER = re.compile(
    r"""(?ix) \b
    ( (?: authorization | x-api-key ) ["']? [ \t]* [:=] [ \t]* ["']? (?: (?:bearer|basic) [ \t]+ )? | bearer [ \t]+ )
    (?! \[key\] ) [^\s,;"'<>]{4,}"""
)
"""The value of a header that holds a key, as a server may quote it."""


class Secret:
    """A key. Nothing that prints it by accident, a traceback with values say, shows it."""

    __slots__ = ("_escaped", "_forms", "_value")

    def __init__(self, value: str = "") -> None:
        self._value = value
        self._escaped = json.dumps(value, ensure_ascii=False)[1:-1]
        self._forms = tuple(dict.fromkeys((self._escaped, repr(value)[1:-1], value)))
        """As JSON and as Python write it, and as it is."""

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return SCRUBBED if self._value else "no key"

    def reveal(self) -> str:
        return self._value

    @property
    def sendable(self) -> bool:
        """Whether it can stand in a header."""
        return self._value.isascii() and self._value.isprintable()

    def scrub(self, text: str) -> str:
        """The text without the key."""
        if len(self._value) < SHORTEST:
            return text
        for form in self._forms:
            text = text.replace(form, SCRUBBED)
        return text

    def scrub_bytes(self, data: bytes) -> bytes:
        """As `scrub`, for JSON in UTF-8."""
        key = self._escaped.encode("utf-8", "replace")
        return data.replace(key, SCRUBBED.encode()) if len(key) >= SHORTEST else data

    def scrub_words(self, text: str) -> str:
        """As `scrub`, for what a server says: without whatever else looks like the value of such a header."""
        return _HEADER.sub(rf"\1{SCRUBBED}", self.scrub(text))


def read_key(variable: str) -> Secret:
    """The key in that environment variable; blanks and line ends around it are a slip of the hand."""
    return Secret(os.environ.get(variable, "").strip() if variable else "")


class StreamScrubber:
    """Scrubs a text that comes in pieces: what may be the beginning of the key waits for the piece after it."""

    __slots__ = ("_held", "_secret")

    def __init__(self, secret: Secret) -> None:
        self._secret = secret
        self._held = ""

    def feed(self, piece: str) -> str:
        """What can be shown by now."""
        key = self._secret.reveal()
        if len(key) < SHORTEST:
            return piece
        text = self._secret.scrub(self._held + piece)
        start = text.find(key[0], max(0, len(text) - len(key) + 1))
        while start >= 0 and not key.startswith(text[start:]):
            start = text.find(key[0], start + 1)
        self._held = "" if start < 0 else text[start:]
        return text if start < 0 else text[:start]

    def rest(self) -> str:
        """What was waiting and is no key after all."""
        text, self._held = self._held, ""
        return text
