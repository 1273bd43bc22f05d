"""What was recorded of a run, as tables of a scenario: each request with what came of it, and the tools as they were.

A request holds everything that was said before it, so a file has of each only what was new: the messages since the
reply before it. The replies themselves are those of the exchanges.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from workbench.core.ports import FailureKind
from workbench.core.values import Risk
from workbench.scenarios.fields import Count, Figure, Many, Name, Positive, Seconds, Table

_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(?:(\\)|u(d[89a-f][0-9a-f]{2}))")

Match = Literal["request", "messages", "nothing"]


class RecordedUsageTable(Table):
    """Tokens as the provider counted them."""

    input: Figure | None = None
    output: Figure | None = None
    cache_read: Figure | None = None
    cache_write: Figure | None = None


class RecordedMessageTable(Table):
    """What the model was told before it replied, one message."""

    role: Literal["user", "tool", "notice"]
    text: str | None = None
    """As the model read it; without it, the content of the result of that call."""
    call: Name | None = None
    """With role = "tool": the call that it answers, c1, c2, … in the order of the whole recording."""
    error: bool = False
    """Whether it was marked as an error."""


class RecordedCallTable(Table):
    """A tool call in the reply."""

    tool: str
    arguments: str
    """The text that the model wrote, as it is."""
    id: str = ""
    """The provider's own."""
    problem: str = ""
    """Why the call could not run, as the model read it."""
    kind: Literal["", "malformed", "unknown_tool", "invalid"] = ""
    """What kind of problem."""


class EffectTable(Table):
    """A file that a tool wrote: all of its text, or what was added at its end."""

    path: Name
    content: str | None = None
    append: str | None = None


class RecordedResultTable(Table):
    """What a tool gave back. Nothing runs again: this is what a run of the recording gets."""

    call: Name
    """c1, c2, … in the order of the whole recording."""
    outcome: Literal["ran", "failed", "cancelled", "defect"] = "ran"
    content: str = ""
    value: str = ""
    """The structured result as JSON text."""
    arguments: str = ""
    """What it ran with, where that is not what the model wrote; JSON text with sorted keys."""
    took: Seconds = 0.0
    """Seconds."""
    full_chars: Figure = 0
    """Characters before it was cut; 0 when nothing was cut."""
    cursor: str = ""
    effects: Many[EffectTable] = ()
    """What it changed in the workspace."""
    retry: bool = True
    """For errors: whether trying again can help."""
    detail: str = ""
    """For people only: a traceback, say."""


class ExchangeTable(Table):
    """One request and what came of it."""

    message: Many[RecordedMessageTable] = ()
    """What the request had after the reply before it."""
    text: str = ""
    thinking: str = ""
    finish: Name = "stop"
    """Finish reason."""
    model: str = ""
    """What the provider called the model."""
    usage: RecordedUsageTable | None = None
    opaque: str = ""
    """What the provider wants back byte for byte, as JSON text."""
    notes: Many[str] = ()
    """What people should know about how the reply came."""
    attempts: Count = 1
    took: Seconds = 0.0
    """Seconds, attempts and pauses included."""
    original: str = ""
    """What the model really said, where a fault or a person changed it."""
    changed_by: str = ""
    """Who changed it."""
    fail: FailureKind | None = None
    """There was no reply: the class of the failure. `text` is then what had come of it."""
    detail: str = ""
    """With fail: what was said of it, for people."""
    call: Many[RecordedCallTable] = ()
    result: Many[RecordedResultTable] = ()
    escaped: bool = False
    r"""Half of a surrogate pair stands as \ud83d in the texts of this exchange, and a backslash as two."""


class RecordedToolTable(Table):
    """A tool as it was. It stands in where the tool is not there any more."""

    name: Name
    description: str = ""
    parameters: str
    """JSON Schema of the arguments, as JSON text."""
    risk: Risk = "undeclared"
    source: str = ""
    trust: Literal["trusted", "untrusted"] = "trusted"
    polling: bool = False
    idempotent: bool = False
    dedupe: bool = True
    timeout: Positive | Literal[False] = 30.0
    """Seconds; false is no limit."""
    max_chars: Figure = 8000
    max_lines: Figure = 400
    consequence: str = ""


# ---------------------------------------------------------------- texts that no TOML can hold


def sealed(exchange: dict[str, Any]) -> dict[str, Any]:
    """The exchange as TOML can hold it: as it is, or with its texts escaped."""
    if not any(map(_SURROGATE.search, _texts(exchange))):
        return exchange
    return {**_with_texts(exchange, _escape), "escaped": True}


def unsealed(exchange: ExchangeTable) -> dict[str, Any]:
    """The values of an exchange, with its texts as they were."""
    values: dict[str, Any] = exchange.model_dump(exclude={"escaped"})
    return _with_texts(values, _unescape) if exchange.escaped else values


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """The value with every text in it changed; keys are names of the format, and stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _with_texts(item, change) for key, item in value.items()}
    return [_with_texts(item, change) for item in value] if isinstance(value, list | tuple) else value


def _escape(text: str) -> str:
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text.replace("\\", "\\\\"))


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda match: match[1] or chr(int(match[2], 16)), text)
