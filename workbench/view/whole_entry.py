"""An entry of the transcript with all there is to it, for whoever wants to read the whole of it."""

from __future__ import annotations

from workbench.core.canonical import parse_object
from workbench.core.door import reply_at
from workbench.core.events import Event, Held, HeldReply, ModelFailed, ModelReply, ToolResult
from workbench.core.state import State
from workbench.faults.replies import written_out
from workbench.view.arguments import argument_lines
from workbench.view.entries import Entry, Line, Span, all_lines, lines_of
from workbench.view.highlight import highlight, language_of
from workbench.view.replies import thoughts

LONG_ARGUMENTS = 60
"""Characters of arguments above which they also stand with a key a line."""


def whole_entry(entry: Entry, event: Event | None, state: State) -> list[Line]:
    """The entry of an event, data in its colours, and what only people see. `state` knows the calls."""
    lines = list(all_lines(entry))
    if isinstance(event, ToolResult) and event.content:
        language = language_of(event.content, _path_of(event.call, state))
        coloured = highlight(event.content.removesuffix("\n"), language)
        first = len(lines) - len(entry.lines)
        lines[first : first + len(coloured)] = coloured
    return [*lines, *(_besides(event, state) if event is not None else ())]


def _path_of(call_id: str, state: State) -> str:
    """The file that a call was about, where its arguments name one."""
    record = state.record(call_id)
    values = parse_object(record.arguments).value if record is not None else None
    path = values.get("path") if values else None
    return path if isinstance(path, str) else ""


def _besides(event: Event, state: State) -> list[Line]:
    """What an entry has besides what it shows: arguments in full, thinking, the text to the letter, a traceback."""
    lines: list[Line] = []
    match event:
        case ModelReply():
            for call in event.calls:
                if len(call.arguments) > LONG_ARGUMENTS:
                    title: Line = (Span("arguments of ", "quiet"), Span(call.tool.replace("\n", "↵"), bold=True))
                    lines += [(), title, *argument_lines(call.arguments)]
            lines += _titled("thinking", thoughts(event))
            if state.header.protocol != "native":
                lines += _titled("to the letter", event.text)
        case ModelFailed():
            lines += _titled("what had come of the reply", event.partial)
        case Held():
            lines += _titled("what is held", event.content)
        case HeldReply():
            lines += _titled("what is held", written_out(reply_at(event)))
        case ToolResult():
            lines += _titled("for you only; the model did not see it", event.detail)
    match event:
        case Held() | HeldReply():
            changed = bool(event.changed_by)
        case ModelReply() | ToolResult():
            changed = event.changed
        case _:
            return lines
    return [*lines, *_titled("before it was changed", event.original or "(nothing)")] if changed else lines


def _titled(title: str, text: str) -> list[Line]:
    """A text under its title; nothing where there is no text."""
    return [(), (Span(title, "quiet", bold=True),), *lines_of(text)] if text else []
