"""Which events can have another text in a fork: that text as a person writes it, and what another one cannot be."""

from __future__ import annotations

from typing import Literal

from workbench.core.events import Event, ModelReply, ToolResult, UserMessage
from workbench.core.values import RawCall
from workbench.models.written import write, written_problem


def what_it_is(event: Event | None) -> Literal["message", "reply", "result", ""]:
    """What an event is that can have another text; "" for any other."""
    match event:
        case UserMessage():
            return "message"
        case ModelReply():
            return "reply"
        case ToolResult():
            return "result"
        case _:
            return ""


def text_of(event: Event | None, *, native: bool) -> str | None:
    """The text of such an event, a reply as `models.written` has it; None for any other event."""
    match event:
        case UserMessage():
            return event.text
        case ToolResult():
            return event.content
        case ModelReply():
            calls = [RawCall(call.tool, call.arguments) for call in event.calls] if native else []
            return write(event.text, calls, native=native)
        case _:
            return None


def other_problem(event: Event, text: str, *, native: bool) -> str:
    """Why such an event cannot have that text, as one sentence for people; "" when it can."""
    what = what_it_is(event)
    if what == "result":
        return ""
    if not text.strip():
        return f"the {what} is empty"
    return written_problem(text, native=native) if what == "reply" else ""
