"""JSON text in and out: one spelling for each value, lenient reading of what models write, plain showing of results."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from workbench.core.swift import swift

MAX_DEPTH = 64
"""Levels of nesting that arguments may have; far above any real call, far below what recursive code survives."""

TOO_DEEP = f"arguments are nested too deeply; at most {MAX_DEPTH} levels are read"

LENIENT = json.JSONDecoder(strict=False)
"""Takes raw line breaks and tabs inside strings, as models write them."""

_LONG_INT_BITS = 14_000
"""Some 4,200 decimal digits: above that Python may refuse to write an integer out; `Decimal` does not."""

_ENDLESS_INT_BITS = 200_000
"""Some 60,000 digits: more than anybody reads, and writing them out is quadratic."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_KIND_NAMES = {
    list: "a list",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}


@swift
@dataclass(frozen=True, slots=True)
class Parsed:
    """What an arguments text holds: a value, or a problem in words for the model; `note` says what was put right."""

    value: dict[str, Any] | None
    problem: str = ""
    note: str = ""


def canonical(value: Any) -> str:
    """The value as JSON: keys sorted, no blanks, NaN and Infinity as such. The text always encodes as UTF-8.

    Raises TypeError for what is no JSON value, ValueError for a cycle or an integer beyond Python's digit limit,
    RecursionError beyond a few hundred levels; values from `parse_object` raise nothing.
    """
    return _encodable(_CANONICAL(value))


def digest(*parts: str) -> str:
    """16 hex characters that depend on every part and on where one part ends and the next begins."""
    state = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        state.update(b"%d:" % len(data))
        state.update(data)
    return state.hexdigest()


def plain_json(value: Any) -> str:
    """A tool's result as the text a model reads.

    A string stays as it is, bytes are decoded (bad ones become U+FFFD, and a last line says how many), JSON values
    are JSON on one line, and everything else, also inside them, is its `str()`.
    Raises only what an object's own `__str__` raises.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return _decoded(bytes(value))
    if isinstance(value, int) and value.bit_length() > _LONG_INT_BITS:
        return _long_integer(value)
    if value is not None and not isinstance(value, dict | list | tuple | int | float):
        return str(value)
    try:
        return _encodable(_PLAIN(value))
    except (TypeError, ValueError, RecursionError):
        pass  # keys that are no strings, a cycle, an integer of thousands of digits, nesting without end
    try:
        return str(value)
    except (ValueError, RecursionError) as error:
        return f"({_kind(value)} that cannot be written out: {error})"


def parse_object(text: str) -> Parsed:
    """Read the arguments of a call, leniently: an empty text is no arguments, an object encoded twice is unwrapped.

    Positions in a problem count from the start of the text. Never raises; linear time.
    """
    if not text or text.isspace():
        return Parsed({})
    value, problem = _decode(text)
    note = ""
    if isinstance(value, str) and not problem:
        inner, inner_problem = _decode(value)
        if isinstance(inner, dict) or (inner_problem and value.lstrip().startswith("{")):
            value, problem, note = inner, inner_problem, "the arguments were encoded twice"
    if problem:
        return Parsed(None, problem)
    if not isinstance(value, dict):
        return Parsed(None, f"arguments must be a JSON object, not {_kind(value)}")
    return Parsed(value, note=note)


def _decode(text: str) -> tuple[Any, str]:
    try:
        value, end = LENIENT.raw_decode(text) if text[:1] == "{" else (None, -1)
        if end != len(text):
            value = LENIENT.decode(text)
    except json.JSONDecodeError as error:
        return None, f"could not parse arguments as JSON: {error}"
    except RecursionError:
        return None, TOO_DEEP
    except ValueError:
        return None, "could not parse arguments as JSON: a number in them has too many digits"
    if len(text) > MAX_DEPTH and text.count("{") + text.count("[") > MAX_DEPTH and _deeper_than(value, MAX_DEPTH):
        return None, TOO_DEEP
    return value, ""


def _deeper_than(value: Any, levels: int) -> bool:
    layer = [value] if isinstance(value, dict | list) else []
    for _ in range(levels):
        layer = [
            item
            for holder in layer
            for item in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(item, dict | list)
        ]
        if not layer:
            return False
    return True


def _encodable(text: str) -> str:
    """JSON text in which a lone surrogate, which UTF-8 cannot hold, stands as its escape."""
    if text.isascii():
        return text
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _decoded(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd") - data.count("\ufffd".encode())
    return f"{text}\n(note: {bad} \ufffd stand for bytes that are not UTF-8)" if bad else text


def _long_integer(value: int) -> str:
    if value.bit_length() > _ENDLESS_INT_BITS:
        return f"(an integer of {value.bit_length()} bits)"
    from decimal import Decimal  # 2 ms, for a result that hardly ever comes

    return str(Decimal(value))


def _stand_in(value: Any) -> str:
    return _decoded(bytes(value)) if isinstance(value, bytes | bytearray | memoryview) else str(value)


def _kind(value: Any) -> str:
    return _KIND_NAMES.get(type(value), f"a {type(value).__name__}")


# Made once: json.dumps with options of one's own makes an encoder for each call.
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode
_PLAIN = json.JSONEncoder(ensure_ascii=False, default=_stand_in).encode
