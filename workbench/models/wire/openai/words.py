"""How OpenAI's endpoints say what is wrong with a request, wherever in it."""

from __future__ import annotations

import re
from typing import Any

from workbench.models.wire.shapes import kind_of

_NAME = re.compile(r"[a-zA-Z0-9_-]+")
LONGEST_NAME = 64


def bad_name(at: str, name: Any) -> str:
    """What is wrong with the name of a tool; "" when nothing is."""
    if not isinstance(name, str):
        return wrong_type(at, str, name)
    if len(name) > LONGEST_NAME:
        return too_long(at, name, LONGEST_NAME)
    expected = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
    return "" if _NAME.fullmatch(name) else f"Invalid '{at}': string does not match pattern. {expected}"


def too_long(at: str, text: str, longest: int) -> str:
    """That a text has more characters than it may have."""
    return (
        f"Invalid '{at}': string too long. Expected a string with maximum length {longest}, "
        f"but got a string with length {len(text)} instead."
    )


def missing(at: str) -> str:
    """That something is not there."""
    return f"Missing required parameter: '{at}'."


def wrong_type(at: str, kind: type | tuple[type, ...], value: object) -> str:
    """That a value is not of its kind."""
    kinds = " or ".join(kind_of(one()) for one in (kind if isinstance(kind, tuple) else (kind,)))
    return f"Invalid type for '{at}': expected {kinds}, but got {kind_of(value)} instead."
