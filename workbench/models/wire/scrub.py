"""Keeps the key in use out of everything that is shown, recorded or raised."""

from __future__ import annotations

import json
import os
import re

SCRUBBED = "[key]"
LONG, SHORT = 8, 4
"""Characters from which a key is nothing but a key wherever it stands, and from which it is one as a whole word."""

_HEADER = re.compile(
    r"""(?ix) \b
    (?: ( (?: authorization | x-api-key ) ["']? [ \t]* [:=] [ \t]* ["']? (?: (?:bearer|basic) [ \t]+ )? )
        (?! \[key\] | (?:bearer|basic) \b ) [^\s,;"'<>]+
      | ( bearer [ \t]+ ) (?! \[key\] ) [^\s,;"'<>]{4,} )"""
)
"""The value of a header that holds a key, as a server may quote it."""
_WORD = re.compile(r"[^\W\d_]*|\d*|\W*")
_BEFORE, _AFTER = r"(?<![\w-])", r"(?![\w-])"
_INSIDE = re.compile(r"[\w-]")


class Secret:
    """A key, and the environment variable it is from. Nothing that prints it by accident, a traceback say, shows it.

    Texts are not to be spoilt by a short key, which may be a stand-in such as "none" or "-". From LONG characters on it
    is taken out wherever it stands; from SHORT on where it is a whole word, unless it is a mere word, or a number; and
    any key where it is said to be the value of its variable or, in the words of a server, of a header.
    """

    __slots__ = ("_forms", "_value", "_variable")

    def __init__(self, value: str = "", variable: str = "") -> None:
        self._value = value
        self._variable = variable
        self._forms = tuple(dict.fromkeys((json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1], value)))
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

    @property
    def is_long(self) -> bool:
        return len(self._value) >= LONG

    @property
    def is_word(self) -> bool:
        """Whether it may be an innocent word of any text."""
        return not self.is_long and (len(self._value) < SHORT or _WORD.fullmatch(self._value) is not None)

    @property
    def pattern(self) -> re.Pattern[str]:
        """Where it stands as a key, after what has to stay."""
        text = f"(?:{'|'.join(map(re.escape, self._forms))})"
        if self.is_long:
            return re.compile(f"(){text}")
        if not self.is_word:
            return re.compile(f"(){_BEFORE}{text}{_AFTER}")
        return re.compile(rf"""(\b{re.escape(self._variable)}["'\\]*\s*[:=]\s*["'\\]*){text}{_AFTER}""")

    def scrub(self, text: str) -> str:
        """The text without the key."""
        if self.is_long:
            for form in self._forms:
                text = text.replace(form, SCRUBBED)
        elif self._value and (self._variable or not self.is_word):
            text = self.pattern.sub(rf"\g<1>{SCRUBBED}", text)
        return text

    def scrub_bytes(self, data: bytes) -> bytes:
        """As `scrub`, for JSON in UTF-8."""
        if self.is_long:
            return data.replace(self._forms[0].encode("utf-8", "replace"), SCRUBBED.encode())
        return self.scrub(data.decode()).encode() if self._value else data

    def scrub_words(self, text: str) -> str:
        """As `scrub`, for what a server says: without whatever else looks like the value of such a header."""
        return _HEADER.sub(lambda found: f"{found[1] or found[2]}{SCRUBBED}", self.scrub(text))


def read_key(variable: str) -> Secret:
    """The key in that environment variable; blanks and line ends around it are a slip of the hand."""
    return Secret(os.environ.get(variable, "").strip() if variable else "", variable)


class StreamScrubber:
    """Scrubs a text that comes in pieces: what may be the key, or its beginning, waits for the piece after it.

    A key that is a mere word is left: it is shown for as long as the reply takes, and is in nothing that is kept.
    """

    __slots__ = ("_before", "_held", "_pattern", "_secret")

    def __init__(self, secret: Secret) -> None:
        self._secret = secret
        self._pattern = None if secret.is_word else secret.pattern
        self._before = ""
        """The last character of what can be shown, as it came."""
        self._held = ""

    def feed(self, piece: str) -> str:
        """What can be shown by now."""
        if self._pattern is None:
            return piece
        text, at, shown = f"{self._before}{self._held}{piece}", len(self._before), []
        for found in self._pattern.finditer(text, at):
            if found.end() == len(text) and not self._secret.is_long:
                break  # the next piece says whether the word ends here
            shown += [text[at : found.start()], SCRUBBED]
            at = found.end()
        end = self._begun(text, at)
        self._before, self._held = text[max(0, end - 1) : end], text[end:]
        return "".join([*shown, text[at:end]])

    def _begun(self, text: str, at: int) -> int:
        """From where on the text may be a key that has only begun; its length where it is none."""
        key, short = self._secret.reveal(), not self._secret.is_long
        start = text.find(key[0], max(at, len(text) - len(key) + 1 - short))
        while start >= 0:
            inside = short and start > 0 and _INSIDE.match(text[start - 1]) is not None
            if key.startswith(text[start:]) and not inside:
                return start
            start = text.find(key[0], start + 1)
        return len(text)

    def rest(self) -> str:
        """What was waiting; it is no key after all, unless it is a whole one."""
        text, self._held = self._held, ""
        return SCRUBBED if text and text == self._secret.reveal() else text
