"""One event as TOML text, and back.

An event is a flat table: `n`, `kind`, and the fields that are not at their defaults.

    [[event]]
    n = 2
    kind = "model_reply"
    text = \"\"\"
    THOUGHT: I need Paris first.
    ACTION: lookup_population {"city": "Paris"}\"\"\"
    calls_json = '[{"id": "c1", "tool": "lookup_population", "arguments": "{\\"city\\": \\"Paris\\"}"}]'
    #~ 2 9f3c21ab

**Values.** Text, true and false, 64-bit integers and floats (nan and inf too) are TOML. Everything else is JSON text
under the field's name with `_json` at its end: lists, tables, null, larger integers, text with lone surrogates. A field
whose own name ends so is always written as JSON text, so that a name can be read in one way only. The JSON is strict;
what JSON has no words for is a table with one key: `{"$text": ["a", 55296]}` (pieces and lone surrogates),
`{"$int": "0x1f"}` (past the digits Python converts), `{"$float": "nan"}`, and `{"$dict": [[key, value]]}` for a table
whose keys are odd or begin with a dollar sign.

**Lines.** Text of several lines is written as several lines, and a `[` or `#` that begins one is escaped. So a line
`[[event]]` is always a header and a line `#~ ` always a trailer, whatever a tool printed, and both can be searched for.

**Trailer.** `#~ N CHECKSUM`: a comment to TOML, and to us the proof that event N is there as it was written.

tomli-w writes headers (`workbench.sessions.header`). Events have a writer of their own: tomli-w turns CRLF into LF in
its multi-line form and leaves `[` and `#` raw at the start of a line. It is also slower: 70 us instead of 16 for the
three events of a step, 17 times as long for a result of 8,000 characters (tests/bench/bench_journal.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

from workbench.core.events import Event
from workbench.core.plain import from_fields, to_fields

HEAD = "[[event]]\n"
TRAILER = "#~ "
JSON_SUFFIX = "_json"

# Controls, and the characters that reorder or hide text in a terminal or an editor.
_INVISIBLE = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
_NOT_RAW = re.compile(f"[\t\n{_INVISIBLE}]")
_ESCAPED_ON_ONE_LINE = re.compile(f'[\t\n"\\\\{_INVISIBLE}]')
_ESCAPED_ON_LINES = re.compile(f"[\\\\{_INVISIBLE}]")
_MARK_AT_LINE_START = re.compile(r"^[\[#]", re.MULTILINE)
_SHORT_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


class Seal:
    """Checksums of one session. They are keyed with its id, so that text from elsewhere cannot carry a right one."""

    __slots__ = ("_keyed",)

    def __init__(self, session_id: str) -> None:
        key = blake2b(session_id.encode("utf-8", "surrogatepass"), digest_size=32).digest()
        self._keyed = blake2b(key=key, digest_size=4)

    def of(self, n: int, body: bytes) -> str:
        """The checksum of part `n` of the file (0 is the header), its number included: 8 hex digits."""
        digest = self._keyed.copy()
        digest.update(body)
        digest.update(b"%d" % n)
        return digest.hexdigest()

    def line(self, n: int, body: bytes) -> bytes:
        """The trailer that ends part `n` with that body."""
        return f"{TRAILER}{n} {self.of(n, body)}\n".encode()


# ---------------------------------------------------------------- events


def event_body(n: int, event: Event) -> bytes:
    """The event as the `n`th table of a journal, from its header line up to its trailer.

    Raises TypeError, ValueError or RecursionError for a value that is not plain, or nested too deep to be read again.
    """
    return f'{HEAD}n = {n}\nkind = "{event.kind}"\n{key_lines(to_fields(event))}'.encode()


def event_from(table: Mapping[str, Any]) -> tuple[int, Event]:
    """Number and event of a parsed table. Raises ValueError with what is wrong."""
    values = plain_values(table)
    n, kind = values.pop("n", None), values.pop("kind", None)
    if type(n) is not int:
        raise ValueError("the event has no number: n = 1, 2, …")
    if type(kind) is not str:
        raise ValueError(f"event {n} has no kind")
    return n, from_fields(kind, values)


def key_lines(fields: Mapping[str, Any]) -> str:
    """A flat table as lines `key = value`; the keys are bare TOML keys."""
    lines = []
    for name, value in fields.items():
        written = _toml(value)
        if written is None or name.endswith(JSON_SUFFIX):
            lines.append(f"{name}{JSON_SUFFIX} = {toml_text(to_json(value))}\n")
        else:
            lines.append(f"{name} = {written}\n")
    return "".join(lines)


def plain_values(table: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a parsed table, with its JSON texts read. Raises ValueError naming the key at fault."""
    values = {}
    for key, value in table.items():
        if not key.endswith(JSON_SUFFIX):
            values[key] = value
        elif isinstance(value, str):
            try:
                values[key.removesuffix(JSON_SUFFIX)] = from_json(value)
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{key} cannot be read as JSON: {error}") from None
        else:
            raise ValueError(f"{key} is not a text that holds JSON")
    return values


