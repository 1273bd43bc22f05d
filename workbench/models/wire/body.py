"""What a server sent, as values that are what they should be; and what we send, as strict JSON."""

from __future__ import annotations

import json
import re
from typing import Any

from workbench.core.canonical import parse_object
from workbench.models.wire.errors import Malformed

_SURROGATE = re.compile("[\ud800-\udfff]")


def read_object(data: str | bytes, what: str) -> dict[str, Any]:
    """The JSON object in a body or an event. Raises Malformed."""
    try:
        value = json.loads(data)
    except RecursionError:
        raise Malformed(f"{what} is nested too deeply") from None
    except ValueError:
        # The words of the parser are left out: they can be about half of a text.
        raise Malformed(f"{what} is not JSON") from None
    return as_object(value, what)


def as_object(value: Any, what: str) -> dict[str, Any]:
    """The value, which must be an object. Raises Malformed."""
    if not isinstance(value, dict):
        raise Malformed(f"{what} is not a JSON object")
    return value


def as_list(value: Any, what: str) -> list[Any]:
    """The value, which must be a list; null and absent are the empty one. Raises Malformed."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise Malformed(f"{what} is not a list")
    return value


def as_text(value: Any) -> str:
    """The value if it is text, else ""; half of a surrogate pair in it is joined to the other half, or replaced."""
    return clean(value) if isinstance(value, str) else ""


def as_count(value: Any) -> int | None:
    """A number of tokens, or None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def clean(text: str) -> str:
    """The text as UTF-8 can hold it."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def as_arguments(value: Any) -> str:
    """The arguments of a call as text: as they were written, or an object written out."""
    if isinstance(value, str):
        return clean(value)
    return "" if value is None else echo_text(value)


def unknown_part(kind: str) -> str:
    """The note about a part of a reply that is neither text nor a call."""
    return f"a part of the reply was left out, as its kind is not known here: {kind or 'no kind at all'}"


def sent_arguments(arguments: str) -> str:
    """The arguments of an earlier call as every server takes them back: the strict JSON text of an object.

    What the model wrote is sent as it is where that is such a text. No arguments are an empty object; an object that
    was encoded twice is unwrapped; what cannot be read at all is wrapped, so that the model sees what it wrote.
    """
    value = parse_object(arguments).value
    if value is None:
        return clean_json(_written({"unreadable_arguments": clean(arguments)}))
    return clean_json(arguments if _is_strict(arguments) else _written(value))


def clean_json(text: str) -> str:
    r"""JSON text in which no escape like \ud83d stands alone: strict readers reject those."""
    if "\\ud" not in text and "\\uD" not in text:
        return clean(text)
    value = json.loads(text)
    return clean(_written(value)) if _SURROGATE.search(json.dumps(value, ensure_ascii=False)) else clean(text)


def to_json(value: Any) -> bytes:
    """The value as JSON in UTF-8, NaN and infinities as text. Raises RecursionError for endless nesting."""
    return clean(_written(value)).encode()


def echo_text(value: Any) -> str:
    """What is to be sent back later, as JSON text. Raises Malformed."""
    try:
        return clean(_written(value))
    except RecursionError:
        raise Malformed("the reply is nested too deeply") from None


def _written(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return json.dumps(_without_nan(value), ensure_ascii=False, separators=(",", ":"))


def _without_nan(value: Any) -> Any:
    """NaN and infinities, which JSON does not have, as the words for them."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):  # noqa: PLR0124
        return json.dumps(value)
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    return [_without_nan(item) for item in value] if isinstance(value, list) else value


def _is_strict(text: str) -> bool:
    """Whether it is the text of an object without anything that only lenient readers take."""
    try:
        return isinstance(json.loads(text, parse_constant=_refuse, parse_float=_finite), dict)
    except ValueError:
        return False


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{digits} is too large")
    return value
