"""What a tool gave back, as the text a model reads: one line of JSON or plain text, valid Unicode, of bounded size."""

from __future__ import annotations

import json
import re
import traceback
from dataclasses import dataclass
from typing import Any

from workbench.core.canonical import plain_json
from workbench.core.ports import ToolOutcome
from workbench.core.values import ToolInfo
from workbench.toolkit.errors import ToolError
from workbench.toolkit.sizes import MAX_DETAIL_CHARS, MAX_VALUE_CHARS

_UNREADABLE = re.compile("[\ud800-\udfff]")
_SMALL = 10**15


@dataclass(frozen=True, slots=True)
class Result:
    """A result that is a part of something larger.

    `content` is what a tool would return by itself; `cursor` is what the tool takes to go on, "" at the end; `shown`
    and `total` count rows. The model is told in a last line: `showing 10 of 214 rows; call again with cursor "…"`.
    """

    content: Any
    cursor: str = ""
    shown: int | None = None
    total: int | None = None


def ran(info: ToolInfo, result: Any) -> ToolOutcome:
    """The outcome of a call that returned `result`."""
    if type(result) is int and -_SMALL < result < _SMALL:
        text = str(result)
        return ToolOutcome(outcome="ran", content=text, value=text)
    cursor, rows = "", ""
    if isinstance(result, Result):
        cursor, rows = result.cursor, _rows(result)
        result = result.content
    if isinstance(result, str):
        text, note, value = *readable(str.__str__(result)), ""
    elif isinstance(result, bytes | bytearray | memoryview):
        text, note, value = *readable(bytes(result).decode("utf-8", "surrogateescape")), ""
    else:
        text, note = readable(plain_json(result))
        value = text if _is_json(text) else ""
    content, full_chars = cut(text, info, cursor)
    content = "\n".join(part for part in (content, rows, note) if part) if rows or note else content
    return ToolOutcome(outcome="ran", content=content, value=value, full_chars=full_chars, cursor=cursor)


def failed(info: ToolInfo, error: ToolError) -> ToolOutcome:
    """The outcome of a call that raised ToolError."""
    text, note = readable(str(error.message))
    content, full_chars = cut(text, info)
    if note:
        content = f"{content}\n{note}"
    return ToolOutcome(outcome="failed", content=content, full_chars=full_chars, retry=error.retry)


def defect(info: ToolInfo, error: BaseException) -> ToolOutcome:
    """The outcome of a call that raised anything else. Its text is for the operator: it may hold paths and secrets."""
    detail = "".join(traceback.format_exception(error))
    return ToolOutcome(
        outcome="defect",
        content=f"{info.name} is broken and did not finish; no other arguments would help.",
        retry=False,
        detail=readable(detail[-MAX_DETAIL_CHARS:])[0],
    )


def readable(text: str) -> tuple[str, str]:
    """The text with what is no text shown as such, and a sentence that says so ("" when there was nothing).

    Lone surrogates, which stand for bytes that are not UTF-8, become "�"; NUL becomes "␀". Other control characters
    stay: the screen shows them safely.
    """
    notes = []
    if not text.isascii():
        text, bad = _UNREADABLE.subn("\ufffd", text)
        if bad:
            notes.append(f'{bad:,} × "\ufffd" for bytes that are not UTF-8 text')
    nul = text.count("\0")
    if nul:
        text = text.replace("\0", "\u2400")
        notes.append(f'{nul:,} × "\u2400" for NUL')
    return text, f"… shown in place: {', '.join(notes)}" if notes else ""


def cut(text: str, info: ToolInfo, cursor: str = "") -> tuple[str, int]:
    """The text within the tool's limits, and its full length in characters (0 when nothing was cut).

    A last line says what was left out and how to go on.
    """
    shown, left_out = text, ""
    lines = text.count("\n") + (not text.endswith("\n"))
    if lines > info.max_lines:
        shown = text[: _end_of_line(text, info.max_lines)]
        left_out = f"{info.max_lines:,} of {lines:,} lines"
    if len(shown) > info.max_chars:
        shown = shown[: info.max_chars]
        left_out = f"{info.max_chars:,} of {len(text):,} characters"
    if not left_out:
        return text, 0
    again = f", or call again with cursor {json.dumps(cursor)}" if cursor else ""
    return f"{shown}\n… cut: showing {left_out}; ask for a narrower part{again}", len(text)


def _end_of_line(text: str, number: int) -> int:
    end = -1
    for _ in range(number):
        end = text.index("\n", end + 1)
    return end


def _rows(result: Result) -> str:
    if result.shown is None and not result.cursor:
        return ""
    what = f"showing {result.shown:,}" if result.shown is not None else "showing a part"
    of = f" of {result.total:,} rows" if result.total is not None else ""
    again = f"; call again with cursor {json.dumps(result.cursor)}" if result.cursor else ""
    return f"… {what}{of}{again}"


def _is_json(text: str) -> bool:
    """Also for what JSON could not hold there is a text to read, but that one is no structured value."""
    if len(text) > MAX_VALUE_CHARS:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