def _toml(value: Any) -> str | None:
    """A value as TOML on the right of an equals sign, or None when it has to be JSON text."""
    if isinstance(value, str):
        text = str.__str__(value)
        return toml_text(text) if is_unicode(text) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value)) if is_toml_int(value) else None
    if isinstance(value, float):
        return repr(float(value))
    return None


def is_toml_int(value: int) -> bool:
    """Whether every TOML reader takes the number: it has 64 bits."""
    return -(2**63) <= value < 2**63


# ---------------------------------------------------------------- text


def is_unicode(text: str) -> bool:
    """Whether the text can be written as UTF-8: it has no lone surrogates."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def toml_text(text: str) -> str:
    """A TOML string for the text, in the form that is easiest to read; reads back exactly."""
    if "\n" in text:
        return _lines_of_text(text)
    # isprintable is the quick test; the pattern decides, so that the form does not depend on Python's Unicode tables.
    if text.isprintable() or not _NOT_RAW.search(text):
        if '"' not in text and "\\" not in text:
            return f'"{text}"'
        if "'" not in text:
            return f"'{text}'"
        if "'''" not in text and not text.endswith("'"):
            return f"'''{text}'''"
    return f'"{_ESCAPED_ON_ONE_LINE.sub(_escape, text)}"'


def _lines_of_text(text: str) -> str:
    body = _ESCAPED_ON_LINES.sub(_escape, text)
    if body.endswith('"'):
        body = body[:-1] + '\\"'
    body = body.replace('"""', '""\\"')
    if "\n[" in body or "\n#" in body or body[0] in "[#":
        body = _MARK_AT_LINE_START.sub(_code_point, body)
    return f'"""\n{body}"""'


def _escape(match: re.Match[str]) -> str:
    return _SHORT_ESCAPES.get(match[0]) or _code_point(match)


def _code_point(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04X}"


# ---------------------------------------------------------------- JSON text


def to_json(value: Any) -> str:
    """JSON text of any plain value, strict JSON in UTF-8; `from_json` gives exactly that value back."""
    try:
        text = _STRICT_JSON(value)
    except ValueError:
        pass
    else:
        if '"$' not in text and is_unicode(text):
            return text
    return _STRICT_JSON(_tagged(value))


def from_json(text: str) -> Any:
    """The value that `to_json` wrote, or that any other JSON text holds. Raises ValueError."""
    return json.loads(text, object_hook=_untagged if '"$' in text else None)


def _as_dict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not a plain value")


_STRICT_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_as_dict).encode


def _tagged(value: Any) -> Any:
    if isinstance(value, str):
        return value if is_unicode(value) else {"$text": _pieces(value)}
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if is_toml_int(value) else {"$int": hex(value)}
    if isinstance(value, float):
        return value if value - value == 0 else {"$float": repr(value)}
    if isinstance(value, Mapping):
        if all(is_unicode(key) and not key.startswith("$") for key in value):
            return {key: _tagged(item) for key, item in value.items()}
        return {"$dict": [[_tagged(key), _tagged(item)] for key, item in value.items()]}
    if isinstance(value, list | tuple):
        return [_tagged(item) for item in value]
    return value


def _pieces(text: str) -> list[str | int]:
    """The text cut at its lone surrogates, which stand as numbers: JSON would join two neighbours to one character."""
    parts = re.split("([\ud800-\udfff])", text)
    return [ord(part) if index % 2 else part for index, part in enumerate(parts) if part]


_UNTAG: dict[str, Callable[[Any], Any]] = {
    "$text": lambda parts: "".join(chr(part) if isinstance(part, int) else part for part in parts),
    "$int": lambda digits: int(digits, 16),
    "$float": float,
    "$dict": dict,
}


def _untagged(table: dict[str, Any]) -> Any:
    if len(table) == 1:
        ((key, value),) = table.items()
        if key in _UNTAG:
            return _UNTAG[key](value)
    return table
