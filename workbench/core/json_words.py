"""What is wrong with a text that should be JSON, in words for people."""

from __future__ import annotations

import json

_WORDS = {
    "Expecting value": "a value is missing here: text in double quotes, a number, true, false, null, [ ] or { }",
    "Expecting ',' delimiter": "a comma is missing before this, or a closing bracket",
    "Expecting ':' delimiter": "a colon is missing between a key and its value",
    "Expecting property name enclosed in double quotes": "a key in double quotes is missing here",
    "Illegal trailing comma before end of object": "no comma stands before the closing }",
    "Illegal trailing comma before end of array": "no comma stands before the closing ]",
    "Unterminated string starting at": "the text that begins here has no closing quote",
    "Invalid control character at": "inside a text a line break is written \\n, and a tab \\t",
    "Invalid \\escape": "inside a text a \\ is written \\\\",
    "Invalid \\uXXXX escape": "\\u needs four digits or letters from a to f behind it",
    "Extra data": "the value has ended before this",
}
"""What Python's parser says, and what that means for who has written the text."""


def why_not_json(text: str) -> str:
    """What is wrong and at which line and column, both from 1; "" for JSON."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        what = _WORDS.get(error.msg) or f"{error.msg[:1].lower()}{error.msg[1:]}"
        return f"line {error.lineno}, column {error.colno}: {what}"
    except (ValueError, RecursionError):
        return "holds a number of too many digits, or is nested too deeply"
    return ""
