"""The arguments of a call as text to show: on one line, in brief, and whole."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from workbench.core.canonical import parse_object
from workbench.core.records import CallRecord
from workbench.core.values import Call
from workbench.view.entries import Line, Span
from workbench.view.highlight import highlight
from workbench.view.lines import cut, cut_line, one_line, within
from workbench.view.visible import visible_blanks

_NEWLINE = re.compile(r'(?<!\\)(?:\\\\)*\\n(?!")')
"""The escape of a newline in JSON, unless it ends the string."""
MOST_READ = 20_000
"""Characters of arguments that are read to name their values in brief; longer ones are shown as they are."""


def arguments_shown(record: CallRecord) -> str:
    """The arguments of a call as the model wrote them, or as they were edited."""
    return record.arguments if record.edited else record.call.arguments.strip()


def arguments_line(call: Call) -> str:
    """The arguments on one line: as the model wrote them, unless it wrote them over several lines."""
    raw = call.arguments.strip()
    if "\n" not in raw:
        return raw
    value = parse_object(raw).value
    return raw.replace("\n", "↵") if value is None else json.dumps(value, ensure_ascii=False)


def one_line_arguments(record: CallRecord) -> str:
    """The arguments as they would run, on one line, with what cannot be seen and runs of blanks made visible."""
    return visible_blanks(one_line(arguments_shown(record)))


def brief(record: CallRecord, room: int) -> str:
    """The values of the arguments without their names, in at most `room` cells: "A-1042, 6.25"."""
    text = arguments_shown(record)
    values = parse_object(text).value if len(text) <= MOST_READ else None
    if values is not None:
        parts = [v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in values.values()]
        text = ", ".join(parts)
    return cut_line(text, room)


def brief_line(record: CallRecord, room: int) -> Line:
    """The arguments as they would run, in at most `room` cells."""
    return _coloured(cut(one_line_arguments(record), room))


def spelled_line(arguments: str) -> Line:
    """Arguments on one line, in colours, with what cannot be seen and runs of blanks made visible."""
    return _coloured(visible_blanks(one_line(arguments)))


def argument_rows(text: str, width: int, rows: int) -> tuple[list[Line], bool]:
    """The arguments on one line where they fit, else a key a line; if not whole, the last row says how much is left."""
    if len(text) <= width:
        one = visible_blanks(one_line(text))
        if len(one) <= width:
            return within([_coloured(one)], width, rows)
    shown, parsed = _spread(text, width)
    lines = shown.split("\n", rows + 1)
    first = "\n".join(lines[: rows + 1])
    return within(_as_lines(first, parsed=parsed), width, rows, shown.count("\n") + 1)


def argument_lines(text: str, width: int = 0) -> list[Line]:
    """All arguments: on one line where they fit in `width`, else a key a line; text that is no JSON as it is."""
    shown, parsed = _spread(text, width)
    return _as_lines(shown, parsed=parsed)


def _spread(text: str, width: int) -> tuple[str, bool]:
    """The arguments as JSON laid out for that width, and whether they are JSON."""
    try:
        value = json.loads(text) if text.strip() else {}
        one = json.dumps(value, ensure_ascii=False)
        return one if len(one) <= width else _broken(json.dumps(value, indent=2, ensure_ascii=False)), True
    except (ValueError, RecursionError):
        return text, False


def _broken(text: str) -> str:
    """A text that stands in a string is read line by line: there is a break after each of its newlines, as written."""
    lines = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
        lines.append(_NEWLINE.sub(rf"\g<0>\n{indent}", line))
    return "\n".join(lines)


def _as_lines(text: str, *, parsed: bool) -> list[Line]:
    """Runs of blanks are made visible, but for the indentation of JSON that was laid out here."""
    if not parsed:
        return [(Span(visible_blanks(one_line(line))),) for line in text.split("\n")]
    return [_spelled(line) for line in highlight(text, "json")]


def _spelled(line: Line) -> Line:
    if not line:
        return line
    first, *others = line
    body = first.text.lstrip(" ")
    indent = first.text[: len(first.text) - len(body)]
    return (
        replace(first, text=indent + visible_blanks(one_line(body))),
        *(replace(span, text=visible_blanks(one_line(span.text))) for span in others),
    )


def _coloured(one: str) -> Line:
    return highlight(one, "json")[0] if one else ()
